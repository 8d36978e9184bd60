// Numbers that carry derivatives, in plain arithmetic.
//
// Dual<R> is a number with one derivative; Var<R> a Dual<R> that is recorded on a tape, so that one backward sweep
// gives all derivatives of a function, and the derivative of each of them along the direction of the duals; Timed<X> a
// number with its derivative in time. Nothing here is shared with the compiler.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace lmc::differential {

template <class R> struct Dual {
  R v{}, b{};
  Dual() = default;
  Dual(double value) : v(static_cast<R>(value)) {} // NOLINT: constants are written as numbers
  Dual(R value, R derivative) : v(value), b(derivative) {}
  [[nodiscard]] bool isZero() const { return v == 0 && b == 0; }
};
template <class R> Dual<R> operator+(const Dual<R>& x, const Dual<R>& y) {
  return {x.v + y.v, x.b + y.b};
}
template <class R> Dual<R> operator-(const Dual<R>& x, const Dual<R>& y) {
  return {x.v - y.v, x.b - y.b};
}
template <class R> Dual<R> operator-(const Dual<R>& x) {
  return {-x.v, -x.b};
}
template <class R> Dual<R> operator*(const Dual<R>& x, const Dual<R>& y) {
  return {x.v * y.v, x.b * y.v + x.v * y.b};
}
template <class R> Dual<R> operator/(const Dual<R>& x, const Dual<R>& y) {
  const R q = x.v / y.v;
  return {q, (x.b - q * y.b) / y.v};
}
/// g(x) with g and its slope at the value.
template <class R> Dual<R> chain(const Dual<R>& x, R value, R slope) {
  return {value, slope * x.b};
}

/// What a function of one number is, with two derivatives.
enum class Unary { Sqrt, Exp, Log, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Abs, Sinc, Stumpff };

/// c_k(s) and its first two derivatives by the series Σ (−s)^j/(2j + k)!, differentiated term by term.
template <class R> R stumpffSeries(int k, R s, int derivative) {
  R term = 1;
  for (int i = 2; i <= k; ++i) term /= i;
  R sum = 0;
  // term holds (−1)^j/(2j + k)!, the power of s is taken apart: derivatives need lower ones.
  for (int j = 0; j < 60; ++j) {
    R factor = 1;
    for (int d = 0; d < derivative; ++d) factor *= j - d;
    if (j >= derivative) {
      R power = 1;
      for (int i = 0; i < j - derivative; ++i) power *= s;
      sum += factor * term * power;
    }
    term /= -R(2 * j + k + 1) * R(2 * j + k + 2);
  }
  return sum;
}

/// Derivative number `d` (0, 1, 2) of a function at x.
template <class R> R derivative(Unary f, int k, R x, int d) {
  using std::exp, std::sqrt, std::log, std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh,
      std::cosh, std::tanh, std::abs;
  switch (f) {
  case Unary::Sqrt:
    return d == 0 ? sqrt(x) : d == 1 ? R(1) / (2 * sqrt(x)) : R(-1) / (4 * x * sqrt(x));
  case Unary::Exp:
    return exp(x);
  case Unary::Log:
    return d == 0 ? log(x) : d == 1 ? R(1) / x : R(-1) / (x * x);
  case Unary::Sin:
    return d == 0 ? sin(x) : d == 1 ? cos(x) : -sin(x);
  case Unary::Cos:
    return d == 0 ? cos(x) : d == 1 ? -sin(x) : -cos(x);
  case Unary::Tan: {
    const R t = tan(x);
    return d == 0 ? t : d == 1 ? 1 + t * t : 2 * t * (1 + t * t);
  }
  case Unary::Asin:
    return d == 0 ? asin(x) : d == 1 ? R(1) / sqrt(1 - x * x) : x / ((1 - x * x) * sqrt(1 - x * x));
  case Unary::Acos:
    return d == 0 ? acos(x) : d == 1 ? R(-1) / sqrt(1 - x * x) : -x / ((1 - x * x) * sqrt(1 - x * x));
  case Unary::Atan:
    return d == 0 ? atan(x) : d == 1 ? R(1) / (1 + x * x) : -2 * x / ((1 + x * x) * (1 + x * x));
  case Unary::Sinh:
    return d == 1 ? cosh(x) : sinh(x);
  case Unary::Cosh:
    return d == 1 ? sinh(x) : cosh(x);
  case Unary::Tanh: {
    const R t = tanh(x);
    return d == 0 ? t : d == 1 ? 1 - t * t : -2 * t * (1 - t * t);
  }
  case Unary::Abs:
    return d == 0 ? abs(x) : d == 1 ? R(x < 0 ? -1 : 1) : R(0);
  case Unary::Sinc: // sin x/x = c_1(x²)
    return d == 0   ? stumpffSeries<R>(1, x * x, 0)
           : d == 1 ? 2 * x * stumpffSeries<R>(1, x * x, 1)
                    : 2 * stumpffSeries<R>(1, x * x, 1) + 4 * x * x * stumpffSeries<R>(1, x * x, 2);
  case Unary::Stumpff:
    return stumpffSeries<R>(k, x, d);
  }
  throw std::logic_error("no such function");
}

