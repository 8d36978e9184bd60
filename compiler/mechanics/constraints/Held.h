// Mass matrices that are singular, of bodies that constraints hold: a rod without mass, a point without inertia.
//
// Where M is positive on the velocities that the constraints leave (ker B), accelerations and multipliers are
// determined. For every W
//   M xi' = r + B^T lambda, B xi' = -gamma
// have the solutions of
//   (M + B^T W B) xi' = r - B^T W gamma + B^T lambda, B xi' = -gamma,
// whose matrix is positive definite for W > 0. (G. H. Golub, C. Greif, "On solving block-structured indefinite linear
// systems", SIAM J. Sci. Comput. 24 (2003) 2076-2092: the augmented Lagrangian.)
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::mechanics {

/// Velocities up to which the matrix is factored in straight-line code: it is full, where masses of bodies are blocks.
inline constexpr std::int64_t mostWrittenOutHeld = 9;

/// A mass, or the mean of all where a velocity has none: what the weights W are made of.
[[nodiscard]] sym::Expr massOr(sym::Graph& graph, sym::Expr mass, sym::Expr mean);

/// The one group of masses of such a system, of so many velocities, with its matrix.
[[nodiscard]] MassGroup heldGroup(const sema::Model& model, std::int64_t size, const sym::Array* matrix);

/// The matrix M + B^T W B of all velocities as the one group of the system, and accelerations without the forces of
/// constraints, xi' = (M + B^T W B)^-1 (r - B^T W gamma). Needs momenta and right sides, and of the constraints B and
/// gamma. W is diagonal: the mass that a row acts on, 1/(b M^-1 b^T) with the diagonal of M.
void solveHeld(System& system, Layer& layer, const ConstraintEquations& constraints, Diagnostics& diagnostics);

/// Velocities from momenta by the same matrix: those which the constraints permit are made of these by forces B^T nu.
/// `rhs`, and the result, as of `solveMass`.
[[nodiscard]] std::vector<sema::ArrayTuple> solveHeldMass(Layer& layer, const std::vector<sema::Tuple>& rhs);

} // namespace lmc::mechanics
