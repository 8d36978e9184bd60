// Every simplification: the node that is built, and its value against the same operation on operands whose structure
// is hidden from the simplifier.
#include "sym/Sandbox.h"

#include <gtest/gtest.h>

using namespace lmc::sym;
using namespace lmc::test;
using lmc::test::expectNear;
using lmc::test::Sandbox;

namespace {

class Identity : public testing::Test {
protected:
  using Wrap = std::function<Expr(Expr)>;
  using Build = std::function<Expr(const Wrap&)>;

  /// `build` wraps the operands; with visible structure it gives the node `wanted`, with hidden structure its value.
  void is(const char* what, const Build& build, Expr wanted) {
    const Expr seen = build([](Expr e) { return e; });
    EXPECT_EQ(seen, wanted) << what;
    const Expr hidden = build([this](Expr e) { return s.opaque(e); });
    EXPECT_EQ(seen->shape, hidden->shape) << what;
    expectNear(s.value(seen), s.value(hidden), 1e-13, what);
    expectNear(s.value(wanted), s.value(hidden), 1e-13, what);
  }

  Sandbox s;
  Graph& g = s.g;
  Expr x = s.scalar("x", 0.6), y = s.scalar("y", 1.7), z = s.scalar("z", 0.3);
  Expr u = s.vec("u", 3), v = s.vec("v", 3), w = s.vec("w", 3);
  Expr A = s.mat("A", 3, 3), B = s.mat("B", 3, 3), C = s.mat("C", 2, 3);
  Expr one = g.number(1);
  Expr number(std::int64_t a, std::int64_t b = 1) { return g.number(Number::ratio(a, b)); }
};

} // namespace

TEST_F(Identity, OfSums) {
  is(
      "0 + x", [&](const Wrap& h) { return g.add(h(number(0)), x); }, x);
  is(
      "x - x", [&](const Wrap& h) { return g.sub(h(x), x); }, number(0));
  is(
      "x + x", [&](const Wrap& h) { return g.add(h(x), x); }, g.scale(2, x));
  is(
      "v - v", [&](const Wrap& h) { return g.sub(h(v), v); }, g.zero(Shape::vec(3)));
  is(
      "(x + 1) + (y + 2)", [&](const Wrap& h) { return g.add(h(g.add(x, one)), h(g.add(y, number(2)))); },
      g.add(g.add(x, y), number(3)));
  is(
      "y + x", [&](const Wrap& h) { return g.add(h(y), x); }, g.add(x, y));
  is(
      "2(x + y) - 2x", [&](const Wrap& h) { return g.sub(h(g.scale(2, g.add(x, y))), g.scale(2, x)); }, g.scale(2, y));
  is(
      "x/3 + 2x/3",
      [&](const Wrap& h) { return g.add(h(g.scale(Number::ratio(1, 3), x)), g.scale(Number::ratio(2, 3), x)); }, x);
}

