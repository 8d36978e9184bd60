// Which velocities each constraint acts on, as blocks.
#pragma once

#include "mechanics/constraints/Blocks.h"

namespace lmc::mechanics {

/// A constraint at the indices of a member.
struct ConstraintRow {
  std::vector<sym::Loop> loops;
  std::vector<sym::Expr> index;
  sym::Expr value; ///< c; zero where a member does not hold
  sym::Expr rate;  ///< d, as it is differentiated
};

/// The blocks of a Lagrangian model: those of B where each equation of a family depends on few members, which whole
/// numbers known before the run name; those of M where masses are those of members alone. Null where that is not so,
/// and the reason in `why`.
[[nodiscard]] std::shared_ptr<const ConstraintBlocks> sparseBlocks(const System& system, Layer& layer,
                                                                   const ConstraintEquations& equations,
                                                                   const std::vector<ConstraintRow>& rows,
                                                                   std::string& why);

} // namespace lmc::mechanics
