#include "products/stages/StageBlocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lmc::products {

namespace {

using Row = std::vector<double>;

/// Coefficients from a place on.
Row part(const Row& row, std::size_t first, std::size_t count) {
  const auto begin = row.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

bool isZero(const Row& row) {
  return std::all_of(row.begin(), row.end(), [](double x) { return x == 0; });
}

/// Whether nothing but a part is there.
bool isIn(const Row& row, std::size_t first, std::size_t count) {
  return isZero(part(row, 0, first)) && isZero(part(row, first + count, row.size() - first - count));
}

/// Stages behind the first one that read the first one alone.
std::size_t widthOf(const methods::SharedStages& stages) {
  std::size_t width = 0;
  while (1 + width < stages.c.size() && isIn(stages.a[1 + width], 0, 1)) ++width;
  return width;
}

} // namespace

std::optional<StageBlocks> blocksOf(const methods::SharedStages& stages) {
  constexpr double roundOff = 1e-12;
  const std::size_t width = widthOf(stages);
  if (width < 2 || (stages.c.size() - 1) % width != 0 || stages.c[0] != 0) return std::nullopt;
  StageBlocks r;
  r.count = (stages.c.size() - 1) / width;
  if (r.count < 2) return std::nullopt;
  const auto first = [&](std::size_t block) { return 1 + block * width; };
  r.c = part(stages.c, 1, width);
  for (std::size_t i = 0; i < width; ++i) r.a.push_back(part(stages.a[first(1) + i], first(0), width));
  for (std::size_t block = 0; block < r.count; ++block) {
    for (std::size_t i = 0; i < width; ++i) {
      const Row& row = stages.a[first(block) + i];
      if (stages.c[first(block) + i] != r.c[i]) return std::nullopt;
      if (block > 0 && !(isIn(row, first(block - 1), width) && part(row, first(block - 1), width) == r.a[i]))
        return std::nullopt;
      // The first block sums as the others do, over rates that are all the same.
      const double sum = std::accumulate(r.a[i].begin(), r.a[i].end(), 0.0);
      if (block == 0 && !(std::abs(row[0] - sum) <= roundOff)) return std::nullopt;
    }
  }
  for (const Row& weights : stages.weights) {
    const bool before = !isIn(weights, first(r.count - 1), width);
    const std::size_t block = r.count - (before ? 2 : 1);
    if (!isIn(weights, first(block), width)) return std::nullopt;
    r.weights.push_back({part(weights, first(block), width), before});
  }
  return r;
}

} // namespace lmc::products
