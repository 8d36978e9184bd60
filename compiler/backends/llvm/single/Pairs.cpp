// Loops over pairs of which data decide, by a distance, whether they count: over all, or over the row of a list.
//
// Terms are computed for 64 pairs at once, in a loop that is vectorised, and then those of pairs that count are added
// one after the other. So the numbers are those of a loop with a branch, and neither what else is listed nor where a
// row begins shows in them. What is done otherwise for a row of a list stands in ListedPairs.cpp.
#include "backends/llvm/single/FunctionEmitter.h"
#include "runtime/kernels/Kernels.h"
#include "tape/TapeOps.h"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace lmc::backends {

using tape::Instr;
using tape::Op;

namespace {

/// Arithmetic without branches or calls, and reading memory.
bool isPlain(const Instr& i) {
  if (i.op == Op::Load) return true;
  return tape::isPure(i.op) && i.op != Op::Stumpff && tape::info(i.op).kind != tape::Kind::Library;
}

} // namespace

/// A body that is arithmetic, and then a branch of arithmetic and of sums, which nothing in it reads.
std::optional<FunctionEmitter::PairBody> FunctionEmitter::pairBody(const Instr& i) const {
  const std::vector<Instr>& code = frame_->function->blocks[static_cast<std::size_t>(i.block)].code;
  if (i.imm < 0 || code.empty() || code.back().op != Op::If || !module_.options().contract) return std::nullopt;
  PairBody body;
  body.branch = &code.back();
  for (const Instr& x : code)
    if (&x != body.branch) body.plain.push_back(&x);
  for (const Instr& x : frame_->function->blocks[static_cast<std::size_t>(body.branch->block)].code)
    (x.op == Op::Accum ? body.sums : body.plain).push_back(&x);
  const auto reads = [&](std::int32_t buffer) {
    return std::any_of(body.plain.begin(), body.plain.end(), [&](const Instr* x) { return x->buffer == buffer; });
  };
  const bool fits =
      std::all_of(body.plain.begin(), body.plain.end(), [](const Instr* x) { return isPlain(*x); }) &&
      std::all_of(body.sums.begin(), body.sums.end(), [&](const Instr* x) { return x->imm != 0 && !reads(x->buffer); });
  return fits ? std::optional(std::move(body)) : std::nullopt;
}

llvm::Value* FunctionEmitter::PairRow::index(llvm::IRBuilder<>& b, llvm::Value* at) const {
  if (entries == nullptr) return at;
  llvm::Type* const entry = b.getInt32Ty();
  llvm::LoadInst* const x = b.CreateAlignedLoad(entry, b.CreateInBoundsGEP(entry, entries, at), llvm::Align(4));
  x->setMetadata(llvm::LLVMContext::MD_tbaa, tag);
  return b.CreateSExt(x, at->getType());
}

