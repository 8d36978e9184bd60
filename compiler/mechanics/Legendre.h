// Momenta as functions of velocities, for methods on the cotangent bundle: what the first component of f is the inverse
// of.
#pragma once

#include "mechanics/system/Layer.h"

#include <optional>

namespace lmc::mechanics {

/// mu(g, xi, t) with xi = f_1(g, mu, t), for all factors.
struct MomentaOfVelocities {
  std::vector<sema::ArrayTuple> velocity; ///< xi: arrays to be replaced, one tuple for each factor
  std::vector<sema::ArrayTuple> momentum; ///< mu as functions of these
  /// Of a Hamiltonian model the second component of f at the momenta of the state, where it is written with the first
  /// one as a function of `velocity`; else empty.
  std::vector<sema::ArrayTuple> force;
};

/// Of a Lagrangian model dl/dxi at velocities that are horizontal. Of a Hamiltonian one dH/dmu is inverted, factor by
/// factor: nothing where a factor's velocity depends on momenta of others, or not affinely on its own. Rotations and
/// other matrices that `holds` makes orthogonal are transposed, inverses are taken back, so that of a kinetic energy
/// (R^T mu).J^-1 (R^T mu)/2 the momentum R J R^T xi is found; all else is a small linear system.
[[nodiscard]] std::optional<MomentaOfVelocities> momentaOfVelocities(Layer& layer);

} // namespace lmc::mechanics
