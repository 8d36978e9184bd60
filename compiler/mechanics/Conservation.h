// Whether the energy of a model is constant along its motions.
#pragma once

#include "mechanics/system/System.h"

#include <string>
#include <vector>

namespace lmc::mechanics {

/// What changes the energy of a model, each in words ("a dissipation", "forces", …); empty when nothing does, so that
/// the energy is constant. Forces and flows count whatever their power is: it is not looked into.
[[nodiscard]] std::vector<std::string> powerSources(const System& system);

} // namespace lmc::mechanics
