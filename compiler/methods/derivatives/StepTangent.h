// The tangent map of a step: how a small change of the state before a step changes the state after it.
//
// It is the exact derivative of the equations of the step, iterations included (sym::Tangent), not a difference of two
// steps. A change is given and returned in the storage of the state, so that it can be carried along a trajectory; it
// must be tangent to the phase manifold (SymplecticForm makes such changes).
#pragma once

#include "methods/Instantiate.h"

namespace lmc::methods {

struct StepTangent {
  sema::ArrayTuple change;  ///< before the step: inputs (role State), one like each of Step::state
  sema::ArrayTuple changed; ///< after it: Temp, one like each of Step::next
  /// What `change` does to the equations of constraints and to their rates; empty without constraints.
  sema::ArrayTuple constraints;
};

/// Appends the equations of the tangent map to the program of the system.
[[nodiscard]] StepTangent stepTangent(mechanics::Layer& layer, const Step& step);

} // namespace lmc::methods
