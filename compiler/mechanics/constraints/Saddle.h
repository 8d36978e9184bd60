// The saddle point of constrained motion by blocks: M u - B^T mu = r, B u + off mu = s, in a time that the graph of
// bodies and constraints decides.
#pragma once

#include "mechanics/constraints/Rows.h"
#include "mechanics/system/System.h"

namespace lmc::mechanics {

class Saddle : private Rows {
public:
  /// With the numbers of the blocks at some state.
  /// With `offset`, the unknowns are u and this number, from which the iteration begins.
  Saddle(sym::Program& program, const ConstraintEquations& equations, const sym::Array* values, sym::Expr offset = {});

  /// The unknowns during the iteration, u of all velocities and mu of all rows.
  [[nodiscard]] const sym::Array* change() const { return change_; }
  [[nodiscard]] const sym::Array* multipliers() const { return multipliers_; }
  /// Adds B u to the rows.
  void addRows();
  /// Subtracts M a from the velocities.
  void subtractMass(const sym::Array* a);
  /// Subtracts numbers from the velocities.
  void subtract(const sym::Array* r);
  /// Adds a number to the residual of a row, from 1.
  void addToRow(const std::vector<sym::Loop>& loops, sym::Expr row, sym::Expr value);

  struct Solution {
    const sym::Array* change = nullptr;
    const sym::Array* multipliers = nullptr;
  };
  /// Appends the iteration. Changes of u that are not seen, of u and the offset, end it. `linear`: the residual is, and
  /// the solution is u without the offset.
  Solution finish(const std::string& name, bool linear);

private:
  const ConstraintEquations& c_;
  const sym::Array* values_;
  sym::Expr offset_;
  const sym::Array *change_, *multipliers_, *residual_;
  const sym::Array* u_ = nullptr; ///< the change without the offset
};

/// A thousandth of the mean size of numbers, and of the solutions of M u = r: what changes of u count against where
/// forces balance, and u is nothing but rounding.
[[nodiscard]] sym::Expr sizeOfRates(sym::Program& program, const sym::Array* rates);
[[nodiscard]] sym::Expr sizeOfRates(sym::Program& program, const ConstraintEquations& equations, const sym::Array* r);

/// to[first + …] += sign B x (or B^T x, or M x) for blocks with these numbers.
void addProduct(sym::Program& program, const std::vector<ConstraintBlocks::Family>& blocks, const sym::Array* values,
                const sym::Array* x, const sym::Array* to, std::int64_t first, int sign, bool transposed);

/// The numbers of [m M, t B^T; b B, off] for the same nodes and blocks.
[[nodiscard]] const sym::Array* scaledBlocks(sym::Program& program, const ConstraintBlocks& blocks,
                                             const sym::Array* values, sym::Expr m, sym::Expr t, sym::Expr b);

/// The numbers of blocks for the constraints on positions alone: of the others only the diagonal is left.
[[nodiscard]] const sym::Array* positionBlocks(sym::Program& program, const ConstraintEquations& c,
                                               const sym::Array* values);

} // namespace lmc::mechanics
