// Hyper-dual numbers: a value, two first derivatives and their mixed second one, exact to round-off.
//
// With seeds a and b, f(x + a·da + b·db) = f + f_a a + f_b b + f_ab ab, where a² = b² = 0 (Fike, Alonso 2011).
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <type_traits>

namespace lmc::reference {

template <class T> struct HyperDual {
  T v{}, a{}, b{}, ab{};

  HyperDual() = default;
  template <class N>
  requires std::is_arithmetic_v<N> HyperDual(N value) : v(static_cast<T>(value)) {}
  HyperDual(T value, T da, T db, T dab) : v(value), a(da), b(db), ab(dab) {}

  HyperDual& operator+=(const HyperDual& y) { return *this = *this + y; }
  HyperDual& operator-=(const HyperDual& y) { return *this = *this - y; }
  HyperDual& operator*=(const HyperDual& y) { return *this = *this * y; }
  HyperDual& operator/=(const HyperDual& y) { return *this = *this / y; }

  friend HyperDual operator+(const HyperDual& x, const HyperDual& y) {
    return {x.v + y.v, x.a + y.a, x.b + y.b, x.ab + y.ab};
  }
  friend HyperDual operator-(const HyperDual& x, const HyperDual& y) {
    return {x.v - y.v, x.a - y.a, x.b - y.b, x.ab - y.ab};
  }
  friend HyperDual operator-(const HyperDual& x) { return {-x.v, -x.a, -x.b, -x.ab}; }
  friend HyperDual operator*(const HyperDual& x, const HyperDual& y) {
    return {x.v * y.v, x.a * y.v + x.v * y.a, x.b * y.v + x.v * y.b, x.ab * y.v + x.a * y.b + x.b * y.a + x.v * y.ab};
  }
  friend HyperDual operator/(const HyperDual& x, const HyperDual& y) {
    return x * y.apply(T(1) / y.v, -T(1) / (y.v * y.v), T(2) / (y.v * y.v * y.v));
  }
  friend bool operator<(const HyperDual& x, const HyperDual& y) { return x.v < y.v; }
  friend bool operator>(const HyperDual& x, const HyperDual& y) { return x.v > y.v; }
  friend bool operator==(const HyperDual& x, const HyperDual& y) { return x.v == y.v; }

  /// f(x) from f, f' and f'' at the value.
  [[nodiscard]] HyperDual apply(T f, T df, T ddf) const { return {f, df * a, df * b, df * ab + ddf * a * b}; }

  friend HyperDual sqrt(const HyperDual& x) {
    using std::sqrt;
    const T root = sqrt(x.v);
    return x.apply(root, T(1) / (2 * root), T(-1) / (4 * root * x.v));
  }
  friend HyperDual sin(const HyperDual& x) {
    using std::cos, std::sin;
    return x.apply(sin(x.v), cos(x.v), -sin(x.v));
  }
  friend HyperDual cos(const HyperDual& x) {
    using std::cos, std::sin;
    return x.apply(cos(x.v), -sin(x.v), -cos(x.v));
  }
  friend HyperDual exp(const HyperDual& x) {
    using std::exp;
    const T e = exp(x.v);
    return x.apply(e, e, e);
  }
};

} // namespace lmc::reference

template <class T> struct Eigen::NumTraits<lmc::reference::HyperDual<T>> : Eigen::NumTraits<T> {
  using Real = lmc::reference::HyperDual<T>;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = Real;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 4,
    AddCost = 4,
    MulCost = 9
  };
};
