// Where the order of a method is measured: starts, times and steps at which every method is in its asymptotic range
// and well above round-off.
#pragma once

#include "reference/HeavyTop.h"
#include "reference/Pendulums.h"
#include "reference/TestModels.h"

namespace lmc::reference::orders {

inline constexpr int levels = 3; ///< runs per measurement, each with twice the steps of the one before

/// One measurement: the interval 0..time, and for each order the number of steps of its coarsest run.
struct Range {
  double time;
  std::array<int, 8> steps;
  [[nodiscard]] int coarsest(int order) const { return steps.at(static_cast<std::size_t>(order - 1)); }
};

/// The least squares slope of log(error) over log(step).
inline double slope(const std::vector<double>& steps, const std::vector<double>& errors) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// A top with three different inertias, turning slowly enough for coarse steps.
inline HeavyTop top(bool inSpace) {
  HeavyTop t;
  t.inSpace = inSpace;
  t.m = 1;
  t.l = 0.5;
  t.inertia = {0.5, 0.8, 1.1};
  t.chi = {0, 0.6, 0.8};
  return t;
}
inline Vector<double> topStart() {
  Vector<double> x = HeavyTop{}.initial<double>();
  x.tail<3>() = Vec3<double>(2, -3, 1);
  return x;
}
/// The momentum of that start.
inline Vector<double> momentumStart() {
  Vector<double> x = topStart();
  x.tail<3>() = Vec3<double>(1, -2.4, 1.1);
  return x;
}
inline constexpr Range topRange{1, {640, 160, 80, 160, 80, 20, 20, 10}};

inline constexpr Range chainRange{1, {1280, 160, 160, 80, 160, 64, 64, 32}};

inline Vector<double> sphereStart() {
  return Vec3<double>(0.6, 0, 0.8);
}
inline constexpr Range sphereRange{4, {640, 160, 320, 160, 80, 80, 80, 40}};
/// Where errors grow little, so that they follow the tolerance of adaptive steps from 1e-4 on.
inline constexpr Range shortSphereRange{2, sphereRange.steps};

} // namespace lmc::reference::orders
