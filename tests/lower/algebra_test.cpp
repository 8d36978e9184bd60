// Determinants, inverses, linear systems and scalar functions, straight or by routines.
#include "lower/Agreement.h"

#include <gtest/gtest.h>

using namespace lmc::sym;
using namespace lmc::test;
using lmc::test::expectAgreement;
using lmc::test::Sandbox;

namespace {

class Algebra : public testing::TestWithParam<std::tuple<int, bool>> {
protected:
  [[nodiscard]] int n() const { return std::get<0>(GetParam()); }
  [[nodiscard]] Role role() const { return std::get<1>(GetParam()) ? Role::Param : Role::State; }
  const Array* result(const char* name, Expr e) {
    const Array* a = s.temp(name, {}, e->shape);
    s.set(a, {}, {}, e);
    return a;
  }

  Sandbox s;
  Graph& g = s.g;
  Expr F = g.load(s.random("F", {}, Shape::mat(n(), n()), role()));
  Expr b = g.load(s.random("b", {}, Shape::vec(n())));
  Expr B = g.load(s.random("B", {}, Shape::mat(n(), 2)));
  Expr general = g.sub(F, g.scale(2, g.identity(n())));
  Expr definite = g.add(g.matmul(g.transpose(F), F), g.identity(n()));
};

} // namespace

TEST_P(Algebra, Determinant) {
  expectAgreement(s, {result("d", g.det(general))}, "det", 1e-11);
}
TEST_P(Algebra, Inverse) {
  expectAgreement(s, {result("inv", g.inverse(general)), result("inv2", g.inverse(definite))}, "inverse", 1e-11);
}
TEST_P(Algebra, SolveGeneral) {
  expectAgreement(s, {result("x", g.solve(general, b, false)), result("X", g.solve(general, B, false))}, "solve",
                  1e-11);
}
TEST_P(Algebra, SolveDefinite) {
  expectAgreement(s, {result("x", g.solve(definite, b, true)), result("X", g.solve(definite, B, true))}, "solve",
                  1e-11);
}
TEST_P(Algebra, ProductsAndTransposes) {
  const Expr p = g.matmul(g.transpose(B), g.matmul(F, B));
  expectAgreement(s,
                  {result("p", p), result("t", g.trace(g.matmul(F, definite))), result("d", g.diagOf(definite)),
                   result("m", g.matmul(g.diag(b), F)), result("i", g.inner(F, g.transpose(F)))},
                  "products");
}

INSTANTIATE_TEST_SUITE_P(Sizes, Algebra, testing::Combine(testing::Range(1, 7), testing::Bool()), [](const auto& p) {
  return std::string(std::get<1>(p.param) ? "Param" : "State") + std::to_string(std::get<0>(p.param));
});

TEST(SolveInALoop, OneMatrixPerMember) {
  for (const std::int64_t N : {2, 40}) {
    Sandbox s;
    Graph& g = s.g;
    const Array* F = s.random("F", {N}, Shape::mat(3, 3));
    const Array* b = s.random("b", {N}, Shape::vec(3));
    const Array* x = s.temp("x", {N}, Shape::vec(3));
    const Loop i = fullLoop(g, "i", N);
    const Expr f = g.load(F, {i.index});
    s.set(x, {i}, {i.index}, g.solve(g.add(g.matmul(f, g.transpose(f)), g.identity(3)), g.load(b, {i.index}), true));
    const Array* y = s.temp("y", {N}, Shape::mat(3, 3));
    const Loop k = fullLoop(g, "k", N);
    s.set(y, {k}, {k.index}, g.inverse(g.add(g.load(F, {k.index}), g.scale(4, g.identity(3)))));
    expectAgreement(s, {x, y}, "family of " + std::to_string(N), 1e-11);
  }
}

