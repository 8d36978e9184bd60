// Integers are exact or an error; where a real number is wanted they become real without a detour.
#include "sema/Support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace lmc;
using namespace lmc::test;

namespace {

__extension__ using Wide = __int128;

double real(Wide n) {
  return static_cast<double>(n);
}

void expect(const std::string& expression, double wanted, double relative = 0) {
  std::string errors;
  const Numbers got = evaluateText(expression, &errors);
  ASSERT_EQ(got.size(), 1U) << expression << "\n" << errors;
  if (relative == 0)
    EXPECT_EQ(got[0], wanted) << expression;
  else
    EXPECT_NEAR(got[0] / wanted, 1, relative) << expression;
}

std::vector<std::string> codes(const std::string& expression) {
  const std::string text = "model M {\n  param N : int = 3;\n  param a = 2.5;\n  param k : int = 2;\n"
                           "  config x : R^3 velocity v;\n  lagrangian = 0.5*dot(v, v);\n  observe result = " +
                           expression + ";\n}\n";
  return check(text).codes();
}

using Codes = std::vector<std::string>;

} // namespace

TEST(Integers, AreExactBeyondTheDoubles) {
  const Wide light = 299792458;
  expect("299792458*299792458", real(light * light));
  expect("2^53 + 1 - 2^53", 1);
  expect("9007199254740993 - 9007199254740992", 1);
  expect("mod(9223372036854775807, 1000)", 807);
  expect("div(9223372036854775807, 10) - 922337203685477000", 580);
  expect("mod(299792458*299792458, 1000)", double(light * light % 1000));
  expect("mod(3^39, 10^9 + 7)", double(Wide{4052555153018976267} % 1000000007));
  expect("max(2^53, 2^53 + 1) - 2^53", 1);
  expect("min(-2^53, -2^53 - 1) + 2^53", -1);
  expect("abs(-(2^53 + 1)) - 2^53", 1);
  expect("if 2^53 + 1 == 2^53 then 1 else 2", 2);
  expect("if 2^53 < 2^53 + 1 then 1 else 2", 1);
  expect("if 100000000*100000000 > 5 then 1 else 2", 1);
  expect("1/(100000000*100000000)", 1e-16);
  Wide factorial = 1;
  for (int i = 1; i <= 19; ++i) factorial *= i;
  expect("product(i in 1..19: i)", real(factorial));
  expect("mod(product(i in 1..19: i), 1000000007)", double(factorial % 1000000007));
}

TEST(Integers, BecomeRealWhereRealNumbersAreWanted) {
  Wide factorial = 1;
  for (int i = 1; i <= 25; ++i) factorial *= i;
  expect("product(i in 1..25: i)", real(factorial), 1e-15);
  expect("9223372036854775807 + 1", std::ldexp(1.0, 63));
  expect("10^30", 1e30);
  expect("3^50", real(Wide{847288609443} * Wide{847288609443}), 1e-15);
  expect("floor(1e19)", 1e19);
  expect("12345678901234567890", 12345678901234567890.0);
  expect("if 10^30 > 10^29 then 1 else 2", 1);
  expect("if k == 2 then 2^70 else 1", std::ldexp(1.0, 70));
  // In loops, where integers of the code have 64 bits.
  Wide sum = 0;
  for (Wide i = 1; i <= 60; ++i) sum += i * i * i * i * i * i * i * i * i * i * i * i;
  expect("sum(i in 1..60: i*i*i*i*i*i*i*i*i*i*i*i)", real(sum), 1e-14);
  expect("sum(i in 1..3: dot(x, e1)*i*2^62)", 6 * std::ldexp(1.0, 62), 1e-15);
  expect("sum(i in 1..3: dot(x, e1)*(2^62*i - 2^62))", 3 * std::ldexp(1.0, 62), 1e-15);
}

TEST(Integers, BeyondTheirRangeAreErrorsWhereIntegersAreNeeded) {
  for (const char* e : {"div(2^64, 3)", "mod(10^30, 7)", "2^64 + 1 - 2^64", "x[2^64]", "zeros(2^64)[1]", "10^400",
                        "mod(7, 2^70)", "x[floor(1e19)]", "sum(i in 1..2^64: 1.0)", "10^30 - 10^29"})
    EXPECT_EQ(codes(e), Codes{"LIE0137"}) << e;
  EXPECT_EQ(codes("sum(i in 1..9: mod(i*1000000000*1000000000*10, 7))"), Codes{"LIE0137"});
}

TEST(Integers, OfTheCommandLineAndOfParametersToo) {
  const std::string text = "model M {\n  param N : int = 9007199254740993;\n  param p = N - 9007199254740992;\n"
                           "  config x : R velocity v;\n  lagrangian = 0.5*v^2;\n  observe o = p;\n}\n";
  const auto value = [&](const Inputs& inputs) {
    const Checked c = check(text, inputs);
    EXPECT_TRUE(c.model) << c.text();
    if (!c.model) return std::nan("");
    Evaluate values(c.model->program);
    setInitials(*c.model, values);
    return values.array(observable(*c.model, "o"))[0];
  };
  EXPECT_EQ(value({}), 1);
  EXPECT_EQ(value({{{"N", "9007199254740995"}}, {}, {}}), 3);
  EXPECT_EQ(check(text, {{{"N", "2^64"}}, {}, {}}).codes(), Codes{"LIE0137"});
}

