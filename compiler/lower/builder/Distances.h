// Sums over pairs that are near each other: conditions that bound a distance.
#pragma once

#include "sym/Program.h"

#include <array>
#include <optional>

namespace lmc::lower {

/// What a condition says of the distance of two points, one for each value of the outer index of a loop over pairs and
/// one for each value of the inner index. Where it does not hold nothing is added, so that a list of near pairs does
/// instead of all.
struct DistanceBound {
  /// So many coordinates of a distance are looked at; it is not smaller than the length of these.
  static constexpr std::size_t axes = 3;
  struct Axis {
    sym::Expr first, second; ///< coordinates of the points, of the outer and of the inner index alone
    sym::Expr period;        ///< multiples of it may have been added to their difference; empty: none
  };
  std::vector<Axis> axis;
  sym::Expr limit;      ///< of parameters alone
  bool squared = false; ///< it is that of the square
  sym::Expr distance;   ///< what is compared with the limit

  struct Range {
    std::int64_t lo = 0, hi = 0;
    [[nodiscard]] std::int64_t count() const { return hi - lo + 1; }
  };
  Range outer, inner; ///< values of the indices
  /// A bound of the inner loop: shift + follows · outer index.
  struct Line {
    std::int64_t shift = 0, follows = 0;
  };
  Line low, high;
};

/// The bound that the guard of an equation over two loops sets; nothing where it sets none.
[[nodiscard]] std::optional<DistanceBound> distanceBound(const sym::Equation& e);

/// Sums with one condition, which bounds a distance. Their terms are added in the order of the loops, so that it makes
/// no difference which pairs are looked at that do not fulfil it.
struct NearSums {
  sym::Expr guard;
  DistanceBound bound;
  std::vector<std::size_t> equations;
};
struct Nests {
  std::vector<NearSums> near;
  std::vector<std::size_t> others; ///< equations that are none of these
};
/// Of equations that share their loops.
[[nodiscard]] Nests nestsOf(const sym::Program& program, const std::vector<std::size_t>& equations);

} // namespace lmc::lower
