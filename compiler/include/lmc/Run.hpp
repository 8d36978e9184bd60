/// @file
/// Runs: what they are told and what they return.
#pragma once

#include "lmc/Model.hpp"

#include <functional>
#include <optional>

namespace lmc {
LMC_INLINE namespace v1 {

  /// How a run is made, from the workspace's present state and time on. What is not given is taken from the model.
  struct RunSettings {
    /// Where the run ends; not given: the model's `time`.
    double to = std::numeric_limits<double>::quiet_NaN();
    /// The length of a step; of adaptive steps the first one.
    double step = std::numeric_limits<double>::quiet_NaN();
    /// The tolerance of adaptive steps, absolute and relative, of all variables.
    double tolerance = std::numeric_limits<double>::quiet_NaN();
    /// Fixed steps although the model has a tolerance.
    bool fixedSteps = false;

    /// Samples every `every` of time; 0: of the model, if it says so, else after every step. Between two steps a sample
    /// is a partial step from the left one. The begin and the end are always sampled. A run without a callback looks at
    /// no more samples than its summary needs, some ten thousand.
    double every = 0;
    /// Samples every so many steps instead.
    std::int64_t everySteps = 0;
    /// Samples at these times instead, increasing, behind the begin and not behind the end.
    std::vector<double> times;

    /// The run fails, with Status::LimitReached and all that it has until then, after so many steps, rejected ones
    /// included; 0: no limit.
    std::int64_t maxSteps = 0;
    /// … or so many seconds of the clock; 0: no limit. It is looked at some hundred times a second.
    double maxSeconds = 0;
    /// Asked some hundred times a second; true ends the run where it is, as a callback does that has enough
    /// (RunResult::stopped). What it throws passes through.
    std::function<bool()> cancel;
  };

  /// The state of a run at one time. Valid during the call of the callback only.
  struct Sample {
    double time = 0;                ///< of the model
    Span<const double> values;      ///< a number per column (Model::columns)
    Span<const double> state;       ///< the first of them: the state, as Workspace::state has it
    std::optional<double> energy;   ///< if the model has one
    Span<const double> observables; ///< as Workspace::observables has them
  };

  /// Told about every sample; false ends the run there.
  using SampleCallback = std::function<bool(const Sample&)>;

  /// Why a run ended before its end.
  struct RunFailure {
    Status status = Status::Success; ///< what failed
    double time = 0;                 ///< of the last valid state
    std::string message;             ///< a sentence without a full stop
  };

  /// An event that has happened: one that ended a run, or one that reset the state.
  struct EventHit {
    std::string name; ///< "hit[2]"
    double time = 0;  ///< to round-off
  };

  /// How often the state has jumped for one reason.
  struct JumpCount {
    std::string name;       ///< of the event with a block, "hit[2]", or of the sampling, "every 0.01"
    std::int64_t count = 0; ///< how often, at least once
    double first = 0;       ///< the time of the first one
    double last = 0;        ///< the time of the last one
  };

  /// How well the conditions of a manifold (`holds`) were kept, at the samples.
  struct Defect {
    std::string variable; ///< its name
    double value = 0;     ///< the largest violation
  };

  /// What came of a run. The workspace has the state and the time that were reached.
  struct RunResult {
    double time = 0;                   ///< that was reached
    std::int64_t steps = 0;            ///< taken
    std::int64_t rejected = 0;         ///< of adaptive steps
    std::int64_t evaluations = 0;      ///< of f
    std::int64_t iterations = 0;       ///< turns of Newton's method; 0 of explicit methods
    std::int64_t samples = 0;          ///< taken, begin and end included
    bool stopped = false;              ///< the callback, or `cancel`, ended it
    std::optional<RunFailure> failure; ///< it failed
    std::optional<EventHit> event;     ///< an event ended it
    std::vector<EventHit> events;      ///< the first thousand events that reset the state, by time
    std::vector<JumpCount> jumps;      ///< resets and samplings that happened, in the order of declaration
    std::optional<double> energyError; ///< the largest |E - E(begin)| / max(1, |E(begin)|) at the samples
    std::vector<Defect> defects;       ///< one per variable with conditions
    double seconds = 0;                ///< of the clock

    /// Whether it reached its end, or an event.
    explicit operator bool() const noexcept { return !failure && !stopped; }
  };

} // namespace v1
} // namespace lmc
