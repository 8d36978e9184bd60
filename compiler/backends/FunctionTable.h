// Generated code reaches everything outside itself through one table of pointers, so that its objects have no
// relocations against the process and can be loaded without a linker. Objects for other programs call by name.
#pragma once

namespace lmc::codegen {

enum class External : int {
#define LMC_EXTERNAL(name, function) name,
#include "backends/FunctionTable.def"
#undef LMC_EXTERNAL
  Count
};

inline constexpr int externalCount = static_cast<int>(External::Count);

} // namespace lmc::codegen
