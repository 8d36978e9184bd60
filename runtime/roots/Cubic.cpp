#include "runtime/roots/Cubic.h"

#include <algorithm>
#include <cmath>

namespace lmc::runtime {

std::vector<double> Cubic::extrema() const {
  std::vector<double> list;
  const auto add = [&](double x) {
    if (x > 0 && x < 1) list.push_back(x);
  };
  if (std::abs(3 * b_) <= 1e-12 * std::abs(a_)) {
    if (a_ != 0) add(-s_ / (2 * a_));
    return list;
  }
  const double under = a_ * a_ - 3 * b_ * s_;
  if (under < 0) return list;
  const double q = -(a_ + std::copysign(std::sqrt(under), a_));
  if (q == 0) return list; // it has a point of inflection at 0
  add(q / (3 * b_));
  add(s_ / q);
  std::sort(list.begin(), list.end());
  return list;
}

double Cubic::root() const {
  double x = v_ / (v_ - right_);
  if (!std::isfinite(a_)) return x;
  double lo = 0, hi = 1;
  constexpr int most = 40;
  for (int turn = 0; turn < most; ++turn) {
    const double v = value(x);
    (std::signbit(v) == std::signbit(v_) && v != 0 ? lo : hi) = x;
    const double next = x - v / slope(x);
    const double safe = next > lo && next < hi ? next : (lo + hi) / 2;
    if (std::abs(safe - x) <= std::numeric_limits<double>::epsilon()) break;
    x = safe;
  }
  return x;
}

} // namespace lmc::runtime
