// Stumpff functions in quadruple precision, by a way that the library does not use: the series at s/4^m, then m
// doublings of the angle by the addition theorem
//   2^k c_k(4s) = sum_{j=0}^{k-2} c_{k-j}(s)/j! + c_0(s) c_k(s) + c_1(s) c_{k-1}(s),   c_0(4s) = 2 c_0(s)^2 - 1.
#pragma once

#include <array>
#include <cmath>

namespace lmc::test {

__extension__ typedef __float128 Quad;

inline constexpr int referenceOrders = 13;
using QuadOrders = std::array<Quad, referenceOrders>;

inline Quad quadSeries(int k, Quad s) {
  Quad term = 1;
  for (int n = 2; n <= k; ++n) term /= n;
  Quad sum = 0;
  for (int m = k; m < k + 60; m += 2) {
    sum += term;
    term *= -s / (static_cast<Quad>(m + 1) * (m + 2));
  }
  return sum;
}

/// c_0(s)…c_12(s).
inline QuadOrders stumpffReference(double x) {
  Quad s = x;
  int doublings = 0;
  for (; std::fabs(static_cast<double>(s)) > 0.5; ++doublings) s /= 4;
  QuadOrders c{};
  for (int k = 0; k < referenceOrders; ++k) c[static_cast<std::size_t>(k)] = quadSeries(k, s);
  for (; doublings > 0; --doublings) {
    QuadOrders next{};
    next[0] = 2 * c[0] * c[0] - 1;
    Quad power = 1;
    for (std::size_t k = 1; k < c.size(); ++k) {
      Quad sum = c[0] * c[k] + c[1] * c[k - 1];
      Quad inverse = 1;
      for (std::size_t j = 0; j + 2 <= k; ++j) {
        if (j > 0) inverse /= static_cast<Quad>(j);
        sum += c[k - j] * inverse;
      }
      power *= 2;
      next[k] = sum / power;
    }
    next[2] = c[1] * c[1] / 2; // the same, without cancellation at the double zeros
    c = next;
  }
  return c;
}

/// Arguments on [-50, 2000] and, densely, where methods change and where the functions vanish.
template <typename Check> void forStumpffArguments(Check check) {
  for (double s = -50; s < 2000; s += 0.61803) check(s);
  for (double s = -3; s < 3; s += 0.0009) check(s);
  for (const double edge : {-1.0, 0.0, 1.0, 3.0, 6.0, 12.0, 20.0, -60.0, -40.0})
    for (int k = -20; k <= 20; ++k) check(edge + k * 1e-3 + k * 1e-14);
  constexpr double pi = 3.14159265358979323846;
  for (int m = 1; m < 28; ++m)
    for (int k = -10; k <= 10; ++k) check(m * m * pi * pi / 4 * (1 + k * 0x1p-52));
  for (int e = -300; e < 0; e += 10) {
    check(std::ldexp(1.0, e));
    check(-std::ldexp(1.0, e));
  }
}

} // namespace lmc::test
