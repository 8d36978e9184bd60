#include "runtime/FixedStep.h"

#include "runtime/Grid.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace lmc {

namespace {

using Clock = std::chrono::steady_clock;

/// Samples that the summary of a run without an output is made from, at least.
constexpr std::int64_t monitorSamples = 10'000;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Number of steps between two looks at the clock and the monitor, adapted to some milliseconds.
class Pace {
public:
  [[nodiscard]] std::int64_t left() const { return limit_ - taken_; }
  /// True when it is time to look up.
  bool take(std::int64_t steps) {
    taken_ += steps;
    if (taken_ < limit_) return false;
    const double elapsed = secondsSince(last_);
    constexpr double shortest = 0.004, longest = 0.02;
    if (elapsed < shortest)
      limit_ *= 2;
    else if (elapsed > longest)
      limit_ = std::max<std::int64_t>(1, limit_ / 2);
    taken_ = 0;
    last_ = Clock::now();
    return true;
  }

private:
  std::int64_t limit_ = 16;
  std::int64_t taken_ = 0;
  Clock::time_point last_ = Clock::now();
};

/// Finishes the sink on every way out; on the ordinary one its errors are reported.
class Finisher {
public:
  explicit Finisher(Sink* sink) : sink_(sink) {}
  Finisher(const Finisher&) = delete;
  Finisher& operator=(const Finisher&) = delete;
  ~Finisher() {
    try {
      finish();
    } catch (const OutputError&) { // another error is on its way
    }
  }
  void finish() {
    Sink* sink = sink_;
    sink_ = nullptr;
    if (sink != nullptr) sink->finish();
  }

private:
  Sink* sink_;
};

class FixedStepRun {
public:
  FixedStepRun(const Problem& problem, Sink* sink, Monitor* monitor)
      : problem_(problem), sink_(sink), monitor_(monitor), grid_(problem.timeFrom, problem.timeTo, problem.step),
        workspace_(problem), sampler_(problem, workspace_, sink) {}

  RunResult run() {
    const Clock::time_point begin = Clock::now();
    Finisher finisher(sink_);
    integrate();
    finisher.finish();
    result_.seconds = secondsSince(begin);
    result_.evaluations = result_.evaluations * problem_.evaluationsPerStep + workspace_.iterationEvaluations();
    result_.samples = sampler_.samples();
    result_.energyError = sampler_.energyError();
    result_.defects = sampler_.defects();
    return std::move(result_);
  }

private:
  void integrate() {
    sampler_.begin();
    result_.time = grid_.begin();
    if (!ok(workspace_.start(), grid_.begin())) return;
    if (!workspace_.finite()) return fail(tape::NonFinite, grid_.begin(), "the initial state is not finite");
    if (!ok(sampler_.sample(grid_.begin()), grid_.begin())) return;
    SampleTimes times = sampleTimes();
    SamplePoint point;
    while (times.next(point))
      if (!advanceTo(point.index) || !sample(point)) break;
    // The state at which somebody stopped the run is worth keeping.
    if (result_.interrupted) ok(sampler_.sample(result_.time), result_.time);
  }

  [[nodiscard]] SampleTimes sampleTimes() const {
    if (problem_.outputSteps > 0) return SampleTimes::everySteps(grid_, problem_.outputSteps);
    if (problem_.outputEvery > 0) return SampleTimes::every(grid_, problem_.outputEvery);
    return SampleTimes::everySteps(grid_, sink_ != nullptr ? 1 : grid_.steps() / monitorSamples);
  }

  /// Whole steps up to grid index k. False when the run ends before.
  bool advanceTo(std::int64_t k) {
    while (taken_ < k) {
      const bool last = taken_ == grid_.steps() - 1;
      const std::int64_t wanted = last ? 1 : std::min(k, grid_.steps() - 1) - taken_;
      if (!steps(std::min(wanted, pace_.left()), last ? grid_.lastStep() : grid_.step())) return false;
    }
    return true;
  }

  bool steps(std::int64_t n, double h) {
    std::int64_t done = 0;
    const std::int32_t status = workspace_.advance(grid_.time(taken_), h, n, done);
    taken_ += done;
    result_.steps = taken_;
    result_.evaluations += done;
    result_.time = grid_.time(taken_);
    if (!ok(status, result_.time)) return false;
    if (pace_.take(n) && monitor_ != nullptr && !monitor_->reached(result_.time)) {
      result_.interrupted = true;
      return false;
    }
    return true;
  }

