// Trial integrations of a problem with adaptive steps, and how far two of them are from each other.
#pragma once

#include "runtime/choice/Trajectory.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace lmc::runtime {

/// A part of a run, by one method at one tolerance.
struct Trial {
  Trajectory samples;
  double end = 0;         ///< the time that was reached
  bool whole = false;     ///< `end` is the end that was wanted, or an event that ends the run
  std::string why;        ///< the cause of a failure; empty of one that had no operations left
  double operations = 0;  ///< of all trials of steps, by Problem::operationsPerStep
  std::int64_t steps = 0; ///< trials of steps, rejected ones included
  double defect = 0;      ///< the largest of `holds`
  bool looksStiff = false;
};

/// From the begin of the problem to `until` at a tolerance, absolute and relative, of all variables; samples at `times`
/// (increasing, behind the begin). It ends where it would take more than `mostOperations`, beside those of steps of the
/// length `longest`, which no step exceeds.
[[nodiscard]] Trial integrate(const Problem& problem, double tolerance, double until, const std::vector<double>& times,
                              double mostOperations, double longest = std::numeric_limits<double>::infinity());

/// `count` times from `from` to `to`, the last one `to`.
[[nodiscard]] std::vector<double> evenly(double from, double to, int count);

/// How far a trial is from a better one.
struct Distance {
  /// The largest over samples and variables of |difference| / max(1, |variable|), both in the Euclidean norm over all
  /// stored numbers of the variable (members of a family included), the second one its largest.
  double error = 0;
  std::vector<double> times, grown; ///< of the samples that were compared, and the largest error up to each
  double until = 0;                 ///< the time up to which they were compared
  bool sameEvents = true;           ///< up to there; behind it other events happen in the one than in the other
};
/// Samples at events, and between the times at which both have the same event, say nothing: the one is before a reset
/// there, and the other behind it.
[[nodiscard]] Distance distance(const Trajectory& a, const Trajectory& b);

} // namespace lmc::runtime
