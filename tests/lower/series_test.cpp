// Taylor coefficients by sym/derivatives/Series.h, lowered and interpreted, against coefficients by another route:
// Cauchy's integral over a circle, in complex long double, of the same functions as the mathematics library of C++ has
// them; and solutions that are known.
#include "lower/Agreement.h"
#include "sym/derivatives/Series.h"

#include <complex>
#include <numbers>

using namespace lmc::sym;
using lmc::test::Lowered;
using lmc::test::Numbers;
using lmc::test::Sandbox;

namespace {

using Real = long double;
using Complex = std::complex<Real>;
constexpr int P = 20;

/// Coefficients 0 … P - 1 of an analytic function at 0, by the trapezoidal rule on a circle of radius r.
std::vector<Real> byCauchy(const std::function<Complex(Complex)>& f, Real r) {
  constexpr int points = 256;
  std::vector<Real> c(P, 0);
  for (int k = 0; k < points; ++k) {
    const Complex z = std::polar(Real(1), 2 * std::numbers::pi_v<Real> * k / points);
    const Complex value = f(r * z);
    for (int n = 0; n < P; ++n) c[n] += (value * std::pow(z, -n)).real() / points / std::pow(r, Real(n));
  }
  return c;
}

class Series : public testing::Test {
protected:
  Sandbox s;
  Graph& g = s.g;
  const double at = 0.3;
  const Array* time = s.array("t", {}, {}, {at}, Role::Time);
  Expr t = g.load(time);

  /// A curve with coefficients of all orders.
  Expr a = g.sum({g.number(Number::decimal("0.7")), g.scale(Number::decimal("0.3"), t),
                  g.scale(Number::decimal("0.25"), g.function(Op::Sin, t))},
                 {});
  Expr b = g.add(g.number(Number::decimal("1.3")), g.scale(Number::decimal("0.4"), g.function(Op::Cos, t)));
  static Complex A(Complex t) { return Real(0.7L) + Real(0.3L) * t + Real(0.25L) * std::sin(t); }
  static Complex B(Complex t) { return Real(1.3L) + Real(0.4L) * std::cos(t); }

  /// x_1 … x_P of all numbers of x.
  Numbers coefficients(const std::vector<SeriesVariable>& variables, int orders = P) {
    const TaylorSeries series = taylorSeries(s.p, variables, time, orders);
    EXPECT_EQ(series.refusal, "");
    if (!series.refusal.empty()) return {};
    Numbers result;
    for (const bool hoist : {false, true}) {
      Lowered lowered(s, {series.coefficients}, hoist);
      EXPECT_EQ(lmc::tape::verify(lowered.module), "");
      const Numbers all = lowered.run();
      const std::size_t width = all.size() / static_cast<std::size_t>(orders);
      std::size_t d = 0;
      for (const SeriesVariable& v : variables) d += static_cast<std::size_t>(v.array->size());
      result.clear();
      for (std::size_t n = 0; n < static_cast<std::size_t>(orders); ++n)
        result.insert(result.end(), all.begin() + static_cast<std::ptrdiff_t>(n * width),
                      all.begin() + static_cast<std::ptrdiff_t>(n * width + d));
    }
    return result;
  }

  /// x' = e(t) gives the series of e.
  void expectSeries(const char* what, Expr e, const std::function<Complex(Complex)>& f, Real r = 1) {
    const Array* x = s.array("x", {}, {}, {0.1});
    const Numbers got = coefficients({{x, {}, e}});
    const std::vector<Real> wanted = byCauchy([&](Complex z) { return f(Real(at) + z); }, r);
    ASSERT_EQ(got.size(), static_cast<std::size_t>(P)) << what;
    // The numbers of a series count by what they are on the circle; so does the rounding of Cauchy's integral.
    Real size = 0;
    for (int n = 0; n < P; ++n) size = std::max(size, std::abs(wanted[n]) * std::pow(r, Real(n)));
    for (int n = 0; n < P; ++n)
      EXPECT_NEAR(Real(got[static_cast<std::size_t>(n)]) * (n + 1) * std::pow(r, Real(n)),
                  wanted[n] * std::pow(r, Real(n)), 1e-13L * size)
          << what << ", order " << n;
  }
};

} // namespace

