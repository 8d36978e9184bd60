// Chains of symmetric maps in symmetric form.
//
// In exact arithmetic M = M^T, but the chain that is read off the equations need not show it: its two recursions may
// hand on different numbers (a joint and the velocity of the link before, against the force in the joint). Here the
// one with fewer numbers is kept, and the other one becomes its transpose:
//
//   up(i)     = B up(i-1)                  + A v(i)
//   down(i)   = C up(i-1) + B^T down(i+1) + F^T v(i),   C = C^T
//   (M v)(i) = F up(i-1) + A^T down(i+1) + N v(i),     N = N^T
//
// If the other one is the same recursion in other words (down = P Π up for a P = P^T, which is seen by comparing the
// matrices as polynomials, sym/Fingerprint.h), C is what members add to P: inertias, and elimination replaces their
// sums by smaller ones, the articulated inertias. Otherwise the sums P are computed first, C is zero, and elimination
// subtracts from M's own diagonal blocks. Both are backward stable; the first loses less.
#pragma once

#include "mechanics/mass/Chain.h"

namespace lmc::mechanics {

struct SymmetricLinks {
  sym::Expr index;
  std::int64_t lo = 0, hi = 0;
  sym::Expr A, B, C, F, N; ///< of C and N the lower triangle counts; at the chain's first member B, C and F are zero
};

struct SymmetricChain {
  std::vector<SymmetricLinks> links; ///< like those of the chain
  int states = 0;                    ///< numbers in up(i)
};

/// The symmetric form of a chain with M = M^T; appends the equations of the sums P where they are needed.
[[nodiscard]] SymmetricChain symmetricChain(sym::Program& program, const Chain& chain);

} // namespace lmc::mechanics