TEST(Sizes, AreNotCut) {
  for (const char* e : {"zeros(4294967299)[1]", "eye(4294967297)[1,1]", "stumpff(4294967297, a)", "stumpff(31, a)",
                        "zeros(100000, 100000)[1,1]", "zeros(2, 4294967297)[1,1]", "unit(4294967299, 1)[1]",
                        "outer(zeros(100000), zeros(100000))[1,1]", "diag(zeros(100000))[1,1]", "zeros(0)[1]"})
    EXPECT_EQ(codes(e), Codes{"LIE0143"}) << e;
  const auto declared = [](const std::string& statement) {
    return check("model M {\n  " + statement + "\n  config y : R velocity u;\n  lagrangian = 0.5*u^2;\n}\n").codes();
  };
  EXPECT_EQ(declared("config q : R^4294967299 velocity w;"), Codes{"LIE0143"});
  EXPECT_EQ(declared("param A : mat(4294967297, 1);"), Codes{"LIE0143"});
  EXPECT_EQ(declared("config q[4294967299] : R velocity w;"), Codes{"LIE0192"});
}

TEST(Sizes, StumpffFunctionsOfHighOrderAreExactAtZero) {
  double factorial = 1;
  for (int k = 1; k <= 30; ++k) {
    factorial *= k;
    expect("stumpff(" + std::to_string(k) + ", 0)", 1 / factorial, 1e-15);
  }
}

TEST(Models, WhatIsNeededForASizeDoesNotMove) {
  const auto codesOf = [](const std::string& statements) {
    return check("model M {\n" + statements + "  config y : R velocity u;\n  lagrangian = 0.5*u^2;\n}\n").codes();
  };
  EXPECT_EQ(codesOf("  config q[w] : R^3 velocity w;\n"), Codes{"LIE0143"});
  EXPECT_EQ(codesOf("  config q[q] : R^3 velocity w;\n"), Codes{"LIE0143"});
  EXPECT_EQ(codesOf("  config q : R^w velocity w;\n"), Codes{"LIE0143"});
  EXPECT_EQ(codesOf("  config q[u] : R^3 velocity w;\n"), Codes{"LIE0143"});
  EXPECT_EQ(codesOf("  state z[z] : R^3;\n"), Codes{"LIE0143"});
  EXPECT_EQ(codesOf("  param n : int = u;\n  config q[n] : R^3 velocity w;\n"), Codes{"LIE0143"});
  EXPECT_EQ(codesOf("  let n = y;\n  config q[n] : R^3 velocity w;\n"), Codes{"LIE0143"});
}

TEST(Branches, ThatAreNotTakenAreNotWorkedOut) {
  expect("if k > 1 then 3 else div(1, k - 2)", 3);
  expect("if k > 1 then 3 else mod(1, k - 2)", 3);
  expect("if k > 2 then (k - 2)^(-1) else 4", 4);
  expect("if k > 2 then norm(zeros(k - 2)) else 5", 5);
  expect("if k > 2 then x[k + 3] else 6", 6);
  expect("if k > 2 then mod(2^70, 3) else 7", 7);
  expect("sum(i in 1..5 where i != 3: div(12, i - 3))", -6 - 12 + 12 + 6);
  expect("sum(i in 1..5: if i == 3 then 100 else div(12, i - 3))", 100);
  expect("sum(i in 1..0: div(1, 0*i))", 0);
  EXPECT_EQ(codes("sum(i in 1..5: div(6, i - 3))"), Codes{"LIE0124"});
  EXPECT_EQ(codes("sum(i in 1..5: mod(6, i - 3))"), Codes{"LIE0124"});
  EXPECT_EQ(codes("if N > 2 then div(1, N - 3) else 3"), Codes{"LIE0124"});
  EXPECT_EQ(codes("if N > 2 then 3 else nothing"), Codes{"LIE0100"}); // names are known in every branch
}

TEST(Floor, IsAnIntegerWhateverItIsOf) {
  expect("div(floor(x[3] + 4.5), 2)", 3);
  expect("div(-floor(x[3] + 4.5), 2)", -4);
  expect("mod(floor(-x[3]), 2)", 1);
  expect("c[floor(x[2]/2) + 1]", 20);
  expect("x[floor(m)]", 2);
  expect("x[2*floor(m) - 1]", 3);
  expect("sum(i in 1..3: i*c[floor(x[i])])", 10 + 40 + 90);
  std::string list = "0";
  for (int k = 1; k < 40; ++k) list += ", " + std::to_string(k * k);
  expect("[" + list + "][floor(x[3]*10) + 1]", 900); // long ones are looked up in a loop
  const Numbers outside = evaluateText("c[floor(x[3]) + 1]");
  ASSERT_EQ(outside.size(), 1U);
  EXPECT_TRUE(std::isnan(outside[0]));
  EXPECT_EQ(codes("x[a]"), Codes{"LIE0137"});
  EXPECT_EQ(check("model M {\n  param a = 2.5;\n  param p : int = floor(a);\n  config x : R velocity v;\n"
                  "  lagrangian = 0.5*v^2;\n}\n")
                .codes(),
            Codes{"LIE0137"}); // known during the run only
}
