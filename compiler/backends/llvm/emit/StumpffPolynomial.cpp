#include "backends/llvm/emit/StumpffPolynomial.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lmc::backends {

namespace {

constexpr int terms = 24; // the rest of the series is below 1e-40

using Coefficients = std::array<long double, terms>;

Coefficients taylor(int k) {
  Coefficients a{};
  long double term = 1;
  for (int n = 2; n <= k; ++n) term /= n;
  for (int j = 0; j < terms; ++j) {
    a[static_cast<std::size_t>(j)] = term;
    term /= -static_cast<long double>(k + 2 * j + 1) * static_cast<long double>(k + 2 * j + 2);
  }
  return a;
}

/// Monomial coefficients of the Chebyshev polynomial T_n.
Coefficients chebyshev(int n) {
  Coefficients previous{};
  Coefficients current{};
  previous[0] = 1;
  current[1] = 1;
  if (n == 0) return previous;
  for (int m = 1; m < n; ++m) {
    Coefficients next{};
    for (std::size_t j = 0; j < terms; ++j) next[j] = (j > 0 ? 2 * current[j - 1] : 0.0L) - previous[j];
    previous = current;
    current = next;
  }
  return current;
}

/// p(shift + scale t) as a polynomial in t.
Coefficients substituted(const Coefficients& p, long double shift, long double scale) {
  Coefficients r{};
  for (int k = terms - 1; k >= 0; --k) { // Horner: r = r (shift + scale t) + p_k
    Coefficients next{};
    for (std::size_t j = 0; j < terms; ++j) {
      next[j] += shift * r[j];
      if (j + 1 < terms) next[j + 1] += scale * r[j];
    }
    r = next;
    r[0] += p[static_cast<std::size_t>(k)];
  }
  return r;
}

} // namespace

std::vector<double> stumpffPolynomial(int k, const StumpffInterval& interval) {
  const long double middle = (static_cast<long double>(interval.low) + static_cast<long double>(interval.high)) / 2;
  const long double half = (static_cast<long double>(interval.high) - static_cast<long double>(interval.low)) / 2;
  const bool whole = interval.high == stumpffRange;
  const Coefficients series = taylor(k);
  const long double allowed = std::ldexp(series[0], whole ? -57 : -54);
  Coefficients a = substituted(series, middle, half); // the Chebyshev polynomials are those of [-1, 1]
  int degree = terms - 1;
  long double error = 0;
  for (; degree > 0; --degree) {
    const Coefficients t = chebyshev(degree);
    const long double factor = a[static_cast<std::size_t>(degree)] / t[static_cast<std::size_t>(degree)];
    error += std::fabs(factor);
    if (error > allowed) break;
    for (std::size_t j = 0; j < terms; ++j) a[j] -= factor * t[j];
  }
  std::fill(a.begin() + degree + 1, a.end(), 0.0L); // what rounding has left
  a = substituted(a, -middle / half, 1 / half);
  std::vector<double> result;
  for (int j = 0; j <= degree; ++j) result.push_back(static_cast<double>(a[static_cast<std::size_t>(j)]));
  return result;
}

} // namespace lmc::backends
