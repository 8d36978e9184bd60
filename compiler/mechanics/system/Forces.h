// Generalized forces of a model: `force … at …` by virtual work, `force on …`, `dissipation = …`.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

class ExternalForces {
public:
  /// Makes the reverse passes. Must precede the equations that define the rates of a Hamiltonian model, since the
  /// dissipation is differentiated with respect to them.
  explicit ExternalForces(Layer& layer);

  /// dW/dg of factor k, by parts of its point: the virtual work of forces at points; T(g)^T of it is a force.
  [[nodiscard]] sema::Tuple slope(std::size_t k) const;
  /// The sum of `force on` and -dD/dxi of factor k, dual to its velocity; without components along an isotropy.
  [[nodiscard]] sema::Tuple direct(std::size_t k) const;

private:
  Layer& s_;
  sym::Gradient work_, damping_;
};

} // namespace lmc::mechanics
