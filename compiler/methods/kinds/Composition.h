// Methods that are made of others, as written.
#pragma once

#include "sema/Compilation.h"

#include <vector>

namespace lmc {

/// The method itself; if it is a composition the first method that it composes, and so on down to one that is none.
[[nodiscard]] std::vector<const ast::Declaration*> composedOf(Compilation& compilation, const ast::Declaration& method);

} // namespace lmc
