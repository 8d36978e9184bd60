// Generated code reaches everything outside itself through one table of pointers, so that its objects have no
// relocations against the process and can be loaded without a linker. Objects for other programs call by name.
#pragma once

namespace lmc::backends {

enum class External : int {
#define LMC_EXTERNAL(name, function) name,
#include "backends/FunctionTable.def"
  Count
};

inline constexpr int externalCount = static_cast<int>(External::Count);

/// Its name in C.
[[nodiscard]] constexpr const char* externalName(External f) {
  constexpr const char* names[] = {
#define LMC_EXTERNAL(name, function) #function,
#include "backends/FunctionTable.def"
  };
  return names[static_cast<int>(f)];
}

} // namespace lmc::backends
