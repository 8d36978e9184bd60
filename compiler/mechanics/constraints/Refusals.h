// Constraints that are refused.
#pragma once

#include "mechanics/system/System.h"

namespace lmc::mechanics {

/// Most equations of constraints, and most velocities of a model that has some: all of them are solved for together.
inline constexpr std::int64_t mostConstraintRows = 120, mostConstrainedVelocities = 200;

/// More equations, velocities or contacts than are solved for as matrices; an error then. `order`: of the constraints.
[[nodiscard]] bool isTooLarge(const sema::Model& model, const std::vector<std::size_t>& order,
                              const ConstraintEquations& equations, Diagnostics& diagnostics);

/// A slip that is not affine in the velocities.
void reportNonlinearSlip(const std::string& contact, Range range, Diagnostics& diagnostics);
/// An equation that is not affine in the velocities; slips of contacts are equations.
void reportNonlinear(const sema::Constraint& constraint, Diagnostics& diagnostics);

} // namespace lmc::mechanics
