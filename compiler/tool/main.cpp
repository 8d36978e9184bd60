// The tool `lmc`.
#include "base/DeepStack.h"
#include "base/Installation.h"
#include "base/Pages.h"
#include "runtime/output/Output.h"
#include "tool/runs/Module.h"
#include "tool/support/Arguments.h"
#include "tool/support/CommandLine.h"
#include "tool/support/Report.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>
#include <vector>

namespace {

using namespace lmc::tool;

int defect(const lmc::tool::Context& context, const char* what) {
  lmc::tool::complain(std::string(what) + "\n  while " + context.stage + "\nthis is a defect of lmc, please report it");
  return lmc::tool::Defect;
}

int guarded(lmc::tool::Context& context, int argc, char** argv) {
  try {
    // The module is opened where something of it may be asked for.
    const CommandTable own = programCommands();
    const std::string_view asked = argc > 1 ? argv[1] : "";
    const bool alone = asked == "--version" || std::any_of(own.begin(), own.end(), [&](const Command* command) {
                         return command->name == asked;
                       });
    const std::vector<const Command*> all = alone ? std::vector<const Command*>() : allCommands(own);
    context.commands = alone ? own : all;
    lmc::tool::CommandLine line = lmc::tool::readCommandLine(context.commands, argc, argv);
    int status = line.status;
    if (line.invocation) {
      context.call = std::move(*line.invocation);
      if (line.command->usesCache) lmc::tool::warnOfCache(context.call);
      status = line.command->run(context);
    }
    lmc::tool::flushOutput();
    return status;
  } catch (const lmc::tool::UsageError& error) {
    lmc::tool::complain(error.what());
    return lmc::tool::UsageWrong;
  } catch (const lmc::tool::OutputFailure& error) {
    lmc::tool::complain(error.what());
    return lmc::tool::RunFailed;
  } catch (const lmc::runtime::OutputError& error) {
    lmc::tool::complain(error.what());
    return error.fault() == lmc::runtime::OutputFault::Place ? lmc::tool::UsageWrong : lmc::tool::RunFailed;
  } catch (const lmc::InstallationError& error) {
    lmc::tool::complain(error.what());
    return lmc::tool::Defect;
  } catch (const std::bad_alloc&) {
    lmc::tool::complain("there is not enough memory, while " + context.stage);
    return lmc::tool::RunFailed;
  } catch (const std::exception& error) {
    return defect(context, error.what());
  } catch (...) {
    return defect(context, "an unknown exception");
  }
}

} // namespace

int main(int argc, char** argv) {
  lmc::tool::Context context;
  context.start = std::chrono::steady_clock::now();
  lmc::bringInCode(reinterpret_cast<const void*>(&guarded));
  lmc::keepHeap();
  context.stage = "reading the command line";
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a full disk
  const int status = lmc::onDeepStack([&] { return guarded(context, argc, argv); });
  std::fflush(stdout);
  // No destructors of global objects: the process ends here.
  std::fflush(stderr);
  std::_Exit(status);
}
