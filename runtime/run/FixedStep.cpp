#include "runtime/run/FixedStep.h"

#include "runtime/run/Grid.h"
#include "runtime/run/RunCore.h"
#include "runtime/run/StepPieces.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::runtime {

namespace {

class FixedStepRun final : public RunCore {
public:
  FixedStepRun(const Problem& problem, const RunListeners& listeners)
      : RunCore(problem, listeners), grid_(problem.timeFrom, problem.timeTo, problem.step),
        pieces_(workspace_, stepper_ ? &*stepper_ : nullptr) {}

private:
  void integrate() override {
    if (!begin()) return;
    SampleTimes times = sampleTimes();
    times.skipTo(sampled_);
    SamplePoint point;
    bool more = times.next(point);
    if (watches_)
      while (taken_ < grid_.steps() && watchedStep(times, point, more)) continue;
    else
      for (; more; more = times.next(point))
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

  [[nodiscard]] bool samplesEachStep() const {
    if (!problem_.outputTimes.empty() || problem_.outputEvery > 0) return false;
    return problem_.outputSteps == 1 || (problem_.outputSteps == 0 && listeners_.sink != nullptr);
  }

  /// Whole steps up to grid index k. False when the run ends before.
  bool advanceTo(std::int64_t k) {
    while (taken_ < k) {
      const bool last = taken_ == grid_.steps() - 1;
      const std::int64_t wanted = last ? 1 : std::min(k, grid_.steps() - 1) - taken_;
      const std::int64_t n = std::min({wanted, stepsAtOnce(), untilLook()});
      if (!steps(n, last ? grid_.lastStep() : grid_.step())) return false;
    }
    return true;
  }

  bool steps(std::int64_t n, double h) {
    // The last step may have a length of its own.
    const bool other = taken_ == grid_.steps() - 1 && h != grid_.step();
    if (other) freeze();
    const double left = grid_.time(taken_);
    std::int64_t done = 0;
    const std::int32_t status =
        other ? pieces_.steps(left, h, 0, n, done) : pieces_.steps(grid_.begin(), h, taken_, n, done);
    taken_ += done;
    result_.steps = taken_;
    result_.evaluations += done * problem_.evaluationsPerStep;
    result_.time = grid_.time(taken_);
    if (status == SingularMass && check_ != nullptr && !stepper_) {
      pieces_.remember();
      return singularWithin(h, result_.time);
    }
    return ok(status, result_.time) && lookAtMass(result_.time) && goOn(n);
  }

  /// One step of the grid, looked at for events and samplings: they cut it into pieces. False when the run ends in it.
  bool watchedStep(SampleTimes& times, SamplePoint& point, bool& more) {
    const bool shortened = taken_ == grid_.steps() - 1 && grid_.lastStep() != grid_.step();
    // Not rounded to the end of the run, which a run that goes on does not know.
    const double right = shortened ? grid_.end() : grid_.begin() + static_cast<double>(taken_ + 1) * grid_.step();
    if (shortened) freeze();
    beforeStep();
    for (double from = grid_.time(taken_); from < right;) {
      const double due = jumps_.next();
      const bool cut = due < right && !sameTime(due, right);
      double end = cut ? due : right;
      if (!piece(from, end, !cut && !shortened && from == grid_.time(taken_)) ||
          !samplesWithin(from, end, times, point, more))
        return false;
      result_.time = end;
      if (happened_ && !jump(end)) {
        if (result_.event) result_.steps = taken_ + 1; // the one in which it happened counts
        return false;
      }
      const bool sampled = jumps_.due(end);
      if (!sampling(end)) return false;
      // What begins there is a step; or events have had their samples, in front of the blocks of this time.
      if (happened_ ? sampled : cut && end == due && samplesEachStep()) {
        sampled_ = end;
        if (!take(end)) return false;
      }
      from = end;
      if (!goOnWithin(end)) return false;
    }
    result_.steps = ++taken_;
    result_.time = grid_.time(taken_);
    afterStep();
    if (more && point.partial == 0 && point.index == taken_) {
      if (!sameTime(sampled_, right) && !sample(point)) return false;
      more = times.next(point);
    }
    return lookAtMass(result_.time) && goOn(1);
  }

  /// The state at `end`, or at the first event before it, which is then `end`. `whole`: it is a step of the grid.
  bool piece(double from, double& end, bool whole) {
    const double h = end - from;
    pieces_.remember();
    std::int64_t done = 0;
    const std::int32_t status =
        whole ? pieces_.steps(grid_.begin(), grid_.step(), taken_, 1, done) : part(from, h, true);
    result_.evaluations += problem_.evaluationsPerStep;
    result_.time = from;
    if (status == SingularMass && check_ != nullptr && !stepper_) return singularWithin(h, from);
    return ok(status, from) && lookForEvent(
                                   from, h, end, [&](double theta) { return partial(from, theta); }, happened_);
  }

  /// The samples between the ends of a piece whose end is the state, which stays.
  bool samplesWithin(double from, double end, SampleTimes& times, SamplePoint& point, bool& more) {
    std::vector<double> there;
    for (; more && point.time < end && !sameTime(point.time, end); more = times.next(point)) {
      if (sameTime(point.time, from) && sameTime(sampled_, from) && sampled_ > problem_.timeFrom) continue; // of a jump
      if (there.empty()) there.assign(workspace_.state().begin(), workspace_.state().end());
      if (!sameTime(point.time, from) && !ok(partial(from, point.time - from), from)) return false;
      if (sameTime(point.time, from)) pieces_.putBack();
      sampled_ = point.time;
      if (!take(point.time) || !goOnWithin(point.time)) {
        pieces_.putBack(); // the time that is reached is that of the begin
        return false;
      }
    }
    if (!there.empty()) std::copy(there.begin(), there.end(), workspace_.state().begin());
    return true;
  }

  /// Ends the run where the step of length h from the remembered state, at time `left`, first meets a mass matrix that
  /// cannot be factored: there its condition tells what the matter is.
  bool singularWithin(double h, double left) {
    const std::int64_t evaluations = result_.evaluations;
    std::vector<double> near = pieces_.remembered();
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
    pieces_.putBack();
    result_.evaluations = evaluations;
    fail(SingularMass, left, std::move(cause));
    return false;
  }

  /// The state a step of length h behind the remembered one, at time t.
  std::int32_t partial(double t, double h) {
    pieces_.putBack();
    result_.evaluations += problem_.evaluationsPerStep;
    return part(t, h);
  }

  /// A piece of a step (StepPieces::part), of which the first of its steps is counted by the caller.
  std::int32_t part(double t, double h, bool counts = false) {
    std::int64_t taken = 1;
    const std::int32_t status = pieces_.part(t, h, grid_.step(), taken, counts);
    result_.evaluations += (taken - 1) * problem_.evaluationsPerStep;
    return status;
  }

  bool sample(const SamplePoint& point) {
    if (point.partial != 0) return sampleInside(point);
    sampled_ = point.time;
    return take(point.time);
  }

  /// A partial step behind the state, which stays.
  bool sampleInside(const SamplePoint& point) {
    const double left = grid_.time(point.index);
    pieces_.remember();
    const std::int32_t status = partial(left, point.partial);
    const bool wanted = ok(status, left) && take(point.time);
    pieces_.putBack();
    sampled_ = point.time;
    return wanted && goOnWithin(point.time);
  }

  Grid grid_;
  StepPieces pieces_;
  std::int64_t taken_ = 0;
  bool happened_ = false; ///< an event at the end of the last piece
};

} // namespace

RunResult runFixedStep(const Problem& problem, const RunListeners& listeners) {
  return FixedStepRun(problem, listeners).run();
}

} // namespace lmc::runtime
