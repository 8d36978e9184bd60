// Lanes: sine, cosine, Stumpff functions and what a library computes lane by lane.
//
// Near the middle of their ranges the functions are polynomials, without a branch. Arguments outside are rare: then the
// library's routine is called for every lane, and each lane takes its result where its own argument is outside. So a
// lane's result does not depend on the others.
#include "backends/llvm/emit/StumpffPolynomial.h"
#include "backends/llvm/lanes/LaneEmitter.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <bit>

namespace lmc::codegen {

using tape::Instr;
using tape::Op;

namespace {

External libraryOf(Op op) {
  switch (op) {
  case Op::Log:
    return External::Log;
  case Op::Sin:
    return External::Sin;
  case Op::Cos:
    return External::Cos;
  case Op::Tan:
    return External::Tan;
  case Op::Asin:
    return External::Asin;
  case Op::Acos:
    return External::Acos;
  case Op::Atan:
    return External::Atan;
  case Op::Atan2:
    return External::Atan2;
  case Op::Sinh:
    return External::Sinh;
  case Op::Cosh:
    return External::Cosh;
  case Op::Tanh:
    return External::Tanh;
  case Op::Pow:
    return External::Pow;
  default:
    return External::Exp;
  }
}

// Reduction of angles by multiples of pi/2 in three parts: the first has 33 bits, so that its product with a whole
// number below 2^20 is exact; together they have 139 bits.
constexpr double halfPi1 = 0x1.921fb544p+0;
constexpr double halfPi2 = 0x1.0b4611a626331p-34;
constexpr double halfPi3 = 0x1.1701b839a252p-88;
constexpr double twoOverPi = 0x1.45f306dc9c883p-1;
/// 1.5 * 2^52: the sum with it is rounded to a whole number, which stands in its low bits.
constexpr double rounder = 0x1.8p+52;
constexpr double largestAngle = 1e6;

} // namespace

llvm::Value* LaneEmitter::byLane(External f, const std::vector<llvm::Value*>& args) {
  if (std::none_of(args.begin(), args.end(), [](llvm::Value* a) { return isWide(a); }))
    return callExternal(f, types_.real, args, true);
  std::vector<llvm::Value*> memory;
  for (llvm::Value* a : args) {
    memory.push_back(local(types_.reals));
    store(wide(a), memory.back());
  }
  memory.push_back(local(types_.reals));
  builder_.CreateCall(module_.laneByLane(f, static_cast<int>(args.size())), memory);
  return load(memory.back());
}

llvm::Value* LaneEmitter::external(const Instr& i) {
  std::vector<llvm::Value*> args;
  for (const tape::Value a : i.args) args.push_back(value(a));
  return byLane(libraryOf(i.op), args);
}

// By Horner's rule, which takes the fewest operations: with a vector of trajectories their number counts, not how many
// wait for each other.
llvm::Value* LaneEmitter::polynomial(const std::vector<double>& coefficients, llvm::Value* x) {
  llvm::Value* sum = number(x, coefficients.back());
  for (auto c = coefficients.rbegin() + 1; c != coefficients.rend(); ++c) sum = fma(sum, x, number(x, *c));
  return sum;
}

// --- sine and cosine ------------------------------------------------------------------------------------------

llvm::Value* LaneEmitter::trig(const Instr& i, Wanted& wanted) {
  const tape::Value operand = i.args[0];
  const std::uint64_t mine = sharedKey(operand, i.op == Op::Sin ? sineKey : cosineKey);
  if (const auto found = frame_->shared.find(mine); found != frame_->shared.end()) return found->second;
  std::array<llvm::Value*, 2> both{};
  const int asked = wanted.trig[operand];
  sineAndCosine(value(operand), (asked & 1) != 0, (asked & 2) != 0, both);
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
    if (both[k] != nullptr && frame_->shared.emplace(sharedKey(operand, sineKey + k), both[k]).second)
      wanted.added.push_back(sharedKey(operand, sineKey + k));
  return frame_->shared.at(mine);
}

void LaneEmitter::sineAndCosine(llvm::Value* x, bool sine, bool cosine, std::array<llvm::Value*, 2>& out) {
  if (!module_.options_.contract) { // the values of the interpreter are those of the library
    if (sine) out[0] = byLane(External::Sin, {x});
    if (cosine) out[1] = byLane(External::Cos, {x});
    return;
  }
  x = wide(x);
  llvm::Value* const shifted = fma(x, number(x, twoOverPi), number(x, rounder));
  llvm::Value* const turns = builder_.CreateFSub(shifted, number(x, rounder));
  llvm::Value* const back = builder_.CreateFNeg(turns);
  llvm::Value* r = fma(back, number(x, halfPi1), x);
  r = fma(back, number(x, halfPi2), r);
  r = fma(back, number(x, halfPi3), r);
  llvm::Value* const s = builder_.CreateFMul(r, r);
  // sin r = r - r s c_3(s), cos r = 1 - s c_2(s): the first terms are exact.
  llvm::Value* const sinR = fma(builder_.CreateFNeg(builder_.CreateFMul(r, s)), polynomial(stumpffPolynomial(3), s), r);
  llvm::Value* const cosR = fma(builder_.CreateFNeg(s), polynomial(stumpffPolynomial(2), s), number(x, 1));
  llvm::Type* const bits = llvm::FixedVectorType::get(types_.integer, types_.lanes);
  llvm::Value* const quadrant = builder_.CreateBitCast(shifted, bits);
  const auto constant = [&](std::uint64_t k) { return llvm::ConstantInt::get(bits, k); };
  llvm::Value* const odd =
      builder_.CreateICmpNE(builder_.CreateAnd(quadrant, constant(1)), llvm::Constant::getNullValue(bits));
  const auto signedValue = [&](llvm::Value* v, llvm::Value* q) { // negative in the quadrants 2 and 3
    llvm::Value* const sign =
        builder_.CreateAnd(builder_.CreateShl(q, constant(62)), constant(std::uint64_t{1} << 63U));
    return builder_.CreateBitCast(builder_.CreateXor(builder_.CreateBitCast(v, bits), sign), types_.reals);
  };
  llvm::Value* const far = builder_.CreateFCmpUGT(intrinsic(llvm::Intrinsic::fabs, {x}), number(x, largestAngle));
  std::array<llvm::Value*, 2> near{};
  if (sine) near[0] = signedValue(builder_.CreateSelect(odd, cosR, sinR), quadrant);
  if (cosine) near[1] = signedValue(builder_.CreateSelect(odd, sinR, cosR), builder_.CreateAdd(quadrant, constant(1)));
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const library = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateCondBr(any(far), library, after, llvm::MDBuilder(module_.context_).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(library);
  std::array<llvm::Value*, 2> outside{};
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
    if (near[k] != nullptr)
      outside[k] = builder_.CreateSelect(far, byLane(k == 0 ? External::Sin : External::Cos, {x}), near[k]);
  llvm::BasicBlock* const from = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    if (near[k] == nullptr) continue;
    llvm::PHINode* const joined = builder_.CreatePHI(types_.reals, 2);
    joined->addIncoming(near[k], before);
    joined->addIncoming(outside[k], from);
    out[k] = joined;
  }
}

// --- Stumpff functions ----------------------------------------------------------------------------------------

/// The Stumpff functions of one argument in a block, and the quotients of them that have a polynomial.
struct LaneEmitter::StumpffGroup {
  llvm::Value* s = nullptr;
  std::uint64_t orders = 0;
  std::vector<const AnalyticQuotient*> quotients;
  // By order, then those of the quotients: near zero, and in the end.
  std::array<llvm::Value*, 64> values{};
  std::vector<llvm::Value*> quotientValues;

