// Constraints that have become dependent where a step of a problem has failed.
#pragma once

#include "runtime/contract/Problem.h"
#include "runtime/mass/ConstraintRows.h"
#include "runtime/mass/MassCheck.h"

#include <cmath>

namespace lmc::runtime {

/// The length of the grid's steps, or what may be one of adaptive steps.
[[nodiscard]] inline double usualStep(const Problem& p) {
  return std::isfinite(p.step) && p.step > 0 && !p.control ? p.step : 1e-3 * (p.timeTo - p.timeFrom);
}

/// A sentence about them without a full stop; nothing where a failure has another reason.
/// @param status with which a step from `end` has failed
/// @param reach the length of the step
[[nodiscard]] inline std::optional<std::string> dependentConstraints(const Problem& p, std::int32_t status,
                                                                     std::span<const double> params, const StateAt& end,
                                                                     double reach) {
  if (!mayFollowFromDependence(status) || p.mass == nullptr || p.mass->rows == nullptr) return std::nullopt;
  return dependentConstraints(*p.mass->rows, params, {p.initialState, p.timeFrom}, end, reach);
}

} // namespace lmc::runtime
