// The equations on the trivialized cotangent bundle, for methods that work there: xi and the force as functions of
// (g, mu), for Hamiltonian and for Lagrangian models.
//
// In the generic form of G ⋉ 𝔤* the right-hand side is f = (xi, f_mu): in body g' = g xi, mu' = f_mu + ad*_xi mu, in
// space g' = xi g, mu' = f_mu - ad*_xi mu (docs/conventions.md, section 8). f_mu is the full T(g)^T dL/dg + F (or
// -T(g)^T dH/dg + F), without ad*.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// One factor. Arrays have the extents of the factor, and one array per part of the algebra.
struct CotangentFactor {
  sema::ArrayTuple
      momentum; ///< mu: State arrays of a Hamiltonian factor; else placeholders without equations, to be replaced
  sema::ArrayTuple velocity; ///< xi as a function of g, mu, t
  sema::ArrayTuple force;    ///< f_mu as a function of g, mu, t
};

struct CotangentField {
  std::vector<CotangentFactor> factors; ///< one per Model::factors
  /// Why a model has no such field, for a person; empty if it has one.
  std::string refusal;
};

/// The field of a derived system; its equations are the layer's. For a Lagrangian model by the Legendre
/// transform mu = M(g) xi + b(g, t), which is refused when M depends on the velocities.
[[nodiscard]] CotangentField cotangentField(Layer& layer);

/// mu of every factor as a function of the state: dL/dxi of a Lagrangian factor in arrays that are defined here, the
/// State arrays of a factor with a momentum.
[[nodiscard]] std::vector<sema::ArrayTuple> momentumArrays(Layer& layer);

} // namespace lmc::mechanics
