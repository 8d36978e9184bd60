// Functions that share work: Stumpff functions of one argument, sine and cosine of one angle.
#include "codegen/Emitter.h"
#include "codegen/StumpffPolynomial.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <bit>

namespace lmc::codegen {

using tape::Instr;
using tape::Op;

namespace {

/// Keys of Frame::shared. Orders of Stumpff functions take 0…64.
constexpr std::uint64_t sineKey = 100;
constexpr std::uint64_t cosineKey = 101;

std::uint64_t key(tape::Value operand, std::uint64_t function) {
  return std::uint64_t{operand} << 8U | function;
}

double inverseFactorial(int k) {
  long double x = 1;
  for (int n = 2; n <= k; ++n) x /= n;
  return static_cast<double>(x);
}

} // namespace

llvm::Value* FunctionEmitter::trig(const Instr& i, Wanted& wanted) {
  const tape::Value operand = i.args[0];
  const std::uint64_t mine = key(operand, i.op == Op::Sin ? sineKey : cosineKey);
  if (const auto found = frame_->shared.find(mine); found != frame_->shared.end()) return found->second;
  const auto remember = [&](std::uint64_t k, llvm::Value* v) {
    if (frame_->shared.emplace(k, v).second) wanted.added.push_back(k);
  };
  if (wanted.trig[operand] != 3) {
    llvm::Value* const v =
        callExternal(i.op == Op::Sin ? External::Sin : External::Cos, types_.real, {value(operand)}, true);
    remember(mine, v);
    return v;
  }
  llvm::Type* const pair = llvm::StructType::get(types_.real, types_.real);
  llvm::Value* const both = callExternal(External::SinCos, pair, {value(operand)}, true);
  remember(key(operand, sineKey), builder_.CreateExtractValue(both, 0));
  remember(key(operand, cosineKey), builder_.CreateExtractValue(both, 1));
  return frame_->shared.at(mine);
}

llvm::Value* FunctionEmitter::stumpff(const Instr& i, Wanted& wanted) {
  const tape::Value operand = i.args[0];
  const auto order = static_cast<std::uint64_t>(i.imm);
  if (const auto found = frame_->shared.find(key(operand, order)); found != frame_->shared.end()) return found->second;
  std::uint64_t orders = wanted.stumpff[operand];
  for (std::uint64_t k = 0; k < 64; ++k)
    if (frame_->shared.contains(key(operand, k))) orders &= ~(std::uint64_t{1} << k);
  std::array<llvm::Value*, 64> values{};
  stumpffGroup(value(operand), orders, values);
  for (std::uint64_t k = 0; k < 64; ++k) {
    if ((orders >> k & 1U) == 0) continue;
    frame_->shared[key(operand, k)] = values[k];
    wanted.added.push_back(key(operand, k));
  }
  return values[order];
}

// In order of increasing length of the chain of dependent operations: pairs, pairs of pairs (Estrin).
llvm::Value* FunctionEmitter::polynomial(const std::vector<double>& coefficients, llvm::ArrayRef<llvm::Value*> powers) {
  std::vector<llvm::Value*> level;
  for (const double c : coefficients) level.push_back(types_.constant(c));
  for (std::size_t p = 0; level.size() > 1; ++p) {
    std::vector<llvm::Value*> next;
    for (std::size_t j = 0; j + 1 < level.size(); j += 2)
      next.push_back(builder_.CreateFAdd(builder_.CreateFMul(level[j + 1], powers[p]), level[j]));
    if (level.size() % 2 != 0) next.push_back(level.back());
    level = std::move(next);
  }
  return level[0];
}

// Near zero the highest order of each parity comes from its polynomial and the lower ones from c_k = 1/k! - s c_{k+2},
// which is exact in real arithmetic, so that the functions keep their algebraic relations to rounding.
void FunctionEmitter::stumpffGroup(llvm::Value* s, std::uint64_t orders, llvm::MutableArrayRef<llvm::Value*> result) {
  const int highest = 63 - std::countl_zero(orders);
  llvm::BasicBlock* const near = newBlock();
  llvm::BasicBlock* const far = newBlock();
  llvm::BasicBlock* const after = newBlock();
  llvm::MDBuilder weights(module_.context_);
  llvm::Value* const size = intrinsic(llvm::Intrinsic::fabs, {s});
  builder_.CreateCondBr(builder_.CreateFCmpOLE(size, types_.constant(stumpffRange)), near, far,
                        weights.createLikelyBranchWeights());

  builder_.SetInsertPoint(near);
  std::vector<llvm::Value*> powers = {s};
  for (int p = 0; p < 4; ++p) powers.push_back(builder_.CreateFMul(powers.back(), powers.back()));
  std::array<llvm::Value*, 64> nearValues{};
  for (int top = highest; top >= 0 && top > highest - 2; --top) {
    std::uint64_t parity = orders & (top % 2 == 0 ? 0x5555555555555555ULL : 0xAAAAAAAAAAAAAAAAULL);
    if (parity == 0) continue;
    const int first = 63 - std::countl_zero(parity);
    const int last = std::countr_zero(parity);
    llvm::Value* c = polynomial(stumpffPolynomial(first), powers);
    nearValues[static_cast<std::size_t>(first)] = c;
    for (int k = first - 2; k >= last; k -= 2) {
      c = builder_.CreateFSub(types_.constant(inverseFactorial(k)), builder_.CreateFMul(s, c));
      nearValues[static_cast<std::size_t>(k)] = c;
    }
  }
  builder_.CreateBr(after);

  builder_.SetInsertPoint(far);
  llvm::Value* const memory = local(highest + 1);
  llvm::CallInst* const helper = builder_.CreateCall(
      module_.stumpffHelper(), {s, types_.index(highest), types_.index(static_cast<std::int64_t>(orders)), memory});
  helper->setCallingConv(module_.stumpffHelper()->getCallingConv());
  std::array<llvm::Value*, 64> farValues{};
  for (std::size_t k = 0; k < 64; ++k)
    if ((orders >> k & 1U) != 0)
      farValues[k] = builder_.CreateAlignedLoad(
          types_.real, builder_.CreateConstInBoundsGEP1_64(types_.real, memory, k), llvm::Align(8));
  builder_.CreateBr(after);

  builder_.SetInsertPoint(after);
  for (std::size_t k = 0; k < 64; ++k) {
    if ((orders >> k & 1U) == 0) continue;
    llvm::PHINode* const both = builder_.CreatePHI(types_.real, 2);
    both->addIncoming(nearValues[k], near);
    both->addIncoming(farValues[k], far);
    result[k] = both;
  }
}

// The far branch is rare: the helper saves all registers itself, so that the code around its call need not.
llvm::Function* ModuleEmitter::stumpffHelper() {
  if (stumpff_ != nullptr) return stumpff_;
  stumpff_ =
      declare("lmc_stumpff_far", types_.nothing, {types_.real, types_.integer, types_.integer, types_.pointer}, false);
  stumpff_->addFnAttr(llvm::Attribute::NoInline);
  stumpff_->addFnAttr(llvm::Attribute::Cold);
  stumpff_->setCallingConv(llvm::CallingConv::PreserveAll);
  FunctionEmitter f(*this, stumpff_);
  std::vector<llvm::Value*> args;
  for (llvm::Argument& a : stumpff_->args()) args.push_back(&a);
  f.callExternal(External::Stumpff, types_.nothing, args, false);
  f.builder().CreateRetVoid();
  return stumpff_;
}

} // namespace lmc::codegen
