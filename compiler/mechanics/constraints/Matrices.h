// The matrices of constraints as one function of the state, for code that needs them at several points.
#pragma once

#include "mechanics/system/System.h"

namespace lmc::mechanics {

/// B, B M^-1 and S of constraints that have them, and the state and the time as far as these depend on them; null where
/// they depend on velocities that follow from momenta.
[[nodiscard]] std::shared_ptr<const sym::Function>
matricesAtPoint(const sym::Program& program, const sema::Model& model, const ConstraintEquations& constraints);

} // namespace lmc::mechanics
