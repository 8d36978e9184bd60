// Code for graphics processors, from the disk cache or from LLVM.
#pragma once

#include "jit/Compile.h"

#include <string>

namespace lmc::jit {

struct DeviceCode {
  std::string ptx; ///< its kernels: backends/llvm/nvptx/DeviceEmitter.h
  bool fromCache = false;
  double seconds = 0; ///< that it took
};

/// PTX of a module that has no tape::deviceObstacle, with the bits that code for lanes has on this machine; of the
/// options `optimization`, `contract`, `useCache` and `cacheDirectory` count. Throws std::runtime_error when the code
/// generator cannot be opened or fails.
[[nodiscard]] DeviceCode deviceCode(const tape::Module& module, const CompileOptions& options = {});

} // namespace lmc::jit
