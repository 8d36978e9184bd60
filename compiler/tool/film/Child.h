// A process that the tool talks with, and a folder for what it needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace lmc::tool {

/// A folder below the system's for temporary files, removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// A program that runs beside the tool. What it says of errors goes to a file.
class Child {
public:
  /// `input`: the descriptor at which it reads what is written here; `output`: at which it writes what is read here, or
  /// -1. Throws std::runtime_error where it cannot be started.
  Child(const std::vector<std::string>& command, int input, int output, const std::filesystem::path& errors);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Ends it if it still runs.
  ~Child();

  /// False when it no longer reads.
  [[nodiscard]] bool write(const std::string& bytes) const;
  /// Some bytes; none when it is gone, or silent for so many seconds.
  [[nodiscard]] std::string read(double seconds) const;
  /// Says that nothing follows and waits for the end. Returns the exit status.
  int finish();

private:
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
};

} // namespace lmc::tool