TEST_F(Series, ProductsAndQuotients) {
  expectSeries("a b", g.mul(a, b), [](Complex z) { return A(z) * B(z); });
  expectSeries("a/b", g.div(a, b), [](Complex z) { return A(z) / B(z); });
  expectSeries("1/b", g.div(g.number(1), b), [](Complex z) { return Real(1) / B(z); });
  expectSeries("a/(a b + 1)", g.div(a, g.add(g.mul(a, b), g.number(1))),
               [](Complex z) { return A(z) / (A(z) * B(z) + Real(1)); });
}

TEST_F(Series, Powers) {
  for (const int m : {2, 3, 4, 5, 7, 11, -1, -2, -3, -6})
    expectSeries(("a^" + std::to_string(m)).c_str(), g.powInt(a, m), [m](Complex z) { return std::pow(A(z), m); });
  expectSeries("sqrt", g.function(Op::Sqrt, a), [](Complex z) { return std::sqrt(A(z)); });
  expectSeries("a^2.3", g.pow(a, g.number(Number::decimal("2.3"))),
               [](Complex z) { return std::pow(A(z), Real(2.3L)); });
  expectSeries("a^-0.7", g.pow(a, g.number(Number::ratio(-7, 10))),
               [](Complex z) { return std::pow(A(z), Real(-0.7L)); });
  expectSeries("a^b", g.pow(a, b), [](Complex z) { return std::pow(A(z), B(z)); });
}

TEST_F(Series, Functions) {
  expectSeries("exp", g.function(Op::Exp, a), [](Complex z) { return std::exp(A(z)); });
  expectSeries("log", g.function(Op::Log, a), [](Complex z) { return std::log(A(z)); });
  expectSeries("sin", g.function(Op::Sin, a), [](Complex z) { return std::sin(A(z)); });
  expectSeries("cos", g.function(Op::Cos, a), [](Complex z) { return std::cos(A(z)); });
  expectSeries("tan", g.function(Op::Tan, a), [](Complex z) { return std::tan(A(z)); });
  const Expr half = g.scale(Number::ratio(1, 2), a);
  expectSeries("asin", g.function(Op::Asin, half), [](Complex z) { return std::asin(A(z) / Real(2)); });
  expectSeries("acos", g.function(Op::Acos, half), [](Complex z) { return std::acos(A(z) / Real(2)); });
  expectSeries("atan", g.function(Op::Atan, a), [](Complex z) { return std::atan(A(z)); });
  expectSeries("sinh", g.function(Op::Sinh, a), [](Complex z) { return std::sinh(A(z)); });
  expectSeries("cosh", g.function(Op::Cosh, a), [](Complex z) { return std::cosh(A(z)); });
  expectSeries("tanh", g.function(Op::Tanh, a), [](Complex z) { return std::tanh(A(z)); });
  expectSeries("atan2", g.function(Op::Atan2, a, b), [](Complex z) { return std::atan(A(z) / B(z)); });
  expectSeries("atan2 in the second quadrant", g.function(Op::Atan2, a, g.neg(b)),
               [](Complex z) { return std::numbers::pi_v<Real> - std::atan(A(z) / B(z)); });
}

TEST_F(Series, BranchesOfOrderZero) {
  expectSeries("abs", g.function(Op::Abs, g.neg(a)), [](Complex z) { return A(z); });
  expectSeries("min", g.function(Op::Min, a, b), [](Complex z) { return A(z); });
  expectSeries("max", g.function(Op::Max, a, b), [](Complex z) { return B(z); });
  // The branch that is not taken is no number.
  const Expr none = g.function(Op::Sqrt, g.neg(a));
  expectSeries("if", g.select(g.compare(Op::Lt, a, b), g.mul(a, a), none), [](Complex z) { return A(z) * A(z); });
  expectSeries("floor", g.mul(g.function(Op::Floor, g.scale(3, a)), b), [](Complex z) { return Real(2) * B(z); });
}

