#include "tool/runs/Module.h"

#include "base/BuildId.h"
#include "base/Installation.h"

#include <algorithm>
#include <dlfcn.h>
#include <string>
#include <string_view>

namespace lmc::tool {

namespace {

const CommandsModule& opened() {
  const std::string file = "liblmc_commands.so";
  void* const handle = openModule(file, ModuleLife::Forever);
  using Entry = const CommandsModule* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, commandsModuleEntry));
  const CommandsModule* const module = entry != nullptr ? entry() : nullptr;
  if (module == nullptr || module->build != buildIdText())
    throw InstallationError(file + " belongs to another build of lmc than this program; install or build both "
                                   "together (`./dev build`)");
  return *module;
}

} // namespace

const CommandsModule& commandsModule() {
  static const CommandsModule& module = opened();
  return module;
}

std::vector<const Command*> allCommands(CommandTable own) {
  std::vector<const Command*> all(own.begin(), own.end());
  const CommandTable others = commandsModule().commands;
  all.insert(all.end(), others.begin(), others.end());
  std::sort(all.begin(), all.end(), [](const Command* x, const Command* y) {
    return x->place != y->place ? x->place < y->place : std::string_view(x->name) < y->name;
  });
  return all;
}

} // namespace lmc::tool
