// Machine code by its key alone, without the tape that it was made of.
#pragma once

#include "jit/Compiled.h"

namespace lmc {

/// The code that the cache holds under a key (jit::cacheKey, in hexadecimal digits) with so many functions; null if it
/// holds none, or with fewer functions. Never compiles.
[[nodiscard]] std::unique_ptr<Compiled> findCompiled(const std::string& key, std::size_t functions,
                                                     const CompileOptions& options);

} // namespace lmc
