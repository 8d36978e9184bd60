#include "runtime/Output.h"

#include <algorithm>
#include <cctype>
#include <dlfcn.h>

namespace lmc {

OutputFormat outputFormat(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".csv") return OutputFormat::Csv;
  if (extension == ".npz") return OutputFormat::Npz;
  if (extension == ".h5") return OutputFormat::Hdf5;
  return OutputFormat::Unknown;
}

std::unique_ptr<Sink> openOutput(const std::filesystem::path& file) {
  switch (outputFormat(file)) {
  case OutputFormat::Csv:
    return openCsv(file);
  case OutputFormat::Npz:
    return openNpz(file);
  default:
    throw OutputError("there is no writer for files like '" + file.string() + "'");
  }
}

std::unique_ptr<Sink> openNpz(const std::filesystem::path& file) {
  // The module stays loaded: the sink's code is in it.
  static void* const module = dlopen("liblmc_npz.so", RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    const char* reason = dlerror();
    throw OutputError(std::string("the writer of .npz files cannot be loaded: ") +
                      (reason != nullptr ? reason : "unknown reason"));
  }
  using Open = Sink* (*)(const char*);
  const auto open = reinterpret_cast<Open>(dlsym(module, "lmc_open_npz"));
  if (open == nullptr) throw OutputError("the writer of .npz files does not belong to this version of lmc");
  return std::unique_ptr<Sink>(open(file.c_str()));
}

} // namespace lmc
