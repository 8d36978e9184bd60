// How far a step is from being symplectic: the symplectic form before a step against that of the tangent map after it.
//
// With the exact tangent map A of one step y -> z the defect is the largest |omega_z(A u, A v) - omega_y(u, v)| over
// pairs of tangent vectors, relative to the terms that the forms are sums of: each direction is measured by its largest
// sum of absolute values with any other. So neither the units of momenta nor the scale of a direction matters. For
// Lie–Poisson systems it is the change of the brackets of all pairs of coordinates.
//
// It is measured at the initial state and at two more along a run, the same ones for every step size. A symplectic
// method shows round-off, a method of order p in general something of the order h^(p+1).
#pragma once

#include "runtime/contract/TangentProblem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lmc::study {

struct Symplecticity {
  std::string method;
  std::vector<double> steps;
  std::vector<double> defects; ///< NaN where a step failed
  bool symplectic = false;     ///< round-off at the smallest step, and no power of h at larger ones
  /// False where the defects are round-off, but so is the error of the method at all steps that succeed: then any
  /// method would look symplectic.
  bool decided = true;
  std::optional<double> largest; ///< if symplectic, the largest step that was tried
  std::optional<double> power;   ///< of h, if not symplectic and if the steps show it
  /// False where no step succeeded at all.
  [[nodiscard]] bool measured() const;
};

/// Defects up to this are round-off. (With steps well below it single defects are some 1e-16.)
inline constexpr double roundOffDefect = 1e-12;
/// Defects above this show a power of h.
inline constexpr double visibleDefect = 3e-14;

/// Steps in any order; at least one.
[[nodiscard]] Symplecticity symplecticity(const runtime::TangentProblem& problem, const std::vector<double>& steps);

} // namespace lmc::study
