// Results to standard output, diagnostics to standard error (or as JSON to standard output).
#pragma once

#include "diagnostics/Diagnostics.h"
#include "tool/support/Invocation.h"

#include <string>
#include <utility>
#include <vector>

namespace lmc::tool {

/// Writes to standard output. A closed pipe is no error; a full disk throws OutputFailure.
void print(const std::string& text);
/// Makes sure that what was printed has arrived; throws OutputFailure.
void flushOutput();
/// Writes to standard error: "lmc: text", and a line end.
void complain(const std::string& text);

/// A warning that belongs to the call, not to a place in a text: to standard error, unless it is empty.
void warn(const std::string& text);
/// Standard output cannot be written.
class OutputFailure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// True when diagnostics are coloured: by --color, else when standard error is a terminal and NO_COLOR is not set.
[[nodiscard]] bool useColor(const Invocation& call);

/// True when a progress bar is shown: unless --progress or --quiet forbid it, when standard error is a terminal.
[[nodiscard]] bool showsProgress(const Invocation& call);

/// What --timings asks for: milliseconds and names of stages, a line each, to standard error.
void printTimings(const std::vector<std::pair<std::string, double>>& seconds);

/// Prints all diagnostics to standard error.
void printDiagnostics(const Invocation& call, const Diagnostics& diagnostics, const Sources& sources);

/// Ends a call whose input is wrong: the diagnostics on standard error, or {"diagnostics": […]} on standard output.
/// Returns the exit status.
int refuseInput(const Invocation& call, const Diagnostics& diagnostics, const Sources& sources);

} // namespace lmc::tool
