// A product of numbers, taken apart into powers.
#pragma once

#include "sym/Expr.h"

#include <unordered_set>
#include <vector>

namespace lmc::lower {

/// The same in every stage of a step: numbers, parameters, powers of the step size.
[[nodiscard]] bool isFixed(sym::Expr e);

/// base^(halves/2)
struct Power {
  sym::Expr base;
  std::int64_t halves = 0;
};

/// Numbers whose square roots are taken.
using RootedBases = std::unordered_set<const sym::Node*>;

struct Product {
  std::vector<Power> fixed;   ///< even powers; see isFixed
  std::vector<Power> varying; ///< in the order of their first occurrence

  void multiply(sym::Expr e, std::int64_t halves, const RootedBases& rooted);
};

} // namespace lmc::lower
