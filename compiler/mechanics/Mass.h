// The mass matrix: which accelerations are coupled, how the matrix is found and solved (derivation.md, section 3).
#pragma once

#include "mechanics/System.h"

namespace lmc {

/// Finds the groups of coupled factors, appends the equations that compute every acceleration, and fills
/// `system.groups` and the `acceleration` arrays. Momenta and right-hand sides must be there.
void solveAccelerations(System& system, Diagnostics& diagnostics);

} // namespace lmc
