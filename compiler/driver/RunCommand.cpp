#include "driver/Commands.h"

#include "driver/Options.h"
#include "driver/Report.h"
#include "driver/RunCheckpoints.h"
#include "driver/RunChecks.h"
#include "runtime/Progress.h"
#include "runtime/Run.h"
#include "runtime/Summary.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace lmc::tool {

namespace {

/// The signal that asked the run to stop, or 0.
volatile std::sig_atomic_t stopSignal = 0;

void onStop(int signal) {
  stopSignal = signal;
}

/// While it lives, a first interrupt ends the run cleanly; a second one ends the process.
class StopOnSignal {
public:
  StopOnSignal() {
    struct sigaction action = {};
    action.sa_handler = onStop;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before_[i]);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  }

private:
  static constexpr std::array<int, 2> signals = {SIGINT, SIGTERM};
  std::array<struct sigaction, 2> before_{};
};

/// Refuses output files that no writer exists for, before anything is compiled.
void checkOutputFormat(const Invocation& call) {
  if (call.output && outputFormat(*call.output) == OutputFormat::Unknown)
    throw UsageError("the format of '" + *call.output + "' is not known; the file's name ends in .csv, .npz or .h5");
}

/// What a file says about its run: all texts that the model was made from, those of the library included.
RunDescription description(Pipeline& pipeline, const Problem& problem) {
  RunDescription about;
  about.model = problem.model;
  about.method = problem.method;
  about.version = LMC_VERSION;
  const Sources& sources = pipeline.sources();
  for (SourceId id = 0; id < sources.size(); ++id) {
    if (sources[id].name().ends_with(".lie")) about.sources.emplace_back(sources[id].name(), sources[id].text());
  }
  about.parameters = problem.parameters;
  about.timeFrom = problem.timeFrom;
  about.timeTo = problem.timeTo;
  about.step = problem.step;
  about.seed = problem.seed;
  if (problem.control) { // one number where one tolerance holds for all
    const std::vector<double>& t = problem.control->tolerances;
    if (!t.empty() && std::all_of(t.begin(), t.end(), [&](double x) { return x == t[0]; })) about.tolerance = t[0];
  }
  return about;
}

void printTimings(const Pipeline& pipeline, const Summary& summary) {
  for (const auto& [stage, seconds] : pipeline.timings())
    std::fputs(fmt::format("{:>10.3f} ms  {}\n", 1e3 * seconds, stage).c_str(), stderr);
  std::fputs(fmt::format("{:>10.3f} ms  from the start to the first step\n{:>10.3f} ms  run\n",
                         1e3 * summary.compileSeconds, 1e3 * summary.result.seconds)
                 .c_str(),
             stderr);
}

/// The table of `--steps-output`: a line for each trial of a step.
class StepTable final : public StepObserver {
public:
  explicit StepTable(const std::string& file) : sink_(openOutput(file)) { sink_->begin({"h", "error", "accepted"}); }
  void tried(const StepTrial& trial) override {
    sink_->sample(trial.time, std::array{trial.step, trial.error, trial.accepted ? 1.0 : 0.0});
  }
  void finish() { sink_->finish(); }

private:
  std::unique_ptr<Sink> sink_;
};

RunResult integrate(const Problem& problem, Sink* sink, StepTable* steps, CheckpointKeeper* checkpoints,
                    const Checkpoint* resume, const Invocation& call) {
  const bool visible = call.progress == When::Auto && !call.quiet && isatty(STDERR_FILENO) != 0;
  const StopOnSignal guard;
  ProgressBar bar(problem.timeFrom, problem.timeTo, visible, [] { return stopSignal == 0; });
  RunResult result = run(problem, {sink, &bar, steps, checkpoints, resume});
  if (steps != nullptr) steps->finish();
  return result;
}

int report(const Context& context, Pipeline& pipeline, const Summary& summary) {
  const Invocation& call = context.call;
  const RunResult& result = summary.result;
  const std::string found = "\"diagnostics\": " + toJson(pipeline.diagnostics(), pipeline.sources());
  if (call.json)
    print(summaryJson(summary, found) + "\n");
  else if (!call.quiet)
    print(summaryText(summary));
  if (call.timings) printTimings(pipeline, summary);
  if (result.failure) {
    complain(fmt::format("the run failed at t = {}: {}", result.failure->time, result.failure->cause));
    return RunFailed;
  }
  return result.interrupted ? Interrupted + static_cast<int>(stopSignal) : Done;
}

} // namespace

int runModel(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  context.stage = "compiling '" + file + "'";
  checkOutputFormat(call);
  const std::optional<Checkpoint> resume = checkpointToResume(call);
  const std::unique_ptr<CheckpointKeeper> checkpoints = checkpointFile(call);
  PipelineOptions options = pipelineOptions(call);
  if (resume) options.codeKey = resume->code;
  Pipeline pipeline(options);
  const std::unique_ptr<Problem> problem = pipeline.load(file) ? pipeline.build() : nullptr;
  if (problem != nullptr && call.every) problem->outputSteps = 0;
  if (problem == nullptr || !checkRun(pipeline, *problem, call) ||
      (resume && !checkResume(pipeline, *problem, call, *resume)))
    return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  if (!call.json) printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());

  context.stage = "running '" + file + "'";
  Summary summary{problem->model,
                  problem->method,
                  problem->timeFrom,
                  problem->step,
                  {},
                  call.output.value_or(""),
                  0,
                  problem->code->fromCache(),
                  problem->code->codeBytes()};
  std::unique_ptr<Sink> sink;
  std::unique_ptr<StepTable> steps;
  try {
    const RunDescription about = description(pipeline, *problem);
    if (call.output) sink = openOutput(*call.output, &about);
    if (call.stepsOutput && problem->control) steps = std::make_unique<StepTable>(*call.stepsOutput);
  } catch (const OutputError& error) {
    throw UsageError(error.what());
  }
  summary.compileSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - context.start).count();
  try {
    summary.result = integrate(*problem, sink.get(), steps.get(), checkpoints.get(), resume ? &*resume : nullptr, call);
  } catch (const OutputError& error) {
    complain(error.what());
    return RunFailed;
  } catch (const CheckpointError& error) {
    complain(error.what());
    return RunFailed;
  }
  return report(context, pipeline, summary);
}

} // namespace lmc::tool
