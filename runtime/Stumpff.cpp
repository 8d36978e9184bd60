// Stumpff functions for any argument.
//
// Three ways to c_k(s), each where it loses no accuracy:
//   series     c_k = 1/k! - s (1/(k+2)! - s (…)), while its terms stay comparable to its sum;
//   closed     c_0 = cos, c_1 = sin/theta, c_2 = 2 (sin(theta/2)/theta)^2, hyperbolic for s < 0;
//   upward     c_{k+2} = (1/k! - c_k)/s once c_k is small beside 1/k! (s > 0) or large (s < 0).
// The root theta = sqrt(s) is rounded; sin(theta) near a multiple of pi would lose all digits by that. The remainder
// d = (s - theta^2)/(2 theta) is therefore carried along, by the addition theorem.
#include "runtime/Kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace {

constexpr int factorials = 160;

/// 1/n! correctly rounded or nearly so.
constexpr std::array<double, factorials> inverseFactorials() {
  std::array<double, factorials> table{};
  long double value = 1;
  for (int n = 0; n < factorials; ++n) {
    if (n > 0) value /= n;
    table[static_cast<std::size_t>(n)] = static_cast<double>(value);
  }
  return table;
}
constexpr std::array<double, factorials> inverseFactorial = inverseFactorials();

double series(int k, double s) {
  const double size = std::fabs(s);
  // The last term that matters: the ratio of successive terms is s/((m+1)(m+2)).
  int last = k;
  for (double term = 1; term > 1e-19 && last < factorials - 2; last += 2)
    term *= size / (static_cast<double>(last + 1) * static_cast<double>(last + 2));
  double sum = 0;
  for (int m = last; m >= k; m -= 2) sum = inverseFactorial[static_cast<std::size_t>(m)] - s * sum;
  return sum;
}

struct Circular {
  double s; ///< sin or sinh
  double c; ///< cos or cosh
};

/// sin and cos (s > 0) or sinh and cosh (s < 0) of sqrt(|s|)*scale, scale a power of two, correct in spite of the
/// rounded root.
Circular circular(double s, double scale) {
  const double root = std::sqrt(std::fabs(s));
  double rest = std::fma(-root, root, std::fabs(s)) / (2 * root);
  if (!std::isfinite(rest)) rest = 0;
  const double angle = root * scale;
  const double d = rest * scale;
  if (s > 0) {
    const double sine = std::sin(angle);
    const double cosine = std::cos(angle);
    if (d < 1e-8 && d > -1e-8) return {sine + d * cosine, cosine - d * sine};
    return {sine * std::cos(d) + cosine * std::sin(d), cosine * std::cos(d) - sine * std::sin(d)};
  }
  const double sine = std::sinh(angle);
  const double cosine = std::cosh(angle);
  return {sine + d * cosine, cosine + d * sine};
}

/// Below this |s| the series loses less than the other two ways. For s < 0 its terms have one sign and lose nothing.
double seriesLimit(int k, double s) {
  if (k < 2) return 1;
  const double limit = k == 2 ? 3 : std::max(6.0, static_cast<double>((k - 1) * (k - 2)));
  return s < 0 ? std::max(60.0, 2 * limit) : limit;
}

double value(int k, double s) {
  if (std::isnan(s)) return s;
  const double size = std::fabs(s);
  if (size < seriesLimit(k, s)) return series(k, s);
  if (k <= 2) {
    if (k == 0) return circular(s, 1).c;
    if (k == 1) return circular(s, 1).s / std::sqrt(size);
    // 2 sin^2(theta/2)/theta^2, divided in this order so that nothing overflows early
    const double half = circular(s, 0.5).s;
    return 2 * (half / size) * half;
  }
  return (inverseFactorial[static_cast<std::size_t>(k - 2)] - value(k - 2, s)) / s;
}

} // namespace

double lmc_stumpff_value(std::int32_t k, double s) noexcept {
  return value(k, s);
}

void lmc_stumpff(double s, std::int64_t highest, std::uint64_t mask, double* out) noexcept {
  for (std::int64_t k = 0; k <= highest; ++k)
    if ((mask >> static_cast<std::uint64_t>(k) & 1U) != 0) out[k] = value(static_cast<int>(k), s);
}
