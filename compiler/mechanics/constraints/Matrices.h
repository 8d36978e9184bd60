// The matrices of constraints as one function of the state.
#pragma once

#include "mechanics/system/System.h"

namespace lmc::mechanics {

/// B, B M^-1 and S, and the state and the time as far as these depend on them.
[[nodiscard]] std::shared_ptr<const sym::Function>
matricesAtPoint(const sym::Program& program, const sema::Model& model, const ConstraintEquations& constraints);

} // namespace lmc::mechanics
