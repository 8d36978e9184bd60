#include "runtime/roots/RootScan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace lmc::runtime {

namespace {

constexpr double wide = 0.5;   ///< of the values at the ends, by which the first cubic may be wrong
constexpr double clear = 0.05; ///< likewise of those between places that are near to an extremum
constexpr int mostLooks = 60;
constexpr int mostHalvings = 8;

double sizeOf(const RootPoint& a, const RootPoint& b) {
  return std::max(std::abs(a.value), std::abs(b.value));
}

/// Where the parabola through three places has its extremum.
double vertexOf(const RootPoint& a, const RootPoint& m, const RootPoint& b) {
  const double p = (m.at - a.at) * (m.value - b.value), q = (m.at - b.at) * (m.value - a.value);
  return m.at - 0.5 * ((m.at - a.at) * p - (m.at - b.at) * q) / (p - q);
}

} // namespace

std::int32_t RootScan::look(double at, RootPoint& found) {
  found = {at};
  return evaluate_(found);
}

/// What is zero up to rounding stands on neither side: it gets that of the place before it.
void RootScan::insert(RootPoint p) {
  const auto behind = [&](const RootPoint& o) { return o.at > p.at; };
  const auto place = std::find_if(points_.begin(), points_.end(), behind);
  if (std::abs(p.value) <= scale_.rounding)
    p.value = std::copysign(std::max(std::abs(p.value), std::numeric_limits<double>::min()), std::prev(place)->value);
  points_.insert(place, p);
}

void RootScan::note(const RootPoint& p, int side) {
  if (!(std::abs(p.value) <= scale_.doubt)) return;
  const auto behind = [&](const Extremum& o) { return o.at > p.at; };
  extrema_.insert(std::find_if(extrema_.begin(), extrema_.end(), behind), {p.at, p.value, side});
}

/// Near an extremum at zero the value is c d^2 and the rate 2 c d at a distance d from it.
bool RootScan::touchesAtEnd(const RootPoint& left, const RootPoint& right) const {
  const double rate = std::abs(right.rate) * (right.at - left.at);
  return std::abs(right.value) <= scale_.rounding &&
         rate <= 2 * std::sqrt(scale_.rounding) * std::sqrt(std::max(std::abs(left.value), scale_.rounding));
}

std::int32_t RootScan::withRates(const RootPoint& left, const RootPoint& right) {
  points_ = {left, right};
  extrema_.clear();
  if (touchesAtEnd(left, right) || right.rate == 0) note(right, signOf(left.value));
  const std::int32_t status = extremaBetween(left, right, false);
  return status != 0 || points_.size() == 2 ? status : bottoms();
}

std::int32_t RootScan::halved(RootPoint left, const RootPoint& right, int side) {
  if (side != 0) left.value = side * std::numeric_limits<double>::min();
  points_ = {left, right};
  extrema_.clear();
  if (touchesAtEnd(left, right) || right.rate == 0) note(right, signOf(left.value));
  if (const std::int32_t status = halve(left, right, mostHalvings); status != 0) return status;
  const std::vector<RootPoint> parts = points_;
  for (std::size_t k = 0; k + 1 < parts.size(); ++k) // behind zero a place on the function's side is wanted
    if (const std::int32_t status = extremaBetween(parts[k], parts[k + 1], k == 0 && side != 0); status != 0)
      return status;
  return bottoms();
}

std::int32_t RootScan::halve(const RootPoint& left, const RootPoint& right, int times) {
  const double at = left.at + (right.at - left.at) / 2;
  if (!(at > left.at + scale_.resolution && at < right.at - scale_.resolution)) return 0;
  RootPoint middle;
  if (const std::int32_t status = look(at, middle); status != 0) return status;
  insert(middle);
  const double missed = deviation(left, middle, right);
  const bool first = times == mostHalvings; // of fast swings a cubic may be near at one place by chance
  for (const auto& [a, b] : {std::pair(left, middle), std::pair(middle, right)})
    if (times > 1 && std::isfinite(middle.rate) && missed > scale_.doubt && (first || !tells(missed, a, b)))
      if (const std::int32_t status = halve(a, b, times - 1); status != 0) return status;
  return 0;
}

/// Looks at the extrema of the cubic, where one is near to zero or the cubic crosses zero more than once.
std::int32_t RootScan::extremaBetween(const RootPoint& left, const RootPoint& right, bool always) {
  const Cubic cubic(left, right);
  const std::vector<double> places = cubic.extrema();
  bool matters = always;
  int sign = signOf(left.value), changes = 0;
  for (const double x : places) {
    const double v = cubic.value(x);
    matters = matters || (v * cubic.curvature(x) >= 0 && std::abs(v) <= wide * sizeOf(left, right));
    if (signOf(v) == -sign) sign = -sign, ++changes;
  }
  if (signOf(right.value) == -sign) ++changes;
  if (!matters && changes < 2) return 0;
  double before = left.value;
  for (const double x : places) {
    const double at = left.at + x * (right.at - left.at);
    if (!(at > left.at + scale_.resolution && at < right.at - scale_.resolution)) continue;
    RootPoint p;
    if (const std::int32_t status = look(at, p); status != 0) return status;
    if (p.rate == 0) note(p, signOf(before));
    insert(p);
    before = p.value;
  }
  return 0;
}

