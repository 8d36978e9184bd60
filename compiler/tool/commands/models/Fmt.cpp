// `lmc fmt`: indentation and blanks of `.lie` files.
#include "tool/support/Command.h"

#include "base/Files.h"
#include "editor/text/Format.h"
#include "editor/text/LineChanges.h"
#include "runtime/output/OutputFile.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <iostream>
#include <iterator>

namespace lmc::tool {

namespace {

constexpr Flag checkOption("--check", "writes nothing; lists the files that would change, and ends with status 1");
constexpr Flag diffOption("--diff", "writes nothing; shows what would change");

/// The names for standard input: as an argument, and in messages.
constexpr const char* standardInput = "-";
constexpr const char* standardInputName = "<standard input>";

std::string textOf(const std::string& file) {
  if (file == standardInput) return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  requireReadable(file);
  const std::optional<std::string> text = readFile(file);
  if (!text) throw UsageError("`" + file + "` cannot be read");
  return *text;
}

/// Returns the status of the call for this file.
int formatFile(Context& context, const std::string& file) {
  const Invocation& call = context.call;
  const std::string name = file == standardInput ? standardInputName : file;
  context.stage = "formatting `" + name + "`";
  Sources sources;
  Diagnostics diagnostics;
  const SourceId id = sources.add(name, textOf(file));
  const std::string& text = sources[id].text();
  const std::optional<std::string> result = editor::formatted(sources, id, diagnostics);
  if (!result) {
    printDiagnostics(call, diagnostics, sources);
    complain("`" + name + "` has errors and stays as it is");
    return InputWrong;
  }
  if (call[checkOption] || call[diffOption]) {
    if (*result == text) return Done;
    if (call[diffOption])
      print(editor::unifiedDifference(name, text, *result));
    else
      print(name + "\n");
    return call[checkOption] ? InputWrong : Done;
  }
  if (file == standardInput) {
    print(*result);
  } else if (*result != text) {
    runtime::WholeFile out(file);
    out.out().write(result->data(), result->size());
    out.commit(false);
  }
  return Done;
}

int formatFiles(Context& context) {
  const Invocation& call = context.call;
  if (call.arguments.empty()) throw UsageError("the file is missing: lmc " + call.command + " FILE.lie ...");
  int status = Done;
  for (const std::string& file : call.arguments) status = std::max(status, formatFile(context, file));
  return status;
}

} // namespace

extern const Command fmtCommand = {
    .name = "fmt",
    .place = 1,
    .argument = "FILE...",
    .summary = "indentation and blanks put in order, in place; - is standard input",
    .examples = "lmc fmt *.lie\n"
                "lmc fmt --diff top.lie\n"
                "lmc fmt --check examples/*.lie",
    .options = OptionList(checkOption, diffOption),
    .run = formatFiles,
};

} // namespace lmc::tool
