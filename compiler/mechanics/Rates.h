// Accelerations and other rates of phase variables, as expressions of the model read them: `v'`, `p'`, `z'`.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// Gives the arrays that the model reads (`sema::Factor::acceleration`, `sema::StateVariable::derivative`) the rates of
/// the equations of motion. After all of these, constraint forces included.
void defineRates(const System& system, Layer& layer);

} // namespace lmc::mechanics
