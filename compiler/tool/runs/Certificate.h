// What `lmc run --certify` says of a run: how far it is from the motion, by computations that share nothing with it but
// the equations.
#pragma once

#include "runtime/choice/Trajectory.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace lmc::tool {

/// What is known of an error.
enum class Certainty : std::uint8_t {
  Decided,   ///< the references differ by a tenth of it at most
  Bounded,   ///< it and their difference together are below 1e-11, relative to the size from 1 on
  Undecided, ///< the references differ by more than that
};

/// The largest differences over the samples, of one variable (the Euclidean norm over all its stored numbers, members
/// included) or of the times of events.
struct CertifiedError {
  std::string name;
  double error = 0;        ///< between the run and the best reference
  double time = 0;         ///< where it is that large
  double disagreement = 0; ///< between the references
  double size = 0;         ///< the largest norm
  [[nodiscard]] Certainty certainty() const;
};

struct Certificate {
  std::string reason;                 ///< why there is none; empty: there is one
  std::string against;                ///< the references, as a sentence has it
  std::vector<std::string> dropped;   ///< references that failed: "METHOD: cause"
  bool independent = false;           ///< they are of other methods than the run, and than each other
  std::size_t compared = 0;           ///< samples
  std::size_t left = 0;               ///< samples that were not compared: at events, or behind the end of a reference
  std::string doubt;                  ///< the runs have different events; empty: they have the same
  double until = 0;                   ///< the time up to which samples were compared
  std::vector<CertifiedError> errors; ///< by variables
  std::optional<CertifiedError> eventTimes;
  double allowed = std::numeric_limits<double>::infinity(); ///< the largest tolerance of an adaptive run
  std::optional<double> accuracy; ///< that was asked for, where the method was chosen: of the whole run

  [[nodiscard]] bool undecided() const;
  /// The variables whose error is decided, and more than the accuracy permits, or a hundred times what the tolerance
  /// permits of a step where no accuracy was asked for.
  [[nodiscard]] std::vector<std::string> missed() const;
  /// "decided", "missed", "undecided", or "none" where there is a reason
  [[nodiscard]] std::string verdict() const;
  /// Lines for the summary, as it has them.
  [[nodiscard]] std::string text() const;
  /// A member of the summary's object: "certificate": {…}.
  [[nodiscard]] std::string json() const;
};

/// The same motion again. With `order`, both references are of the run's own method, with a half and a quarter of its
/// step, the quarter the first: the best estimate is extrapolated (L. F. Richardson, 1911) from both, and from the run
/// and the half the second best.
struct References {
  runtime::Trajectory best, other;
  int order = 0; ///< 0: they stand for themselves
};

/// Fills in what a comparison finds.
void compare(Certificate& c, const runtime::Trajectory& run, const References& references);

} // namespace lmc::tool
