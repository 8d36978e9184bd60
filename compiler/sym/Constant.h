// The number that an expression of constants denotes.
#pragma once

#include "sym/Expr.h"

#include <optional>
#include <vector>

namespace lmc::sym {

/// The value of a real scalar built from constants by arithmetic, roots and powers (`1/4 - sqrt(3)/6`): exact where the
/// graph holds it exactly, otherwise rounded once at the end (long double in between). Nothing if anything else occurs.
[[nodiscard]] std::optional<Number> constantValue(Expr e);

/// The entries, by rows, of a tensor built from constants by the operations of linear algebra; exact as long as they
/// are sums, products and quotients of exact numbers. Nothing if anything else occurs.
[[nodiscard]] std::optional<std::vector<Number>> constantEntries(Expr e);

} // namespace lmc::sym