/// c_k(s) = sum of (-s)^j/(k + 2 j)!
Complex stumpff(int k, Complex s) {
  Real factorial = 1;
  for (int i = 2; i <= k; ++i) factorial *= i;
  Complex term = Real(1) / factorial, sum = term;
  for (int j = 1; j < 60; ++j) {
    term *= -s / Real((k + 2 * j - 1) * (k + 2 * j));
    sum += term;
  }
  return sum;
}

TEST_F(Series, StumpffFunctions) {
  // From small arguments to large ones, of both signs, and where the polynomial ends; and at zero, where s is a square.
  for (const Number number :
       {Number::ratio(1, 100), Number(1), Number::ratio(33, 10), Number(17), Number::ratio(-1, 2), Number(-6)}) {
    const Real c = number.value();
    for (const int k : {0, 1, 2, 3, 4, 5})
      expectSeries((std::string("stumpff ") + std::to_string(k) + " of " + number.text()).c_str(),
                   g.stumpff(k, g.scale(number, b)), [k, c](Complex z) { return stumpff(k, c * B(z)); });
  }
  const Expr shifted = g.add(t, g.number(Number::ratio(-3, 10)));
  expectSeries("stumpff at zero", g.stumpff(2, g.mul(shifted, shifted)),
               [](Complex z) { return stumpff(2, (z - Real(0.3)) * (z - Real(0.3))); });
}

TEST_F(Series, VectorsAndMatrices) {
  const Expr v = g.vector({a, b, g.mul(a, t)}), w = g.vector({t, g.function(Op::Sin, t), b});
  const Expr m = g.matrix(
      3, 3,
      {b, a, t, g.scale(Number::ratio(1, 5), a), g.add(b, a), g.number(0), t, g.number(1), g.add(a, g.number(2))});
  const auto V = [](Complex z) { return std::array{A(z), B(z), A(z) * z}; };
  const auto W = [](Complex z) { return std::array{z, std::sin(z), B(z)}; };
  const auto M = [](Complex z) {
    return std::array<std::array<Complex, 3>, 3>{
        {{B(z), A(z), z}, {A(z) / Real(5), B(z) + A(z), 0}, {z, 1, A(z) + Real(2)}}};
  };
  const auto cofactor = [M](Complex z, int i, int j) {
    const auto x = M(z);
    const int r = (i + 1) % 3, q = (i + 2) % 3, c = (j + 1) % 3, e = (j + 2) % 3;
    return x[r][c] * x[q][e] - x[r][e] * x[q][c];
  };
  const auto det = [M, cofactor](Complex z) {
    Complex sum = 0;
    for (int j = 0; j < 3; ++j) sum += M(z)[0][j] * cofactor(z, 0, j);
    return sum;
  };
  expectSeries("inner", g.inner(v, w),
               [=](Complex z) { return V(z)[0] * W(z)[0] + V(z)[1] * W(z)[1] + V(z)[2] * W(z)[2]; });
  expectSeries("cross", g.entry(g.cross(v, w), 1), [=](Complex z) { return V(z)[2] * W(z)[0] - V(z)[0] * W(z)[2]; });
  expectSeries("outer", g.entry(g.outer(v, w), 2, 1), [=](Complex z) { return V(z)[2] * W(z)[1]; });
  expectSeries("scalar times vector", g.entry(g.mul(a, s.opaque(v)), 1), [=](Complex z) { return A(z) * V(z)[1]; });
  expectSeries("matrix times vector", g.entry(g.matmul(s.opaque(m), s.opaque(v)), 1),
               [=](Complex z) { return M(z)[1][0] * V(z)[0] + M(z)[1][1] * V(z)[1]; });
  expectSeries("matrix times matrix", g.entry(g.matmul(s.opaque(m), g.transpose(s.opaque(m))), 0, 2),
               [=](Complex z) { return M(z)[0][0] * M(z)[2][0] + M(z)[0][1] * M(z)[2][1] + M(z)[0][2] * M(z)[2][2]; });
  expectSeries("hat", g.entry(g.matmul(g.hat(s.opaque(v)), s.opaque(m)), 0, 1),
               [=](Complex z) { return -V(z)[2] * M(z)[1][1] + V(z)[1] * M(z)[2][1]; });
  expectSeries("det", g.det(s.opaque(m)), det);
  expectSeries("trace", g.trace(g.matmul(s.opaque(m), s.opaque(m))), [=](Complex z) {
    Complex sum = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += M(z)[i][j] * M(z)[j][i];
    return sum;
  });
  expectSeries("inverse", g.entry(g.inverse(s.opaque(m)), 2, 0), [=](Complex z) { return cofactor(z, 0, 2) / det(z); });
  expectSeries("solve", g.entry(g.solve(s.opaque(m), s.opaque(v), false), 1), [=](Complex z) {
    Complex sum = 0;
    for (int j = 0; j < 3; ++j) sum += cofactor(z, j, 1) * V(z)[j];
    return sum / det(z);
  });
}

