// What brings the state behind a reset back to its manifolds and constraints.
#pragma once

#include "products/stages/Stages.h"

#include <functional>
#include <memory>

namespace lmc::products {

/// Restorers of a system, each for one thread; an empty function where nothing has to hold. A restorer moves points,
/// velocities and momenta by what rounding may explain (1e-8), those that the model names in `initial adjust` as far as
/// constraints ask for, and says what is further off. The system must outlive them.
[[nodiscard]] std::function<std::unique_ptr<runtime::Restorer>()> restoration(const mechanics::System& system,
                                                                              const Layout& layout);

} // namespace lmc::products
