// Lanes: exponential, logarithm, arc and hyperbolic functions.
//
// Each is made of sums, products, quotients and roots, rounded as IEEE 754 says, so that every machine that has these
// gives the same bits: processors with any width of vectors, and devices, which have no library. All arguments are
// served, infinite ones and what is no number included. Errors are below 3 units in the last place
// (tests/backends/elementary_test.cpp).
#include "backends/llvm/lanes/LaneEmitter.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <limits>

namespace lmc::backends {

namespace {

// log 2 in two parts: products of the first with whole numbers below 2^11 are exact.
constexpr double logTwoHigh = 0x1.62e42fefa38p-1;
constexpr double logTwoLow = 0x1.ef35793c7673p-45;
constexpr double overLogTwo = 0x1.71547652b82fep+0;
/// 1.5 * 2^52: the sum with it is rounded to a whole number, which stands in its low bits.
constexpr double wholeRounder = 0x1.8p+52;
// pi/4 in two parts.
constexpr double quarterPiHigh = 0x1.921fb54442d18p-1;
constexpr double quarterPiLow = 0x1.1a62633145c07p-55;
constexpr std::uint64_t signBit = std::uint64_t{1} << 63U;
constexpr unsigned mantissaBits = 52;
constexpr std::uint64_t bias = 1023;

/// (exp(r) - 1 - r)/r² for |r| <= log(2)/2, to 2^-58 of exp(r).
std::vector<double> exponentialSeries() {
  std::vector<double> c;
  for (int k = 2; k <= 14; ++k) c.push_back(inverseFactorial(k));
  return c;
}

/// ((log(1 + f)) - 2 s)/s³ in z = s², s = f/(2 + f), for |s| <= 0.172.
std::vector<double> logarithmSeries() {
  std::vector<double> c;
  for (int k = 1; k <= 11; ++k) c.push_back(static_cast<double>(2.0L / (2 * k + 1)));
  return c;
}

/// (atan(t) - t)/t³ in t², for |t| <= tan(pi/8).
std::vector<double> arctangentSeries() {
  std::vector<double> c;
  for (int k = 1; k <= 21; ++k) c.push_back(static_cast<double>((k % 2 == 0 ? 1.0L : -1.0L) / (2 * k + 1)));
  return c;
}

} // namespace

llvm::Type* LaneEmitter::bitsOf(llvm::Value* like) const {
  if (!isWide(like)) return types_.integer;
  return llvm::FixedVectorType::get(types_.integer, types_.lanes);
}

llvm::Value* LaneEmitter::asBits(llvm::Value* x) {
  return builder_.CreateBitCast(x, bitsOf(x));
}

llvm::Value* LaneEmitter::asReal(llvm::Value* bits, llvm::Value* like) {
  return builder_.CreateBitCast(bits, like->getType());
}

/// 2^n for a whole number n of a normal result.
llvm::Value* LaneEmitter::powerOfTwo(llvm::Value* n, llvm::Value* like) {
  llvm::Value* const biased = builder_.CreateAdd(n, llvm::ConstantInt::get(n->getType(), bias));
  return asReal(builder_.CreateShl(biased, llvm::ConstantInt::get(n->getType(), mantissaBits)), like);
}

llvm::Value* LaneEmitter::withSignOf(llvm::Value* size, llvm::Value* x) {
  llvm::Value* const sign = builder_.CreateAnd(asBits(x), llvm::ConstantInt::get(bitsOf(x), signBit));
  return asReal(builder_.CreateOr(asBits(size), sign), size);
}

/// x where it is no number, else y.
llvm::Value* LaneEmitter::unlessNaN(llvm::Value* x, llvm::Value* y) {
  return builder_.CreateSelect(builder_.CreateFCmpUNO(x, x), x, y);
}

llvm::Value* LaneEmitter::atMost(llvm::Value* x, double bound) {
  return builder_.CreateSelect(builder_.CreateFCmpOLT(x, number(x, bound)), x, number(x, bound));
}

/// exp(x) = 2^n (1 + e) with 1 + e between 2^-0.5 and 2^0.5, for |x| < 1000.
LaneEmitter::ReducedExponential LaneEmitter::reducedExponential(llvm::Value* x) {
  llvm::Value* const shifted = fma(x, number(x, overLogTwo), number(x, wholeRounder));
  llvm::Value* const turns = builder_.CreateFNeg(builder_.CreateFSub(shifted, number(x, wholeRounder)));
  llvm::Value* r = fma(turns, number(x, logTwoHigh), x);
  r = fma(turns, number(x, logTwoLow), r);
  ReducedExponential result;
  llvm::Value* const square = builder_.CreateFMul(r, r);
  result.e = fma(square, polynomial(exponentialSeries(), r), r);
  result.n = builder_.CreateSub(asBits(shifted), asBits(number(x, wholeRounder)));
  return result;
}

/// 2^n x, in two factors: the result may be larger than a power of two can be, or smaller than a normal number.
llvm::Value* LaneEmitter::scaled(llvm::Value* x, llvm::Value* n) {
  llvm::Value* const half = builder_.CreateAShr(n, llvm::ConstantInt::get(n->getType(), 1));
  llvm::Value* const once = builder_.CreateFMul(x, powerOfTwo(half, x));
  return builder_.CreateFMul(once, powerOfTwo(builder_.CreateSub(n, half), x));
}

/// x between the numbers whose exponentials are none and more than any.
llvm::Value* LaneEmitter::ofExponential(llvm::Value* x) {
  constexpr double least = -746, most = 710;
  llvm::Value* const above = builder_.CreateSelect(builder_.CreateFCmpOGT(x, number(x, least)), x, number(x, least));
  return atMost(above, most);
}

llvm::Value* LaneEmitter::exponential(llvm::Value* x) {
  const ReducedExponential reduced = reducedExponential(ofExponential(x));
  return unlessNaN(x, scaled(builder_.CreateFAdd(number(x, 1), reduced.e), reduced.n));
}

/// exp(x) - 1 for 0 <= x <= 700.
llvm::Value* LaneEmitter::exponentialLessOne(llvm::Value* x) {
  const ReducedExponential reduced = reducedExponential(x);
  llvm::Value* const power = powerOfTwo(reduced.n, x);
  return fma(power, reduced.e, builder_.CreateFSub(power, number(x, 1)));
}

/// x = 2^k (1 + f), with 1 + f between 2^-0.5 and 2^0.5, for positive numbers.
LaneEmitter::ReducedLogarithm LaneEmitter::reducedLogarithm(llvm::Value* x) {
  constexpr double smallest = 0x1p-1022, rootOfHalf = 0x1.6a09e667f3bcdp-1;
  constexpr double lift = 0x1p54, lifted = 54;
  llvm::Type* const bits = bitsOf(x);
  llvm::Value* const tiny = builder_.CreateFCmpOLT(x, number(x, smallest));
  llvm::Value* const normal = builder_.CreateSelect(tiny, builder_.CreateFMul(x, number(x, lift)), x);
  llvm::Value* const distance = builder_.CreateSub(asBits(normal), asBits(number(x, rootOfHalf)));
  llvm::Value* const exponent = builder_.CreateAShr(distance, llvm::ConstantInt::get(bits, mantissaBits));
  llvm::Value* const mantissa = asReal(
      builder_.CreateSub(asBits(normal), builder_.CreateShl(exponent, llvm::ConstantInt::get(bits, mantissaBits))), x);
  llvm::Value* const k = builder_.CreateFSub(builder_.CreateSIToFP(exponent, x->getType()),
                                             builder_.CreateSelect(tiny, number(x, lifted), number(x, 0)));
  return {k, builder_.CreateFSub(mantissa, number(x, 1))};
}

// log(1 + f) = f - f²/2 + s (f²/2 + R), s = f/(2 + f).
llvm::Value* LaneEmitter::logarithm(llvm::Value* x) {
  const auto [k, f] = reducedLogarithm(x);
  llvm::Value* const s = builder_.CreateFDiv(f, builder_.CreateFAdd(number(x, 2), f));
  llvm::Value* const z = builder_.CreateFMul(s, s);
  llvm::Value* const rest = builder_.CreateFMul(z, polynomial(logarithmSeries(), z));
  llvm::Value* const halfSquare = builder_.CreateFMul(builder_.CreateFMul(f, number(x, 0.5)), f);
  llvm::Value* const low = fma(s, builder_.CreateFAdd(halfSquare, rest), builder_.CreateFMul(k, number(x, logTwoLow)));
  llvm::Value* y = builder_.CreateFSub(f, builder_.CreateFSub(halfSquare, low));
  y = fma(k, number(x, logTwoHigh), y);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  y = builder_.CreateSelect(builder_.CreateFCmpOLT(x, number(x, infinite)), y, x); // infinite, or no number
  y = builder_.CreateSelect(builder_.CreateFCmpOLT(x, number(x, 0)),
                            number(x, std::numeric_limits<double>::quiet_NaN()), y);
  return builder_.CreateSelect(builder_.CreateFCmpOEQ(x, number(x, 0)), number(x, -infinite), y);
}

// --- powers ---------------------------------------------------------------------------------------------------

LaneEmitter::TwoParts LaneEmitter::exactSum(llvm::Value* a, llvm::Value* b) {
  llvm::Value* const sum = builder_.CreateFAdd(a, b);
  llvm::Value* const t = builder_.CreateFSub(sum, a);
  llvm::Value* const restA = builder_.CreateFSub(a, builder_.CreateFSub(sum, t));
  return {sum, builder_.CreateFAdd(restA, builder_.CreateFSub(b, t))};
}

LaneEmitter::TwoParts LaneEmitter::exactProduct(llvm::Value* a, llvm::Value* b) {
  llvm::Value* const product = builder_.CreateFMul(a, b);
  return {product, fma(a, b, builder_.CreateFNeg(product))};
}

/// log x in two parts, to 2^-68, of positive numbers: 2 s + s³ (2/3 + z (2/5 + …)), with s, z = s², s³ and the sums in
/// two parts as well.
LaneEmitter::TwoParts LaneEmitter::longLogarithm(llvm::Value* x) {
  llvm::IRBuilder<>& b = builder_;
  const auto [k, f] = reducedLogarithm(x);
  llvm::Value* const d = b.CreateFAdd(number(x, 2), f);
  llvm::Value* const dLow = b.CreateFSub(f, b.CreateFSub(d, number(x, 2)));
  llvm::Value* const s = b.CreateFDiv(f, d);
  llvm::Value* const less = b.CreateFNeg(s);
  llvm::Value* const sLow = b.CreateFDiv(fma(less, dLow, fma(less, d, f)), d);
  const auto [z, zRest] = exactProduct(s, s);
  llvm::Value* const zLow = fma(b.CreateFMul(number(x, 2), s), sLow, zRest);
  std::vector<double> series = logarithmSeries();
  series.push_back(2.0 / 25); // one term more than one part needs
  series.erase(series.begin());
  const double third = 2.0 / 3;
  const auto thirdLow = static_cast<double>(2.0L / 3 - third);
  auto [q, qLow] = exactSum(number(x, third), b.CreateFMul(z, polynomial(series, z)));
  qLow = b.CreateFAdd(qLow, number(x, thirdLow));
  const auto [cube, cubeRest] = exactProduct(s, z);
  llvm::Value* const cubeLow = b.CreateFAdd(cubeRest, fma(s, zLow, b.CreateFMul(sLow, z)));
  const auto [u, uRest] = exactProduct(cube, q);
  llvm::Value* const uLow = b.CreateFAdd(uRest, fma(cube, qLow, b.CreateFMul(cubeLow, q)));
  const auto [m, mRest] = exactSum(b.CreateFMul(number(x, 2), s), u);
  llvm::Value* const mLow = b.CreateFAdd(mRest, fma(number(x, 2), sLow, uLow));
  const auto [high, rest] = exactSum(b.CreateFMul(k, number(x, logTwoHigh)), m);
  return exactSum(high, b.CreateFAdd(rest, fma(k, number(x, logTwoLow), mLow)));
}

/// x^y of a positive x that is a number, and a number y; null where products are not fused with sums, which it lives
/// from. Other arguments go to the library.
llvm::Value* LaneEmitter::power(llvm::Value* x, llvm::Value* y) {
  if (!lanes_.fused()) return nullptr;
  constexpr double infinite = std::numeric_limits<double>::infinity(), most = 0x1p1000;
  llvm::IRBuilder<>& b = builder_;
  x = wide(x);
  y = wide(y);
  const TwoParts log = longLogarithm(x);
  const TwoParts product = exactProduct(y, log.high);
  llvm::Value* const c = ofExponential(product.high);
  // What was cut off has no second part.
  llvm::Value* const low = b.CreateSelect(b.CreateFCmpOEQ(c, product.high), fma(y, log.low, product.low), number(x, 0));
  llvm::Value* const shifted = fma(c, number(x, overLogTwo), number(x, wholeRounder));
  llvm::Value* const turns = b.CreateFNeg(b.CreateFSub(shifted, number(x, wholeRounder)));
  llvm::Value* const first = fma(turns, number(x, logTwoHigh), c);
  llvm::Value* const r = fma(turns, number(x, logTwoLow), first);
  llvm::Value* const rest = b.CreateFAdd(fma(turns, number(x, logTwoLow), b.CreateFSub(first, r)), low);
  llvm::Value* const square = b.CreateFMul(r, r);
  llvm::Value* e = fma(square, polynomial(exponentialSeries(), r), r);
  e = fma(rest, b.CreateFAdd(number(x, 1), e), e);
  llvm::Value* const n = b.CreateSub(asBits(shifted), asBits(number(x, wholeRounder)));
  llvm::Value* near = scaled(b.CreateFAdd(number(x, 1), e), n);
  llvm::Value* const positive = b.CreateFCmpOGT(x, number(x, 0));
  llvm::Value* const finite = b.CreateFCmpOLT(x, number(x, infinite));
  llvm::Value* const moderate = b.CreateFCmpOLT(intrinsic(llvm::Intrinsic::fabs, {y}), number(x, most));
  llvm::Value* const good = b.CreateAnd(b.CreateAnd(positive, finite), moderate);
  unlessFar(b.CreateNot(good), {External::Pow}, {x, y}, {&near});
  return near;
}

// --- angles ---------------------------------------------------------------------------------------------------

// The angle is m pi/4 plus or minus atan(t), |t| <= tan(pi/8): of the smaller coordinate over the larger one, or of
// what pi/4 leaves.
llvm::Value* LaneEmitter::arctangent(llvm::Value* y, llvm::Value* x) {
  constexpr double eighth = 0.41421356237309503, large = 0x1p1000, shrink = 0x1p-64;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  level(y, x);
  llvm::IRBuilder<>& b = builder_;
  llvm::Value* const sizeX = intrinsic(llvm::Intrinsic::fabs, {x});
  llvm::Value* const sizeY = intrinsic(llvm::Intrinsic::fabs, {y});
  llvm::Value* const steep = b.CreateFCmpOGT(sizeY, sizeX);
  llvm::Value* small = b.CreateSelect(steep, sizeX, sizeY);
  llvm::Value* big = b.CreateSelect(steep, sizeY, sizeX);
  llvm::Value* const bothInfinite = b.CreateFCmpOEQ(small, number(x, infinite));
  llvm::Value* const replaced = b.CreateOr(bothInfinite, b.CreateFCmpOEQ(big, number(x, 0)));
  small = b.CreateSelect(bothInfinite, number(x, 1), small);
  big = b.CreateSelect(replaced, number(x, 1), big);
  llvm::Value* const scale = b.CreateSelect(b.CreateFCmpOGT(big, number(x, large)), number(x, shrink), number(x, 1));
  small = b.CreateFMul(small, scale);
  big = b.CreateFMul(big, scale);
  llvm::Value* const middle = b.CreateFCmpOGT(small, b.CreateFMul(big, number(x, eighth)));
  llvm::Value* const over = b.CreateSelect(middle, b.CreateFSub(small, big), small);
  llvm::Value* const under = b.CreateSelect(middle, b.CreateFAdd(small, big), big);
  llvm::Value* const t = b.CreateFDiv(over, under);
  llvm::Value* const z = b.CreateFMul(t, t);
  llvm::Value* const cube = b.CreateFMul(t, z);
  llvm::Value* angle = fma(cube, polynomial(arctangentSeries(), z), t);
  llvm::Value* m = b.CreateSelect(middle, number(x, 1), number(x, 0));
  m = b.CreateSelect(steep, b.CreateFSub(number(x, 2), m), m);
  llvm::Value* const left = b.CreateICmpSLT(asBits(x), llvm::Constant::getNullValue(bitsOf(x)));
  m = b.CreateSelect(left, b.CreateFSub(number(x, 4), m), m);
  angle = b.CreateSelect(b.CreateXor(steep, left), b.CreateFNeg(angle), angle);
  angle = fma(m, number(x, quarterPiHigh), fma(m, number(x, quarterPiLow), angle));
  // An exact zero has lost its sign where nothing was added to it.
  angle = withSignOf(intrinsic(llvm::Intrinsic::fabs, {angle}), y);
  return b.CreateSelect(b.CreateFCmpUNO(x, y), b.CreateFAdd(x, y), angle);
}

/// sqrt(1 - x²)
llvm::Value* LaneEmitter::otherLeg(llvm::Value* x) {
  llvm::Value* const less = builder_.CreateFSub(number(x, 1), x);
  return intrinsic(llvm::Intrinsic::sqrt, {builder_.CreateFMul(less, builder_.CreateFAdd(number(x, 1), x))});
}

// Beyond 22 the smaller one of the two exponentials is below rounding; exp(x) is there made of exp(x/2), as it may be
// larger than any number while its half is none.
llvm::Value* LaneEmitter::hyperbolic(External f, llvm::Value* x) {
  constexpr double far = 22;
  llvm::Value* const size = intrinsic(llvm::Intrinsic::fabs, {x});
  llvm::Value* const near = builder_.CreateFCmpOLE(size, number(x, far));
  if (f == External::Tanh) {
    llvm::Value* const e = exponentialLessOne(atMost(builder_.CreateFAdd(size, size), 2 * far));
    llvm::Value* const y = builder_.CreateFDiv(e, builder_.CreateFAdd(e, number(x, 2)));
    return unlessNaN(x, withSignOf(builder_.CreateSelect(near, y, number(x, 1)), x));
  }
  llvm::Value* const e = exponentialLessOne(atMost(size, far));
  llvm::Value* const whole = builder_.CreateFAdd(e, number(x, 1));
  llvm::Value* const sum = f == External::Sinh ? builder_.CreateFAdd(e, builder_.CreateFDiv(e, whole))
                                               : builder_.CreateFAdd(whole, builder_.CreateFDiv(number(x, 1), whole));
  llvm::Value* const root = exponential(builder_.CreateFMul(size, number(x, 0.5)));
  llvm::Value* const large = builder_.CreateFMul(builder_.CreateFMul(root, number(x, 0.5)), root);
  llvm::Value* const y = builder_.CreateSelect(near, builder_.CreateFMul(sum, number(x, 0.5)), large);
  return unlessNaN(x, f == External::Sinh ? withSignOf(y, x) : y);
}

llvm::Value* LaneEmitter::elementary(External f, const std::vector<llvm::Value*>& args) {
  llvm::Value* const x = args[0];
  switch (f) {
  case External::Exp:
    return exponential(x);
  case External::Pow:
    return power(x, args[1]);
  case External::Log:
    return logarithm(x);
  case External::Tan:
    return tangent(x);
  case External::Atan:
    return arctangent(x, number(x, 1));
  case External::Atan2:
    return arctangent(x, args[1]);
  case External::Asin:
    return arctangent(x, otherLeg(x));
  case External::Acos:
    return arctangent(otherLeg(x), x);
  case External::Sinh:
  case External::Cosh:
  case External::Tanh:
    return hyperbolic(f, x);
  default:
    return nullptr;
  }
}

} // namespace lmc::backends
