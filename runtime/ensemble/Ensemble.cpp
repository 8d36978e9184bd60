#include "runtime/ensemble/Ensemble.h"

#include "runtime/ensemble/Order.h"
#include "runtime/ensemble/Runners.h"
#include "runtime/run/Checkpoint.h"
#include "runtime/run/Run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

namespace lmc::runtime {

bool sampleFailed(std::int32_t status) {
  return status != Ok && status != EventReached && status != ImpulsesMissed;
}

std::string sampleStatusText(std::int32_t status) {
  switch (status) {
  case StepUnderflow:
    return "the step size became too small: the error does not fall below the tolerance, or is rounding alone";
  case InitialWrong:
    return "the initial values are not on their manifolds or constraints, or cannot be computed";
  case EventReached:
    return "stopped by an event";
  case MassUnsolved:
    return "the accelerations do not solve the mass equation, or its matrix has passed through a singular one: a run "
           "with the numbers of the sample tells where";
  case ConstraintMissed:
    return "a constraint does not hold: it followed from others at the begin, was left out for that, and contradicts "
           "them later; a run with the numbers of the sample names it";
  case ImpulsesMissed:
    return "impulses of contacts are not those that the laws ask for: a run with the numbers of the sample tells more";
  case NotANumber:
    return "the energy, an observable or an event is not a number";
  default:
    return statusText(status);
  }
}

namespace {

/// Rows of statistics and of whole trajectories when neither model nor command line says how many.
constexpr std::int64_t usualRows = 100;
/// Samples of a block, at least, where nothing else is asked for.
constexpr std::int64_t leastBlock = 64;

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

/// Threads that make blocks.
class Workers {
public:
  Workers(const EnsembleProblem& problem, const EnsemblePlan& plan, BlockDesk& desk)
      : problem_(problem), plan_(plan), desk_(desk), shared_(problem, plan) {}

  EnsembleResult run(int threads, const EnsembleWatch& watch) {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t busy = std::clock(); // of the whole process
    {
      std::vector<std::jthread> workers;
      const std::int64_t useful =
          std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(plan_.blocks(problem_.samples), 1));
      running_ = useful;
      for (std::int64_t k = 0; k < useful; ++k) workers.emplace_back([this] { work(); });
      look(watch);
    }
    if (failure_) std::rethrow_exception(failure_);
    EnsembleResult result;
    result.interrupted = interrupted_;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.cpuSeconds = static_cast<double>(std::clock() - busy) / CLOCKS_PER_SEC;
    result.handedBack = shared_.handedBack;
    result.causeOf = shared_.causeOf;
    result.cause = shared_.cause;
    return result;
  }

private:
  void look(const EnsembleWatch& watch) {
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      ended_.wait_for(lock, std::chrono::duration<double>(watch.seconds()));
      if (!watch.look || running_ == 0) continue;
      lock.unlock();
      bool goOn = false;
      try {
        goOn = watch.look(static_cast<double>(shared_.work) / 1e6);
      } catch (...) {
        fail();
      }
      lock.lock();
      if (goOn || failure_) continue;
      interrupted_ = true;
      shared_.stop = true;
      desk_.stop();
    }
  }

  /// Keeps what was thrown, and ends everything.
  void fail() {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    shared_.stop = true;
    desk_.stop();
  }

  void work() {
    try {
      const std::unique_ptr<BlockRunner> runner = runnerOf(shared_);
      while (!shared_.stop) {
        std::vector<std::unique_ptr<EnsembleBlock>> blocks = open();
        if (blocks.empty() || !make(*runner, blocks)) break;
        for (std::unique_ptr<EnsembleBlock>& block : blocks) desk_.made(std::move(block));
      }
    } catch (...) {
      fail();
    }
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();
  }

  /// The next blocks, empty; none: there are none left.
  std::vector<std::unique_ptr<EnsembleBlock>> open() {
    std::vector<std::unique_ptr<EnsembleBlock>> blocks;
    const auto most = static_cast<std::size_t>(problem_.device ? problem_.device->blocks : 1);
    for (std::optional<std::int64_t> index = desk_.next(); index; index = desk_.another()) {
      blocks.push_back(empty(*index));
      if (blocks.size() >= most) break;
    }
    return blocks;
  }

  std::unique_ptr<EnsembleBlock> empty(std::int64_t index) {
    auto block = std::make_unique<EnsembleBlock>();
    const std::size_t columns = problem_.problem.columnCount(), times = plan_.times.size();
    block->index = index;
    block->first = index * plan_.block;
    block->count = std::min(plan_.block, problem_.samples - block->first);
    const auto count = static_cast<std::size_t>(block->count);
    block->statuses.assign(count, Ok);
    block->ends.assign(count, problem_.problem.timeFrom);
    block->varied.assign(count * problem_.varied.size(), 0);
    block->rows.assign(count * times * columns, std::numeric_limits<double>::quiet_NaN());
    return block;
  }