std::int32_t RootScan::bottoms() {
  const std::vector<RootPoint> pairs = points_;
  for (std::size_t k = 0; k + 1 < pairs.size(); ++k)
    if (const std::int32_t status = bottom(pairs[k], pairs[k + 1]); status != 0) return status;
  return 0;
}

std::int32_t RootScan::afterZero(const RootPoint& left, int side, const RootPoint& right) {
  points_ = {left, right};
  extrema_.clear();
  const Cubic cubic(left, right);
  const std::vector<double> places = cubic.extrema();
  if (places.size() < 2) return 0;
  const double high = side * cubic.value(places[0]), low = side * cubic.value(places[1]);
  if (!(high > 0 && low <= wide * std::max(high, std::abs(right.value)))) return 0;
  RootPoint p;
  if (const std::int32_t status = look(left.at + places[0] * (right.at - left.at), p); status != 0) return status;
  return side * p.value > scale_.rounding ? withRates(p, right) : 0;
}

/// Looks for the extremum towards zero between two places of one sign, where their rates tell that there is one.
std::int32_t RootScan::bottom(RootPoint a, RootPoint b) {
  const int side = signOf(a.value) != 0 ? signOf(a.value) : signOf(b.value);
  if (side == 0 || signOf(b.value) == -side || !(side * a.rate < 0 && side * b.rate > 0)) return 0;
  RootPoint best = std::abs(a.rate) < std::abs(b.rate) ? a : b;
  for (int turn = 0; turn < mostLooks && b.at - a.at > scale_.resolution; ++turn) {
    const Cubic cubic(a, b);
    // The extremum lies between, or at an end but for rounding, where the cubic may have none.
    const bool atLeft = side * a.value < side * b.value;
    double x = atLeft ? 0 : 1, low = side * (atLeft ? a : b).value;
    for (const double place : cubic.extrema())
      if (side * cubic.value(place) < low) low = side * cubic.value(place), x = place;
    if (low > clear * sizeOf(a, b) && low > scale_.doubt) return 0;
    constexpr double edge = 0.01;
    const double at = a.at + (b.at - a.at) * std::clamp(x, edge, 1 - edge);
    if (!(at > a.at && at < b.at)) break;
    RootPoint p;
    if (const std::int32_t status = look(at, p); status != 0) return status;
    if (signOf(p.value) == -side && std::abs(p.value) > scale_.rounding) {
      insert(p);
      note(p, side);
      return 0;
    }
    if (!std::isfinite(p.rate)) return 0;
    if (std::abs(p.rate) < std::abs(best.rate)) best = p;
    if (p.rate == 0) break;
    (side * p.rate < 0 ? a : b) = p;
  }
  note(best, side);
  return 0;
}

bool RootScan::tells(double deviation, const RootPoint& left, const RootPoint& right) {
  constexpr double sure = 8; // deviations are known roughly
  return sure * deviation <= wide * sizeOf(left, right);
}

bool RootScan::tellsSurely(double deviation, const RootPoint& left, const RootPoint& right) {
  constexpr double sure = 100;
  return sure * deviation <= wide * sizeOf(left, right);
}

double RootScan::missedAt(const RootPoint& left, const RootPoint& between, const RootPoint& right) {
  const double h = right.at - left.at, x = (between.at - left.at) / h;
  const Cubic cubic(left, right);
  // The rate is asked, too: what swings faster than that may meet the cubic at one place by chance.
  constexpr double perRate = 0.125; // what a slope at an end is at the middle
  return std::max(std::abs(cubic.value(x) - between.value), perRate * std::abs(cubic.slope(x) - between.rate * h));
}

double RootScan::deviation(const RootPoint& earlier, const RootPoint& left, const RootPoint& right) {
  const double before = left.at - earlier.at, h = right.at - left.at;
  // Over a single step the error is smaller by the fourth power of the length, if steps are short: it is not relied on.
  return missedAt(earlier, left, right) * h * h / (before * before);
}

bool RootScan::farFromZero(const RootPoint& left, const RootPoint& right) {
  // More than the part from which `withRates` looks, so that rounding of the control points does not matter.
  constexpr double far = 1.2 * wide, third = 1.0 / 3;
  const double side = signOf(left.value), h = right.at - left.at, least = far * sizeOf(left, right);
  const double v0 = side * left.value, v1 = side * right.value;
  // Each comparison is false of what is not a number.
  return side != 0 && v0 >= least && v1 >= least && v0 + third * h * side * left.rate >= least &&
         v1 - third * h * side * right.rate >= least;
}

