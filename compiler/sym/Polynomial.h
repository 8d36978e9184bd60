// Sums of products of numbers, compared as polynomials.
#pragma once

#include "sym/Expr.h"

namespace lmc::sym {

/// True if two scalar expressions are the same polynomial of what is not a sum, a product or a whole power, in whatever
/// order it was written. False also if they are too long to be multiplied out.
[[nodiscard]] bool samePolynomial(Expr a, Expr b);

} // namespace lmc::sym
