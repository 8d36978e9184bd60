#include "runtime/run/RunCore.h"

#include "runtime/mass/Dependence.h"
#include "runtime/ranges/RangeCheck.h"
#include "runtime/run/Adaptive.h"
#include "runtime/run/FixedStep.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lmc::runtime {

namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

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

} // namespace

bool Pace::take(std::int64_t steps) {
  taken_ += steps;
  if (taken_ < limit_) return false;
  const Clock::time_point now = Clock::now();
  const double elapsed = seconds(now - last_);
  constexpr double shortest = 0.004, longest = 0.02, nothing = shortest / 64;
  if (elapsed < shortest)
    limit_ *= elapsed < nothing ? 16 : 2; // a run of few steps is not made of looks
  else if (elapsed > longest)
    limit_ = std::max<std::int64_t>(1, limit_ / 2);
  taken_ = 0;
  last_ = now;
  return true;
}

RunResult RunCore::run() {
  begin_ = Clock::now();
  pace_.begin(begin_);
  paceWithin_.begin(begin_);
  Finisher finisher(listeners_.sink);
  integrate();
  if (!result_.failure && !result_.interrupted && !result_.event) (void)lookAtMass(result_.time, true);
  if (!result_.failure && !result_.interrupted) keep();
  finisher.finish();
  result_.seconds = seconds(Clock::now() - begin_);
  result_.evaluations += workspace_.iterationEvaluations();
  result_.iterations += workspace_.iterationTurns();
  result_.samples = sampler_.samples();
  const std::span<const double> y = workspace_.state();
  result_.state.assign(y.begin(), y.end());
  result_.energyError = sampler_.energyError();
  result_.defects = sampler_.defects();
  for (const JumpCount& c : jumps_.counts())
    if (c.count > 0) result_.jumps.push_back(c);
  result_.events = jumps_.log();
  result_.doubts = events_.doubts();
  if (stepper_) result_.contacts = stepper_->report();
  tellUndefined();
  (void)constraintsHold();
  return std::move(result_);
}

/// Equations that follow from others at the begin have no forces of their own: where they ask for something else later,
/// the motion is not that of the model.
bool RunCore::constraintsHold() {
  const std::optional<Missed>& m = sampler_.missed();
  if (m && !result_.failure)
    result_.failure = {m->time, SingularMass,
                       fmt::format("the constraint `{}` is off by {:.3g} there: equations that follow from others at "
                                   "the begin, and are left out for that, contradict these later",
                                   m->name, m->value),
                       false, true};
  return !m;
}

/// What the model does not expect to be undefined makes the run a failure; the trajectory goes to its end all the same.
void RunCore::tellUndefined() {
  result_.undefined = sampler_.undefined();
  for (const Undefined& u : result_.undefined) {
    if (result_.failure || u.expected) continue;
    const std::string energy = "energy";
    const std::string what = u.name == energy ? "the energy" : "the observable " + u.name;
    const std::string later = u.samples == 1 ? "" : fmt::format(" and at {} later samples", u.samples - 1);
    const auto parameter = parameterThatIsNoNumber();
    result_.failure = {u.time, NonFinite,
                       fmt::format("{}{} is not a number there{}{}", parameter ? *parameter + ": " : "", what, later,
                                   reasonInTable(result_.time)),
                       true};
  }
}

bool RunCore::begin() {
  const double t = problem_.timeFrom;
  sampler_.begin();
  result_.time = t;
  if (!ok(workspace_.start(), t)) return false;
  if (listeners_.resume != nullptr) {
    const Checkpoint& c = *listeners_.resume;
    std::copy(c.state.begin(), c.state.end(), workspace_.state().begin());
    result_.time = c.time;
    result_.steps = c.steps;
    result_.rejected = c.rejected;
    result_.evaluations = c.evaluations;
    result_.iterations = c.iterations;
    sampled_ = c.sampled;
    sampler_.restore(c.samples);
    restore(c);
    if (stepper_) stepper_->restore(c.contacts);
    if (events_.any() && !watched(events_.begin(c.time, c.signs), c.time)) return false;
    if (!outcome(jumps_.begin(problem_.timeFrom), c.time)) return false;
    jumps_.restore(c.jumps);
    return lookAtMass(c.time, true);
  }
  if (!workspace_.finite()) {
    fail(NonFinite, t, "the initial state is not finite");
    return false;
  }
  if (stepper_ && !ok(stepper_->begin(t), t)) return false;
  if (events_.any() && !watched(events_.begin(t), t)) return false;
  if (!outcome(jumps_.begin(t), t) || !startContacts(t) || !sampling(t) || !take(t)) return false;
  // A constant matrix is looked at with the steps, and at the end: short runs are not made of looks.
  return check_ == nullptr || !check_->varies || lookAtMass(t, true);
}

