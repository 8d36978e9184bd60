#include "driver/Commands.h"

#include "driver/Options.h"
#include "driver/Report.h"
#include "driver/RunCheckpoints.h"
#include "driver/RunChecks.h"
#include "driver/RunParts.h"
#include "runtime/Progress.h"
#include "runtime/Run.h"
#include "runtime/Summary.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace lmc::tool {

namespace {

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
  ProgressBar bar(problem.timeFrom, problem.timeTo, visible, [] { return stopSignal() == 0; });
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
  return result.interrupted ? Interrupted + stopSignal() : Done;
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
