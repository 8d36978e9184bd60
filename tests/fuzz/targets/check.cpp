// Any bytes as a file of the language.
#include "fuzz/targets/Compile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  lmc::fuzz::compile({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
