// Mass matrices that are singular whatever the state.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// Reports velocities that the momenta do not depend on, and those of families whose common part they do not depend on.
/// False if there are any. Needs the momenta.
[[nodiscard]] bool structurallyRegular(Layer& layer, Diagnostics& diagnostics);

/// Whether the one group of masses is M + B^T W B of a singular M and the constraints (mechanics/constraints/Held.h).
[[nodiscard]] bool isHeld(const System& system);

} // namespace lmc::mechanics
