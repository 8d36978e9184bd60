// The driver of runs with a fixed step.
#pragma once

#include "runtime/run/Run.h"

namespace lmc::runtime {

/// Integrates with step `step`, sampling by `outputEvery` or `outputSteps` (neither: every step; without a sink at
/// least every ten-thousandth of the run). Otherwise as `run`.
[[nodiscard]] RunResult runFixedStep(const Problem& problem, const RunListeners& listeners);

} // namespace lmc::runtime
