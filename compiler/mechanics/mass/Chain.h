// Families whose members are coupled along a chain: M v = r in two sweeps.
//
// Where M v is computed by recursions along the family, such as the positions of a chain of pendulums and the forces on
// their links, or couples neighbours directly, M is block tridiagonal once the recursions' values count as unknowns.
// Elimination from the last member to the first and back costs O(N): the recursive method of multibody dynamics
// (R. Featherstone, International Journal of Robotics Research 2 (1983) 13-30), in the form of the Riccati recursion of
// linear two-point problems. It is found from the equations, not from what the model means.
//
// M is symmetric, and the elimination must stay so: rounding that is not symmetric grows from member to member, by a
// constant factor (docs/studies/chains.md). So a chain is first brought to a form in which what is handed down is the
// transpose of what is handed up (mechanics/mass/ChainSymmetry.h), and every pivot is a Schur complement of M, of which
// one triangle is computed.
#pragma once

#include "mechanics/system/Geometry.h"
#include "sema/model/Model.h"

#include <optional>

namespace lmc::mechanics {

/// Members lo…hi, for which the linear map v -> M v reads, with matrices that depend on `index`,
///
///   up(i)     = B up(i-1)                + A v(i)     what the recursions hand on to later members
///   down(i)   = C up(i-1) + E down(i+1) + G v(i)     … to earlier ones
///   (M v)(i) = F up(i-1) + K down(i+1) + N v(i)
///
/// In a chain that runs from the last member to the first, i-1 and i+1 are exchanged.
struct ChainLinks {
  sym::Expr index; ///< of a member: a loop index, or a constant when lo = hi
  std::int64_t lo = 0, hi = 0;
  sym::Expr A, B, C, E, F, G, K, N; ///< matrices; zero ones are the graph's zeros
};

/// Some of the numbers that are handed on: an element of one array.
struct ChainState {
  int offset = 0, size = 0; ///< its numbers in up(i) or down(i)
  int velocity = -1;        ///< where these are numbers of v(i) itself, the first of them there; otherwise -1
};

struct Chain {
  std::vector<ChainLinks> links; ///< all members, in the order of the chain; the first and the last stand alone
  int step = 1;                  ///< from a member's index to that of the next one along the chain: 1 or -1
  int own = 0, up = 0, down = 0; ///< numbers in v(i), up(i), down(i)
  std::vector<ChainState> upStates, downStates;
};

/// The chain of a linear map, given as its value `product` at member `index` for the families `direction` (arrays of
/// `members` elements without equations). Nothing if members are coupled otherwise, or by more than `largestLink`
/// numbers.
[[nodiscard]] std::optional<Chain> findChain(sym::Program& program, const sema::Tuple& product, sym::Expr index,
                                             std::int64_t members, const sema::ArrayTuple& direction,
                                             const std::function<sym::Expr(sym::Expr)>& simplify);

/// The same for the derivative of momenta at member `index` along the velocities of families.
[[nodiscard]] std::optional<Chain> chainAlong(sym::Program& program, const sema::Tuple& momentum,
                                              const sema::ArrayTuple& velocity, sym::Expr index,
                                              const std::function<sym::Expr(sym::Expr)>& simplify);

/// Right-hand side and pivot of one member: from D and r, with the given index.
struct ChainPivot {
  sym::Expr matrix; ///< regular, symmetric, positive definite
  sym::Expr rhs;
};

/// Appends the equations of both sweeps, for a chain whose map is symmetric. `complete` makes the pivot of a member
/// from its block D (along an isotropy, for example, D is singular) and its right-hand side; `set` defines v(i) for the
/// members of a range. Backward stable where M is positive definite: the residual is a rounding of |M| |v| + |r|, for
/// any number of members. A pivot that is nothing but rounding stops a run as a singular mass matrix.
void solveChain(sym::Program& program, const Chain& chain, const std::function<sym::Expr(sym::Expr index)>& rhs,
                const std::function<ChainPivot(sym::Expr index, const ChainPivot& bare)>& complete,
                const std::function<void(const ChainLinks& range, sym::Expr value)>& set);

} // namespace lmc::mechanics