TEST_F(Identity, OfProducts) {
  is(
      "x * 0", [&](const Wrap& h) { return g.mul(x, h(number(0))); }, number(0));
  is(
      "1 * v", [&](const Wrap& h) { return g.mul(h(one), v); }, v);
  is(
      "x * x", [&](const Wrap& h) { return g.mul(h(x), x); }, g.powInt(x, 2));
  is(
      "x^2 * x^3", [&](const Wrap& h) { return g.mul(h(g.powInt(x, 2)), h(g.powInt(x, 3))); }, g.powInt(x, 5));
  is(
      "(x^2)^3", [&](const Wrap& h) { return g.powInt(h(g.powInt(x, 2)), 3); }, g.powInt(x, 6));
  is(
      "x * (1/y)", [&](const Wrap& h) { return g.mul(x, h(g.div(one, y))); }, g.div(x, y));
  is(
      "(2x)(3y)", [&](const Wrap& h) { return g.mul(h(g.scale(2, x)), h(g.scale(3, y))); }, g.scale(6, g.mul(x, y)));
  is(
      "(2x)^3", [&](const Wrap& h) { return g.powInt(h(g.scale(2, x)), 3); }, g.scale(8, g.powInt(x, 3)));
  is(
      "x (y v)", [&](const Wrap& h) { return g.mul(x, h(g.mul(y, v))); }, g.mul(g.mul(x, y), v));
  is(
      "(2x)/(4y)", [&](const Wrap& h) { return g.div(h(g.scale(2, x)), h(g.scale(4, y))); },
      g.scale(Number::ratio(1, 2), g.div(x, y)));
  is(
      "v/y", [&](const Wrap& h) { return g.div(h(v), y); }, g.mul(g.div(one, y), v));
  is(
      "x/4", [&](const Wrap& h) { return g.div(x, h(number(4))); }, g.scale(Number::ratio(1, 4), x));
  is(
      "sqrt(y)^4", [&](const Wrap& h) { return g.powInt(h(g.function(Op::Sqrt, y)), 4); }, g.powInt(y, 2));
  is(
      "y^0.5", [&](const Wrap& h) { return g.pow(y, h(number(1, 2))); }, g.function(Op::Sqrt, y));
  is(
      "y^3.0", [&](const Wrap& h) { return g.pow(y, h(number(3))); }, g.powInt(y, 3));
  is(
      "x^0", [&](const Wrap& h) { return g.pow(x, h(number(0))); }, one);
  is(
      "x^1", [&](const Wrap& h) { return g.pow(x, h(one)); }, x);
  is(
      "cos(sqrt y)", [&](const Wrap& h) { return g.function(Op::Cos, h(g.function(Op::Sqrt, y))); }, g.stumpff(0, y));
  is(
      "min(x, x)", [&](const Wrap& h) { return g.function(Op::Min, h(x), x); }, x);
  is(
      "max(2, 3)", [&](const Wrap& h) { return g.function(Op::Max, h(number(2)), number(3)); }, number(3));
  is(
      "atan2(1, 0)", [&](const Wrap& h) { return g.function(Op::Atan2, h(one), number(0)); }, s.real(std::atan2(1, 0)));
}

TEST_F(Identity, OfMatrixProducts) {
  const Expr I = g.identity(3);
  is(
      "I v", [&](const Wrap& h) { return g.matmul(h(I), v); }, v);
  is(
      "A I", [&](const Wrap& h) { return g.matmul(A, h(I)); }, A);
  is(
      "0 v", [&](const Wrap& h) { return g.matmul(h(g.zero(Shape::mat(2, 3))), v); }, g.zero(Shape::vec(2)));
  is(
      "hat(u) v", [&](const Wrap& h) { return g.matmul(h(g.hat(u)), v); }, g.cross(u, v));
  is(
      "(u v^T) w", [&](const Wrap& h) { return g.matmul(h(g.outer(u, v)), w); }, g.mul(g.inner(v, w), u));
  is(
      "(u v^T) A", [&](const Wrap& h) { return g.matmul(h(g.outer(u, v)), A); },
      g.outer(u, g.matmul(g.transpose(A), v)));
  is(
      "C (u v^T)", [&](const Wrap& h) { return g.matmul(C, h(g.outer(u, v))); }, g.outer(g.matmul(C, u), v));
  is(
      "(x A) v", [&](const Wrap& h) { return g.matmul(h(g.mul(x, A)), v); }, g.mul(x, g.matmul(A, v)));
  is(
      "A (-2 v)", [&](const Wrap& h) { return g.matmul(A, h(g.scale(-2, v))); }, g.scale(-2, g.matmul(A, v)));
  const Expr d = g.diag(g.vector({x, y, z}));
  is(
      "diag diag", [&](const Wrap& h) { return g.matmul(h(d), h(d)); },
      g.diag(g.vector({g.powInt(x, 2), g.powInt(y, 2), g.powInt(z, 2)})));
}

TEST_F(Identity, MatricesOfParametersAreAddedFirst) {
  const Expr P = g.load(s.random("P", {}, Shape::mat(3, 3), Role::Param));
  const Expr Q = g.load(s.random("Q", {}, Shape::mat(3, 3), Role::Param));
  is(
      "P v - 2 Q v", [&](const Wrap& h) { return g.sub(g.matmul(P, h(v)), g.scale(2, g.matmul(Q, v))); },
      g.matmul(g.sub(P, g.scale(2, Q)), v));
  EXPECT_EQ(g.add(g.matmul(A, v), g.matmul(B, v))->op, Op::Add) << "not for matrices of the state";
}

