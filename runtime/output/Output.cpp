#include "runtime/output/Output.h"

#include "base/Installation.h"

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

std::string outputEndings(const std::string& comma, const std::string& last) {
  return ".csv" + comma + ".npz" + last + ".h5";
}

std::unique_ptr<Sink> openOutput(const std::filesystem::path& file, const RunDescription* about) {
  switch (outputFormat(file)) {
  case OutputFormat::Csv:
    return openCsv(file);
  case OutputFormat::Npz:
    return openNpz(file);
  case OutputFormat::Hdf5:
    return openHdf5(file, about);
  default:
    throw OutputError("there is no writer for files like '" + file.string() + "'", OutputFault::Place);
  }
}

namespace {

/// The entry point of a module with a writer. The module stays loaded: the sink's code is in it.
void* entryOf(const std::string& library, const char* entry, const std::string& files) {
  void* module = nullptr;
  try {
    module = openModule(library);
  } catch (const InstallationError& e) {
    throw OutputError("the writer of " + files + " files cannot be loaded: " + e.what());
  }
  void* const address = dlsym(module, entry);
  if (address == nullptr) throw OutputError("the writer of " + files + " files does not belong to this version of lmc");
  return address;
}

} // namespace

std::unique_ptr<Sink> openNpz(const std::filesystem::path& file) {
  using Open = Sink* (*)(const char*);
  const auto open = reinterpret_cast<Open>(entryOf("liblmc_npz.so", "lmc_open_npz", ".npz"));
  return std::unique_ptr<Sink>(open(file.c_str()));
}

std::unique_ptr<Sink> openHdf5(const std::filesystem::path& file, const RunDescription* about) {
  using Open = Sink* (*)(const char*, const RunDescription*);
  const auto open = reinterpret_cast<Open>(entryOf("liblmc_hdf5.so", "lmc_open_hdf5", ".h5"));
  return std::unique_ptr<Sink>(open(file.c_str(), about));
}

} // namespace lmc
