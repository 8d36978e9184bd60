// Do the constraints of the samples in lanes hold?
#pragma once

#include "runtime/contract/LaneMachine.h"

#include <vector>

namespace lmc::runtime {

/// What RunCore asks at the samples of a run: equations that follow from others at the begin are left out, and may ask
/// for something else later.
class LaneConstraints {
public:
  /// Both must outlive it.
  LaneConstraints(const Problem& problem, LaneMachine& work);

  /// Looks at the lanes whose status is Ok, behind a call of `observe`; those that miss a constraint get
  /// ConstraintMissed.
  void look();

private:
  LaneMachine& work_;
  std::vector<std::int64_t> defects_; ///< of constraints, among the outputs
  std::vector<double> state_;
};

} // namespace lmc::runtime
