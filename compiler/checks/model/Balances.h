// What the checks of equations share: differences, the two sides of an equation, the worst of many.
#pragma once

#include "checks/model/DerivativeCheck.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::checks {

/// The derivative at 0 of a function of one number, by a central difference of order 4.
template <class F> double difference(const F& f, double step) {
  return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step);
}
/// The same of all numbers that a function gives.
template <class F> std::vector<double> differences(const F& f, double step) {
  const std::vector<double> near = f(step), back = f(-step), far = f(2 * step), farBack = f(-2 * step);
  std::vector<double> d(near.size());
  for (std::size_t k = 0; k < d.size(); ++k) d[k] = (8 * (near[k] - back[k]) - (far[k] - farBack[k])) / (12 * step);
  return d;
}

/// Part of the terms of other equations below which those of an equation may be rounding.
inline constexpr double roundingOfOthers = 1e-9;
inline constexpr double stepWidths[] = {1e-2, 1e-3, 1e-4, 1e-5};

struct DerivativeCheck::Point {
  State y;
  double t;
  Direction f;        ///< the computed motion
  Direction velocity; ///< xi of all factors, in place of u; zero elsewhere
  double rate;
  std::vector<double> multipliers, inactive; ///< of the equations of constraints
};

/// left = sum of terms, and how far it is from that.
struct DerivativeCheck::Balance {
  double difference = 0, size = 0;
  void left(double x) { add(x, 1); }
  void right(double x) { add(x, -1); }
  /// Relative to the size of the terms, or to `least` if that is larger.
  [[nodiscard]] double error(double least) const {
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    const double scale = std::max(size, least);
    return scale > 0 ? std::abs(difference) / scale : 0;
  }

private:
  void add(double x, double sign) {
    difference += sign * x;
    size += std::abs(x);
  }
};

/// The balances of one equation at several places, each by differences of all step widths.
class DerivativeCheck::Comparison {
public:
  template <class F> void add(const F& balance) {
    std::vector<Balance> one;
    for (const double step : stepWidths) one.push_back(balance(step));
    include(std::move(one));
  }
  /// Those of one equation at one place, by step widths.
  void include(std::vector<Balance> one) {
    largest_ = std::max(largest_, best(one, 0).size);
    places_.push_back(std::move(one));
  }
  /// The size of its largest terms.
  [[nodiscard]] double largest() const { return largest_; }
  /// `floor`: terms that are smaller count as so large.
  [[nodiscard]] double error(double floor = 0) const {
    const double least = std::max(smallPart * largest_, floor);
    double worst = 0;
    for (const std::vector<Balance>& one : places_) worst = std::max(worst, best(one, least).error(least));
    return worst;
  }

private:
  /// The one that shows the least disagreement: what is wrong is wrong with all step widths.
  [[nodiscard]] static const Balance& best(const std::vector<Balance>& one, double least) {
    return *std::min_element(one.begin(), one.end(),
                             [least](const Balance& a, const Balance& b) { return a.error(least) < b.error(least); });
  }
  std::vector<std::vector<Balance>> places_;
  double largest_ = 0;
};

} // namespace lmc::checks
