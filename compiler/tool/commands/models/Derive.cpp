// `lmc derive`: the equations of motion, or their values.
#include "tool/support/Command.h"

#include "products/equations/Equations.h"
#include "runtime/output/Output.h"
#include "runtime/run/Run.h"
#include "runtime/run/Workspace.h"
#include "tool/runs/RunParts.h"
#include "tool/shared/StateTable.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

namespace lmc::tool {

namespace {

constexpr Option<> formOption("--format", "text|latex|json", "form of the equations",
                              {.completion = Completion::Words, .standard = "text"});
constexpr Option<> shapeOption("--form", "motion|matrix|hamilton",
                               "which equations: M xi' = r, blocks of M with velocity terms and forces, or momenta",
                               {.completion = Completion::Words, .standard = "motion"});
constexpr Flag expandOption("--expand", "families are written out, member by member");
constexpr Option<> valuesOption = options::output.as("FILE", "where the values go",
                                                     {.completion = Completion::Output, .standard = "standard output"});

std::string readAll(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

/// One object: the names of the columns, t first, and a row of numbers for each state.
class JsonValues final : public runtime::Sink {
public:
  void begin(const std::vector<runtime::Entry>& columns) override {
    out_["columns"] = {"t"};
    for (const runtime::Entry& column : columns) out_["columns"].push_back(column.name());
    out_["values"] = nlohmann::ordered_json::array();
  }
  void sample(double t, std::span<const double> values) override {
    nlohmann::ordered_json row = {t};
    for (const double x : values) row.push_back(std::isfinite(x) ? nlohmann::ordered_json(x) : nullptr);
    out_["values"].push_back(std::move(row));
  }
  void finish() override { print(out_.dump() + "\n"); }

private:
  nlohmann::ordered_json out_;
};

std::unique_ptr<runtime::Sink> openValues(const Invocation& call) {
  if (call[options::json]) {
    if (call[options::output])
      throw UsageError("--json prints the values; --output writes them to a file: give one of the two");
    return std::make_unique<JsonValues>();
  }
  if (!call[options::output]) {
    flushOutput();
    return runtime::streamOutput(STDOUT_FILENO, "standard output");
  }
  return runtime::openOutput(*call[options::output]);
}

/// Evaluates the map f at each state of the table.
int evaluate(const runtime::Problem& problem, const StateTable& states, const std::vector<runtime::Column>& columns,
             runtime::Sink& sink) {
  runtime::Workspace workspace(problem);
  std::int32_t status = workspace.start();
  if (status != runtime::Ok) {
    complain(runtime::statusText(status));
    return RunFailed;
  }
  std::vector<runtime::Entry> entries;
  std::vector<const double*> places;
  for (const runtime::Column& column : problem.numbers(runtime::FieldKind::Rate)) {
    entries.push_back(column.entry);
    places.push_back(workspace.place(column));
  }
  sink.begin(entries);
  std::vector<double> row(places.size());
  std::size_t undefined = 0; // rows
  for (std::size_t i = 0; i < states.rows && status == runtime::Ok; ++i) {
    const double* const state = states.row(i);
    for (std::size_t k = 0; k < columns.size(); ++k)
      workspace.state()[static_cast<std::size_t>(columns[k].offset)] = state[k + 1];
    status = workspace.field(state[0]);
    if (status != runtime::Ok)
      complain(fmt::format("row {} (t = {}): {}", i + 1, state[0], runtime::statusText(status)));
    if (status != runtime::Ok) break;
    std::transform(places.begin(), places.end(), row.begin(), [](const double* p) { return *p; });
    sink.sample(state[0], row);
    const auto wrong = std::find_if(row.begin(), row.end(), [](double x) { return std::isnan(x); });
    if (wrong == row.end()) continue;
    if (undefined++ == 0)
      complain(fmt::format("row {} (t = {}): {} is not a number", i + 1, state[0],
                           entries[static_cast<std::size_t>(wrong - row.begin())].name()));
  }
  sink.finish();
  if (undefined > 1) complain(fmt::format("in all, {} rows have values that are not numbers", undefined));
  return status == runtime::Ok && undefined == 0 ? Done : RunFailed;
}

int evaluateAt(Context& context, products::Pipeline& pipeline) {
  const Invocation& call = context.call;
  const std::unique_ptr<runtime::Problem> problem = pipeline.build(false);
  if (problem == nullptr) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  std::vector<std::string> names = {"t"};
  const std::vector<runtime::Column> columns = problem->numbers(runtime::FieldKind::State);
  for (const runtime::Column& column : columns) names.push_back(column.entry.name());
  sema::Compilation& compilation = pipeline.compilation();
  StateTable states = readStates(*call[options::at], readAll(*call[options::at]), names, compilation.sources(),
                                 compilation.diagnostics());
  std::vector<std::int64_t> offsets;
  offsets.reserve(columns.size());
  for (const runtime::Column& column : columns) offsets.push_back(column.offset);
  if (!pipeline.diagnostics().hasErrors()) settleStates(*call[options::at], pipeline, problem->params, offsets, states);
  if (pipeline.diagnostics().hasErrors()) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  if (!call[options::json]) printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());
  protectFiles(call, filesReadBy(pipeline));
  context.stage = "evaluating the equations";
  const std::unique_ptr<runtime::Sink> sink = openValues(call);
  try {
    return evaluate(*problem, states, columns, *sink);
  } catch (const runtime::OutputError& error) {
    complain(error.what());
    return RunFailed;
  }
}

void requireWord(const std::string& rule, const std::string& word, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  const std::string near = nearest(word, words);
  throw UsageError(rule + ", not `" + word + "`" + (near.empty() ? std::string() : "; did you mean `" + near + "`?"));
}

int deriveModel(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  const std::string format = call.orStandard(formOption);
  const std::string form = call.orStandard(shapeOption);
  requireWord("--format is text, latex or json", format, {"text", "latex", "json"});
  requireWord("--form is motion, matrix or hamilton", form, {"motion", "matrix", "hamilton"});
  if (call[options::output] && !call[options::at]) throw UsageError("--output goes with --at STATES.csv");
  if (call[options::at]) requireReadable(*call[options::at]);
  checkOutputFormat(call);
  protectFiles(call);
  context.stage = "deriving the equations of `" + file + "`";
  products::Pipeline pipeline(pipelineOptions(call));
  if (!pipeline.load(file)) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  if (call[options::at]) return evaluateAt(context, pipeline);
  const std::string text =
      products::equations(pipeline, call[options::json] ? "json" : format, form, call[expandOption]);
  if (pipeline.diagnostics().hasErrors()) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());
  print(text.ends_with("\n") ? text : text + "\n");
  return Done;
}

} // namespace

extern const Command deriveCommand = {
    .name = "derive",
    .place = 2,
    .argument = "FILE",
    .summary = "the equations of motion, or their values at given states",
    .examples = "lmc derive top.lie --format latex\n"
                "lmc derive chain.lie --form matrix\n"
                "lmc derive top.lie --at states.csv --output accelerations.csv",
    .usesCache = true,
    .options = OptionList(options::model, formOption, shapeOption, expandOption, options::at, valuesOption,
                          options::compile, options::json),
    .run = deriveModel,
};

} // namespace lmc::tool
