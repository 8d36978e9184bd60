#include "runtime/run/FixedStep.h"

#include "runtime/run/Grid.h"
#include "runtime/run/RunCore.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::runtime {

namespace {

class FixedStepRun final : public RunCore {
public:
  FixedStepRun(const Problem& problem, const RunListeners& listeners)
      : RunCore(problem, listeners), grid_(problem.timeFrom, problem.timeTo, problem.step) {}

private:
  void integrate() override {
    if (!begin()) return;
    SampleTimes times = sampleTimes();
    times.skipTo(sampled_);
    SamplePoint point;
    while (times.next(point))
      if (!advanceTo(point.index) || !sample(point)) break;
    if (worthASample() || result_.event) ok(sampler_.sample(result_.time), result_.time);
  }

  void save(Checkpoint&) const override {}
  void restore(const Checkpoint& c) override { taken_ = std::min(c.steps, grid_.steps()); }

  [[nodiscard]] SampleTimes sampleTimes() const {
    if (!problem_.outputTimes.empty()) return SampleTimes::at(grid_, problem_.outputTimes);
    if (problem_.outputSteps > 0) return SampleTimes::everySteps(grid_, problem_.outputSteps);
    if (problem_.outputEvery > 0) return SampleTimes::every(grid_, problem_.outputEvery);
    return SampleTimes::everySteps(grid_, listeners_.sink != nullptr ? 1 : grid_.steps() / monitorSamples);
  }

  /// Whole steps up to grid index k. False when the run ends before.
  bool advanceTo(std::int64_t k) {
    while (taken_ < k) {
      const bool last = taken_ == grid_.steps() - 1;
      const std::int64_t wanted = last ? 1 : std::min(k, grid_.steps() - 1) - taken_;
      const std::int64_t n = events_.any() ? 1 : std::min({wanted, stepsAtOnce(), untilLook()});
      if (!steps(n, last ? grid_.lastStep() : grid_.step())) return false;
    }
    return true;
  }

  bool steps(std::int64_t n, double h) {
    // The last step may have a length of its own.
    const bool other = taken_ == grid_.steps() - 1 && h != grid_.step();
    if (other) freeze();
    if (events_.any()) {
      beforeStep();
      remember();
    }
    const double left = grid_.time(taken_);
    std::int64_t done = 0;
    const std::int32_t status =
        other ? workspace_.advance(left, h, 0, n, done) : workspace_.advance(grid_.begin(), h, taken_, n, done);
    taken_ += done;
    result_.steps = taken_;
    result_.evaluations += done * problem_.evaluationsPerStep;
    result_.time = grid_.time(taken_);
    if (status == SingularMass && mass_) return singularWithin(h);
    return ok(status, result_.time) && (!events_.any() || noEvent(left, grid_.time(taken_) - left)) &&
           lookAtMass(result_.time) && goOn(n);
  }

  /// Ends the run where the step of length h from the present state first meets a mass matrix that cannot be factored:
  /// there its condition tells what the matter is.
  bool singularWithin(double h) {
    const double left = result_.time;
    const std::int64_t evaluations = result_.evaluations;
    remember();
    std::vector<double> near = saved_;
    double good = 0;
    for (double bad = h; bad - good > 1e-12 * h;) {
      const double middle = good + (bad - good) / 2;
      if (partial(left, middle) != Ok || !workspace_.finite()) {
        bad = middle;
        continue;
      }
      good = middle;
      near.assign(workspace_.state().begin(), workspace_.state().end());
    }
    std::copy(near.begin(), near.end(), workspace_.state().begin());
    std::string cause = accountOfMass(left + good);
    if (good > 0) cause += fmt::format(" (at t = {:.12g}, within the step)", left + good);
    putBack();
    result_.evaluations = evaluations;
    fail(SingularMass, left, std::move(cause));
    return false;
  }

  /// False when an event has stopped the run within the step of length h from time t, whose result is the state.
  bool noEvent(double t, double h) {
    bool happened = false;
    if (!watched(events_.look(t + h, happened), t + h)) return false;
    if (!happened) {
      events_.accept();
      afterStep();
      return true;
    }
    stopAtEvent(t, h, [&](double theta) { return partial(t, theta); });
    return false;
  }

  void remember() {
    const std::span<double> state = workspace_.state();
    saved_.assign(state.begin(), state.end());
  }
  void putBack() { std::copy(saved_.begin(), saved_.end(), workspace_.state().begin()); }

  /// The state a step of length h behind the remembered one, at time t.
  std::int32_t partial(double t, double h) {
    putBack();
    std::int64_t done = 0;
    result_.evaluations += problem_.evaluationsPerStep;
    return workspace_.advance(t, h, 0, 1, done);
  }

  bool sample(const SamplePoint& point) {
    if (point.partial != 0) return sampleInside(point);
    sampled_ = point.time;
    return take(point.time);
  }

  /// A partial step behind the state, which stays as it is unless an event lies before the sample.
  bool sampleInside(const SamplePoint& point) {
    const double left = grid_.time(point.index);
    beforeStep();
    remember();
    const std::int32_t status = partial(left, point.partial);
    if (status == Ok && events_.any()) {
      bool happened = false;
      if (!watched(events_.look(point.time, happened), point.time)) return false;
      if (happened) {
        ++result_.steps;
        stopAtEvent(left, point.partial, [&](double theta) { return partial(left, theta); });
        return false;
      }
      afterStep();
    }
    const bool wanted = ok(status, left) && take(point.time);
    putBack();
    sampled_ = point.time;
    return wanted;
  }

  Grid grid_;
  std::int64_t taken_ = 0;
  std::vector<double> saved_;
};

} // namespace

RunResult runFixedStep(const Problem& problem, const RunListeners& listeners) {
  return FixedStepRun(problem, listeners).run();
}

} // namespace lmc::runtime
