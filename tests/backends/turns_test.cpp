// Sums over pairs that are divided into tiles: against plain sums in long double, and the same bits for any number of
// threads.
#include "Builder.h"
#include "jit/Compile.h"
#include "runtime/kernels/Kernels.h"
#include "runtime/kernels/Team.h"
#include "tape/Shares.h"
#include "tape/Tiles.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <dlfcn.h>
#include <limits>
#include <memory>
#include <pthread.h>
#include <vector>

namespace {
/// So many threads can still be made; negative: any number.
std::atomic<int> threadsLeft = -1;
} // namespace

/// In place of the system's: it refuses where it is told to.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  if (threadsLeft == 0) return EAGAIN;
  if (threadsLeft > 0) --threadsLeft;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, start, argument);
}

namespace lmc {
namespace {

using test::FunctionBuilder;
using test::V;

/// 1/r² between all pairs of points on a line and the slopes of the sum: energy[0], force[0…n-1].
struct Line {
  explicit Line(std::int64_t n, bool inOrder = false) : count(n) {
    FunctionBuilder f(m, "pairs", 0);
    f.fill(force);
    f.loop(f.integer(0), f.integer(n - 1), [&](V i) {
      f.loop(f.op(tape::Op::IAdd, {i, f.integer(1)}), f.integer(n - 1), [&](V j) {
        const V d = f.load(q, i) - f.load(q, j);
        const V u = f.real(1) / (d * d);
        const V g = f.real(2) * u / d;
        f.accum(energy, f.integer(0), u);
        f.accum(force, i, -g);
        f.accum(force, j, g);
      });
    });
    entry = f.finish();
    if (inOrder)
      for (tape::Block& b : m.functions[0].blocks)
        for (tape::Instr& i : b.code)
          if (i.op == tape::Op::Accum) i.imm = 1;
  }

  [[nodiscard]] test::Memory start() const {
    test::Memory memory(m, 0);
    for (std::int64_t k = 0; k < count; ++k) {
      const auto x = static_cast<double>(k);
      memory.of(runtime::Role::State)[static_cast<std::size_t>(k)] = x + 0.3 * std::sin(0.7 * x * x);
    }
    return memory;
  }

  [[nodiscard]] std::vector<double> interpreted() const {
    test::Memory memory = start();
    EXPECT_EQ(tape::interpret(m, entry, memory.bases(), nullptr), runtime::Ok);
    return memory.of(runtime::Role::Output);
  }

