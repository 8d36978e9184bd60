// The loop of steps: time, counts, failures, states in registers and in memory.
#include "HeavyTop.h"
#include "jit/Compile.h"
#include "runtime/kernels/Team.h"
#include "tape/Shares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lmc {
namespace {

using test::FunctionBuilder;
using test::V;

jit::CompileOptions uncached() {
  jit::CompileOptions o;
  o.useCache = false;
  return o;
}

/// x[i] <- x[i]^2 for all, last[0] <- t; fails with status 9 at times beyond params[0].
tape::Module squares(std::int64_t size) {
  tape::Module m;
  const int limit = test::addBuffer(m, "limit", runtime::Role::Params, 1);
  const int x = test::addBuffer(m, "x", runtime::Role::State, size);
  const int last = test::addBuffer(m, "last", runtime::Role::Output, 1);
  FunctionBuilder f(m, "step", 2);
  const V t = f.argument(0);
  f.store(last, 0, t);
  f.loop(f.integer(0), f.integer(size - 1), [&](V i) {
    const V v = f.load(x, i);
    f.store(x, i, v * v);
  });
  f.failIf(f.op(tape::Op::Lt, {f.load(limit, 0), t}), 9);
  m.step = f.finish();
  return m;
}

struct Outcome {
  std::int32_t status = 0;
  double t = 0;
  std::int64_t done = -1;
};

/// States from so many numbers on are those of loops that threads share: so are the copy of the state and the look at
/// it.
constexpr std::int64_t shared = 5000;

class Advance : public testing::TestWithParam<std::int64_t> {
protected:
  void SetUp() override {
    module = squares(GetParam());
    if (GetParam() >= shared) tape::divideMembers(module, 0);
    compiled = jit::compile(module, uncached());
    memory = std::make_unique<test::Memory>(module, 1.0);
    memory->of(runtime::Role::Params)[0] = 1e300;
  }
  Outcome run(double t, double h, std::int64_t n, std::int64_t first = 0) {
    Outcome r;
    r.t = t;
    r.done = first;
    r.status = compiled->advance()(memory->bases().base, &r.t, h, n, &r.done);
    return r;
  }
  std::vector<double>& state() { return memory->of(runtime::Role::State); }

  tape::Module module;
  std::unique_ptr<runtime::Compiled> compiled;
  std::unique_ptr<test::Memory> memory;
  runtime::Team team{3};
};

TEST_P(Advance, TimesOfStepsDoNotDependOnTheCalls) {
  Outcome r = run(1, 0.1, 3, 1000);
  EXPECT_EQ(r.done, 3);
  EXPECT_EQ(r.t, 1 + 1003 * 0.1);
  memory->of(runtime::Role::Params)[0] = 1 + 1004.5 * 0.1; // the first step that begins behind this fails
  r = run(1, 0.1, 10, 1003);
  EXPECT_EQ(r.status, 9);
  EXPECT_EQ(r.done, 2);
}

TEST_P(Advance, TimeDoesNotAccumulateErrors) {
  const Outcome r = run(0.3, 0.1, 1000);
  EXPECT_EQ(r.status, runtime::Ok);
  EXPECT_EQ(r.done, 1000);
  EXPECT_EQ(r.t, 0.3 + 1000 * 0.1);
  EXPECT_EQ(memory->of(runtime::Role::Output)[0], 0.3 + 999 * 0.1);
}

TEST_P(Advance, NoStepsNoChange) {
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-3}}) {
    state().back() = 2;
    const Outcome r = run(1, 0.1, n);
    EXPECT_EQ(r.status, runtime::Ok);
    EXPECT_EQ(r.done, 0);
    EXPECT_EQ(r.t, 1);
    EXPECT_EQ(state().back(), 2);
  }
}

TEST_P(Advance, StopsAtTheLastFiniteState) {
  for (std::size_t bad = 0; bad < state().size(); bad += GetParam() >= shared ? 13 : 1) {
    std::fill(state().begin(), state().end(), 1.0);
    state()[bad] = 2; // 2^(2^k) overflows at k = 10
    const Outcome r = run(1, 0.5, 100);
    EXPECT_EQ(r.status, runtime::NonFinite);
    EXPECT_EQ(r.done, 9);
    EXPECT_EQ(r.t, 1 + 9 * 0.5);
    for (std::size_t k = 0; k < state().size(); ++k) ASSERT_EQ(state()[k], k == bad ? std::ldexp(1.0, 512) : 1.0);
  }
}

TEST_P(Advance, SeesNaN) {
  state()[0] = NAN;
  EXPECT_EQ(run(0, 1, 5).status, runtime::NonFinite);
  EXPECT_TRUE(std::isnan(state()[0]));
}

TEST_P(Advance, FailureUndoesTheStep) {
  state().back() = 2;
  memory->of(runtime::Role::Params)[0] = 1.2;
  const Outcome r = run(1, 0.1, 50);
  EXPECT_EQ(r.status, 9);
  EXPECT_EQ(r.done, 3); // the steps at 1, 1.1 and 1.2
  EXPECT_EQ(r.t, 1 + 3 * 0.1);
  EXPECT_EQ(state().back(), 256);
}

TEST_P(Advance, OneStepStoresWhatItComputes) {
  state()[0] = 1e200;
  const double arguments[2] = {0, 0.1};
  EXPECT_EQ(compiled->function(module.step)(memory->bases().base, arguments), runtime::Ok);
  EXPECT_EQ(state()[0], std::numeric_limits<double>::infinity());
}

INSTANTIATE_TEST_SUITE_P(Sizes, Advance, testing::Values(1, 3, 8, 64, 65, 72, 1001, 5003));

TEST(HeavyTop, FollowsTheInterpreter) {
  const test::HeavyTop top;
  ASSERT_EQ(tape::verify(top.module), "");
  const auto compiled = jit::compile(top.module, uncached());
  test::Memory a(top.module);
  test::HeavyTop::start(a);
  test::Memory b = a;
  for (int k = 0; k < 200; ++k) {
    const double arguments[2] = {0, 1e-2};
    ASSERT_EQ(tape::interpret(top.module, 0, a.bases(), arguments), 0);
  }
  double t = 0;
  std::int64_t done = 0;
  ASSERT_EQ(compiled->advance()(b.bases().base, &t, 1e-2, 200, &done), 0);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(a.of(runtime::Role::State)[k], b.of(runtime::Role::State)[k], 1e-12);
}

TEST(HeavyTop, LargeAnglesTakeTheFarBranch) {
  const test::HeavyTop top;
  const auto compiled = jit::compile(top.module, uncached());
  test::Memory a(top.module);
  test::HeavyTop::start(a);
  test::Memory b = a;
  const double arguments[2] = {0, 0.2}; // 2.4 radians in a step
  ASSERT_EQ(tape::interpret(top.module, 0, a.bases(), arguments), 0);
  ASSERT_EQ(compiled->function(0)(b.bases().base, arguments), 0);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(a.of(runtime::Role::State)[k], b.of(runtime::Role::State)[k], 1e-12);
}

} // namespace
} // namespace lmc
