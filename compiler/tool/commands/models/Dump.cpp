// `lmc dump`: what a stage of the compiler makes of a model.
#include "tool/support/Command.h"

#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

constexpr Option<> stageOption("--stage", "STAGE",
                               "which one: ast program model system scene step tape ir assembly nvptx");

int dumpStage(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  std::string known;
  for (const std::string& name : products::stageNames()) known += (known.empty() ? "" : ", ") + name;
  if (!call[stageOption]) throw UsageError("--stage is missing; the stages are " + known);
  if (std::find(products::stageNames().begin(), products::stageNames().end(), *call[stageOption]) ==
      products::stageNames().end()) {
    const std::string near = nearest(*call[stageOption], products::stageNames());
    throw UsageError("there is no stage `" + *call[stageOption] + "`" +
                     (near.empty() ? std::string() : "; did you mean `" + near + "`?") + "\nthe stages are " + known);
  }
  context.stage = "compiling `" + file + "`";
  products::PipelineOptions options = pipelineOptions(call);
  options.compilation.scene = *call[stageOption] == "scene";
  products::Pipeline pipeline(std::move(options));
  const std::string listing = pipeline.load(file) ? pipeline.dump(*call[stageOption]) : std::string();
  const Diagnostics& found = pipeline.diagnostics();
  if (call[options::json]) {
    const nlohmann::json text(listing), name(*call[stageOption]);
    constexpr auto replace = nlohmann::json::error_handler_t::replace;
    print("{\"stage\": " + name.dump(-1, ' ', false, replace) + ", \"text\": " + text.dump(-1, ' ', false, replace) +
          ", \"diagnostics\": " + toJson(found, pipeline.sources()) + "}\n");
  } else {
    // A tree or a program of a wrong file can still be shown.
    print(listing);
    printDiagnostics(call, found, pipeline.sources());
  }
  return found.hasErrors() ? InputWrong : Done;
}

} // namespace

extern const Command dumpCommand = {
    .name = "dump",
    .place = 4,
    .argument = "FILE",
    .summary = "any intermediate of the compiler",
    .examples = "lmc dump top.lie --stage system",
    .options = OptionList(options::model, options::simulation, stageOption, options::json),
    .run = dumpStage,
};

} // namespace lmc::tool
