// Chains of random links, each with the sums of its equations written out in long double.
#pragma once

#include "mechanics/RandomChains.h"
#include "sema/Evaluate.h"

#include <map>

namespace lmc::test::chains {

/// Contents of the arrays of a model, by name: parameters, and parts of points and velocities as "q" or "X.x".
using Contents = std::map<std::string, Numbers>;

struct Case {
  ReferenceChain reference;
  Contents contents;
  std::vector<RealMatrix> bases; ///< y = basis^T (the model's accelerations), by member; empty: these are y
};

[[nodiscard]] Case rotations(RandomState& random, int members);
/// Thin rods: an inertia of `J` in all directions, all masses 1, as in docs/studies/rods.lie.
[[nodiscard]] Case rods(RandomState& random, int members, double J);
/// The same as docs/studies/rods_on_spheres.lie.
[[nodiscard]] Case rodsOnSpheres(RandomState& random, int members, double J);
[[nodiscard]] Case spheres(RandomState& random, int members);
/// Masses at the ends of rods: the inertia that the links have is that of the masses alone.
[[nodiscard]] Case loads(RandomState& random, int members, double spread);
[[nodiscard]] Case loadsAnyhow(RandomState& random, int members);
[[nodiscard]] Case loadsInLine(RandomState& random, int members);
[[nodiscard]] Case motions(RandomState& random, int members);
/// Rotations, and displacements in space, of two families.
[[nodiscard]] Case mixture(RandomState& random, int members);
[[nodiscard]] Case angles(RandomState& random, int members);
/// No chain of displacements: neighbours are coupled by forms k |v(i+1) - T v(i)|².
[[nodiscard]] Case neighbours(RandomState& random, int members);
[[nodiscard]] Case clampsBehind(RandomState& random, int members);
[[nodiscard]] Case clampsBefore(RandomState& random, int members);
/// Angles between links, in a plane: every link turns all that are behind it. M and r are written out.
[[nodiscard]] Case joints(RandomState& random, int members);

} // namespace lmc::test::chains
