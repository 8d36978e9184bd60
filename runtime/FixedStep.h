// The driver of runs with a fixed step.
#pragma once

#include "runtime/Output.h"
#include "runtime/Problem.h"
#include "runtime/Sampler.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc {

/// Why a run stopped before its end.
struct RunFailure {
  double time = 0;         ///< of the last valid state
  std::int32_t status = 0; ///< tape::Status
  std::string cause;       ///< a sentence for the user, without a full stop
};

/// Told about the progress of a run, a few hundred times a second at most.
class Monitor {
public:
  virtual ~Monitor() = default;
  /// The run has reached time t. False: stop here, cleanly.
  virtual bool reached(double t) = 0;
};

struct RunResult {
  std::int64_t steps = 0; ///< taken
  std::int64_t rejected = 0;
  std::int64_t evaluations = 0; ///< of f, those of partial steps for samples included
  std::int64_t samples = 0;
  double time = 0; ///< that was reached
  double seconds = 0;
  bool interrupted = false; ///< the monitor asked to stop
  std::optional<RunFailure> failure;
  std::optional<double> energyError; ///< Sampler::energyError
  std::vector<Defect> defects;
};

/// Integrates from `timeFrom` to `timeTo` with step `step`, sampling by `outputEvery` or `outputSteps` (neither: every
/// step; without a sink at least every ten-thousandth of the run). The settings must have passed `checkSettings`.
/// The sink is finished when this returns, also after a failure; what it throws (OutputError) passes through.
[[nodiscard]] RunResult runFixedStep(const Problem& problem, Sink* sink, Monitor* monitor);

/// What a status of generated code means, as a sentence without a full stop.
[[nodiscard]] std::string statusText(std::int32_t status);

/// What can be wrong with the settings of a run with a fixed step.
enum class SettingFault : std::uint8_t {
  TimeMissing,
  TimeEmpty, ///< begin not before end, or not finite
  StepMissing,
  StepNotPositive,
  StepTooSmall, ///< t + h == t somewhere on the interval
  TooManySteps, ///< more than `stepLimit`
  EveryNotPositive,
  TooManySamples, ///< more than `stepLimit`
};
inline constexpr double stepLimit = 1e12;

/// All faults of a problem's settings: at most one each of time, step and output interval. An output interval of 0
/// counts as not given.
[[nodiscard]] std::vector<SettingFault> checkSettings(const Problem& problem);

} // namespace lmc