/// All of the loop, or what a list has in its row (lmc_near_update).
FunctionEmitter::PairRow FunctionEmitter::pairRow(const Instr& i) {
  if (i.buffer < 0) return {value(i.args[0]), value(i.args[1])};
  llvm::Value* const list = begin(i.buffer);
  llvm::MDNode* const tag = module_.aliasTag(i.buffer);
  const auto number = [&](llvm::Value* k) {
    llvm::LoadInst* const x =
        builder_.CreateAlignedLoad(types_.integer, builder_.CreateInBoundsGEP(types_.integer, list, k), llvm::Align(8));
    x->setMetadata(llvm::LLVMContext::MD_tbaa, tag);
    return x;
  };
  const auto head = [&](std::int64_t k) { return number(types_.index(k)); };
  if (owner_) {
    llvm::Value* const entries = builder_.CreateInBoundsGEP(types_.integer, list, head(LMC_NEAR_ENTRIES));
    return {owner_->begin, builder_.CreateNSWSub(owner_->behind, types_.index(1)), entries, tag};
  }
  llvm::Value* const row = value(i.args[2]);
  llvm::Value* const pair = builder_.CreateNSWAdd(head(LMC_NEAR_ROWS), builder_.CreateNSWMul(row, types_.index(2)));
  llvm::Value* const first = number(pair);
  llvm::Value* const behind = number(builder_.CreateNSWAdd(pair, types_.index(1)));
  llvm::BasicBlock* const here = builder_.GetInsertBlock();
  llvm::BasicBlock* const absent = newBlock();
  llvm::BasicBlock* const go = newBlock();
  builder_.CreateCondBr(builder_.CreateICmpSLT(first, types_.index(0)), absent, go,
                        llvm::MDBuilder(module_.context()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(absent);
  callExternal(External::NearRow, types_.status, {list, row}, false);
  llvm::Value* const madeFirst = head(LMC_NEAR_BEGIN);
  llvm::Value* const madeBehind = head(LMC_NEAR_BEGIN + 1);
  builder_.CreateBr(go);
  builder_.SetInsertPoint(go);
  const auto either = [&](llvm::Value* listed, llvm::Value* made) {
    llvm::PHINode* const x = builder_.CreatePHI(types_.integer, 2);
    x->addIncoming(listed, here);
    x->addIncoming(made, absent);
    return x;
  };
  llvm::Value* const low = either(first, madeFirst);
  llvm::Value* const end = either(behind, madeBehind);
  llvm::Value* const entries = builder_.CreateInBoundsGEP(types_.integer, list, head(LMC_NEAR_ENTRIES));
  return {low, builder_.CreateNSWSub(end, types_.index(1)), entries, tag};
}

void FunctionEmitter::pairLoop(const Instr& i) {
  const PairRow row = pairRow(i);
  if (const auto body = pairBody(i))
    return row.entries == nullptr ? splitPairs(i, row, *body) : listedPairs(i, row, *body);
  llvm::BranchInst* const latch = loop(row.low, row.high, false, [&](llvm::Value* counter, llvm::BasicBlock* after) {
    loopEnds_.push_back(after);
    frame_->values[i.result] = row.index(builder_, counter);
    block(i.block);
    loopEnds_.pop_back();
  });
  describe(latch, "llvm.loop.vectorize.enable", builder_.getFalse());
}

void FunctionEmitter::splitPairs(const Instr& i, const PairRow& row, const PairBody& body) {
  llvm::Type* const truth = builder_.getInt8Ty();
  llvm::AllocaInst* const counts = local(llvm::ArrayType::get(truth, static_cast<std::uint64_t>(pairPiece)));
  std::vector<llvm::AllocaInst*> terms;
  for (std::size_t k = 0; k < body.sums.size(); ++k) terms.push_back(local(pairPiece));
  const auto at = [&](llvm::Type* type, llvm::Value* array, llvm::Value* k) {
    return builder_.CreateInBoundsGEP(type, array, k);
  };
  eachPiece(row, [&](llvm::Value* first, llvm::Value* last) {
    maskTail(loop(types_.index(0), last, false, [&](llvm::Value* k, llvm::BasicBlock*) {
      frame_->values[i.result] = builder_.CreateNSWAdd(first, k);
      for (const Instr* x : body.plain) instruction(*x);
      llvm::Value* const count = value(body.branch->args[0]);
      builder_.CreateAlignedStore(builder_.CreateZExt(count, truth), at(truth, counts, k), llvm::Align(1));
      for (std::size_t s = 0; s < terms.size(); ++s)
        builder_.CreateAlignedStore(builder_.CreateSelect(count, value(body.sums[s]->args[1]), types_.constant(0)),
                                    at(types_.real, terms[s], k), llvm::Align(8));
    }));
    llvm::BranchInst* const latch = loop(types_.index(0), last, false, [&](llvm::Value* k, llvm::BasicBlock*) {
      llvm::Value* const count = builder_.CreateAlignedLoad(truth, at(truth, counts, k), llvm::Align(1));
      where(builder_.CreateIsNotNull(count), [&] { // few of all pairs count
        frame_->values[i.result] = builder_.CreateNSWAdd(first, k);
        for (const Instr* x : body.plain)
          if (x->type == tape::Type::Int) instruction(*x);
        for (std::size_t s = 0; s < terms.size(); ++s)
          addTerm(*body.sums[s], builder_.CreateAlignedLoad(types_.real, at(types_.real, terms[s], k), llvm::Align(8)));
      });
    });
    describe(latch, "llvm.loop.vectorize.enable", builder_.getFalse());
  });
}

/// The pairs of a row, at most pairPiece at a time: from the position `first` on `last` + 1 of them.
void FunctionEmitter::eachPiece(const PairRow& row,
                                const std::function<void(llvm::Value* first, llvm::Value* last)>& make) {
  llvm::Value* const pieces =
      builder_.CreateAShr(builder_.CreateNSWSub(row.high, row.low), types_.index(pairPiecePower));
  loop(types_.index(0), pieces, false, [&](llvm::Value* number, llvm::BasicBlock*) {
    llvm::Value* const first = builder_.CreateNSWAdd(row.low, builder_.CreateNSWMul(number, types_.index(pairPiece)));
    llvm::Value* const left = builder_.CreateNSWSub(row.high, first);
    make(first, builder_.CreateSelect(builder_.CreateICmpSLT(left, types_.index(pairPiece - 1)), left,
                                      types_.index(pairPiece - 1)));
  });
}

} // namespace lmc::backends
