// What is told about a run when it is over.
#pragma once

#include "runtime/run/Run.h"

#include <string>

namespace lmc::runtime {

/// The facts of one run, for people and for scripts.
struct Summary {
  std::string model;
  std::string method;
  double timeFrom = 0;
  double step = 0; ///< of fixed steps; not a number: adaptive ones
  RunResult result;
  std::string output;        ///< file, empty for none
  double compileSeconds = 0; ///< from the start of the tool to the first step
  bool fromCache = false;
  std::size_t codeBytes = 0;
  bool energyChanges = false;         ///< Problem::energyChanges: what the energy gains or loses is then no error
  std::optional<ChosenMethod> chosen; ///< how the method was chosen, if it was
};

/// Some aligned lines, the last one ended.
[[nodiscard]] std::string summaryText(const Summary& summary);
/// One JSON object without a line end: model, method, step (null: adaptive), steps, rejected, evaluations, samples,
/// final_time, energy_error (null: no energy), defects {variable: value}, compile_seconds, run_seconds, from_cache,
/// code_bytes, first_step, smallest_step, largest_step, stiff (of adaptive steps), chosen (null: the method was given;
/// or {accuracy, tolerance, expected_error, measured_until, growth, doubt, tried: [{method, operations, why}]}), output
/// (null: none), interrupted, event (null, or {name, time}), events (the first thousand that happened and have a block,
/// [{name, time}]), jumps
/// ([{name, count, first, last}] of events with a block and of samplings), undecided_events (extrema so near to zero
/// that nobody knows whether they crossed it: [{name, time, value, happened}]), undefined (what was not a number:
/// [{name, time, samples, expected}]), failure (null, or {time, cause}). Numbers that are not finite are null.
/// `members`, if not empty, is text of further members, without braces.
[[nodiscard]] std::string summaryJson(const Summary& summary, const std::string& members = {});

} // namespace lmc::runtime
