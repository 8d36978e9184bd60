#include "backends/llvm/Latency.h"

#include <algorithm>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lmc::backends {

namespace {

/// Whether an index into a vector names its first number, which a register has where a number of its own would be.
bool isFirst(const llvm::Value* index) {
  const auto* const constant = llvm::dyn_cast<llvm::ConstantInt>(index);
  return constant != nullptr && constant->isZero();
}

int ofCall(const llvm::CallInst& call) {
  constexpr int fused = 4, root = 15, simple = 1, other = 20;
  const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  if (intrinsic == nullptr) return other;
  switch (intrinsic->getIntrinsicID()) {
  case llvm::Intrinsic::fma:
    return fused;
  case llvm::Intrinsic::sqrt:
    return root;
  case llvm::Intrinsic::fabs:
  case llvm::Intrinsic::copysign:
  case llvm::Intrinsic::minnum:
  case llvm::Intrinsic::maxnum:
    return simple;
  default:
    return other;
  }
}

int latency(const llvm::Instruction& i) {
  constexpr int sum = 3, quotient = 13, comparison = 2, fromMemory = 5, simple = 1;
  switch (i.getOpcode()) {
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FSub:
  case llvm::Instruction::FMul:
    return sum;
  case llvm::Instruction::FDiv:
    return quotient;
  case llvm::Instruction::FNeg: // part of the instruction that takes it
  case llvm::Instruction::PHI:
  case llvm::Instruction::GetElementPtr:
    return 0;
  case llvm::Instruction::FCmp:
    return comparison;
  case llvm::Instruction::Load:
    return fromMemory;
  case llvm::Instruction::ExtractElement:
    return isFirst(i.getOperand(1)) ? 0 : simple;
  case llvm::Instruction::InsertElement:
    return isFirst(i.getOperand(2)) ? 0 : simple;
  case llvm::Instruction::Call:
    return ofCall(llvm::cast<llvm::CallInst>(i));
  default:
    return simple;
  }
}

} // namespace

Duration durationOf(const llvm::Function& f) {
  constexpr int turns = 3;
  Duration d;
  llvm::DenseMap<const llvm::Value*, int> ready; // what a turn hands on to the next is there before it
  const llvm::ReversePostOrderTraversal<const llvm::Function*> blocks(&f);
  for (int turn = 0; turn < turns; ++turn)
    for (const llvm::BasicBlock* const block : blocks)
      for (const llvm::Instruction& i : *block) {
        int begin = 0;
        for (const llvm::Value* const operand : i.operand_values())
          if (const auto it = ready.find(operand); it != ready.end()) begin = std::max(begin, it->second);
        const int own = latency(i);
        ready[&i] = begin + own;
        d.path = std::max(d.path, begin + own);
        if (turn == 0 && own > 0) ++d.instructions;
      }
  return d;
}

} // namespace lmc::backends
