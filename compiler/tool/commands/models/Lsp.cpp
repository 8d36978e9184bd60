// `lmc lsp`: a language server for editors.
#include "tool/support/Command.h"

#include "editor/Server.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <fstream>
#include <iostream>

namespace lmc::tool {

namespace {

constexpr Option<> logOption("--log", "FILE", "messages and defects are written there",
                             {.completion = Completion::File});

int serve(Context& context) {
  const Invocation& call = context.call;
  if (!call.arguments.empty())
    throw UsageError("lmc " + call.command + " takes no file: an editor starts it and sends its texts");
  context.stage = "serving an editor";
  const products::PipelineOptions pipeline = pipelineOptions(call);
  editor::ServerOptions options;
  options.version = LMC_VERSION;
  options.libraryRoot = pipeline.compilation.libraryRoot;
  options.importPath = pipeline.compilation.importPath;
  std::ofstream log;
  if (call[logOption]) {
    log.open(*call[logOption], std::ios::app);
    if (!log) throw UsageError("`" + *call[logOption] + "` cannot be written");
    options.log = [&log](const std::string& direction, const std::string& text) {
      log << direction << ' ' << text << std::endl; // to be read when the server has died
    };
  }
  // By the protocol: 0 where `exit` comes behind `shutdown`, else 1.
  return editor::Server(std::cin, std::cout, std::move(options)).run() == 0 ? Done : InputWrong;
}

} // namespace

extern const Command lspCommand = {
    .name = "lsp",
    .place = 15,
    .argument = "",
    .summary = "a language server on standard input, for editors",
    .examples = "lmc lsp --log /tmp/lmc.log",
    .options = OptionList(options::importPath, logOption),
    .run = serve,
};

} // namespace lmc::tool
