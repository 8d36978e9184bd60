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

#include "mechanics/System.h"

#include <optional>

namespace lmc {

/// The acceleration of one member of a factor.
struct MemberAcceleration {
  std::size_t factor = 0;
  std::int64_t member = 0; ///< counted from 1; 0: a single factor
  Tuple value;             ///< xi'
};

struct MultiplierSolution {
  std::vector<MemberAcceleration> accelerations;
  int multipliers = 0;
  bool constant = false; ///< the equation of the multipliers depends on parameters only
};

/// The accelerations of a group of coupled factors (indices into Model::factors) in this way. Nothing if the group is
/// not of this kind: a factor is no sphere or flat space, K depends on the state, or the Lagrangian reads velocities
/// otherwise than by q'. Meant for few members: loops over them are written out.
[[nodiscard]] std::optional<MultiplierSolution> solveByMultipliers(System& system,
                                                                   const std::vector<std::size_t>& group);

} // namespace lmc
