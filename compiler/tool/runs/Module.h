// Commands and pictures that `lmc run` does without: a module, liblmc_commands, opened when one of them is asked for.
// So a first build of the tool need not wait for them, and the start of a run not for their code.
#pragma once

#include "tool/runs/Pictures.h"
#include "tool/support/Command.h"

#include <memory>
#include <vector>

namespace lmc::tool {

struct CommandsModule {
  const char* build; ///< the build id, in hexadecimal, of the program that it belongs to
  CommandTable commands;
  /// Those that a call asks for. Throws UsageError, InstallationError.
  std::unique_ptr<Pictures> (*pictures)(const Invocation&);
};

/// The name of the function of the module that returns it: `const CommandsModule* lmc_commands()`, in C.
inline constexpr const char* commandsModuleEntry = "lmc_commands";

/// The module, opened at the first call. It uses what the program is made of, so it must be that of this build. Throws
/// InstallationError where there is none, or one of another build.
[[nodiscard]] const CommandsModule& commandsModule();

/// The commands of the program and of the module, in the order of `lmc --help`.
[[nodiscard]] std::vector<const Command*> allCommands(CommandTable own);

} // namespace lmc::tool
