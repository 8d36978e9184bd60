// The rule is local, so that it needs no cost model: of two products that a sum could take, the second, as sums begin
// with what is ready first (lower/builder/Sums.cpp); a product that somebody else needs stays one. Sums over a family,
// whose terms may be added in any order, begin with what they have so far: so the last product of a term is fused, too.
// It stands behind all passes on IR, which move and merge products.
#include "backends/llvm/Fuse.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <utility>
#include <vector>

namespace lmc::backends {

namespace {

/// The product that a value is, if it may become part of a sum in this block that is its only user.
llvm::Instruction* productOf(llvm::Value* v, const llvm::BasicBlock* block) {
  auto* const p = llvm::dyn_cast<llvm::Instruction>(v);
  const bool fits = p != nullptr && p->getOpcode() == llvm::Instruction::FMul && p->hasAllowContract() &&
                    p->hasOneUse() && p->getParent() == block;
  return fits ? p : nullptr;
}

llvm::Value* negated(llvm::IRBuilder<>& b, llvm::Value* v) {
  llvm::Value* inner = nullptr;
  if (llvm::PatternMatch::match(v, llvm::PatternMatch::m_FNeg(llvm::PatternMatch::m_Value(inner)))) return inner;
  return b.CreateFNeg(v);
}

llvm::IntrinsicInst* fusedOf(llvm::Value* v, const llvm::BasicBlock* block) {
  auto* const f = llvm::dyn_cast<llvm::IntrinsicInst>(v);
  const bool fits =
      f != nullptr && f->getIntrinsicID() == llvm::Intrinsic::fma && f->hasOneUse() && f->getParent() == block;
  return fits ? f : nullptr;
}

/// (a b + (c d + … + x y)) + e as a b + (c d + … + (x y + e)), for a sum in any order; null if `term` is none such.
llvm::Value* fusedTerm(llvm::Instruction& sum, llvm::Value* term, llvm::Value* e) {
  std::vector<llvm::IntrinsicInst*> chain;
  llvm::Value* rest = term;
  while (llvm::IntrinsicInst* const f = fusedOf(rest, sum.getParent())) {
    chain.push_back(f);
    rest = f->getArgOperand(2);
  }
  llvm::Instruction* const last = chain.empty() ? nullptr : productOf(rest, sum.getParent());
  if (last == nullptr) return nullptr;
  llvm::IRBuilder<> ir(&sum);
  const auto fma = [&](llvm::Value* x, llvm::Value* y, llvm::Value* z) {
    return ir.CreateIntrinsic(llvm::Intrinsic::fma, {sum.getType()}, {x, y, z});
  };
  llvm::Value* total = fma(last->getOperand(0), last->getOperand(1), e);
  for (auto f = chain.rbegin(); f != chain.rend(); ++f)
    total = fma((*f)->getArgOperand(0), (*f)->getArgOperand(1), total);
  return total;
}

/// What the sum is with its product in it, or null.
llvm::Value* fusedSum(llvm::Instruction& sum) {
  const bool minus = sum.getOpcode() == llvm::Instruction::FSub;
  llvm::Value* const a = sum.getOperand(0);
  llvm::Value* const b = sum.getOperand(1);
  llvm::IRBuilder<> ir(&sum);
  const auto fma = [&](llvm::Value* x, llvm::Value* y, llvm::Value* z) {
    return ir.CreateIntrinsic(llvm::Intrinsic::fma, {sum.getType()}, {x, y, z});
  };
  if (llvm::Instruction* const p = productOf(b, sum.getParent()))
    return fma(minus ? negated(ir, p->getOperand(0)) : p->getOperand(0), p->getOperand(1), a);
  if (llvm::Instruction* const p = productOf(a, sum.getParent()))
    return fma(p->getOperand(0), p->getOperand(1), minus ? negated(ir, b) : b);
  llvm::Value* inner = nullptr;
  const bool negative = minus && a->hasOneUse() &&
                        llvm::PatternMatch::match(a, llvm::PatternMatch::m_FNeg(llvm::PatternMatch::m_Value(inner)));
  if (llvm::Instruction* const p = negative ? productOf(inner, sum.getParent()) : nullptr)
    return fma(negated(ir, p->getOperand(0)), p->getOperand(1), negated(ir, b));
  if (minus || !sum.hasAllowReassoc()) return nullptr;
  if (llvm::Value* const total = fusedTerm(sum, a, b)) return total;
  return fusedTerm(sum, b, a);
}

/// Removes an instruction that nobody needs, and what only it needed: products, negations and fused operations.
void removeUnused(llvm::Value* v) {
  auto* const i = llvm::dyn_cast<llvm::Instruction>(v);
  if (i == nullptr || !i->use_empty()) return;
  const bool fused =
      llvm::isa<llvm::IntrinsicInst>(i) && llvm::cast<llvm::IntrinsicInst>(i)->getIntrinsicID() == llvm::Intrinsic::fma;
  if (!fused && i->getOpcode() != llvm::Instruction::FMul && i->getOpcode() != llvm::Instruction::FNeg) return;
  llvm::Value* const inner = i->getOperand(fused ? 2 : 0);
  i->eraseFromParent();
  removeUnused(inner);
}

void fuse(llvm::Function& f) {
  for (llvm::BasicBlock& block : f)
    for (auto next = block.begin(); next != block.end();) {
      llvm::Instruction& i = *next++;
      const bool sum = i.getOpcode() == llvm::Instruction::FAdd || i.getOpcode() == llvm::Instruction::FSub;
      if (!sum || !i.hasAllowContract()) continue;
      llvm::Value* const made = fusedSum(i);
      if (made == nullptr) continue;
      const std::pair<llvm::Value*, llvm::Value*> before{i.getOperand(0), i.getOperand(1)};
      i.replaceAllUsesWith(made);
      i.eraseFromParent();
      removeUnused(before.first);
      if (before.second != before.first) removeUnused(before.second);
    }
}

} // namespace

void fuseMultiplyAdd(llvm::Module& module, bool fused) {
  for (llvm::Function& f : module) {
    if (fused) fuse(f);
    for (llvm::Instruction& i : llvm::instructions(f))
      if (llvm::isa<llvm::FPMathOperator>(i)) i.copyFastMathFlags(llvm::FastMathFlags());
  }
}

} // namespace lmc::backends
