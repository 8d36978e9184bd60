// The tool `lmc`.
#include "base/DeepStack.h"
#include "base/Installation.h"
#include "runtime/output/Output.h"
#include "tool/support/Arguments.h"
#include "tool/support/CommandLine.h"
#include "tool/support/Report.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

namespace {

using namespace lmc::tool;

int defect(const Context& context, const char* what) {
  complain(std::string(what) + "\n  while " + context.stage + "\nthis is a defect of lmc, please report it");
  return Defect;
}

int guarded(Context& context, int argc, char** argv) {
  try {
    CommandLine line = readCommandLine(context.commands, argc, argv);
    int status = line.status;
    if (line.invocation) {
      context.call = std::move(*line.invocation);
      if (line.command->usesCache) warnOfCache(context.call);
      status = line.command->run(context);
    }
    flushOutput();
    return status;
  } catch (const UsageError& error) {
    complain(error.what());
    return UsageWrong;
  } catch (const OutputFailure& error) {
    complain(error.what());
    return RunFailed;
  } catch (const lmc::OutputError& error) {
    complain(error.what());
    return error.fault() == lmc::OutputFault::Place ? UsageWrong : RunFailed;
  } catch (const lmc::InstallationError& error) {
    complain(error.what());
    return Defect;
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory, while " + context.stage);
    return RunFailed;
  } catch (const std::exception& error) {
    return defect(context, error.what());
  } catch (...) {
    return defect(context, "an unknown exception");
  }
}

} // namespace

int main(int argc, char** argv) {
  Context context;
  context.start = std::chrono::steady_clock::now();
  context.stage = "reading the command line";
  context.commands = allCommands();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a full disk
  const int status = lmc::onDeepStack([&] { return guarded(context, argc, argv); });
  std::fflush(stdout);
  // No destructors of global objects: the process ends here.
  std::fflush(stderr);
  std::_Exit(status);
}