  [[nodiscard]] bool has(std::size_t k) const { return (orders >> k & 1U) != 0; }
};

llvm::Value* LaneEmitter::stumpff(const Instr& i, Wanted& wanted) {
  const tape::Value operand = i.args[0];
  const auto order = static_cast<std::uint64_t>(i.imm);
  if (const auto found = frame_->shared.find(sharedKey(operand, order)); found != frame_->shared.end())
    return found->second;
  StumpffGroup group;
  group.s = wide(value(operand));
  group.orders = wanted.stumpff[operand];
  for (std::uint64_t k = 0; k < 64; ++k)
    if (frame_->shared.contains(sharedKey(operand, k))) group.orders &= ~(std::uint64_t{1} << k);
  for (const AnalyticQuotient& q : wanted.quotients) {
    const auto available = [&](const Instr* p) {
      return p->op != Op::Stumpff || group.has(static_cast<std::size_t>(p->imm));
    };
    if (q.argument == operand && std::all_of(q.program.begin(), q.program.end(), available))
      group.quotients.push_back(&q);
  }
  stumpffNear(group);
  llvm::Value* const size = intrinsic(llvm::Intrinsic::fabs, {group.s});
  stumpffFar(group, builder_.CreateFCmpUGT(size, number(size, stumpffRange)));
  for (std::uint64_t k = 0; k < 64; ++k) {
    if (!group.has(k)) continue;
    frame_->shared[sharedKey(operand, k)] = group.values[k];
    wanted.added.push_back(sharedKey(operand, k));
  }
  for (std::size_t q = 0; q < group.quotients.size(); ++q)
    frame_->values[group.quotients[q]->value] = group.quotientValues[q];
  return group.values[order];
}

// Near zero the highest order of each parity comes from its polynomial and the lower ones from c_k = 1/k! - s c_{k+2}.
void LaneEmitter::stumpffNear(StumpffGroup& group) {
  for (const std::uint64_t parity : {group.orders & 0x5555555555555555U, group.orders & 0xAAAAAAAAAAAAAAAAU}) {
    if (parity == 0) continue;
    const int top = 63 - std::countl_zero(parity);
    llvm::Value* c = polynomial(stumpffPolynomial(top), group.s);
    for (int order = top; order >= 0; order -= 2) {
      if (order < top) c = fma(builder_.CreateFNeg(group.s), c, number(group.s, inverseFactorial(order)));
      if (group.has(static_cast<std::size_t>(order))) group.values[static_cast<std::size_t>(order)] = c;
    }
  }
  for (const AnalyticQuotient* q : group.quotients)
    group.quotientValues.push_back(polynomial(q->coefficients, group.s));
}

void LaneEmitter::stumpffFar(StumpffGroup& group, llvm::Value* far) {
  const auto highest = static_cast<std::uint64_t>(63 - std::countl_zero(group.orders));
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const library = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateCondBr(any(far), library, after, llvm::MDBuilder(module_.context_).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(library);
  llvm::Value* const in = local(types_.reals);
  llvm::Value* const out = local(llvm::ArrayType::get(types_.reals, highest + 1));
  store(group.s, in);
  builder_.CreateCall(module_.stumpffByLane(), {in, llvm::ConstantInt::get(types_.integer, highest),
                                                llvm::ConstantInt::get(types_.integer, group.orders), out});
  StumpffGroup outside = group;
  for (std::size_t k = 0; k <= highest; ++k)
    if (group.has(k)) outside.values[k] = load(address(out, static_cast<std::int64_t>(k)));
  for (std::size_t q = 0; q < group.quotients.size(); ++q)
    outside.quotientValues[q] =
        builder_.CreateSelect(far, wide(quotient(*group.quotients[q], outside)), group.quotientValues[q]);
  for (std::size_t k = 0; k <= highest; ++k)
    if (group.has(k)) outside.values[k] = builder_.CreateSelect(far, outside.values[k], group.values[k]);
  llvm::BasicBlock* const from = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  const auto join = [&](llvm::Value*& near, llvm::Value* other) {
    llvm::PHINode* const joined = builder_.CreatePHI(types_.reals, 2);
    joined->addIncoming(near, before);
    joined->addIncoming(other, from);
    near = joined;
  };
  for (std::size_t k = 0; k <= highest; ++k)
    if (group.has(k)) join(group.values[k], outside.values[k]);
  for (std::size_t q = 0; q < group.quotients.size(); ++q) join(group.quotientValues[q], outside.quotientValues[q]);
}

/// A quotient as the tape computes it, from the values of the library.
llvm::Value* LaneEmitter::quotient(const AnalyticQuotient& q, const StumpffGroup& group) {
  std::unordered_map<tape::Value, llvm::Value*> values;
  const auto get = [&](tape::Value v) -> llvm::Value* {
    if (v == q.argument) return group.s;
    const auto c = frame_->constants.find(v);
    return c != frame_->constants.end() ? number(group.s, c->second) : values.at(v);
  };
  for (const Instr* i : q.program) {
    llvm::Value*& result = values[i->result];
    if (i->op == Op::Stumpff) {
      result = group.values[static_cast<std::size_t>(i->imm)];
      continue;
    }
    llvm::Value* const a = get(i->args[0]);
    llvm::Value* const b = i->args.size() > 1 ? get(i->args[1]) : a;
    switch (i->op) {
    case Op::Add:
      result = builder_.CreateFAdd(a, b);
      break;
    case Op::Sub:
      result = builder_.CreateFSub(a, b);
      break;
    case Op::Mul:
      result = builder_.CreateFMul(a, b);
      break;
    case Op::Div:
      result = builder_.CreateFDiv(a, b);
      break;
    default:
      result = builder_.CreateFNeg(a);
      break;
    }
  }
  return values.at(q.value);
}

} // namespace lmc::codegen
