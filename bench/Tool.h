// Runs the built `lmc` and reads the summary of the run.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lmc::bench {

/// One call of the tool: its summary (null if it failed or took too long) and the time of the whole process.
struct ToolRun {
  nlohmann::json summary;
  double seconds = 0;
};

/// A folder for compiled code, empty at first, removed at the end.
class CacheFolder {
public:
  CacheFolder();
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;
  ~CacheFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

private:
  std::filesystem::path folder_;
};

/// `lmc COMMAND FILE --json ARGUMENTS…`; killed after `limitSeconds`.
[[nodiscard]] ToolRun runTool(const std::string& file, const std::vector<std::string>& arguments,
                              const CacheFolder& cache, double limitSeconds = 60, const std::string& command = "run");

/// Whether the tool was built.
[[nodiscard]] bool toolExists();

/// Path of examples/NAME.lie.
[[nodiscard]] std::string example(const std::string& name);

} // namespace lmc::bench
