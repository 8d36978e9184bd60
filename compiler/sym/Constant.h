// The number that an expression of constants denotes.
#pragma once

#include "sym/Expr.h"

#include <optional>

namespace lmc::sym {

/// The value of a real scalar built from constants by arithmetic, roots and powers (`1/4 - sqrt(3)/6`): exact where the
/// graph holds it exactly, otherwise rounded once at the end (long double in between). Nothing if anything else occurs.
[[nodiscard]] std::optional<Number> constantValue(Expr e);

} // namespace lmc::sym
