// A command of the tool: everything about it stands in one file below tool/commands/, NAME.cpp, which defines
// `nameCommand`. CMake makes the table of commands from the names of the files (cmake/Tables.cmake); the dispatcher,
// the help, the completions, the manual page and the suggestions read it.
#pragma once

#include "tool/support/Invocation.h"

#include <chrono>
#include <span>
#include <string>

namespace lmc::tool {

struct Command;
/// All commands, in the order of `lmc --help`.
using CommandTable = std::span<const Command* const>;

/// One call of the tool while it runs.
struct Context {
  Invocation call;
  std::chrono::steady_clock::time_point start; ///< of the tool
  std::string stage;                           ///< what it is doing, for the report of a defect
  CommandTable commands;
};

struct Command {
  const char* name;
  int place;                      ///< in the list of `lmc --help`, from 0; equal places by name
  const char* argument;           ///< what stands behind the options, for the help; empty: nothing
  const char* argumentWords = ""; ///< for completion: a command of the shell that prints what the argument may be;
                                  ///< empty: files
  const char* summary;            ///< one line
  const char* examples = "";      ///< lines of a shell
  bool usesCache = false;         ///< of compiled code
  OptionList options = OptionList();
  /// Returns an exit status. Throws UsageError for wrong usage; any other exception is a defect.
  int (*run)(Context&);
};

/// The commands that the program holds itself, a table that CMake makes; the others are in a module
/// (tool/runs/Module.h).
[[nodiscard]] CommandTable programCommands();

} // namespace lmc::tool