  bool sample(const SamplePoint& point) {
    if (point.partial == 0) return ok(sampler_.sample(point.time), point.time);
    const std::span<double> state = workspace_.state();
    saved_.assign(state.begin(), state.end());
    std::int64_t done = 0;
    std::int32_t status = workspace_.advance(grid_.time(point.index), point.partial, 1, done);
    ++result_.evaluations;
    if (status == tape::Ok) status = sampler_.sample(point.time);
    std::copy(saved_.begin(), saved_.end(), state.begin());
    return ok(status, grid_.time(point.index));
  }

  bool ok(std::int32_t status, double t) {
    if (status != tape::Ok) fail(status, t, statusText(status));
    return status == tape::Ok;
  }

  void fail(std::int32_t status, double t, std::string cause) {
    if (status == tape::NonFinite) cause += largestEntry();
    if (status == tape::NoConvergence && problem_.reportOffset >= 0)
      cause += fmt::format("; the residual is {:.3g}", workspace_.iterationResidual());
    result_.failure = RunFailure{t, status, std::move(cause)};
  }

  /// The state's entry of largest size (or one that is not finite), to show where a run blows up.
  [[nodiscard]] std::string largestEntry() const {
    const Column* largest = nullptr;
    double size = -1;
    for (const Column& column : problem_.columns) {
      if (column.role != tape::Role::State) continue;
      const double x = std::abs(*workspace_.place(column));
      if (x <= size) continue;
      largest = &column;
      size = std::isnan(x) ? INFINITY : x;
    }
    if (largest == nullptr) return {};
    return fmt::format("; of the last state the largest entry is {} = {:.6g}", largest->name,
                       *workspace_.place(*largest));
  }

  const Problem& problem_;
  Sink* sink_;
  Monitor* monitor_;
  Grid grid_;
  Workspace workspace_;
  Sampler sampler_;
  Pace pace_;
  std::int64_t taken_ = 0;
  std::vector<double> saved_;
  RunResult result_;
};

} // namespace

RunResult runFixedStep(const Problem& problem, Sink* sink, Monitor* monitor) {
  return FixedStepRun(problem, sink, monitor).run();
}

std::string statusText(std::int32_t status) {
  switch (status) {
  case tape::Ok:
    return "success";
  case tape::SingularMass:
    return "the mass matrix is singular";
  case tape::SingularMatrix:
    return "a matrix that has to be inverted is singular";
  case tape::NoConvergence:
    return "an implicit equation could not be solved: the iteration does not converge";
  case tape::NonFinite:
    return "the state is no longer finite";
  default:
    return fmt::format("the compiled code returned the status {}", status);
  }
}

std::vector<SettingFault> checkSettings(const Problem& problem) {
  const double from = problem.timeFrom, to = problem.timeTo, h = problem.step, every = problem.outputEvery;
  std::vector<SettingFault> faults;
  if (std::isnan(from) || std::isnan(to))
    faults.push_back(SettingFault::TimeMissing);
  else if (!std::isfinite(from) || !std::isfinite(to) || !(from < to))
    faults.push_back(SettingFault::TimeEmpty);
  const bool interval = faults.empty();
  const double largest = std::max(std::abs(from), std::abs(to));
  const double used = std::min(h, to - from);
  if (std::isnan(h))
    faults.push_back(SettingFault::StepMissing);
  else if (!std::isfinite(h) || h <= 0)
    faults.push_back(SettingFault::StepNotPositive);
  else if (interval && (largest + used == largest || largest - used == largest))
    faults.push_back(SettingFault::StepTooSmall);
  else if (interval && !((to - from) / h <= stepLimit))
    faults.push_back(SettingFault::TooManySteps);
  if (std::isnan(every) || every == 0) return faults;
  if (every < 0 || !std::isfinite(every))
    faults.push_back(SettingFault::EveryNotPositive);
  else if (interval && !((to - from) / every <= stepLimit))
    faults.push_back(SettingFault::TooManySamples);
  return faults;
}

} // namespace lmc
