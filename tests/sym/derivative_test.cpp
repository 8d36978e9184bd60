// Both derivatives of every operation against central differences.
#include "sym/Differences.h"

#include <gtest/gtest.h>

using namespace lmc::sym;
using namespace lmc::test;
using lmc::test::expectDerivatives;
using lmc::test::expectNear;
using lmc::test::Sandbox;

namespace {

struct Operands {
  Sandbox& s;
  Graph& g = s.g;
  Expr x = s.scalar("x", 0.6), y = s.scalar("y", 0.35);
  Expr u = s.vec("u", 3), v = s.vec("v", 3), w = s.vec("w", 4);
  Expr A = s.mat("A", 3, 3), B = s.mat("B", 3, 3), C = s.mat("C", 2, 3), F = s.mat("F", 4, 4);
  [[nodiscard]] std::vector<const Array*> all() const {
    std::vector<const Array*> list;
    for (const Expr& e : {x, y, u, v, w, A, B, C, F}) list.push_back(e->array);
    return list;
  }
  /// Symmetric and positive definite, not constant.
  [[nodiscard]] Expr definite() const { return g.add(g.matmul(g.transpose(F), F), g.scale(2, g.identity(4))); }
  /// Well conditioned, not symmetric.
  [[nodiscard]] Expr general() const { return g.add(F, g.scale(5, g.identity(4))); }
};

struct Case {
  const char* name;
  std::function<Expr(const Operands&)> build;
};

Expr unary(const Operands& o, Op op) {
  return o.g.function(op, o.g.mul(o.x, o.g.add(o.y, o.g.number(1))));
}

std::vector<Case> scalarCases() {
  std::vector<Case> cases;
  const std::vector<std::pair<const char*, Op>> functions = {
#define LMC_FUNCTION(op, ...) {#op, Op::op},
#include "sym/functions/Functions.def"
  };
  for (const auto& [name, op] : functions) {
    cases.push_back({name, [own = op](const Operands& o) { return unary(o, own); }});
  }
  const auto add = [&](const char* name, std::function<Expr(const Operands&)> f) {
    cases.push_back({name, std::move(f)});
  };
  add("AbsOfNegative", [](const Operands& o) { return o.g.function(Op::Abs, o.g.sub(o.y, o.x)); });
  add("Add", [](const Operands& o) { return o.g.add(o.g.scale(3, o.x), o.g.mul(o.x, o.y)); });
  add("Mul", [](const Operands& o) { return o.g.mul(o.g.add(o.x, o.y), o.g.sub(o.x, o.y)); });
  add("Div", [](const Operands& o) { return o.g.div(o.g.add(o.x, o.y), o.g.add(o.y, o.g.powInt(o.x, 2))); });
  add("Pow", [](const Operands& o) { return o.g.pow(o.x, o.y); });
  add("PowConst", [](const Operands& o) { return o.g.pow(o.g.add(o.x, o.y), o.g.number(Number::ratio(7, 3))); });
  add("PowInt", [](const Operands& o) { return o.g.powInt(o.g.add(o.x, o.y), 5); });
  add("PowIntNegative", [](const Operands& o) { return o.g.powInt(o.g.add(o.x, o.y), -3); });
  add("Atan2", [](const Operands& o) { return o.g.function(Op::Atan2, o.g.sub(o.y, o.x), o.g.neg(o.x)); });
  add("MinFirst", [](const Operands& o) { return o.g.function(Op::Min, o.y, o.x); });
  add("MinSecond", [](const Operands& o) { return o.g.function(Op::Min, o.x, o.y); });
  add("MaxFirst", [](const Operands& o) { return o.g.function(Op::Max, o.x, o.y); });
  add("MaxSecond", [](const Operands& o) { return o.g.function(Op::Max, o.y, o.x); });
  add("Select", [](const Operands& o) {
    return o.g.select(o.g.compare(Op::Lt, o.x, o.y), o.g.mul(o.x, o.y), o.g.div(o.x, o.y));
  });
  for (int k = 0; k <= 4; ++k) {
    static const char* const names[] = {"Stumpff0", "Stumpff1", "Stumpff2", "Stumpff3", "Stumpff4"};
    add(names[k], [k](const Operands& o) { return o.g.stumpff(k, o.g.inner(o.u, o.u)); });
  }
  add("StumpffOfNegative", [](const Operands& o) { return o.g.stumpff(2, o.g.neg(o.g.inner(o.u, o.u))); });
  return cases;
}

std::vector<Case> tensorCases() {
  std::vector<Case> cases;
  const auto add = [&](const char* name, std::function<Expr(const Operands&)> f) {
    cases.push_back({name, std::move(f)});
  };
  add("MatVec", [](const Operands& o) { return o.g.matmul(o.C, o.u); });
  add("MatMul", [](const Operands& o) { return o.g.matmul(o.C, o.g.matmul(o.A, o.B)); });
  add("ScalarTimesMatrix", [](const Operands& o) { return o.g.mul(o.x, o.A); });
  add("VectorOverScalar", [](const Operands& o) { return o.g.div(o.u, o.x); });
  add("Transpose", [](const Operands& o) { return o.g.matmul(o.g.transpose(o.C), o.C); });
  add("InnerVectors", [](const Operands& o) { return o.g.inner(o.u, o.g.matmul(o.A, o.v)); });
  add("InnerMatrices", [](const Operands& o) { return o.g.inner(o.A, o.g.matmul(o.B, o.A)); });
  add("Cross", [](const Operands& o) { return o.g.cross(o.u, o.g.cross(o.v, o.u)); });
  add("Hat", [](const Operands& o) { return o.g.matmul(o.A, o.g.hat(o.u)); });
  add("Unhat", [](const Operands& o) { return o.g.unhat(o.g.matmul(o.A, o.B)); });
  add("Outer", [](const Operands& o) { return o.g.matmul(o.A, o.g.add(o.g.outer(o.u, o.v), o.B)); });
  add("Trace", [](const Operands& o) { return o.g.trace(o.s.opaque(o.g.matmul(o.A, o.B))); });
  add("Det2", [](const Operands& o) { return o.g.det(o.g.matmul(o.C, o.g.transpose(o.C))); });
  add("Det3", [](const Operands& o) { return o.g.det(o.A); });
  add("Det4", [](const Operands& o) { return o.g.det(o.general()); });
  add("Inverse", [](const Operands& o) { return o.g.inverse(o.general()); });
  add("SolveVector", [](const Operands& o) { return o.g.solve(o.general(), o.w, false); });
  add("SolveMatrix", [](const Operands& o) { return o.g.solve(o.general(), o.F, false); });
  add("SolveDefinite", [](const Operands& o) { return o.g.solve(o.definite(), o.w, true); });
  add("ComponentOfVector", [](const Operands& o) { return o.g.entry(o.g.cross(o.u, o.v), 1); });
  add("ComponentOfMatrix", [](const Operands& o) { return o.g.entry(o.g.matmul(o.A, o.B), 2, 1); });
  add("Vector", [](const Operands& o) {
    return o.g.vector({o.x, o.g.mul(o.x, o.y), o.g.number(2), o.g.entry(o.u, 2)});
  });
  add("Matrix", [](const Operands& o) {
    return o.g.matrix(2, 3, {o.x, o.y, o.g.number(1), o.g.mul(o.x, o.x), o.g.entry(o.u, 0), o.g.entry(o.A, 1, 2)});
  });
  add("Diag", [](const Operands& o) { return o.g.matmul(o.g.diag(o.u), o.A); });
  add("DiagOf", [](const Operands& o) { return o.g.diagOf(o.g.matmul(o.A, o.B)); });
  add("SelectOfVectors",
      [](const Operands& o) { return o.g.select(o.g.compare(Op::Le, o.y, o.x), o.g.cross(o.u, o.v), o.u); });
  add("Basis", [](const Operands& o) { return o.g.mul(o.x, o.g.basis(3, o.g.integer(2))); });
  return cases;
}

class Derivative : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(Derivative, AgreesWithDifferences) {
  Sandbox s;
  const Operands o{s};
  expectDerivatives(s, GetParam().build(o), o.all(), GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(Scalars, Derivative, testing::ValuesIn(scalarCases()),
                         [](const auto& p) { return p.param.name; });
INSTANTIATE_TEST_SUITE_P(Tensors, Derivative, testing::ValuesIn(tensorCases()),
                         [](const auto& p) { return p.param.name; });

TEST(DerivativeOfBranches, TheBranchNotTakenHasNoEffectEvenIfItIsNaN) {
  for (const bool flipped : {false, true}) {
    Sandbox s;
    Graph& g = s.g;
    const Expr x = s.scalar("x", 0);
    const Expr y = s.scalar("y", 0.5);
    // sqrt and 1/x are not differentiable, or not defined, at 0
    const Expr bad = g.add(g.div(y, x), g.mul(g.function(Op::Sqrt, x), g.function(Op::Log, x)));
    const Expr good = g.mul(g.number(3), g.add(x, g.powInt(y, 2)));
    const Expr e = flipped ? g.select(g.compare(Op::Lt, g.number(0), x), bad, good)
                           : g.select(g.compare(Op::Le, x, g.number(0)), good, bad);
    const Gradient gradient = lmc::sym::gradient(s.p, e, {x->array, y->array});
    EXPECT_EQ(s.number(gradient.of(x->array)), 3);
    EXPECT_EQ(s.number(gradient.of(y->array)), 3);
    Tangent t(s.p);
    t.seed(x->array, [&](const auto&) { return g.number(1); });
    t.seed(y->array, [&](const auto&) { return g.number(2); });
    EXPECT_EQ(s.number(t.of(e)), 9);
  }
}

TEST(DerivativeOfBranches, ANestedBranchAndASharedFactor) {
  Sandbox s;
  Graph& g = s.g;
  const Expr x = s.scalar("x", 0);
  const Expr y = s.scalar("y", 0.5);
  const Expr root = g.function(Op::Sqrt, x);
  const Expr inner = g.select(g.compare(Op::Lt, g.number(0), x), g.div(y, root), g.mul(y, g.number(4)));
  const Expr e = g.mul(y, g.select(g.compare(Op::Lt, y, g.number(1)), inner, root));
  const Gradient gradient = lmc::sym::gradient(s.p, e, {x->array, y->array});
  EXPECT_EQ(s.number(gradient.of(x->array)), 0);
  EXPECT_EQ(s.number(gradient.of(y->array)), 4); // d(4 y^2)
}

TEST(Pullback, IsTheTransposeOfALinearMap) {
  Sandbox s;
  Graph& g = s.g;
  const Expr R = s.mat("R", 3, 3);
  const Expr w = s.vec("w", 3);
  const Expr seed = s.mat("seed", 3, 3);
  const Expr value = g.matmul(R, g.hat(w)); // R hat(w)
  const auto parts = pullback(g, value, seed, [&](const Node& n) { return n.array == w->array; });
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].first, w);
  // <seed, R hat(w)> = <pullback, w>
  EXPECT_NEAR(s.number(g.inner(seed, value)), s.number(g.inner(parts[0].second, w)), 1e-14);
}

TEST(Derivative, OfWhatDoesNotDependOnTheInputIsZero) {
  Sandbox s;
  const Expr x = s.scalar("x", 2);
  const Expr v = s.vec("v", 3);
  Tangent t(s.p);
  t.seed(x->array, [&](const auto&) { return s.g.number(1); });
  EXPECT_EQ(t.of(v), s.g.zero(Shape::vec(3)));
  EXPECT_EQ(t.of(s.g.toReal(s.g.floorToInt(x))), s.g.number(0));
  EXPECT_FALSE(t.active(v->array));
  EXPECT_EQ(gradient(s.p, s.g.inner(v, v), {x->array}).of(x->array), s.g.number(0));
}
