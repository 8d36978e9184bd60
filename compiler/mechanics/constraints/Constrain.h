// Constraints: their Jacobian, the multipliers, the accelerations with constraint forces.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// Most equations of constraints, and most velocities of a model that has some: all of them are solved for together.
inline constexpr std::int64_t mostConstraintRows = 120, mostConstrainedVelocities = 200;

/// Puts the forces of the model's constraints into derived equations: fills `system.constraints`, and replaces the
/// accelerations (of a factor with a momentum the forces, too). Nothing without constraints. Reports equations that are
/// not affine in the velocities, and more of them than are solved for.
///
/// With d = dc/dt for a constraint on positions, d = c for one on velocities, and B = dd/dxi,
///   M xi' = r + B^T lambda,   B xi' = -gamma,   gamma = dd/dt at xi' = 0,
/// by S lambda = -(gamma + B a), S = B M^-1 B^T, M a = r. Of factors with momenta p' = p'_free + B^T lambda, S = dd/dp
/// B^T.
void constrain(System& system, Layer& layer, Diagnostics& diagnostics);

} // namespace lmc::mechanics
