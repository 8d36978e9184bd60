// Fingerprints: equal polynomials are equal in whatever form they are written, others are not.
#include "sym/Fingerprint.h"

#include <gtest/gtest.h>

using namespace lmc::sym;

namespace {

class Fingerprints : public testing::Test {
protected:
  Expr scalar(const char* name) { return g.load(g.newArray(name, {}, Shape::scalar(), Role::State)); }
  Expr matrix(const char* name) { return g.load(g.newArray(name, {}, Shape::mat(3, 3), Role::State)); }
  Expr vector(const char* name) { return g.load(g.newArray(name, {}, Shape::vec(3), Role::State)); }

  bool same(Expr a, Expr b) {
    Fingerprint f(Expr(), 0);
    return f.of(a) == f.of(b);
  }

  Graph g;
};

} // namespace

TEST_F(Fingerprints, SeeThroughProductsAndQuotients) {
  const Expr a = scalar("a"), b = scalar("b");
  const Expr square = g.powInt(g.add(a, b), 2);
  const Expr expanded = g.sum({g.mul(a, a), g.scale(Number(2), g.mul(a, b)), g.mul(b, b)}, Shape::scalar());
  EXPECT_TRUE(same(square, expanded));
  EXPECT_FALSE(same(square, g.add(expanded, g.scale(Number::decimal("1e-12"), a))));
  EXPECT_TRUE(same(g.sub(g.div(a, b), g.div(b, a)), g.div(g.mul(g.add(a, b), g.sub(a, b)), g.mul(a, b))));
  EXPECT_TRUE(same(g.scale(Number::ratio(1, 3), a), g.div(a, g.number(3))));
  EXPECT_TRUE(same(g.mul(g.powInt(a, -2), a), g.div(g.number(1), a)));
}

TEST_F(Fingerprints, SeeThroughVectorsAndMatrices) {
  const Expr R = matrix("R"), S = matrix("S"), u = vector("u"), v = vector("v");
  EXPECT_TRUE(same(g.transpose(g.matmul(R, S)), g.matmul(g.transpose(S), g.transpose(R))));
  EXPECT_FALSE(same(g.matmul(R, S), g.matmul(S, R)));
  EXPECT_TRUE(same(g.cross(u, v), g.neg(g.cross(v, u))));
  EXPECT_TRUE(same(g.cross(u, g.cross(u, v)), g.matmul(g.matmul(g.hat(u), g.hat(u)), v)));
  EXPECT_TRUE(same(g.inner(u, g.matmul(R, v)), g.trace(g.matmul(R, g.outer(v, u)))));
  EXPECT_TRUE(same(g.unhat(g.hat(u)), g.scale(Number(2), u)));
  EXPECT_FALSE(same(g.matmul(g.transpose(R), R), g.identity(3))) << "nothing says that R is a rotation";
}

TEST_F(Fingerprints, TakeFunctionsAsTheyStand) {
  const Expr a = scalar("a"), b = scalar("b");
  EXPECT_TRUE(same(g.function(Op::Sin, g.add(a, b)), g.function(Op::Sin, g.add(b, a))));
  EXPECT_FALSE(same(g.function(Op::Sin, a), g.function(Op::Sin, b)));
  EXPECT_FALSE(same(g.function(Op::Sin, a), g.function(Op::Cos, a)));
}

TEST_F(Fingerprints, TellElementsOfArraysApart) {
  const Array* x = g.newArray("x", {10}, Shape::scalar(), Role::State);
  const Expr i = g.newIndex("i");
  const Expr here = g.load(x, {i}), before = g.load(x, {g.sub(i, g.integer(1))});
  Fingerprint at(i, 12345), next(i, 12346);
  EXPECT_EQ(at.of(here), next.of(before));
  EXPECT_NE(at.of(here), next.of(here));
  EXPECT_NE(at.of(here), at.of(before));
  Fingerprint fifth(i, Fingerprint::of(std::int64_t{5}));
  EXPECT_EQ(fifth.of(here), fifth.of(g.load(x, {g.integer(5)})));
}

TEST_F(Fingerprints, CountInAField) {
  for (const std::int64_t n : {1, 2, -7, 1000003})
    EXPECT_EQ(Fingerprint::product(Fingerprint::of(n), Fingerprint::inverse(Fingerprint::of(n))), 1U) << n;
  EXPECT_EQ(Fingerprint::sum(Fingerprint::of(std::int64_t{-7}), Fingerprint::of(std::int64_t{7})), 0U);
  EXPECT_EQ(Fingerprint::of(Number::decimal("0.25")), Fingerprint::inverse(Fingerprint::of(std::int64_t{4})));
}
