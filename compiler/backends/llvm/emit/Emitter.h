// Tape to LLVM IR: what code for one trajectory, for many lanes and for devices are made of alike.
//
// `Emitter` emits the body of tape functions: operations (tape/Operations.def), functions that share work, blocks,
// loops, memory, calls. A Real is a vector with one number per lane or, without lanes, a number; what all lanes have in
// common (indices, constants, the time of a fixed step) is a number in any case. As it stands it emits plain code for
// one trajectory that runs alone. A back end derives from it and overrides what its width or its target does otherwise:
// single/ (one trajectory: sums in registers, loops for the vectoriser, a rare path for large angles), lanes/ (masks),
// nvptx/ (one thread a trajectory). Differences in bits that are wanted are made there.
#pragma once

#include "backends/CodeGenerator.h"
#include "backends/FunctionTable.h"
#include "backends/llvm/emit/Analytic.h"
#include "tape/Places.h"
#include "tape/Tape.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lmc::backends {

using BasePointers = std::array<llvm::Value*, runtime::roleCount>;

/// The base of the state among those of a call.
inline constexpr unsigned stateRole = static_cast<unsigned>(runtime::Role::State);

/// States up to this many numbers stay in registers over the steps of `advance`.
inline constexpr std::int64_t registerState = 64;

/// 1/k!
[[nodiscard]] double inverseFactorial(int k);

/// The types that values of a tape have in IR.
struct Types {
  /// Without lanes (0) what differs between lanes is a scalar, too.
  Types(llvm::LLVMContext& context, unsigned laneCount);

  unsigned lanes;     ///< at least 1
  llvm::Type* real;   ///< one number
  llvm::Type* reals;  ///< one number per lane
  llvm::Type* truth;  ///< of one lane
  llvm::Type* mask;   ///< one bit per lane
  llvm::Type* status; ///< of one lane
  llvm::Type* statuses;
  llvm::Type* integer; ///< indices: the same in all lanes
  llvm::Type* pointer;
  llvm::Type* nothing;
  llvm::Align aligned; ///< of `reals` in memory

  [[nodiscard]] llvm::Constant* constant(double x) const;
  [[nodiscard]] llvm::Constant* index(std::int64_t i) const;
  [[nodiscard]] llvm::Constant* statusOf(std::int64_t s) const;
  /// `count` of `reals`.
  [[nodiscard]] llvm::Type* numbers(std::int64_t count) const;
};

/// What is common to a module: types, function table, alias information.
class ModuleEmitter {
public:
  /// `lanes` as of Types.
  ModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options, unsigned lanes);
  virtual ~ModuleEmitter() = default;
  ModuleEmitter(const ModuleEmitter&) = delete;
  ModuleEmitter& operator=(const ModuleEmitter&) = delete;

  llvm::Function* declare(const std::string& name, llvm::Type* result, const std::vector<llvm::Type*>& args,
                          bool exported);
  /// A function of this module whose first parameters are the bases, which do not alias.
  llvm::Function* declareProper(const std::string& name, llvm::Type* result, const std::vector<llvm::Type*>& rest);
  /// What a call goes to: an entry of the table that the loader fills.
  virtual llvm::Value* externalAddress(llvm::IRBuilder<>& b, External f, llvm::FunctionType* type);
  /// Loads of a buffer may be moved freely in a function.
  [[nodiscard]] virtual bool isInvariant(const tape::Buffer& buffer, std::size_t function) const;

  /// As backends::stumpffPolynomial; each is worked out once.
  const std::vector<double>& stumpffPolynomial(int k, const StumpffInterval& interval = {});

  const tape::Module& tape() const { return tape_; }
  const Options& options() const { return options_; }
  const Types& types() const { return types_; }
  llvm::LLVMContext& context() { return context_; }
  llvm::MDNode* aliasTag(std::int32_t buffer) const { return aliasTags_[static_cast<std::size_t>(buffer)]; }
  const tape::Buffer& buffer(std::int32_t b) const { return tape_.buffers[static_cast<std::size_t>(b)]; }

protected:
  /// The hidden table of external functions; it stands in the object that has the first function of the module.
  void makeFunctionTable();
  /// Loads the base pointers from the array that the first parameter of an entry points to.
  std::vector<llvm::Value*> loadBases(llvm::IRBuilder<>& b, llvm::Value* array) const;

  const tape::Module& tape_;
  llvm::LLVMContext& context_;
  Options options_;
  Types types_;
  std::unique_ptr<llvm::Module> module_;
  llvm::GlobalVariable* table_ = nullptr;

private:
  std::vector<llvm::MDNode*> aliasTags_;                             ///< one per buffer: buffers do not overlap
  std::map<std::array<double, 3>, std::vector<double>> polynomials_; ///< by order and interval
};

