#include "base/Installation.h"

#include <cstdlib>
#include <dlfcn.h>
#include <sys/auxv.h>
#include <vector>

namespace lmc {

namespace fs = std::filesystem;

namespace {

/// Folders of files of this installation: the one that contains this code, and the program.
std::vector<fs::path> homes() {
  std::vector<fs::path> list;
  std::error_code error;
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&libraryRoot), &self) != 0 && self.dli_fname != nullptr)
    if (const fs::path file = fs::canonical(self.dli_fname, error); !error) list.push_back(file.parent_path());
  // As it was executed where there is no /proc.
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (const char* executed = reinterpret_cast<const char*>(getauxval(AT_EXECFN)); error && executed != nullptr)
    program = fs::canonical(executed, error);
  if (!error && (list.empty() || list.front() != program.parent_path())) list.push_back(program.parent_path());
  return list;
}

} // namespace

fs::path libraryRoot() {
  if (const char* home = std::getenv("LMC_HOME"); home != nullptr && *home != '\0') return home;
  std::error_code ignored;
  for (const fs::path& home : homes()) {
    // bin, lib, lib/lmc and lib/<architecture> are at most two levels below the prefix.
    fs::path prefix = home;
    for (int level = 0; level < 3; ++level, prefix = prefix.parent_path()) {
      fs::path root = prefix / "share" / "lmc";
      if (fs::exists(root / "stdlib", ignored)) return root;
    }
  }
  return {};
}

void* openModule(const std::string& fileName, ModuleLife life) {
  const int flags = RTLD_NOW | RTLD_LOCAL | (life == ModuleLife::Forever ? RTLD_NODELETE : 0);
  std::string searched;
  for (const fs::path& home : homes()) {
    for (const char* place : {".", "lmc", "../lib", "../lib/lmc", "../lmc"}) {
      const fs::path file = (home / place / fileName).lexically_normal();
      std::error_code error;
      if (!fs::exists(file, error)) {
        searched += "\n  " + file.string();
        continue;
      }
      if (void* const handle = dlopen(file.c_str(), flags)) return handle;
      const char* reason = dlerror();
      throw InstallationError(fileName + " cannot be opened: " + (reason != nullptr ? reason : "unknown reason"));
    }
  }
  throw InstallationError(fileName + " is missing in this installation of lmc; looked for" + searched);
}

} // namespace lmc
