// Conditions on velocities and accelerations along the isotropy of a homogeneous manifold.
#pragma once

#include "mechanics/Mass.h"

namespace lmc {

/// One condition <normal, x> = -rate on the unknowns x of a mass equation.
struct Gauge {
  std::vector<sym::Expr> normal; ///< entries of dc/dxi
  sym::Expr rate;                ///< dc/dg T(g) xi; 0 where a velocity is solved for
};

/// The conditions of the member at `index` of factor k; none for a group.
[[nodiscard]] std::vector<Gauge> gaugesOf(System& system, std::size_t k, const std::vector<sym::Expr>& index,
                                          MassUnknown unknown);

} // namespace lmc
