// The mass matrix: which accelerations are coupled, how the matrix is found and solved (docs/conventions.md, section
// 4).
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// Finds the groups of coupled factors, appends the equations that compute every acceleration, and fills
/// `system.groups` and the `acceleration` arrays. Momenta and right-hand sides must be there.
void solveAccelerations(System& system, Layer& layer, Diagnostics& diagnostics);

/// What is solved for: xi', which keeps the horizontal condition of the velocity, or a velocity that satisfies it.
enum class MassUnknown : std::uint8_t { Acceleration, Velocity };

struct MassEquation {
  std::vector<sema::Tuple> rhs; ///< one per factor, in terms of its index; without components along an isotropy
  MassUnknown unknown = MassUnknown::Velocity;
};

/// Appends the equations that solve M x = rhs with the structures of the accelerations; the arrays of x, by factor.
[[nodiscard]] std::vector<sema::ArrayTuple> solveMass(Layer& layer, const MassEquation& equation);

} // namespace lmc::mechanics
