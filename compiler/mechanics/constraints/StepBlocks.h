// What the equations of a step are near, for systems of constraints that are sparse: the matrices of constrained motion
// between several unknowns.
#pragma once

#include "mechanics/constraints/Blocks.h"
#include "mechanics/system/System.h"

namespace lmc::mechanics {

/// A matrix whose blocks belong to equations and unknowns of a step. Unknowns are velocities (displacements) of all
/// factors, multipliers of all rows, or single numbers; an equation stands at the place of an unknown of its kind.
class StepBlocks {
public:
  enum class Unknown : std::uint8_t { Velocities, Multipliers, Number };
  /// What an equation takes of an unknown.
  enum class What : std::uint8_t {
    Identity,   ///< the same numbers
    Mass,       ///< M, of velocities in an equation of forces
    Transposed, ///< B^T, of multipliers in one of forces
    Rows,       ///< B, of velocities in one of multipliers
    Off         ///< 1 for rows that do not hold, of multipliers
  };
  struct Term {
    std::size_t equation = 0, unknown = 0;
    What what = What::Identity;
    sym::Expr positions, velocities; ///< its factors: of rows on positions (or of velocities), of rows on velocities
  };
  /// The matrix with the numbers of M and B that `values` holds; the plan of its elimination is made of the pattern
  /// alone. Every unknown of velocities needs an identity or a mass at its own equation; that of a number is 1. Null
  /// where its pattern is none (BlockPattern::finish).
  [[nodiscard]] static std::shared_ptr<const sym::SparseJacobian> matrix(sym::Program& program, const System& system,
                                                                         const std::vector<Unknown>& unknowns,
                                                                         const std::vector<Term>& terms,
                                                                         const sym::Array* values);
};

} // namespace lmc::mechanics
