// Lengths and inverses of numbers of any size and of ill-conditioned matrices, against long double; branches that are
// not taken.
#include "lower/Agreement.h"

#include <gtest/gtest.h>

using namespace lmc::sym;
using namespace lmc::test;
using lmc::test::Lowered;
using lmc::test::Numbers;
using lmc::test::Sandbox;

namespace {

using Long = long double;

/// What the outputs of one expression of an input are, with and without hoisting, as data of a state and of parameters.
template <typename Make> std::vector<Numbers> computed(const Numbers& input, Shape shape, const Make& make) {
  std::vector<Numbers> all;
  for (const Role role : {Role::State, Role::Param}) {
    for (const bool hoist : {false, true}) {
      Sandbox s;
      const Expr x = s.g.load(s.array("x", {}, shape, input, role));
      const Expr e = make(s.g, x);
      const Array* out = s.temp("out", {}, e->shape);
      s.set(out, {}, {}, e);
      all.push_back(Lowered(s, {out}, hoist).run());
    }
  }
  return all;
}

Long length(const Numbers& v) {
  Long sum = 0;
  for (const double x : v) sum += Long(x) * Long(x); // 15 bits of exponent
  return std::sqrt(sum);
}

/// A^-1 by elimination with the largest pivots, refined once.
std::vector<Long> inverse(const Numbers& a, int n) {
  const auto at = [n](auto& m, int i, int j) -> auto& {
    return m[static_cast<std::size_t>(i * n + j)];
  };
  std::vector<Long> m(a.begin(), a.end()), x(a.size(), 0);
  for (int i = 0; i < n; ++i) at(x, i, i) = 1;
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k; i < n; ++i)
      if (std::abs(at(m, i, k)) > std::abs(at(m, best, k))) best = i;
    for (int j = 0; j < n; ++j) {
      std::swap(at(m, k, j), at(m, best, j));
      std::swap(at(x, k, j), at(x, best, j));
    }
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const Long f = at(m, i, k) / at(m, k, k);
      for (int j = 0; j < n; ++j) {
        at(m, i, j) -= f * at(m, k, j);
        at(x, i, j) -= f * at(x, k, j);
      }
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) at(x, i, j) /= at(m, i, i);
  return x;
}

} // namespace

TEST(Careful, Lengths) {
  for (const double scale : {1.0, 1e200, 1e-200, 1.7e308 / 8, 5e-324, 3e-160, 2e153, 7e154}) {
    for (const Numbers& shape : {Numbers{3, 4}, Numbers{1, -2, 2}, Numbers{0, 0, 5}, Numbers{1, 1, 1, 1, 1, 1, 1}}) {
      Numbers v;
      for (const double x : shape) v.push_back(x * scale);
      const Shape kind = Shape::vec(static_cast<int>(v.size()));
      const auto wanted = static_cast<double>(length(v));
      for (const Numbers& got : computed(v, kind, [](Graph&g, Expr x) { return g.function(Op::Sqrt, g.inner(x, x)); }))
        EXPECT_NEAR(got[0], wanted, 4e-16 * wanted) << scale;
      for (const Numbers& got : computed(v, kind, [](Graph&g, Expr x) {
             const Expr s = g.component(x, g.integer(1)); // s x, with a factor that the graph takes outside
             return g.function(Op::Sqrt, g.inner(g.mul(s, x), g.mul(s, x)));
           })) {
        const Long square = std::abs(Long(v[0])) * length(v);
        if (square < 1e308L && square > 1e-300L) {
          EXPECT_NEAR(got[0], double(square), 1e-15 * double(square)) << scale;
        }
      }
      for (const Numbers& got :
           computed(v, kind, [](Graph&g, Expr x) { return g.div(x, g.function(Op::Sqrt, g.inner(x, x))); })) {
        if (scale < 1e-307) continue; // the reciprocal of the length is too large
        for (std::size_t k = 0; k < v.size(); ++k)
          EXPECT_NEAR(got[k], double(Long(v[k]) / length(v)), 1e-15) << scale << " entry " << k;
      }
    }
  }
}

TEST(Careful, LengthsOfOrdinaryNumbersHaveTheBitsOfTheRoot) {
  Sandbox s;
  for (int k = 0; k < 200; ++k) {
    const Array* a = s.random("v", {}, Shape::vec(3));
    const Numbers& v = s.inputs.back().second;
    (void)a;
    const double plain = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (const Numbers& got :
         computed(v, Shape::vec(3), [](Graph&g, Expr x) { return g.function(Op::Sqrt, g.inner(x, x)); }))
      EXPECT_NEAR(got[0], plain, 2.3e-16 * plain); // sums may be fused
  }
}

