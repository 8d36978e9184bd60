// What commands that run models share.
#pragma once

#include "products/Pipeline.h"
#include "runtime/output/Output.h"
#include "tool/support/Invocation.h"

#include <array>
#include <csignal>
#include <filesystem>
#include <optional>

namespace lmc::tool {

/// The signal that asked the run to stop, or 0.
[[nodiscard]] int stopSignal();

/// While it lives, a first interrupt ends the run cleanly; a second one ends the process.
class StopOnSignal {
public:
  StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal();

private:
  /// An interrupt, the request to end, the end of the terminal, the end of the time that the system grants.
  static constexpr std::array<int, 4> signals = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
  std::array<struct sigaction, 4> before_{};
};

/// A file of a call, and what it is in a message: "--output", "the model".
struct NamedFile {
  std::string what;
  std::filesystem::path path;
};

/// Refuses to write a file that is read, or two to the same place, links and second names followed: before anything is
/// written. Throws UsageError. What writers put beside a file while they work counts as written.
void protectFiles(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read);
/// The same for the options of a call. `files`: that were read to compile the model; none before that.
void protectFiles(const Invocation& call, const std::vector<std::string>& files = {});
/// The files that a compilation has read.
[[nodiscard]] std::vector<std::string> filesReadBy(products::Pipeline& pipeline);

/// A sentence about an output of more than a gigabyte, or of more than its disk has room for, before it is written;
/// empty if there is no need for one. `numbers`: columns, the time included.
[[nodiscard]] std::string largeOutput(const std::string& file, double rows, std::size_t numbers);

/// Bytes that an output has at least; 0 of a kind that there is no writer for.
[[nodiscard]] double leastBytes(const std::string& file, double rows, std::size_t numbers);

/// Refuses an output that its disk could not hold if it were empty, before it is written. Throws UsageError.
void refuseHopelessOutput(const std::string& file, double rows, std::size_t numbers);

/// Refuses output files that no writer exists for, before anything is compiled. Throws UsageError.
void checkOutputFormat(const Invocation& call);

/// What a file says about its run: all texts that the model was made from, those of the library included.
[[nodiscard]] runtime::RunDescription description(const Sources& sources, const runtime::Problem& problem);

} // namespace lmc::tool
