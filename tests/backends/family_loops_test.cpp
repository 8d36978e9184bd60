// Loops over members and pairs, vectorised with masked tails, against the interpreter: sums in registers, conditions,
// sums that several instructions add to.
#include "Builder.h"
#include "jit/Compile.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lmc {
namespace {

using test::FunctionBuilder;
using test::V;

constexpr std::int64_t members = 37;

/// Memory for the numbers of `members` particles in a plane, all first coordinates first.
struct Pairs {
  tape::Module m;
  int count = test::addBuffer(m, "count", runtime::Role::Params, 1);
  int q = test::addBuffer(m, "q", runtime::Role::State, 2 * members);
  int force = test::addBuffer(m, "force", runtime::Role::Output, 2 * members);
  int energy = test::addBuffer(m, "energy", runtime::Role::Output, 1);
  FunctionBuilder f{m, "pairs", 0};

  V shifted(V i, std::int64_t by) { return f.op(tape::Op::IAdd, {i, f.integer(by)}); }
  V last() { return shifted(f.op(tape::Op::FloorToInt, {f.load(count, 0)}), -1); }
  V coordinate(V i, int k) { return f.load(q, k == 0 ? i : shifted(i, members)); }

  /// 1/r² for the pair; the force on i, and on j the opposite.
  void pair(V i, V j, bool both) {
    const V x = coordinate(i, 0) - coordinate(j, 0);
    const V y = coordinate(i, 1) - coordinate(j, 1);
    const V u = f.real(1) / (x * x + y * y);
    f.accum(energy, f.integer(0), u);
    for (const auto& [d, k] : {std::pair{x, 0}, std::pair{y, 1}}) {
      const V g = f.real(2) * u * u * d;
      f.accum(force, shifted(i, k * members), g);
      if (both) f.accum(force, shifted(j, k * members), -g);
    }
  }

  void expectAgreement(int entry) {
    jit::CompileOptions options;
    options.useCache = false;
    const auto compiled = jit::compile(m, options);
    ASSERT_EQ(tape::verify(m), "");
    for (std::int64_t n = 0; n <= members; ++n) {
      test::Memory wanted(m, 0.25);
      wanted.of(runtime::Role::Params)[0] = static_cast<double>(n);
      for (std::size_t k = 0; k < 2 * members; ++k) {
        const double angle = 0.7 * static_cast<double>(k * k);
        wanted.of(runtime::Role::State)[k] = static_cast<double>(k % members) + 0.3 * std::sin(angle);
      }
      test::Memory found = wanted;
      EXPECT_EQ(tape::interpret(m, entry, wanted.bases(), nullptr), runtime::Ok);
      EXPECT_EQ(compiled->function(entry)(found.bases().base, nullptr), runtime::Ok);
      const auto& a = wanted.of(runtime::Role::Output);
      const auto& b = found.of(runtime::Role::Output);
      // at most 37 terms of size 1 in another order, and fused operations
      for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-13) << n << " members, number " << k;
    }
  }
};

} // namespace

TEST(FamilyLoops, PairsAddToBothMembers) {
  Pairs p;
  p.f.fill(p.force);
  p.f.loop(p.f.integer(0), p.last(),
           [&](V i) { p.f.loop(p.shifted(i, 1), p.last(), [&](V j) { p.pair(i, j, true); }); });
  p.expectAgreement(p.f.finish());
}

TEST(FamilyLoops, DownwardsToo) {
  Pairs p;
  p.f.loop(
      p.f.integer(0), p.last(),
      [&](V i) {
        p.f.loop(
            p.shifted(i, 1), p.last(), [&](V j) { p.pair(i, j, true); }, true);
      },
      true);
  p.expectAgreement(p.f.finish());
}

TEST(FamilyLoops, OrderedPairsWithACondition) {
  Pairs p;
  p.f.loop(p.f.integer(0), p.last(), [&](V i) {
    p.f.loop(p.f.integer(0), p.last(), [&](V j) {
      p.f.when(p.f.op(tape::Op::INe, {i, j}), [&] { p.pair(i, j, false); });
    });
  });
  p.expectAgreement(p.f.finish());
}

