// Compositions as a list of steps, which may share code.
#pragma once

#include "methods/checked/CheckedMethod.h"
#include "methods/phase/Step.h"
#include "sym/Program.h"

#include <vector>

namespace lmc::methods {

/// A step that a composition makes, over a part of its own: from t + begin h over length h.
struct PartOfMethod {
  MethodUse use; ///< of no composition but a symmetric projection
  double begin = 0, length = 1;
};

/// The steps that a method makes one after the other, with compositions of compositions written out. Those of an
/// adjoint are the adjoint ones in the reverse order. One step of a method that is no composition; nothing where a part
/// is not a number.
/// @param constrained the model has constraints: symmetric projections are steps of their own
[[nodiscard]] std::vector<PartOfMethod> partsOf(const MethodUse& use, bool constrained);

/// About how many operations the code of a step is, on numbers that change in a run. Those of loops over families count
/// many times: such loops become several, for vectors and for what is left.
[[nodiscard]] std::size_t operations(const sym::Program& program, const Step& step);
/// The same of what gives arrays, where loops that are written out count as often as they turn.
[[nodiscard]] std::size_t operationsOfTurns(const sym::Program& program, const std::vector<const sym::Array*>& arrays);

} // namespace lmc::methods
