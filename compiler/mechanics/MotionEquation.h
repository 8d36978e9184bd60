// The equation of motion with accelerations that are given, where nothing is solved for.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// M(g) a - r(g, xi, t) for all factors of a Lagrangian model without constraints, which vanishes exactly where a is
/// xi'. On a homogeneous manifold, where M a - r says nothing along the isotropy, the condition that keeps velocities
/// horizontal is added.
struct MotionEquation {
  std::vector<const sym::Array*> acceleration; ///< a, part by part of all factors: arrays to be replaced
  std::vector<const sym::Array*> residual;     ///< as functions of these and of the state
};

[[nodiscard]] MotionEquation motionEquation(Layer& layer);

} // namespace lmc::mechanics
