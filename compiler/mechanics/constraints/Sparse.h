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

/// The blocks of a Lagrangian model, those of M and of B, where each equation of a family and the momentum of each
/// member depend on few members, which whole numbers known before the run name. Null where that is not so, and the
/// reason in `why`. `right`: r of all velocities, where masses couple members; else null, and accelerations without
/// constraint forces are those of the mass groups.
[[nodiscard]] std::shared_ptr<const ConstraintBlocks> sparseBlocks(const System& system, Layer& layer,
                                                                   const ConstraintEquations& equations,
                                                                   const std::vector<ConstraintRow>& rows,
                                                                   std::string& why, const sym::Array*& right);

/// The blocks of masses as one matrix, to be looked into; null for more velocities than that is done for.
[[nodiscard]] const sym::Array* wholeMass(sym::Program& program, const ConstraintBlocks& blocks, std::int64_t columns);

/// Velocities from momenta by the blocks of masses: those of the velocities without a rate of the constraints that are
/// nearest in the metric of the kinetic energy. `rhs`, and the result, as of `solveMass`.
[[nodiscard]] std::vector<sema::ArrayTuple> solveSparseMass(Layer& layer, const std::vector<sema::Tuple>& rhs);

/// Whether masses are solved for together with the constraints, because they couple members. `free` of the equations
/// is r then, not an acceleration.
[[nodiscard]] bool hasCoupledBlocks(const System& system);

} // namespace lmc::mechanics
