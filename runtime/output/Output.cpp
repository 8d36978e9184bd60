#include "runtime/output/Output.h"

#include "base/Installation.h"

#include <algorithm>
#include <cctype>
#include <dlfcn.h>

namespace lmc::runtime {

namespace {

/// Opens a file by the module of its format. The module stays loaded: the sink's code is in it.
std::unique_ptr<Sink> openByModule(const OutputFormat& format, const std::filesystem::path& file,
                                   const RunDescription* about) {
  const std::string files = std::string(format.endings[0]) + " files";
  void* module = nullptr;
  try {
    module = openModule(std::string("liblmc_") + format.name + ".so");
  } catch (const InstallationError& e) {
    throw OutputError("the writer of " + files + " cannot be loaded: " + e.what());
  }
  void* const entry = dlsym(module, "lmc_open_output");
  if (entry == nullptr) throw OutputError("the writer of " + files + " does not belong to this version of lmc");
  using Open = Sink* (*)(const char*, const RunDescription*);
  return std::unique_ptr<Sink>(reinterpret_cast<Open>(entry)(file.c_str(), about));
}

} // namespace

const OutputFormat* outputFormat(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const OutputFormat* format : outputFormats())
    for (const char* const known : format->endings)
      if (known != nullptr && ending == known) return format;
  return nullptr;
}

std::string outputEndings(const std::string& comma, const std::string& last, std::optional<bool> inMemory) {
  std::vector<std::string> all;
  for (const OutputFormat* format : outputFormats())
    for (const char* const ending : format->endings)
      if (ending != nullptr && (!inMemory || *inMemory == format->inMemory)) all.emplace_back(ending);
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) text += (i == 0 ? "" : i + 1 < all.size() ? comma : last) + all[i];
  return text;
}

std::unique_ptr<Sink> openOutput(const std::filesystem::path& file, const RunDescription* about) {
  const OutputFormat* const format = outputFormat(file);
  if (format == nullptr)
    throw OutputError("there is no writer for files like `" + file.string() + "`", OutputFault::Place);
  return format->open != nullptr ? format->open(file, about) : openByModule(*format, file, about);
}

std::unique_ptr<Sink> streamOutput(int descriptor, const std::string& name) {
  for (const OutputFormat* format : outputFormats())
    if (format->stream != nullptr) return format->stream(descriptor, name);
  throw OutputError("there is no format for " + name, OutputFault::Place);
}

} // namespace lmc::runtime
