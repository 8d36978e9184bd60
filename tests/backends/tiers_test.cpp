// Code that is made quickly and code that is made well: the same bits, whatever is computed and wherever one takes the
// place of the other.
#include "HeavyTop.h"
#include "RandomTape.h"
#include "jit/Compile.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>

namespace lmc {
namespace {

using runtime::Role;
using test::FunctionBuilder;
using test::V;

jit::CompileOptions with(jit::Tiers tiers, int level = 2) {
  jit::CompileOptions o;
  o.useCache = false;
  o.tiers = tiers;
  o.optimization = level;
  return o;
}

class Tiers : public testing::TestWithParam<int> {};

TEST_P(Tiers, RandomTapesHaveTheSameBits) {
  int differing = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::RandomTape tape(seed, seed % 4 == 0 ? test::Exactness::Exact : test::Exactness::Rounded,
                                seed % 8 == 1 ? 20 : 1);
    const auto quick = jit::compile(tape.module, with(jit::Tiers::Quick, GetParam()));
    const auto best = jit::compile(tape.module, with(jit::Tiers::Optimised, GetParam()));
    if (quick->codeBytes() != best->codeBytes()) ++differing;
    const double arguments[3] = {0.25, -1.5, 0.75};
    for (int f = 0; f < static_cast<int>(tape.module.functions.size()); ++f) {
      if (quick->function(f) == nullptr) continue;
      test::Memory first = test::filled(tape.module, seed);
      test::Memory second = first;
      ASSERT_EQ(quick->function(f)(first.bases().base, arguments), best->function(f)(second.bases().base, arguments));
      ASSERT_EQ(test::bits(tape.module, first), test::bits(tape.module, second));
    }
    if (quick->advance() == nullptr) continue;
    test::Memory first = test::filled(tape.module, seed);
    test::Memory second = first;
    double t = 0.1, u = 0.1;
    std::int64_t m = 0, n = 0;
    ASSERT_EQ(quick->advance()(first.bases().base, &t, 0.07, 5, &m),
              best->advance()(second.bases().base, &u, 0.07, 5, &n));
    EXPECT_EQ(m, n);
    EXPECT_EQ(t, u);
    ASSERT_EQ(test::bits(tape.module, first), test::bits(tape.module, second));
  }
  EXPECT_GT(differing, 20) << "there seems to be one tier alone";
}

INSTANTIATE_TEST_SUITE_P(Levels, Tiers, testing::Values(1, 2, 3));

TEST(TiersOfSteps, ASwapAtAnyStepChangesNothing) {
  constexpr int steps = 40;
  for (const int tops : {1, 7}) { // a state in registers, and one in memory
    const test::HeavyTop top(tops);
    const auto quick = jit::compile(top.module, with(jit::Tiers::Quick));
    const auto best = jit::compile(top.module, with(jit::Tiers::Optimised));
    ASSERT_NE(quick->codeBytes(), best->codeBytes());
    std::vector<std::uint64_t> wanted;
    for (int swap = 0; swap <= steps; ++swap) {
      test::Memory memory(top.module);
      test::HeavyTop::start(memory);
      for (int k = 0; k < steps; ++k) {
        double t = 0;
        std::int64_t done = k;
        ASSERT_EQ((k < swap ? quick : best)->advance()(memory.bases().base, &t, 1e-2, 1, &done), 0);
      }
      const std::vector<std::uint64_t> now = test::bits(top.module, memory);
      if (swap == 0) wanted = now;
      ASSERT_EQ(now, wanted) << "swapped at step " << swap;
    }
  }
}

/// A step writes what it has read to other places of a state that is in registers: the loop over steps hands numbers on
/// to each other's places, all at once.
TEST(TiersOfSteps, NumbersChangePlaces) {
  constexpr int n = 24;
  tape::Module m;
  const int state = test::addBuffer(m, "state", Role::State, n);
  FunctionBuilder f(m, "step", 2);
  std::vector<V> read;
  for (int k = 0; k < n; ++k) read.push_back(f.load(state, k));
  for (int k = 0; k < n; ++k) { // two cycles, an exchange, and one that stays; with something to fill the registers
    const int from = k < 9 ? (k + 1) % 9 : k < 20 ? 9 + (k - 9 + 4) % 11 : k < 22 ? 41 - k : k;
    f.store(state, k,
            k % 5 == 3 ? read[static_cast<std::size_t>(from)] + f.real(0.5) : read[static_cast<std::size_t>(from)]);
  }
  m.step = f.finish();
  test::Memory begin(m);
  for (int k = 0; k < n; ++k) begin.of(Role::State)[static_cast<std::size_t>(k)] = k;
  test::Memory expected = begin;
  constexpr int steps = 37;
  const double arguments[2] = {0, 0};
  for (int k = 0; k < steps; ++k) ASSERT_EQ(tape::interpret(m, m.step, expected.bases(), arguments), 0);
  for (const jit::Tiers tiers : {jit::Tiers::Quick, jit::Tiers::Optimised}) {
    test::Memory memory = begin;
    double t = 0;
    std::int64_t done = 0;
    ASSERT_EQ(jit::compile(m, with(tiers))->advance()(memory.bases().base, &t, 0.1, steps, &done), 0);
    EXPECT_EQ(memory.of(Role::State), expected.of(Role::State));
  }
}

/// Nothing else says that the quick code is this project's own: without it all is right, and late.
TEST(TiersOfSteps, QuickCodeIsNotMadeByLlvm) {
#if defined(__x86_64__) && defined(__linux__)
  if (!__builtin_cpu_supports("avx") || !__builtin_cpu_supports("fma")) GTEST_SKIP();
  constexpr std::array<unsigned char, 8> own = {0x55, 0x48, 0x89, 0xE5, 0x48, 0x83, 0xE4, 0xC0}; // a frame on a line
  const auto begins = [](jit::Tiers tiers) {
    const test::HeavyTop top(9);
    const auto code = jit::compile(top.module, with(tiers));
    std::array<unsigned char, 8> bytes{};
    std::memcpy(bytes.data(), reinterpret_cast<const void*>(code->advance()), bytes.size());
    return bytes;
  };
  EXPECT_EQ(begins(jit::Tiers::Quick), own);
  EXPECT_NE(begins(jit::Tiers::Optimised), own);
#endif
}

TEST(TiersOfSteps, OneTakesThePlaceOfTheOther) {
  const test::HeavyTop top(9); // long enough
  const auto code = jit::compile(top.module, with(jit::Tiers::QuickFirst));
  const auto before = code->advance(); // of the first, unless this thread had to wait
  const auto settled = code->settle();
  EXPECT_EQ(settled.trouble, "");
  EXPECT_GT(settled.seconds, 0);
  const auto best = jit::compile(top.module, with(jit::Tiers::Optimised));
  const auto bytesAt = [](runtime::Compiled::Advance f) {
    std::array<unsigned char, 48> bytes{};
    std::memcpy(bytes.data(), reinterpret_cast<const void*>(f), bytes.size());
    return bytes;
  };
  EXPECT_EQ(bytesAt(code->advance()), bytesAt(best->advance()));
  std::vector<std::vector<std::uint64_t>> results;
  for (const auto advance : {before, code->advance(), best->advance()}) { // the first is still there
    test::Memory memory(top.module);
    test::HeavyTop::start(memory);
    double t = 0;
    std::int64_t done = 0;
    ASSERT_EQ(advance(memory.bases().base, &t, 1e-2, 30, &done), 0);
    results.push_back(test::bits(top.module, memory));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(TiersOfSteps, CodeMayBeLeftBeforeItIsOptimised) {
  const test::HeavyTop top(9);
  for (int k = 0; k < 4; ++k) (void)jit::compile(top.module, with(jit::Tiers::QuickFirst));
}

TEST(TiersOfSteps, ShortCodeIsMadeOnce) {
  tape::Module m;
  const int x = test::addBuffer(m, "x", Role::State, 1);
  FunctionBuilder f(m, "step", 2);
  f.store(x, 0, f.load(x, 0) * f.argument(1));
  m.step = f.finish();
  const auto code = jit::compile(m, with(jit::Tiers::QuickFirst));
  const auto advance = code->advance();
  EXPECT_EQ(code->settle().seconds, 0);
  EXPECT_EQ(code->advance(), advance);
}

// --- what is fused ----------------------------------------------------------------------------------------------

bool machineFuses() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

struct Case {
  const char* name;
  std::function<V(FunctionBuilder&, V, V, V)> value;
  double fused;
};

TEST(Fused, WhatOnlyASumNeeds) {
  const double a = 1 + 0x1p-30, b = 1 - 0x1p-31, c = -1 + 0x1p-40;
  const double ab = a * b;
  const std::vector<Case> cases = {
      {"a*b + c", [](FunctionBuilder&, V p, V q, V r) { return p * q + r; }, std::fma(a, b, c)},
      {"c + a*b", [](FunctionBuilder&, V p, V q, V r) { return r + p * q; }, std::fma(a, b, c)},
      {"a*b - c", [](FunctionBuilder&, V p, V q, V r) { return p * q - r; }, std::fma(a, b, -c)},
      {"c - a*b", [](FunctionBuilder&, V p, V q, V r) { return r - p * q; }, std::fma(-a, b, c)},
      {"a product that two sums need",
       [](FunctionBuilder&, V p, V q, V r) {
         const V product = p * q;
         return (product + r) * (product - r);
       },
       (ab + c) * (ab - c)},
      {"a*b + c*a, the second", [](FunctionBuilder&, V p, V q, V r) { return p * q + r * p; }, std::fma(c, a, ab)},
      {"a*b - c*a, the second", [](FunctionBuilder&, V p, V q, V r) { return p * q - r * p; }, std::fma(-c, a, ab)},
  };
  for (const Case& k : cases) {
    tape::Module m;
    const int in = test::addBuffer(m, "in", Role::Params, 3);
    const int out = test::addBuffer(m, "out", Role::Output, 1);
    FunctionBuilder f(m, "f", 0);
    f.store(out, 0, k.value(f, f.load(in, 0), f.load(in, 1), f.load(in, 2)));
    f.finish();
    for (const bool contract : {true, false})
      for (const jit::Tiers tiers : {jit::Tiers::Quick, jit::Tiers::Optimised}) {
        jit::CompileOptions options = with(tiers);
        options.contract = contract;
        const auto code = jit::compile(m, options);
        test::Memory memory(m);
        memory.of(Role::Params) = {a, b, c};
        ASSERT_EQ(code->function(0)(memory.bases().base, nullptr), 0);
        const bool fused = contract && machineFuses();
        test::Memory plain(m);
        plain.of(Role::Params) = {a, b, c};
        ASSERT_EQ(tape::interpret(m, 0, plain.bases(), nullptr), 0);
        EXPECT_EQ(memory.of(Role::Output)[0], fused ? k.fused : plain.of(Role::Output)[0])
            << k.name << ", contract " << contract;
      }
  }
}

TEST(Fused, NothingKeepsALicence) {
  const test::HeavyTop top;
  jit::CompileOptions options = with(jit::Tiers::Optimised);
  options.keepIr = true;
  const std::string ir = jit::compile(top.module, options)->ir();
  EXPECT_EQ(ir.find(" contract "), std::string::npos);
  EXPECT_EQ(ir.find(" reassoc "), std::string::npos);
  EXPECT_EQ(ir.find("@llvm.fma.f64(") != std::string::npos, machineFuses());
}

} // namespace
} // namespace lmc
