// Skew matrices of n dimensions by their coordinates: normal forms and recombined sums against numbers in plain Eigen.
#include "TermValues.h"
#include "present/terms/Terms.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <random>

namespace {

namespace skew {

using Eigen::MatrixXd;
using lmc::present::Atom;
using lmc::present::Kind;
using lmc::present::Planes;
using lmc::present::Poly;
using lmc::present::Terms;
using lmc::sym::Shape;

/// The planes of size n in another order, and turned, than any declaration has them.
Planes planesOf(int n) {
  Planes planes;
  for (int j = n; j >= 1; --j)
    for (int i = 1; i < j; ++i) planes.emplace_back((i + j) % 2 == 0 ? j : i, (i + j) % 2 == 0 ? i : j);
  return n == 3 ? Planes{{3, 2}, {1, 3}, {2, 1}} : planes;
}

MatrixXd hat(const MatrixXd& w, int n) {
  MatrixXd m = MatrixXd::Zero(n, n);
  const Planes planes = planesOf(n);
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const auto [j, i] = planes[k];
    m(j - 1, i - 1) += w(static_cast<Eigen::Index>(k));
    m(i - 1, j - 1) -= w(static_cast<Eigen::Index>(k));
  }
  return m;
}

MatrixXd axial(const MatrixXd& s) {
  const Planes planes = planesOf(static_cast<int>(s.rows()));
  MatrixXd w(static_cast<Eigen::Index>(planes.size()), 1);
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const auto [j, i] = planes[k];
    w(static_cast<Eigen::Index>(k)) = s(j - 1, i - 1) - s(i - 1, j - 1);
  }
  return w;
}

/// Symbols with numbers, of one dimension.
class World {
public:
  World(int n, unsigned seed) : n_(n), d_(n * (n - 1) / 2), t_(true, 400'000), engine_(seed) {
    t_.knowPlanes(n, planesOf(n));
    t_.recombines = true;
    t_.crosses = false;
    for (const char* name : {"a", "b", "q"}) numbers_[name] = MatrixXd::NullaryExpr(n, 1, [&] { return draw(); });
    for (const char* name : {"w", "v"}) numbers_[name] = MatrixXd::NullaryExpr(d_, 1, [&] { return draw(); });
    for (const char* name : {"S", "T"}) numbers_[name] = MatrixXd::NullaryExpr(n, n, [&] { return draw(); });
    numbers_["x"] = MatrixXd::Constant(1, 1, draw());
  }
  Poly operator()(const char* name) {
    const MatrixXd& m = numbers_.at(name);
    const Shape shape = m.size() == 1   ? Shape::scalar()
                        : m.cols() == 1 ? Shape::vec(static_cast<int>(m.rows()))
                                        : Shape::mat(static_cast<int>(m.rows()), static_cast<int>(m.cols()));
    return t_.of(t_.symbol(nullptr, name, shape, {}));
  }
  const MatrixXd& number(const char* name) const { return numbers_.at(name); }
  Terms& terms() { return t_; }
  [[nodiscard]] int size() const { return n_; }

  MatrixXd value(const Poly& p) {
    return lmc::test::TermValues{numbers_, [](Atom a, const std::vector<MatrixXd>& k) -> MatrixXd {
                                   if (a->kind == Kind::Hat) return hat(k[0], a->shape.rows);
                                   if (a->name == "axial") return axial(k[0]);
                                   if (a->name == "trace") return MatrixXd::Constant(1, 1, k[0].trace());
                                   throw std::runtime_error("no value of " + a->name);
                                 }}(p);
  }
  void expect(const Poly& p, const MatrixXd& number, const char* what) {
    EXPECT_LE((value(p) - number).cwiseAbs().maxCoeff(), 1e-10 * std::max(1.0, number.cwiseAbs().maxCoeff()))
        << what << " in " << n_ << " dimensions";
  }

private:
  double draw() { return std::uniform_real_distribution<double>(-1, 1)(engine_); }
  int n_, d_;
  Terms t_;
  std::mt19937 engine_;
  std::map<std::string, MatrixXd> numbers_;
};

class Skew : public testing::TestWithParam<int> {};

/// Entry by entry, as declarations write it.
Poly byEntries(World& w, const Poly& s) {
  Terms& t = w.terms();
  std::vector<Poly> entries;
  for (const auto& [j, i] : planesOf(w.size())) {
    const Poly ej = t.unit(w.size(), j), ei = t.unit(w.size(), i);
    entries.push_back(t.sub(t.dot(ej, t.matmul(s, ei)), t.dot(ei, t.matmul(s, ej))));
  }
  return t.vector(entries);
}

} // namespace skew

} // namespace

using skew::Skew;
using skew::World;

