// Symmetric systems with three diagonals, as they come from chains: solved in O(n) by equations of a program.
//
// One elimination from one end to the other waits for a division a row. Short systems are eliminated from both ends to
// the middle, which halves that, and by determinants in place of pivots, which needs no division on the way. Long ones
// are cut into segments of equal length, eight to a group (H. H. Wang, ACM Transactions on Mathematical Software 7
// (1981) 170-183, with the last row of each segment as separator): all segments are eliminated at the same time, each
// with one more column, for the separator before it; what is left is a system of the separators alone, with three
// diagonals again; and all segments are found from it at the same time. This takes about 2.5 times as many operations,
// but eight of them are one of a vector, and groups share nothing, so that threads can divide them. How a system is cut
// depends on its number of rows alone, and so do the bits of its solution.
//
// Positive definite systems need no pivoting: every pivot, of the segments and of the separators, is a Schur complement
// of the matrix.
#pragma once

#include "sym/Program.h"

namespace lmc::mechanics {

/// Row i: before(i) x(i-1) + own(i) x(i) + before(i+1) x(i+1) = rhs(i), for i = 1 … rows, at least 3. All are arrays of
/// numbers with `tridiagonalRoom(rows)` elements, of which the first `rows` are the system's; before(1) is not read.
struct Tridiagonal {
  std::int64_t rows = 0;
  const sym::Array* own = nullptr;    ///< the diagonal
  const sym::Array* before = nullptr; ///< entries (i-1, i), from i = 2 on
  const sym::Array* rhs = nullptr;
};

/// How many elements the arrays of such a system have: segments have equal lengths.
[[nodiscard]] std::int64_t tridiagonalRoom(std::int64_t rows);

/// The unknown of row i is scale(i) x(i). Without `scale`, which is null then, it is x(i).
struct TridiagonalSolution {
  const sym::Array* x = nullptr; ///< an array like those of the system
  const sym::Array* scale = nullptr;
};

/// Appends equations for the solution, and for what own, before and rhs have behind the last row. The matrix is
/// positive definite. The array x is named `name`.
[[nodiscard]] TridiagonalSolution solveTridiagonal(sym::Program& program, const Tridiagonal& system,
                                                   const std::string& name);

} // namespace lmc::mechanics
