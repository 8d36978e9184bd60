#include "runtime/ranks/Ranks.h"

#include "base/Installation.h"

#include <dlfcn.h>

namespace lmc::runtime {

std::unique_ptr<Ranks> openRanks() {
  void* module = nullptr;
  try {
    module = openModule("liblmc_mpi.so", ModuleLife::Forever);
  } catch (const InstallationError& e) {
    throw RanksError(std::string("the module for MPI cannot be loaded: ") + e.what());
  }
  void* const entry = dlsym(module, "lmc_open_ranks");
  if (entry == nullptr) throw RanksError("the module for MPI does not belong to this version of lmc");
  using Open = Ranks* (*)();
  return std::unique_ptr<Ranks>(reinterpret_cast<Open>(entry)());
}

} // namespace lmc::runtime
