// Global errors of methods against the step size, and the order that they show.
#pragma once

#include "runtime/contract/Problem.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lmc::study {

/// What a run took.
struct RunCost {
  std::int64_t steps = 0, rejected = 0, evaluations = 0, iterations = 0;
  double seconds = 0;
};

/// The end of a run.
struct RunEnd {
  std::vector<double> state; ///< in the coordinates in which it is stored
  RunCost cost;
};

/// The end of a run with a fixed step; nothing if the run failed.
[[nodiscard]] std::optional<RunEnd> endOf(const runtime::Problem& problem, double step);
/// The same with adaptive steps (Problem::control must be there), absolute and relative tolerance of all variables.
[[nodiscard]] std::optional<RunEnd> endWithTolerance(const runtime::Problem& problem, double tolerance);

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
[[nodiscard]] std::optional<Reference> referenceOf(std::span<const runtime::Problem* const> problems);

/// One run of a method besides its error.
struct RunDetail {
  std::vector<std::pair<std::string, double>> errors; ///< of each variable alone; infinite where the run failed
  RunCost cost;
};

/// The errors of one method.
struct Convergence {
  std::string method; ///< as given, with its arguments
  int declared = 0;
  std::vector<double> steps;  ///< coarsest first; tolerances, where they were asked for
  std::vector<double> errors; ///< infinite where the run failed
  std::vector<RunDetail> details;
  /// Least squares slope of log error over log step, within the window if two errors lie there, else above round-off;
  /// nothing where there are no two errors to compare.
  std::optional<double> order;
  bool asymptotic = false; ///< it comes from errors within the window
  /// The slopes of successive errors within the window agree: smaller steps would show the same. Nothing can be said
  /// against an order by errors that still change their slope.
  bool settled = false;
};

/// Errors at the given steps; without steps, at up to three steps that show the order best, each half of the one
/// before. `variable`: the errors are those of it alone; empty: of the whole state.
[[nodiscard]] Convergence convergence(const runtime::Problem& problem, const Reference& reference,
                                      const std::vector<double>& steps, const std::string& variable = {});

/// Errors of adaptive runs with these tolerances, and the slope of log error over log tolerance (`asymptotic` stays
/// false: it is no order).
[[nodiscard]] Convergence toleranceStudy(const runtime::Problem& problem, const Reference& reference,
                                         const std::vector<double>& tolerances, const std::string& variable = {});

} // namespace lmc::study
