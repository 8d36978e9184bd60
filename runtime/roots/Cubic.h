// The cubic through values and rates of a function at two places.
#pragma once

#include <limits>
#include <vector>

namespace lmc::runtime {

/// A place, the function and its rate (not a number: unknown) there.
struct RootPoint {
  double at = 0, value = 0, rate = std::numeric_limits<double>::quiet_NaN();
};

/// As v0 + x (s + x (a + x b)), for x from 0 at the left place to 1 at the right one.
class Cubic {
public:
  Cubic(const RootPoint& left, const RootPoint& right)
      : v_(left.value), s_(left.rate * (right.at - left.at)), right_(right.value) {
    const double d = right.value - v_ - s_, e = right.rate * (right.at - left.at) - s_;
    a_ = 3 * d - e;
    b_ = e - 2 * d;
  }
  [[nodiscard]] double value(double x) const { return v_ + x * (s_ + x * (a_ + x * b_)); }
  [[nodiscard]] double slope(double x) const { return s_ + x * (2 * a_ + 3 * x * b_); }
  [[nodiscard]] double curvature(double x) const { return 2 * a_ + 6 * b_ * x; }
  /// Its extrema inside of (0, 1), from the left.
  [[nodiscard]] std::vector<double> extrema() const;
  /// Where it is zero, between values of opposite signs; without rates that of the straight line.
  [[nodiscard]] double root() const;

private:
  double v_, s_, a_ = 0, b_ = 0, right_;
};

} // namespace lmc::runtime
