// The loop over steps.
//
// A small state lives in a local array that SROA turns into registers: a turn of the loop has no load or store of the
// state. The state before the turn stays available, so that a failed turn can be undone. A large state is advanced in
// place; before each turn it is copied to scratch memory, which costs little beside a step over as many numbers.
#include "backends/llvm/emit/Emitter.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

namespace lmc::backends {

using runtime::Role;

// x - x is 0 for a finite x and NaN otherwise, and what is not finite leaves no finite sum. Unlike x*0 this leaves the
// multipliers to the step, which keeps them busy; four sums keep the chain of additions short. (A sum that overflows
// although its terms do not belongs to a state beyond 1e307, which is as good as infinite.)
llvm::Value* Emitter::anyNonFinite(llvm::ArrayRef<llvm::Value*> numbers) {
  std::array<llvm::Value*, 4> sums{};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    llvm::Value*& sum = sums[k % 4];
    sum = sum == nullptr ? numbers[k] : builder_.CreateFAdd(numbers[k], sum);
  }
  llvm::Value* total = nullptr;
  for (llvm::Value* s : sums)
    if (s != nullptr) total = total == nullptr ? s : builder_.CreateFAdd(total, s);
  if (total == nullptr) return builder_.getFalse();
  if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(total->getType())) {
    std::vector<llvm::Value*> lanes;
    for (unsigned l = 0; l < vector->getNumElements(); ++l) lanes.push_back(builder_.CreateExtractElement(total, l));
    return anyNonFinite(lanes);
  }
  llvm::Value* const difference = builder_.CreateFSub(total, total);
  return builder_.CreateFCmpUNO(difference, difference);
}

llvm::Value* Emitter::anyNonFinite(llvm::Value* memory, std::int64_t count) {
  llvm::AllocaInst* const sum = local(1);
  store(types_.constant(0), sum);
  loop(types_.index(0), types_.index(count - 1), false, [&](llvm::Value* k, llvm::BasicBlock*) {
    llvm::Value* const x = load(address(memory, k));
    store(builder_.CreateFAdd(builder_.CreateFSub(x, x), load(sum)), sum);
  });
  return anyNonFinite({static_cast<llvm::Value*>(load(sum))});
}

void Emitter::copyNumbers(llvm::Value* to, llvm::Value* from, std::int64_t count) {
  loop(types_.index(0), types_.index(count - 1), false,
       [&](llvm::Value* k, llvm::BasicBlock*) { store(load(address(from, k)), address(to, k)); });
}

llvm::Value* Emitter::roomFor(std::int64_t count) {
  return local(count);
}

namespace {

/// Emits the function status core(bases…, t0, h, n, done, raw). On entry *done is the index of the first step, on
/// return the number of steps made; step k begins at t0 + k h, whatever the step with which a call begins. With raw a
/// non-finite result is stored like any other.
class CoreEmitter {
public:
  /// `scratch`: memory for the state before a step, or null.
  CoreEmitter(Emitter& e, llvm::Function* f, const Types& types, std::int64_t size, llvm::Value* scratch)
      : saved_(scratch), e_(e), b_(e.builder()), types_(types), size_(size), small_(size <= registerState) {
    for (unsigned r = 0; r < runtime::roleCount; ++r) bases_[r] = f->getArg(r);
    state_ = bases_[stateRole];
    t0_ = f->getArg(runtime::roleCount);
    h_ = f->getArg(runtime::roleCount + 1);
    n_ = f->getArg(runtime::roleCount + 2);
    done_ = f->getArg(runtime::roleCount + 3);
    raw_ = f->getArg(runtime::roleCount + 4);
  }

