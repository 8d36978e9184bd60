// Newton's matrix along a family, eliminated by recursions: the change of an iterate in a time proportional to its
// members.
//
// Seen from one member, linearized equations read unknowns of their own, states F of the member before (positions and
// velocities that recursions hand on, or neighbours' unknowns) and states B of the member behind (forces that are
// handed back):
//
//   R d_i + R_F F_{i-1} + R_B B_{i+1} = r_i,   F_i = A F_{i-1} + G d_i,   B_i = C B_{i+1} + H d_i + H_F F_{i-1}.
//
// From the end, B_{i+1} = S_{i+1} F_i + s_{i+1} turns this into d_i = K F_{i-1} + k_i and B_i = S_i F_{i-1} + s_i:
// block elimination of a tridiagonal system whose couplings have low rank, as articulated bodies are solved (R.
// Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, chapter 7, for mass matrices alone). Unknowns beside the
// family and sums over it are states F that all members hand on, and are found at the begin.
#pragma once

#include "methods/phase/Space.h"
#include "sym/Program.h"

namespace lmc::methods {

/// One part of the unknowns, or of the equations, with its place among all numbers.
struct NewtonPart {
  Component component;
  std::int64_t first = 0;                ///< of its numbers, from 0
  const sym::Array* direction = nullptr; ///< of unknowns
  sym::Expr value;                       ///< of equations: their derivatives along the directions, at the own index
};

/// Arrays that solve J x = r: `factors` depend on the iterate alone, `change` is x. Empty where the system is none of
/// one family with neighbours.
struct ChainSolution {
  std::vector<const sym::Array*> factors;
  const sym::Array* change = nullptr;
};
[[nodiscard]] ChainSolution solveAlongFamily(sym::Program& program, const std::vector<NewtonPart>& unknowns,
                                             const std::vector<NewtonPart>& equations, const sym::Array* residual);

} // namespace lmc::methods
