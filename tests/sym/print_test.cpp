// Expressions as text and LaTeX.
#include "sym/Print.h"
#include "sym/Sandbox.h"

#include <gtest/gtest.h>

using namespace lmc::sym;
using namespace lmc::test;
using lmc::test::Sandbox;

namespace {

class Printing : public testing::Test {
protected:
  void is(Expr e, const std::string& text, const std::string& latex) {
    EXPECT_EQ(print(e), text);
    EXPECT_EQ(print(e, Notation::Latex), latex);
  }
  Expr ratio(std::int64_t a, std::int64_t b) { return g.number(Number::ratio(a, b)); }

  Sandbox s;
  Graph& g = s.g;
  Expr x = s.scalar("x", 1), y = s.scalar("y", 2), m = s.scalar("m", 3);
  Expr w = s.vec("omega", 3), v = s.vec("v'", 3), R = s.mat("R", 3, 3), J = s.mat("J", 3, 3);
};

} // namespace

TEST_F(Printing, Numbers) {
  is(ratio(981, 100), "9.81", "9.81");
  is(ratio(1, 3), "1/3", "\\tfrac{1}{3}");
  is(ratio(-2, 3), "-2/3", "-\\tfrac{2}{3}");
  is(g.boolean(true), "true", "true");
  is(g.zero(Shape::vec(3)), "zeros(3)", "zeros(3)");
  is(g.identity(3), "eye(3)", "I");
  is(g.basis(3, g.integer(2)), "e2", "e_{2}");
}

TEST_F(Printing, SumsAndProducts) {
  is(g.sub(x, y), "x - y", "x - y");
  is(g.add(g.scale(-2, x), y), "-2*x + y", "-2 x + y");
  is(g.sub(y, g.scale(2, x)), "-2*x + y", "-2 x + y");
  is(g.mul(x, g.add(y, m)), "x*(y + m)", "x \\left(y + m\\right)");
  is(g.scale(Number::ratio(1, 2), x), "x/2", "0.5 x");
  is(g.scale(Number::ratio(-3, 7), x), "-3/7*x", "-\\tfrac{3}{7} x");
  is(g.div(x, g.mul(y, m)), "x/(y*m)", "\\frac{x}{y m}");
  is(g.div(g.add(x, y), m), "(x + y)/m", "\\frac{x + y}{m}");
  is(g.powInt(g.add(x, y), 2), "(x + y)^2", "\\left(x + y\\right)^{2}");
  is(g.powInt(g.powInt(x, 2), -1), "x^-2", "x^{-2}");
  is(g.neg(g.add(x, y)), "-(x + y)", "-\\left(x + y\\right)");
}

TEST_F(Printing, Functions) {
  is(g.function(Op::Sqrt, g.add(x, y)), "sqrt(x + y)", "\\sqrt{x + y}");
  is(g.function(Op::Atan2, x, y), "atan2(x, y)", "\\operatorname{atan2}\\left(x, y\\right)");
  is(g.stumpff(2, x), "stumpff(2, x)", "c_{2}(x)");
  is(g.select(g.compare(Op::Lt, x, y), x, m), "if x < y then x else m", "if x < y then x else m");
}

TEST_F(Printing, VectorsAndMatrices) {
  is(g.cross(w, v), "cross(omega, v')", "\\omega \\times \\dot{v}");
  is(g.inner(w, v), "dot(omega, v')", "\\omega \\cdot \\dot{v}");
  is(g.cross(w, g.matmul(J, w)), "cross(omega, J*omega)", "\\omega \\times \\left(J \\omega\\right)");
  is(g.matmul(g.transpose(R), v), "transpose(R)*v'", "R^{\\top} \\dot{v}");
  is(g.mul(m, g.cross(w, v)), "m*cross(omega, v')", "m \\left(\\omega \\times \\dot{v}\\right)");
  is(g.mul(g.inner(w, v), w), "dot(omega, v')*omega", "\\left(\\omega \\cdot \\dot{v}\\right) \\omega");
  is(g.hat(w), "hat(omega)", "\\widehat{\\omega}");
  is(g.inverse(J), "inverse(J)", "J^{-1}");
  is(g.outer(w, v), "outer(omega, v')", "\\omega \\otimes \\dot{v}");
  is(g.entry(R, 1, 2), "R[2, 3]", "R[2, 3]");
  is(g.vector({x, y, g.number(0)}), "[x, y, 0]", "[x, y, 0]");
  is(g.matrix(2, 2, {x, y, m, g.number(1)}), "[[x, y], [m, 1]]", "\\begin{bmatrix}x & y \\\\ m & 1\\end{bmatrix}");
}

TEST_F(Printing, Equations) {
  const Array* q = s.random("q", {4}, Shape::vec(3));
  const Array* a = s.temp("a_max", {4}, Shape::vec(3));
  const Expr i = g.newIndex("i");
  const Expr before = g.load(a, {g.sub(i, g.integer(1))});
  s.set(a, {{i, g.integer(2), g.integer(4), false}}, {i}, g.add(before, g.load(q, {i})));
  EXPECT_EQ(print(s.p.equations().back()), "a_max[i] = a_max[i - 1] + q[i]   (i = 2..4)");
  EXPECT_EQ(print(s.p.equations().back(), Notation::Latex),
            "a_{\\mathrm{max}, i} = a_{\\mathrm{max}, i - 1} + q_{i},\\quad i = 2..4");
  s.accumulate(a, {{i, g.integer(1), g.integer(4), true}}, {i}, g.load(q, {i}), g.compare(Op::Lt, i, g.integer(3)));
  EXPECT_EQ(print(s.p.equations().back()), "a_max[i] += q[i]   (i = 1..4) where i < 3");
}

TEST(LatexNames, GreekSubscriptsAndPrimes) {
  EXPECT_EQ(latexName("x"), "x");
  EXPECT_EQ(latexName("Omega"), "\\Omega");
  EXPECT_EQ(latexName("Ω"), "\\Omega");
  EXPECT_EQ(latexName("x'"), "\\dot{x}");
  EXPECT_EQ(latexName("q1''"), "\\ddot{q}_{\\mathrm{1}}");
  EXPECT_EQ(latexName("mass"), "\\mathrm{mass}");
  EXPECT_EQ(latexName("theta_max"), "\\theta_{\\mathrm{max}}");
  EXPECT_EQ(latexName("J12"), "J_{\\mathrm{12}}");
  EXPECT_EQ(latexName("q", "i"), "q_{i}");
  EXPECT_EQ(latexName("J12'", "i"), "\\dot{J}_{\\mathrm{12}, i}") << "two subscripts are an error in TeX";
}
