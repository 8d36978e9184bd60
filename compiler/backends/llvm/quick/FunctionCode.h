// Quick code of one function: registers are given in one sweep over each block, and memory holds what passes from one
// block to another.
//
// In a block of straight code, which most of a step is, the value that is read latest gives way (L. A. Belady, "A study
// of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5, 1966). Results are those of the
// optimising generator in every bit: each operation of IR is the one operation of the processor that rounds as it does.
#pragma once

#include "backends/llvm/quick/Assembler.h"
#include "backends/llvm/quick/Uses.h"

#include <llvm/IR/Function.h>

#include <array>
#include <functional>
#include <initializer_list>
#include <unordered_map>
#include <vector>

namespace lmc::backends::quick {

class FunctionCode {
public:
  /// `symbolOf`: the number of a function or of a global variable.
  using SymbolOf = std::function<std::size_t(const llvm::GlobalValue&)>;
  FunctionCode(const llvm::Function& f, Assembler& code, SymbolOf symbolOf);
  /// Appends the code of the function.
  void run();

private:
  /// Where a value is, in the block that is made.
  struct Place {
    int number = -1;                ///< register; -1: none
    std::int32_t memory = -1;       ///< offset in the frame; -1: none
    bool isStored = false;          ///< memory holds it
    std::vector<std::size_t> reads; ///< positions in the block, the last one first
  };
  /// The registers of one kind.
  struct Bank {
    std::array<const llvm::Value*, registers> holds{};
    std::array<bool, registers> usable{}, pinned{};
  };

  void layOut();
  void prologue();
  void block(const llvm::BasicBlock& b);
  void instruction(const llvm::Instruction& i);
  void floating(const llvm::Instruction& i);
  void fused(const llvm::IntrinsicInst& i);
  void integer(const llvm::Instruction& i);
  void division(const llvm::Instruction& i);
  void comparison(const llvm::CmpInst& c, const llvm::Value* result);
  void choice(const llvm::SelectInst& s);
  void conversion(const llvm::Instruction& i);
  void fromUnsigned(const llvm::Instruction& i);
  void saturated(const llvm::Instruction& i);
  void access(const llvm::Instruction& i);
  void address(const llvm::GetElementPtrInst& g);
  void call(const llvm::CallInst& c);
  void intrinsic(const llvm::IntrinsicInst& i);
  void branch(const llvm::BranchInst& b);
  void handOn(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
  void giveBack(const llvm::ReturnInst& r);

  /// The flags of a comparison; the conditions under which it holds: one of them, or both.
  struct Test {
    Condition first;
    bool hasSecond = false, both = false;
    Condition second = equal;
  };
  Test flags(const llvm::CmpInst& c);

  // values in registers
  [[nodiscard]] static bool isFloating(const llvm::Value* v) { return v->getType()->isDoubleTy(); }
  Bank& bankOf(const llvm::Value* v) { return isFloating(v) ? vectors_ : generals_; }
  Place& placeOf(const llvm::Value* v) { return places_[numbers_.at(v)]; }
  /// The position at which the block reads a value next, the present one included.
  [[nodiscard]] std::size_t nextRead(const llvm::Value* v);
  [[nodiscard]] bool isReadAgain(const llvm::Value* v); ///< behind the present position
  int take(Bank& bank); ///< a register that nobody holds, pinned until the end of the instruction
  Register takeGeneral() { return static_cast<Register>(take(generals_)); }
  /// A register for a result: that of an operand that is read no more, or another one. Operands are in their places.
  int result(Bank& bank, std::initializer_list<const llvm::Value*> operands);
  bool dies(const llvm::Value* v); ///< it is in a register and is read no more
  int steal(const llvm::Value* v);
  int fetch(const llvm::Value* v); ///< a register that has been taken and has the value
  int reg(const llvm::Value* v);   ///< that holds the value, pinned likewise
  Register general(const llvm::Value* v) { return static_cast<Register>(reg(v)); }
  Source source(const llvm::Value* v); ///< of a number: where it is, a register if it is read again
  int copy(const llvm::Value* v);      ///< a register with the value that may be changed
  void define(const llvm::Value* v, int number);
  void keep(const llvm::Value* v, int number); ///< in memory, which holds it from then on
  void leave(Bank& bank, int number);          ///< the register; memory holds what is read again
  void forgetRead(const llvm::Instruction& i);
  void put(Register to, const llvm::Value* v); ///< a constant, an address of the frame, or what memory holds
  void put(int to, const llvm::Value* v);
  [[nodiscard]] static bool isLoose(const llvm::Value* v); ///< a constant or an address of the frame

  // memory
  [[nodiscard]] static Memory frame(std::int32_t offset) {
    Memory m;
    m.offset = offset;
    return m;
  }
  std::int32_t room(); ///< of one number, for a while within a block
  std::int32_t homeOf(const llvm::Value* v);
  Memory place(const llvm::Value* pointer);   ///< of a load or store
  Memory constant(const llvm::Value* number); ///< in the pool
  Memory symbol(const llvm::GlobalValue& v, std::int32_t offset);

  const llvm::Function& function_;
  Assembler& code_;
  SymbolOf symbolOf_;
  Uses uses_;
  std::unordered_map<const llvm::Value*, std::size_t> numbers_; ///< of arguments and instructions
  std::vector<Place> places_;                                   ///< by number
  llvm::DenseMap<const llvm::Value*, std::int32_t> areas_;      ///< of allocations
  std::vector<std::int32_t> rooms_;                             ///< of eight bytes, that are free
  std::int32_t frameSize_ = 0;
  Bank vectors_, generals_;
  std::size_t position_ = 0;
  const llvm::BasicBlock* block_ = nullptr;
  llvm::DenseMap<const llvm::BasicBlock*, std::size_t> begins_;
  struct Jump {
    std::size_t place;
    const llvm::BasicBlock* target;
  };
  std::vector<Jump> jumps_;
};

} // namespace lmc::backends::quick
