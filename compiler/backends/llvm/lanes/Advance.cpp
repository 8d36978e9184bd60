// Lanes: the loop over steps.
//
// As the loop for one trajectory (single/Advance.cpp), with one difference: a lane that fails keeps its last valid
// state while the others go on. Whether all numbers are finite is asked of their sum first, which costs one addition
// each; a sum that is not finite may be one of large numbers, and is looked into.
#include "backends/llvm/lanes/LaneEmitter.h"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace lmc::backends {

namespace {

class LaneAdvanceEmitter {
public:
  LaneAdvanceEmitter(LaneEmitter& emitter, const tape::Module& tape, const LaneSteps& steps)
      : tape_(tape), types_(emitter.types()), e_(emitter), b_(e_.builder()), size_(tape.roleSize[stateRole]),
        small_(size_ <= registerState), bases_(steps.bases), state_(steps.bases[stateRole]), t0_(steps.t0), h_(steps.h),
        first_(steps.first), n_(steps.n), statuses_(steps.statuses), done_(steps.done) {}

  void run() {
    llvm::BasicBlock* const turn = e_.newBlock();
    llvm::BasicBlock* const trouble = e_.newBlock();
    llvm::BasicBlock* const accept = e_.newBlock();
    llvm::BasicBlock* const finish = e_.newBlock();
    llvm::MDBuilder weights(b_.getContext());
    prepare();
    llvm::BasicBlock* const entry = b_.GetInsertBlock();
    b_.CreateCondBr(b_.CreateICmpSGT(n_, index(0)), turn, finish);

    b_.SetInsertPoint(turn);
    llvm::PHINode* const k = b_.CreatePHI(types_.integer, 2);
    k->addIncoming(index(0), entry);
    remember();
    llvm::Value* const number = b_.CreateNSWAdd(first_, k);
    llvm::Value* const t = b_.CreateFAdd(t0_, b_.CreateFMul(b_.CreateSIToFP(number, types_.real), h_));
    e_.body(static_cast<std::size_t>(tape_.step), bases_, {t, h_});
    llvm::Value* const doubtful = b_.CreateOr(suspicious(), b_.CreateNot(e_.running()));
    b_.CreateCondBr(e_.any(doubtful), trouble, accept, weights.createUnlikelyBranchWeights());

    b_.SetInsertPoint(trouble);
    putRight(number);
    b_.CreateCondBr(e_.any(e_.running()), accept, finish);

    b_.SetInsertPoint(accept);
    llvm::Value* const next = b_.CreateNSWAdd(k, index(1));
    k->addIncoming(next, accept);
    b_.CreateCondBr(b_.CreateICmpSLT(next, n_), turn, finish, weights.createBranchWeights(1000, 1));

    b_.SetInsertPoint(finish);
    llvm::Value* const all = b_.CreateVectorSplat(types_.lanes, b_.CreateNSWAdd(first_, n_));
    llvm::Value* const before = b_.CreateLoad(counts(), count_);
    b_.CreateAlignedStore(b_.CreateSelect(b_.CreateLoad(types_.mask, fine_), all, before), done_, llvm::Align(8));
    b_.CreateAlignedStore(e_.status(), statuses_, llvm::Align(4));
    if (small_) e_.storeNumbers(state_, e_.loadNumbers(bases_[stateRole], size_));
    b_.CreateRetVoid();
  }

private:
  llvm::Constant* index(std::int64_t k) const { return types_.index(k); }
  [[nodiscard]] llvm::Type* counts() const { return llvm::FixedVectorType::get(types_.integer, types_.lanes); }

  void prepare() {
    e_.setStatus(b_.CreateAlignedLoad(types_.statuses, statuses_, llvm::Align(4)));
    fine_ = e_.local(types_.mask);
    b_.CreateStore(e_.running(), fine_);
    count_ = e_.local(counts());
    b_.CreateStore(b_.CreateAlignedLoad(counts(), done_, llvm::Align(8)), count_);
    if (small_) {
      bases_[stateRole] = e_.local(std::max<std::int64_t>(size_, 1));
      e_.storeNumbers(bases_[stateRole], e_.loadNumbers(state_, size_));
    } else {
      saved_ = e_.roomFor(size_);
    }
  }

  void remember() {
    if (small_)
      before_ = e_.loadNumbers(bases_[stateRole], size_);
    else
      e_.copyNumbers(saved_, state_, size_);
  }

  /// Lanes whose state may have a number that is not finite.
  llvm::Value* suspicious() {
    std::array<llvm::Value*, 4> sums{};
    const auto add = [&](std::size_t k, llvm::Value* x) {
      llvm::Value*& sum = sums[k % 4];
      sum = sum == nullptr ? x : b_.CreateFAdd(sum, x);
    };
    if (small_) {
      const std::vector<llvm::Value*> numbers = e_.loadNumbers(bases_[stateRole], size_);
      for (std::size_t k = 0; k < numbers.size(); ++k) add(k, numbers[k]);
    } else {
      add(0, sumOfMemory());
    }
    llvm::Value* total = nullptr;
    for (llvm::Value* s : sums)
      if (s != nullptr) total = total == nullptr ? s : b_.CreateFAdd(total, s);
    if (total == nullptr) return llvm::Constant::getNullValue(types_.mask);
    return notFinite(total);
  }

