// Constraints: their Jacobian, the multipliers, the accelerations with constraint forces.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// The constraints of a model that has some, in the making.
///
/// With d = dc/dt for a constraint on positions, d = c for one on velocities, and B = dd/dxi,
///   M xi' = r + B^T lambda,   B xi' = -gamma,   gamma = dd/dt at xi' = 0,
/// by S lambda = -(gamma + B a), S = B M^-1 B^T, M a = r. Of factors with momenta p' = p'_free + B^T lambda, S = dd/dp
/// B^T.
class Constraints {
public:
  Constraints(System& system, Layer& layer, Diagnostics& diagnostics);
  ~Constraints();
  Constraints(const Constraints&) = delete;
  Constraints& operator=(const Constraints&) = delete;

  /// For a mass matrix that is singular: finds the accelerations without constraint forces, and the one group of
  /// masses, by a matrix that the constraints make regular (mechanics/constraints/Held.h). Only of Lagrangian models
  /// without contacts.
  void holdMasses();
  /// Puts the forces of constraints into derived equations: fills `system.constraints`, and replaces the accelerations
  /// (of a factor with a momentum the forces, too). Reports equations that are not affine in the velocities, and more
  /// of them than are solved for.
  void constrain();

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace lmc::mechanics
