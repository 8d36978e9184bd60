// The key of a tape in the cache: everything that its machine code depends on.
#pragma once

#include "jit/Compile.h"
#include "jit/Hash.h"

namespace lmc::jit {

/// Hash of the tape without its names, the options that change code, the code generator and this processor.
[[nodiscard]] Digest cacheKey(const tape::Module& module, const CompileOptions& options);

/// Adds what identifies this processor to a hash: vendor, model and all feature bits.
void hashProcessor(Hash& hash);

} // namespace lmc::jit
