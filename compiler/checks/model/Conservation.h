// How well a method keeps what a model conserves, and whether it is its own inverse backwards in time.
#pragma once

#include "checks/model/Symmetries.h"
#include "runtime/run/Run.h"

namespace lmc::checks {

/// A quantity along a run. Its size is the largest size of J (Reading), along the run or at the states where J was
/// found; that of the energy is energyScale, as in the summary of a run.
struct Kept {
  double start = 0;
  double deviation = 0; ///< the largest |J(t) - J(t0)|, relative to the size
  double drift = 0;     ///< what the least squares line through the samples gains over the run, relative to the size
};

/// What was seen along a run.
struct KeptAlong {
  double from = 0, to = 0;
  bool whole = false; ///< the interval of the model, to its end
  std::int64_t steps = 0;
  std::vector<Kept> conserved; ///< in the order of the given list
  std::optional<Kept> energy;
  std::vector<runtime::Defect> defects; ///< of `holds`
  std::optional<runtime::RunFailure> failure;
};

/// How far a run goes at most.
struct RunLimits {
  std::int64_t steps = 10'000;
  double seconds = 3;
};

/// Runs a problem with its own method and step over its interval, as far as the limits allow.
[[nodiscard]] KeptAlong keep(Symmetries& symmetries, const std::vector<Conserved>& list,
                             const runtime::Problem& problem, const RunLimits& limits);

/// A step and back.
struct Reversal {
  double step = 0;
  double defect = 0; ///< of step(-h) after step(h): the largest change of an entry, relative to the largest entry of
                     ///< the state (at least 1)
  double change = 0; ///< what step(h) alone changes, in the same measure
  double error = 0;  ///< what one step differs from two of half the length: the size of the error of the method
  /// That the step back undoes it, where another method of its accuracy would not; nothing where the step is so
  /// accurate, or so ill-conditioned, that this cannot be told.
  [[nodiscard]] std::optional<bool> symmetric() const;
};

/// Steps of the given length from the initial state and from a state further on. Nothing if a step fails.
[[nodiscard]] std::optional<Reversal> reverse(const runtime::Problem& problem, double step);
/// Up to this, the defect is round-off: an iteration stops at a change of some 1e-15.
inline constexpr double reversalTolerance = 1e-12;
/// An error of the method that a defect of its size would be seen of.
inline constexpr double visibleError = 1e-9;
/// A defect above the tolerance, but so much smaller than the error, may be round-off that the step amplifies.
inline constexpr double amplifiedRoundOff = 1e-9;

/// The largest violation of f(g, -xi) = -f(g, xi) with xi' reversed: |xi'(g, -xi) - xi'(g, xi)| relative to the size of
/// xi' and xi. With it, a motion run backwards is a motion. Nothing for a model with first-order states.
[[nodiscard]] std::optional<Deviation> reversibility(StateSpace& space,
                                                     const std::vector<std::pair<State, double>>& states);

} // namespace lmc::checks
