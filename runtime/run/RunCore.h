// What both drivers of runs share: memory, samples, failures, and the look at the clock from time to time.
#pragma once

#include "runtime/contacts/ContactStepper.h"
#include "runtime/mass/MassMonitor.h"
#include "runtime/run/Grid.h"
#include "runtime/run/Jumps.h"
#include "runtime/run/Run.h"

#include <algorithm>
#include <chrono>

namespace lmc::runtime {

/// Samples that the summary of a run without an output is made from, at least.
inline constexpr std::int64_t monitorSamples = 10'000;

/// Number of steps between two looks at the clock and the monitor, adapted to some milliseconds.
class Pace {
public:
  using Clock = std::chrono::steady_clock;

  void begin(Clock::time_point now) { last_ = now; }
  [[nodiscard]] std::int64_t left() const { return limit_ - taken_; }
  /// True when it is time to look up.
  bool take(std::int64_t steps);
  /// When that was the last time.
  [[nodiscard]] Clock::time_point last() const { return last_; }

private:
  std::int64_t limit_ = 1; ///< a step may take minutes: a large model, or many samples within it
  std::int64_t taken_ = 0;
  Clock::time_point last_;
};

class RunCore {
public:
  RunCore(const Problem& problem, const RunListeners& listeners)
      : problem_(problem), listeners_(listeners), workspace_(problem), sampler_(problem, workspace_, listeners.sink),
        events_(problem, workspace_), jumps_(problem, workspace_, events_),
        watches_(events_.any() || !problem.ticks.empty() || listeners.samplings != nullptr) {
    if (listeners.samplings != nullptr) jumps_.attach(*listeners.samplings);
    if (problem.contactSteps != nullptr) stepper_.emplace(problem, workspace_.bases());
    if (problem.mass != nullptr && problem.mass->looks()) check_ = problem.mass.get();
  }
  RunCore(const RunCore&) = delete;
  RunCore& operator=(const RunCore&) = delete;

  /// The whole run. Once.
  RunResult run();

protected:
  ~RunCore() = default;

  /// From the begin to the end, or to what stops the run.
  virtual void integrate() = 0;
  /// Adds to a checkpoint what the driver needs to go on.
  virtual void save(Checkpoint& checkpoint) const = 0;
  /// Goes to where a checkpoint was made; state, counts and samples are there already.
  virtual void restore(const Checkpoint& checkpoint) = 0;

  /// Prepares memory and takes the first sample, or goes on from a checkpoint. False when the run has failed already.
  bool begin();
  /// From now on the end of the run shows in the steps: checkpoints stay where they are now.
  void freeze();
  /// Before and after a step within which an event, or a look at the clock, may stop the run: its checkpoint is that
  /// before the step.
  void beforeStep();
  void afterStep();
  /// So many samples fall into a step of length h that the run may be stopped between them.
  [[nodiscard]] bool isCrowded(double h) const {
    return problem_.outputTimes.empty() && problem_.outputEvery > 0 && h > problem_.outputEvery * (crowd / 2);
  }
  /// The state is the end, at time `end`, of a piece of a step of length h from time t. Tells whether an event lies
  /// within; the state is then at the first one, and `end` its time. False when that fails.
  bool lookForEvent(double t, double h, double& end, const EventWatch::To& to, bool& happened);
  /// At an event: a sample, what it does, and a sample behind. False when the run ends there.
  bool jump(double t);
  /// Carries out the samplings that are due, and events that they cause. False when the run ends there.
  bool sampling(double t);
  /// Counts steps; false when the monitor asks to stop, or a limit is reached.
  bool goOn(std::int64_t steps);
  /// The same behind a sample or a piece at time t, of which a step may have very many.
  bool goOnWithin(double t);
  /// Steps that may be taken before a limit, or before it is time to look up.
  [[nodiscard]] std::int64_t stepsAtOnce() const { return std::max<std::int64_t>(1, std::min(pace_.left(), budget_)); }
  /// Somebody stopped the run between two samples, and no checkpoint keeps the state there: it is worth a sample.
  [[nodiscard]] bool worthASample() const {
    return ((result_.interrupted && !enough()) || result_.limited) && listeners_.checkpoints == nullptr &&
           sampled_ < result_.time && !sameTime(sampled_, result_.time);
  }
  /// Samples the present state. False when that fails, or the sink has enough.
  bool take(double t);
  /// The sink has enough.
  [[nodiscard]] bool enough() const { return listeners_.sink != nullptr && listeners_.sink->enough(); }
  /// Steps until the mass equation is looked at.
  [[nodiscard]] std::int64_t untilLook() const;
  /// Looks at it, if it is time. False when the accelerations do not solve it.
  bool lookAtMass(double t, bool always = false);
  /// By which the interpreter looks at it; made when it is first asked for.
  [[nodiscard]] MassMonitor& monitor();
  /// What to say of a matrix that cannot be factored near the present state.
  std::string accountOfMass(double t);
  bool ok(std::int32_t status, double t);
  /// The same for what events return.
  bool watched(std::int32_t status, double t);
  void fail(std::int32_t status, double t, std::string cause);
  [[nodiscard]] std::optional<std::string> leftTable(double t) const;
  [[nodiscard]] std::string reasonInTable(double t) const;

  const Problem& problem_;
  const RunListeners& listeners_;
  Workspace workspace_;
  Sampler sampler_;
  EventWatch events_;
  Jumps jumps_;
  const bool watches_;                    ///< every step is looked at for events and samplings
  std::optional<ContactStepper> stepper_; ///< of a method that steps contacts
  const MassCheck* check_ = nullptr;      ///< null: there is no mass equation to look at
  Pace pace_;
  RunResult result_;
  double sampled_ = problem_.timeFrom; ///< time of the last sample

private:
  [[nodiscard]] Checkpoint checkpoint() const;
  bool startContacts(double t);
  void keep();
  void tellUndefined();
  [[nodiscard]] bool constraintsHold();
  bool outcome(const Jumps::Outcome& o, double t);
  bool stopAtLimit(std::string cause, double t);
  bool lookUp(double t, Pace::Clock::time_point now);
  std::optional<Checkpoint> frozen_;
  std::int64_t budget_ = listeners_.bounds.steps; ///< that are left
  static constexpr std::int64_t crowd = 64;       ///< samples and pieces within a step behind which it is looked up
  std::int64_t within_ = 0;                       ///< samples and pieces of the present step
  Pace paceWithin_;
  Pace::Clock::time_point begin_;
  bool cut_ = false;                   ///< `freeze` was called
  std::optional<MassMonitor> monitor_; ///< of the mass equation, when it was asked for
  [[nodiscard]] std::string largestEntry() const;
  [[nodiscard]] std::optional<std::string> parameterThatIsNoNumber() const;
};

} // namespace lmc::runtime