  std::int64_t count;
  tape::Module m;
  int q = test::addBuffer(m, "q", runtime::Role::State, count);
  int force = test::addBuffer(m, "force", runtime::Role::Output, count);
  int energy = test::addBuffer(m, "energy", runtime::Role::Output, 1);
  int entry = 0;
};

std::vector<std::uint64_t> bits(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> list;
  for (const double x : numbers) list.push_back(std::bit_cast<std::uint64_t>(x));
  return list;
}

bool isDivided(const tape::Module& m) {
  return tape::print(m).find("loop independent") != std::string::npos;
}

std::unique_ptr<runtime::Compiled> compile(const tape::Module& m, jit::Tiers tiers = jit::Tiers::Optimised) {
  jit::CompileOptions options;
  options.useCache = false;
  options.tiers = tiers;
  return jit::compile(m, options);
}

std::vector<double> computed(const runtime::Compiled& code, int entry, test::Memory memory) {
  EXPECT_EQ(code.function(entry)(memory.bases().base, nullptr), runtime::Ok);
  return memory.of(runtime::Role::Output);
}

} // namespace

TEST(Turns, DividedSumsAreThoseOfLongDouble) {
  for (const std::int64_t n : {std::int64_t{307}, std::int64_t{512}}) {
    Line line(n);
    tape::divideSums(line.m, 0);
    ASSERT_EQ(tape::verify(line.m), "");
    ASSERT_TRUE(isDivided(line.m));
    const test::Memory start = line.start();
    const std::vector<double>& q = start.data[static_cast<std::size_t>(runtime::Role::State)];
    std::vector<long double> wanted(static_cast<std::size_t>(n) + 1, 0);
    std::vector<long double> size(wanted.size(), 0);
    for (std::size_t i = 0; i < q.size(); ++i)
      for (std::size_t j = i + 1; j < q.size(); ++j) {
        const long double d = static_cast<long double>(q[i]) - q[j];
        const long double g = 2 / (d * d * d);
        wanted[i] -= g;
        wanted[j] += g;
        size[i] += std::fabs(g);
        size[j] += std::fabs(g);
        wanted.back() += 1 / (d * d);
        size.back() += 1 / (d * d);
      }
    const std::vector<double> found = line.interpreted();
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_NEAR(found[k], static_cast<double>(wanted[k]), 1e-13 * static_cast<double>(size[k])) << k;
  }
}

TEST(Turns, AnyNumberOfThreadsHasTheSameBits) {
  for (const std::int64_t n : {std::int64_t{300}, std::int64_t{331}, std::int64_t{1000}})
    for (const jit::Tiers tiers : {jit::Tiers::Optimised, jit::Tiers::Quick}) {
      Line line(n);
      tape::divideSums(line.m, 0);
      ASSERT_TRUE(isDivided(line.m));
      const auto code = compile(line.m, tiers);
      test::Memory alone = line.start();
      ASSERT_EQ(code->function(line.entry)(alone.bases().base, nullptr), runtime::Ok);
      for (const int threads : {1, 2, 3, 8, 64}) {
        const runtime::Team team(threads);
        for (int again = 0; again < 20; ++again) {
          test::Memory found = line.start();
          ASSERT_EQ(code->function(line.entry)(found.bases().base, nullptr), runtime::Ok);
          ASSERT_EQ(bits(alone.of(runtime::Role::Output)), bits(found.of(runtime::Role::Output))) << threads;
        }
      }
    }
}

TEST(Turns, NumbersThatAreNoneArriveAsInARunOfOneThread) {
  Line line(400);
  tape::divideSums(line.m, 0);
  const auto code = compile(line.m);
  const auto run = [&] {
    test::Memory memory = line.start();
    memory.of(runtime::Role::State)[17] = std::numeric_limits<double>::quiet_NaN();
    return computed(*code, line.entry, std::move(memory));
  };
  const std::vector<double> alone = run();
  const runtime::Team team(4);
  const std::vector<double> together = run();
  ASSERT_EQ(alone.size(), together.size());
  for (std::size_t k = 0; k < alone.size(); ++k) {
    EXPECT_TRUE(std::isnan(alone[k])) << k;
    EXPECT_TRUE(std::isnan(together[k])) << k;
  }
}

TEST(Turns, ShortSumsAndFixedOrdersStayWhole) {
  Line small(100);
  tape::divideSums(small.m);
  EXPECT_FALSE(isDivided(small.m));
  Line large(1000);
  tape::divideSums(large.m);
  EXPECT_TRUE(isDivided(large.m));
  Line ordered(1000, true);
  tape::divideSums(ordered.m);
  EXPECT_FALSE(isDivided(ordered.m));
}

TEST(Turns, ThreadsThatCannotBeMadeAreNotNeeded) {
  Line line(331);
  tape::divideSums(line.m, 0);
  const auto code = compile(line.m);
  const auto run = [&] { return bits(computed(*code, line.entry, line.start())); };
  const auto alone = run();
  for (const int possible : {0, 1, 2}) {
    threadsLeft = possible;
    const runtime::Team team(8);
    for (int again = 0; again < 5; ++again) EXPECT_EQ(run(), alone) << possible;
    EXPECT_EQ(threadsLeft, 0); // it was tried
    threadsLeft = -1;
  }
}

/// Members that add to the next one, and fail where their number is too large: y[i] += x[i], y[i+1] -= 2 x[i].
struct Row {
  explicit Row(std::int64_t n) : count(n) {
    x = test::addBuffer(m, "x", runtime::Role::State, n);
    y = test::addBuffer(m, "y", runtime::Role::Output, n + 1);
    FunctionBuilder f(m, "row", 0);
    f.fill(y);
    f.loop(f.integer(0), f.integer(n - 1), [&](V i) {
      const V number = f.load(x, i);
      f.failIf(f.op(tape::Op::Lt, {f.real(4), number}), runtime::NoConvergence);
      f.failIf(f.op(tape::Op::Lt, {f.real(3), number}), runtime::NonFinite);
      f.accum(y, i, number * number);
      f.accum(y, f.op(tape::Op::IAdd, {i, f.integer(1)}), -(number * f.real(2)));
    });
    entry = f.finish();
    tape::divideMembers(m, 0);
  }
  [[nodiscard]] test::Memory start() const {
    test::Memory memory(m, 0);
    for (std::int64_t k = 0; k < count; ++k)
      memory.of(runtime::Role::State)[static_cast<std::size_t>(k)] = std::sin(static_cast<double>(k * k));
    return memory;
  }

