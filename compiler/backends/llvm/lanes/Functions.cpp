// Lanes: fused operations, sine, cosine, Stumpff functions and what a library computes lane by lane.
//
// Near the middle of their ranges the functions are polynomials, without a branch. Arguments outside are rare: then the
// library's routine is called for every lane, and each lane takes its result where its own argument is outside. So a
// lane's result does not depend on the others.
#include "backends/llvm/lanes/LaneEmitter.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <bit>

namespace lmc::backends {

using tape::Instr;
using tape::Op;

namespace {

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

/// a*b + c, rounded once where the machine can.
llvm::Value* LaneEmitter::fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  level(a, b);
  level(a, c);
  level(a, b);
  if (!lanes_.fused()) return builder_.CreateFAdd(builder_.CreateFMul(a, b), c);
  return intrinsic(llvm::Intrinsic::fma, {a, b, c});
}

/// The product that a value is, if it is one of this block that nobody else needs: then it is fused with the sum.
const Instr* LaneEmitter::product(tape::Value v) const {
  if (!lanes_.fused()) return nullptr;
  const Definition& d = frame_->definitions[v];
  const bool fits = d.instr != nullptr && d.instr->op == Op::Mul && d.uses == 1 && d.block == frame_->block;
  return fits ? d.instr : nullptr;
}

/// a + b or a - b. Of two products the later one is fused: so a sum of products becomes a chain of fused operations.
llvm::Value* LaneEmitter::sum(const Instr& i, bool minus) {
  llvm::Value* a = value(i.args[0]);
  llvm::Value* b = value(i.args[1]);
  const Instr* const pa = product(i.args[0]);
  const Instr* const pb = product(i.args[1]);
  if (pb != nullptr && (pa == nullptr || pb->result > pa->result)) {
    llvm::Value* const x = value(pb->args[0]);
    return fma(minus ? builder_.CreateFNeg(x) : x, value(pb->args[1]), a);
  }
  if (pa != nullptr) return fma(value(pa->args[0]), value(pa->args[1]), minus ? builder_.CreateFNeg(b) : b);
  level(a, b);
  return minus ? builder_.CreateFSub(a, b) : builder_.CreateFAdd(a, b);
}

llvm::Value* LaneEmitter::call(External f, const std::vector<llvm::Value*>& args) {
  if (module_.options().contract) // otherwise the values of the interpreter are those of the library
    if (llvm::Value* const own = elementary(f, args)) return own;
  return byLibrary(f, args);
}

llvm::Value* LaneEmitter::byLibrary(External f, const std::vector<llvm::Value*>& args) {
  if (std::none_of(args.begin(), args.end(), [](llvm::Value* a) { return isWide(a); })) return Emitter::call(f, args);
  std::vector<llvm::Value*> memory;
  for (llvm::Value* a : args) {
    memory.push_back(local(types_.reals));
    store(wide(a), memory.back());
  }
  memory.push_back(local(types_.reals));
  builder_.CreateCall(lanes_.laneByLane(f, static_cast<int>(args.size())), memory);
  return load(memory.back());
}

// By Horner's rule, which takes the fewest operations: with a vector of trajectories their number counts, not how many
// wait for each other.
llvm::Value* LaneEmitter::polynomial(const std::vector<double>& coefficients, llvm::Value* x) {
  llvm::Value* sum = number(x, coefficients.back());
  for (auto c = coefficients.rbegin() + 1; c != coefficients.rend(); ++c) sum = fma(sum, x, number(x, *c));
  return sum;
}

// --- sine and cosine ------------------------------------------------------------------------------------------

/// Of angles up to `largestAngle`.
void LaneEmitter::nearSineAndCosine(llvm::Value* x, bool sine, bool cosine, std::array<llvm::Value*, 2>& out) {
  llvm::Value* const shifted = fma(x, number(x, twoOverPi), number(x, rounder));
  llvm::Value* const turns = builder_.CreateFSub(shifted, number(x, rounder));
  llvm::Value* const back = builder_.CreateFNeg(turns);
  llvm::Value* r = fma(back, number(x, halfPi1), x);
  r = fma(back, number(x, halfPi2), r);
  r = fma(back, number(x, halfPi3), r);
  llvm::Value* const s = builder_.CreateFMul(r, r);
  // sin r = r - r s c_3(s), cos r = 1 - s c_2(s): the first terms are exact.
  llvm::Value* const sinR =
      fma(builder_.CreateFNeg(builder_.CreateFMul(r, s)), polynomial(module_.stumpffPolynomial(3), s), r);
  llvm::Value* const cosR = fma(builder_.CreateFNeg(s), polynomial(module_.stumpffPolynomial(2), s), number(x, 1));
  llvm::Type* const bits = bitsOf(x);
  llvm::Value* const quadrant = asBits(shifted);
  const auto constant = [&](std::uint64_t k) { return llvm::ConstantInt::get(bits, k); };
  llvm::Value* const odd =
      builder_.CreateICmpNE(builder_.CreateAnd(quadrant, constant(1)), llvm::Constant::getNullValue(bits));
  const auto signedValue = [&](llvm::Value* v, llvm::Value* q) { // negative in the quadrants 2 and 3
    llvm::Value* const sign =
        builder_.CreateAnd(builder_.CreateShl(q, constant(62)), constant(std::uint64_t{1} << 63U));
    return asReal(builder_.CreateXor(asBits(v), sign), x);
  };
  if (sine) out[0] = signedValue(builder_.CreateSelect(odd, cosR, sinR), quadrant);
  if (cosine) out[1] = signedValue(builder_.CreateSelect(odd, sinR, cosR), builder_.CreateAdd(quadrant, constant(1)));
}

/// Lanes whose x is larger than a limit, or no number.
llvm::Value* LaneEmitter::beyond(llvm::Value* x, double limit) {
  return builder_.CreateFCmpUGT(intrinsic(llvm::Intrinsic::fabs, {x}), number(x, limit));
}

/// `near`, but what the library says in the lanes that are `far`; each of several functions of the same arguments.
void LaneEmitter::unlessFar(llvm::Value* far, const std::vector<External>& functions,
                            const std::vector<llvm::Value*>& arguments, const std::vector<llvm::Value**>& near) {
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const library = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateCondBr(any(far), library, after, llvm::MDBuilder(module_.context()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(library);
  std::vector<llvm::Value*> outside;
  for (std::size_t k = 0; k < near.size(); ++k)
    outside.push_back(builder_.CreateSelect(far, byLibrary(functions[k], arguments), *near[k]));
  llvm::BasicBlock* const from = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  for (std::size_t k = 0; k < near.size(); ++k) {
    llvm::PHINode* const joined = builder_.CreatePHI(types_.reals, 2);
    joined->addIncoming(*near[k], before);
    joined->addIncoming(outside[k], from);
    *near[k] = joined;
  }
}

void LaneEmitter::sineAndCosine(llvm::Value* x, bool sine, bool cosine, std::array<llvm::Value*, 2>& out) {
  if (!module_.options().contract) // the values of the interpreter are those of the library
    return Emitter::sineAndCosine(x, sine, cosine, out);
  x = wide(x);
  nearSineAndCosine(x, sine, cosine, out);
  std::vector<External> functions;
  std::vector<llvm::Value**> values;
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    if (out[k] == nullptr) continue;
    functions.push_back(k == 0 ? External::Sin : External::Cos);
    values.push_back(&out[k]);
  }
  unlessFar(beyond(x, largestAngle), functions, {x}, values);
}

llvm::Value* LaneEmitter::tangent(llvm::Value* x) {
  x = wide(x);
  std::array<llvm::Value*, 2> both{};
  nearSineAndCosine(x, true, true, both);
  llvm::Value* quotient = builder_.CreateFDiv(both[0], both[1]);
  quotient = builder_.CreateSelect(builder_.CreateFCmpOEQ(x, number(x, 0)), x, quotient); // of either sign
  unlessFar(beyond(x, largestAngle), {External::Tan}, {x}, {&quotient});
  return quotient;
}

// --- Stumpff functions ----------------------------------------------------------------------------------------

llvm::Value* LaneEmitter::lessProduct(double c, llvm::Value* a, llvm::Value* b) {
  return fma(builder_.CreateFNeg(a), b, number(a, c));
}

LaneEmitter::StumpffValues LaneEmitter::stumpffValues(const StumpffGroup& group) {
  const StumpffValues near = stumpffNear(group);
  llvm::Value* const size = intrinsic(llvm::Intrinsic::fabs, {group.s});
  llvm::Value* const far = builder_.CreateFCmpUGT(size, number(size, group.interval.high));
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const library = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateCondBr(any(far), library, after, llvm::MDBuilder(module_.context()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(library);
  StumpffValues outside = stumpffFar(group);
  for (std::size_t q = 0; q < group.quotients.size(); ++q)
    outside.quotients.push_back(
        builder_.CreateSelect(far, quotient(*group.quotients[q], group.s, outside), near.quotients[q]));
  for (std::size_t k = 0; k < 64; ++k)
    if (group.has(k)) outside.values[k] = builder_.CreateSelect(far, outside.values[k], near.values[k]);
  llvm::BasicBlock* const from = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  return join(group, near, before, outside, from);
}

// As the routine of runtime/kernels/stumpff.c, whose comment says why: series where their terms stay comparable to the
// sum, closed forms elsewhere, and upwards from them. Sine, cosine, sinh and cosh are those of lanes, so that a device
// has the same bits.
LaneEmitter::StumpffValues LaneEmitter::stumpffFar(const StumpffGroup& group) {
  constexpr double most = 1e12, least = -1e5; // beyond, the library
  if (!module_.options().contract) return stumpffByLibrary(group);
  llvm::Value* const s = group.s;
  llvm::Value* const in = local(types_.reals);
  llvm::Value* const out = local(types_.numbers(group.highest() + 1));
  store(s, in);
  builder_.CreateCall(lanes_.stumpffFunction(group.orders), {in, out});
  StumpffValues own;
  for (std::size_t k = 0; k < 64; ++k)
    if (group.has(k)) own.values[k] = load(address(out, static_cast<std::int64_t>(k)));
  llvm::Value* const beyond =
      builder_.CreateOr(builder_.CreateFCmpOGT(s, number(s, most)), builder_.CreateFCmpOLT(s, number(s, least)));
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const library = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateCondBr(any(beyond), library, after, llvm::MDBuilder(module_.context()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(library);
  StumpffValues outside = stumpffByLibrary(group);
  for (std::size_t k = 0; k < 64; ++k)
    if (group.has(k)) outside.values[k] = builder_.CreateSelect(beyond, outside.values[k], own.values[k]);
  llvm::BasicBlock* const from = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  StumpffGroup values = group;
  values.quotients.clear(); // who calls makes them
  return join(values, own, before, outside, from);
}

namespace {

/// Up to this |s| the series of order k is taken, for s of either sign (stumpff_series_limit).
std::pair<double, double> seriesLimits(int k) {
  const double positive = k < 2 ? 1 : k == 2 ? 3 : k < 5 ? 6 : static_cast<double>((k - 1) * (k - 2));
  return {positive, positive > 30 ? 2 * positive : 60};
}

/// Coefficients of the series of order k, as many as matter up to a size of s.
std::vector<double> seriesOf(int k, double size) {
  std::vector<double> c;
  long double term = 1, coefficient = 1;
  for (int n = 2; n <= k; ++n) coefficient /= n;
  for (int m = k; term > 1e-20L || m < k + 4; m += 2) {
    c.push_back(static_cast<double>(coefficient));
    const long double next = static_cast<long double>(m + 1) * (m + 2);
    coefficient /= -next;
    term *= static_cast<long double>(size) / next;
  }
  return c;
}

} // namespace

/// Sine and cosine, or sinh and cosh for s < 0, of scale*sqrt(|s|), of which the root's rounding is put right.
std::array<llvm::Value*, 2> LaneEmitter::circular(llvm::Value* s, double scale) {
  llvm::IRBuilder<>& b = builder_;
  llvm::Value* const size = intrinsic(llvm::Intrinsic::fabs, {s});
  llvm::Value* const root = intrinsic(llvm::Intrinsic::sqrt, {size});
  llvm::Value* const rest = b.CreateFDiv(fma(b.CreateFNeg(root), root, size), b.CreateFAdd(root, root));
  llvm::Value* const d = b.CreateFMul(rest, number(s, scale));
  llvm::Value* const angle = b.CreateFMul(root, number(s, scale));
  std::array<llvm::Value*, 2> round{};
  nearSineAndCosine(angle, true, true, round);
  llvm::Value* const sinh = hyperbolic(External::Sinh, angle);
  llvm::Value* const cosh = hyperbolic(External::Cosh, angle);
  llvm::Value* const negative = b.CreateFCmpOLT(s, number(s, 0));
  llvm::Value* const sine = b.CreateSelect(negative, fma(d, cosh, sinh), fma(d, round[1], round[0]));
  llvm::Value* const cosine = b.CreateSelect(negative, fma(d, sinh, cosh), fma(b.CreateFNeg(d), round[0], round[1]));
  return {sine, cosine};
}

void LaneEmitter::stumpffOfAnySize(std::uint64_t all, llvm::Value* in, llvm::Value* out) {
  llvm::IRBuilder<>& b = builder_;
  llvm::Value* const s = load(in);
  const auto has = [&](int k) { return (all >> static_cast<unsigned>(k) & 1U) != 0; };
  llvm::Value* const size = intrinsic(llvm::Intrinsic::fabs, {s});
  llvm::Value* const negative = b.CreateFCmpOLT(s, number(s, 0));
  for (const std::size_t parity : {std::size_t{0}, std::size_t{1}}) {
    const std::uint64_t orders = all & (parity == 0 ? 0x5555555555555555U : 0xAAAAAAAAAAAAAAAAU);
    if (orders == 0) continue;
    llvm::Value* up = nullptr;
    for (int k = static_cast<int>(parity); k <= 63 - std::countl_zero(orders); k += 2) {
      if (k == 0) {
        if (has(0)) up = circular(s, 1)[1];
      } else if (k == 1) {
        up = b.CreateFDiv(circular(s, 1)[0], intrinsic(llvm::Intrinsic::sqrt, {size}));
      } else if (k == 2) {
        llvm::Value* const half = circular(s, 0.5)[0];
        up = b.CreateFMul(b.CreateFMul(number(s, 2), b.CreateFDiv(half, size)), half);
      } else {
        up = b.CreateFDiv(b.CreateFSub(number(s, inverseFactorial(k - 2)), up), s);
      }
      if (!has(k)) continue;
      const auto [positive, other] = seriesLimits(k);
      llvm::Value* const limit = b.CreateSelect(negative, number(s, other), number(s, positive));
      llvm::Value* const series = polynomial(seriesOf(k, std::max(positive, other)), s);
      llvm::Value* const value = b.CreateSelect(b.CreateFCmpOLT(size, limit), series, up);
      store(value, b.CreateInBoundsGEP(types_.reals, out, types_.index(k)));
    }
  }
  b.CreateRetVoid();
}

LaneEmitter::StumpffValues LaneEmitter::stumpffByLibrary(const StumpffGroup& group) {
  const int highest = group.highest();
  llvm::Value* const in = local(types_.reals);
  llvm::Value* const out = local(types_.numbers(highest + 1));
  store(group.s, in);
  builder_.CreateCall(lanes_.stumpffByLane(),
                      {in, types_.index(highest), types_.index(static_cast<std::int64_t>(group.orders)), out});
  StumpffValues values;
  for (std::size_t k = 0; k < 64; ++k)
    if (group.has(k)) values.values[k] = load(address(out, static_cast<std::int64_t>(k)));
  return values;
}

} // namespace lmc::backends
