#include "runtime/run/Grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::runtime {

namespace {

constexpr double unitRoundOff = std::numeric_limits<double>::epsilon();
/// Rounding of a few operations and of numbers typed in decimal.
constexpr double roundOff = 8 * unitRoundOff;
/// A remainder below this part of a step is not worth a step of its own.
constexpr double smallRemainder = 1e-6;

} // namespace

std::int64_t wholeNumber(double ratio, double scale) {
  const double nearest = std::round(ratio);
  if (nearest < 1 || std::abs(ratio - nearest) > roundOff * (std::abs(ratio) + scale)) return 0;
  return static_cast<std::int64_t>(nearest);
}

bool sameTime(double a, double b) {
  return std::abs(a - b) <= roundOff * std::max(std::abs(a), std::abs(b));
}

Grid::Grid(double t0, double t1, double h) : t0_(t0), t1_(t1), h_(h), last_(h), steps_(1) {
  const double ratio = (t1 - t0) / h;
  const std::int64_t whole = wholeNumber(ratio, std::max(std::abs(t0), std::abs(t1)) / h);
  if (whole > 0) {
    steps_ = whole;
    return;
  }
  steps_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(ratio - smallRemainder)));
  last_ = t1 - (t0 + static_cast<double>(steps_ - 1) * h);
}

std::int64_t Grid::leftOf(double t) const {
  auto k = static_cast<std::int64_t>((t - t0_) / h_);
  k = std::clamp<std::int64_t>(k, 0, steps_ - 1);
  while (k > 0 && time(k) > t) --k;
  while (k + 1 < steps_ && time(k + 1) <= t) ++k;
  return k;
}

SampleTimes SampleTimes::everySteps(const Grid& grid, std::int64_t stride) {
  return {grid, std::max<std::int64_t>(stride, 1), 0};
}

SampleTimes SampleTimes::every(const Grid& grid, double dt) {
  // Beyond the interval there is nothing between begin and end.
  if (dt >= grid.end() - grid.begin()) return {grid, grid.steps(), 0};
  return {grid, wholeNumber(dt / grid.step(), 0), dt};
}

SampleTimes SampleTimes::at(const Grid& grid, std::vector<double> times) {
  SampleTimes result(grid, 0, 0);
  result.times_ = std::move(times);
  return result;
}

bool SampleTimes::next(SamplePoint& point) {
  if (ended_) return false;
  ++count_;
  if (!times_.empty()) return nextListed(point);
  return stride_ > 0 ? nextWhole(point) : nextPartial(point);
}

void SampleTimes::skipTo(double t) {
  const double spacing = stride_ > 0 ? static_cast<double>(stride_) * grid_.step() : dt_;
  // Most of them by division, those around t one by one.
  constexpr double margin = 2;
  if (times_.empty())
    count_ = std::max<std::int64_t>(0, static_cast<std::int64_t>((t - grid_.begin()) / spacing - margin));
  SamplePoint point;
  for (std::int64_t before = count_; next(point); before = count_) {
    if (point.time <= t) continue;
    count_ = before;
    ended_ = false;
    return;
  }
}

bool SampleTimes::nextWhole(SamplePoint& point) {
  const bool last = count_ > (grid_.steps() - 1) / stride_;
  ended_ = last;
  point.index = last ? grid_.steps() : count_ * stride_;
  point.partial = 0;
  point.time = grid_.time(point.index);
  return true;
}

bool SampleTimes::nextPartial(SamplePoint& point) {
  const double t = grid_.begin() + static_cast<double>(count_) * dt_;
  if (t >= grid_.end() || sameTime(t, grid_.end())) {
    ended_ = true;
    point = {grid_.steps(), 0, grid_.end()};
    return true;
  }
  point = pointAt(t);
  return true;
}

bool SampleTimes::nextListed(SamplePoint& point) {
  const auto k = static_cast<std::size_t>(count_ - 1);
  ended_ = k >= times_.size() || times_[k] >= grid_.end() || sameTime(times_[k], grid_.end());
  point = ended_ ? SamplePoint{grid_.steps(), 0, grid_.end()} : pointAt(times_[k]);
  return true;
}

SamplePoint SampleTimes::pointAt(double t) const {
  const std::int64_t left = grid_.leftOf(t);
  for (const std::int64_t k : {left, left + 1})
    if (sameTime(t, grid_.time(k))) return {k, 0, grid_.time(k)};
  return {left, t - grid_.time(left), t};
}

} // namespace lmc::runtime
