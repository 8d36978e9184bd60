// Contacts between points: gaps that are a distance less what the two points give each.
#pragma once

#include "mechanics/system/Layer.h"

#include <functional>
#include <optional>

namespace lmc::products {

/// What is known of the members of a contact with two indices before they are looked at.
struct ContactPoints {
  /// [count, SteppedFamily::pointNumbers]: of each value of an index its point.
  const sym::Array *first = nullptr, *second = nullptr;
  std::int64_t firstIndex = 1, secondIndex = 1; ///< that of the first point of each
  bool squared = false;                         ///< the gap is the square of the distance, less …
};

/// Nothing where the gap is no distance of a point of the first index and one of the second, less terms of one index
/// each, or where it is one in a periodic space. `rate`: d/dt of what depends on points.
[[nodiscard]] std::optional<ContactPoints> contactPoints(mechanics::Layer& layer, sym::Expr gap,
                                                         const std::vector<sym::Loop>& loops,
                                                         const std::function<sym::Expr(sym::Expr)>& rate);

} // namespace lmc::products
