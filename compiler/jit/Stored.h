// Machine code by its key alone, without the tape that it was made of; the code generator, opened ahead of its use.
#pragma once

#include "jit/Compile.h"

namespace lmc::jit {

/// The code that the cache holds under a key (jit::cacheKey, in hexadecimal digits) with so many functions; null if it
/// holds none, or with fewer functions. Never compiles.
[[nodiscard]] std::unique_ptr<runtime::Compiled> findCompiled(const std::string& key, std::size_t functions,
                                                              const CompileOptions& options);

/// Opens the code generator and lets it set up what it needs once in a process, on a thread of its own, for a caller
/// that will probably compile and has other work until then. Returns at once; what goes wrong is found, and reported,
/// when something is compiled. For programs that end without destructors of global objects, as the tool does: nothing
/// waits for the thread.
void openCodeGenerator();

} // namespace lmc::jit
