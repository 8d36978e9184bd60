// The laws of homogeneous manifolds, in the order in which they are tested.
#pragma once

#include "checks/laws/elements/Action.h"

namespace lmc::laws {

/// The action of the group, what `holds` says of moved points, the dimension of the orbit.
[[nodiscard]] std::vector<Law> actionLaws(Action& m);
/// Every motion has one horizontal velocity, and the group moves horizontal velocities to horizontal ones.
[[nodiscard]] std::vector<Law> horizontalLaws(Action& m);

} // namespace lmc::laws
