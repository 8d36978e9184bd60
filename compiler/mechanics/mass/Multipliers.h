// Accelerations by constraint forces: of coupled factors whose kinetic energy has a constant matrix in the coordinates
// of the space around them.
//
// Points q of spheres and of flat spaces move with q' = T(q) xi. Where the Lagrangian is a function L(q, q') with a
// matrix K = d²L/dq'² of parameters alone, Newton's equations in the space around are
//
//     K q'' = F + N^T lam,   N q'' = gamma,   N = dc/dq,  gamma = -q'·(d²c/dq²) q',
//     F = dL/dq + forces - (d/dt dL/dq' at q'' = 0),
//
// with one multiplier for each equation c(q) = 0 of `holds`: the force in a rod. K is inverted once per run, so an
// evaluation solves (N K^-1 N^T) lam = gamma - N K^-1 F, which has fewer unknowns than M xi' = r (one for three on the
// sphere), and needs neither M nor r. xi' is the horizontal solution of T xi' = q'' - (dT/dt) xi.
#pragma once

#include "mechanics/system/Layer.h"

#include <optional>

namespace lmc::mechanics {

struct MultiplierSolution {
  std::int64_t multipliers = 0;
  bool constant = false; ///< the equation of the multipliers depends on parameters only
};

/// Appends the equations of the accelerations of a group of coupled factors (indices into Model::factors; `unknowns`
/// are the arrays of xi' of all factors). Nothing, with no equation of an unknown, if the group is not of this kind: a
/// factor is no sphere or flat space, K depends on the state, or the Lagrangian reads velocities otherwise than by q'.
/// Meant for few members: loops over them are written out.
[[nodiscard]] std::optional<MultiplierSolution> solveByMultipliers(Layer& layer, const std::vector<std::size_t>& group,
                                                                   const std::vector<sema::ArrayTuple>& unknowns);

/// The same for one family of any size in which K^-1 couples neighbours only, as in a chain of rods with masses at the
/// joints: x(i) = x(i-1) + L(i) q(i). K is found as a chain (mechanics/mass/Chain.h) of numbers
///
///     up(i)     = b up(i-1)                + a v(i)
///     down(i)   = c up(i-1) + e down(i+1) + g v(i)
///     (K v)(i) = f up(i-1) + k down(i+1) + n v(i);
///
/// where (f, k, n) is a multiple of (c, e, g), and c a = g b, what is handed down is a multiple of K v, and what is
/// handed up a combination of two of these: K^-1 is tridiagonal. The multipliers follow by elimination along the
/// family, and all else is independent for each member.
[[nodiscard]] std::optional<MultiplierSolution> solveByMultiplierChain(Layer& layer, std::size_t factor,
                                                                       const sema::ArrayTuple& unknown);

} // namespace lmc::mechanics
