// `lmc view`: one trajectory of a model as a page.
#include "tool/support/Command.h"

#include "runtime/input/Input.h"
#include "runtime/output/OutputFile.h"
#include "runtime/run/Progress.h"
#include "runtime/run/Run.h"
#include "tool/film/Film.h"
#include "tool/plot/TablePlot.h"
#include "tool/runs/RunChecks.h"
#include "tool/runs/RunParts.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"
#include "tool/view/DataRun.h"
#include "tool/view/Page.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ; // NOLINT: of POSIX

namespace lmc::tool {

namespace {

constexpr Option<> pageOption =
    options::codeOutput.as("NAME.html|.glb|.png|.pdf|.svg|.mp4|.webm|.webp|.gif|.apng",
                           "the page; the scene for other viewers; a still; a film",
                           {.completion = Completion::File, .standard = "a page of the model's name"});
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

bool isGlb(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".glb";
}

/// The file that is asked for, of a run that was made.
bool writeView(const PageWriter& page, const std::optional<FilmFile>& film, products::Pipeline& pipeline,
               const runtime::Problem& problem, const runtime::Summary& summary, const PageRecorder& record,
               const StateRecorder& states) {
  if (film) {
    const std::optional<std::string> text = page.text(pipeline, problem, summary, record, {});
    return text && film->write(*text);
  }
  if (!isGlb(page.file())) return page.write(pipeline, problem, summary, record, states.conserved(pipeline));
  const std::optional<std::string> scene = page.glb(pipeline, problem, record);
  if (!scene) {
    complain("the model has no picture, so `" + page.file().string() + "` is not written");
    return false;
  }
  runtime::writeWhole(page.file(), *scene, false);
  return true;
}

int viewModel(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  context.stage = "compiling `" + file + "`";
  const std::filesystem::path to = pageOf(call);
  const std::optional<FilmFile> film = FilmFile::of(call, to);
  if (!film && !isGlb(to) && to.extension() != ".html" && to.extension() != ".htm")
    throw UsageError("`" + to.string() +
                     "` is neither a page (.html), a scene for other viewers (.glb), nor a still or " +
                     "a film: " + FilmFile::endings());
  const PageWriter page(call, to, film ? PageUse::Pictures : isGlb(to) ? PageUse::Scene : PageUse::Page);
  std::vector<NamedFile> inputs = {{"the model", file}};
  if (call[options::data]) inputs.push_back({"the run of --data", *call[options::data]});
  protectFiles({{"the page", page.file()}}, inputs);
  const runtime::InputTable data = call[options::data] ? readRows(*call[options::data]) : runtime::InputTable();
  products::PipelineOptions options = pipelineOptions(call);
  options.compilation.scene = true;
  options.codeForAnyParameters = false;
  products::Pipeline pipeline(options);
  const std::unique_ptr<runtime::Problem> problem = pipeline.load(file) ? pipeline.build() : nullptr;
  if (problem == nullptr) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  if (call[options::every]) problem->outputSteps = 0;
  if (!checkRun(pipeline, *problem, call)) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());
  std::vector<NamedFile> read;
  for (const std::string& name : filesReadBy(pipeline)) read.push_back({"a file that the model is made from", name});
  protectFiles({{"the page", page.file()}}, read);

  context.stage = "running `" + file + "`";
  const StopOnSignal guard;
  StateRecorder states(*problem, nullptr);
  const std::unique_ptr<PageRecorder> record = page.recorder(pipeline, *problem, &states);
  runtime::ProgressBar bar(problem->timeFrom, problem->timeTo, showsProgress(call), [] { return stopSignal() == 0; });
  runtime::RunBounds bounds;
  if (call[options::maxSeconds]) bounds.seconds = *call[options::maxSeconds];
  runtime::Summary summary{
      problem->model,         problem->method, problem->timeFrom, problem->step, {}, "", 0, false, 0,
      problem->energyChanges, problem->chosen};
  if (call[options::data]) {
    summary.output = std::filesystem::path(*call[options::data]).filename().string();
    summary.result = replay(pipeline, *problem, data, summary.output, *record);
    summary.timeFrom = data.find("t")->values.front();
  } else {
    summary.result = runtime::run(*problem, {record.get(), &bar, record.get(), nullptr, nullptr, bounds});
  }
  context.stage = "writing `" + page.file().string() + "`";
  if (!writeView(page, film, pipeline, *problem, summary, *record, states)) return RunFailed;
  if (!call[options::quiet]) print(page.file().string() + "\n");
  if (call[openFlag]) show(page.file());
  const runtime::RunResult& result = summary.result;
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
                "lmc view top.lie --set m=10 -o heavy.html\n"
                "lmc view top.lie -o top.mp4",
    .usesCache = true,
    .options = OptionList(options::model, options::simulation, pageOption, openFlag, options::data, options::page,
                          options::size, options::stillAt, options::every, options::quiet, options::progress,
                          options::maxSeconds, options::noCache),
    .run = viewModel,
};

} // namespace lmc::tool
