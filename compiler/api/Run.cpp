// Runs from a workspace's state.
#include "api/Compile.h"
#include "api/Memory.h"
#include "base/Memory.h"

#include "runtime/run/Run.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::v1 {

namespace {

std::string sentence(runtime::SettingFault fault, const runtime::Problem& p) {
  switch (fault) {
  case runtime::SettingFault::TimeMissing:
    return "a run needs an end: RunSettings::to, or `time` in the model";
  case runtime::SettingFault::TimeEmpty:
    return fmt::format("a run from t = {} cannot end at t = {}", p.timeFrom, p.timeTo);
  case runtime::SettingFault::StepMissing:
    return "a run needs a step: RunSettings::step, or `step` in the model";
  case runtime::SettingFault::StepNotPositive:
    return fmt::format("the step {} is not a positive number", p.step);
  case runtime::SettingFault::StepTooSmall:
    return fmt::format("the step {} is too small to change the time between {} and {}", p.step, p.timeFrom, p.timeTo);
  case runtime::SettingFault::TooManySteps:
    return fmt::format("a step of {} makes more than {:.0e} steps", p.step, runtime::stepLimit);
  case runtime::SettingFault::EveryNotPositive:
    return fmt::format("the time {} between samples is not a positive number", p.outputEvery);
  case runtime::SettingFault::TooManySamples:
    return fmt::format("sampling every {} makes more than {:.0e} samples", p.outputEvery, runtime::stepLimit);
  case runtime::SettingFault::SafetyOutside:
    return "the safety factor of adaptive steps is at most 1";
  case runtime::SettingFault::ToleranceNotPositive:
    return "adaptive steps need a positive tolerance: RunSettings::tolerance, or `tolerance` in the model";
  }
  return "the settings of the run make no sense";
}

[[noreturn]] void misuse(const std::string& message) {
  throw Error(Error::Kind::Misuse, message);
}

void checkTimes(const runtime::Problem& p) {
  double last = p.timeFrom;
  for (const double t : p.outputTimes) {
    if (!(t > last) || t > p.timeTo)
      misuse(fmt::format("RunSettings::times increase from behind {} to at most {}; {} does not fit", p.timeFrom,
                         p.timeTo, t));
    last = t;
  }
}

void setSampling(runtime::Problem& p, const RunSettings& s) {
  if (std::isnan(s.every) || s.every < 0) misuse("RunSettings::every is a positive number, or 0");
  if (s.everySteps < 0) misuse("RunSettings::everySteps is a positive number, or 0");
  const int ways = (s.every > 0 ? 1 : 0) + (s.everySteps > 0 ? 1 : 0) + (s.times.empty() ? 0 : 1);
  if (ways > 1) misuse("RunSettings has one of every, everySteps and times");
  p.outputTimes = s.times;
  if (ways == 0) return;
  p.outputEvery = s.every > 0 ? s.every : std::numeric_limits<double>::quiet_NaN();
  p.outputSteps = s.everySteps;
}

} // namespace

std::string settingsFault(const runtime::Problem& problem) {
  const auto faults = runtime::checkSettings(problem);
  return faults.empty() ? std::string() : sentence(faults.front(), problem);
}

runtime::Problem& detail::WorkspaceData::runProblem(const RunSettings& s) {
  requireIdle();
  const bool tolerance = !std::isnan(s.tolerance);
  const runtime::Problem& chosen = shared.problem;
  if (tolerance && !s.fixedSteps && !chosen.estimatesError && !shared.method.empty())
    throw Error(Error::Kind::Unavailable,
                "the method " + shared.method + " has no error estimate that a tolerance could govern");
  const bool adaptive = !s.fixedSteps && (tolerance || chosen.control.has_value());
  const runtime::Problem& base = shared.steps(adaptive ? products::HostSteps::Adaptive : products::HostSteps::Fixed);
  std::unique_ptr<runtime::Problem>& copy = adaptive ? adaptiveRun : fixedRun;
  if (!copy) copy = std::make_unique<runtime::Problem>(base);
  runtime::Problem& p = *copy;
  p.params = params;
  p.initialState.assign(state(), state() + p.initialState.size());
  p.timeFrom = time;
  p.timeTo = std::isnan(s.to) ? base.timeTo : s.to;
  p.step = std::isnan(s.step) ? base.step : s.step;
  p.outputEvery = base.outputEvery;
  p.outputSteps = base.outputSteps;
  setSampling(p, s);
  if (adaptive) {
    p.control->tolerances = base.control->tolerances;
    if (tolerance) std::fill(p.control->tolerances.begin(), p.control->tolerances.end(), s.tolerance);
  }
  if (const std::string fault = settingsFault(p); !fault.empty()) misuse(fault);
  checkTimes(p);
  return p;
}

namespace {
/// Asks the host whether a run shall go on.
class CancelMonitor final : public runtime::Monitor {
public:
  explicit CancelMonitor(const std::function<bool()>& cancel) : cancel_(cancel) {}
  bool reached(double /*t*/) override {
    try {
      return !cancel_();
    } catch (...) { // goes on when the run has been left
      exception = std::current_exception();
      return false;
    }
  }
  std::exception_ptr exception;

private:
  const std::function<bool()>& cancel_;
};

runtime::RunBounds boundsOf(const RunSettings& s) {
  if (s.maxSteps < 0) misuse("RunSettings::maxSteps is a positive number, or 0");
  if (std::isnan(s.maxSeconds) || s.maxSeconds < 0) misuse("RunSettings::maxSeconds is a positive number, or 0");
  runtime::RunBounds bounds;
  if (s.maxSteps > 0) bounds.steps = s.maxSteps;
  if (s.maxSeconds > 0) bounds.seconds = s.maxSeconds;
  return bounds;
}
} // namespace

