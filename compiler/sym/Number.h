// Constants: exact rationals while they fit, doubles afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lmc::sym {

/// A real constant num/den with den > 0, or (den == 0) the double `approx`. Arithmetic stays exact until a
/// numerator or denominator leaves the integers that a double holds exactly.
class Number {
public:
  Number() = default;
  Number(std::int64_t n) : num_(n), den_(1) {} // NOLINT: integers are numbers
  static Number ratio(std::int64_t num, std::int64_t den);
  static Number real(double value);
  /// A decimal literal ("9.81", "1e-3") as the exact rational that it denotes, if it fits.
  static Number decimal(const std::string& text);

  [[nodiscard]] bool exact() const { return den_ != 0; }
  [[nodiscard]] double value() const;
  [[nodiscard]] std::int64_t num() const { return num_; }
  [[nodiscard]] std::int64_t den() const { return den_; }
  [[nodiscard]] bool isZero() const { return exact() ? num_ == 0 : approx_ == 0; }
  [[nodiscard]] bool isOne() const { return exact() && num_ == 1 && den_ == 1; }
  [[nodiscard]] bool isMinusOne() const { return exact() && num_ == -1 && den_ == 1; }
  [[nodiscard]] bool isInteger() const { return exact() && den_ == 1; }
  [[nodiscard]] bool negative() const { return exact() ? num_ < 0 : approx_ < 0; }

  friend Number operator+(const Number& a, const Number& b);
  friend Number operator*(const Number& a, const Number& b);
  friend Number operator/(const Number& a, const Number& b); ///< b is not zero
  friend Number operator-(const Number& a) { return Number(-1) * a; }
  friend Number operator-(const Number& a, const Number& b) { return a + -b; }
  bool operator==(const Number& o) const;

  /// Decimal or `num/den`, the shortest text that reads back as the same number.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::uint64_t hash() const;

private:
  std::int64_t num_ = 0;
  std::int64_t den_ = 1;
  double approx_ = 0;
};

/// a^n for a small integer n; nothing for 0^negative.
[[nodiscard]] std::optional<Number> power(const Number& a, std::int64_t n);

} // namespace lmc::sym
