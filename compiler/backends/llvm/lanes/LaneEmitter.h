// Tape to LLVM IR for many trajectories at once.
//
// A lane is one trajectory. Every Real of the tape becomes a vector with one number per lane, and every lane does the
// arithmetic that it would do alone: which operations are fused is decided here, on the tape, and sine, cosine and the
// Stumpff functions are the same polynomials at every width. So the bits of a trajectory depend neither on the number
// of lanes nor on its neighbours. Vectors longer than the registers of the machine are several independent ones in
// flight, which hide each other's latency.
//
// Memory is a structure of vectors: number k of lane l stands at k*lanes + l from the base of its role. What all lanes
// have in common (indices, constants, the time of a fixed step) stays a scalar. A condition that differs between lanes
// becomes a mask: a block is run when some lane wants it, and stores keep what the others had.
#pragma once

#include "backends/CodeGenerator.h"
#include "backends/FunctionTable.h"
#include "backends/llvm/emit/Analytic.h"
#include "backends/llvm/emit/EmitCommon.h"
#include "tape/Tape.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace lmc::codegen {

/// Types of the values of a module for `lanes` lanes.
struct LaneTypes {
  LaneTypes(llvm::LLVMContext& context, unsigned laneCount);

  unsigned lanes;
  llvm::Type* real;    ///< one number
  llvm::Type* reals;   ///< one number per lane
  llvm::Type* integer; ///< the same in all lanes
  llvm::Type* mask;    ///< one bit per lane
  llvm::Type* status;  ///< of one lane
  llvm::Type* statuses;
  llvm::Type* pointer;
  llvm::Type* nothing;
};

class LaneModuleEmitter {
public:
  /// With `fused`, the machine has fused multiply-add.
  LaneModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options, bool fused);

  /// The module, not optimised. Nothing is left in the emitter.
  std::unique_ptr<llvm::Module> run();

private:
  friend class LaneEmitter;
  friend class LaneAdvanceEmitter;

  void emitEntry(std::size_t index);
  void emitAdvance();
  llvm::Function* declare(const std::string& name, const std::vector<llvm::Type*>& args, bool exported);
  /// void f(in, out) or f(in, in2, out): a function of the table applied to the numbers of each lane in memory.
  llvm::Function* laneByLane(External function, int arguments);
  /// void f(in, highest, orders, out): Stumpff functions, number of order k and lane l at k*lanes + l.
  llvm::Function* stumpffByLane();

  const tape::Module& tape_;
  llvm::LLVMContext& context_;
  Options options_;
  LaneTypes types_;
  bool fused_; ///< a*b + c is one operation
  std::unique_ptr<llvm::Module> module_;
  llvm::GlobalVariable* table_ = nullptr;
  std::vector<llvm::MDNode*> aliasTags_; ///< one per buffer: buffers do not overlap
  std::map<External, llvm::Function*> byLane_;
  llvm::Function* stumpff_ = nullptr;
};

class LaneEmitter {
public:
  LaneEmitter(LaneModuleEmitter& module, llvm::Function* function);

  using Bases = std::array<llvm::Value*, tape::roleCount>;

  /// Emits the body of a tape function at the insertion point. Lanes that fail get a status; what they compute
  /// afterwards means nothing.
  void body(std::size_t index, const Bases& bases, std::vector<llvm::Value*> arguments);
  /// One status per lane; set before `body`.
  void setStatus(llvm::Value* statuses) { builder_.CreateStore(statuses, status_); }
  llvm::Value* status() { return builder_.CreateLoad(types_.statuses, status_); }
  /// The lanes whose status is 0.
  llvm::Value* running();

