// Models on which errors are measured: small, with motions known to many digits.
#pragma once

#include "acceptance/Trajectory.h"
#include "reference/Orders.h"

namespace lmc::acceptance {

/// A model, its settings, and the exact state at the end of the range.
struct OrderProblem {
  std::string name, file;
  Arguments set;
  reference::orders::Range range;
  reference::Layout layout;
  reference::Vector<long double> exact;

  /// The largest error of the last row of a run.
  [[nodiscard]] double error(const Trajectory& run) const {
    return double((run.lastState(layout).cast<long double>() - exact).cwiseAbs().maxCoeff());
  }
};

/// TopInBody, TopInSpace, MomentumInBody, MomentumInSpace, ChainOutOfPlane, FlowOnSphere, BriefFlowOnSphere.
[[nodiscard]] const OrderProblem& orderProblem(const std::string& name);

} // namespace lmc::acceptance
