// Computes the motion of a run again, by methods of other kinds where there are some.
#pragma once

#include "products/Pipeline.h"
#include "tool/runs/Certificate.h"
#include "tool/support/Invocation.h"

namespace lmc::tool {

/// Refuses what cannot be certified, before the run. Throws UsageError.
void checkCertifiable(const Invocation& call, const runtime::Problem& problem, const runtime::RunBounds& bounds);

/// What is known of a run of the file of `call`. `problem`: as it was run; `keeper`: has taken its samples.
///
/// References are the two methods of the highest declared order with an error estimate, other than the run's, that can
/// step the model, at a tolerance of 1e-12, or a hundredth of the run's (not below 1e-13). Where there are not two, or
/// they fail or take more than twenty times the steps of the run (a million at least): a half and a quarter of the step
/// of a run with fixed steps, a hundredth and a tenthousandth of the tolerances of another.
[[nodiscard]] Certificate certify(const Invocation& call, const runtime::Problem& problem,
                                  const runtime::RunResult& result, runtime::TrajectoryKeeper& keeper);

} // namespace lmc::tool
