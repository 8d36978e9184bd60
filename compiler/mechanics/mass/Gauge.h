// Conditions on velocities and accelerations along the isotropy of a homogeneous manifold.
#pragma once

#include "mechanics/mass/Mass.h"

namespace lmc::mechanics {

/// One condition <normal, x> = -rate on the unknowns x of a mass equation.
struct Gauge {
  std::vector<sym::Expr> normal; ///< entries of dc/dxi
  sym::Expr square;              ///< the square of its length; 1 for the conditions that a `project` leaves
  sym::Expr rate;                ///< dc/dg T(g) xi; 0 where a velocity is solved for
};

/// The conditions of the member at `index` of factor k; none for a group.
[[nodiscard]] std::vector<Gauge> gaugesOf(Layer& layer, std::size_t k, const std::vector<sym::Expr>& index,
                                          MassUnknown unknown);

/// Whether a mass matrix with the conormals of factor k is more than a compilation should take; an error then, where
/// there are `diagnostics`.
[[nodiscard]] bool hasTooManyConormals(const sema::Model& model, std::size_t k, Diagnostics* diagnostics);

/// Adds s sum n n^T/|n|^2 to the block of the dense `mass` behind row and column `before`, and -s sum rate n/|n|^2 to
/// `rhs` (may be null), for every turn of `member` (none or one loop, over the members of a family). In loops: for so
/// many conormals that their products, written out, would be too many equations.
void addGauges(sym::Program& program, const std::vector<Gauge>& gauges, sym::Expr s,
               const std::vector<sym::Loop>& member, sym::Expr before, const sym::Array* mass, const sym::Array* rhs);

} // namespace lmc::mechanics
