// The accelerations that constraint forces make: M^-1 B^T.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// W with the rows M^-1 b for the rows b of `equations.jacobian`, by the structures of the mass matrices that
/// `system.groups` has. Also assembles M, for inspection, as `equations.mass`.
[[nodiscard]] const sym::Array* response(const System& system, Layer& layer, ConstraintEquations& equations);

} // namespace lmc::mechanics
