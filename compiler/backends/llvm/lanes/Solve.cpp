// Lanes: the linear system of a turn of an iteration, eliminated in all lanes at once.
//
// Gauss with partial pivoting: the pivot of a column is looked for, and rows are exchanged, in each lane for itself,
// by selections. It costs more operations than the routine for one trajectory, and far fewer per lane.
#include "backends/llvm/lanes/LaneEmitter.h"
#include "tape/TapeLanes.h"

#include <llvm/IR/Intrinsics.h>

namespace lmc::backends {

llvm::Value* LaneEmitter::entry(const LinearSystem& s, llvm::Value* row, llvm::Value* column) {
  return address(s.matrix, builder_.CreateNSWAdd(builder_.CreateNSWMul(row, types_.index(s.size)), column));
}

llvm::Value* LaneEmitter::component(const LinearSystem& s, llvm::Value* row) {
  return address(s.right, row);
}

void LaneEmitter::less(llvm::Value* f, llvm::Value* x, llvm::Value* where) {
  store(fma(builder_.CreateFNeg(f), x, load(where)), where);
}

/// The row with the largest number of column k, from row k on; lanes where that is no pivot are noted.
void LaneEmitter::choosePivot(const LinearSystem& s, llvm::Value* k) {
  llvm::Type* const integers = llvm::FixedVectorType::get(types_.integer, types_.lanes);
  const auto magnitude = [&](llvm::Value* x) { return intrinsic(llvm::Intrinsic::fabs, {x}); };
  store(magnitude(load(entry(s, k, k))), s.best);
  builder_.CreateStore(wide(k), s.pivot);
  loop(builder_.CreateNSWAdd(k, types_.index(1)), s.last, false, [&](llvm::Value* row, llvm::BasicBlock*) {
    llvm::Value* const x = magnitude(load(entry(s, row, k)));
    llvm::Value* const larger = builder_.CreateFCmpOGT(x, load(s.best));
    store(builder_.CreateSelect(larger, x, load(s.best)), s.best);
    builder_.CreateStore(builder_.CreateSelect(larger, wide(row), builder_.CreateLoad(integers, s.pivot)), s.pivot);
  });
  // Zero, infinite or no number.
  llvm::Value* const b = load(s.best);
  llvm::Value* const good = builder_.CreateAnd(builder_.CreateFCmpOGT(b, number(b, 0)),
                                               builder_.CreateFCmpOLT(b, llvm::ConstantFP::getInfinity(types_.reals)));
  builder_.CreateStore(builder_.CreateOr(builder_.CreateLoad(types_.mask, s.singular), builder_.CreateNot(good)),
                       s.singular);
}

/// Row k and the row of the pivot, in the lanes where that is another one.
void LaneEmitter::exchangeRows(const LinearSystem& s, llvm::Value* k) {
  llvm::Type* const integers = llvm::FixedVectorType::get(types_.integer, types_.lanes);
  loop(builder_.CreateNSWAdd(k, types_.index(1)), s.last, false, [&](llvm::Value* row, llvm::BasicBlock*) {
    llvm::Value* const here = builder_.CreateICmpEQ(builder_.CreateLoad(integers, s.pivot), wide(row));
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
    loop(k, s.last, false, [&](llvm::Value* c, llvm::BasicBlock*) { exchange(entry(s, k, c), entry(s, row, c)); });
    exchange(component(s, k), component(s, row));
    builder_.CreateBr(next);
    builder_.SetInsertPoint(next);
  });
}

void LaneEmitter::eliminateBelow(const LinearSystem& s, llvm::Value* k) {
  const auto after = [&] { return builder_.CreateNSWAdd(k, types_.index(1)); };
  llvm::Value* const diagonal = load(entry(s, k, k));
  loop(after(), s.last, false, [&](llvm::Value* row, llvm::BasicBlock*) {
    llvm::Value* const f = builder_.CreateFDiv(load(entry(s, row, k)), diagonal);
    loop(after(), s.last, false,
         [&](llvm::Value* c, llvm::BasicBlock*) { less(f, load(entry(s, k, c)), entry(s, row, c)); });
    less(f, load(component(s, k)), component(s, row));
  });
}

void LaneEmitter::substituteBack(const LinearSystem& s) {
  loop(types_.index(0), s.last, true, [&](llvm::Value* row, llvm::BasicBlock*) {
    loop(builder_.CreateNSWAdd(row, types_.index(1)), s.last, false, [&](llvm::Value* c, llvm::BasicBlock*) {
      less(load(entry(s, row, c)), load(component(s, c)), component(s, row));
    });
    store(builder_.CreateFDiv(load(component(s, row)), load(entry(s, row, row))), component(s, row));
  });
}

/// r <- J^{-1} r; J is destroyed.
bool LaneEmitter::newtonChange(const tape::Instr& i) {
  auto* const size = llvm::dyn_cast<llvm::ConstantInt>(value(i.args[0]));
  if (size == nullptr || size->getSExtValue() > tape::largestInLanes) return false;
  const auto at = [&](std::int32_t b) {
    const tape::Buffer& buffer = module_.buffer(b);
    return address(frame_->bases[static_cast<std::size_t>(buffer.role)], buffer.offset);
  };
  LinearSystem s;
  s.size = size->getSExtValue();
  s.matrix = at(i.buffers[0]);
  s.right = at(i.buffers[2]);
  llvm::Value* const wanted = mask(); // lanes that are not meant keep their right-hand side
  std::vector<llvm::Value*> kept;
  for (std::int64_t k = 0; wanted != nullptr && k < s.size; ++k) kept.push_back(load(component(s, types_.index(k))));
  s.best = local(types_.reals);
  s.pivot = local(llvm::FixedVectorType::get(types_.integer, types_.lanes));
  s.singular = local(types_.mask);
  builder_.CreateStore(llvm::Constant::getNullValue(types_.mask), s.singular);
  s.last = types_.index(s.size - 1);
  loop(types_.index(0), s.last, false, [&](llvm::Value* k, llvm::BasicBlock*) {
    choosePivot(s, k);
    exchangeRows(s, k);
    eliminateBelow(s, k);
  });
  substituteBack(s);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    llvm::Value* const where = component(s, types_.index(static_cast<std::int64_t>(k)));
    store(builder_.CreateSelect(wanted, load(where), kept[k]), where);
  }
  failIf(builder_.CreateLoad(types_.mask, s.singular), types_.statusOf(runtime::NoConvergence));
  return true;
}

} // namespace lmc::backends
