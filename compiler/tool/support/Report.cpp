#include "tool/support/Report.h"

#include "base/Harmless.h"
#include "tool/support/SharedOptions.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace lmc::tool {

namespace {

void checkOutput(bool good) {
  if (!good && errno != EPIPE)
    throw OutputFailure(std::string("cannot write standard output: ") + std::strerror(errno));
}

} // namespace

void print(const std::string& given) {
  const std::string text = isatty(STDOUT_FILENO) != 0 ? harmless(given) : given;
  checkOutput(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void flushOutput() {
  checkOutput(std::fflush(stdout) == 0);
}

void complain(const std::string& text) {
  std::fputs(("lmc: " + harmless(text) + "\n").c_str(), stderr);
}

void warn(const std::string& text) {
  if (!text.empty()) complain("warning: " + text);
}

bool useColor(const Invocation& call) {
  const When when = call[options::color].value_or(When::Auto);
  if (when != When::Auto) return when == When::Always;
  const char* const forbidden = std::getenv("NO_COLOR");
  if (forbidden != nullptr && *forbidden != '\0') return false;
  return isatty(STDERR_FILENO) != 0;
}

bool showsProgress(const Invocation& call) {
  const bool wanted = call[options::progress].value_or(When::Auto) == When::Auto && !call[options::quiet];
  return wanted && isatty(STDERR_FILENO) != 0;
}

void printTimings(const std::vector<std::pair<std::string, double>>& seconds) {
  for (const auto& [stage, time] : seconds) std::fprintf(stderr, "%10.3f ms  %s\n", 1e3 * time, stage.c_str());
}

void printDiagnostics(const Invocation& call, const Diagnostics& diagnostics, const Sources& sources) {
  std::fputs(renderAll(diagnostics, sources, useColor(call)).c_str(), stderr);
}

int refuseInput(const Invocation& call, const Diagnostics& diagnostics, const Sources& sources) {
  if (call[options::json])
    print("{\"diagnostics\": " + toJson(diagnostics, sources) + "}\n");
  else
    printDiagnostics(call, diagnostics, sources);
  return InputWrong;
}

} // namespace lmc::tool
