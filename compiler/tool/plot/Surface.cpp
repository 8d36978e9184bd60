#include "tool/plot/Surface.h"

#include "tool/support/Option.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lmc::tool {

namespace {

constexpr std::size_t mostLines = 201;

/// Values without repetitions, growing; rounding of the last digits is none.
std::vector<double> distinct(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  std::sort(values.begin(), values.end());
  const double size = values.empty() ? 0 : std::max(std::abs(values.front()), std::abs(values.back()));
  values.erase(std::unique(values.begin(), values.end(), [&](double a, double b) { return b - a <= 1e-12 * size; }),
               values.end());
  return values;
}

std::size_t placeOf(const std::vector<double>& lines, double v) {
  const auto at = std::lower_bound(lines.begin(), lines.end(), v);
  if (at == lines.begin()) return 0;
  const bool before = at == lines.end() || v - *(at - 1) < *at - v;
  return static_cast<std::size_t>((before ? at - 1 : at) - lines.begin());
}

/// Which lines are kept.
std::vector<std::size_t> kept(std::size_t lines) {
  std::vector<std::size_t> places;
  const std::size_t stride = (lines - 1 + mostLines - 2) / (mostLines - 1);
  for (std::size_t k = 0; k < lines; k += std::max<std::size_t>(stride, 1)) places.push_back(k);
  if (places.back() != lines - 1) places.push_back(lines - 1);
  return places;
}

} // namespace

Surface surfaceOf(const std::string& xName, const std::vector<double>& x, const std::string& yName,
                  const std::vector<double>& y, const std::string& zName, const std::vector<double>& z) {
  const std::vector<double> xs = distinct(x), ys = distinct(y);
  const auto noGrid = [&](const std::string& what) {
    return UsageError(fmt::format("`{}` and `{}` make no grid: {}\n"
                                  "`lmc ensemble --vary '… ~ grid(first, last, n)' --keep begin` makes one",
                                  xName, yName, what));
  };
  if (xs.size() < 2 || ys.size() < 2) throw noGrid(fmt::format("they have {} and {} values", xs.size(), ys.size()));
  if (z.size() != xs.size() * ys.size())
    throw noGrid(fmt::format("{} rows, {} × {} values", z.size(), xs.size(), ys.size()));
  std::vector<double> all(z.size());
  std::vector<bool> there(z.size(), false);
  for (std::size_t r = 0; r < z.size(); ++r) {
    const std::size_t at = placeOf(xs, x[r]) * ys.size() + placeOf(ys, y[r]);
    if (there[at]) throw noGrid(fmt::format("({}, {}) comes twice", x[r], y[r]));
    there[at] = true;
    all[at] = z[r];
  }
  Surface s{zName, {}, {}, {}};
  const std::vector<std::size_t> columns = kept(ys.size());
  for (const std::size_t k : columns) s.y.push_back(ys[k]);
  for (const std::size_t i : kept(xs.size())) {
    s.x.push_back(xs[i]);
    for (const std::size_t k : columns) s.z.push_back(all[i * ys.size() + k]);
  }
  return s;
}

} // namespace lmc::tool
