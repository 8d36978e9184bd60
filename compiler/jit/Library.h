// Access to the code generator's shared module.
#pragma once

#include "backends/CodeGenerator.h"

namespace lmc::jit {

/// Opens liblmc_codegen on the first call; it stays open. Throws std::runtime_error when it cannot be found.
[[nodiscard]] const backends::Interface& codegenLibrary();

/// True once the code generator, and LLVM with it, has been opened by this process.
[[nodiscard]] bool codegenOpened();

} // namespace lmc::jit
