#include "base/Files.h"

#include <algorithm>
#include <cstdio>
#include <dirent.h>
#include <memory>
#include <system_error>

namespace lmc {

namespace fs = std::filesystem;

std::optional<std::string> readFile(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return std::nullopt;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) return std::nullopt;
  std::setvbuf(file.get(), nullptr, _IONBF, 0); // read in one piece
  const auto size = fs::file_size(path, failed);
  std::string text(failed ? 0 : static_cast<std::size_t>(size), '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  char more[4096]; // of a file that has grown since
  for (std::size_t got = 0; (got = std::fread(more, 1, sizeof more, file.get())) > 0;) text.append(more, got);
  if (std::ferror(file.get()) != 0) return std::nullopt;
  return text;
}

std::vector<fs::path> filesIn(const fs::path& folder, const std::string& extension) {
  // The iterator of the standard library ends the program where it has no memory.
  const auto close = [](DIR* d) { closedir(d); };
  const std::unique_ptr<DIR, decltype(close)> directory(opendir(folder.c_str()), close);
  std::vector<fs::path> list;
  while (directory) {
    const dirent* const entry = readdir(directory.get());
    if (entry == nullptr) break;
    if (fs::path file = folder / entry->d_name; file.extension() == extension) list.push_back(std::move(file));
  }
  std::sort(list.begin(), list.end());
  return list;
}

std::string identityOf(const fs::path& path) {
  std::error_code failed;
  const fs::path canonical = fs::weakly_canonical(path, failed);
  return failed ? path.lexically_normal().string() : canonical.string();
}

std::optional<std::string> FilesRead::read(const fs::path& path) {
  files.push_back({path, readFile(path)});
  return files.back().text;
}

std::vector<fs::path> FilesRead::list(const fs::path& folder, const std::string& extension) {
  folders.push_back({folder, extension, filesIn(folder, extension)});
  return folders.back().files;
}

} // namespace lmc