TEST_F(Series, SolutionsThatAreKnown) {
  const Array* x = s.array("x", {}, {}, {1});
  const Expr e = g.load(x);
  const Numbers pole = coefficients({{x, {}, g.mul(e, e)}}, 40); // 1/(1 - t)
  for (std::size_t n = 0; n < pole.size(); ++n) EXPECT_NEAR(pole[n], 1, 1e-13) << n;
  const Array* y = s.array("y", {}, {}, {0});
  const Numbers circle = coefficients({{x, {}, g.neg(g.load(y))}, {y, {}, e}}, 12);
  double factorial = 1;
  for (std::size_t n = 1; n <= 12; ++n) {
    factorial *= static_cast<double>(n);
    const double sign[] = {1, 1, -1, -1};
    EXPECT_NEAR(circle[2 * n - 2], n % 2 == 0 ? sign[n % 4] / factorial : 0, 1e-15 / factorial);
    EXPECT_NEAR(circle[2 * n - 1], n % 2 == 1 ? sign[(n - 1) % 4] / factorial : 0, 1e-15 / factorial);
  }
  for (const int orders : {1, 2, 3})
    EXPECT_EQ(coefficients({{x, {}, g.mul(e, e)}}, orders).size(), std::size_t(orders));
}

/// Sums of products in vectors: any number of products and of orders. x' = x^2 has c^(n+1), and y' = y^3, in which one
/// product is an operand of another, has c^(2n+1) 1 3 … (2n-1)/n!.
TEST_F(Series, AnyNumbersOfProductsAndOrders) {
  for (const std::int64_t N : {1, 3, 5, 8, 13, 40, 67}) {
    for (const int orders : {1, 2, 3, 4, 5, 6, 7, 8, 13}) {
      const Array* x = s.random("x", {N}, Shape::scalar());
      const Array* y = s.random("y", {N}, Shape::scalar());
      const Loop i = fullLoop(g, "i", N), j = fullLoop(g, "j", N);
      const Expr own = g.load(x, {i.index}), other = g.load(y, {j.index});
      const Numbers got = coefficients({{x, {i.index}, g.mul(own, own)}, {y, {j.index}, g.powInt(other, 3)}}, orders);
      ASSERT_EQ(got.size(), static_cast<std::size_t>(2 * N * orders));
      Real odd = 1;
      for (std::int64_t n = 1; n <= orders; ++n) {
        odd *= Real(2 * n - 1) / Real(n);
        for (std::int64_t k = 0; k < N; ++k) {
          const auto at = static_cast<std::size_t>(2 * N * (n - 1) + k);
          const Real c = s.contents(x)[static_cast<std::size_t>(k)], e = s.contents(y)[static_cast<std::size_t>(k)];
          const Real first = std::pow(c, Real(n + 1)), second = odd * std::pow(e, Real(2 * n + 1));
          EXPECT_NEAR(got[at], double(first), 1e-14 * std::abs(double(first))) << N << ", order " << n;
          EXPECT_NEAR(got[at + static_cast<std::size_t>(N)], double(second), 1e-13 * std::abs(double(second)))
              << N << ", order " << n;
        }
      }
    }
  }
}

