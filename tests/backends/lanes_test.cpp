// Code for many lanes: each lane does what the interpreter does, whatever its neighbours do, at every width.
#include "HeavyTop.h"
#include "Lanes.h"
#include "RandomTape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace lmc {
namespace {

jit::CompileOptions lanesOf(int lanes, bool contract) {
  jit::CompileOptions o;
  o.lanes = lanes;
  o.contract = contract;
  o.useCache = false;
  return o;
}

/// Memory of one lane; all lanes differ.
test::Memory startOf(const tape::Module& m, unsigned seed, std::size_t lane) {
  test::Memory memory(m);
  std::mt19937 random(seed * 1000 + static_cast<unsigned>(lane));
  std::uniform_real_distribution<double> number(-2, 2);
  for (auto& role : memory.data)
    for (double& x : role) x = number(random);
  return memory;
}

constexpr double arguments[3] = {0.25, -1.5, 0.75};
double argumentOf(std::size_t k, std::size_t lane) {
  return arguments[k] + 0.01 * static_cast<double>(lane);
}

bool sameBits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

void expectSame(const tape::Module& m, test::Memory a, test::Memory b) {
  test::forgetScratch(m, a);
  test::forgetScratch(m, b);
  for (int r = 0; r < runtime::roleCount; ++r)
    for (std::size_t k = 0; k < a.data[r].size(); ++k)
      ASSERT_TRUE(sameBits(a.data[r][k], b.data[r][k]))
          << tape::name(static_cast<runtime::Role>(r)) << "[" << k << "]: " << a.data[r][k] << " and " << b.data[r][k];
}

test::LaneMemory prepared(const tape::Module& m, int lanes, unsigned seed) {
  test::LaneMemory memory(m, lanes);
  for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) {
    memory.put(startOf(m, seed, l), l);
    for (std::size_t k = 0; k < 3; ++k) memory.argument(k, l, argumentOf(k, l));
  }
  return memory;
}

/// Every function of a tape, each lane with its own memory and arguments.
void compareFunctions(const tape::Module& m, const runtime::Compiled& code, int lanes, unsigned seed) {
  for (int f = 0; f < static_cast<int>(m.functions.size()); ++f) {
    test::LaneMemory memory = prepared(m, lanes, seed);
    memory.call(code, f);
    for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) {
      test::Memory expected = startOf(m, seed, l);
      const double own[3] = {argumentOf(0, l), argumentOf(1, l), argumentOf(2, l)};
      ASSERT_EQ(memory.statuses[l], tape::interpret(m, f, expected.bases(), own)) << "function " << f << ", lane " << l;
      if (memory.statuses[l] == runtime::Ok) expectSame(m, expected, memory.take(m, l));
      if (testing::Test::HasFatalFailure()) FAIL() << "function " << f << ", lane " << l;
    }
  }
}

/// The loop of steps, as its documentation says.
std::int32_t advanceByInterpreter(const tape::Module& m, test::Memory& memory, std::int64_t first, std::int64_t n,
                                  std::int64_t& done) {
  std::vector<double>& state = memory.of(runtime::Role::State);
  for (done = first; done < first + n; ++done) {
    const std::vector<double> before = state;
    const double own[2] = {0.1 + static_cast<double>(done) * 0.07, 0.07};
    std::int32_t status = tape::interpret(m, m.step, memory.bases(), own);
    for (const double x : state)
      if (status == runtime::Ok && !std::isfinite(x)) status = runtime::NonFinite;
    if (status == runtime::Ok) continue;
    state = before;
    return status;
  }
  return runtime::Ok;
}

/// Steps 2…6; returns the number of lanes that failed.
int compareAdvance(const tape::Module& m, const runtime::Compiled& code, int lanes, unsigned seed) {
  int failed = 0;
  test::LaneMemory memory = prepared(m, lanes, seed);
  memory.advance(code, 0.1, 0.07, 2, 5);
  for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) {
    test::Memory expected = startOf(m, seed, l);
    std::int64_t done = 0;
    EXPECT_EQ(memory.statuses[l], advanceByInterpreter(m, expected, 2, 5, done));
    EXPECT_EQ(memory.done[l], done);
    failed += memory.statuses[l] != runtime::Ok ? 1 : 0;
    const test::Memory got = memory.take(m, l);
    for (std::size_t k = 0; k < got.data[2].size(); ++k)
      EXPECT_TRUE(sameBits(got.data[2][k], expected.data[2][k])) << "lane " << l << ", state " << k;
  }
  return failed;
}

class Lanes : public testing::TestWithParam<int> {};

TEST_P(Lanes, EachDoesWhatTheInterpreterDoes) {
  const int lanes = GetParam();
  int failed = 0;
  for (unsigned k = 0; k < 3; ++k) {
    const unsigned seed = 100 * static_cast<unsigned>(lanes) + k; // other tapes at every width
    const test::RandomTape tape(seed, test::Exactness::Exact);
    const auto code = jit::compile(tape.module, lanesOf(lanes, false));
    compareFunctions(tape.module, *code, lanes, seed);
    failed += compareAdvance(tape.module, *code, lanes, seed);
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << tape::print(tape.module);
  }
  EXPECT_GT(failed, 0) << "no step failed: the test shows nothing of failures";
}

