// Samples with fixed steps, as many at once as there are lanes. Each does what FixedStep.cpp does for one.
#include "runtime/ensemble/LaneConstraints.h"
#include "runtime/ensemble/LaneMass.h"
#include "runtime/ensemble/Runners.h"
#include "runtime/mass/Dependence.h"
#include "runtime/run/Grid.h"

#include <algorithm>

namespace lmc::runtime {

namespace {

class FixedLanes final : public BlockRunner {
public:
  FixedLanes(EnsembleShared& shared, std::unique_ptr<LaneMachine> machine)
      : shared_(shared), problem_(shared.problem.problem), plan_(shared.plan), machine_(std::move(machine)),
        work_(*machine_), mass_(shared.problem, work_), constraints_(problem_, work_), source_(shared.problem.source()),
        grid_(problem_.timeFrom, problem_.timeTo, problem_.step), params_(problem_.params.size()),
        state_(problem_.initialState.size()), times_(work_.status.size()) {
    const double cost = static_cast<double>(shared.problem.length + 1) * static_cast<double>(work_.lanes());
    chunk_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(work_.patience() / cost));
  }

  bool run(OpenBatch& open) override {
    for (std::int64_t first = 0; first < open.count(); first += work_.lanes())
      if (!group(open, first)) return false;
    return true;
  }

private:
  bool group(OpenBatch& open, std::int64_t first) {
    first_ = first;
    used_ = static_cast<int>(std::min<std::int64_t>(work_.lanes(), open.count() - first));
    load(open);
    work_.setup();
    taken_ = 0;
    std::fill(work_.done.begin(), work_.done.end(), 0);
    look();
    for (std::size_t k = 0; k < plan_.points.size(); ++k) {
      const SamplePoint& point = plan_.points[k];
      if (shared_.stop || !advanceTo(point.index)) return false; // a step may have any number of samples
      if (point.index == grid_.steps()) look();
      if (point.partial != 0)
        sampleInside(open, k, point);
      else
        sample(open, k, point.time);
    }
    finish(open);
    return true;
  }

  /// Samples whose data cannot be made, and lanes without a sample, take no part; their memory is that of another one.
  void load(OpenBatch& open) {
    int good = -1;
    for (int l = 0; l < work_.lanes(); ++l) {
      const auto lane = static_cast<std::size_t>(l);
      work_.status[lane] = InitialWrong;
      if (l >= used_) continue;
      const std::int64_t sample = first_ + l;
      work_.status[lane] = source_->make(open.number(sample), params_, state_, open.varied(sample));
      if (work_.status[lane] != Ok) continue;
      work_.load(l, params_, state_);
      mass_.restart(lane);
      if (!work_.finite(l)) work_.status[lane] = NonFinite;
      if (work_.status[lane] == Ok && good < 0) good = l;
    }
    for (int l = 0; good >= 0 && l < work_.lanes(); ++l)
      if (work_.status[static_cast<std::size_t>(l)] != Ok) work_.copyLane(good, l);
  }

  [[nodiscard]] bool anyRuns() const {
    return std::any_of(work_.status.begin(), work_.status.end(), [](std::int32_t s) { return s == Ok; });
  }

  /// Whole steps up to grid index k. False when somebody asked to stop.
  bool advanceTo(std::int64_t k) {
    while (taken_ < k && anyRuns()) {
      if (shared_.stop) return false;
      const bool last = taken_ == grid_.steps() - 1;
      const std::int64_t wanted = last ? 1 : std::min(k, grid_.steps() - 1) - taken_;
      const std::int64_t n = std::min({wanted, chunk_, mass_.wanted() ? mass_.left(taken_) : wanted});
      if (last && grid_.lastStep() != grid_.step()) {
        lastStep();
      } else {
        work_.advance(grid_.begin(), grid_.step(), taken_, n);
      }
      taken_ += n;
      if (mass_.wanted() && mass_.left(taken_) == mass_.left(0)) look();
      shared_.add(static_cast<double>(used_ * n) / static_cast<double>(grid_.steps()));
    }
    taken_ = std::max(taken_, k);
    return true;
  }

  /// The last step has a length of its own, and counts its steps from zero.
  void lastStep() {
    const std::vector<std::int64_t> before = work_.done;
    std::fill(work_.done.begin(), work_.done.end(), 0);
    const std::vector<std::int32_t> statuses = work_.status;
    work_.advance(grid_.time(taken_), grid_.lastStep(), 0, 1);
    for (std::size_t l = 0; l < before.size(); ++l)
      work_.done[l] = statuses[l] == Ok ? taken_ + work_.done[l] : before[l];
  }

  void look() {
    std::fill(times_.begin(), times_.end(), grid_.time(taken_));
    mass_.look(times_);
  }

  void sample(OpenBatch& open, std::size_t time, double t) {
    if (!anyRuns()) return;
    std::fill(times_.begin(), times_.end(), t);
    work_.evaluate(problem_.functions.observe, times_);
    constraints_.look();
    for (int l = 0; l < used_; ++l)
      if (work_.status[static_cast<std::size_t>(l)] == Ok) work_.columns(l, open.row(first_ + l, time));
  }

  /// A partial step behind the states, which stay as they are.
  void sampleInside(OpenBatch& open, std::size_t time, const SamplePoint& point) {
    work_.keep(LaneMachine::Kept::Before);
    const std::vector<std::int64_t> before = work_.done;
    work_.advance(grid_.time(point.index), point.partial, 0, 1);
    work_.done = before;
    sample(open, time, point.time);
    work_.restore(LaneMachine::Kept::Before);
  }

  void finish(OpenBatch& open) {
    for (int l = 0; l < used_; ++l) {
      const auto lane = static_cast<std::size_t>(l);
      const std::int64_t sample = first_ + l;
      open.status(sample) = work_.status[lane];
      open.end(sample) = grid_.time(work_.done[lane]);
      if (work_.status[lane] != HandedBack) open.block(sample).steps += work_.done[lane];
      explain(open, l);
    }
  }

  /// Why the sample of a lane has failed, if constraints may be the reason.
  void explain(OpenBatch& open, int l) {
    const std::int32_t status = work_.status[static_cast<std::size_t>(l)];
    const std::int64_t sample = first_ + l;
    if (!sampleFailed(status) || problem_.mass == nullptr) return;
    shared_.failed(open.number(sample), [&]() -> std::optional<std::string> {
      Problem own = problem_; // with the data of the sample, which are made once more
      std::vector<double> state(state_.size());
      work_.read(Role::State, l, state);
      if (source_->make(open.number(sample), own.params, own.initialState, open.varied(sample)) != Ok)
        return std::nullopt;
      return dependentConstraints(own, status, own.params, {state, open.end(sample)}, grid_.step());
    });
  }

  EnsembleShared& shared_;
  const Problem& problem_;
  const EnsemblePlan& plan_;
  std::unique_ptr<LaneMachine> machine_;
  LaneMachine& work_;
  LaneMass mass_;
  LaneConstraints constraints_;
  std::unique_ptr<SampleSource> source_;
  Grid grid_;
  std::vector<double> params_, state_, times_;
  std::int64_t chunk_ = 1, first_ = 0, taken_ = 0;
  int used_ = 0;
};

} // namespace

std::unique_ptr<BlockRunner> fixedLanes(EnsembleShared& shared, std::unique_ptr<LaneMachine> machine) {
  return std::make_unique<FixedLanes>(shared, std::move(machine));
}

} // namespace lmc::runtime