template <class R> Dual<R> apply(Unary f, int k, const Dual<R>& x, int order = 0) {
  return chain(x, derivative<R>(f, k, x.v, order), x.b == 0 ? R(0) : derivative<R>(f, k, x.v, order + 1));
}

/// The record of what was computed from the leaves.
template <class R> struct Tape {
  struct Entry {
    int a, b; ///< what it was computed from; −1: nothing
    Dual<R> da, db;
  };
  std::vector<Entry> entries;
  int leaf() { return add(-1, {}, -1, {}); }
  int add(int a, Dual<R> da, int b, Dual<R> db) {
    entries.push_back({a, b, da, db});
    return static_cast<int>(entries.size()) - 1;
  }
  /// The derivatives of one entry by all entries before it.
  [[nodiscard]] std::vector<Dual<R>> sweep(int from) const {
    std::vector<Dual<R>> bar(entries.size());
    if (from < 0) return bar;
    bar[static_cast<std::size_t>(from)] = Dual<R>(1.0);
    for (auto i = static_cast<std::size_t>(from) + 1; i-- > 0;) {
      if (bar[i].isZero()) continue;
      const Entry& e = entries[i];
      if (e.a >= 0) bar[static_cast<std::size_t>(e.a)] = bar[static_cast<std::size_t>(e.a)] + bar[i] * e.da;
      if (e.b >= 0) bar[static_cast<std::size_t>(e.b)] = bar[static_cast<std::size_t>(e.b)] + bar[i] * e.db;
    }
    return bar;
  }
  static Tape*& current() {
    thread_local Tape* tape = nullptr;
    return tape;
  }
};

template <class R> struct Var {
  int i = -1; ///< −1: a constant
  Dual<R> v;
  Var() = default;
  Var(double value) : v(value) {} // NOLINT: constants are written as numbers
  explicit Var(const Dual<R>& value) : v(value) {}
  static Var leaf(const Dual<R>& value) {
    Var x(value);
    x.i = Tape<R>::current()->leaf();
    return x;
  }
  [[nodiscard]] bool isZero() const { return i < 0 && v.isZero(); }
  [[nodiscard]] bool isOne() const { return i < 0 && v.v == 1 && v.b == 0; }
};
template <class R> Var<R> recorded(Dual<R> value, const Var<R>& x, Dual<R> dx, const Var<R>& y, Dual<R> dy) {
  Var<R> z(value);
  if (x.i >= 0 || y.i >= 0) z.i = Tape<R>::current()->add(x.i, dx, y.i, dy);
  return z;
}
template <class R> Var<R> operator+(const Var<R>& x, const Var<R>& y) {
  if (x.isZero()) return y;
  if (y.isZero()) return x;
  return recorded(x.v + y.v, x, Dual<R>(1.0), y, Dual<R>(1.0));
}
template <class R> Var<R> operator-(const Var<R>& x, const Var<R>& y) {
  if (y.isZero()) return x;
  return recorded(x.v - y.v, x, Dual<R>(1.0), y, Dual<R>(-1.0));
}
template <class R> Var<R> operator-(const Var<R>& x) {
  return recorded(-x.v, x, Dual<R>(-1.0), Var<R>(), Dual<R>());
}
template <class R> Var<R> operator*(const Var<R>& x, const Var<R>& y) {
  if (x.isZero() || y.isZero()) return {};
  if (x.isOne()) return y;
  if (y.isOne()) return x;
  return recorded(x.v * y.v, x, y.v, y, x.v);
}
template <class R> Var<R> operator/(const Var<R>& x, const Var<R>& y) {
  if (x.isZero()) return {};
  const Dual<R> q = x.v / y.v;
  return recorded(q, x, Dual<R>(1.0) / y.v, y, -q / y.v);
}
template <class R> Var<R> apply(Unary f, int k, const Var<R>& x, int order = 0) {
  return recorded(apply(f, k, x.v, order), x, apply(f, k, x.v, order + 1), Var<R>(), Dual<R>());
}

