// Reordered functions compute the same bits.
#include "RandomTape.h"
#include "backends/llvm/Order.h"

#include <gtest/gtest.h>

#include <cstring>

namespace lmc {
namespace {

tape::Module ordered(tape::Module m) {
  for (tape::Function& f : m.functions) backends::orderOperations(f, m.buffers);
  return m;
}

TEST(OrderedOperations, GiveTheSameBits) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const tape::Module m = test::RandomTape(seed, test::Exactness::Rounded).module;
    const tape::Module o = ordered(m);
    ASSERT_EQ(tape::verify(o), "") << "seed " << seed << '\n' << tape::print(o);
    const double arguments[] = {0.25, -1.5, 0.75};
    for (int f = 0; f < static_cast<int>(m.functions.size()); ++f) {
      test::Memory expected = test::filled(m, seed);
      test::Memory actual = expected;
      const std::int32_t status = tape::interpret(m, f, expected.bases(), arguments);
      ASSERT_EQ(tape::interpret(o, f, actual.bases(), arguments), status) << "seed " << seed;
      for (int r = 0; r < runtime::roleCount; ++r)
        ASSERT_EQ(std::memcmp(expected.data[r].data(), actual.data[r].data(), 8 * expected.data[r].size()), 0)
            << "seed " << seed << ", function " << f;
    }
  }
}

TEST(OrderedOperations, WhatWaitsStandsBehindWhatDoesNot) {
  tape::Module m;
  const int in = test::addBuffer(m, "in", runtime::Role::Params, 2);
  const int out = test::addBuffer(m, "out", runtime::Role::Output, 2);
  test::FunctionBuilder f(m, "f", 0);
  const test::V x = f.load(in, 0);
  const test::V y = f.load(in, 1);
  test::V slow = x;
  for (int k = 0; k < 3; ++k) slow = slow / (slow + x);
  const test::V quick = y * y;
  f.store(out, 0, slow);
  f.store(out, 1, quick);
  f.finish();
  const std::vector<tape::Instr> code = ordered(m).functions[0].blocks[0].code;
  const auto first = [&](tape::Op op) {
    return std::find_if(code.begin(), code.end(), [&](const tape::Instr& i) { return i.op == op; }) - code.begin();
  };
  EXPECT_LT(first(tape::Op::Mul), static_cast<std::ptrdiff_t>(code.size()) - 5) << tape::print(ordered(m));
  EXPECT_EQ(code.back().op, tape::Op::Store);
}

/// Two numbers change places, in buffers that overlap: what is read goes before what is written there.
TEST(OrderedOperations, ReadWhatIsOverwrittenFirst) {
  tape::Module m;
  const int in = test::addBuffer(m, "in", runtime::Role::State, 3);
  const int out = test::addBuffer(m, "out", runtime::Role::State, 3);
  m.buffers[static_cast<std::size_t>(out)].offset = m.buffers[static_cast<std::size_t>(in)].offset;
  test::FunctionBuilder f(m, "f", 0);
  const test::V x = f.load(in, 0), y = f.load(in, 1), z = f.load(in, 2);
  test::V slow = z;
  for (int k = 0; k < 3; ++k) slow = slow / (slow + z);
  f.store(out, 0, y);
  f.store(out, 1, x);
  f.store(out, 2, slow);
  f.finish();
  const tape::Module o = ordered(m);
  test::Memory expected = test::filled(m, 7), actual = expected;
  ASSERT_EQ(tape::interpret(m, 0, expected.bases(), nullptr), 0);
  ASSERT_EQ(tape::interpret(o, 0, actual.bases(), nullptr), 0);
  const auto state = static_cast<std::size_t>(runtime::Role::State);
  EXPECT_EQ(expected.data[state], actual.data[state]) << tape::print(o);
}

} // namespace
} // namespace lmc