/// An impact at the begin has two samples, as every other one.
bool RunCore::startContacts(double t) {
  bool hit = false;
  std::vector<double> before;
  if (!outcome(jumps_.start(t, hit, before), t)) return false;
  if (!hit) return true;
  const std::span<double> state = workspace_.state();
  const std::vector<double> behind(state.begin(), state.end());
  std::copy(before.begin(), before.end(), state.begin());
  const bool wanted = take(t);
  std::copy(behind.begin(), behind.end(), state.begin());
  return wanted;
}

bool RunCore::take(double t) {
  if (!ok(sampler_.sample(t), t) || !constraintsHold()) return false;
  if (!enough()) return true;
  result_.interrupted = true;
  return false;
}

Checkpoint RunCore::checkpoint() const {
  Checkpoint c = checkpointOf(problem_);
  const std::span<const double> y = workspace_.state();
  c.time = result_.time;
  c.state.assign(y.begin(), y.end());
  c.steps = result_.steps;
  c.rejected = result_.rejected;
  c.evaluations = result_.evaluations + workspace_.iterationEvaluations();
  c.iterations = result_.iterations + workspace_.iterationTurns();
  c.sampled = sampled_;
  c.samples = sampler_.memory();
  c.signs = events_.memory();
  c.jumps = jumps_.memory();
  if (stepper_) c.contacts = stepper_->memory();
  save(c);
  return c;
}

void RunCore::freeze() {
  if (listeners_.checkpoints != nullptr && !cut_) frozen_ = checkpoint();
  cut_ = true;
}

void RunCore::beforeStep() {
  if (listeners_.checkpoints != nullptr && !cut_) frozen_ = checkpoint();
}

void RunCore::afterStep() {
  if (!cut_) frozen_.reset();
}

bool RunCore::lookForEvent(double t, double h, double& end, const EventWatch::To& to, bool& happened) {
  happened = false;
  if (!events_.any()) return true;
  if (!watched(events_.look(t, h, end, to, happened), t)) return false;
  if (!events_.stuck().empty()) {
    fail(EventsCrowd, t,
         fmt::format("the event {} happens again and again behind this time, with less and less time between: it does "
                     "not leave zero for as long as a time can be told from the next one",
                     events_.stuck()));
    return false;
  }
  if (!happened) {
    events_.accept();
    return true;
  }
  EventFound found;
  if (!watched(events_.locate(t, h, to, found), t)) return false;
  end = found.time;
  return true;
}

bool RunCore::outcome(const Jumps::Outcome& o, double t) {
  if (o.stop) {
    result_.event = o.stop;
    return false;
  }
  if (o.status == Ok) return true;
  if (o.cause.empty()) return watched(o.status, t);
  result_.failure = RunFailure{t, o.status, o.cause};
  return false;
}

bool RunCore::jump(double t) {
  result_.time = t;
  const bool stops = !events_[events_.happened().front()].goesOn; // one sample, by the driver
  if (!stops && !take(t)) return false;
  const Jumps::Outcome o = jumps_.react(t);
  if (!outcome(o, t)) return false;
  sampled_ = t;
  return take(t) && goOnWithin(t);
}

bool RunCore::sampling(double t) {
  if (!jumps_.due(t)) return true;
  bool caused = false;
  if (!outcome(jumps_.sample(t, caused), t)) return false;
  return !caused || jump(t);
}

void RunCore::keep() {
  if (listeners_.checkpoints == nullptr) return;
  // The other way round a process that ends here would lose the samples between the files and the checkpoint.
  if (listeners_.sink != nullptr) listeners_.sink->sync();
  if (listeners_.steps != nullptr) listeners_.steps->sync();
  listeners_.checkpoints->keep(frozen_ ? *frozen_ : checkpoint());
}

bool RunCore::stopAtLimit(std::string cause, double t) {
  if (t >= problem_.timeTo) return true; // the end is reached with it
  keep();
  result_.limited = true;
  result_.failure = {t, Ok, std::move(cause)};
  return false;
}

bool RunCore::goOn(std::int64_t steps) {
  within_ = 0;
  budget_ -= std::min(steps, budget_);
  if (budget_ == 0 &&
      !stopAtLimit(fmt::format("the limit of {} steps is reached", listeners_.bounds.steps), result_.time))
    return false;
  return !pace_.take(steps) || lookUp(result_.time, pace_.last());
}

bool RunCore::goOnWithin(double t) {
  return ++within_ < crowd || !paceWithin_.take(1) || lookUp(t, paceWithin_.last());
}