  std::int64_t count;
  tape::Module m;
  int x = 0, y = 0, entry = 0;
};

TEST(Turns, NeighboursAddTheSameWithAnyNumberOfThreads) {
  for (const std::int64_t n : {std::int64_t{33}, std::int64_t{128}, std::int64_t{129}, std::int64_t{1000}}) {
    Row row(n);
    ASSERT_TRUE(isDivided(row.m));
    const auto code = compile(row.m);
    test::Memory alone = row.start();
    ASSERT_EQ(code->function(row.entry)(alone.bases().base, nullptr), runtime::Ok);
    const auto& x = alone.of(runtime::Role::State);
    const auto& y = alone.of(runtime::Role::Output);
    for (std::size_t k = 0; k <= x.size(); ++k) {
      const double mine = k < x.size() ? x[k] * x[k] : 0, other = k > 0 ? 2 * x[k - 1] : 0;
      ASSERT_NEAR(y[k], mine - other, 1e-15) << k;
    }
    for (const int threads : {2, 3, 16, 64}) {
      const runtime::Team team(threads);
      for (int again = 0; again < 50; ++again) {
        test::Memory found = row.start();
        ASSERT_EQ(code->function(row.entry)(found.bases().base, nullptr), runtime::Ok);
        ASSERT_EQ(bits(y), bits(found.of(runtime::Role::Output))) << threads;
      }
    }
  }
}

TEST(Turns, TheFirstTurnThatFailsDecides) {
  Row row(1000);
  const auto code = compile(row.m);
  const auto status = [&](std::vector<std::pair<std::size_t, double>> changed) {
    test::Memory memory = row.start();
    for (const auto& [k, value] : changed) memory.of(runtime::Role::State)[k] = value;
    return code->function(row.entry)(memory.bases().base, nullptr);
  };
  for (const int threads : {1, 2, 7}) {
    const runtime::Team team(threads);
    for (int again = 0; again < 20; ++again) {
      EXPECT_EQ(status({}), runtime::Ok);
      EXPECT_EQ(status({{990, 5.0}}), runtime::NoConvergence);
      EXPECT_EQ(status({{100, 3.5}, {101, 5.0}}), runtime::NonFinite);
      EXPECT_EQ(status({{100, 5.0}, {101, 3.5}}), runtime::NoConvergence);
      EXPECT_EQ(status({{30, 3.5}, {500, 5.0}, {900, 5.0}}), runtime::NonFinite);
    }
  }
}

/// Turns of which each notes that it was made.
TEST(Turns, EachIsMadeOnceWhateverTheirNumber) {
  struct Frame {
    std::vector<std::atomic<int>>* made;
  };
  const auto turn = [](const void* frame, std::int64_t k) {
    ++(*static_cast<const Frame*>(frame)->made)[static_cast<std::size_t>(k)];
  };
  for (const int threads : {2, 5, 64}) {
    const runtime::Team team(threads);
    for (const std::int64_t count : {0, 1, 2, 3, 16, 63, 65, 70'000, 200'001})
      for (int again = 0; again < 20; ++again) {
        std::vector<std::atomic<int>> made(static_cast<std::size_t>(count));
        const Frame frame{&made};
        lmc_turns(turn, &frame, count);
        for (std::int64_t k = 0; k < count; ++k)
          ASSERT_EQ(made[static_cast<std::size_t>(k)], 1) << k << " of " << count;
      }
  }
}

TEST(Turns, TeamsAreNested) {
  Line line(331);
  tape::divideSums(line.m, 0);
  const auto code = compile(line.m);
  const auto run = [&] { return bits(computed(*code, line.entry, line.start())); };
  const auto alone = run();
  const runtime::Team outer(3);
  EXPECT_EQ(run(), alone);
  {
    const runtime::Team inner(2);
    EXPECT_EQ(run(), alone);
  }
  EXPECT_EQ(run(), alone);
}

} // namespace lmc
