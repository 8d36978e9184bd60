// Files as a compilation reads them, with a record of what it asked for: whoever keeps the result of a compilation
// learns from it whether another one would read the same.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lmc {

/// The bytes of a regular file; nothing if there is none, or it cannot be read.
[[nodiscard]] std::optional<std::string> readFile(const std::filesystem::path& path);

/// The files with an extension (".lie") in a folder, sorted; none if there is no such folder.
[[nodiscard]] std::vector<std::filesystem::path> filesIn(const std::filesystem::path& folder,
                                                         const std::string& extension);

/// The file that a path means, links followed: two paths with one name are one file. Of what does not exist, or cannot
/// be looked at, the path without detours.
[[nodiscard]] std::string identityOf(const std::filesystem::path& path);

/// All that was asked for, in order; with the same answers a compilation with the same options has the same result.
struct FilesRead {
  struct File {
    std::filesystem::path path;
    std::optional<std::string> text; ///< nothing: there was no such file
  };
  struct Folder {
    std::filesystem::path path;
    std::string extension;
    std::vector<std::filesystem::path> files;
  };
  std::vector<File> files;
  std::vector<Folder> folders;

  /// As the functions above; what they return is recorded.
  std::optional<std::string> read(const std::filesystem::path& path);
  std::vector<std::filesystem::path> list(const std::filesystem::path& folder, const std::string& extension);
};

} // namespace lmc