bool RunCore::lookUp(double t, Pace::Clock::time_point now) {
  if (seconds(now - begin_) > listeners_.bounds.seconds &&
      !stopAtLimit(fmt::format("the limit of {} seconds is reached", listeners_.bounds.seconds), t))
    return false;
  if (listeners_.checkpoints != nullptr && listeners_.checkpoints->due()) keep();
  if (listeners_.monitor == nullptr || listeners_.monitor->reached(t)) return true;
  keep();
  result_.interrupted = true;
  return false;
}

bool RunCore::watched(std::int32_t status, double t) {
  if (status == Ok || events_.undefined().empty()) return ok(status, t);
  result_.failure = {events_.undefinedAt(), status,
                     "the event " + events_.undefined() + " is not a number, so it is not known whether it happens" +
                         reasonInTable(t),
                     true};
  return false;
}

std::int64_t RunCore::untilLook() const {
  return check_ != nullptr ? check_->left(result_.steps) : std::numeric_limits<std::int64_t>::max();
}

MassMonitor& RunCore::monitor() {
  if (!monitor_) monitor_.emplace(*check_, problem_.params);
  return *monitor_;
}

bool RunCore::lookAtMass(double t, bool always) {
  if (check_ == nullptr || !(always || check_->due(result_.steps))) return true;
  if (const MassLook& own = check_->compiled; own.function >= 0) {
    // Where the code cannot factor the matrix, the step that follows says so.
    if (workspace_.call(own.function, t) != Ok) return true;
    if (!isSuspicious(*check_, workspace_.numbers(own.product).data(), workspace_.numbers(own.rhs).data())) return true;
  }
  auto wrong = monitor().look(workspace_.state(), t);
  if (wrong) fail(SingularMass, t, std::move(*wrong));
  return !wrong;
}

std::string RunCore::accountOfMass(double t) {
  return check_ != nullptr ? monitor().account(workspace_.state(), t) : statusText(SingularMass);
}

bool RunCore::ok(std::int32_t status, double t) {
  const bool contacts = stepper_ && !stepper_->cause().empty();
  if (status != Ok) fail(status, t, contacts ? stepper_->cause() : statusText(status));
  return status == Ok;
}

void RunCore::fail(std::int32_t status, double t, std::string cause) {
  if (status == NonFinite) {
    const auto left = leftTable(t);
    cause = left ? *left : cause + largestEntry();
  }
  if (status == SingularMass && check_ != nullptr && check_->constrained && !check_->definite)
    cause +=
        "; where the kinetic energy is negative for some velocities, equations of constraints must not follow from "
        "others: leave out those that are named before the run";
  if (status == NoConvergence && problem_.field(FieldKind::Report) != nullptr)
    cause += fmt::format("; the residual is {:.3g}", workspace_.iterationResidual());
  if (const auto rows =
          dependentConstraints(problem_, status, problem_.params, {workspace_.state(), t}, usualStep(problem_)))
    cause += "; " + *rows;
  // It is what makes states, matrices and residuals no numbers, or may be.
  if (const auto parameter = parameterThatIsNoNumber()) cause = *parameter + ": " + cause;
  result_.failure = RunFailure{t, status, std::move(cause)};
}

std::optional<std::string> RunCore::parameterThatIsNoNumber() const {
  std::optional<std::string> infinite;
  for (const FieldKind kind : {FieldKind::Parameter, FieldKind::InputValue})
    for (const Column& c : problem_.numbers(kind)) {
      const double x = problem_.params[static_cast<std::size_t>(c.offset)];
      const char* const what = kind == FieldKind::Parameter ? "parameter" : "input";
      if (std::isnan(x)) return fmt::format("the {} {} is not a number", what, c.entry.name());
      if (std::isinf(x) && !infinite) infinite = fmt::format("the {} {} is infinite", what, c.entry.name());
    }
  return infinite;
}

std::string RunCore::reasonInTable(double t) const {
  const auto left = leftTable(t);
  return left ? "; " + *left : std::string();
}

/// Which table the step behind time t has left, or would have.
std::optional<std::string> RunCore::leftTable(double t) const {
  if (!problem_.ranges) return std::nullopt;
  auto left = whatWasLeft(*problem_.ranges, problem_.params, workspace_.state(), t, usualStep(problem_));
  if (left) *left += " (LIE0660)";
  return left;
}

/// The state's entry of largest size (or one that is not finite), to show where a run blows up.
std::string RunCore::largestEntry() const {
  const std::vector<Column> state = problem_.numbers(FieldKind::State);
  const Column* largest = nullptr;
  double size = -1;
  for (const Column& column : state) {
    const double x = std::abs(*workspace_.place(column));
    if (x <= size) continue;
    largest = &column;
    size = std::isnan(x) ? INFINITY : x;
  }
  if (largest == nullptr) return {};
  return fmt::format("; of the last state the largest entry is {} = {:.6g}", largest->entry.name(),
                     *workspace_.place(*largest));
}

