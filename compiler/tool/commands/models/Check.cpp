// `lmc check`: all errors and warnings of some files.
#include "tool/support/Command.h"

#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

namespace lmc::tool {

namespace {

/// The objects of a JSON array, without its brackets; empty for an empty array.
std::string members(const std::string& array) {
  const std::size_t begin = array.find('[') + 1;
  const std::size_t end = array.rfind(']');
  const std::string inner = array.substr(begin, end - begin);
  return inner.find('{') == std::string::npos ? std::string() : inner;
}

int checkFiles(Context& context) {
  const Invocation& call = context.call;
  if (call.arguments.empty()) throw UsageError("the file is missing: lmc " + call.command + " FILE.lie ...");
  for (const std::string& file : call.arguments) requireReadable(file);
  int status = Done;
  std::string objects;
  for (const std::string& file : call.arguments) {
    context.stage = "checking `" + file + "`";
    Invocation own = call;
    own.arguments = {file};
    products::Pipeline pipeline(pipelineOptions(own));
    bool good = pipeline.load(file) && pipeline.check() && !pipeline.diagnostics().hasErrors();
    constexpr std::int64_t unknown = -1;
    const std::int64_t freedoms = good ? pipeline.freedoms().value_or(unknown) : unknown;
    good = good && !pipeline.diagnostics().hasErrors();
    if (!good) status = InputWrong;
    if (call[options::json]) {
      const std::string more = members(toJson(pipeline.diagnostics(), pipeline.sources()));
      objects += (objects.empty() || more.empty() ? "" : ",") + more;
      continue;
    }
    printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());
    if (good) print(file + ": no errors\n");
    if (good && freedoms != unknown)
      print("  " + std::to_string(freedoms) + (freedoms == 1 ? " degree" : " degrees") +
            " of freedom at the initial state\n");
  }
  if (call[options::json]) print("{\"diagnostics\": [" + objects + "]}\n");
  return status;
}

} // namespace

extern const Command checkCommand = {
    .name = "check",
    .place = 1,
    .argument = "FILE...",
    .summary = "all errors and warnings, nothing run",
    .examples = "lmc check *.lie",
    .options = OptionList(options::model, options::simulation, options::json),
    .run = checkFiles,
};

} // namespace lmc::tool