// What a turn hands on to a later one, so many members away, and sums beside it; turns that share nothing, too.
TEST(FamilyLoops, TurnsReadWhatEarlierOnesWrote) {
  for (const std::int64_t distance : {-40, -9, -8, -3, -1, 0, 1, 2, 7, 8, 17, 36, 37, 60}) {
    Pairs p;
    const int x = test::addBuffer(p.m, "x", runtime::Role::Work, 200);
    p.f.loop(p.f.integer(0), p.f.integer(members - 1), [&](V i) {
      p.f.store(x, p.shifted(i, 70), p.coordinate(i, 0) + p.f.load(x, p.shifted(i, 70 - distance)));
    });
    p.f.loop(p.f.integer(0), p.f.integer(members - 1), [&](V i) {
      const V y = p.coordinate(i, 1) * p.f.load(x, p.shifted(i, 70));
      p.f.accum(p.force, i, y);
      p.f.accum(p.force, p.shifted(i, members), y * y);
      p.f.accum(p.energy, p.f.integer(0), p.f.real(1e-4) * y);
    });
    p.expectAgreement(p.f.finish());
  }
}

TEST(FamilyLoops, ASumThatItsOwnLoopReadsStaysInMemory) {
  Pairs p;
  p.f.loop(p.f.integer(0), p.last(), [&](V i) {
    const V so_far = p.f.load(p.energy, 0);
    p.f.accum(p.energy, p.f.integer(0), p.f.real(0.01) * so_far);
    p.f.store(p.force, i, so_far);
  });
  p.expectAgreement(p.f.finish());
}

TEST(FamilyLoops, TheSumBehindAFailureIsNotNeeded) {
  Pairs p;
  p.f.loop(p.f.integer(0), p.last(), [&](V i) {
    p.f.failIf(p.f.op(tape::Op::Lt, {p.f.real(1e9), p.coordinate(i, 0)}), 3);
    p.f.accum(p.energy, p.f.integer(0), p.coordinate(i, 1));
  });
  p.expectAgreement(p.f.finish());
}

TEST(FamilyLoops, FailInTheFirstTurnThatDoes) {
  // Two conditions and two statuses in one loop, which is vectorised all the same.
  tape::Module m;
  const int q = test::addBuffer(m, "q", runtime::Role::State, members);
  const int out = test::addBuffer(m, "out", runtime::Role::Output, members);
  FunctionBuilder f(m, "checked", 0);
  f.loop(f.integer(0), f.integer(members - 1), [&](V i) {
    const V x = f.load(q, i);
    f.failIf(f.op(tape::Op::Lt, {f.real(2), x}), 3);
    f.store(out, i, f.real(1) / (f.real(3) + x));
    f.failIf(f.op(tape::Op::Lt, {x, f.real(-2)}), 5);
  });
  const int entry = f.finish();
  ASSERT_EQ(tape::verify(m), "");
  jit::CompileOptions options;
  options.useCache = false;
  const auto compiled = jit::compile(m, options);
  const auto expectSame = [&](const std::vector<std::pair<std::size_t, double>>& values, std::int32_t status) {
    test::Memory wanted(m);
    for (std::size_t k = 0; k < members; ++k) wanted.of(runtime::Role::State)[k] = std::sin(static_cast<double>(k));
    for (const auto& [k, x] : values) wanted.of(runtime::Role::State)[k] = x;
    test::Memory found = wanted;
    EXPECT_EQ(tape::interpret(m, entry, wanted.bases(), nullptr), status);
    EXPECT_EQ(compiled->function(entry)(found.bases().base, nullptr), status);
    if (status == runtime::Ok) EXPECT_EQ(wanted.of(runtime::Role::Output), found.of(runtime::Role::Output));
  };
  expectSame({}, runtime::Ok);
  for (std::size_t k = 0; k < members; ++k) {
    expectSame({{k, 2.5}}, 3);
    expectSame({{k, -2.5}}, 5);
    if (k + 1 < members) {
      expectSame({{k, 2.5}, {k + 1, -2.5}}, 3);
      expectSame({{k, -2.5}, {k + 1, 2.5}}, 5);
    }
  }
}

