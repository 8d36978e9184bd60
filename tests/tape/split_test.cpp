// Functions that are cut into pieces do what they did, to the bit.
#include "RandomTape.h"
#include "tape/Tiles.h"
#include "tape/pieces/Split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace lmc {
namespace {

using tape::Op;

test::Memory startOf(const tape::Module& m, unsigned seed) {
  test::Memory memory(m);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-2, 2);
  for (auto& role : memory.data)
    for (double& x : role) x = number(random);
  return memory;
}

/// Instructions of a function that are neither constants nor arguments.
std::size_t lengthOf(const tape::Function& f) {
  std::size_t length = 0;
  for (const tape::Block& b : f.blocks)
    for (const tape::Instr& i : b.code) length += tape::isLeaf(i.op) ? 0 : 1;
  return length;
}

void expectSameRuns(const tape::Module& whole, const tape::Module& pieces, unsigned seed) {
  const double arguments[3] = {0.25, -1.5, 0.75};
  for (int f = 0; f < static_cast<int>(whole.functions.size()); ++f) {
    test::Memory a = startOf(whole, seed);
    test::Memory b = startOf(pieces, seed);
    for (int r = 0; r < runtime::roleCount; ++r) std::copy(a.data[r].begin(), a.data[r].end(), b.data[r].begin());
    ASSERT_EQ(tape::interpret(whole, f, a.bases(), arguments), tape::interpret(pieces, f, b.bases(), arguments));
    for (int r = 0; r < runtime::roleCount; ++r)
      for (std::size_t k = 0; k < a.data[r].size(); ++k)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(a.data[r][k]), std::bit_cast<std::uint64_t>(b.data[r][k]))
            << "function " << f << ", " << tape::name(static_cast<runtime::Role>(r)) << "[" << k << "]\n"
            << tape::print(whole) << tape::print(pieces);
  }
}

TEST(Split, RandomTapesKeepTheirBits) {
  std::size_t parts = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::RandomTape tape(seed, test::Exactness::Rounded);
    tape::Module pieces = tape.module;
    tape::split(pieces, 2 + seed % 23);
    ASSERT_EQ(tape::verify(pieces), "") << tape::print(pieces);
    parts += pieces.functions.size() - tape.module.functions.size();
    for (const tape::Function& f : pieces.functions) { // no block stays behind
      std::size_t used = 1;
      for (const tape::Block& b : f.blocks)
        used += static_cast<std::size_t>(
            std::count_if(b.code.begin(), b.code.end(), [](const tape::Instr& i) { return i.block >= 0; }));
      ASSERT_EQ(f.blocks.size(), used) << f.name;
    }
    expectSameRuns(tape.module, pieces, seed);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(parts, 2000U);
}

TEST(Split, WhatIsShortStaysAsItIs) {
  const test::RandomTape tape(7, test::Exactness::Exact);
  tape::Module pieces = tape.module;
  tape::split(pieces, 100000);
  EXPECT_EQ(tape::print(pieces), tape::print(tape.module));
}

TEST(Split, PartsAreShort) {
  tape::Module m;
  const int state = test::addBuffer(m, "state", runtime::Role::State, 8);
  test::FunctionBuilder f(m, "step", 2);
  test::V x = f.load(state, 0);
  const test::V h = f.argument(1);
  for (int k = 0; k < 5000; ++k) x = f.op(k % 3 == 0 ? Op::Mul : Op::Add, {x, k % 7 == 0 ? f.real(0.5) : h});
  f.store(state, 1, x);
  f.finish();
  const tape::Module whole = m;
  constexpr std::size_t bound = 300;
  tape::split(m, bound);
  ASSERT_EQ(tape::verify(m), "");
  EXPECT_LE(m.functions.size(), 5000 / (bound / 2));
  for (const tape::Function& g : m.functions) EXPECT_LE(lengthOf(g), bound + 10) << g.name;
  expectSameRuns(whole, m, 1);
}

/// Threads may make the turns of such a loop together: what is passed between pieces of its body would be that of all.
TEST(Split, TurnsThatAreMadeTogetherStayWhole) {
  tape::Module m;
  const int state = test::addBuffer(m, "state", runtime::Role::State, 8);
  test::FunctionBuilder f(m, "step", 2);
  f.loop(f.integer(0), f.integer(7), [&](test::V k) {
    test::V sum = f.load(state, k);
    for (int n = 0; n < 400; ++n) sum = f.op(n % 3 == 0 ? Op::Mul : Op::Add, {sum, f.argument(1)});
    f.store(state, k, sum);
  });
  f.finish();
  for (tape::Instr& i : m.functions[0].blocks[0].code)
    if (i.op == Op::Loop) i.imm = tape::independentTurns;
  ASSERT_EQ(tape::verify(m), "");
  const tape::Module whole = m;
  tape::split(m, 25);
  ASSERT_EQ(tape::verify(m), "");
  expectSameRuns(whole, m, 5);
}

/// Indices of loops around, conditions and integers of all 64 bits reach the pieces of a body.
TEST(Split, IntegersAndConditionsPass) {
  tape::Module m;
  const int state = test::addBuffer(m, "state", runtime::Role::State, 8);
  test::FunctionBuilder f(m, "step", 2);
  const test::V large = f.op(Op::IMul, {f.integer(3037000499), f.integer(-3037000493)});
  const test::V positive = f.op(Op::Lt, {f.real(0), f.load(state, 0)});
  f.loop(f.integer(0), f.integer(7), [&](test::V k) {
    test::V sum = f.load(state, k);
    for (int n = 0; n < 40; ++n) {
      const test::V rest = f.op(Op::IMod, {f.op(Op::IAdd, {large, k}), f.integer(1000003 + n)});
      sum = f.op(Op::Add, {sum, f.select(positive, f.op(Op::IntToReal, {rest}), f.argument(0))});
    }
    f.store(state, k, sum);
    f.breakIf(f.op(Op::Lt, {f.real(1e9), sum}));
  });
  f.finish();
  const tape::Module whole = m;
  tape::split(m, 25);
  ASSERT_EQ(tape::verify(m), "");
  EXPECT_GT(m.functions.size(), 4U);
  expectSameRuns(whole, m, 3);
}

} // namespace
} // namespace lmc
