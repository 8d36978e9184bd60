// Unknowns of small systems in which an equation is affine, with a slope that the iteration does not change: the
// equation is solved for them.
#pragma once

#include "methods/solve/Elimination.h"

namespace lmc::methods {

/// A system after it: equations that were solved for an unknown have it alone on the left.
struct SolvedEquations {
  std::vector<ImplicitEquation> equations;
  /// By unknown: what its iterate is multiplied by, number by number. Those that are left become as large as what they
  /// change of the unknowns that were solved for, so that the iteration ends where these are known. Empty: 1.
  std::vector<sema::ArrayTuple> scale;
};

/// Solves each equation that is affine in an unknown of as many numbers, with a slope that depends on parameters and
/// the step size alone, for that unknown; empty if none is. Such slopes must be regular, as the masses of points that
/// are coupled by rods. Of systems that are written out; `removable` by unknown, as of Elimination.
[[nodiscard]] std::optional<SolvedEquations> solvedForAffine(sym::Program& p, const Newton& system,
                                                             const std::vector<ImplicitEquation>& equations,
                                                             const std::vector<bool>& removable);

} // namespace lmc::methods