bool RootScan::nearlyStraight(const RootPoint& earlier, const RootPoint& left, const RootPoint& right) {
  const double h = right.at - left.at, before = left.at - earlier.at;
  const double bend =
      2 * std::abs((right.value - left.value) / h - (left.value - earlier.value) / before) / (h + before) * h * h;
  const bool same = signOf(left.value) == signOf(right.value);
  const double least = std::min(std::abs(left.value), std::abs(right.value));
  return same ? least > bend / 2 : std::abs(right.value - left.value) > 2 * bend;
}

std::int32_t RootScan::withoutRates(const std::optional<RootPoint>& earlier, const RootPoint& left,
                                    const RootPoint& right) {
  points_ = {left, right};
  extrema_.clear();
  if (earlier && nearlyStraight(*earlier, left, right)) return 0;
  const double h = right.at - left.at;
  for (const double x : {0.25, 0.5, 0.75}) {
    RootPoint p;
    if (const std::int32_t status = look(left.at + x * h, p); status != 0) return status;
    insert(p);
  }
  for (const bool atLeft : {true, false})
    if (const std::int32_t status = nearEnd(atLeft); status != 0) return status;
  const std::vector<RootPoint> all = points_;
  for (std::size_t k = 1; k + 1 < all.size(); ++k)
    if (const std::int32_t status = bottom(all[k - 1], all[k], all[k + 1]); status != 0) return status;
  return 0;
}

/// An extremum between an end and the place next to it, where the parabola through three places has one. Where it lies
/// a little beyond the end, a place next to the end tells better.
std::int32_t RootScan::nearEnd(bool left) {
  constexpr double beyond = 0.1, next = 1e-3;
  const double h = points_.back().at - points_.front().at;
  for (int turn = 0; turn < 2; ++turn) {
    const std::size_t n = points_.size();
    const RootPoint end = left ? points_.front() : points_.back();
    const RootPoint one = left ? points_[1] : points_[n - 2], two = left ? points_[2] : points_[n - 3];
    const double inward = left ? 1 : -1;
    double way = inward * (vertexOf(end, one, two) - end.at); // from the end
    if (!(way > -beyond * h && way < std::abs(one.at - end.at))) return 0;
    const bool inside = way > next * h || turn > 0;
    if (!inside) way = next * h;
    if (!(way > scale_.resolution)) return 0;
    RootPoint p;
    if (const std::int32_t status = look(end.at + inward * way, p); status != 0) return status;
    insert(p);
    if (inside) return 0;
  }
  return 0;
}

/// The same from three places, of which the middle one is nearest to zero: by parabolas, to the root of the rounding of
/// places.
std::int32_t RootScan::bottom(RootPoint a, RootPoint m, RootPoint b) {
  const int side = signOf(a.value);
  const double whole = b.at - a.at;
  if (side == 0 || signOf(m.value) == -side || signOf(b.value) == -side) return 0;
  if (side * m.value > side * a.value || side * m.value > side * b.value) return 0;
  for (int turn = 0; turn < mostLooks && b.at - a.at > 1e-8 * whole && b.at - a.at > 4 * scale_.resolution; ++turn) {
    const bool rightIsLonger = b.at - m.at > m.at - a.at;
    double at = vertexOf(a, m, b);
    const double drop = std::abs(at - m.at) / (b.at - a.at); // how far the parabola goes beyond the middle
    if (turn == 0 && drop < 0.5) {
      const double bend = std::max(std::abs(a.value - m.value), std::abs(b.value - m.value));
      if (std::abs(m.value) > bend && std::abs(m.value) > scale_.doubt) return 0;
    }
    constexpr double golden = 0.381966, near = 1e-3;
    const double length = rightIsLonger ? b.at - m.at : m.at - a.at;
    const double safe = rightIsLonger ? m.at + golden * length : m.at - golden * length;
    const bool inside = at > a.at && at < b.at;
    if (!inside || turn % 3 == 2) at = safe;
    if (std::abs(at - m.at) < near * length) at = m.at + (rightIsLonger ? near : -near) * length;
    RootPoint p;
    if (const std::int32_t status = look(at, p); status != 0) return status;
    if (signOf(p.value) == -side && std::abs(p.value) > scale_.rounding) {
      insert(p);
      note(p, side);
      return 0;
    }
    if (side * p.value < side * m.value) {
      (p.at > m.at ? a : b) = m;
      m = p;
    } else {
      (p.at > m.at ? b : a) = p;
    }
  }
  note(m, side);
  return 0;
}

} // namespace lmc::runtime
