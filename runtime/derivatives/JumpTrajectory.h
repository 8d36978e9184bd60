// Derivatives of trajectories whose state jumps: as in TrajectoryDerivatives.h, along the pieces of JumpMotion.
#pragma once

#include "runtime/derivatives/JumpMotion.h"
#include "runtime/derivatives/TrajectoryDerivatives.h"

namespace lmc::runtime {

/// Carries a tangent vector, and `late`, the change of the time at the begin of the piece, along a piece and its jump.
[[nodiscard]] std::int32_t carryAlong(LinearizedWorkspace& workspace, const Passage& passage, std::span<double> z,
                                      std::span<const double> inputs, std::span<const double> parameters, double& late);

/// One step through its jumps, as LinearizedMap::Step is one without: by coordinates, inputs and parameters (the column
/// of the time is zero). The state of the workspace stays. Throws NoDerivative.
struct JumpedStep {
  std::vector<double> next; ///< the state
  JumpMatrix map;
};
[[nodiscard]] std::int32_t stepThroughJumps(LinearizedWorkspace& workspace, const TrajectorySteps& steps,
                                            JumpedStep& result);

/// As `propagate`. Throws NoDerivative.
[[nodiscard]] std::int32_t propagateThroughJumps(LinearizedWorkspace& workspace, const TrajectorySteps& steps,
                                                 std::span<double> directions, std::span<const double> inputs,
                                                 std::span<const double> parameters);

/// As `trajectoryGradient`, with the memory of events at the begin of sections. Throws NoDerivative.
[[nodiscard]] std::int32_t gradientThroughJumps(LinearizedWorkspace& workspace, const TrajectorySteps& steps,
                                                const CostDerivative& cost, TrajectoryGradient& gradient,
                                                std::int64_t section);

} // namespace lmc::runtime