  llvm::IRBuilder<>& builder() { return builder_; }
  llvm::BasicBlock* newBlock();
  llvm::Value* callExternal(External f, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args, bool pure);
  /// Memory of a type, allocated on entry of the function.
  llvm::AllocaInst* local(llvm::Type* type);
  /// A counted loop from low to high inclusive (downwards if asked); returns the block that follows it.
  llvm::BasicBlock* loop(llvm::Value* low, llvm::Value* high, bool down,
                         const std::function<void(llvm::Value*, llvm::BasicBlock* after)>& body);
  /// A scalar in all lanes; a vector as it is.
  llvm::Value* wide(llvm::Value* v);
  llvm::Value* any(llvm::Value* mask);
  /// Number k of a role: its vector in memory.
  llvm::Value* address(llvm::Value* base, std::int64_t k);
  llvm::Value* load(llvm::Value* address);
  void store(llvm::Value* x, llvm::Value* address);

private:
  /// What is known of the instructions of a function before they are emitted.
  struct Definition {
    const tape::Instr* instr = nullptr;
    std::int32_t block = 0;
    int uses = 0;
  };
  /// What belongs to the tape function being emitted.
  struct Frame {
    const tape::Function* function = nullptr;
    Bases bases{};
    std::vector<llvm::Value*> locals; ///< by buffer: memory of this function alone, or null
    std::vector<llvm::Value*> arguments;
    std::vector<llvm::Value*> values;
    std::vector<Definition> definitions;
    std::unordered_map<std::uint64_t, llvm::Value*> shared; ///< (operand, function) → value already made in scope
    Constants constants;
    std::int32_t block = 0; ///< being emitted
  };
  struct Wanted {
    std::unordered_map<tape::Value, std::uint64_t> stumpff; ///< orders asked for, by argument
    std::unordered_map<tape::Value, int> trig;              ///< 1 sin, 2 cos, by argument
    std::vector<std::uint64_t> added;                       ///< keys to remove from Frame::shared on leaving
    std::vector<AnalyticQuotient> quotients;
  };
  /// An open loop of the tape.
  struct LoopScope {
    llvm::BasicBlock* after = nullptr;
    llvm::AllocaInst* alive = nullptr; ///< lanes that have not left it; null: none leaves alone
  };

  void block(std::int32_t index);
  void instruction(const tape::Instr& i, Wanted& wanted);
  llvm::Value* pure(const tape::Instr& i, Wanted& wanted);
  llvm::Value* real(const tape::Instr& i);
  llvm::Value* integer(const tape::Instr& i);
  llvm::Value* logic(const tape::Instr& i);
  llvm::Value* select(const tape::Instr& i);
  llvm::Value* sum(const tape::Instr& i, bool minus);
  llvm::Value* powInt(llvm::Value* x, std::int64_t n);
  llvm::Value* floorDiv(llvm::Value* a, llvm::Value* b);
  llvm::Value* floorMod(llvm::Value* a, llvm::Value* b);
  const tape::Instr* product(tape::Value v) const;

  // Functions; their argument is a number or a vector, and so is the result.
  llvm::Value* external(const tape::Instr& i);
  llvm::Value* byLane(External f, const std::vector<llvm::Value*>& args);
  llvm::Value* trig(const tape::Instr& i, Wanted& wanted);
  void sineAndCosine(llvm::Value* x, bool sine, bool cosine, std::array<llvm::Value*, 2>& out);
  llvm::Value* stumpff(const tape::Instr& i, Wanted& wanted);
  struct StumpffGroup;
  void stumpffNear(StumpffGroup& group);
  void stumpffFar(StumpffGroup& group, llvm::Value* far);
  llvm::Value* quotient(const AnalyticQuotient& q, const StumpffGroup& group);
  llvm::Value* polynomial(const std::vector<double>& coefficients, llvm::Value* x);
  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  llvm::Value* number(llvm::Value* like, double x);

  void familyLoop(const tape::Instr& i);
  void when(const tape::Instr& i);
  void breakIf(llvm::Value* condition);
  void failIf(llvm::Value* condition, std::int64_t status);
  void effect(const tape::Instr& i);
  void put(const tape::Instr& i, llvm::Value* x);
  void fill(const tape::Instr& i);
  void kernel(const tape::Instr& i);
  bool newtonChange(const tape::Instr& i);
  void copyLane(const tape::Buffer& buffer, llvm::Value* scratch, llvm::Value* lane, bool back);

  /// The lanes for which the present place is meant; null: all.
  llvm::Value* mask();
  llvm::Value* allLanes();
  /// Where a buffer begins.
  llvm::Value* begin(std::int32_t buffer);
  llvm::Value* element(const tape::Instr& i);
  llvm::Value* addressesOf(const tape::Instr& i);
  llvm::Value* read(const tape::Instr& i);

  llvm::Value* value(tape::Value v) const { return frame_->values[v]; }
  static bool isWide(const llvm::Value* v) { return v->getType()->isVectorTy(); }
  /// Both as vectors if one of them is.
  void level(llvm::Value*& a, llvm::Value*& b);
  llvm::Value* intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> args);

  LaneModuleEmitter& module_;
  const LaneTypes& types_;
  llvm::Function* function_;
  llvm::IRBuilder<> builder_;
  llvm::AllocaInst* status_ = nullptr;
  Frame* frame_ = nullptr;
  std::vector<LoopScope> loops_;
  std::vector<llvm::Value*> conditions_; ///< masks of the open blocks
};

} // namespace lmc::codegen
