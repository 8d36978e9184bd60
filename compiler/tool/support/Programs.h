// Programs of others, which the tool uses where they are installed.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace lmc::tool {

/// The file of a program of the search path; empty: it is not installed.
[[nodiscard]] std::filesystem::path findProgram(const std::string& name);

/// What a program wrote and how it ended.
struct ProgramResult {
  int status = 0; ///< 128 + n: ended by signal n
  std::string out, error;
};

/// Runs a program to its end: its name and arguments, what it reads from standard input, variables of the environment
/// that differ. Throws std::runtime_error where it cannot be started.
[[nodiscard]] ProgramResult runProgram(const std::vector<std::string>& command, const std::string& input,
                                       const std::vector<std::pair<std::string, std::string>>& environment = {});

} // namespace lmc::tool
