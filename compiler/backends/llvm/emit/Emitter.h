// Tape to LLVM IR.
//
// ModuleEmitter owns what is common to a module; FunctionEmitter emits one LLVM function. Bodies of tape functions are
// emitted where they are needed (the step inside the loop of `advance`, small callees at their calls), so that no
// inliner has to run.
#pragma once

#include "backends/CodeGenerator.h"
#include "backends/FunctionTable.h"
#include "backends/llvm/emit/Analytic.h"
#include "backends/llvm/emit/EmitCommon.h"
#include "tape/Tape.h"
#include "unit/Unit.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace lmc::codegen {

using BasePointers = std::array<llvm::Value*, tape::roleCount>;

/// The types that values of a tape have in IR. A SIMD width would make `real` and `boolean` vectors here and nowhere
/// else.
struct Types {
  explicit Types(llvm::LLVMContext& context);

  llvm::Type* real;
  llvm::Type* boolean;
  llvm::Type* integer; ///< indices are the same in all lanes
  llvm::Type* status;
  llvm::Type* pointer;
  llvm::Type* nothing;

  [[nodiscard]] llvm::Constant* constant(double x) const;
  [[nodiscard]] llvm::Constant* index(std::int64_t i) const;
  [[nodiscard]] llvm::Constant* statusOf(std::int64_t s) const;
};

/// States up to this many numbers stay in registers over the steps of `advance`.
inline constexpr std::int64_t registerState = 64;

class ModuleEmitter {
public:
  /// With a unit, whose module the tape is, an object for other programs; else one for the loader of compiler/jit.
  ModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options,
                const ahead::Unit* unit = nullptr);

  /// The module, not optimised. Nothing is left in the emitter.
  std::unique_ptr<llvm::Module> run();

  /// Memory of the caller for the state before a step; null if he provides none.
  llvm::Value* stateScratch(llvm::IRBuilder<>& b, llvm::Value* state);

private:
  friend class FunctionEmitter;

  void findConstantReaders();
  void emitEntry(std::size_t index);
  void emitStepEntry();
  void emitAdvance();
  void emitCore();
  void emitBody(std::size_t index);

  // of objects for other programs (EmitAhead.cpp)
  void emitAhead();
  void emitAheadFunction(std::size_t index, const char* suffix);
  void emitAheadStep();
  void emitAheadSteps();
  void emitAheadInit();
  void emitAheadError();
  void emitAheadTables();
  void appendRoutines();
  llvm::Value* placeIn(llvm::IRBuilder<>& b, llvm::Value* self, std::int64_t offset);
  std::vector<llvm::Value*> basesIn(llvm::IRBuilder<>& b, llvm::Value* self);
  llvm::GlobalVariable* constantData(llvm::Constant* data, const std::string& name, bool exported);

  llvm::Function* declare(const std::string& name, llvm::Type* result, const std::vector<llvm::Type*>& args,
                          bool exported);
  llvm::Function* internalFunction(std::size_t index);
  llvm::Function* stumpffHelper();

  const tape::Module& tape_;
  llvm::LLVMContext& context_;
  Options options_;
  Types types_;
  std::unique_ptr<llvm::Module> module_;
  llvm::GlobalVariable* table_ = nullptr;
  std::vector<llvm::MDNode*> aliasTags_;   ///< one per buffer: buffers do not overlap
  std::vector<bool> constantsFixed_;       ///< by function: the Constants do not change while it runs
  std::vector<llvm::Function*> functions_; ///< internal functions, made when first called
  std::vector<std::size_t> pending_;       ///< those without a body
  llvm::Function* core_ = nullptr;         ///< the loop of `advance`
  llvm::Function* stumpff_ = nullptr;
  const ahead::Unit* unit_ = nullptr;
  std::set<std::string> routines_; ///< of runtime/kernels that are called by their names
};

class FunctionEmitter {
public:
  FunctionEmitter(ModuleEmitter& module, llvm::Function* function);

  /// Emits the body of a tape function at the insertion point. A failure branches to the block given to onFailure.
  void body(std::size_t index, const BasePointers& bases, std::vector<llvm::Value*> arguments);
  /// Where statuses other than 0 go; the block starts with the returned phi of the status.
  llvm::PHINode* onFailure(llvm::BasicBlock* block);

