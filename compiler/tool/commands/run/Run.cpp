// `lmc run`: one trajectory of a model.
#include "tool/support/Command.h"

#include "base/Cores.h"
#include "jit/Stored.h"
#include "runtime/kernels/Team.h"
#include "runtime/run/Progress.h"
#include "runtime/run/Run.h"
#include "runtime/run/Summary.h"
#include "tool/runs/Certify.h"
#include "tool/runs/Module.h"
#include "tool/runs/RunCheckpoints.h"
#include "tool/runs/RunChecks.h"
#include "tool/runs/RunParts.h"
#include "tool/runs/RunStore.h"
#include "tool/support/Arguments.h"
#include "tool/support/PageOptions.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

namespace lmc::tool {

namespace {

constexpr Option<std::int64_t> maxStepsOption("--max-steps", "N",
                                              "steps after which a run is stopped and kept, rejected ones included",
                                              readCountTo<>, {.standard = "1e12"});
constexpr Option<std::int64_t> runThreadsOption("--threads", "N", "threads that work on a step of a large model",
                                                readCountTo<4096>, {.standard = "one per core, at most 16"});

constexpr Flag certifyOption("--certify",
                             "the motion is computed again by other methods, and the summary tells how far the run is "
                             "from it");

constexpr Flag portableFlag("--portable",
                            "every operation as it is written: the bits of exported C, on any processor; slower");

/// A run that can begin: as it was kept, or prepared now.
class ReadyRun {
public:
  ReadyRun(const std::string& file, const products::PipelineOptions& options, bool continues)
      : store_(file, options), shows_(options.compilation.scene) {
    const auto start = std::chrono::steady_clock::now();
    if (!continues && !shows_) kept_ = store_.find();
    finding_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (kept_ != nullptr) return;
    if (!store_.knowsFile()) jit::openCodeGenerator(); // while the model is read
    pipeline_ = std::make_unique<products::Pipeline>(options);
  }

  ReadyRun(const ReadyRun&) = delete;
  ReadyRun& operator=(const ReadyRun&) = delete;
  /// Waits for what the cache will hold of it.
  ~ReadyRun() {
    if (keeper_.joinable()) keeper_.join();
    if (problem_ == nullptr || problem_->code == nullptr) return;
    if (const std::string trouble = problem_->code->settle().trouble; !trouble.empty())
      warn("the code of the run could not be optimised: " + trouble);
  }

  /// Nobody wants what is still being made; the process is about to end.
  void leave() {
    if (keeper_.joinable()) keeper_.join();
    (void)problem_.release(); // threads work on both until the end of the process
    (void)pipeline_.release();
  }

  /// False when the model or its settings are wrong; `diagnostics()` tell why.
  bool prepare(const std::string& file, const Invocation& call, const runtime::Checkpoint* resume) {
    if (kept_ != nullptr) return true;
    problem_ = pipeline_->load(file) ? pipeline_->build() : nullptr;
    if (problem_ == nullptr) return false;
    if (call[options::every]) problem_->outputSteps = 0;
    if (!checkRun(*pipeline_, *problem_, call)) return false;
    if (resume != nullptr) return checkResume(*pipeline_, *problem_, call, *resume);
    if (shows_) return true;                                          // its columns are not those of other runs
    if (problem_->restoration || problem_->contactSteps) return true; // these work on the model itself
    keeper_ = std::thread([this] {                                    // while the run begins
      try {
        store_.keep(*pipeline_, *problem_);
      } catch (const std::exception&) { // prepared anew the next time
      }
    });
    return true;
  }

