// What the equations of a model make of a state beside its motion: multipliers and inputs, by the interpreter.
#pragma once

#include "checks/motions/MotionModel.h"

namespace lmc::checks {

struct NamedMultiplier {
  std::string constraint;
  std::size_t number = 0; ///< among those of the constraint, from 1
  double value = 0;
};

/// Of all constraints, for data as in Params; where equations follow from others the shortest. Empty without.
[[nodiscard]] std::vector<NamedMultiplier> multipliersAt(const mechanics::System& system,
                                                         const runtime::Problem& problem,
                                                         const std::vector<double>& params, const State& y, double t);

/// The numbers of all inputs, of those that follow a law by it; in the order of LinearizedProblem::inputNames.
[[nodiscard]] std::vector<double> inputsAt(const mechanics::System& system, const runtime::Problem& problem,
                                           const State& y, double t);

} // namespace lmc::checks
