// From the Hamiltonian to velocities, forces and energy; the motion of states in the dual of a Lie algebra.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// Fills in, for a model with a Hamiltonian, what is known of its factors and of its states in duals:
///
///   xi = dH/dmu,   f_mu = -T(g)^T dH/dg + F,   mu' = ± ad*_xi mu + f_mu   (plus in body, minus in space).
///
/// On a homogeneous manifold H is composed with the horizontal projection of mu, so that xi is horizontal. A state in a
/// dual has no f_mu (Lie–Poisson equations); without a Hamiltonian its xi is its `flow`. Equations are appended for the
/// rates of factors, the flows of such states, and for all arrays of `system`.
void deriveHamiltonian(System& system, Layer& layer);

} // namespace lmc::mechanics
