// Runs the built `lmc` as a subprocess, in a temporary folder of its own.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lmc::acceptance {

/// What came back from one run of the tool.
struct Outcome {
  int status = -1; ///< exit status; 128 + n when killed by signal n, −1 when it could not be started or took too long
  std::string out, err;
};

using Arguments = std::vector<std::string>;

/// A temporary folder, removed at the end, and the tool run inside it.
class Workspace {
public:
  Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  /// The path of a file in the folder.
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  /// Writes a file into the folder and gives its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const;
  /// Runs `lmc` with the arguments. Compiled code is shared between tests, unless `freshCache` was called.
  [[nodiscard]] Outcome lmc(const Arguments& arguments) const;
  /// From now on this workspace has an empty cache of compiled code of its own.
  void freshCache() { cache_ = folder_ / "cache"; }

private:
  std::filesystem::path folder_, cache_;
};

/// Path of examples/NAME.lie.
[[nodiscard]] std::string example(const std::string& name);
/// Path of tests/acceptance/models/NAME.lie.
[[nodiscard]] std::string testModel(const std::string& name);
/// Path of the folder with the wrong programs.
[[nodiscard]] std::filesystem::path errorFolder();

[[nodiscard]] std::string readFile(const std::filesystem::path& file);

/// Standard output as one JSON value; discarded (test with is_discarded()) if it is none.
[[nodiscard]] nlohmann::json parseJson(const std::string& text);

} // namespace lmc::acceptance
