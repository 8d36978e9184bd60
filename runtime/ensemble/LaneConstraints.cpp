#include "runtime/ensemble/LaneConstraints.h"

#include "runtime/ensemble/Ensemble.h"
#include "runtime/run/Sampler.h"

namespace lmc::runtime {

LaneConstraints::LaneConstraints(const Problem& problem, LaneMachine& work)
    : work_(work), state_(problem.initialState.size()) {
  for (const Field& f : problem.fields)
    if (isOfConstraint(problem, f)) defects_.push_back(f.offset);
}

void LaneConstraints::look() {
  const auto lanes = static_cast<std::size_t>(work_.lanes());
  for (const std::int64_t defect : defects_) {
    const double* const values = work_.numbers(Role::Output, defect, 1);
    for (std::size_t l = 0; l < lanes; ++l) {
      if (work_.status[l] != Ok || !mayBeMissed(values[l])) continue;
      work_.read(Role::State, static_cast<int>(l), state_);
      if (isMissed(values[l], state_)) work_.status[l] = ConstraintMissed;
    }
  }
}

} // namespace lmc::runtime
