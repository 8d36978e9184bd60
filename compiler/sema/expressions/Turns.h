// What an expression inside of loops gives, as an array: one element for each turn of the loops that it depends on.
#pragma once

#include "sym/Program.h"

namespace lmc::sema {

struct Turns {
  std::vector<sym::Loop> loops; ///< those that matter, outermost first
  std::vector<std::int64_t> extents;
  std::vector<sym::Expr> index; ///< of the element of a turn, from 1
};

/// Of the loops around, those of the indices in `needed`, and those that their bounds need.
[[nodiscard]] Turns turnsOf(sym::Graph& graph, const std::vector<sym::Loop>& around,
                            std::unordered_set<const sym::Node*> needed);

} // namespace lmc::sema
