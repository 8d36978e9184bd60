// Meaning of the operations whose conventions are not obvious.
#include "Builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lmc {
namespace {

using tape::Op;
using test::FunctionBuilder;
using test::V;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

TEST(TapeNumbers, DivisionRoundsDown) {
  EXPECT_EQ(lmc::floorDiv(7, 3), 2);
  EXPECT_EQ(lmc::floorDiv(-7, 3), -3);
  EXPECT_EQ(lmc::floorDiv(7, -3), -3);
  EXPECT_EQ(lmc::floorDiv(-7, -3), 2);
  EXPECT_EQ(lmc::floorDiv(5, 0), 0);
  EXPECT_EQ(lmc::floorDiv(least, -1), least);
  EXPECT_EQ(lmc::floorMod(7, 3), 1);
  EXPECT_EQ(lmc::floorMod(-7, 3), 2);
  EXPECT_EQ(lmc::floorMod(7, -3), -2);
  EXPECT_EQ(lmc::floorMod(-7, -3), -1);
  EXPECT_EQ(lmc::floorMod(5, 0), 0);
  EXPECT_EQ(lmc::floorMod(least, -1), 0);
}

TEST(TapeNumbers, Powers) {
  EXPECT_EQ(tape::powInt(3, 0), 1);
  EXPECT_EQ(tape::powInt(3, 5), 243);
  EXPECT_EQ(tape::powInt(2, -3), 0.125);
  EXPECT_EQ(tape::powInt(0, -1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(tape::powInt(1, least), 1);
}

TEST(TapeNumbers, FloorToIntSaturates) {
  EXPECT_EQ(tape::floorToInt(-0.5), -1);
  EXPECT_EQ(tape::floorToInt(1e300), most);
  EXPECT_EQ(tape::floorToInt(-1e300), least);
  EXPECT_EQ(tape::floorToInt(NAN), 0);
}

/// Runs one function of a module that has a single Output buffer.
double evaluate(const std::function<void(FunctionBuilder&, int)>& body) {
  tape::Module m;
  const int out = test::addBuffer(m, "out", runtime::Role::Output, 1);
  FunctionBuilder f(m, "f", 0);
  body(f, out);
  f.finish();
  EXPECT_EQ(tape::verify(m), "");
  test::Memory memory(m);
  EXPECT_EQ(tape::interpret(m, 0, memory.bases(), nullptr), runtime::Ok);
  return memory.of(runtime::Role::Output)[0];
}

TEST(TapeInterpret, LoopsRunBothWaysAndMayBeEmpty) {
  const auto digits = [](std::int64_t low, std::int64_t high, bool down) {
    return evaluate([&](FunctionBuilder& f, int out) {
      f.loop(
          f.integer(low), f.integer(high),
          [&](V i) { f.store(out, 0, f.load(out, 0) * f.real(10) + f.op(Op::IntToReal, {i})); }, down);
    });
  };
  EXPECT_EQ(digits(1, 4, false), 1234);
  EXPECT_EQ(digits(1, 4, true), 4321);
  EXPECT_EQ(digits(3, 3, true), 3);
  EXPECT_EQ(digits(4, 3, false), 0);
  EXPECT_EQ(digits(4, 3, true), 0);
}

TEST(TapeInterpret, MinimumWithNaNIsNaN) {
  const auto least2 = [](double a, double b) {
    return evaluate([&](FunctionBuilder& f, int out) { f.store(out, 0, f.op(Op::Min, {f.real(a), f.real(b)})); });
  };
  EXPECT_TRUE(std::isnan(least2(NAN, 1)));
  EXPECT_TRUE(std::isnan(least2(1, NAN)));
  EXPECT_EQ(least2(-1, 1), -1);
}

TEST(TapeInterpret, StatusLeavesAtOnceThroughCalls) {
  tape::Module m;
  const int out = test::addBuffer(m, "out", runtime::Role::Output, 2);
  FunctionBuilder inner(m, "inner", 1);
  inner.failIf(inner.op(Op::Lt, {inner.argument(0), inner.real(0)}), 7);
  inner.store(out, 0, inner.argument(0));
  inner.finish();
  FunctionBuilder outer(m, "outer", 1);
  outer.call(0, {outer.argument(0)});
  outer.store(out, 1, outer.real(1));
  outer.finish();
  test::Memory memory(m);
  const double good = 2;
  const double bad = -2;
  EXPECT_EQ(tape::interpret(m, 1, memory.bases(), &bad), 7);
  EXPECT_EQ(memory.of(runtime::Role::Output), (std::vector<double>{0, 0}));
  EXPECT_EQ(tape::interpret(m, 1, memory.bases(), &good), runtime::Ok);
  EXPECT_EQ(memory.of(runtime::Role::Output), (std::vector<double>{2, 1}));
}

} // namespace
} // namespace lmc
