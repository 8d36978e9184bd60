// Compiled tapes do what interpreted ones do.
#include "RandomTape.h"
#include "jit/Compile.h"
#include "tape/pieces/Split.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace lmc {
namespace {

jit::CompileOptions plain(int level) {
  jit::CompileOptions o;
  o.optimization = level;
  o.useCache = false;
  return o;
}

test::Memory startOf(const tape::Module& m, unsigned seed) {
  test::Memory memory(m);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-2, 2);
  for (auto& role : memory.data)
    for (double& x : role) x = number(random);
  return memory;
}

bool same(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return std::signbit(a) == std::signbit(b) || tolerance > 0;
  return std::fabs(a - b) <= tolerance * (1 + std::fabs(a));
}

void expectSame(const tape::Module& m, test::Memory a, test::Memory b, double tolerance) {
  test::forgetScratch(m, a);
  test::forgetScratch(m, b);
  for (int r = 0; r < runtime::roleCount; ++r)
    for (std::size_t k = 0; k < a.data[r].size(); ++k)
      ASSERT_TRUE(same(a.data[r][k], b.data[r][k], tolerance))
          << tape::name(static_cast<runtime::Role>(r)) << "[" << k << "]: " << a.data[r][k] << " and " << b.data[r][k];
}

/// Runs every function of the tape both ways.
void compareFunctions(const tape::Module& m, const runtime::Compiled& compiled, unsigned seed) {
  const double arguments[3] = {0.25, -1.5, 0.75};
  for (int f = 0; f < static_cast<int>(m.functions.size()); ++f) {
    if (m.functions[static_cast<std::size_t>(f)].part) continue; // reads what those that call it have left
    test::Memory expected = startOf(m, seed);
    test::Memory actual = expected;
    const std::int32_t wanted = tape::interpret(m, f, expected.bases(), arguments);
    ASSERT_EQ(compiled.function(f)(actual.bases().base, arguments), wanted) << "function " << f;
    if (wanted != 0 && f == m.step) { // a failed step leaves its state as it was; the interpreter leaves it anywhere
      expected.of(runtime::Role::State) = startOf(m, seed).of(runtime::Role::State);
    }
    // Where a function ends early, what passes between its pieces is in no defined state.
    if (wanted != 0) actual.of(runtime::Role::Work) = expected.of(runtime::Role::Work);
    expectSame(m, expected, actual, 0);
    if (testing::Test::HasFatalFailure()) FAIL() << "function " << f << "\n" << tape::print(m);
  }
}

/// The loop of `advance` from step 0, as its documentation says.
std::int32_t advanceByInterpreter(const tape::Module& m, test::Memory& memory, double& t, double h, std::int64_t n,
                                  std::int64_t& done) {
  const double start = t;
  std::vector<double>& state = memory.of(runtime::Role::State);
  for (done = 0; done < n; ++done) {
    const std::vector<double> before = state;
    const double arguments[2] = {start + static_cast<double>(done) * h, h};
    std::int32_t status = tape::interpret(m, m.step, memory.bases(), arguments);
    if (status == runtime::Ok)
      for (const double x : state)
        if (!std::isfinite(x)) status = runtime::NonFinite;
    if (status != runtime::Ok) {
      state = before;
      t = start + static_cast<double>(done) * h;
      return status;
    }
  }
  t = start + static_cast<double>(done) * h;
  return runtime::Ok;
}

void compareAdvance(const tape::Module& m, const runtime::Compiled& compiled, unsigned seed) {
  test::Memory expected = startOf(m, seed);
  test::Memory actual = expected;
  double expectedTime = 0.1;
  double actualTime = 0.1;
  std::int64_t expectedDone = 0;
  std::int64_t actualDone = 0;
  const std::int32_t wanted = advanceByInterpreter(m, expected, expectedTime, 0.07, 5, expectedDone);
  EXPECT_EQ(compiled.advance()(actual.bases().base, &actualTime, 0.07, 5, &actualDone), wanted);
  EXPECT_EQ(actualDone, expectedDone);
  EXPECT_EQ(actualTime, expectedTime);
  if (wanted != 0) actual.of(runtime::Role::Work) = expected.of(runtime::Role::Work);
  expectSame(m, expected, actual, 0);
}

class Random : public testing::TestWithParam<int> {};

TEST_P(Random, CompiledEqualsInterpreted) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::RandomTape tape(seed, test::Exactness::Exact);
    ASSERT_EQ(tape::verify(tape.module), "");
    jit::CompileOptions options = plain(GetParam());
    options.contract = false;
    const auto compiled = jit::compile(tape.module, options);
    compareFunctions(tape.module, *compiled, seed);
    compareAdvance(tape.module, *compiled, seed);
    if (HasFailure()) return;
  }
}

/// Code for the first steps, which gives registers by itself: with short functions, and with some in which most numbers
/// have no room in registers.
TEST(RandomQuick, EqualsInterpreted) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::RandomTape tape(seed, test::Exactness::Exact, seed % 4 == 0 ? 15 : 1);
    ASSERT_EQ(tape::verify(tape.module), "");
    jit::CompileOptions options = plain(2);
    options.contract = false;
    options.tiers = jit::Tiers::Quick;
    const auto compiled = jit::compile(tape.module, options);
    compareFunctions(tape.module, *compiled, seed);
    compareAdvance(tape.module, *compiled, seed);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomSplit, PiecesDoWhatTheWholeDoes) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::RandomTape tape(seed, test::Exactness::Exact);
    tape::split(tape.module, 4 + seed % 12);
    ASSERT_EQ(tape::verify(tape.module), "");
    jit::CompileOptions options = plain(2);
    options.contract = false;
    const auto compiled = jit::compile(tape.module, options);
    compareFunctions(tape.module, *compiled, seed);
    compareAdvance(tape.module, *compiled, seed);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Random, testing::Values(0, 1, 2, 3));

TEST(RandomRounded, StumpffAndContractionCompile) {
  for (unsigned seed = 1000; seed < 1040; ++seed) {
    const test::RandomTape tape(seed, test::Exactness::Rounded);
    ASSERT_EQ(tape::verify(tape.module), "");
    const auto compiled = jit::compile(tape.module, plain(2));
    const auto again = jit::compile(tape.module, plain(2));
    const double arguments[3] = {0.25, -1.5, 0.75};
    for (int f = 0; f < static_cast<int>(tape.module.functions.size()); ++f) {
      test::Memory first = startOf(tape.module, seed);
      test::Memory second = first;
      ASSERT_EQ(compiled->function(f)(first.bases().base, arguments),
                again->function(f)(second.bases().base, arguments));
      expectSame(tape.module, first, second, 0);
    }
  }
}

TEST(RandomBytes, SameTapeSameCode) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    jit::CompileOptions options = plain(2);
    options.keepIr = true;
    const auto a = jit::compile(test::RandomTape(seed, test::Exactness::Rounded).module, options);
    const auto b = jit::compile(test::RandomTape(seed, test::Exactness::Rounded).module, options);
    EXPECT_EQ(a->ir(), b->ir());
    EXPECT_EQ(a->assembly(), b->assembly());
  }
}

TEST(RandomLink, LlvmLinksTheSameCode) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const test::RandomTape tape(seed, test::Exactness::Exact);
    jit::CompileOptions options = plain(2);
    options.contract = false;
    options.link = jit::LinkMode::Llvm;
    compareFunctions(tape.module, *jit::compile(tape.module, options), seed);
  }
}

} // namespace
} // namespace lmc
