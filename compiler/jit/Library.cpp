#include "jit/Library.h"

#include "base/Installation.h"
#include "base/Pages.h"

#include <atomic>
#include <dlfcn.h>
#include <string>

namespace lmc::jit {

namespace {

constexpr const char* fileName = "liblmc_codegen.so";

std::atomic<bool> opened{false};

const backends::Interface& connect() {
  void* const handle = openModule(fileName, ModuleLife::Forever);
  const auto entry = reinterpret_cast<backends::Entry>(dlsym(handle, backends::entrySymbol));
  if (entry == nullptr) throw InstallationError(std::string(fileName) + " is not a code generator of lmc");
  bringInCode(reinterpret_cast<const void*>(entry)); // most of it is used
  opened = true;
  return *entry();
}

} // namespace

const backends::Interface& codegenLibrary() {
  static const backends::Interface& library = connect();
  return library;
}

bool codegenOpened() {
  return opened;
}

} // namespace lmc::jit