TEST_P(Skew, NormalFormsHaveTheirValues) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    World x(GetParam(), seed);
    auto& t = x.terms();
    const auto hatW = t.hat(x("w")), hatV = t.hat(x("v"));
    const Eigen::MatrixXd w = skew::hat(x.number("w"), GetParam()), v = skew::hat(x.number("v"), GetParam());
    const Eigen::MatrixXd &a = x.number("a"), &b = x.number("b"), &s = x.number("S"), &r = x.number("T");
    x.expect(t.matmul(hatW, x("a")), w * a, "A(w) a");
    x.expect(t.unhat(hatW), skew::axial(w), "axial(A(w))");
    x.expect(t.hat(t.unhat(x("S"))), s - s.transpose(), "A(axial(S))");
    x.expect(t.unhat(t.outer(x("b"), x("a"))), skew::axial(b * a.transpose()), "axial(b a^T)");
    x.expect(t.unhat(t.matmul(t.transpose(x("S")), hatW)), skew::axial(s.transpose() * w), "axial(S^T A(w))");
    x.expect(t.dot(x("w"), t.unhat(t.matmul(x("S"), hatV))), x.number("w").transpose() * skew::axial(s * v),
             "w . axial(S A(v))");
    x.expect(t.dot(t.matmul(hatW, x("a")), t.matmul(hatV, t.matmul(hatW, x("b")))), (w * a).transpose() * (v * w * b),
             "a form");
    x.expect(t.trace(t.matmul(x("S"), t.matmul(hatW, x("T")))), Eigen::MatrixXd::Constant(1, 1, (s * w * r).trace()),
             "a trace");
    x.expect(t.dot(x("S"), t.matmul(x("T"), hatV)), Eigen::MatrixXd::Constant(1, 1, s.cwiseProduct(r * v).sum()),
             "<S, T A(v)>");
    x.expect(t.matmul(x("S"), t.matmul(t.outer(x("a"), x("b")), t.matmul(hatW, x("q")))),
             s * a * b.transpose() * w * x.number("q"), "a dyad within a product");
    // of skew matrices
    EXPECT_TRUE(t.dot(x("a"), t.matmul(hatW, x("a"))).isZero());
    EXPECT_TRUE(t.unhat(t.matmul(hatW, hatW)).isZero());
    EXPECT_TRUE(t.trace(t.matmul(hatW, t.matmul(hatV, hatW))).isZero());
    EXPECT_TRUE(t.sub(t.trace(t.matmul(hatW, hatV)), t.trace(t.matmul(hatV, hatW))).isZero());
  }
}

/// What is written entry by entry is found again as one thing.
TEST_P(Skew, SumsOverCoordinatesAreRecombined) {
  World x(GetParam(), 3);
  auto& t = x.terms();
  const int n = GetParam(), d = n * (n - 1) / 2;
  const auto same = [&](const lmc::present::Poly& entries, const lmc::present::Poly& whole, const char* what) {
    const lmc::present::Poly found = t.recombined(entries);
    EXPECT_TRUE(t.sub(found, whole).isZero()) << what;
    EXPECT_LE((x.value(found) - x.value(entries)).cwiseAbs().maxCoeff(), 1e-12) << what;
  };
  const auto dyad = t.outer(x("a"), t.matmul(x("S"), x("b")));
  same(skew::byEntries(x, dyad), t.unhat(dyad), "a dyad");
  const auto product = t.matmul(x("S"), t.matmul(t.hat(x("w")), x("T")));
  same(skew::byEntries(x, product), t.unhat(product), "a product");
  same(t.mul(x("x"), skew::byEntries(x, dyad)), t.mul(x("x"), t.unhat(dyad)), "with a factor");
  lmc::present::Poly vector = lmc::present::Terms::zero(x("w").shape), square = lmc::present::Terms::zero({}),
                     matrix = lmc::present::Terms::zero(x("S").shape), trace = square;
  for (int k = 1; k <= d; ++k) vector = t.add(vector, t.mul(t.dot(t.unit(d, k), x("w")), t.unit(d, k)));
  same(vector, x("w"), "a vector");
  for (int i = 1; i <= n; ++i) {
    square = t.add(square, t.mul(t.dot(t.unit(n, i), x("a")), t.dot(t.unit(n, i), t.matmul(x("S"), x("b")))));
    matrix = t.add(matrix, t.outer(t.matmul(x("S"), t.unit(n, i)), t.matmul(x("T"), t.unit(n, i))));
    trace = t.add(trace, t.dot(t.unit(n, i), t.matmul(x("S"), t.matmul(x("T"), t.unit(n, i)))));
  }
  same(square, t.dot(x("a"), t.matmul(x("S"), x("b"))), "an inner product");
  same(matrix, t.matmul(x("S"), t.transpose(x("T"))), "a sum of dyads");
  same(trace, t.trace(t.matmul(x("S"), x("T"))), "a trace");
  lmc::present::Poly hat = lmc::present::Terms::zero(x("S").shape);
  int k = 0;
  for (const auto& [j, i] : skew::planesOf(n)) {
    const auto entry = t.dot(t.unit(d, ++k), x("w"));
    hat = t.add(hat, t.mul(entry, t.sub(t.outer(t.unit(n, j), t.unit(n, i)), t.outer(t.unit(n, i), t.unit(n, j)))));
  }
  same(hat, t.hat(x("w")), "a skew matrix");
}

/// A sum that lacks a term, or has another number in one, is none of these.
TEST_P(Skew, WhatIsNotCompleteStaysAsItIs) {
  World x(GetParam(), 5);
  auto& t = x.terms();
  lmc::present::Poly p = skew::byEntries(x, t.outer(x("a"), x("b")));
  lmc::present::Poly less = p, other = p;
  less.terms.erase(less.terms.begin());
  other.terms.begin()->second = lmc::sym::Number(7);
  for (const auto& q : {less, other}) {
    const lmc::present::Poly found = t.recombined(q);
    EXPECT_EQ(found.terms.size(), q.terms.size());
    EXPECT_LE((x.value(found) - x.value(q)).cwiseAbs().maxCoeff(), 1e-12);
  }
  const bool before = t.recombines;
  t.recombines = false;
  EXPECT_TRUE(t.sub(t.recombined(p), p).isZero());
  EXPECT_EQ(t.recombined(p).terms.size(), p.terms.size());
  t.recombines = before;
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Skew, testing::Values(3, 4, 5));