TEST(LinearSolve, OfAMatrixOverAFamily) {
  for (const std::int64_t n : {2, 7, 30}) {
    for (const Role role : {Role::State, Role::Param}) {
      Sandbox s;
      Graph& g = s.g;
      const Array* c = s.random("c", {n}, Shape::scalar(), role);
      const Array* q = s.random("q", {n}, Shape::scalar());
      const Array* M = s.temp("M", {n, n});
      const Array* r = s.temp("r", {n});
      const Array* x = s.temp("x", {n});
      const Loop i = fullLoop(g, "i", n);
      const Loop j = fullLoop(g, "j", n);
      const Expr diagonal = g.select(g.compare(Op::Eq, i.index, j.index), g.number(3), g.number(0));
      s.accumulate(M, {i, j}, {i.index, j.index}, g.add(g.mul(g.load(c, {i.index}), g.load(c, {j.index})), diagonal));
      const Loop k = fullLoop(g, "k", n);
      s.set(r, {k}, {k.index}, g.function(Op::Sin, g.load(q, {k.index})));
      s.p.append({EquationKind::LinearSolve, x, {}, {}, {}, {}, M, r});
      const Array* twice = s.temp("twice", {n});
      const Loop l = fullLoop(g, "l", n);
      s.set(twice, {l}, {l.index}, g.scale(2, g.load(x, {l.index})));
      expectAgreement(s, {twice, x}, "n = " + std::to_string(n), 1e-11);
    }
  }
}

TEST(Functions, OfOneAndTwoScalars) {
  for (const Role role : {Role::State, Role::Param}) {
    Sandbox s;
    Graph& g = s.g;
    const Expr x = g.load(s.array("x", {}, {}, {0.37}, role));
    const Expr y = g.load(s.array("y", {}, {}, {-1.3}, role));
    const Expr t = g.load(s.array("t", {}, {}, {0.25}, Role::Time));
    std::vector<const Array*> out;
    const auto add = [&](Expr e) {
      out.push_back(s.temp("f"));
      s.set(out.back(), {}, {}, e);
    };
    for (const Op op : {Op::Sqrt, Op::Exp, Op::Log, Op::Sin, Op::Cos, Op::Tan, Op::Asin, Op::Acos, Op::Atan, Op::Sinh,
                        Op::Cosh, Op::Tanh, Op::Abs, Op::Floor}) {
      add(g.function(op, x));
      add(g.mul(t, g.function(op, g.mul(x, t))));
    }
    for (const Op op : {Op::Atan2, Op::Min, Op::Max}) {
      add(g.function(op, x, y));
      add(g.function(op, y, t));
    }
    for (const Op op : {Op::Lt, Op::Le, Op::Eq, Op::Ne}) add(g.select(g.compare(op, x, y), t, y));
    for (int k = 0; k <= 5; ++k) {
      add(g.stumpff(k, g.scale(5, x)));
      add(g.stumpff(k, g.mul(y, t)));
    }
    for (const int k : {-3, 2, 7}) add(g.powInt(y, k));
    add(g.pow(x, t));
    add(g.div(x, y));
    add(g.toReal(g.floorToInt(g.mul(g.number(7), y))));
    add(g.load(t->array));
    expectAgreement(s, out, role == Role::Param ? "parameters" : "state");
  }
}

TEST(Functions, OfStumpffTakeDoubleAnglesFromHalfOnes) {
  for (const double argument : {-30.0, -1.0, -1e-3, 0.0, 1e-9, 0.01, 0.3, 2.0, 9.8, 50.0, 400.0}) {
    Sandbox s;
    Graph& g = s.g;
    const Expr x = g.load(s.array("x", {}, {}, {argument}, Role::State));
    std::vector<const Array*> out;
    const auto add = [&](Expr e) {
      out.push_back(s.temp("f"));
      s.set(out.back(), {}, {}, e);
    };
    for (int k = 0; k <= 7; ++k) add(g.stumpff(k, x));
    add(g.stumpff(2, g.scale(Number(1) / Number(4), x)));
    expectAgreement(s, out, std::to_string(argument), 1e-13);
    const lmc::test::Lowered lowered(s, out, false);
    int taken = 0; // of x itself only those without a formula
    for (const lmc::tape::Instr& i : lowered.module.functions.back().blocks[0].code)
      if (i.op == lmc::tape::Op::Stumpff && i.imm != 0 && i.imm < 6) ++taken;
    EXPECT_EQ(taken, 5);
  }
}