class Emitter {
public:
  Emitter(ModuleEmitter& module, llvm::Function* function);
  virtual ~Emitter() = default;
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  /// Emits the body of a tape function at the insertion point.
  void body(std::size_t index, const BasePointers& bases, std::vector<llvm::Value*> arguments);
  /// Makes the whole function of it, of an emitter without masks: its first parameters are the bases and so many
  /// arguments, its result is the status.
  void bodyOfFunction(std::size_t index, unsigned arguments);
  /// Where statuses other than 0 go, of an emitter without masks; the block starts with the returned phi of the status.
  llvm::PHINode* onFailure(llvm::BasicBlock* block);

  llvm::IRBuilder<>& builder() { return builder_; }
  llvm::BasicBlock* newBlock();
  llvm::Value* callExternal(External f, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args, bool pure);
  /// Memory of a type, allocated on entry of the function.
  llvm::AllocaInst* local(llvm::Type* type);
  /// `count` numbers of local memory (of each lane).
  llvm::AllocaInst* local(std::int64_t count) { return local(types_.numbers(count)); }

  using Turn = std::function<void(llvm::Value* counter, llvm::BasicBlock* after)>;
  /// A counted loop from low to high inclusive (downwards if asked); `after` follows it. Returns the branch that closes
  /// it.
  llvm::BranchInst* loop(llvm::Value* low, llvm::Value* high, bool down, const Turn& turn);

  /// A scalar in all lanes; a vector as it is.
  llvm::Value* wide(llvm::Value* v);
  /// Number k of a role: where it stands in memory.
  virtual llvm::Value* address(llvm::Value* base, llvm::Value* k);
  virtual llvm::Value* address(llvm::Value* base, std::int64_t k);
  llvm::LoadInst* load(llvm::Value* address);
  llvm::StoreInst* store(llvm::Value* x, llvm::Value* address);
  /// The first numbers of a role.
  std::vector<llvm::Value*> loadNumbers(llvm::Value* base, std::int64_t count);
  void storeNumbers(llvm::Value* base, const std::vector<llvm::Value*>& numbers);

  /// True if one of the numbers is infinite or NaN.
  llvm::Value* anyNonFinite(llvm::ArrayRef<llvm::Value*> numbers);
  virtual llvm::Value* anyNonFinite(llvm::Value* memory, std::int64_t count);
  virtual void copyNumbers(llvm::Value* to, llvm::Value* from, std::int64_t count);
  /// Memory for the state before a step.
  virtual llvm::Value* roomFor(std::int64_t count);
  const Types& types() const { return types_; }

protected:
  /// What is known of the instructions of a function before they are emitted.
  struct Definition {
    const tape::Instr* instr = nullptr;
    std::int32_t block = 0;
    int uses = 0;
  };
  /// What the instructions of a block want to know about each other.
  struct Wanted {
    std::unordered_map<tape::Value, std::uint64_t> stumpff; ///< orders asked for, by argument
    std::unordered_map<tape::Value, int> trig;              ///< 1 sin, 2 cos, by argument
    std::vector<std::uint64_t> added;                       ///< keys to remove from Frame::shared on leaving
    std::vector<AnalyticQuotient> quotients;
  };
  /// What belongs to the tape function being emitted.
  struct Frame {
    const tape::Function* function = nullptr;
    std::size_t index = 0;
    BasePointers bases{};
    std::vector<llvm::Value*> locals; ///< by buffer: memory of this function alone, or null
    std::vector<llvm::Value*> arguments;
    std::vector<llvm::Value*> values;
    std::vector<Definition> definitions;                    ///< by value
    std::unordered_map<std::uint64_t, llvm::Value*> shared; ///< (operand, function) → value already made in scope
    Constants constants;
    std::int32_t block = 0;   ///< being emitted
    Wanted* wanted = nullptr; ///< of this block
    std::map<std::pair<std::int32_t, tape::Value>, llvm::Value*>
        sums;                           ///< (buffer, index) → what a loop has added so far
    std::optional<tape::Places> places; ///< once a loop has asked
  };

  /// The Stumpff functions of one argument in a block, and the quotients of them that have a polynomial.
  struct StumpffGroup {
    llvm::Value* s = nullptr;
    StumpffInterval interval; ///< in which the polynomials hold
    std::uint64_t orders = 0;
    std::vector<const AnalyticQuotient*> quotients;

    [[nodiscard]] bool has(std::size_t k) const { return (orders >> k & 1U) != 0; }
    [[nodiscard]] int highest() const;
  };
  /// Of a group: by order, and of the quotients.
  struct StumpffValues {
    std::array<llvm::Value*, 64> values{};
    std::vector<llvm::Value*> quotients;
  };

