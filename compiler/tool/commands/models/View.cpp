// `lmc view`: one trajectory of a model as a page.
#include "tool/support/Command.h"

#include "runtime/run/Progress.h"
#include "runtime/run/Run.h"
#include "tool/runs/RunChecks.h"
#include "tool/runs/RunParts.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"
#include "tool/view/Page.h"

#include <filesystem>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ; // NOLINT: of POSIX

namespace lmc::tool {

namespace {

constexpr Option<> pageOption =
    options::codeOutput.as("NAME.html", "the page", {.completion = Completion::File, .standard = "the model's name"});
constexpr Flag openFlag("--open", "show it in the browser");

/// Lets the desktop show a file; says what is missing where it cannot.
void show(const std::filesystem::path& file) {
  const std::string name = std::filesystem::absolute(file).string();
  std::string program = "xdg-open";
  char* arguments[] = {program.data(), const_cast<char*>(name.c_str()), nullptr}; // NOLINT: what POSIX wants
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, "xdg-open", nullptr, nullptr, arguments, environ) != 0 || waitpid(child, &status, 0) < 0 ||
      status != 0)
    complain("no browser could be opened; the page is " + name);
}

std::filesystem::path pageOf(const Invocation& call) {
  if (call[pageOption]) return *call[pageOption];
  return std::filesystem::path(call.arguments.front()).stem().string() + ".html";
}

int viewModel(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  context.stage = "compiling '" + file + "'";
  const PageWriter page(call, pageOf(call));
  protectFiles({{"the page", page.file()}}, {{"the model", file}});
  PipelineOptions options = pipelineOptions(call);
  options.compilation.scene = true;
  options.codeForAnyParameters = false;
  Pipeline pipeline(options);
  const std::unique_ptr<Problem> problem = pipeline.load(file) ? pipeline.build() : nullptr;
  if (problem == nullptr) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  if (call[options::every]) problem->outputSteps = 0;
  if (!checkRun(pipeline, *problem, call)) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());
  std::vector<NamedFile> read;
  for (const std::string& name : filesReadBy(pipeline)) read.push_back({"a file that the model is made from", name});
  protectFiles({{"the page", page.file()}}, read);

  context.stage = "running '" + file + "'";
  const StopOnSignal guard;
  const std::unique_ptr<PageRecorder> record = page.recorder(pipeline, *problem, nullptr);
  ProgressBar bar(problem->timeFrom, problem->timeTo, showsProgress(call), [] { return stopSignal() == 0; });
  RunBounds bounds;
  if (call[options::maxSeconds]) bounds.seconds = *call[options::maxSeconds];
  Summary summary{problem->model,        problem->method, problem->timeFrom, problem->step, {}, "", 0, false, 0,
                  problem->energyChanges};
  summary.result = run(*problem, {record.get(), &bar, record.get(), nullptr, nullptr, bounds});
  context.stage = "writing '" + page.file().string() + "'";
  if (!page.write(pipeline, *problem, summary, *record)) return RunFailed;
  if (!call[options::quiet]) print(page.file().string() + "\n");
  if (call[openFlag]) show(page.file());
  const RunResult& result = summary.result;
  if (result.failure) {
    complain(fmt::format("the run failed at t = {}: {}", result.failure->time, result.failure->cause));
    return RunFailed;
  }
  return result.interrupted ? Interrupted + stopSignal() : Done;
}

} // namespace

extern const Command viewCommand = {
    .name = "view",
    .place = 1,
    .argument = "FILE",
    .summary = "a page that shows a run: it plays, scrubs, plots, and opens without a network",
    .examples = "lmc view top.lie --open\n"
                "lmc view top.lie --set m=10 -o heavy.html",
    .usesCache = true,
    .options = OptionList(options::model, options::simulation, pageOption, openFlag, options::page, options::every,
                          options::quiet, options::progress, options::maxSeconds, options::noCache),
    .run = viewModel,
};

} // namespace lmc::tool
