// Global errors of methods against the step size, and the order that they show.
#pragma once

#include "runtime/contract/Problem.h"

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lmc::study {

/// The state at the end of a run with a fixed step, in the coordinates in which it is stored; nothing if the run
/// failed.
[[nodiscard]] std::optional<std::vector<double>> finalState(const Problem& problem, double step);

/// The Euclidean norm of the difference of two states, over all coordinates as they are stored.
[[nodiscard]] double distance(const std::vector<double>& a, const std::vector<double>& b);

/// The slope of log error over log step, by least squares; at least two different steps.
[[nodiscard]] double logarithmicSlope(const std::vector<double>& steps, const std::vector<double>& errors);

/// The state at the end of a run, as well as it is known.
struct Reference {
  std::string method;
  double step = 0;
  std::vector<double> state;
  double error = 0; ///< how far it may be off
  /// The size of the state by which errors are judged: its norm, at least 1.
  [[nodiscard]] double scale() const;
};

/// Errors between these two bounds show the order: above 1e3 times round-off and well above the reference's own error,
/// below 1e-3, both relative to `scale()`.
struct Window {
  double lowest = 0, highest = 0;
  explicit Window(const Reference& reference);
};

/// Halves the step of each problem (one model, different methods, the first of the highest order) until the result
/// settles. The first gives the reference; the others check it. Nothing if all runs fail.
[[nodiscard]] std::optional<Reference> referenceOf(std::span<const Problem* const> problems);

/// The errors of one method.
struct Convergence {
  std::string method; ///< as given, with its arguments
  int declared = 0;
  std::vector<double> steps;  ///< coarsest first
  std::vector<double> errors; ///< infinite where the run failed
  /// Least squares slope of log error over log step, within the window if two errors lie there, else above round-off;
  /// nothing where there are no two errors to compare.
  std::optional<double> order;
  bool asymptotic = false; ///< it comes from errors within the window
  /// The slopes of successive errors within the window agree: smaller steps would show the same. Nothing can be said
  /// against an order by errors that still change their slope.
  bool settled = false;
};

/// Errors at the given steps; without steps, at up to three steps that show the order best, each half of the one
/// before.
[[nodiscard]] Convergence convergence(const Problem& problem, const Reference& reference,
                                      const std::vector<double>& steps);

} // namespace lmc::study