TEST(Careful, Inverses) {
  for (const int n : {2, 3}) {
    for (const double scale : {1.0, 1e200, 1e-200, 1e-90}) {
      for (const double small : {1.0, 1e-4, 1e-8, 1e-11}) {
        // Orthogonal columns times singular values 1, small, small: cofactors would lose the square of the condition.
        const Numbers q = n == 2 ? Numbers{0.6, -0.8, 0.8, 0.6}
                                 : Numbers{2. / 3, -2. / 3, 1. / 3, 1. / 3, 2. / 3, 2. / 3, 2. / 3, 1. / 3, -2. / 3};
        Numbers a(q.size(), 0.0);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k)
              a[static_cast<std::size_t>(i * n + j)] += q[static_cast<std::size_t>(i * n + k)] *
                                                        q[static_cast<std::size_t>((n - 1 - j) * n + k)] *
                                                        (k == 0 ? 1 : small);
        for (double& x : a) x *= scale;
        const std::vector<Long> wanted = inverse(a, n);
        Long size = 0;
        for (const Long x : wanted) size = std::max(size, std::abs(x));
        for (const Numbers& got : computed(a, Shape::mat(n, n), [](Graph&g, Expr x) { return g.inverse(x); }))
          for (std::size_t k = 0; k < a.size(); ++k)
            EXPECT_LE(std::abs(got[k] - wanted[k]), 1e-15L / Long(small) * size) << n << " " << scale << " " << small;
      }
    }
  }
}

TEST(Careful, ZerosOfAnInverseAreKept) {
  for (const Numbers& got :
       computed({2, 0, 0, 0, 4, 1, 0, 0, 5}, Shape::mat(3, 3), [](Graph&g, Expr x) { return g.inverse(x); })) {
    const Numbers wanted = {0.5, 0, 0, 0, 0.25, -0.05, 0, 0, 0.2};
    for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(got[k], wanted[k], 1e-17) << k;
  }
}

TEST(Careful, SingularMatricesInBranchesThatAreNotTaken) {
  for (const int n : {2, 3, 4, 6}) {
    const Numbers ones(static_cast<std::size_t>(n * n), 1.0);
    for (const bool taken : {false, true}) {
      const auto make = [&](Graph& g, Expr a) {
        const Expr first = g.component(a, g.integer(1), g.integer(1));
        const Expr shift = taken ? g.identity(n) : g.zero(Shape::mat(n, n));
        return g.select(g.compare(Op::Lt, first, g.number(taken ? 2 : 1)), g.inverse(g.add(a, shift)), g.identity(n));
      };
      // (1 + E)^-1 = 1 - E/(n + 1) for the matrix E of ones
      for (const Numbers& got : computed(ones, Shape::mat(n, n), make))
        for (int k = 0; k < n * n; ++k)
          EXPECT_NEAR(got[static_cast<std::size_t>(k)], (k % (n + 1) == 0 ? 1.0 : 0.0) - (taken ? 1.0 / (n + 1) : 0),
                      1e-15);
    }
    for (const Numbers& got : computed(ones, Shape::mat(n, n), [](Graph&g, Expr a) { return g.det(a); }))
      EXPECT_EQ(got[0], 0);
  }
}

/// What numbers alone decide is not made the other way: a singular system there is no failure, and takes no division.
TEST(Careful, ChoicesThatAreDecided) {
  for (const bool hoist : {false, true}) {
    for (const bool taken : {false, true}) {
      Sandbox s;
      Graph& g = s.g;
      const Expr one = g.number(1), two = g.number(2);
      const Expr third =
          g.entry(g.solve(g.matrix(2, 2, {two, one, one, two}), g.vector({one, one}), Definite::Semi), 1);
      const Expr decided = g.compare(Op::Lt, third, g.number(taken ? 1 : 0));
      const Expr x = g.load(s.array("x", {}, {}, {taken ? 5.0 : 0.0}, Role::State));
      const Expr solution =
          g.solve(g.matrix(2, 2, {x, one, one, x}), g.vector({g.number(3), g.number(3)}), Definite::Semi);
      const Array* out = s.temp("out");
      s.set(out, {}, {}, g.select(decided, g.entry(solution, 0), g.number(7)));
      Lowered lowered(s, {out}, hoist);
      EXPECT_NEAR(lowered.run()[0], taken ? 0.5 : 7, 1e-15);
      std::size_t divisions = 0;
      for (const auto& f : lowered.module.functions)
        for (const auto& block : f.blocks)
          for (const auto& i : block.code) divisions += i.op == lmc::tape::Op::Div ? 1 : 0;
      EXPECT_EQ(divisions > 0, taken);
    }
  }
}
