#include "sym/Number.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace lmc::sym {

namespace {
__extension__ using Wide = __int128;
constexpr Wide exactLimit = Wide{1} << 53;
/// Of whole numbers, which are rounded once when they become doubles.
constexpr Wide wholeLimit = std::numeric_limits<std::int64_t>::max();

/// num/den in lowest terms if both fit; otherwise its double.
Number reduce(Wide num, Wide den) {
  if (den < 0) {
    num = -num;
    den = -den;
  }
  Wide a = num < 0 ? -num : num;
  Wide b = den;
  while (b != 0) {
    const Wide r = a % b;
    a = b;
    b = r;
  }
  if (a > 1) {
    num /= a;
    den /= a;
  }
  const Wide limit = den == 1 ? wholeLimit : exactLimit;
  if (num > limit || num < -limit || den > exactLimit) {
    return Number::real(static_cast<double>(static_cast<long double>(num) / static_cast<long double>(den)));
  }
  return Number::ratio(static_cast<std::int64_t>(num), static_cast<std::int64_t>(den));
}
} // namespace

Number Number::ratio(std::int64_t num, std::int64_t den) {
  Number n;
  const std::int64_t g = std::gcd(num, den);
  n.num_ = g > 1 ? num / g : num;
  n.den_ = g > 1 ? den / g : den;
  if (n.den_ < 0) {
    n.num_ = -n.num_;
    n.den_ = -n.den_;
  }
  return n;
}

Number Number::real(double value) {
  if (std::nearbyint(value) == value && std::abs(value) < 1e15) return {static_cast<std::int64_t>(value)};
  Number n;
  n.den_ = 0;
  n.approx_ = value;
  return n;
}

Number Number::decimal(const std::string& text) {
  Wide digits = 0;
  int scale = 0;
  bool afterPoint = false;
  std::size_t k = 0;
  for (; k < text.size() && text[k] != 'e' && text[k] != 'E'; ++k) {
    if (text[k] == '.') {
      afterPoint = true;
      continue;
    }
    if (digits > exactLimit) return real(std::strtod(text.c_str(), nullptr));
    digits = digits * 10 + (text[k] - '0');
    if (afterPoint) --scale;
  }
  if (k < text.size()) scale += static_cast<int>(std::strtol(text.c_str() + k + 1, nullptr, 10));
  if (digits > exactLimit || scale < -15 || scale > 15) return real(std::strtod(text.c_str(), nullptr));
  Wide power = 1;
  for (int i = 0; i < std::abs(scale); ++i) power *= 10;
  const Number exact = scale < 0 ? reduce(digits, power) : reduce(digits * power, 1);
  return exact.exact() ? exact : real(std::strtod(text.c_str(), nullptr));
}

double Number::value() const {
  return exact() ? static_cast<double>(num_) / static_cast<double>(den_) : approx_;
}

Number operator+(const Number& a, const Number& b) {
  if (!a.exact() || !b.exact()) return Number::real(a.value() + b.value());
  return reduce(static_cast<Wide>(a.num_) * b.den_ + static_cast<Wide>(b.num_) * a.den_,
                static_cast<Wide>(a.den_) * b.den_);
}

Number operator*(const Number& a, const Number& b) {
  if (a.isOne()) return b;
  if (b.isOne()) return a;
  if (!a.exact() || !b.exact()) return Number::real(a.value() * b.value());
  return reduce(static_cast<Wide>(a.num_) * b.num_, static_cast<Wide>(a.den_) * b.den_);
}

Number operator/(const Number& a, const Number& b) {
  if (!a.exact() || !b.exact()) return Number::real(a.value() / b.value());
  return reduce(static_cast<Wide>(a.num_) * b.den_, static_cast<Wide>(a.den_) * b.num_);
}

bool Number::operator==(const Number& o) const {
  if (exact() != o.exact()) return false;
  if (exact()) return num_ == o.num_ && den_ == o.den_;
  return std::bit_cast<std::uint64_t>(approx_) == std::bit_cast<std::uint64_t>(o.approx_);
}

std::string Number::text() const {
  if (!exact()) return fmt::format("{}", approx_);
  if (den_ == 1) return fmt::format("{}", num_);
  // A denominator of twos and fives only reads better as a decimal.
  std::int64_t rest = den_;
  while (rest % 2 == 0) rest /= 2;
  while (rest % 5 == 0) rest /= 5;
  if (rest == 1) return fmt::format("{}", value());
  return fmt::format("{}/{}", num_, den_);
}

std::uint64_t Number::hash() const {
  const std::uint64_t a = exact() ? static_cast<std::uint64_t>(num_) : std::bit_cast<std::uint64_t>(approx_);
  return a * 0x9E3779B97F4A7C15ULL ^ static_cast<std::uint64_t>(den_);
}

std::optional<Number> power(const Number& a, std::int64_t n) {
  if (a.isZero() && n < 0) return std::nullopt;
  Number base = n < 0 ? Number(1) / a : a;
  Number result = 1;
  for (std::int64_t k = std::abs(n); k > 0; k /= 2) {
    if (k % 2 == 1) result = result * base;
    base = base * base;
  }
  // What does not fit is rounded once, not at every product.
  if (!result.exact() && a.exact()) {
    const long double whole = static_cast<long double>(a.num()) / static_cast<long double>(a.den());
    return Number::real(static_cast<double>(std::pow(whole, static_cast<long double>(n))));
  }
  return result;
}

} // namespace lmc::sym