namespace {

/// out[i] = c_1(s) + c_2(s) + c_3(s), quotients and, in place or not, q[i] = c_2(s), which is read
/// again, for s = (scale q[i])².
void expectStumpffLoop(double scale, bool inPlace) {
  tape::Module m;
  const int q = test::addBuffer(m, "q", runtime::Role::State, members);
  const int other = test::addBuffer(m, "other", runtime::Role::Work, members);
  const int out = test::addBuffer(m, "out", runtime::Role::Output, members);
  const int again = test::addBuffer(m, "again", runtime::Role::Output, members);
  const int plain = test::addBuffer(m, "plain", runtime::Role::Output, members);
  const int quotient = test::addBuffer(m, "quotient", runtime::Role::Output, members);
  FunctionBuilder f(m, "angles", 0);
  f.loop(f.integer(0), f.integer(members - 1), [&](V i) {
    const V x = f.load(q, i) * f.real(scale);
    const V s = x * x;
    const auto c = [&](std::int64_t k) { return f.op(tape::Op::Stumpff, {s}, k); };
    f.store(out, i, c(1) + c(2) + c(3));
    f.store(quotient, i, (c(3) - f.real(2) * c(4)) / (f.real(3) + c(2)));
    f.store(plain, i, f.real(1) / (f.real(2) + x)); // a division that has nothing to do with them
    f.store(inPlace ? q : other, i, c(2));
    f.store(again, i, f.load(inPlace ? q : other, i) * f.real(2) + x);
  });
  const int entry = f.finish();
  jit::CompileOptions options;
  options.useCache = false;
  const auto compiled = jit::compile(m, options);
  test::Memory wanted(m);
  for (std::size_t k = 0; k < members; ++k) wanted.of(runtime::Role::State)[k] = std::sin(static_cast<double>(k));
  test::Memory found = wanted;
  EXPECT_EQ(tape::interpret(m, entry, wanted.bases(), nullptr), runtime::Ok);
  EXPECT_EQ(compiled->function(entry)(found.bases().base, nullptr), runtime::Ok);
  for (int r = 0; r < runtime::roleCount; ++r) {
    for (std::size_t k = 0; k < wanted.data[r].size(); ++k)
      EXPECT_NEAR(wanted.data[r][k], found.data[r][k], 1e-14) << "scale " << scale << ", number " << k;
  }
}

} // namespace

TEST(FamilyLoops, OfExponentialsTakeLargeAnglesToo) {
  for (const bool inPlace : {false, true}) {
    expectStumpffLoop(0.5, inPlace);  // all small
    expectStumpffLoop(1.01, inPlace); // one or two are not
    expectStumpffLoop(30, inPlace);
  }
}

/// Whole vectors, and what is left of them.
TEST(FamilyLoops, OfAnyKnownNumberOfMembers) {
  for (std::int64_t n = 1; n < members; ++n) {
    tape::Module m;
    const int q = test::addBuffer(m, "q", runtime::Role::State, members);
    const int first = test::addBuffer(m, "first", runtime::Role::Output, members);
    const int second = test::addBuffer(m, "second", runtime::Role::Output, members);
    const int angles = test::addBuffer(m, "angles", runtime::Role::Output, members);
    FunctionBuilder f(m, "members", 0);
    f.loop(f.integer(0), f.integer(n - 1), [&](V i) {
      const V x = f.load(q, i);
      f.store(first, i, f.op(tape::Op::Sqrt, {f.real(2) + x * x}) / (f.real(3) + x));
    });
    f.loop(f.integer(1), f.integer(n - 1), [&](V i) {
      const V before = f.load(first, f.op(tape::Op::IAdd, {i, f.integer(-1)}));
      f.store(second, i, before * f.load(first, i) - f.load(q, i) * f.real(0.5));
    });
    f.loop(f.integer(0), f.integer(n - 1), [&](V i) {
      const V x = f.load(second, i), s = x * x;
      const V c = f.op(tape::Op::Stumpff, {s}, 2);
      f.store(angles, i, c / (f.real(1) + c) + f.op(tape::Op::Stumpff, {s}, 1));
    });
    const int entry = f.finish();
    jit::CompileOptions options;
    options.useCache = false;
    const auto compiled = jit::compile(m, options);
    test::Memory wanted(m, 0.125);
    for (std::size_t k = 0; k < members; ++k) wanted.of(runtime::Role::State)[k] = std::sin(static_cast<double>(k));
    test::Memory found = wanted;
    EXPECT_EQ(tape::interpret(m, entry, wanted.bases(), nullptr), runtime::Ok);
    EXPECT_EQ(compiled->function(entry)(found.bases().base, nullptr), runtime::Ok);
    const auto& a = wanted.of(runtime::Role::Output);
    const auto& b = found.of(runtime::Role::Output);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-14) << n << " members, number " << k;
  }
}

} // namespace lmc
