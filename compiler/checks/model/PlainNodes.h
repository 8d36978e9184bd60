// The value of one node of an expression from those of its arguments, by the definition of its operation.
#pragma once

#include "sym/Expr.h"

#include <limits>
#include <vector>

namespace lmc::checks {

/// Entries by rows. Integers and truth values (0, 1) are numbers, too: they are small.
using Plain = std::vector<long double>;

/// Every operation but Load and Index. NaN where a function has no value, a component does not exist, a matrix is
/// singular.
[[nodiscard]] Plain plainNode(const sym::Node& node, const std::vector<const Plain*>& args);

/// The entry of what has no value.
inline constexpr long double nothing = std::numeric_limits<long double>::quiet_NaN();

/// a^-1 b by elimination with the largest pivots; a is n × n, b has `columns` columns. NaN where a is singular.
[[nodiscard]] Plain plainSolve(Plain a, Plain b, std::size_t n, std::size_t columns);

} // namespace lmc::checks