/// Fused operations, polynomials and all: against one lane alone.
TEST(LaneBits, DoNotDependOnTheWidth) {
  for (unsigned seed = 1000; seed < 1002; ++seed) {
    const test::RandomTape tape(seed, test::Exactness::Rounded);
    const tape::Module& m = tape.module;
    const auto alone = jit::compile(m, lanesOf(1, true));
    for (const int lanes : {4, 16}) {
      const auto code = jit::compile(m, lanesOf(lanes, true));
      test::LaneMemory memory = prepared(m, lanes, seed);
      memory.advance(*code, 0.1, 0.07, 0, 3);
      for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) {
        test::LaneMemory one(m, 1);
        one.put(startOf(m, seed, l), 0);
        one.advance(*alone, 0.1, 0.07, 0, 3);
        ASSERT_EQ(memory.statuses[l], one.statuses[0]) << "seed " << seed;
        EXPECT_EQ(memory.done[l], one.done[0]);
        const test::Memory a = memory.take(m, l), b = one.take(m, 0);
        for (std::size_t k = 0; k < a.data[2].size(); ++k)
          ASSERT_TRUE(sameBits(a.data[2][k], b.data[2][k])) << "seed " << seed << ", lane " << l << ", state " << k;
      }
    }
  }
}

/// A lane that does not take part keeps its state and its status.
TEST_P(Lanes, ThoseOutsideStayAsTheyAre) {
  const int lanes = GetParam();
  const test::HeavyTop top;
  const auto code = jit::compile(top.module, lanesOf(lanes, true));
  test::LaneMemory memory(top.module, lanes);
  test::Memory start(top.module);
  test::HeavyTop::start(start);
  for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) memory.put(start, l);
  memory.statuses[0] = 7;
  memory.done[0] = 5;
  memory.advance(*code, 0, 1e-3, 10, 100);
  EXPECT_EQ(memory.statuses[0], 7);
  EXPECT_EQ(memory.done[0], 5);
  const test::Memory first = memory.take(top.module, 0);
  EXPECT_EQ(first.data[2], start.data[2]);
  for (std::size_t l = 1; l < static_cast<std::size_t>(lanes); ++l) {
    EXPECT_EQ(memory.done[l], 110);
    EXPECT_NE(memory.take(top.module, l).data[2], start.data[2]);
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, Lanes, testing::Values(1, 2, 4, 8, 16));

/// sin and cos of lanes against the library: 2 units in the last place in the whole range of the polynomials, the
/// library's value beyond it.
TEST(LaneFunctions, SineAndCosine) {
  tape::Module m;
  const int in = test::addBuffer(m, "in", runtime::Role::Params, 1);
  const int out = test::addBuffer(m, "out", runtime::Role::Output, 2);
  test::FunctionBuilder f(m, "f", 0);
  const test::V x = f.load(in, 0);
  f.store(out, 0, f.op(tape::Op::Sin, {x}));
  f.store(out, 1, f.op(tape::Op::Cos, {x}));
  f.finish();
  constexpr int lanes = 8;
  const auto code = jit::compile(m, lanesOf(lanes, true));
  std::mt19937 random(3);
  for (int round = 0; round < 4000; ++round) {
    test::LaneMemory memory(m, lanes);
    std::array<double, lanes> angles{};
    for (std::size_t l = 0; l < lanes; ++l) {
      const double size = std::ldexp(1.0, static_cast<int>(random() % 22) - 4); // up to 1.3e5
      angles[l] = std::uniform_real_distribution<double>(-size, size)(random);
      if (round % 7 == 0) angles[l] = std::round(angles[l]) * 1.5707963267948966; // near multiples of pi/2
      if (round % 11 == 0 && l == 3) angles[l] *= 1e9;
      memory.at(0, 0, l) = angles[l];
    }
    memory.call(*code, 0);
    for (std::size_t l = 0; l < lanes; ++l) {
      const double s = std::sin(angles[l]), c = std::cos(angles[l]);
      const double ulp = std::numeric_limits<double>::epsilon();
      EXPECT_NEAR(memory.at(4, 0, l), s, 2 * ulp * std::fabs(s)) << angles[l];
      EXPECT_NEAR(memory.at(4, 1, l), c, 2 * ulp * std::fabs(c)) << angles[l];
    }
  }
}

TEST(LaneFunctions, AngleThatIsNoNumber) {
  tape::Module m;
  const int in = test::addBuffer(m, "in", runtime::Role::Params, 1);
  const int out = test::addBuffer(m, "out", runtime::Role::Output, 2);
  test::FunctionBuilder f(m, "f", 0);
  f.store(out, 0, f.op(tape::Op::Sin, {f.load(in, 0)}));
  f.store(out, 1, f.op(tape::Op::Stumpff, {f.load(in, 0)}, 2));
  f.finish();
  const auto code = jit::compile(m, lanesOf(2, true));
  test::LaneMemory memory(m, 2);
  memory.at(0, 0, 0) = NAN;
  memory.at(0, 0, 1) = 0.5;
  memory.call(*code, 0);
  EXPECT_TRUE(std::isnan(memory.at(4, 0, 0)));
  EXPECT_TRUE(std::isnan(memory.at(4, 1, 0)));
  EXPECT_DOUBLE_EQ(memory.at(4, 0, 1), std::sin(0.5));
  EXPECT_DOUBLE_EQ(memory.at(4, 1, 1), (1 - std::cos(std::sqrt(0.5))) / 0.5);
}

} // namespace
} // namespace lmc