/// A family: recursions, sums over pairs with a guard, elements that read others; every member against its own
/// expression without families.
TEST_F(Series, Families) {
  constexpr std::int64_t N = 11;
  const Array* q = s.random("q", {N}, Shape::vec(3));
  const Array* m = s.random("m", {N}, Shape::scalar());
  const Array* mass = s.random("mass", {N}, Shape::scalar(), Role::Param);
  const Array* x = s.temp("up", {N}, Shape::vec(3)); // x[i] = x[i-1] + m q x x[i-1]
  s.set(x, {}, {s.n(1)}, g.mul(g.load(m, {s.n(1)}), g.load(q, {s.n(1)})));
  const Loop l{g.newIndex("i"), s.n(2), s.n(N), false};
  const Expr before = g.load(x, {g.add(l.index, s.n(-1))});
  s.set(x, {l}, {l.index}, g.add(before, g.mul(g.load(m, {l.index}), g.cross(g.load(q, {l.index}), before))));
  const Array* force = s.temp("force", {N}, Shape::vec(3));
  const Loop i = fullLoop(g, "i", N), j = fullLoop(g, "j", N);
  const Expr d = g.sub(g.load(q, {i.index}), g.load(q, {j.index}));
  s.accumulate(force, {i, j}, {i.index},
               g.mul(g.div(g.load(mass, {j.index}), g.pow(g.inner(d, d), g.number(Number::ratio(3, 2)))), d),
               g.compare(Op::Ne, i.index, j.index));
  const Loop k = fullLoop(g, "k", N);
  const Expr rate = g.sub(g.load(force, {k.index}), g.cross(g.load(x, {k.index}), g.load(q, {k.index})));
  const Loop r = fullLoop(g, "r", N);
  const Expr mirrored = g.load(m, {g.sub(s.n(N + 1), r.index)});
  const std::vector<SeriesVariable> family = {{q, {k.index}, rate},
                                              {m, {r.index}, g.mul(mirrored, g.add(g.load(m, {r.index}), t))}};
  const Numbers got = coefficients(family, 9);

  // The same, written out.
  std::vector<const Array*> qs, ms;
  for (std::int64_t a = 0; a < N; ++a) {
    const Numbers& all = s.contents(q);
    qs.push_back(s.array("q1", {}, Shape::vec(3), {all[3 * a], all[3 * a + 1], all[3 * a + 2]}));
    ms.push_back(s.array("m1", {}, {}, {s.contents(m)[static_cast<std::size_t>(a)]}));
  }
  std::vector<SeriesVariable> plain;
  Expr up;
  for (std::int64_t a = 0; a < N; ++a) {
    const Expr own = g.load(qs[a]);
    up = a == 0 ? g.mul(g.load(ms[0]), own) : g.add(up, g.mul(g.load(ms[a]), g.cross(own, up)));
    Expr sum = g.neg(g.cross(up, own));
    for (std::int64_t b = 0; b < N; ++b) {
      if (a == b) continue;
      const Expr e = g.sub(own, g.load(qs[b]));
      sum =
          g.add(sum, g.mul(g.mul(g.load(mass, {s.n(b + 1)}), g.pow(g.inner(e, e), g.number(Number::ratio(-3, 2)))), e));
    }
    plain.push_back({qs[a], {}, sum});
  }
  for (std::int64_t a = 0; a < N; ++a)
    plain.push_back({ms[a], {}, g.mul(g.load(ms[N - 1 - a]), g.add(g.load(ms[a]), t))});
  const Numbers wanted = coefficients(plain, 9);
  ASSERT_EQ(got.size(), wanted.size());
  ASSERT_FALSE(got.empty());
  for (std::size_t n = 0; n < got.size(); ++n)
    EXPECT_NEAR(got[n], wanted[n], 1e-11 * std::max(1.0, std::abs(wanted[n]))) << n;
}

