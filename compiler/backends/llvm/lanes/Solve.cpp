// Lanes: the linear system of a turn of an iteration, eliminated in all lanes at once.
//
// Gauss with partial pivoting: the pivot of a column is looked for, and rows are exchanged, in each lane for itself,
// by selections. It costs more operations than the routine for one trajectory, and far fewer per lane.
#include "backends/llvm/lanes/LaneEmitter.h"

#include <llvm/IR/Intrinsics.h>

namespace lmc::codegen {

namespace {

/// Beyond, most of the time is in products that a routine does as fast for one lane after the other.
constexpr std::int64_t largest = 24;

} // namespace

/// r <- J^{-1} r; J is destroyed. False, and nothing emitted, when the size is not known or large.
bool LaneEmitter::newtonChange(const tape::Instr& i) {
  auto* const size = llvm::dyn_cast<llvm::ConstantInt>(value(i.args[0]));
  if (size == nullptr || size->getSExtValue() > largest) return false;
  const std::int64_t n = size->getSExtValue();
  const auto at = [&](std::int32_t b) {
    const tape::Buffer& buffer = module_.buffer(b);
    return address(frame_->bases[static_cast<std::size_t>(buffer.role)], buffer.offset);
  };
  llvm::Value* const matrix = at(i.buffers[0]);
  llvm::Value* const right = at(i.buffers[2]);
  const auto index = [&](std::int64_t k) { return types_.index(k); };
  const auto after = [&](llvm::Value* k) { return builder_.CreateNSWAdd(k, index(1)); };
  const auto entry = [&](llvm::Value* row, llvm::Value* column) {
    return builder_.CreateInBoundsGEP(types_.reals, matrix,
                                      builder_.CreateNSWAdd(builder_.CreateNSWMul(row, index(n)), column));
  };
  const auto element = [&](llvm::Value* row) { return builder_.CreateInBoundsGEP(types_.reals, right, row); };
  const auto magnitude = [&](llvm::Value* x) { return intrinsic(llvm::Intrinsic::fabs, {x}); };
  const auto less = [&](llvm::Value* f, llvm::Value* x, llvm::Value* where) { // where <- where - f x
    store(fma(builder_.CreateFNeg(f), x, load(where)), where);
  };
  llvm::Value* const wanted = mask(); // lanes that are not meant keep their right-hand side
  std::vector<llvm::Value*> kept;
  for (std::int64_t k = 0; wanted != nullptr && k < n; ++k) kept.push_back(load(element(index(k))));
  llvm::Type* const integers = llvm::FixedVectorType::get(types_.integer, types_.lanes);
  llvm::AllocaInst* const best = local(types_.reals);
  llvm::AllocaInst* const pivot = local(integers);
  llvm::AllocaInst* const singular = local(types_.mask);
  builder_.CreateStore(llvm::Constant::getNullValue(types_.mask), singular);
  llvm::Value* const last = index(n - 1);

  loop(index(0), last, false, [&](llvm::Value* k, llvm::BasicBlock*) {
    store(magnitude(load(entry(k, k))), best);
    builder_.CreateStore(wide(k), pivot);
    loop(after(k), last, false, [&](llvm::Value* row, llvm::BasicBlock*) {
      llvm::Value* const x = magnitude(load(entry(row, k)));
      llvm::Value* const larger = builder_.CreateFCmpOGT(x, load(best));
      store(builder_.CreateSelect(larger, x, load(best)), best);
      builder_.CreateStore(builder_.CreateSelect(larger, wide(row), builder_.CreateLoad(integers, pivot)), pivot);
    });
    // Zero, infinite or no number.
    llvm::Value* const b = load(best);
    llvm::Value* const good =
        builder_.CreateAnd(builder_.CreateFCmpOGT(b, number(b, 0)),
                           builder_.CreateFCmpOLT(b, llvm::ConstantFP::getInfinity(types_.reals)));
    builder_.CreateStore(builder_.CreateOr(builder_.CreateLoad(types_.mask, singular), builder_.CreateNot(good)),
                         singular);
    loop(after(k), last, false, [&](llvm::Value* row, llvm::BasicBlock*) {
      llvm::Value* const here = builder_.CreateICmpEQ(builder_.CreateLoad(integers, pivot), wide(row));
      const auto exchange = [&](llvm::Value* first, llvm::Value* second) {
        llvm::Value* const x = load(first);
        llvm::Value* const y = load(second);
        store(builder_.CreateSelect(here, y, x), first);
        store(builder_.CreateSelect(here, x, y), second);
      };
      llvm::BasicBlock* const some = newBlock();
      llvm::BasicBlock* const next = newBlock();
      builder_.CreateCondBr(any(here), some, next);
      builder_.SetInsertPoint(some);
      loop(k, last, false, [&](llvm::Value* c, llvm::BasicBlock*) { exchange(entry(k, c), entry(row, c)); });
      exchange(element(k), element(row));
      builder_.CreateBr(next);
      builder_.SetInsertPoint(next);
    });
    llvm::Value* const diagonal = load(entry(k, k));
    loop(after(k), last, false, [&](llvm::Value* row, llvm::BasicBlock*) {
      llvm::Value* const f = builder_.CreateFDiv(load(entry(row, k)), diagonal);
      loop(after(k), last, false,
           [&](llvm::Value* c, llvm::BasicBlock*) { less(f, load(entry(k, c)), entry(row, c)); });
      less(f, load(element(k)), element(row));
    });
  });
  loop(index(0), last, true, [&](llvm::Value* row, llvm::BasicBlock*) {
    loop(after(row), last, false,
         [&](llvm::Value* c, llvm::BasicBlock*) { less(load(entry(row, c)), load(element(c)), element(row)); });
    store(builder_.CreateFDiv(load(element(row)), load(entry(row, row))), element(row));
  });
  for (std::size_t k = 0; k < kept.size(); ++k) {
    llvm::Value* const where = element(index(static_cast<std::int64_t>(k)));
    store(builder_.CreateSelect(wanted, load(where), kept[k]), where);
  }
  failIf(builder_.CreateLoad(types_.mask, singular), types_.statusOf(tape::NoConvergence));
  return true;
}

} // namespace lmc::codegen
