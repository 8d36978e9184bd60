#include "runtime/FixedStep.h"

#include "runtime/Grid.h"
#include "runtime/RunCore.h"

#include <algorithm>

namespace lmc {

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
    // The state at which somebody stopped the run is worth keeping.
    if (result_.interrupted) ok(sampler_.sample(result_.time), result_.time);
  }

  void save(Checkpoint&) const override {}
  void restore(const Checkpoint& c) override { taken_ = std::min(c.steps, grid_.steps()); }

  [[nodiscard]] SampleTimes sampleTimes() const {
    if (problem_.outputSteps > 0) return SampleTimes::everySteps(grid_, problem_.outputSteps);
    if (problem_.outputEvery > 0) return SampleTimes::every(grid_, problem_.outputEvery);
    return SampleTimes::everySteps(grid_, listeners_.sink != nullptr ? 1 : grid_.steps() / monitorSamples);
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
    // The last step may have a length of its own.
    const bool other = taken_ == grid_.steps() - 1 && h != grid_.step();
    if (other) freeze();
    std::int64_t done = 0;
    const std::int32_t status = other ? workspace_.advance(grid_.time(taken_), h, 0, n, done)
                                      : workspace_.advance(grid_.begin(), h, taken_, n, done);
    taken_ += done;
    result_.steps = taken_;
    result_.evaluations += done * problem_.evaluationsPerStep;
    result_.time = grid_.time(taken_);
    return ok(status, result_.time) && goOn(n);
  }

  bool sample(const SamplePoint& point) {
    if (point.partial != 0) return sampleInside(point);
    if (!ok(sampler_.sample(point.time), point.time)) return false;
    sampled_ = point.time;
    return true;
  }

  /// A partial step behind the state, which stays as it is.
  bool sampleInside(const SamplePoint& point) {
    const std::span<double> state = workspace_.state();
    saved_.assign(state.begin(), state.end());
    std::int64_t done = 0;
    std::int32_t status = workspace_.advance(grid_.time(point.index), point.partial, 0, 1, done);
    result_.evaluations += problem_.evaluationsPerStep;
    if (status == tape::Ok) status = sampler_.sample(point.time);
    std::copy(saved_.begin(), saved_.end(), state.begin());
    sampled_ = point.time;
    return ok(status, grid_.time(point.index));
  }

  Grid grid_;
  std::int64_t taken_ = 0;
  std::vector<double> saved_;
};

} // namespace

RunResult runFixedStep(const Problem& problem, const RunListeners& listeners) {
  return FixedStepRun(problem, listeners).run();
}

} // namespace lmc
