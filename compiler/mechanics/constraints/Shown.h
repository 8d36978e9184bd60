// Constraints as expressions for a reader.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

struct ShownConstraint {
  std::vector<sym::Expr> index; ///< of a member
  std::vector<sym::Loop> loops;
  sym::Expr value, rate, bias; ///< c, d = B xi + dc/dt, gamma; of one on velocities `rate` is c
};
struct ShownConstraints {
  std::vector<ShownConstraint> list; ///< as in the model
  std::vector<sema::Tuple> forces;   ///< B^T lambda of each factor, at its index
};
/// Adds equations to the layer, in which they are shown.
[[nodiscard]] ShownConstraints shownConstraints(Layer& layer);

} // namespace lmc::mechanics
