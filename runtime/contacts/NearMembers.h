// Pairs of points that are near each other, by cells.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace lmc::runtime {

/// Points of two sets, with `stride` numbers each of which the first three are coordinates.
struct PointSets {
  std::span<const double> first, second;
  std::int64_t stride = 3;
};

/// Calls `visit(i, j)` for each pair whose distance is at most `reach`, and perhaps for others; positions count from 0.
/// Pairs come in the order of i, then of j, whatever the cells are. `columns(i)` says which j may be visited, from its
/// first number to its second one. A false answer of `visit` ends the search. A reach that is no positive number, and
/// coordinates that are too large for cells, make all pairs near.
void nearPairs(const PointSets& points, double reach,
               const std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t)>& columns,
               const std::function<bool(std::int64_t, std::int64_t)>& visit);

} // namespace lmc::runtime