  /// False when the blocks could not be finished.
  bool make(BlockRunner& runner, const std::vector<std::unique_ptr<EnsembleBlock>>& blocks) {
    OpenBatch batch(problem_.problem.columnCount(), plan_.times.size());
    for (const std::unique_ptr<EnsembleBlock>& block : blocks) batch.add(*block);
    if (!runner.run(batch)) return false;
    findUndefined(batch);
    if (plan_.keep == EnsembleKeep::Statistics)
      for (const std::unique_ptr<EnsembleBlock>& block : blocks) condense(*block, batch.times() * batch.columns());
    return true;
  }

  /// What a run would call a failure for its energy or an observable, is one here.
  void findUndefined(OpenBatch& open) const {
    const Problem& p = problem_.problem;
    const std::vector<Column> columns = p.columns();
    const Field* const energy = p.field(FieldKind::Energy);
    std::vector<std::size_t> watched;
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (columns[k].role == Role::Output && !names(p.undefinable, columns[k].entry)) watched.push_back(k);
    for (std::int64_t s = 0; s < open.count(); ++s) {
      std::int32_t& status = open.status(s);
      if (sampleFailed(status)) continue;
      for (std::size_t t = 0; t < open.times(); ++t) {
        const bool reached =
            plan_.keep == EnsembleKeep::Final || status != EventReached || plan_.times[t] <= open.end(s);
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

  const EnsembleProblem& problem_;
  const EnsemblePlan& plan_;
  BlockDesk& desk_;
  EnsembleShared shared_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::int64_t running_ = 0;
  bool interrupted_ = false;
  std::exception_ptr failure_;
};

/// The desk of a process that makes everything itself: all blocks, passed on in their order.
class OwnDesk final : public BlockDesk {
public:
  OwnDesk(const EnsembleShape& shape, int threads, const EnsembleListeners& listeners)
      : shape_(shape), listeners_(listeners), order_(shape, threads, listeners.sink) {}

  std::optional<std::int64_t> next() override { return unknown(&BlockOrder::take); }
  std::optional<std::int64_t> another() override { return unknown(&BlockOrder::tryTake); }
  void made(std::unique_ptr<EnsembleBlock> block) override {
    if (listeners_.finished) {
      const std::lock_guard lock(finishing_);
      listeners_.finished(*block);
    }
    order_.put(std::move(block));
  }
  void stop() override { order_.stop(); }

  [[nodiscard]] bool progress(double made) {
    return !listeners_.progress ||
           listeners_.progress((made + static_cast<double>(known_)) / static_cast<double>(shape_.samples));
  }
  [[nodiscard]] bool complete() const { return order_.complete(); }
  [[nodiscard]] EnsembleResult counted() const { return order_.counted(); }

private:
  /// The next block that has not been made before.
  std::optional<std::int64_t> unknown(std::optional<std::int64_t> (BlockOrder::*taken)()) {
    while (const std::optional<std::int64_t> index = (order_.*taken)()) {
      auto block = std::make_unique<EnsembleBlock>();
      if (!listeners_.known || !listeners_.known(*index, *block)) return index;
      if (!block->fits(shape_, *index))
        throw CheckpointError("the checkpoint has a block of samples that does not belong to it");
      known_ += block->count;
      order_.put(std::move(block));
    }
    return std::nullopt;
  }

  const EnsembleShape& shape_;
  const EnsembleListeners& listeners_;
  BlockOrder order_;
  std::mutex finishing_;
  std::atomic<std::int64_t> known_{0};
};

} // namespace

double leastBlockBytes(const Problem& problem, EnsembleKeep keep, std::int64_t samples, std::int64_t block) {
  if (keep == EnsembleKeep::Final) return 0;
  double times = usualRows;
  if (problem.outputEvery > 0)
    times = (problem.timeTo - problem.timeFrom) / problem.outputEvery;
  else if (problem.outputSteps > 0 && !problem.control)
    times = (problem.timeTo - problem.timeFrom) / problem.step / static_cast<double>(problem.outputSteps);
  const auto columns = static_cast<double>(problem.columnCount());
  const auto rows = static_cast<double>(std::min(block > 0 ? block : leastBlock, samples));
  const double gathered = keep == EnsembleKeep::Statistics ? sizeof(Moments) : 0;
  return times * (sizeof(double) + columns * (rows * sizeof(double) + gathered));
}

EnsemblePlan planEnsemble(const Problem& problem, EnsembleKeep keep, std::int64_t samples, std::int64_t block) {
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
  constexpr std::int64_t least = leastBlock, most = 1024, share = 128, room = 2'000'000;
  const auto size = static_cast<std::int64_t>(plan.times.size() * problem.columnCount());
  plan.block = std::clamp(samples / share, least, most);
  plan.block = std::clamp(room / std::max<std::int64_t>(size, 1), least, plan.block);
  plan.block = (plan.block + least - 1) / least * least;
  if (block > 0) plan.block = block;
  return plan;
}

EnsembleShape shapeOf(const EnsembleProblem& problem, const EnsemblePlan& plan) {
  EnsembleShape shape;
  shape.keep = plan.keep;
  for (const Column& c : problem.problem.columns()) shape.columns.push_back(c.entry);
  shape.varied = problem.varied;
  shape.times = plan.times;
  shape.samples = problem.samples;
  shape.block = plan.block;
  return shape;
}

double EnsembleShape::blockBytes() const {
  const double numbers = static_cast<double>(times.size()) * static_cast<double>(columns.size());
  const double sample = 12 + 8 * static_cast<double>(varied.size()); // status, end, varied numbers
  return keep == EnsembleKeep::Statistics ? numbers * sizeof(Moments) + static_cast<double>(block) * sample
                                          : static_cast<double>(block) * (8 * numbers + sample);
}

double EnsembleShape::tableRows() const {
  const auto rows = static_cast<double>(times.size());
  return keep == EnsembleKeep::Statistics ? rows : rows * static_cast<double>(samples);
}

std::size_t EnsembleShape::tableColumns() const {
  return keep == EnsembleKeep::Statistics ? 2 + 4 * columns.size() : 3 + varied.size() + columns.size();
}

bool EnsembleBlock::fits(const EnsembleShape& shape, std::int64_t number) const {
  if (number < 0 || number >= shape.blocks()) return false;
  const auto samples = static_cast<std::size_t>(shape.count(number));
  const std::size_t size = shape.times.size() * shape.columns.size();
  const bool statistics = shape.keep == EnsembleKeep::Statistics;
  return index == number && first == number * shape.block && count == shape.count(number) &&
         statuses.size() == samples && ends.size() == samples && varied.size() == samples * shape.varied.size() &&
         rows.size() == (statistics ? 0 : samples * size) && moments.size() == (statistics ? size : 0);
}

void EnsembleResult::add(const EnsembleBlock& b) {
  samples += b.count;
  steps += b.steps;
  rejected += b.rejected;
  for (std::size_t k = 0; k < b.statuses.size(); ++k) {
    const std::int32_t status = b.statuses[k];
    if (status == EventReached) ++stopped;
    if (status == ImpulsesMissed) ++doubtful;
    if (!sampleFailed(status)) continue;
    ++failed;
    const std::int64_t sample = b.first + static_cast<std::int64_t>(k);
    firstFailure = firstFailure < 0 ? sample : std::min(firstFailure, sample);
    auto place = std::find_if(failures.begin(), failures.end(), [&](const auto& f) { return f.first == status; });
    if (place == failures.end()) place = failures.insert(place, {status, 0});
    ++place->second;
  }
  std::sort(failures.begin(), failures.end(), [](const auto& x, const auto& y) {
    return x.second != y.second ? x.second > y.second : x.first < y.first;
  });
}

EnsembleResult runBlocks(const EnsembleProblem& problem, const EnsemblePlan& plan, int threads, BlockDesk& desk,
                         const EnsembleWatch& watch) {
  return Workers(problem, plan, desk).run(threads, watch);
}

EnsembleResult runEnsemble(const EnsembleProblem& problem, const EnsemblePlan& plan, int threads,
                           const EnsembleListeners& listeners) {
  const EnsembleShape shape = shapeOf(problem, plan);
  const std::int64_t atOnce = threads * (problem.device ? problem.device->blocks : 1);
  OwnDesk desk(shape, static_cast<int>(std::min<std::int64_t>(atOnce, shape.blocks() + 1)), listeners);
  const EnsembleResult run =
      runBlocks(problem, plan, threads, desk, {.look = [&](double made) { return desk.progress(made); }});
  EnsembleResult result = desk.counted();
  result.seconds = run.seconds;
  result.cpuSeconds = run.cpuSeconds;
  result.handedBack = run.handedBack;
  result.causeOf = run.causeOf;
  result.cause = run.cause;
  result.interrupted = run.interrupted && !desk.complete();
  return result;
}

} // namespace lmc::runtime