RunResult run(const Problem& problem, const RunListeners& listeners) {
  return problem.control ? runAdaptive(problem, listeners) : runFixedStep(problem, listeners);
}

std::string statusText(std::int32_t status) {
  switch (status) {
  case Ok:
    return "success";
  case SingularMass:
    return "the mass matrix is singular, or not positive definite as at the initial state of the model";
  case SingularMatrix:
    return "a matrix that has to be inverted is singular";
  case NoConvergence:
    return "an implicit equation could not be solved: the iteration does not converge";
  case NonFinite:
    return "the state is no longer finite";
  case FarFromManifold:
    return "the step is too long: in storage coordinates it ended so far from the manifold that the nearest point is "
           "not found to round-off";
  case EventsCrowd:
    return "events happen without time between them";
  case ResetWrong:
    return "a reset leads to no state of the model";
  case ImpactEnergy:
    return "an impact would add energy";
  case ContactUndecided:
    return "the laws of contact have no solution, or not one alone";
  case ContactLawWrong:
    return "restitution or friction of a contact are outside of their ranges";
  case ContactOverlap:
    return "a contact does not hold at the begin";
  default:
    return fmt::format("the compiled code returned the status {}", status);
  }
}

/// Absolute tolerances and then relative ones, one of each a piece: one of the two may be 0.
static bool tolerancesUsable(const std::vector<double>& t) {
  const std::size_t n = t.size() / 2;
  for (std::size_t k = 0; k < n; ++k) {
    const double absolute = t[k], relative = t[k + n];
    if (!(absolute >= 0 && relative >= 0 && absolute + relative > 0 && std::isfinite(absolute + relative)))
      return false;
  }
  return true;
}

std::vector<SettingFault> checkSettings(const Problem& problem) {
  const double from = problem.timeFrom, to = problem.timeTo, h = problem.step, every = problem.outputEvery;
  std::vector<SettingFault> faults;
  if (std::isnan(from) || std::isnan(to))
    faults.push_back(SettingFault::TimeMissing);
  else if (!std::isfinite(from) || !std::isfinite(to) || !(from < to))
    faults.push_back(SettingFault::TimeEmpty);
  const bool bounded = faults.empty();
  const double largest = std::max(std::abs(from), std::abs(to));
  const double used = std::min(h, to - from);
  const bool adaptive = problem.control.has_value();
  if (std::isnan(h)) {
    if (!adaptive) faults.push_back(SettingFault::StepMissing);
  } else if (!std::isfinite(h) || h <= 0) {
    faults.push_back(SettingFault::StepNotPositive);
  } else if (bounded && (largest + used == largest || largest - used == largest)) {
    faults.push_back(SettingFault::StepTooSmall);
  } else if (bounded && !adaptive && !((to - from) / h <= stepLimit)) {
    faults.push_back(SettingFault::TooManySteps);
  }
  if (adaptive && !tolerancesUsable(problem.control->tolerances)) faults.push_back(SettingFault::ToleranceNotPositive);
  if (adaptive && !(problem.control->safety >= 0 && problem.control->safety <= 1))
    faults.push_back(SettingFault::SafetyOutside);
  if (std::isnan(every) || every == 0) return faults;
  if (every < 0 || !std::isfinite(every))
    faults.push_back(SettingFault::EveryNotPositive);
  else if (bounded && !((to - from) / every <= stepLimit))
    faults.push_back(SettingFault::TooManySamples);
  return faults;
}

std::optional<double> expectedSamples(const Problem& p, const RunListeners& listeners) {
  const RunBounds& bounds = listeners.bounds;
  const bool limited = static_cast<double>(bounds.steps) < stepLimit;
  if (std::isfinite(bounds.seconds) || (limited && (p.control || !p.outputTimes.empty()))) return std::nullopt;
  double length = p.timeTo - (listeners.resume != nullptr ? listeners.resume->time : p.timeFrom);
  if (limited) length = std::min(length, static_cast<double>(bounds.steps) * p.step);
  if (!p.outputTimes.empty()) return static_cast<double>(p.outputTimes.size()) + 2;
  if (p.outputSteps == 0 && p.outputEvery > 0) return std::ceil(length / p.outputEvery) + 1;
  if (p.control) return std::nullopt;
  return std::ceil(length / p.step / static_cast<double>(std::max<std::int64_t>(p.outputSteps, 1))) + 1;
}

} // namespace lmc::runtime
