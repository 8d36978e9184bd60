// Velocities and momenta need horizontal spaces that the group carries along.
#pragma once

#include "products/stages/Stages.h"

namespace lmc::products {

/// Reports configurations on homogeneous manifolds whose horizontal condition is not equivariant: where w is horizontal
/// at q, Ad_A w must be at action(A, q). Tested to first order in A at points that the group moves the given state's
/// to, of the first member of a family. Returns false where there are any.
[[nodiscard]] bool checkEquivariance(const mechanics::System& system, const Layout& layout,
                                     const std::vector<double>& state, Diagnostics& diagnostics);

} // namespace lmc::products