TEST_F(Identity, OfTransposes) {
  is(
      "A^T^T", [&](const Wrap& h) { return g.transpose(h(g.transpose(A))); }, A);
  is(
      "hat^T", [&](const Wrap& h) { return g.transpose(h(g.hat(v))); }, g.neg(g.hat(v)));
  is(
      "I^T", [&](const Wrap& h) { return g.transpose(h(g.identity(3))); }, g.identity(3));
  is(
      "diag^T", [&](const Wrap& h) { return g.transpose(h(g.diag(v))); }, g.diag(v));
  is(
      "outer^T", [&](const Wrap& h) { return g.transpose(h(g.outer(u, v))); }, g.outer(v, u));
  is(
      "(xA)^T", [&](const Wrap& h) { return g.transpose(h(g.mul(x, A))); }, g.mul(x, g.transpose(A)));
  is(
      "(A + B)^T", [&](const Wrap& h) { return g.transpose(h(g.add(A, B))); }, g.add(g.transpose(A), g.transpose(B)));
  is(
      "0^T", [&](const Wrap& h) { return g.transpose(h(g.zero(Shape::mat(2, 3)))); }, g.zero(Shape::mat(3, 2)));
}

TEST_F(Identity, OfInnerAndCrossProducts) {
  const Expr zero = number(0);
  const Expr e2 = g.basis(3, g.integer(2));
  is(
      "e2 . v", [&](const Wrap& h) { return g.inner(h(e2), v); }, g.component(v, g.integer(2)));
  is(
      "I . A", [&](const Wrap& h) { return g.inner(h(g.identity(3)), A); }, g.trace(A));
  is(
      "(u v^T) . A", [&](const Wrap& h) { return g.inner(h(g.outer(u, v)), A); }, g.inner(u, g.matmul(A, v)));
  is(
      "(u x v) . u", [&](const Wrap& h) { return g.inner(h(g.cross(u, v)), u); }, zero);
  is(
      "v . (u x v)", [&](const Wrap& h) { return g.inner(v, h(g.cross(u, v))); }, zero);
  is(
      "(2u) . (x v)", [&](const Wrap& h) { return g.inner(h(g.scale(2, u)), h(g.mul(x, v))); },
      g.scale(2, g.mul(x, g.inner(u, v))));
  is(
      "v . u", [&](const Wrap& h) { return g.inner(h(v), u); }, g.inner(u, v));
  is(
      "x . y", [&](const Wrap& h) { return g.inner(h(x), y); }, g.mul(x, y));
  is(
      "u x u", [&](const Wrap& h) { return g.cross(h(u), u); }, g.zero(Shape::vec(3)));
  is(
      "(x u) x (-v)", [&](const Wrap& h) { return g.cross(h(g.mul(x, u)), h(g.neg(v))); },
      g.neg(g.mul(x, g.cross(u, v))));
  is(
      "hat(x u)", [&](const Wrap& h) { return g.hat(h(g.mul(x, u))); }, g.mul(x, g.hat(u)));
  EXPECT_FALSE(g.cross(u, v) == g.cross(v, u));
}

TEST_F(Identity, OfAxialVectors) {
  is(
      "unhat hat", [&](const Wrap& h) { return g.unhat(h(g.hat(u))); }, g.scale(2, u));
  is(
      "unhat outer", [&](const Wrap& h) { return g.unhat(h(g.outer(u, v))); }, g.cross(v, u));
  is(
      "unhat I", [&](const Wrap& h) { return g.unhat(h(g.identity(3))); }, g.zero(Shape::vec(3)));
  is(
      "unhat diag", [&](const Wrap& h) { return g.unhat(h(g.diag(u))); }, g.zero(Shape::vec(3)));
  is(
      "unhat A^T", [&](const Wrap& h) { return g.unhat(h(g.transpose(A))); }, g.neg(g.unhat(A)));
  is(
      "unhat(x A)", [&](const Wrap& h) { return g.unhat(h(g.mul(x, A))); }, g.mul(x, g.unhat(A)));
  is(
      "unhat(A + hat u)", [&](const Wrap& h) { return g.unhat(h(g.add(A, g.hat(u)))); },
      g.add(g.unhat(A), g.scale(2, u)));
}

