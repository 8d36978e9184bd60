// The order of a method's steps, measured on the model that it steps.
//
// The reference is the motion in the coordinates of the storage: y' is found from f and small movements by differences,
// and integrated by extrapolation of the midpoint rule. It knows neither brackets nor dexp nor stages, and of an
// exponential no more than its derivative at zero.
#pragma once

#include "checks/states/StateSpace.h"

namespace lmc::checks {

/// Errors of single steps.
struct StepOrder {
  int declared = 0;
  std::vector<std::pair<double, double>>
      errors;                     ///< step size, error relative to the size of the state or its rate; longest first
  std::optional<double> measured; ///< nothing: the errors do not show one
  bool consistent = true;         ///< the shortest step is nearer to the motion than to no step at all
  /// False where two pairs of steps show less than the declared order, or steps are not even consistent.
  [[nodiscard]] bool holds() const;
};

/// Steps of the problem, which has fixed steps, from a state at time t. Nothing where the state has too many numbers to
/// be looked at, or steps fail.
[[nodiscard]] std::optional<StepOrder> measureStepOrder(StateSpace& space, const runtime::Problem& problem,
                                                        const State& y, double t);

} // namespace lmc::checks