  /// Null where the run was kept, which none with a page is.
  [[nodiscard]] products::Pipeline* pipeline() { return pipeline_.get(); }
  [[nodiscard]] const runtime::Problem& problem() const { return kept_ ? kept_->problem : *problem_; }
  [[nodiscard]] const Diagnostics& diagnostics() const { return kept_ ? kept_->diagnostics : pipeline_->diagnostics(); }
  [[nodiscard]] const Sources& sources() const { return kept_ ? kept_->sources : pipeline_->sources(); }
  /// That were read.
  [[nodiscard]] std::vector<std::string> files() const { return kept_ ? kept_->files : filesReadBy(*pipeline_); }
  [[nodiscard]] products::Timings timings() const {
    products::Timings all{{"find", finding_}};
    if (pipeline_) all.insert(all.end(), pipeline_->timings().begin(), pipeline_->timings().end());
    const double optimising = problem_ ? problem_->code->settle().seconds : 0;
    if (optimising > 0) all.emplace_back("optimise the code, while the run goes on", optimising);
    return all;
  }

private:
  RunStore store_;
  bool shows_;         ///< a page is made of it
  double finding_ = 0; ///< seconds
  std::unique_ptr<PreparedRun> kept_;
  std::unique_ptr<products::Pipeline> pipeline_; ///< may still be making code for any parameters
  std::unique_ptr<runtime::Problem> problem_;
  std::thread keeper_;
};

void printTimings(const products::Timings& timings, const runtime::Summary& summary) {
  tool::printTimings(timings);
  std::fputs(fmt::format("{:>10.3f} ms  from the start to the first step\n{:>10.3f} ms  run\n",
                         1e3 * summary.compileSeconds, 1e3 * summary.result.seconds)
                 .c_str(),
             stderr);
}

/// The table of `--steps-output`: a line for each trial of a step.
class StepTable final : public runtime::StepObserver {
public:
  void sync() override { sink_->sync(); }
  explicit StepTable(const std::string& file) : sink_(runtime::openOutput(file)) {
    sink_->begin({{"h", {}}, {"error", {}}, {"accepted", {}}});
  }
  void tried(const runtime::StepTrial& trial) override {
    sink_->sample(trial.time, std::array{trial.step, trial.error, trial.accepted ? 1.0 : 0.0});
  }
  void finish() { sink_->finish(); }

private:
  std::unique_ptr<runtime::Sink> sink_;
};

/// Refuses a table of trials, of which steps of a fixed length have none, and warns of what has no effect on them.
void checkFixedSteps(const Invocation& call, const runtime::Problem& problem) {
  if (call[options::stepsOutput])
    throw UsageError(
        fmt::format("--steps-output is a table of adaptive steps, and those of {} have a fixed length here\n"
                    "--tolerance, with a method that estimates its error, makes adaptive ones",
                    problem.method));
  std::vector<std::string> idle;
  if (call[options::controller]) idle.emplace_back("--controller");
  if (call[options::safety]) idle.emplace_back("--safety");
  if (call[options::norm]) idle.emplace_back("--norm");
  if (!idle.empty())
    warn(fmt::format("{} {} no effect: the steps of {} have a fixed length here", fmt::join(idle, " and "),
                     idle.size() > 1 ? "have" : "has", problem.method));
}

runtime::RunBounds bounds(const Invocation& call) {
  runtime::RunBounds b;
  b.steps = call[maxStepsOption].value_or(static_cast<std::int64_t>(runtime::stepLimit));
  if (call[options::maxSeconds]) b.seconds = *call[options::maxSeconds];
  return b;
}

/// Refuses an output that no disk, or no memory, holds, and warns of a large one: of what the run makes behind the
/// checkpoint, in as many steps as it may take. What a limit of seconds leaves of it nobody knows.
void checkRoom(const Invocation& call, const runtime::Problem& problem, const runtime::Checkpoint* resume) {
  const auto samples = runtime::expectedSamples(problem, {.resume = resume, .bounds = {.steps = bounds(call).steps}});
  if (!samples) return;
  const std::size_t numbers = problem.columnCount() + 1;
  if (!call[options::maxSeconds]) refuseHopelessOutput(*call[options::output], *samples, numbers);
  warn(largeOutput(*call[options::output], *samples, numbers));
}

runtime::RunResult integrate(const runtime::Problem& problem, runtime::Sink* sink, StepTable* steps,
                             runtime::CheckpointKeeper* checkpoints, const runtime::Checkpoint* resume,
                             runtime::StepObserver* watcher, const Invocation& call) {
  const bool visible = showsProgress(call);
  runtime::ProgressBar bar(problem.timeFrom, problem.timeTo, visible, [] { return stopSignal() == 0; });
  runtime::StepObserver* const observer = steps != nullptr ? steps : watcher;
  // Threads start with the first loop that is divided: other models pay nothing. A loop has 16 tiles. More threads than
  // cores would wait for each other.
  const auto threads = std::min<std::int64_t>(call[runThreadsOption].value_or(16), usableCores());
  const runtime::Team team(static_cast<int>(threads));
  runtime::RunResult result = runtime::run(problem, {sink, &bar, observer, checkpoints, resume, bounds(call)});
  if (steps != nullptr) steps->finish();
  return result;
}

/// The code that explains why a run with jumps has failed.
std::optional<Code> explanation(std::int32_t status) {
  switch (status) {
  case runtime::EventsCrowd:
  case runtime::ResetWrong:
    return Code::LIE0533;
  case runtime::ImpactEnergy:
    return Code::LIE0534;
  case runtime::ContactUndecided:
    return Code::LIE0535;
  case runtime::ContactLawWrong:
    return Code::LIE0536;
  case runtime::ContactOverlap:
    return Code::LIE0449;
  default:
    return std::nullopt;
  }
}

/// Says to standard error where a certificate is not what one hopes for.
void warnOf(const Certificate& certificate) {
  if (!certificate.reason.empty()) return warn("--certify: " + certificate.reason);
  if (certificate.undecided()) {
    const CodeInfo& code = info(Code::LIE0538);
    return warn(fmt::format("{} (lmc explain {})", code.title, code.name));
  }
  const std::vector<std::string> missed = certificate.missed();
  if (missed.empty()) return;
  const CodeInfo& code = info(Code::LIE0537);
  warn(fmt::format("{}: {} (lmc explain {})", code.title, fmt::join(missed, ", "), code.name));
}

int report(const Context& context, const ReadyRun& ready, const runtime::Summary& summary,
           const std::optional<Certificate>& certificate) {
  const Invocation& call = context.call;
  const runtime::RunResult& result = summary.result;
  std::string found = "\"diagnostics\": " + toJson(ready.diagnostics(), ready.sources());
  if (certificate) found += ",\n  " + certificate->json();
  if (call[options::json])
    print(runtime::summaryJson(summary, found) + "\n");
  else if (!call[options::quiet])
    print(runtime::summaryText(summary) + (certificate ? certificate->text() : std::string()));
  if (certificate) warnOf(*certificate);
  if (call[options::timings]) printTimings(ready.timings(), summary);
  if (runtime::looksStiff(result.stiffness)) {
    const CodeInfo& code = info(Code::LIE0532);
    warn(fmt::format("{} (lmc explain {})", code.title, code.name));
  }
  if (result.contacts && (result.contacts->stalled > 0 || result.contacts->gains > 0)) {
    const CodeInfo& code = info(Code::LIE0539);
    warn(fmt::format("{}: {} of {} steps stalled, in {} impulses added energy (lmc explain {})", code.title,
                     result.contacts->stalled, result.contacts->steps, result.contacts->gains, code.name));
  }
  if (result.limited) {
    complain(fmt::format("the run was stopped at t = {}: {}{}", result.failure->time, result.failure->cause,
                         call[options::checkpoint] ? "; --resume " + *call[options::checkpoint] + " goes on from there"
                                                   : std::string()));
    return RunFailed;
  }
  if (result.failure) {
    const char* const rest = result.failure->quantity && !result.event && result.time > result.failure->time
                                 ? "; the motion itself is computed to its end"
                                 : "";
    const std::optional<Code> explained = explanation(result.failure->status);
    const std::string code = explained ? fmt::format(" (lmc explain {})", info(*explained).name) : "";
    complain(fmt::format("the run failed at t = {}: {}{}{}", result.failure->time, result.failure->cause, rest, code));
    return RunFailed;
  }
  return result.interrupted ? Interrupted + stopSignal() : Done;
}

int runModel(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  context.stage = "compiling `" + file + "`";
  checkOutputFormat(call);
  protectFiles(call);
  const std::optional<runtime::Checkpoint> resume = checkpointToResume(call);
  const std::unique_ptr<runtime::CheckpointKeeper> checkpoints = checkpointFile(call, resume);
  if (!call[options::report] && (call[options::fps] || call[options::speed] || call[options::maxSize]))
    throw UsageError("--fps, --speed and --max-size are of the page that --report NAME.html makes");
  products::PipelineOptions options = pipelineOptions(call);
  if (resume) options.codeKey = resume->code;
  std::unique_ptr<Pictures> pictures;
  if (call[options::plot] || call[options::report]) {
    if (resume)
      throw UsageError(
          fmt::format("{} shows a whole run; --resume goes on with one", call[options::plot] ? "--plot" : "--report"));
    pictures = commandsModule().pictures(call);
    options.compilation.scene = pictures->needScene();
  }
  options.compile.tiers = jit::Tiers::QuickFirst;
  options.compile.contract = !call[portableFlag];
  options.presentZeros = !call[portableFlag]; // exported code is for any parameters and inputs
  options.liveInputs = call[portableFlag];
  ReadyRun ready(file, options, resume.has_value());
  if (!ready.prepare(file, call, resume ? &*resume : nullptr))
    return refuseInput(call, ready.diagnostics(), ready.sources());
  if (!call[options::json]) printDiagnostics(call, ready.diagnostics(), ready.sources());
  const runtime::Problem& problem = ready.problem();
  protectFiles(call, ready.files());
  if (!problem.control) checkFixedSteps(call, problem);
  if (call[certifyOption]) checkCertifiable(call, problem, bounds(call));
  if (call[options::output]) checkRoom(call, problem, resume ? &*resume : nullptr);

  context.stage = "running `" + file + "`";
  runtime::Summary summary{problem.model,
                           problem.method,
                           problem.timeFrom,
                           problem.step,
                           {},
                           call[options::output].value_or(""),
                           0,
                           problem.code->fromCache(),
                           problem.code->codeBytes(),
                           problem.energyChanges,
                           problem.chosen};
  std::unique_ptr<runtime::Sink> sink;
  std::unique_ptr<StepTable> steps;
  const runtime::RunDescription about = description(ready.sources(), problem);
  const StopOnSignal guard; // from here on there is something to lose
  if (resume) setAside(call, *resume);
  if (call[options::output]) sink = runtime::openOutput(*call[options::output], &about);
  if (call[options::stepsOutput]) steps = std::make_unique<StepTable>(*call[options::stepsOutput]);
  std::optional<Certificate> certificate;
  summary.compileSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - context.start).count();
  try {
    std::optional<runtime::TrajectoryKeeper> keeper;
    if (call[certifyOption]) keeper.emplace(runtime::stateEntries(problem), sink.get());
    runtime::Sink* const kept = keeper ? &*keeper : sink.get();
    runtime::Sink* const receiver = pictures ? pictures->receive(ready.pipeline(), problem, kept) : kept;
    summary.result = integrate(problem, receiver, steps.get(), checkpoints.get(), resume ? &*resume : nullptr,
                               pictures ? pictures->observer() : nullptr, call);
    if (pictures && !pictures->write(ready.pipeline(), problem, summary)) return RunFailed;
    context.stage = "certifying the run of `" + file + "`";
    if (keeper) certificate = certify(call, problem, summary.result, *keeper);
  } catch (const runtime::OutputError& error) {
    complain(error.what());
    return RunFailed;
  } catch (const runtime::CheckpointError& error) {
    complain(error.what());
    return RunFailed;
  }
  const int status = report(context, ready, summary, certificate);
  flushOutput(); // before the wait for the cache
  if (summary.result.interrupted || !options.compile.useCache) ready.leave();
  return status;
}

} // namespace

extern const Command runCommand = {
    .name = "run",
    .place = 0,
    .argument = "FILE",
    .summary = "check, derive, compile, integrate, write the trajectory, print a summary",
    .examples = "lmc run top.lie --output top.csv\n"
                "lmc run top.lie --step 5e-4 --set m=10",
    .usesCache = true,
    .options =
        OptionList(options::model, options::simulation, options::output, options::checkpoint, options::checkpointEvery,
                   options::resume, options::stepsOutput, options::plot, options::report, certifyOption, options::page,
                   portableFlag, options::every, options::quiet, options::progress, maxStepsOption, runThreadsOption,
                   options::maxSeconds, options::compile, options::json),
    .run = runModel,
};

} // namespace lmc::tool
