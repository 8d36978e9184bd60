// The value of every construct of expressions, by an independent interpreter.
#include "sema/Support.h"

#include <gtest/gtest.h>

#include <numbers>

using namespace lmc::test;

namespace {

void expect(const std::string& expression, const Numbers& wanted) {
  std::string errors;
  const Numbers got = evaluateText(expression, &errors);
  ASSERT_EQ(got.size(), wanted.size()) << expression << "\n" << errors;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    EXPECT_NEAR(got[k], wanted[k], 1e-13 * std::max(1.0, std::abs(wanted[k]))) << expression << " entry " << k;
  }
}

} // namespace

TEST(Expressions, ArithmeticAndPrecedence) {
  expect("1 + 2*3", {7});
  expect("-2^2", {-4});
  expect("2^3^2", {512});
  expect("2^-1", {0.5});
  expect("7/8", {0.875});
  expect("7/8*8", {7});
  expect("m*x - v/2", {0, 1.5, 3});
  expect("-x", {-1, -2, -3});
  expect("1e-3 + 0.25", {0.251});
  expect("m^0.5", {std::sqrt(2.0)});
  expect("2*pi", {2 * std::numbers::pi});
}

TEST(Expressions, IntegersStayIntegersInIndices) {
  expect("x[k]", {2});
  expect("x[k + 1]", {3});
  expect("x[mod(4, 3)]", {1});
  expect("x[div(7, 3)]", {2});
  expect("mod(-1, 3)", {2});
  expect("div(-1, 3)", {-1});
  expect("floor(7/3)", {2});
  expect("x[floor(7/3)]", {2});
  expect("floor(x[2]/4)", {0});
  expect("mod(x[3], 2)", {1});
  expect("c[2^1]", {20});
  expect("1/k", {0.5});
}

TEST(Expressions, VectorsAndMatrices) {
  expect("dot(x, v)", {32});
  expect("x · v", {32});
  expect("cross(x, v)", {-3, 6, -3});
  expect("x × v", {-3, 6, -3});
  expect("norm([3, 4])", {5});
  expect("normalize([3, 4])", {0.6, 0.8});
  expect("hat(x)*v", {-3, 6, -3});
  expect("vee(hat(x))", {1, 2, 3});
  expect("A*x", {14, 32, 53});
  expect("transpose(A)*x", {30, 36, 45});
  expect("A[2,3]", {6});
  expect("trace(A)", {16});
  expect("det(A)", {-3});
  expect("inverse(A)*(A*x)", {1, 2, 3});
  expect("solve(A, A*v)", {4, 5, 6});
  expect("outer(e1, x)", {1, 2, 3, 0, 0, 0, 0, 0, 0});
  expect("diag(1, 2)*[3, 4]", {3, 8});
  expect("diag([1, 2])", {1, 0, 0, 2});
  expect("diag(A)", {1, 5, 10});
  expect("eye(2)", {1, 0, 0, 1});
  expect("zeros(2)", {0, 0});
  expect("zeros(1, 2)", {0, 0});
  expect("[[1, 2], [3, 4]]*[1, 1]", {3, 7});
  expect("e2 + e3", {0, 1, 1});
  expect("A^2*x", {14 + 64 + 159, 56 + 160 + 318, 98 + 256 + 530});
  expect("transpose(x)*v", {32});
}

TEST(Expressions, ScalarFunctions) {
  expect("sqrt(m)", {std::sqrt(2.0)});
  expect("exp(m)", {std::exp(2.0)});
  expect("log(m)", {std::log(2.0)});
  expect("sin(m) + cos(m) + tan(m)", {std::sin(2.0) + std::cos(2.0) + std::tan(2.0)});
  expect("asin(1/m) + acos(1/m) + atan(m)", {std::asin(0.5) + std::acos(0.5) + std::atan(2.0)});
  expect("atan2(m, -1)", {std::atan2(2.0, -1.0)});
  expect("sinh(m) + cosh(m) + tanh(m)", {std::sinh(2.0) + std::cosh(2.0) + std::tanh(2.0)});
  expect("abs(-m)", {2});
  expect("min(m, 1, x[3])", {1});
  expect("max(m, 1, x[3])", {3});
  expect("sinc(m)", {std::sin(2.0) / 2});
  expect("sinc(norm(x))", {std::sin(std::sqrt(14.0)) / std::sqrt(14.0)});
  expect("sinc(norm(0*x))", {1});
  expect("stumpff(2, m^2)", {(1 - std::cos(2.0)) / 4});
}

TEST(Expressions, Conditions) {
  expect("if m > 1 then x else v", {1, 2, 3});
  expect("if m <= 1 then 1 else 2.5", {2.5});
  expect("if not (m == 2) then 1 else 0", {0});
  expect("if m >= 2 and m != 3 or 1 > 2 then 1 else 0", {1});
  expect("if k == 2 then x[k] else x[k + 5]", {2});
}

TEST(Expressions, SumsAndProducts) {
  expect("sum(i in 1..3: c[i]*x[i])", {10 + 40 + 90});
  expect("sum(i in 1..3: i)", {6});
  expect("sum(i in 1..3, j in i+1..3: x[i]*x[j])", {2 + 3 + 6});
  expect("sum(i in 1..3, j in 1..3 where j != i: x[i]*x[j])", {22});
  expect("sum(i in 1..3: c[i]*sum(j in 1..i: x[j]))", {10 + 60 + 180});
  expect("sum(i in 1..3: sum(j in 1..3: x[j]))", {18});
  expect("sum(i in 2..1: x)", {0, 0, 0});
  expect("sum(i in 1..3: i*x)", {6, 12, 18});
  expect("sum(i in 1..2: if i < 2 then x[i + 2] else 0)", {3});
  expect("sum(i in 1..3 where i < 3: x[i + 1])", {5});
  expect("product(i in 1..3: c[i])", {6000});
  expect("product(i in 1..3 where i != 2: c[i])", {300});
  expect("product(i in 1..40: 1 + x[1]*i/(i + 1)*0)", {1});
  expect("product(i in 1..50: (i + 1)/i*x[1])", {51});
}

TEST(Expressions, ManifoldsByTheirOperations) {
  expect("SO(3).exp([0, 0, pi/2])*e1", {0, 1, 0});
  expect("SO(3).bracket(x, [4, 5, 6])", {-3, 6, -3});
  expect("(S^2).action(SO(3).exp([0, 0, pi/2]), e1)", {0, 1, 0});
  expect("(R^2).product([1, 2], [3, 4])", {4, 6});
  expect("R.exp(m)", {2});
  expect("(R^1).exp(m)", {2});
  expect("SO(3).log(SO(3).exp([0.1, 0.2, 0.3]))", {0.1, 0.2, 0.3});
}
