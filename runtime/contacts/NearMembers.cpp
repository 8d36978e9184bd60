#include "runtime/contacts/NearMembers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace lmc::runtime {

namespace {

using Cell = std::array<std::int64_t, 3>;

/// Cells of the second points by a hash of their places: a table of chains (M. P. Allen, D. J. Tildesley, Computer
/// Simulation of Liquids, 2nd ed., Oxford 2017, section 5.3).
class Cells {
public:
  Cells(std::span<const double> points, std::int64_t stride, double size) : size_(size) {
    const auto n = static_cast<std::int64_t>(points.size()) / stride;
    std::size_t buckets = 64;
    while (buckets < static_cast<std::size_t>(n)) buckets *= 2;
    mask_ = buckets - 1;
    head_.assign(buckets, -1);
    next_.assign(static_cast<std::size_t>(n), -1);
    cells_.resize(static_cast<std::size_t>(n));
    for (std::int64_t j = n; j-- > 0;) {
      const Cell c = cellOf(points.data() + j * stride);
      cells_[static_cast<std::size_t>(j)] = c;
      std::int64_t& head = head_[bucket(c)];
      next_[static_cast<std::size_t>(j)] = std::exchange(head, j);
    }
  }

  [[nodiscard]] Cell cellOf(const double* x) const {
    return {static_cast<std::int64_t>(std::floor(x[0] / size_)), static_cast<std::int64_t>(std::floor(x[1] / size_)),
            static_cast<std::int64_t>(std::floor(x[2] / size_))};
  }

  void collect(const Cell& about, std::pair<std::int64_t, std::int64_t> range, std::vector<std::int64_t>& found) const {
    for (std::int64_t a = -1; a <= 1; ++a)
      for (std::int64_t b = -1; b <= 1; ++b)
        for (std::int64_t c = -1; c <= 1; ++c) {
          const Cell at{about[0] + a, about[1] + b, about[2] + c};
          for (std::int64_t j = head_[bucket(at)]; j >= 0; j = next_[static_cast<std::size_t>(j)])
            if (cells_[static_cast<std::size_t>(j)] == at && j >= range.first && j <= range.second) found.push_back(j);
        }
    std::sort(found.begin(), found.end());
  }

private:
  [[nodiscard]] std::size_t bucket(const Cell& c) const {
    std::uint64_t hash = static_cast<std::uint64_t>(c[0]) * 0x9E3779B97F4A7C15U;
    hash = (hash ^ (hash >> 29)) + static_cast<std::uint64_t>(c[1]) * 0xBF58476D1CE4E5B9U;
    hash = (hash ^ (hash >> 31)) + static_cast<std::uint64_t>(c[2]) * 0x94D049BB133111EBU;
    hash = (hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(hash >> 20) & mask_;
  }

  double size_;
  std::size_t mask_ = 0;
  std::vector<std::int64_t> head_, next_;
  std::vector<Cell> cells_;
};

/// Coordinates in cells of this size are whole numbers with room to spare.
bool fits(std::span<const double> points, std::int64_t stride, double size) {
  constexpr double most = 1e15;
  for (std::size_t k = 0; k + 2 < points.size(); k += static_cast<std::size_t>(stride))
    for (std::size_t a = 0; a < 3; ++a)
      if (!(std::abs(points[k + a]) < most * size)) return false;
  return true;
}

} // namespace

void nearPairs(const PointSets& points, double reach,
               const std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t)>& columns,
               const std::function<bool(std::int64_t, std::int64_t)>& visit) {
  const std::int64_t stride = points.stride;
  const auto n = static_cast<std::int64_t>(points.first.size()) / stride;
  const double size = reach * (1 + 1e-9); // rounding of coordinates and of their quotients
  if (!(reach > 0) || !std::isfinite(size) || !fits(points.first, stride, size) || !fits(points.second, stride, size)) {
    for (std::int64_t i = 0; i < n; ++i)
      for (auto [j, last] = columns(i); j <= last; ++j)
        if (!visit(i, j)) return;
    return;
  }
  const Cells cells(points.second, stride, size);
  std::vector<std::int64_t> found;
  for (std::int64_t i = 0; i < n; ++i) {
    found.clear();
    const double* const x = points.first.data() + i * stride;
    cells.collect(cells.cellOf(x), columns(i), found);
    for (const std::int64_t j : found) {
      const double* const y = points.second.data() + j * stride;
      const double distance = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
      if (distance <= size && !visit(i, j)) return;
    }
  }
}

} // namespace lmc::runtime
