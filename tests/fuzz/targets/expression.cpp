// Any bytes as an expression of a model, of a group, and of a method.
#include "fuzz/targets/Compile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string e(reinterpret_cast<const char*>(bytes), size);
  lmc::fuzz::compile("model M {\n  param n : int = 3;  param a = 2;  param A : mat(3,3) = eye(3);\n"
                     "  config R : SO(3) velocity w;  config x[n] : R^3 velocity v;\n"
                     "  let z[1] = x[1];  let z[i in 2..n] = z[i-1] + x[i];\n"
                     "  lagrangian = 0.5*dot(w, w) + sum(i in 1..n: dot(v[i], v[i]));\n"
                     "  observe o = " +
                     e + ";\n  initial R = SO(3).identity;\n}\nfn g(x, y) = " + e + ";\n");
  return 0;
}