TEST_F(Identity, OfTracesAndDeterminants) {
  is(
      "tr hat", [&](const Wrap& h) { return g.trace(h(g.hat(u))); }, number(0));
  is(
      "tr I", [&](const Wrap& h) { return g.trace(h(g.identity(3))); }, number(3));
  is(
      "tr(u v^T)", [&](const Wrap& h) { return g.trace(h(g.outer(u, v))); }, g.inner(u, v));
  is(
      "tr A^T", [&](const Wrap& h) { return g.trace(h(g.transpose(A))); }, g.trace(A));
  is(
      "tr(A B)", [&](const Wrap& h) { return g.trace(h(g.matmul(A, B))); }, g.inner(g.transpose(A), B));
  is(
      "tr(A - 2B)", [&](const Wrap& h) { return g.trace(h(g.sub(A, g.scale(2, B)))); },
      g.sub(g.trace(A), g.scale(2, g.trace(B))));
  is(
      "det I", [&](const Wrap& h) { return g.det(h(g.identity(3))); }, one);
  is(
      "inverse(inverse A)", [&](const Wrap& h) { return g.inverse(h(g.inverse(A))); }, A);
  is(
      "solve(I, v)", [&](const Wrap& h) { return g.solve(h(g.identity(3)), v, false); }, v);
  is(
      "solve(A, 2v)", [&](const Wrap& h) { return g.solve(A, h(g.scale(2, v)), false); },
      g.scale(2, g.solve(A, v, false)));
  for (const int n : {1, 2, 3}) { // written out: differentiable where the matrix is singular
    const Expr M = s.mat("M", n, n);
    const Expr rows = g.det(M);
    EXPECT_FALSE(contains(rows, [](const Node& k) { return k.op == Op::Det; })) << n;
    const Expr larger = g.det(s.opaque(M)); // against elimination, in a matrix with a unit row and column
    std::vector<Expr> entries;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) entries.push_back(i < n && j < n ? g.entry(M, i, j) : number(i == j ? 1 : 0));
    }
    const Expr four = g.det(g.matrix(4, 4, entries));
    EXPECT_EQ(four->op, Op::Det);
    EXPECT_NEAR(s.number(rows), s.number(four), 1e-14) << n;
    EXPECT_NEAR(s.number(larger), s.number(four), 1e-14) << n;
  }
}

TEST_F(Identity, OfComponents) {
  const Expr i2 = g.integer(2);
  const Expr i3 = g.integer(3);
  is(
      "(x v)[2]", [&](const Wrap& h) { return g.component(h(g.mul(x, v)), i2); }, g.mul(x, g.component(v, i2)));
  is(
      "[x, y, z][3]",
      [&](const Wrap& h) {
        return g.component(h(g.vector({x, y, z})), i3);
      },
      z);
  is(
      "e2[2]", [&](const Wrap& h) { return g.component(h(g.basis(3, i2)), i2); }, one);
  is(
      "e2[3]", [&](const Wrap& h) { return g.component(h(g.basis(3, i2)), i3); }, number(0));
  is(
      "A^T[2, 3]", [&](const Wrap& h) { return g.component(h(g.transpose(A)), i2, i3); }, g.component(A, i3, i2));
  is(
      "(u v^T)[2, 3]", [&](const Wrap& h) { return g.component(h(g.outer(u, v)), i2, i3); },
      g.mul(g.component(u, i2), g.component(v, i3)));
  is(
      "I[2, 3]", [&](const Wrap& h) { return g.component(h(g.identity(3)), i2, i3); }, number(0));
  is(
      "diag(v)[2, 2]", [&](const Wrap& h) { return g.component(h(g.diag(v)), i2, i2); }, g.component(v, i2));
  is(
      "[[x, y], [z, 1]][2, 1]",
      [&](const Wrap& h) {
        return g.component(h(g.matrix(2, 2, {x, y, z, one})), i2, g.integer(1));
      },
      z);
  is(
      "[v1, v2, v3]",
      [&](const Wrap& h) {
        return g.vector({g.entry(h(v), 0), g.entry(v, 1), g.entry(v, 2)});
      },
      v);
  is(
      "diagonal(diag v)", [&](const Wrap& h) { return g.diagOf(h(g.diag(v))); }, v);
  is(
      "diagonal(hat v)", [&](const Wrap& h) { return g.diagOf(h(g.hat(v))); }, g.zero(Shape::vec(3)));
  is(
      "diagonal(x A)", [&](const Wrap& h) { return g.diagOf(h(g.mul(x, A))); }, g.mul(x, g.diagOf(A)));
}
