// Any bytes as an object file of the cache. It is put into memory; nothing of it is called.
#include "jit/Loader.h"

#include <cstdint>
#include <stdexcept>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string object(reinterpret_cast<const char*>(bytes), size);
  std::vector<void*> table(64, nullptr);
  try {
    (void)lmc::jit::loadElf({object}, {"lmc_f0", "lmc_advance"}, "lmc_table", table);
  } catch (const std::runtime_error&) { // which is what anything malformed ends in
  }
  return 0;
}
