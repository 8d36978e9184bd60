// From the words of the command line to a call, by the table of commands.
#pragma once

#include "tool/support/Command.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc::tool {

/// Either a call to carry out, or a status to exit with (after `--help`, `--version`).
struct CommandLine {
  std::optional<Invocation> invocation;
  const Command* command = nullptr; ///< of the invocation
  int status = Done;
};

/// Reads the arguments. Throws UsageError.
[[nodiscard]] CommandLine readCommandLine(CommandTable commands, int argc, const char* const* argv);

/// What can be typed, for pages that are made of it.
struct OptionDescription {
  std::string name;  ///< "--method"
  std::string value; ///< "NAME[(arg=value)]", "text|latex|json"; empty for a flag
  std::string help;
  Completion completion;
  bool repeated;
};
/// The options of a command, those that every command has included.
[[nodiscard]] std::vector<OptionDescription> describeOptions(const Command& command);

} // namespace lmc::tool