  llvm::IRBuilder<>& builder() { return builder_; }
  llvm::BasicBlock* newBlock();
  /// What a call goes to where there is no table.
  llvm::Value* externalAddress(External f, llvm::FunctionType* type);
  llvm::Value* callExternal(External f, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args, bool pure);
  /// The body of the function for arguments of Stumpff functions that are not near zero.
  void stumpffBeyond();
  /// `count` numbers of local memory, allocated on entry of the function.
  llvm::Value* local(std::int64_t count);
  /// A counted loop from low to high inclusive (downwards if asked); body(counter) emits one turn. Returns the branch
  /// that closes it.
  template <typename Body> llvm::BranchInst* loop(llvm::Value* low, llvm::Value* high, bool down, Body body);
  /// True if one of the numbers is infinite or NaN.
  llvm::Value* anyNonFinite(llvm::ArrayRef<llvm::Value*> numbers);
  llvm::Value* anyNonFinite(llvm::Value* memory, std::int64_t count);

private:
  /// What belongs to the tape function being emitted.
  struct Frame {
    const tape::Function* function = nullptr;
    std::size_t index = 0;
    BasePointers bases{};
    std::vector<llvm::Value*> locals; ///< by buffer: memory of this function alone, or null
    std::vector<llvm::Value*> arguments;
    std::vector<llvm::Value*> values;
    std::unordered_map<std::uint64_t, llvm::Value*> shared; ///< (operand, function) → value already made in scope
    Constants constants;
    std::vector<const tape::Instr*> definitions; ///< by value
    std::map<std::pair<std::int32_t, tape::Value>, llvm::Value*>
        sums; ///< (buffer, index) → what a loop has added so far
  };

  /// What the instructions of a block want to know about each other.
  struct Wanted {
    std::unordered_map<tape::Value, std::uint64_t> stumpff; ///< orders asked for, by argument
    std::unordered_map<tape::Value, int> trig;              ///< 1 sin, 2 cos, by argument
    std::vector<std::uint64_t> added;                       ///< keys to remove from Frame::shared on leaving
    std::vector<AnalyticQuotient> quotients;
  };

  void block(std::int32_t index);
  void instruction(const tape::Instr& i, Wanted& wanted);
  llvm::Value* pure(const tape::Instr& i, Wanted& wanted);
  llvm::Value* real(const tape::Instr& i);
  llvm::Value* integer(const tape::Instr& i);
  llvm::Value* logic(const tape::Instr& i);
  llvm::Value* external(const tape::Instr& i);
  llvm::Value* powInt(llvm::Value* x, std::int64_t n);
  llvm::Value* floorDiv(llvm::Value* a, llvm::Value* b);
  llvm::Value* floorMod(llvm::Value* a, llvm::Value* b);
  llvm::Value* trig(const tape::Instr& i, Wanted& wanted);
  llvm::Value* stumpff(const tape::Instr& i, Wanted& wanted);
  struct StumpffGroup;
  void stumpffGroup(StumpffGroup& group);
  void stumpffAssumedNear(StumpffGroup& group);
  void stumpffNear(StumpffGroup& group);
  [[nodiscard]] bool isNonNegative(tape::Value v) const;
  void stumpffFar(StumpffGroup& group);
  llvm::Value* quotient(const AnalyticQuotient& q, const StumpffGroup& group);
  llvm::Value* polynomial(llvm::ArrayRef<llvm::Constant*> coefficients, llvm::Value* x);

  void familyLoop(const tape::Instr& i);
  llvm::BranchInst* turns(const tape::Instr& i);
  void optimisticLoop(const tape::Instr& i, const std::vector<tape::Value>& defined);
  void accumulate(const tape::Instr& i);
  void maskTail(llvm::BranchInst* latch);

  void effect(const tape::Instr& i);
  void fill(const tape::Instr& i);
  void call(const tape::Instr& i);
  void kernel(const tape::Instr& i);
  void failIf(llvm::Value* condition, llvm::Value* status);

  llvm::Value* value(tape::Value v) const { return frame_->values[v]; }
  llvm::Value* bufferPointer(std::int32_t buffer);
  llvm::Value* element(const tape::Instr& i);
  llvm::Value* load(const tape::Instr& i, llvm::Value* address);
  void store(const tape::Instr& i, llvm::Value* x, llvm::Value* address);
  llvm::Value* intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> args);

  ModuleEmitter& module_;
  const Types& types_;
  llvm::Function* function_;
  llvm::IRBuilder<> builder_;
  llvm::BasicBlock* failBlock_ = nullptr;
  llvm::PHINode* failStatus_ = nullptr;
  Frame* frame_ = nullptr;
  std::vector<llvm::BasicBlock*> loopEnds_; ///< what follows each open loop
  llvm::Value* farSeen_ = nullptr; ///< set: arguments of Stumpff functions are taken to be near zero, and noted here
};

template <typename Body>
llvm::BranchInst* FunctionEmitter::loop(llvm::Value* low, llvm::Value* high, bool down, Body body) {
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const turn = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateCondBr(builder_.CreateICmpSLE(low, high), turn, after);
  builder_.SetInsertPoint(turn);
  llvm::PHINode* const counter = builder_.CreatePHI(types_.integer, 2);
  counter->addIncoming(down ? high : low, before);
  loopEnds_.push_back(after);
  body(counter);
  loopEnds_.pop_back();
  llvm::Value* const next = builder_.CreateNSWAdd(counter, types_.index(down ? -1 : 1));
  counter->addIncoming(next, builder_.GetInsertBlock());
  llvm::BranchInst* const latch = builder_.CreateCondBr(builder_.CreateICmpEQ(counter, down ? low : high), after, turn);
  builder_.SetInsertPoint(after);
  return latch;
}

} // namespace lmc::codegen
