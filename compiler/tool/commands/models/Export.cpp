// `lmc export --c`: C99 source and a header.
#include "backends/c/Source.h"
#include "tool/shared/AheadFiles.h"
#include "tool/support/Arguments.h"
#include "tool/support/Command.h"
#include "tool/support/SharedOptions.h"

namespace lmc::tool {

namespace {

constexpr Option<> sourceOption = options::codeOutput.as(
    "NAME.c", "the source file; its header NAME.h is written beside it", {.completion = Completion::File});
constexpr Flag c99Flag("--c", "C99 source, the only form so far");
constexpr Flag mainFlag("--main", "with a program that prints a trajectory as CSV");

int exportModel(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  if (!call[c99Flag])
    throw UsageError("`lmc " + call.command + "` wants the form of what is written: --c for C99 source");
  const AheadNames names = aheadNames(call, {".c"});
  context.stage = "exporting `" + file + "`";
  int status = Done;
  const auto unit = aheadUnit(call, names, status);
  if (!unit) return status;
  writeFile(names.header, backends::header(*unit));
  writeFile(names.file, backends::source(*unit, names.header.filename().string(), call[mainFlag]));
  tellFiles(call, {names.file, names.header});
  return Done;
}

} // namespace

extern const Command exportCommand = {
    .name = "export",
    .place = 16,
    .argument = "FILE",
    .summary = "C99 source of the model and its step, for programs without the compiler",
    .examples = "lmc export top.lie --c --main -o top.c",
    .options = OptionList(sourceOption, options::prefix, options::specialize, c99Flag, mainFlag, options::model,
                          options::simulation, options::json),
    .run = exportModel,
};

} // namespace lmc::tool