  void block(std::int32_t index);
  void instruction(const tape::Instr& i);
  void effect(const tape::Instr& i);

  // operations
  llvm::Value* pure(const tape::Instr& i);
  llvm::Value* select(const tape::Instr& i);
  llvm::Value* powInt(llvm::Value* x, std::int64_t n);
  llvm::Value* floorDiv(llvm::Value* a, llvm::Value* b);
  llvm::Value* floorMod(llvm::Value* a, llvm::Value* b);
  llvm::Value* library(const tape::Instr& i);
  llvm::Value* trig(const tape::Instr& i);
  llvm::Value* stumpff(const tape::Instr& i);
  /// The two phis of values that come from two blocks.
  StumpffValues join(const StumpffGroup& group, const StumpffValues& a, llvm::BasicBlock* fromA, const StumpffValues& b,
                     llvm::BasicBlock* fromB);
  StumpffValues stumpffNear(const StumpffGroup& group);
  llvm::Value* quotient(const AnalyticQuotient& q, llvm::Value* s, const StumpffValues& of);

  // What a width or a target may do otherwise. Sums are left for contraction, polynomials are evaluated in pairs.
  virtual llvm::Value* sum(const tape::Instr& i, bool minus);
  virtual llvm::Value* polynomial(const std::vector<double>& coefficients, llvm::Value* x);
  /// c - a b
  virtual llvm::Value* lessProduct(double c, llvm::Value* a, llvm::Value* b);
  virtual llvm::Value* call(External f, const std::vector<llvm::Value*>& args);
  /// Fills what is asked for.
  virtual void sineAndCosine(llvm::Value* x, bool sine, bool cosine, std::array<llvm::Value*, 2>& out);
  /// Where the polynomials of Stumpff functions of this argument hold, and those of quotients in a block.
  virtual StumpffInterval intervalOf(tape::Value s) const;
  virtual StumpffInterval intervalOfQuotients() const;
  virtual StumpffValues stumpffValues(const StumpffGroup& group);
  /// By the routine of the library, where an argument is far from zero.
  virtual StumpffValues stumpffFar(const StumpffGroup& group);

  virtual void familyLoop(const tape::Instr& i);
  virtual void when(const tape::Instr& i);
  virtual void breakIf(llvm::Value* condition);
  virtual void failIf(llvm::Value* condition, llvm::Value* status);
  virtual llvm::Value* read(const tape::Instr& i);
  virtual void put(const tape::Instr& i, llvm::Value* x);
  virtual void accumulate(const tape::Instr& i);
  virtual void fill(const tape::Instr& i);
  virtual void callFunction(const tape::Instr& i);
  virtual void kernel(const tape::Instr& i);

  llvm::Value* value(tape::Value v) const { return frame_->values[v]; }
  static bool isWide(const llvm::Value* v) { return v->getType()->isVectorTy(); }
  /// Both as vectors if one of them is.
  void level(llvm::Value*& a, llvm::Value*& b);
  /// A constant of the type of another value.
  static llvm::Constant* number(llvm::Value* like, double x);
  llvm::Value* intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> args);
  /// Where a buffer begins.
  llvm::Value* begin(std::int32_t buffer);
  /// Where an element stands whose index is the same in all lanes.
  llvm::Value* element(const tape::Instr& i);
  /// `load` and `store` of an element with what is known of its buffer.
  llvm::Instruction* read(const tape::Instr& i, llvm::Value* address);
  void put(const tape::Instr& i, llvm::Value* x, llvm::Value* address);
  /// The places of the function in work, which are found once.
  [[nodiscard]] const tape::Places& places() const {
    if (!frame_->places) frame_->places.emplace(*frame_->function);
    return *frame_->places;
  }
  /// An access in a loop whose turns stand apart.
  void markApart(const tape::Instr& i, llvm::Instruction& access) const;

  ModuleEmitter& module_;
  const Types& types_;
  llvm::Function* function_;
  llvm::IRBuilder<> builder_;
  Frame* frame_ = nullptr;
  llvm::BasicBlock* failBlock_ = nullptr;
  llvm::PHINode* failStatus_ = nullptr;
  std::vector<llvm::BasicBlock*> loopEnds_; ///< what follows each open loop
  llvm::MDNode* apart_ = nullptr; ///< set: the access group of a loop whose turns touch nothing that another one writes
};

/// Emits the loop over steps of one trajectory as the function status core(bases…, t0, h, n, done, raw, …)
/// (Advance.cpp). `scratch`: memory for the state before a step, or null.
void emitSteps(Emitter& emitter, llvm::Function* core, const tape::Module& tape, llvm::Value* scratch);

} // namespace lmc::backends
