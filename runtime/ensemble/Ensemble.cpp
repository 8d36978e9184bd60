#include "runtime/ensemble/Ensemble.h"

#include "runtime/ensemble/Runners.h"
#include "runtime/run/Run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

namespace lmc::runtime {

bool sampleFailed(std::int32_t status) {
  return status != Ok && status != EventReached;
}

std::string sampleStatusText(std::int32_t status) {
  switch (status) {
  case StepUnderflow:
    return "the step size became too small: steps are still rejected";
  case InitialWrong:
    return "the initial values are not on their manifolds or constraints, or cannot be computed";
  case EventReached:
    return "stopped by an event";
  case MassUnsolved:
    return "the accelerations do not solve the mass equation, or its matrix has passed through a singular one: a run "
           "with the numbers of the sample tells where";
  case NotANumber:
    return "the energy, an observable or an event is not a number";
  default:
    return statusText(status);
  }
}

namespace {

/// Rows of statistics and of whole trajectories when neither model nor command line says how many.
constexpr std::int64_t usualRows = 100;

std::vector<SamplePoint> pointsOf(const EnsemblePlan& plan, const Grid& grid) {
  if (plan.keep == EnsembleKeep::Final) return {{grid.steps(), 0, grid.end()}};
  std::vector<SamplePoint> points = {{0, 0, grid.begin()}};
  SampleTimes times =
      plan.stride > 0 ? SampleTimes::everySteps(grid, plan.stride) : SampleTimes::every(grid, plan.every);
  SamplePoint point;
  while (times.next(point)) points.push_back(point);
  return points;
}

/// As an adaptive run samples by time.
std::vector<double> timesOf(const Problem& p, const EnsemblePlan& plan) {
  if (plan.keep == EnsembleKeep::Final) return {p.timeTo};
  std::vector<double> times = {p.timeFrom};
  for (std::int64_t k = 1;; ++k) {
    const double due = p.timeFrom + static_cast<double>(k) * plan.every;
    if (due >= p.timeTo || sameTime(due, p.timeTo)) break;
    times.push_back(due);
  }
  times.push_back(p.timeTo);
  return times;
}

class EnsembleRun {
public:
  EnsembleRun(const EnsembleProblem& problem, const EnsemblePlan& plan, const EnsembleListeners& listeners)
      : problem_(problem), plan_(plan), listeners_(listeners), shared_{problem, plan},
        blocks_(plan.blocks(problem.samples)) {}

  EnsembleResult run(int threads) {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t busy = std::clock(); // of the whole process
    {
      std::vector<std::jthread> workers;
      const std::int64_t useful = std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(blocks_, 1));
      running_ = useful;
      for (std::int64_t k = 0; k < useful; ++k) workers.emplace_back([this] { work(); });
      watch();
    }
    if (failure_) std::rethrow_exception(failure_);
    result_.interrupted = interrupted_ && next_ < blocks_;
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result_.cpuSeconds = static_cast<double>(std::clock() - busy) / CLOCKS_PER_SEC;
    for (const auto& [status, count] : failures_) result_.failures.emplace_back(status, count);
    std::stable_sort(result_.failures.begin(), result_.failures.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return result_;
  }

private:
  /// The thread that started the others tells how far they are.
  void watch() {
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      ended_.wait_for(lock, std::chrono::milliseconds(100));
      if (!listeners_.progress || running_ == 0) continue;
      const double part = static_cast<double>(shared_.work) / 1e6 / static_cast<double>(problem_.samples);
      lock.unlock();
      const bool goOn = listeners_.progress(part);
      lock.lock();
      if (goOn) continue;
      interrupted_ = true;
      shared_.stop = true;
    }
  }