/// A number with its derivative in time.
template <class X> struct Timed {
  X v, d;
  Timed() = default;
  Timed(double value) : v(value) {} // NOLINT: constants are written as numbers
  explicit Timed(X value) : v(std::move(value)) {}
  Timed(X value, X rate) : v(std::move(value)), d(std::move(rate)) {}
};
template <class X> Timed<X> operator+(const Timed<X>& x, const Timed<X>& y) {
  return {x.v + y.v, x.d + y.d};
}
template <class X> Timed<X> operator-(const Timed<X>& x, const Timed<X>& y) {
  return {x.v - y.v, x.d - y.d};
}
template <class X> Timed<X> operator-(const Timed<X>& x) {
  return {-x.v, -x.d};
}
template <class X> Timed<X> operator*(const Timed<X>& x, const Timed<X>& y) {
  return {x.v * y.v, x.d * y.v + x.v * y.d};
}
template <class X> Timed<X> operator/(const Timed<X>& x, const Timed<X>& y) {
  const X q = x.v / y.v;
  return {q, (x.d - q * y.d) / y.v};
}
template <class X> bool isZero(const X& x) {
  return x.isZero();
}
template <class X> Timed<X> apply(Unary f, int k, const Timed<X>& x) {
  return {apply(f, k, x.v), isZero(x.d) ? X() : apply(f, k, x.v, 1) * x.d};
}

template <class R> R plain(const Dual<R>& x) {
  return x.v;
}
template <class R> R plain(const Var<R>& x) {
  return x.v.v;
}
template <class X> auto plain(const Timed<X>& x) {
  return plain(x.v);
}

template <class R> using Vector = Eigen::Matrix<R, Eigen::Dynamic, 1>;
template <class R> using Matrix = Eigen::Matrix<R, Eigen::Dynamic, Eigen::Dynamic>;

/// A small matrix of any kind of numbers, by rows; a vector has one column, a number is 1 by 1.
template <class N> struct Values {
  int rows = 1, cols = 1;
  std::vector<N> x;
  Values() : x(1) {}
  Values(int r, int c) : rows(r), cols(c), x(static_cast<std::size_t>(r * c)) {}
  explicit Values(N value) : x{std::move(value)} {}
  N& operator()(int r, int c) { return x[static_cast<std::size_t>(r * cols + c)]; }
  const N& operator()(int r, int c) const { return x[static_cast<std::size_t>(r * cols + c)]; }
  [[nodiscard]] const N& number() const { return x.front(); }
  static Values identity(int n) {
    Values e(n, n);
    for (int i = 0; i < n; ++i) e(i, i) = N(1.0);
    return e;
  }
};
template <class N> Values<N> operator+(Values<N> a, const Values<N>& b) {
  for (std::size_t k = 0; k < a.x.size(); ++k) a.x[k] = a.x[k] + b.x[k];
  return a;
}
template <class N> Values<N> operator-(Values<N> a, const Values<N>& b) {
  for (std::size_t k = 0; k < a.x.size(); ++k) a.x[k] = a.x[k] - b.x[k];
  return a;
}
template <class N> Values<N> scaled(const N& s, Values<N> a) {
  for (N& x : a.x) x = s * x;
  return a;
}
template <class N> Values<N> operator*(const Values<N>& a, const Values<N>& b) {
  if (a.x.size() == 1) return scaled(a.number(), b);
  if (b.x.size() == 1) return scaled(b.number(), a);
  Values<N> c(a.rows, b.cols);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.cols; ++j) {
      N sum = a(i, 0) * b(0, j);
      for (int k = 1; k < a.cols; ++k) sum = sum + a(i, k) * b(k, j);
      c(i, j) = sum;
    }
  return c;
}
template <class N> Values<N> transposed(const Values<N>& a) {
  Values<N> t(a.cols, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.cols; ++j) t(j, i) = a(i, j);
  return t;
}
template <class N> Values<N> commutator(const Values<N>& a, const Values<N>& b) {
  return a * b - b * a;
}

} // namespace lmc::differential
