#include "jit/Library.h"

#include <atomic>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace lmc::jit {

namespace fs = std::filesystem;

namespace {

constexpr const char* fileName = "liblmc_codegen.so";

std::atomic<bool> opened{false};

/// Folders to look in: around the file that contains this code (a program or a shared library), then around the
/// program.
std::vector<fs::path> folders() {
  std::vector<fs::path> result;
  std::error_code error;
  const auto around = [&](const fs::path& file) {
    const fs::path folder = file.parent_path();
    for (const fs::path& f : {folder, folder / ".." / "lib", folder / ".." / "lib" / "lmc", folder / "lmc"})
      result.push_back(f);
  };
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&codegenOpened), &self) != 0 && self.dli_fname != nullptr)
    if (const fs::path file = fs::canonical(self.dli_fname, error); !error) around(file);
  if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error) around(program);
  return result;
}

/// Everything in the module is needed at once, nothing of it is offered to other libraries, and it is never closed:
/// LLVM does not support that.
void* open() {
  constexpr int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
  std::string searched;
  for (const fs::path& folder : folders()) {
    const fs::path file = folder / fileName;
    std::error_code error;
    if (!fs::exists(file, error)) {
      searched += "\n  " + file.lexically_normal().string();
      continue;
    }
    if (void* const handle = dlopen(file.c_str(), flags)) return handle;
    throw std::runtime_error(std::string("the code generator cannot be opened: ") + dlerror());
  }
  if (void* const handle = dlopen(fileName, flags)) return handle;
  throw std::runtime_error("the code generator was not found; looked for" + searched);
}

const codegen::Interface& connect() {
  void* const handle = open();
  const auto entry = reinterpret_cast<codegen::Entry>(dlsym(handle, codegen::entrySymbol));
  if (entry == nullptr) throw std::runtime_error(std::string(fileName) + " is not a code generator of lmc");
  opened = true;
  return *entry();
}

} // namespace

const codegen::Interface& codegenLibrary() {
  static const codegen::Interface& library = connect();
  return library;
}

bool codegenOpened() {
  return opened;
}

} // namespace lmc::jit
