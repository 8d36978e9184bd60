#include "tool/support/Commands.h"

#include "tool/support/Options.h"
#include "tool/support/Report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

/// The objects of a JSON array, without its brackets; empty for an empty array.
std::string members(const std::string& array) {
  const std::size_t begin = array.find('[') + 1;
  const std::size_t end = array.rfind(']');
  const std::string inner = array.substr(begin, end - begin);
  return inner.find('{') == std::string::npos ? std::string() : inner;
}

} // namespace

int checkFiles(Context& context) {
  const Invocation& call = context.call;
  if (call.arguments.empty()) throw UsageError("the file is missing: lmc check FILE.lie ...");
  for (const std::string& file : call.arguments) requireReadable(file);
  int status = Done;
  std::string objects;
  for (const std::string& file : call.arguments) {
    context.stage = "checking '" + file + "'";
    Invocation own = call;
    own.arguments = {file};
    Pipeline pipeline(pipelineOptions(own));
    const bool good = pipeline.load(file) && pipeline.check() && !pipeline.diagnostics().hasErrors();
    if (!good) status = InputWrong;
    if (call.json) {
      const std::string more = members(toJson(pipeline.diagnostics(), pipeline.sources()));
      objects += (objects.empty() || more.empty() ? "" : ",") + more;
      continue;
    }
    printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());
    if (good) print(file + ": no errors\n");
  }
  if (call.json) print("{\"diagnostics\": [" + objects + "]}\n");
  return status;
}

int dumpStage(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  std::string known;
  for (const std::string& name : stageNames()) known += (known.empty() ? "" : ", ") + name;
  if (!call.stage) throw UsageError("--stage is missing; the stages are " + known);
  if (std::find(stageNames().begin(), stageNames().end(), *call.stage) == stageNames().end()) {
    const std::string near = nearest(*call.stage, stageNames());
    throw UsageError("there is no stage '" + *call.stage + "'" +
                     (near.empty() ? std::string() : "; did you mean '" + near + "'?") + "\nthe stages are " + known);
  }
  context.stage = "compiling '" + file + "'";
  Pipeline pipeline(pipelineOptions(call));
  const std::string listing = pipeline.load(file) ? pipeline.dump(*call.stage) : std::string();
  const Diagnostics& found = pipeline.diagnostics();
  if (call.json) {
    const nlohmann::json text(listing), stage(*call.stage);
    constexpr auto replace = nlohmann::json::error_handler_t::replace;
    print("{\"stage\": " + stage.dump(-1, ' ', false, replace) + ", \"text\": " + text.dump(-1, ' ', false, replace) +
          ", \"diagnostics\": " + toJson(found, pipeline.sources()) + "}\n");
  } else {
    // A tree or a program of a wrong file can still be shown.
    print(listing);
    printDiagnostics(call, found, pipeline.sources());
  }
  return found.hasErrors() ? InputWrong : Done;
}

} // namespace lmc::tool
