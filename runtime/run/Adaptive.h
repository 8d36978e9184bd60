// The driver of runs whose steps are chosen by an error estimate.
//
// A trial step writes the new state over the old one, of which the driver keeps a copy, and the squared error of each
// piece of the state in units of its tolerance. The error of the step is the largest of them. A trial that fails or
// gives numbers that are not finite counts as one with an infinite error.
//
// Where the error is known before the step (Functions::series) no trial is made for it: the length follows from the
// error that a step as long as the last one would have. Only a step that fails is made again, shorter, of the same
// series; and so is a part of a step, for a sample or an event.
#pragma once

#include "runtime/run/Run.h"

namespace lmc::runtime {

/// Integrates with steps chosen by the problem's error control. Samples do not shorten steps: one inside a step is a
/// partial step from its left end. Otherwise as `run`.
[[nodiscard]] RunResult runAdaptive(const Problem& problem, const RunListeners& listeners);

} // namespace lmc::runtime
