// Any bytes as a table that a model reads.
#include "fuzz/targets/Compile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  lmc::fuzz::compile("model M { param A = read(\"d.csv\"); config x : R velocity v; lagrangian = v^2; }\n",
                     {reinterpret_cast<const char*>(bytes), size});
  return 0;
}