  void work() {
    try {
      const std::unique_ptr<BlockRunner> runner = problem_.lanes == 0        ? singleRuns(shared_)
                                                  : problem_.problem.control ? adaptiveLanes(shared_)
                                                                             : fixedLanes(shared_);
      while (!shared_.stop) {
        const std::int64_t index = taken_++;
        if (index >= blocks_ || !make(*runner, index)) break;
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      shared_.stop = true;
    }
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();
  }

  /// False when the block could not be finished.
  bool make(BlockRunner& runner, std::int64_t index) {
    auto block = std::make_unique<EnsembleBlock>();
    if (listeners_.known && listeners_.known(index, *block)) {
      requireFit(*block, index);
      shared_.add(static_cast<double>(block->count));
      pass(std::move(block));
      return true;
    }
    const std::size_t columns = problem_.problem.columnCount(), times = plan_.times.size();
    block->index = index;
    block->first = index * plan_.block;
    block->count = std::min(plan_.block, problem_.samples - block->first);
    const auto count = static_cast<std::size_t>(block->count);
    block->statuses.assign(count, Ok);
    block->ends.assign(count, problem_.problem.timeFrom);
    block->varied.assign(count * problem_.varied.size(), 0);
    block->rows.assign(count * times * columns, std::numeric_limits<double>::quiet_NaN());
    OpenBlock open{*block, columns, times};
    if (!runner.run(open)) return false;
    findUndefined(open);
    if (plan_.keep == EnsembleKeep::Statistics) condense(*block, times * columns);
    if (listeners_.finished) {
      const std::lock_guard lock(finishing_);
      listeners_.finished(*block);
    }
    pass(std::move(block));
    return true;
  }

  /// A block of a checkpoint that does not have the numbers that it must have was not made by this ensemble.
  void requireFit(const EnsembleBlock& b, std::int64_t index) const {
    const auto count = static_cast<std::size_t>(std::min(plan_.block, problem_.samples - index * plan_.block));
    const std::size_t size = plan_.times.size() * problem_.problem.columnCount();
    const bool statistics = plan_.keep == EnsembleKeep::Statistics;
    if (b.index == index && b.first == index * plan_.block && b.count == static_cast<std::int64_t>(count) &&
        b.statuses.size() == count && b.ends.size() == count && b.varied.size() == count * problem_.varied.size() &&
        b.rows.size() == (statistics ? 0 : count * size) && b.moments.size() == (statistics ? size : 0))
      return;
    throw CheckpointError("the checkpoint has a block of samples that does not belong to it");
  }

  /// What a run would call a failure for its energy or an observable, is one here.
  void findUndefined(OpenBlock& open) const {
    const Problem& p = problem_.problem;
    const std::vector<Column> columns = p.columns();
    const Field* const energy = p.field(FieldKind::Energy);
    std::vector<std::size_t> watched;
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (columns[k].role == Role::Output && !names(p.undefinable, columns[k].entry)) watched.push_back(k);
    for (std::int64_t s = 0; s < open.block.count; ++s) {
      std::int32_t& status = open.block.statuses[static_cast<std::size_t>(s)];
      if (sampleFailed(status)) continue;
      for (std::size_t t = 0; t < open.times; ++t) {
        const bool reached = plan_.keep == EnsembleKeep::Final || status != EventReached ||
                             plan_.times[t] <= open.block.ends[static_cast<std::size_t>(s)];
        const std::span<const double> row = open.row(s, t);
        const auto wrong = [&](std::size_t k) {
          return energy != nullptr && columns[k].offset == energy->offset ? !std::isfinite(row[k]) : std::isnan(row[k]);
        };
        if (reached && std::any_of(watched.begin(), watched.end(), wrong)) status = NotANumber;
      }
    }
  }

  static void condense(EnsembleBlock& block, std::size_t size) {
    block.moments.assign(size, {});
    for (std::size_t at = 0; at < block.rows.size(); at += size)
      for (std::size_t k = 0; k < size; ++k) block.moments[k].add(block.rows[at + k]);
    block.rows = {};
  }

  /// Passes on what is next in order.
  void pass(std::unique_ptr<EnsembleBlock> block) {
    const std::lock_guard lock(passing_);
    waiting_[block->index] = std::move(block);
    for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_; it = waiting_.erase(it), ++next_) {
      const EnsembleBlock& b = *it->second;
      if (listeners_.sink != nullptr) listeners_.sink->take(b);
      count(b);
    }
  }

  void count(const EnsembleBlock& b) {
    result_.samples += b.count;
    result_.steps += b.steps;
    result_.rejected += b.rejected;
    for (std::size_t k = 0; k < b.statuses.size(); ++k) {
      if (b.statuses[k] == EventReached) ++result_.stopped;
      if (!sampleFailed(b.statuses[k])) continue;
      if (result_.failed++ == 0) result_.firstFailure = b.first + static_cast<std::int64_t>(k);
      ++failures_[b.statuses[k]];
    }
  }

  const EnsembleProblem& problem_;
  const EnsemblePlan& plan_;
  const EnsembleListeners& listeners_;
  EnsembleShared shared_;
  std::int64_t blocks_;
  std::atomic<std::int64_t> taken_{0};
  std::mutex mutex_, passing_, finishing_;
  std::condition_variable ended_;
  std::int64_t running_ = 0;
  bool interrupted_ = false;
  std::exception_ptr failure_;
  std::map<std::int64_t, std::unique_ptr<EnsembleBlock>> waiting_;
  std::int64_t next_ = 0;
  std::map<std::int32_t, std::int64_t> failures_;
  EnsembleResult result_;
};

} // namespace

EnsemblePlan planEnsemble(const Problem& problem, EnsembleKeep keep, std::int64_t samples) {
  EnsemblePlan plan;
  plan.keep = keep;
  plan.every = problem.outputEvery > 0 ? problem.outputEvery : 0;
  if (problem.control) {
    if (plan.every == 0) plan.every = (problem.timeTo - problem.timeFrom) / static_cast<double>(usualRows);
    plan.times = timesOf(problem, plan);
  } else {
    const Grid grid(problem.timeFrom, problem.timeTo, problem.step);
    if (problem.outputSteps > 0)
      plan.stride = problem.outputSteps;
    else if (plan.every == 0)
      plan.stride = std::max<std::int64_t>(1, (grid.steps() + usualRows - 1) / usualRows);
    plan.points = pointsOf(plan, grid);
    for (const SamplePoint& p : plan.points) plan.times.push_back(p.time);
  }
  // Enough blocks to keep many cores busy, each of enough samples to fill the lanes many times, and none larger than
  // some ten megabytes.
  constexpr std::int64_t least = 64, most = 1024, share = 128, room = 2'000'000;
  const auto size = static_cast<std::int64_t>(plan.times.size() * problem.columnCount());
  plan.block = std::clamp(samples / share, least, most);
  plan.block = std::clamp(room / std::max<std::int64_t>(size, 1), least, plan.block);
  plan.block = (plan.block + least - 1) / least * least;
  return plan;
}

EnsembleResult runEnsemble(const EnsembleProblem& problem, const EnsemblePlan& plan, int threads,
                           const EnsembleListeners& listeners) {
  return EnsembleRun(problem, plan, listeners).run(threads);
}

} // namespace lmc::runtime