  void run(std::size_t step) {
    llvm::BasicBlock* const turn = e_.newBlock();
    llvm::BasicBlock* const accept = e_.newBlock();
    llvm::BasicBlock* const broken = e_.newBlock();
    llvm::BasicBlock* const failed = e_.newBlock();
    llvm::BasicBlock* const undo = e_.newBlock();
    llvm::BasicBlock* const finish = e_.newBlock();
    llvm::PHINode* const failure = e_.onFailure(failed);
    llvm::MDBuilder weights(b_.getContext());

    first_ = b_.CreateLoad(types_.integer, done_);
    prepare();
    llvm::BasicBlock* const entry = b_.GetInsertBlock();
    b_.CreateCondBr(b_.CreateICmpSGT(n_, types_.index(0)), turn, finish);

    b_.SetInsertPoint(turn);
    llvm::PHINode* const k = b_.CreatePHI(types_.integer, 2);
    k->addIncoming(types_.index(0), entry);
    remember();
    e_.body(step, bases_, {time(k), h_});
    llvm::Value* const bad =
        small_ ? e_.anyNonFinite(e_.loadNumbers(bases_[stateRole], size_)) : e_.anyNonFinite(state_, size_);
    b_.CreateCondBr(bad, broken, accept, weights.createUnlikelyBranchWeights());

    b_.SetInsertPoint(accept);
    llvm::Value* const next = b_.CreateNSWAdd(k, types_.index(1));
    k->addIncoming(next, accept);
    b_.CreateCondBr(b_.CreateICmpSLT(next, n_), turn, finish, weights.createBranchWeights(1000, 1));

    b_.SetInsertPoint(broken);
    b_.CreateCondBr(raw_, finish, undo);

    llvm::Value* const reason = undoTurn(undo, broken, failed, failure);
    llvm::BasicBlock* const undone = b_.GetInsertBlock();
    b_.CreateBr(finish);

    b_.SetInsertPoint(finish);
    llvm::PHINode* const status = b_.CreatePHI(types_.status, 4);
    llvm::PHINode* const count = b_.CreatePHI(types_.integer, 4);
    const auto arrive = [&](llvm::BasicBlock* from, llvm::Value* s, llvm::Value* c) {
      status->addIncoming(s, from);
      count->addIncoming(c, from);
    };
    arrive(entry, types_.statusOf(0), types_.index(0));
    arrive(accept, types_.statusOf(0), next);
    arrive(broken, types_.statusOf(0), types_.index(1));
    arrive(undone, reason, k);
    if (small_) e_.storeNumbers(state_, e_.loadNumbers(bases_[stateRole], size_));
    b_.CreateStore(count, done_);
    b_.CreateRet(status);
  }

private:
  /// Where the state is while steps are made, and room for the state before a turn.
  void prepare() {
    if (small_) {
      bases_[stateRole] = e_.local(size_);
      e_.storeNumbers(bases_[stateRole], e_.loadNumbers(state_, size_));
    } else if (saved_ == nullptr) {
      saved_ = e_.roomFor(size_);
    }
  }

  void remember() {
    if (small_)
      before_ = e_.loadNumbers(bases_[stateRole], size_);
    else
      copy(saved_, state_);
  }

  /// Emits the block that restores the state before the turn; returns the status that led there.
  llvm::Value* undoTurn(llvm::BasicBlock* undo, llvm::BasicBlock* broken, llvm::BasicBlock* failed,
                        llvm::PHINode* failure) {
    b_.SetInsertPoint(undo);
    llvm::PHINode* const reason = b_.CreatePHI(types_.status, 2);
    reason->addIncoming(types_.statusOf(runtime::NonFinite), broken);
    if (failure->getNumIncomingValues() > 0) {
      reason->addIncoming(failure, failed);
      b_.SetInsertPoint(failed);
      b_.CreateBr(undo);
    } else {
      failed->eraseFromParent();
    }
    b_.SetInsertPoint(undo);
    if (small_)
      e_.storeNumbers(bases_[stateRole], before_);
    else
      copy(state_, saved_);
    return reason;
  }

  llvm::Value* time(llvm::Value* k) {
    llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
    b_.clearFastMathFlags(); // t0 + k h rounds like it is written
    llvm::Value* const step = b_.CreateNSWAdd(first_, k);
    return b_.CreateFAdd(t0_, b_.CreateFMul(b_.CreateSIToFP(step, types_.real), h_));
  }

  void copy(llvm::Value* to, llvm::Value* from) { e_.copyNumbers(to, from, size_); }

  llvm::Value* saved_ = nullptr;
  Emitter& e_;
  llvm::IRBuilder<>& b_;
  const Types& types_;
  std::int64_t size_;
  bool small_;
  BasePointers bases_{};
  llvm::Value* state_ = nullptr;
  std::vector<llvm::Value*> before_;
  llvm::Value* t0_ = nullptr;
  llvm::Value* h_ = nullptr;
  llvm::Value* n_ = nullptr;
  llvm::Value* done_ = nullptr;
  llvm::Value* first_ = nullptr; ///< index of the first step
  llvm::Value* raw_ = nullptr;
};

} // namespace

void emitSteps(Emitter& emitter, llvm::Function* core, const tape::Module& tape, llvm::Value* scratch) {
  CoreEmitter(emitter, core, emitter.types(), tape.roleSize[stateRole], scratch)
      .run(static_cast<std::size_t>(tape.step));
}

} // namespace lmc::backends