  llvm::Value* notFinite(llvm::Value* x) {
    llvm::Value* const d = b_.CreateFSub(x, x);
    return b_.CreateFCmpUNO(d, d);
  }

  llvm::Value* sumOfMemory() {
    llvm::Value* const sum = e_.local(types_.reals);
    e_.store(llvm::Constant::getNullValue(types_.reals), sum);
    e_.loop(index(0), index(size_ - 1), false, [&](llvm::Value* k, llvm::BasicBlock*) {
      llvm::Value* const x = e_.load(e_.address(state_, k));
      e_.store(b_.CreateFAdd(e_.load(sum), x), sum);
    });
    return e_.load(sum);
  }

  /// Lanes that have failed get back the state before the turn.
  void putRight(llvm::Value* number) {
    llvm::Value* bad = llvm::Constant::getNullValue(types_.mask);
    if (small_) {
      for (llvm::Value* x : e_.loadNumbers(bases_[stateRole], size_)) bad = b_.CreateOr(bad, notFinite(x));
    } else {
      llvm::Value* const found = e_.local(types_.mask);
      b_.CreateStore(bad, found);
      e_.loop(index(0), index(size_ - 1), false, [&](llvm::Value* k, llvm::BasicBlock*) {
        llvm::Value* const x = e_.load(e_.address(state_, k));
        b_.CreateStore(b_.CreateOr(b_.CreateLoad(types_.mask, found), notFinite(x)), found);
      });
      bad = b_.CreateLoad(types_.mask, found);
    }
    llvm::Value* const reason =
        llvm::ConstantInt::get(types_.statuses, static_cast<std::uint64_t>(runtime::NonFinite), true);
    e_.setStatus(b_.CreateSelect(b_.CreateAnd(bad, e_.running()), reason, e_.status()));
    llvm::Value* const good = e_.running();
    llvm::Value* const failed = b_.CreateAnd(b_.CreateLoad(types_.mask, fine_), b_.CreateNot(good));
    llvm::Value* const here = b_.CreateVectorSplat(types_.lanes, number);
    b_.CreateStore(b_.CreateSelect(failed, here, b_.CreateLoad(counts(), count_)), count_);
    b_.CreateStore(good, fine_);
    if (small_) {
      std::vector<llvm::Value*> numbers = e_.loadNumbers(bases_[stateRole], size_);
      for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = b_.CreateSelect(good, numbers[k], before_[k]);
      e_.storeNumbers(bases_[stateRole], numbers);
      return;
    }
    e_.loop(index(0), index(size_ - 1), false, [&](llvm::Value* k, llvm::BasicBlock*) {
      llvm::Value* const where = e_.address(state_, k);
      llvm::Value* const old = e_.load(e_.address(saved_, k));
      e_.store(b_.CreateSelect(good, e_.load(where), old), where);
    });
  }

  const tape::Module& tape_;
  const Types& types_;
  LaneEmitter& e_;
  llvm::IRBuilder<>& b_;
  std::int64_t size_;
  bool small_;
  BasePointers bases_{};
  llvm::Value* state_ = nullptr;
  llvm::Value* saved_ = nullptr;
  std::vector<llvm::Value*> before_;
  llvm::Value *t0_ = nullptr, *h_ = nullptr, *first_ = nullptr, *n_ = nullptr, *statuses_ = nullptr, *done_ = nullptr;
  llvm::AllocaInst* fine_ = nullptr;  ///< lanes that have not failed
  llvm::AllocaInst* count_ = nullptr; ///< steps that the failed ones have made
};

} // namespace

void emitLaneSteps(LaneEmitter& emitter, const tape::Module& tape, const LaneSteps& steps) {
  LaneAdvanceEmitter(emitter, tape, steps).run();
}

void LaneModuleEmitter::emitAdvance() {
  llvm::Type* const p = types_.pointer;
  const std::vector<llvm::Type*> rest = {types_.real, types_.real, types_.integer, types_.integer, p, p};
  llvm::Function* const core = declareProper("core", types_.nothing, rest);
  core->addFnAttr(llvm::Attribute::NoInline);
  LaneSteps steps;
  for (unsigned r = 0; r < runtime::roleCount; ++r) steps.bases[r] = core->getArg(r);
  unsigned next = runtime::roleCount;
  for (llvm::Value** v : {&steps.t0, &steps.h, &steps.first, &steps.n, &steps.statuses, &steps.done})
    *v = core->getArg(next++);
  LaneEmitter emitter(*this, core);
  emitLaneSteps(emitter, tape_, steps);

  std::vector<llvm::Type*> args(1, p);
  args.insert(args.end(), rest.begin(), rest.end());
  llvm::Function* const advance = declare(advanceSymbol, types_.nothing, args, true);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context_, "", advance));
  std::vector<llvm::Value*> values = loadBases(b, advance->getArg(0));
  for (unsigned a = 1; a < advance->arg_size(); ++a) values.push_back(advance->getArg(a));
  b.CreateCall(core, values);
  b.CreateRetVoid();
}

} // namespace lmc::backends
