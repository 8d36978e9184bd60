// Stumpff functions as generated code computes them.
#include "../tape/StumpffReference.h"
#include "Builder.h"
#include "jit/Compile.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace lmc {
namespace {

constexpr int orders = 9;

/// out[j] = c_{k_j}(x) for the given orders.
tape::Module sample(const std::vector<int>& wanted) {
  tape::Module m;
  const int out = test::addBuffer(m, "out", runtime::Role::Output, orders);
  test::FunctionBuilder f(m, "f", 1);
  const test::V s = f.argument(0);
  for (std::size_t j = 0; j < wanted.size(); ++j)
    f.store(out, static_cast<std::int64_t>(j), f.op(tape::Op::Stumpff, {s}, wanted[j]));
  f.finish();
  return m;
}

jit::CompileOptions uncached() {
  jit::CompileOptions o;
  o.useCache = false;
  return o;
}

/// Arguments with the exact values, computed once.
const std::vector<std::pair<double, test::QuadOrders>>& references() {
  static const auto all = [] {
    std::vector<std::pair<double, test::QuadOrders>> list;
    test::forStumpffArguments([&](double s) { list.emplace_back(s, test::stumpffReference(s)); });
    return list;
  }();
  return all;
}

void check(const std::vector<int>& wanted) {
  const tape::Module m = sample(wanted);
  const auto compiled = jit::compile(m, uncached());
  test::Memory memory(m);
  const runtime::Bases bases = memory.bases();
  for (const auto& [s, exact] : references()) {
    ASSERT_EQ(compiled->function(0)(bases.base, &s), 0);
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      const int k = wanted[j];
      const test::Quad r = exact[static_cast<std::size_t>(k)];
      const double error = static_cast<double>(static_cast<test::Quad>(memory.of(runtime::Role::Output)[j]) - r);
      const double size = std::fabs(static_cast<double>(r));
      const double allowed = k <= 3 || s < 0 ? 4 * 0x1p-52 * size + 1e-30 : 1e-15 / std::tgamma(k + 1.0);
      ASSERT_LE(std::fabs(error), allowed) << "c_" << k << "(" << s << ")";
    }
  }
}

TEST(CodegenStumpff, AllTogether) {
  check({0, 1, 2, 3, 4, 5, 6, 7, 8});
}
TEST(CodegenStumpff, Rotation) {
  check({2, 0, 1});
}
TEST(CodegenStumpff, EachAlone) {
  for (int k = 0; k < orders; ++k) check({k});
}

TEST(CodegenStumpff, SharedInNestedBlocks) {
  tape::Module m;
  const int out = test::addBuffer(m, "out", runtime::Role::Output, 4);
  test::FunctionBuilder f(m, "f", 1);
  const test::V s = f.argument(0);
  const auto c = [&](int k) { return f.op(tape::Op::Stumpff, {s}, k); };
  f.when(f.op(tape::Op::Lt, {s, f.real(0)}), [&] { f.store(out, 0, c(2)); });
  f.store(out, 1, c(1));
  f.when(f.op(tape::Op::Lt, {s, f.real(5)}), [&] { f.store(out, 2, c(1) + c(3)); });
  f.store(out, 3, c(3));
  f.finish();
  const auto compiled = jit::compile(m, uncached());
  for (const double x : {-0.5, 0.5, 2.0, 7.0}) {
    test::Memory expected(m);
    test::Memory actual(m);
    ASSERT_EQ(tape::interpret(m, 0, expected.bases(), &x), 0);
    ASSERT_EQ(compiled->function(0)(actual.bases().base, &x), 0);
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_NEAR(expected.of(runtime::Role::Output)[j], actual.of(runtime::Role::Output)[j], 1e-15);
  }
}

/// The coefficient of ad^2 in dexp^{-1} on so(3), (c_3 - 2 c_4)/(2 c_2), and a quotient that has a pole at 0.
TEST(CodegenStumpff, QuotientsBecomePolynomialsWhereTheyCan) {
  tape::Module m;
  const int out = test::addBuffer(m, "out", runtime::Role::Output, 3);
  test::FunctionBuilder f(m, "f", 1);
  const test::V s = f.argument(0);
  const auto c = [&](int k) { return f.op(tape::Op::Stumpff, {s}, k); };
  const test::V two = f.real(2);
  const test::V quotient = (c(3) - two * c(4)) / (two * c(2));
  f.store(out, 0, quotient);
  f.store(out, 1, c(1) / s);
  f.store(out, 2, quotient / (f.real(3) - quotient)); // a quotient of quotients
  f.finish();
  jit::CompileOptions options = uncached();
  options.keepIr = true;
  const auto compiled = jit::compile(m, options);
  test::Memory memory(m);
  const std::vector<double>& results = memory.of(runtime::Role::Output);
  test::forStumpffArguments([&](double x) {
    if (x == 0 || std::fabs(x) > 30) return;
    ASSERT_EQ(compiled->function(0)(memory.bases().base, &x), 0);
    const test::QuadOrders e = test::stumpffReference(x);
    const test::Quad exact = (e[3] - 2 * e[4]) / (2 * e[2]);
    // A polynomial of its own near zero; further out a quotient of polynomials, then of library functions.
    const double allowed = (std::fabs(x) <= 0.0625 ? 2 : std::fabs(x) <= 1 ? 4 : 30) * 0x1p-52;
    const auto check = [&](double actual, test::Quad wanted) {
      const double error = static_cast<double>((static_cast<test::Quad>(actual) - wanted) / wanted);
      ASSERT_LE(std::fabs(error), allowed) << x;
    };
    check(results[0], exact);
    check(results[2], exact / (3 - exact));
    ASSERT_NEAR(results[1] * x, static_cast<double>(e[1]), 1e-14);
  });
  // One division for c_1/s, and two far from zero.
  std::size_t divisions = 0;
  for (std::size_t at = 0; (at = compiled->ir().find("fdiv", at)) != std::string::npos; ++at) ++divisions;
  EXPECT_EQ(divisions, 3U);
}

TEST(CodegenTrig, SineAndCosineShareACall) {
  tape::Module m;
  const int out = test::addBuffer(m, "out", runtime::Role::Output, 3);
  test::FunctionBuilder f(m, "f", 1);
  const test::V x = f.argument(0);
  f.store(out, 0, f.op(tape::Op::Cos, {x}));
  f.store(out, 1, f.op(tape::Op::Sin, {x}));
  f.store(out, 2, f.op(tape::Op::Sin, {x + x}));
  f.finish();
  jit::CompileOptions options = uncached();
  options.keepIr = true;
  const auto compiled = jit::compile(m, options);
  std::size_t calls = 0;
  for (std::size_t at = 0; (at = compiled->assembly().find("call", at)) != std::string::npos; ++at) ++calls;
  EXPECT_LE(calls, 3U); // the entry may call the body
  test::Memory memory(m);
  const double argument = 0.7;
  ASSERT_EQ(compiled->function(0)(memory.bases().base, &argument), 0);
  EXPECT_EQ(memory.of(runtime::Role::Output), (std::vector<double>{std::cos(0.7), std::sin(0.7), std::sin(1.4)}));
}

} // namespace
} // namespace lmc
