#include "runtime/run/StepController.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace lmc::runtime {

namespace {

/// Errors below this say nothing about the next one: they are round-off.
constexpr double leastSquare = 1e-10 * 1e-10;
/// The error that a PI controller remembers is at least this, so that one lucky step does not rule the next.
constexpr double leastMemory = 1e-4 * 1e-4;
/// A step that gave no numbers is tried again with this part of its length.
constexpr double retreat = 0.2;
/// How far an error of zero may lengthen a step where nothing else bounds it.
constexpr double largestFactor = 1e3;

constexpr double square(double x) {
  return x * x;
}

/// The safety where errors are known before a step: by measurement (bench/README.md) errors are then no larger at equal
/// tolerances than those of trials, whose law keeps them some way below what it permits.
constexpr double usualOfKnown = 0.8;

constexpr int mantissaBits = 52;

} // namespace

double binaryLogarithm(double x) {
  // x = 2^e (1 + r) with 1 + r between the roots of 1/2 and 2, and log2(1 + r)/r by interpolation at the zeros of a
  // Chebyshev polynomial.
  constexpr std::uint64_t half = 0x3FE6A09E667F3BCD; // root of 1/2
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) - half;
  const auto exponent = static_cast<std::int64_t>(shifted) >> mantissaBits;
  const double r = std::bit_cast<double>((shifted & ((std::uint64_t{1} << mantissaBits) - 1)) + half) - 1;
  const double r2 = r * r, r4 = r2 * r2;
  const double low =
      (1.4426950037647235 - 0.7213473333599014 * r) + (0.4809106099457007 - 0.36070482809640575 * r) * r2;
  const double high =
      (0.2879183244597005 - 0.23892033981852562 * r) + (0.21566985909659453 - 0.20742103508000678 * r) * r2;
  return static_cast<double>(exponent) + r * (low + r4 * (high + 0.126148465926235 * r4));
}

double binaryPower(double x) {
  constexpr double toWhole = 6755399441055744.0; // 1.5 * 2^52: what is added to it is rounded to a whole number
  const double shifted = x + toWhole;
  const double r = x - (shifted - toWhole);
  const auto whole =
      static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(shifted) - std::bit_cast<std::uint64_t>(toWhole));
  const double r2 = r * r;
  const double low = (1 + 0.6931472067106191 * r) + (0.2402265121359537 + 0.05550327214210493 * r) * r2;
  const double power =
      low + (r2 * r2) * ((0.009618025602950553 + 0.0013400432164978326 * r) + 0.0001546973197719126 * r2);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(power) +
                               (static_cast<std::uint64_t>(whole) << mantissaBits));
}

StepController::Law StepController::lawOf(ControllerKind kind, double safety) {
  constexpr double usual = 0.85;
  const double factor = safety > 0 ? safety : usual;
  switch (kind) {
  case ControllerKind::Elementary:
    return {factor, 0, largestFactor, 1};
  case ControllerKind::Clamped:
    return {factor, 0.5, 2, square(1.2)};
  default:
    return {factor, 0.2, 5, 1};
  }
}

double roundingOf(std::span<const double> tolerances, std::span<const double> state) {
  constexpr double roundings = 4 * std::numeric_limits<double>::epsilon();
  double size = 0, most = 0;
  for (const double x : state) size = std::max(size, std::abs(x));
  const std::size_t pieces = tolerances.size() / 2;
  for (std::size_t k = 0; k < pieces && size > 0; ++k)
    most = std::max(most, roundings * size / (tolerances[k] + tolerances[pieces + k] * size));
  return most;
}

StepController::StepController(ControllerKind kind, int order, double safety, double rounding)
    : law_(lawOf(kind, safety)), rounding_(square(rounding)), ofKnown_(safety > 0 ? safety : usualOfKnown),
      alone_(-0.5 / (order + 1)), own_(alone_), before_(0), remembers_(kind == ControllerKind::PI),
      leastLogarithm_(binaryLogarithm(leastMemory)) {
  law_.accept = std::max(law_.accept, rounding_);
  if (!remembers_) return;
  own_ = 0.85 * alone_;
  before_ = -0.2 * alone_;
}

void StepController::restore(const Memory& memory) {
  memory_ = memory;
  lastLogarithm_ = memory.lastSquare > 0 ? binaryLogarithm(memory.lastSquare) : 0;
}

double StepController::afterAccepted(double h, double square) {
  const double logarithm = binaryLogarithm(std::max(square, leastSquare));
  const double power = memory_.lastSquare > 0 ? own_ * logarithm + before_ * lastLogarithm_ : alone_ * logarithm;
  double factor = law_.safety * binaryPower(power);
  if (remembers_ && memory_.rejected) factor = std::min(factor, 1.0);
  if (square <= rounding_) factor = std::max(factor, 1.0);
  memory_ = {std::max(square, leastMemory), false};
  lastLogarithm_ = square > leastMemory ? logarithm : leastLogarithm_;
  return h * std::clamp(factor, law_.smallest, law_.largest);
}

double StepController::afterRejected(double h, double square) {
  memory_.rejected = true;
  if (!std::isfinite(square)) return h * retreat;
  // With the bounds of a law the factor may come out above 1 only through an accepted error; keep it a retreat.
  const double factor = law_.safety * binaryPower(alone_ * binaryLogarithm(square));
  return h * std::clamp(factor, std::min(law_.smallest, law_.safety), std::min(law_.safety, 0.95));
}

double StepController::reach(double h, double square, int highest) const {
  // Rounding of the state is an error that no step goes below, as in `accepts`.
  const double allowed = std::max(square / std::max(1.0, rounding_), std::numeric_limits<double>::min());
  // A shorter step takes from each power at least what it takes from the lowest one, a longer one adds at most what it
  // adds to the highest.
  const double power = allowed > 1 ? alone_ : -0.5 / highest;
  return h * std::min(ofKnown_ * binaryPower(power * binaryLogarithm(allowed)), law_.largest);
}

double squareAt(double h, double from, double square, int lowest, int highest) {
  return square * std::pow(h / from, 2 * (h < from ? lowest : highest));
}

} // namespace lmc::runtime
