// Arithmetic of loop indices at compile time: what an index expression is for given values of the loops.
#pragma once

#include "sym/Program.h"

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lmc::sema {

using IndexValues = std::unordered_map<const sym::Node*, std::int64_t>;

/// The value of a scalar expression of constants and loop indices; nothing if it depends on data or on an index
/// without a value. Truth values are 0 and 1.
[[nodiscard]] std::optional<sym::Number> valueAt(sym::Expr e, const IndexValues& values);
[[nodiscard]] std::optional<std::int64_t> integerAt(sym::Expr e, const IndexValues& values);
/// The integer that a constant expression denotes.
[[nodiscard]] std::optional<std::int64_t> constantInteger(sym::Expr e);

/// The loop indices that occur in an expression; an empty expression has none.
[[nodiscard]] std::unordered_set<const sym::Node*> freeIndices(sym::Expr e);
/// True if an expression is built of constants and loop indices only.
[[nodiscard]] bool isIndexOnly(sym::Expr e);

/// Calls `visit` for every combination of loop values; stops when it returns false. False when there are more than
/// `limit` combinations, or a bound depends on data.
bool enumerate(const std::vector<sym::Loop>& loops, std::size_t limit,
               const std::function<bool(const IndexValues&)>& visit);

/// True if a loop among `loops` is known to be empty.
[[nodiscard]] bool someLoopIsEmpty(const std::vector<sym::Loop>& loops);

} // namespace lmc::sema
