// `lmc ensemble`: many trajectories of one model.
#include "tool/support/Command.h"

#include "runtime/ensemble/Checkpoint.h"
#include "runtime/ensemble/Output.h"
#include "runtime/run/Progress.h"
#include "tool/plot/Drawing.h"
#include "tool/plot/EnsemblePlot.h"
#include "tool/runs/RunChecks.h"
#include "tool/runs/RunParts.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

namespace lmc::tool {

namespace {

std::int64_t readLanes(const std::string& option, const std::string& text) {
  const std::int64_t lanes = readCount(option, text, 32);
  if ((lanes & (lanes - 1)) != 0) throw UsageError(option + " wants a power of two, not '" + text + "'");
  return lanes;
}

constexpr Option<std::int64_t> samplesOption("--samples", "N", "how many trajectories", readCountTo<1'000'000'000'000>);
constexpr List<> varyOption("--vary", "NAME~DISTRIBUTION",
                            "what differs between them: normal(...), uniform(...), linspace(...), read(FILE)");
constexpr Option<> keepOption("--keep", "final|statistics|all",
                              "what is written: the ends, mean and extremes at the sample times, or whole trajectories",
                              {.completion = Completion::Words, .standard = "final"});
constexpr Option<std::int64_t> threadsOption("--threads", "N", "threads", readCountTo<4096>,
                                             {.standard = "one per core"});
constexpr Option<std::int64_t>
    lanesOption("--lanes", "1|2|4|8|16|32", "trajectories that a thread makes at once", readLanes,
                {.completion = Completion::Words, .standard = "as the vectors of the machine have"});
constexpr Option<> ensembleOutput =
    options::output.as("FILE", "where the results go", {.completion = Completion::Output});
constexpr Option<> ensembleCheckpoint =
    options::checkpoint.as("FILE", "where finished samples are kept for --resume", {.completion = Completion::File});
constexpr Option<> ensembleResume =
    options::resume.as("FILE", "takes the finished samples of a checkpoint", {.completion = Completion::File});
constexpr Option<> ensembleEvery =
    options::every.as("DT", "time between two rows", {.standard = "a hundredth of the run"});

runtime::EnsembleKeep keepOf(const Invocation& call) {
  const std::string word = call.orStandard(keepOption);
  for (const auto& [name, kept] : {std::pair{"final", runtime::EnsembleKeep::Final},
                                   {"statistics", runtime::EnsembleKeep::Statistics},
                                   {"all", runtime::EnsembleKeep::All}})
    if (word == name) return kept;
  throw UsageError("--keep is final, statistics or all, not '" + word + "'");
}

/// The bar of a long run, and the look at whether somebody wants to stop it.
class EnsembleBar {
public:
  EnsembleBar(const Invocation& call, std::int64_t count)
      : visible_(showsProgress(call)), samples_(count),
        limit_(call[options::maxSeconds].value_or(std::numeric_limits<double>::infinity())) {}
  EnsembleBar(const EnsembleBar&) = delete;
  EnsembleBar& operator=(const EnsembleBar&) = delete;
  ~EnsembleBar() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }
  bool reached(double part) {
    if (stopSignal() != 0) return false;
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (elapsed > limit_) return false; // --max-seconds
    constexpr double patience = 0.5;
    if (!visible_ || elapsed < patience) return true;
    drawn_ = true;
    const std::string where = fmt::format("{:.0f} of {} samples", part * static_cast<double>(samples_), samples_);
    std::fputs(("\r\033[K" + runtime::progressLine(part, where, elapsed)).c_str(), stderr);
    std::fflush(stderr);
    return true;
  }

private:
  bool visible_, drawn_ = false;
  std::int64_t samples_;
  double limit_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Files of finished blocks: those to take, and where new ones are kept.
class Blocks {
public:
  Blocks(const Invocation& call, const std::string& identity, runtime::EnsembleCheckpoint taken)
      : known_(std::move(taken)) {
    if (call[options::checkpoint])
      file_ = std::make_unique<runtime::EnsembleCheckpointFile>(*call[options::checkpoint], identity, known_.blocks);
  }
  void listen(runtime::EnsembleListeners& listeners) {
    if (!known_.blocks.empty())
      listeners.known = [this](std::int64_t index, runtime::EnsembleBlock& block) {
        const auto found = known_.blocks.find(index); // read only: several threads ask
        if (found == known_.blocks.end()) return false;
        block = found->second;
        return true;
      };
    if (file_) listeners.finished = [this](const runtime::EnsembleBlock& block) { file_->add(block); };
  }

private:
  runtime::EnsembleCheckpoint known_;
  std::unique_ptr<runtime::EnsembleCheckpointFile> file_;
};

struct Told {
  const runtime::EnsembleProblem& problem;
  const runtime::EnsembleResult& result;
  int threads;
  std::string output;
  double compileSeconds;
};

/// Nanoseconds per step and sample.
double nanoseconds(const Told& t) {
  return t.result.steps > 0 ? 1e9 * t.result.seconds / static_cast<double>(t.result.steps) : 0;
}

std::string counted(std::int64_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

void printText(const Told& t) {
  const runtime::Problem& p = t.problem.problem;
  const runtime::EnsembleResult& r = t.result;
  std::string text = fmt::format("{}, {}, {}\n", p.model, p.method, counted(t.problem.samples, "sample"));
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<14} {}\n", name, value);
  };
  line("time", fmt::format("{} .. {}", p.timeFrom, p.timeTo));
  if (r.interrupted) line("interrupted", fmt::format("{} finished", counted(r.samples, "sample")));
  line("failed", r.failed == 0 ? "none" : fmt::format("{} of {}", r.failed, r.samples));
  for (const auto& [status, count] : r.failures)
    line("", fmt::format("{}: {}", count, runtime::sampleStatusText(status)));
  if (r.stopped > 0) line("stopped", fmt::format("{} by an event", r.stopped));
  line("steps", fmt::format("{}", r.steps) + (p.control ? fmt::format(", {} rejected", r.rejected) : ""));
  if (!t.output.empty()) line("output", t.output);
  line("threads",
       fmt::format("{}, {}", t.threads,
                   t.problem.lanes > 0 ? counted(t.problem.lanes, "lane") + " each" : "one sample at a time"));
  line("compile", fmt::format("{:.3g} s ({} bytes of code{})", t.compileSeconds, p.code->codeBytes(),
                              p.code->fromCache() ? ", from the cache" : ""));
  line("run", fmt::format("{:.3g} s ({:.3g} ns a step and sample)", r.seconds, nanoseconds(t)));
  print(text);
}

void printJson(const Told& t, const std::string& diagnostics) {
  using nlohmann::ordered_json;
  const runtime::Problem& p = t.problem.problem;
  const runtime::EnsembleResult& r = t.result;
  ordered_json j;
  j["model"] = p.model;
  j["method"] = p.method;
  j["step"] = p.control ? ordered_json(nullptr) : ordered_json(p.step);
  j["samples"] = t.problem.samples;
  j["finished"] = r.samples;
  j["failed"] = r.failed;
  j["failures"] = ordered_json::object();
  for (const auto& [status, count] : r.failures) j["failures"][runtime::sampleStatusText(status)] = count;
  j["first_failure"] = r.firstFailure < 0 ? ordered_json(nullptr) : ordered_json(r.firstFailure);
  j["stopped_by_events"] = r.stopped;
  j["steps"] = r.steps;
  j["rejected"] = r.rejected;
  j["threads"] = t.threads;
  j["lanes"] = t.problem.lanes;
  j["compile_seconds"] = t.compileSeconds;
  j["run_seconds"] = r.seconds;
  j["cpu_seconds"] = r.cpuSeconds;
  j["nanoseconds_per_step"] = nanoseconds(t);
  j["from_cache"] = p.code->fromCache();
  j["output"] = t.output.empty() ? ordered_json(nullptr) : ordered_json(t.output);
  j["interrupted"] = r.interrupted;
  j["diagnostics"] = ordered_json::parse(diagnostics);
  print(j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

int report(const Context& context, products::Pipeline& pipeline, const Told& told) {
  if (context.call[options::json])
    printJson(told, toJson(pipeline.diagnostics(), pipeline.sources()));
  else if (!context.call[options::quiet])
    printText(told);
  if (context.call[options::timings])
    for (const auto& [stage, seconds] : pipeline.timings())
      std::fputs(fmt::format("{:>10.3f} ms  {}\n", 1e3 * seconds, stage).c_str(), stderr);
  const runtime::EnsembleResult& r = told.result;
  if (r.interrupted && stopSignal() == 0) {
    complain(fmt::format("the ensemble was stopped: the limit of {} seconds is reached with {} of {} samples{}",
                         *context.call[options::maxSeconds], r.samples, told.problem.samples,
                         context.call[options::checkpoint]
                             ? "; --resume " + *context.call[options::checkpoint] + " goes on from there"
                             : ""));
    return RunFailed;
  }
  if (r.interrupted) return Interrupted + stopSignal();
  if (r.samples > 0 && r.failed == r.samples) {
    complain(fmt::format("all samples failed; the first: {}", runtime::sampleStatusText(r.failures.front().first)));
    return RunFailed;
  }
  return Done;
}

/// Reads the checkpoint to resume; null when it belongs to another ensemble (reported).
std::optional<runtime::EnsembleCheckpoint> blocksToTake(products::Pipeline& pipeline, const Invocation& call,
                                                        const std::string& identity) {
  if (!call[options::resume]) return runtime::EnsembleCheckpoint{};
  requireReadable(*call[options::resume]);
  runtime::EnsembleCheckpoint taken;
  try {
    taken = runtime::readEnsembleCheckpoint(*call[options::resume]);
  } catch (const runtime::CheckpointError& error) {
    throw UsageError(error.what());
  }
  const std::string why = runtime::ensembleMisfit(taken.identity, identity);
  if (why.empty()) return taken;
  commandLineError(pipeline, Code::LIE0616, "--resume " + *call[options::resume],
                   "the checkpoint is of another ensemble: " + why);
  return std::nullopt;
}

/// Rows and columns of the table.
double rowsOf(const runtime::EnsembleProblem& e, const runtime::EnsemblePlan& plan) {
  const auto times = static_cast<double>(plan.times.size());
  return plan.keep == runtime::EnsembleKeep::Statistics ? times : times * static_cast<double>(e.samples);
}

std::size_t columnsOf(const runtime::EnsembleProblem& e, const runtime::EnsemblePlan& plan) {
  const std::size_t columns = e.problem.columnCount();
  return plan.keep == runtime::EnsembleKeep::Statistics ? 2 + 4 * columns : 3 + e.varied.size() + columns;
}

int coresOfMachine() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int runEnsembles(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  context.stage = "compiling '" + file + "'";
  checkOutputFormat(call);
  const std::optional<PlotFile> plot = PlotFile::of(call);
  protectFiles(call);
  const runtime::EnsembleKeep kept = keepOf(call);
  products::Pipeline pipeline(pipelineOptions(call));
  const auto problem = pipeline.load(file) ? pipeline.buildEnsemble({call[varyOption], call[samplesOption],
                                                                     static_cast<int>(call[lanesOption].value_or(0))})
                                           : nullptr;
  if (problem != nullptr && call[options::every]) problem->problem.outputSteps = 0;
  if (problem == nullptr || !checkRun(pipeline, problem->problem, call))
    return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  const runtime::EnsemblePlan plan = runtime::planEnsemble(problem->problem, kept, problem->samples);
  const std::string identity = runtime::ensembleIdentity(*problem, plan);
  auto taken = blocksToTake(pipeline, call, identity);
  if (!taken) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  if (!call[options::json]) printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());

  context.stage = "running '" + file + "'";
  std::unique_ptr<runtime::Sink> sink;
  protectFiles(call, filesReadBy(pipeline));
  if (call[options::output])
    warn(largeOutput(*call[options::output], rowsOf(*problem, plan), columnsOf(*problem, plan)));
  const runtime::RunDescription about = description(pipeline.sources(), problem->problem);
  const StopOnSignal guard; // from here on there is something to lose
  if (call[options::output]) sink = runtime::openOutput(*call[options::output], &about);
  const double compiled = std::chrono::duration<double>(std::chrono::steady_clock::now() - context.start).count();
  const int workers = call[threadsOption] ? static_cast<int>(*call[threadsOption]) : coresOfMachine();
  runtime::EnsembleResult result;
  try {
    Blocks blocks(call, identity, std::move(*taken));
    std::unique_ptr<runtime::EnsembleTable> table;
    if (sink) table = std::make_unique<runtime::EnsembleTable>(*problem, plan, *sink);
    EnsembleBar bar(call, problem->samples);
    runtime::EnsembleListeners listeners;
    listeners.sink = table.get();
    std::optional<EnsemblePlot> curves;
    if (plot) listeners.sink = &curves.emplace(*problem, plan, table.get());
    listeners.progress = [&](double part) { return bar.reached(part); };
    blocks.listen(listeners);
    result = runtime::runEnsemble(*problem, plan, workers, listeners);
    if (table) table->finish();
    if (plot && !plot->write(curves->figure())) return RunFailed;
  } catch (const runtime::OutputError& error) {
    complain(error.what());
    return RunFailed;
  } catch (const runtime::CheckpointError& error) {
    complain(error.what());
    return RunFailed;
  }
  return report(context, pipeline, {*problem, result, workers, call[options::output].value_or(""), compiled});
}

} // namespace

extern const Command ensembleCommand = {
    .name = "ensemble",
    .place = 14,
    .argument = "FILE",
    .summary = "many trajectories at once, with varied parameters and initial values: one per SIMD lane, in threads",
    .examples = "lmc ensemble top.lie --samples 10000 --vary 'm ~ normal(15, 0.5)' --keep statistics --output e.csv",
    .usesCache = true,
    .options = OptionList(options::model, options::simulation, samplesOption, varyOption, keepOption, threadsOption,
                          lanesOption, ensembleOutput, options::plot, ensembleCheckpoint, ensembleResume, ensembleEvery,
                          options::quiet, options::progress, options::maxSeconds, options::compile, options::json),
    .run = runEnsembles,
};

} // namespace lmc::tool
