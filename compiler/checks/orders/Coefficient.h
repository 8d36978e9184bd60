// Coefficients of Lie–Butcher series: rationals of any size; floating point once a decimal coefficient enters.
#pragma once

#include "sym/Number.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <string>

namespace lmc::orders {

class Coefficient {
public:
  using Rational = boost::multiprecision::cpp_rational;

  Coefficient() = default;
  Coefficient(std::int64_t n) : exact_(n) {} // NOLINT: integers are coefficients
  explicit Coefficient(Rational value) : exact_(std::move(value)) {}
  /// Exact when the number is a fraction of the source; else floating point.
  explicit Coefficient(const sym::Number& n);

  [[nodiscard]] bool exact() const { return isExact_; }
  [[nodiscard]] bool isZero() const { return isExact_ ? exact_.is_zero() : approximate_ == 0; }
  [[nodiscard]] long double value() const;
  /// "1/24", or a decimal.
  [[nodiscard]] std::string text() const;

  Coefficient& operator+=(const Coefficient& o);
  Coefficient& operator*=(const Coefficient& o);
  friend Coefficient operator+(Coefficient a, const Coefficient& b) { return a += b; }
  friend Coefficient operator*(Coefficient a, const Coefficient& b) { return a *= b; }
  friend Coefficient operator-(const Coefficient& a, const Coefficient& b) { return a + Coefficient(-1) * b; }
  /// 1/a; a is not zero.
  [[nodiscard]] Coefficient inverse() const;

private:
  void approximate();

  Rational exact_ = 0;
  long double approximate_ = 0;
  bool isExact_ = true;
};

} // namespace lmc::orders
