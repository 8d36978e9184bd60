// Derivatives of trajectories whose state jumps: as in TrajectoryDerivatives.h, along the pieces of JumpMotion.
#pragma once

#include "runtime/derivatives/JumpMotion.h"
#include "runtime/derivatives/TrajectoryDerivatives.h"

namespace lmc::runtime {

/// As `propagate`. Throws NoDerivative.
[[nodiscard]] std::int32_t propagateThroughJumps(LinearizedWorkspace& workspace, const TrajectorySteps& steps,
                                                 std::span<double> directions, std::span<const double> inputs,
                                                 std::span<const double> parameters);

/// As `trajectoryGradient`, with all pieces and jumps kept. Throws NoDerivative.
[[nodiscard]] std::int32_t gradientThroughJumps(LinearizedWorkspace& workspace, const TrajectorySteps& steps,
                                                const CostDerivative& cost, TrajectoryGradient& gradient);

} // namespace lmc::runtime
