#include "runtime/run/StepController.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::runtime {

namespace {

/// Errors below this say nothing about the next one: they are round-off.
constexpr double smallestError = 1e-10;
/// The error that a PI controller remembers is at least this, so that one lucky step does not rule the next.
constexpr double smallestMemory = 1e-4;
/// Its logarithm, a number of its own: a run that goes on has the bits of one that was not interrupted.
constexpr double smallestLogarithm = -9.210340371976182;
/// A step that gave no numbers is tried again with this part of its length.
constexpr double retreat = 0.2;
/// How far an error of zero may lengthen a step where nothing else bounds it.
constexpr double largestFactor = 1e3;

struct Law {
  double safety, smallest, largest, accept;
};
/// With a safety of the run's own, unless that is 0.
Law lawOf(ControllerKind kind, double safety) {
  const double usual = kind == ControllerKind::PI ? 0.9 : 0.85;
  const double factor = safety > 0 ? safety : usual;
  switch (kind) {
  case ControllerKind::Elementary:
    return {factor, 0, largestFactor, 1};
  case ControllerKind::Clamped:
    return {factor, 0.5, 2, 1.2};
  default:
    return {factor, 0.2, 5, 1};
  }
}

} // namespace

void StepController::restore(const Memory& memory) {
  memory_ = memory;
  lastLogarithm_ = memory.lastError > smallestMemory ? std::log(memory.lastError) : smallestLogarithm;
}

bool StepController::accepts(double error) const {
  return error <= lawOf(kind_, safety_).accept;
}

double StepController::afterAccepted(double h, double error) {
  const Law law = lawOf(kind_, safety_);
  const double logarithm = std::log(std::max(error, smallestError));
  double power = -exponent_ * logarithm;
  if (kind_ == ControllerKind::PI && memory_.lastError > 0)
    power = exponent_ * (0.2 * lastLogarithm_ - 0.85 * logarithm);
  double factor = law.safety * std::exp(power);
  if (kind_ == ControllerKind::PI && memory_.rejected) factor = std::min(factor, 1.0);
  memory_ = {std::max(error, smallestMemory), false};
  lastLogarithm_ = error > smallestMemory ? logarithm : smallestLogarithm;
  return h * std::clamp(factor, law.smallest, law.largest);
}

double StepController::afterRejected(double h, double error) {
  const Law law = lawOf(kind_, safety_);
  memory_.rejected = true;
  if (!std::isfinite(error)) return h * retreat;
  // With the bounds of a law the factor may come out above 1 only through an accepted error; keep it a retreat.
  return h * std::clamp(law.safety * std::pow(error, -exponent_), std::min(law.smallest, law.safety),
                        std::min(law.safety, 0.95));
}

} // namespace lmc::runtime
