// Samples one by one, by the drivers of single runs: for problems with events, which stop each sample at a time of its
// own.
#include "runtime/ensemble/Runners.h"
#include "runtime/mass/Dependence.h"
#include "runtime/run/Run.h"

#include <algorithm>

namespace lmc::runtime {

namespace {

/// Puts the samples of a run where their times belong.
class RowSink final : public Sink {
public:
  RowSink(OpenBatch& open, std::int64_t sample, const EnsemblePlan& plan) : open_(open), sample_(sample), plan_(plan) {}
  void begin(const std::vector<Entry>&) override {}
  void sample(double t, std::span<const double> values) override {
    if (plan_.keep == EnsembleKeep::Final) { // the last one counts, wherever it is
      std::copy(values.begin(), values.end(), open_.row(sample_, 0).begin());
      return;
    }
    while (next_ < plan_.times.size() && plan_.times[next_] < t && !sameTime(plan_.times[next_], t)) ++next_;
    if (next_ == plan_.times.size() || !sameTime(plan_.times[next_], t)) return; // an event between two times
    std::copy(values.begin(), values.end(), open_.row(sample_, next_).begin());
  }
  void finish() override {}

private:
  OpenBatch& open_;
  std::int64_t sample_;
  const EnsemblePlan& plan_;
  std::size_t next_ = 0;
};

class StopMonitor final : public Monitor {
public:
  explicit StopMonitor(EnsembleShared& shared) : shared_(shared) {}
  bool reached(double) override { return !shared_.stop; }

private:
  EnsembleShared& shared_;
};

class SingleRuns final : public BlockRunner {
public:
  explicit SingleRuns(EnsembleShared& shared)
      : shared_(shared), problem_(shared.problem.problem), source_(shared.problem.source()) {
    const EnsemblePlan& plan = shared.plan;
    const bool final = plan.keep == EnsembleKeep::Final; // begin and end
    problem_.outputSteps = final ? 0 : plan.stride;
    problem_.outputEvery = final ? problem_.timeTo - problem_.timeFrom : plan.every;
  }

  bool run(OpenBatch& open) override {
    for (std::int64_t k = 0; k < open.count(); ++k) {
      if (shared_.stop || !one(open, k)) return false;
      shared_.add(1);
    }
    return true;
  }

private:
  bool one(OpenBatch& open, std::int64_t k) {
    EnsembleBlock& block = open.block(k);
    std::int32_t& status = open.status(k);
    status = source_->make(open.number(k), problem_.params, problem_.initialState, open.varied(k));
    if (status != Ok) return true;
    RowSink sink(open, k, shared_.plan);
    StopMonitor monitor(shared_);
    const RunResult result = lmc::runtime::run(problem_, {&sink, &monitor, nullptr, nullptr, nullptr});
    if (result.interrupted) return false;
    open.end(k) = result.time;
    block.steps += result.steps;
    block.rejected += result.rejected;
    if (result.failure) {
      shared_.failed(open.number(k), [&] {
        return dependentConstraints(problem_, result.failure->status, problem_.params,
                                    {result.state, result.failure->time}, usualStep(problem_));
      });
      status = result.failure->quantity       ? static_cast<std::int32_t>(NotANumber)
               : result.failure->constraint   ? static_cast<std::int32_t>(ConstraintMissed)
               : result.failure->status == Ok ? static_cast<std::int32_t>(StepUnderflow)
                                              : result.failure->status;
      if (!result.failure->quantity && shared_.plan.keep == EnsembleKeep::Final)
        std::fill_n(open.row(k, 0).begin(), open.columns(), std::numeric_limits<double>::quiet_NaN());
    } else if (result.event) {
      status = EventReached;
    } else if (result.contacts && (result.contacts->stalled > 0 || result.contacts->gains > 0)) {
      status = ImpulsesMissed;
    }
    return true;
  }

  EnsembleShared& shared_;
  Problem problem_;
  std::unique_ptr<SampleSource> source_;
};

} // namespace

std::unique_ptr<BlockRunner> singleRuns(EnsembleShared& shared) {
  return std::make_unique<SingleRuns>(shared);
}

} // namespace lmc::runtime
