// Constraints as expressions for a reader.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// A constraint, or of one with several indices the members that differ in the last one alone.
struct ShownConstraint {
  std::size_t constraint = 0;        ///< into Model::constraints
  std::vector<std::int64_t> leading; ///< all indices but the last
  std::vector<sym::Expr> index;      ///< the last one; empty where there is none
  sym::Expr value, rate, bias;       ///< c, d = B xi + dc/dt, gamma; of one on velocities `rate` is c
};
struct ShownConstraints {
  std::vector<ShownConstraint> list; ///< in the order of the model
  std::vector<sema::Tuple> forces;   ///< B^T lambda of each factor, at its index
};
/// Adds equations to the layer, in which they are shown.
[[nodiscard]] ShownConstraints shownConstraints(Layer& layer);

} // namespace lmc::mechanics
