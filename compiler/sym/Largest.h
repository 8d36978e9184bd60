// The largest of the values that the members of a family have.
#pragma once

#include "sym/Program.h"

namespace lmc::sym {

/// A single array with the largest of `value` over the members `index` = 1 … extent; with extent 0 (no family, no
/// index) the value itself. Recursions over every eighth member, and the largest of their ends: the arrays on the way
/// are named after `name`.
[[nodiscard]] const Array* largest(Program& program, const std::string& name, std::int64_t extent, Expr index,
                                   Expr value);

} // namespace lmc::sym