RunResult detail::WorkspaceData::run(const RunSettings& settings, runtime::Problem& problem, runtime::Sink* sink) {
  const runtime::RunBounds bounds = boundsOf(settings);
  running = true;
  const struct Ended {
    bool& running;
    ~Ended() { running = false; }
  } ended{running};
  CancelMonitor cancel(settings.cancel);
  const lmc::runtime::RunResult r =
      lmc::runtime::run(problem, {sink, settings.cancel ? &cancel : nullptr, nullptr, nullptr, nullptr, bounds,
                                  samplings.any() ? &samplings : nullptr});
  std::copy(r.state.begin(), r.state.end(), state());
  time = r.time;
  if (cancel.exception) throw Passing{cancel.exception};
  RunResult out;
  out.time = r.time;
  out.steps = r.steps;
  out.rejected = r.rejected;
  out.evaluations = r.evaluations;
  out.iterations = r.iterations;
  out.samples = r.samples;
  out.stopped = r.interrupted;
  out.seconds = r.seconds;
  if (r.failure) {
    // An adaptive run that gives up has the status of its last trial, which need not have failed.
    const Status status = r.limited                          ? Status::LimitReached
                          : r.failure->status == runtime::Ok ? Status::StepTooSmall
                                                             : statusOf(r.failure->status);
    out.failure = RunFailure{status, r.failure->time, r.failure->cause};
  }
  if (r.event) out.event = EventHit{r.event->name, r.event->time};
  for (const lmc::runtime::EventFound& e : r.events) out.events.push_back({e.name, e.time});
  for (const lmc::runtime::JumpCount& j : r.jumps) out.jumps.push_back({j.name, j.count, j.first, j.last});
  out.energyError = r.energyError;
  for (const lmc::runtime::Defect& d : r.defects) out.defects.push_back({d.name, d.value});
  return out;
}

namespace {

/// Passes samples to the callback of the host.
class CallbackSink final : public runtime::Sink {
public:
  CallbackSink(const detail::ModelData& shared, const SampleCallback& callback)
      : shared_(shared), callback_(callback) {}

  void begin(const std::vector<runtime::Entry>&) override {}
  void finish() override {}
  [[nodiscard]] bool enough() const override { return enough_; }

  void sample(double t, std::span<const double> values) override {
    const std::size_t n = shared_.problem.initialState.size();
    Sample s;
    s.time = t;
    s.values = {values.data(), values.size()};
    s.state = s.values.part(0, n);
    if (shared_.hasEnergy) s.energy = values[n];
    s.observables = s.values.part(n + (shared_.hasEnergy ? 1 : 0), shared_.observablesSize);
    try {
      enough_ = !callback_(s);
    } catch (...) { // goes on when the run has been left
      exception = std::current_exception();
      enough_ = true;
    }
    if (!enough_) return;
    time = t;
    state = s.state.copy();
  }

  std::exception_ptr exception;
  double time = 0;           ///< of the last sample, when it was enough
  std::vector<double> state; ///< there

private:
  const detail::ModelData& shared_;
  const SampleCallback& callback_;
  bool enough_ = false;
};

} // namespace

void detail::requireRoom(const runtime::Problem& problem, const RunSettings& settings, std::size_t numbers) {
  const double samples = runtime::expectedSamples(problem, {.bounds = boundsOf(settings)}).value_or(0);
  if (samples * static_cast<double>(numbers * sizeof(double)) <= usableMemory()) return;
  misuse(fmt::format("{:.3g} samples of {} numbers take more memory than there is: a larger time between samples makes "
                     "fewer, and a callback takes them as they come",
                     samples, numbers));
}

RunResult Workspace::tabulate(std::vector<double>& rows, const RunSettings& settings) {
  const std::size_t numbers = 1 + impl_->model.columns().size();
  translated([&] { detail::requireRoom(impl_->runProblem(settings), settings, numbers); });
  return run(settings, [&rows](const Sample& s) {
    rows.push_back(s.time);
    rows.insert(rows.end(), s.values.begin(), s.values.end());
    return true;
  });
}

RunResult Workspace::run(const RunSettings& settings, const SampleCallback& sample) {
  return translated([&] {
    runtime::Problem& p = impl_->runProblem(settings);
    impl_->samplings.caller = this;
    if (!sample) return impl_->run(settings, p, nullptr);
    CallbackSink sink(impl_->shared, sample);
    RunResult result = impl_->run(settings, p, &sink);
    if (!sink.enough()) return result;
    // The run ends where the host has said so, which may be between two steps.
    std::copy(sink.state.begin(), sink.state.end(), impl_->state());
    impl_->time = result.time = sink.time;
    result.stopped = true;
    if (sink.exception) throw Passing{sink.exception};
    return result;
  });
}

} // namespace lmc::v1