/// M x' = r with a matrix of numbers of a family, by the routine.
TEST_F(Series, LinearSystemsOfFamilies) {
  constexpr std::int64_t N = 9;
  const Array* q = s.random("q", {N}, Shape::scalar());
  const Array* matrix = s.temp("M", {N, N});
  const Array* rhs = s.temp("r", {N});
  const Loop i = fullLoop(g, "i", N), j = fullLoop(g, "j", N), k = fullLoop(g, "k", N);
  s.set(matrix, {i, j}, {i.index, j.index},
        g.select(g.compare(Op::Eq, i.index, j.index), g.add(g.number(4), g.load(q, {i.index})),
                 g.scale(Number::ratio(1, 7), g.function(Op::Cos, g.sub(g.load(q, {i.index}), g.load(q, {j.index}))))));
  s.set(rhs, {k}, {k.index}, g.function(Op::Sin, g.add(g.load(q, {k.index}), t)));
  const Array* x = s.temp("x", {N});
  s.p.append({EquationKind::LinearSolve, x, {}, {}, {}, {}, matrix, rhs});
  const Loop l = fullLoop(g, "l", N);
  const Numbers got = coefficients({{q, {l.index}, g.load(x, {l.index})}}, 12);

  std::vector<Expr> entries, list;
  const Array* v = s.array("v", {}, Shape::vec(N), s.contents(q));
  const auto at = [&](int a) { return g.entry(g.load(v), a); };
  for (int a = 0; a < N; ++a) {
    for (int b = 0; b < N; ++b)
      entries.push_back(a == b ? g.add(g.number(4), at(a))
                               : g.scale(Number::ratio(1, 7), g.function(Op::Cos, g.sub(at(a), at(b)))));
    list.push_back(g.function(Op::Sin, g.add(at(a), t)));
  }
  const Numbers wanted = coefficients({{v, {}, g.solve(g.matrix(N, N, entries), g.vector(list), false)}}, 12);
  ASSERT_EQ(got.size(), wanted.size());
  ASSERT_FALSE(got.empty());
  for (std::size_t n = 0; n < got.size(); ++n) EXPECT_NEAR(got[n], wanted[n], 1e-13) << n;
}

TEST_F(Series, WhatHasNoRuleIsNamed) {
  const Array* x = s.array("x", {}, {}, {1});
  const Array* m = s.random("m", {}, Shape::mat(3, 3));
  const Array* f = s.temp("f", {}, {});
  s.set(f, {}, {}, g.trace(g.exponential(g.mul(g.load(x), g.load(m)))));
  EXPECT_NE(lacksSeries(s.p, {x}, {f}).find("exponential"), std::string::npos);
  EXPECT_NE(taylorSeries(s.p, {{x, {}, g.load(f)}}, time, 4).refusal.find("exponential"), std::string::npos);
  const Array* fine = s.temp("fine", {}, {}); // of what does not change it is a number
  s.set(fine, {}, {}, g.mul(g.load(x), g.trace(g.exponential(g.load(m)))));
  EXPECT_EQ(lacksSeries(s.p, {x}, {fine}), "");
  EXPECT_EQ(taylorSeries(s.p, {{x, {}, g.load(fine)}}, time, 4).refusal, "");
}
