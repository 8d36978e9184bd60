// A run of a problem: what it is told, what it returns. The drivers are FixedStep.h and Adaptive.h.
#pragma once

#include "runtime/contacts/ContactReport.h"
#include "runtime/contract/Problem.h"
#include "runtime/output/Output.h"
#include "runtime/run/Checkpoint.h"
#include "runtime/run/Events.h"
#include "runtime/run/Jumps.h"
#include "runtime/run/Sampler.h"
#include "runtime/run/Stiffness.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace lmc::runtime {

/// Why a run stopped before its end.
struct RunFailure {
  double time = 0;         ///< of the last valid state
  std::int32_t status = 0; ///< tape::Status
  std::string cause;       ///< a sentence for the user, without a full stop
  /// It is about the energy, an observable or an event, which is not a number; the motion itself is well.
  bool quantity = false;
  /// A constraint does not hold that was left out since it followed from others.
  bool constraint = false;
};

/// Told about the progress of a run, a few hundred times a second at most.
class Monitor {
public:
  virtual ~Monitor() = default;
  /// The run has reached time t. False: stop here, cleanly.
  virtual bool reached(double t) = 0;
};

/// One trial of an adaptive step.
struct StepTrial {
  double time = 0; ///< at its left end
  double step = 0;
  double error = 0; ///< in units of the tolerance; infinite when there is no valid result
  bool accepted = false;
};

/// Told about every trial of an adaptive run.
class StepObserver {
public:
  virtual ~StepObserver() = default;
  virtual void tried(const StepTrial& trial) = 0;
  /// As Sink::sync.
  virtual void sync() {}
};

/// Keeps checkpoints of a run.
class CheckpointKeeper {
public:
  virtual ~CheckpointKeeper() = default;
  /// Whether one should be made now; asked a few hundred times a second at most.
  virtual bool due() = 0;
  /// All samples before it are on the disk already.
  virtual void keep(const Checkpoint& checkpoint) = 0;
};

/// Where a run is stopped, short of its end; what it has by then is kept, and a checkpoint made.
struct RunBounds {
  std::int64_t steps = std::numeric_limits<std::int64_t>::max(); ///< of this run, rejected ones included
  double seconds = std::numeric_limits<double>::infinity();      ///< that pass while it runs
};

/// Who is told what during a run; each may be null.
struct RunListeners {
  Sink* sink = nullptr;
  Monitor* monitor = nullptr;
  StepObserver* steps = nullptr;
  CheckpointKeeper* checkpoints = nullptr; ///< one at the end, or where the run is stopped, and when due
  const Checkpoint* resume = nullptr;      ///< where to go on; it must fit the problem
  RunBounds bounds = {};
  HostSamplings* samplings = nullptr; ///< called at its sample times
};

/// The lengths of the steps that an adaptive run took; the last one, which the end of the run cuts, does not count as
/// smallest. All are 0 when there were none.
struct StepSizes {
  double first = 0, smallest = 0, largest = 0;
};

struct RunResult {
  std::int64_t steps = 0; ///< taken
  std::int64_t rejected = 0;
  std::int64_t evaluations = 0; ///< of f, those of rejected steps and of partial steps for samples included
  std::int64_t iterations = 0;  ///< turns of Newton's method, in these steps; 0 of explicit methods
  std::int64_t samples = 0;
  double time = 0;           ///< that was reached
  std::vector<double> state; ///< at that time
  double seconds = 0;
  bool interrupted = false; ///< the monitor, or the sink, asked to stop
  bool limited = false;     ///< a limit stopped it, which is its failure
  std::optional<RunFailure> failure;
  std::optional<EventFound> event;       ///< that stopped the run
  std::vector<JumpCount> jumps;          ///< samplings and events with a block, those that happened
  std::vector<EventFound> events;        ///< the first thousand events with a block, by time
  std::vector<EventDoubt> doubts;        ///< the first thousand events of which it is not known whether they happened
  std::optional<StepSizes> sizes;        ///< of adaptive steps
  StiffnessMemory stiffness;             ///< of adaptive steps of explicit methods
  std::optional<ContactReport> contacts; ///< of a method that steps contacts
  std::optional<double> energyError;     ///< Sampler::energyError
  std::vector<Defect> defects;
  /// What was not a number at some sample. One that the model does not expect is the run's failure, if it has no other.
  std::vector<Undefined> undefined;
};

/// Integrates from `timeFrom` to `timeTo`: with adaptive steps if the problem has an error control, else with fixed
/// ones. The settings must have passed `checkSettings`. The sink is finished when this returns, also after a failure;
/// what it throws (OutputError, CheckpointError) passes through.
///
/// The last checkpoint of a run stands before the step that the end of the run has cut, if any: so the trajectory that
/// goes on from it to a later end is, to the bit, that of an uninterrupted run. A resumed run takes no sample at its
/// begin; its counts and its energy error are those of the whole.
[[nodiscard]] RunResult run(const Problem& problem, const RunListeners& listeners);

/// What a status of generated code means, as a sentence without a full stop.
[[nodiscard]] std::string statusText(std::int32_t status);

/// What can be wrong with the settings of a run.
enum class SettingFault : std::uint8_t {
  TimeMissing,
  TimeEmpty, ///< begin not before end, or not finite
  StepMissing,
  StepNotPositive,
  StepTooSmall, ///< t + h == t somewhere on the interval
  TooManySteps, ///< more than `stepLimit`
  EveryNotPositive,
  TooManySamples,       ///< more than `stepLimit`
  ToleranceNotPositive, ///< or not finite; of absolute and relative one may be 0
  SafetyOutside,        ///< of 0 to 1
};
inline constexpr double stepLimit = 1e12;

/// All faults of a problem's settings: at most one each of time, step, tolerance and output interval. An output
/// interval of 0 counts as not given. Adaptive steps need no step; one that is given is the first.
[[nodiscard]] std::vector<SettingFault> checkSettings(const Problem& problem);

/// Samples that a run with a sink will make, behind the checkpoint that it resumes and within its bounds; nothing if
/// adaptive steps, or the clock, decide.
[[nodiscard]] std::optional<double> expectedSamples(const Problem& problem, const RunListeners& listeners = {});

} // namespace lmc::runtime
