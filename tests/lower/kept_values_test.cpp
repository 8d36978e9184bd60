// Values that several loops over the same members need: made once, to the bit what they were.
#include "lower/builder/Builder.h"
#include "lower/builder/KeptValues.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lmc {
namespace {

using lower::Builder;
using tape::Op;
using tape::Type;
using tape::Value;

constexpr int members = 5;
enum Buffers : std::int32_t { x, y, z };

class KeptValues : public testing::Test {
protected:
  KeptValues() {
    module.buffers = {{"x", runtime::Role::State, 0, members + 1},
                      {"y", runtime::Role::Output, 0, members},
                      {"z", runtime::Role::Output, members, members}};
    module.roleSize[static_cast<int>(runtime::Role::State)] = members + 1;
    module.roleSize[static_cast<int>(runtime::Role::Output)] = 2 * members;
  }

  /// to[i] = value of x[i + shift], scaled, for members low…high.
  void loop(std::int32_t to, double scale, int low = 1, int high = members, int shift = 0) {
    const Value i = f.beginLoop(f.integer(low), f.integer(high), false);
    const Value at = f.pure(Op::ISub, Type::Int, {i, f.integer(1)});
    const Value read = shift == 0 ? at : f.pure(Op::IAdd, Type::Int, {at, f.integer(shift)});
    const Value a = f.load(x, read, true);
    const Value s = f.mul(a, a);
    const Value heavy = f.pure(Op::Stumpff, Type::Real, {s}, 2);
    f.store(to, at, f.mul(f.real(scale), f.add(heavy, a)));
    f.endLoop();
  }

  static int stumpffs(const tape::Function& function) {
    int n = 0;
    for (const tape::Block& b : function.blocks)
      for (const tape::Instr& i : b.code) n += i.op == Op::Stumpff ? 1 : 0;
    return n;
  }

  std::vector<double> results(const tape::Function& function) {
    module.functions = {function};
    EXPECT_EQ(tape::verify(module), "") << tape::print(module);
    std::vector<double> state{0.3, -0.2, 0.5, 0.7, -0.1, 0.4}, out(2 * members),
        work(static_cast<std::size_t>(module.roleSize[static_cast<int>(runtime::Role::Work)]), std::nan(""));
    runtime::Bases bases;
    bases.base[static_cast<int>(runtime::Role::State)] = state.data();
    bases.base[static_cast<int>(runtime::Role::Output)] = out.data();
    bases.base[static_cast<int>(runtime::Role::Work)] = work.data();
    const double arguments[] = {0, 2};
    EXPECT_EQ(tape::interpret(module, 0, bases, arguments), 0);
    out.insert(out.end(), state.begin(), state.end());
    return out;
  }

  /// How many Stumpff functions are left; the results are what they were.
  int left() {
    const tape::Function before = f.finish();
    const std::vector<double> wanted = results(before);
    const tape::Function after = lower::keepValues(before, module);
    EXPECT_EQ(results(after), wanted);
    return stumpffs(after);
  }

  tape::Module module;
  Builder f{"f", 2};
};

TEST_F(KeptValues, ASecondLoopReadsWhatTheFirstHasMade) {
  loop(y, 2);
  loop(z, 3);
  EXPECT_EQ(left(), 1);
}

TEST_F(KeptValues, OtherMembersAreOtherValues) {
  loop(y, 2);
  loop(z, 3, 2, members);
  EXPECT_EQ(left(), 2);
}

TEST_F(KeptValues, NeighboursAreOtherValues) {
  loop(y, 2);
  loop(z, 3, 1, members, 1);
  EXPECT_EQ(left(), 2);
}

TEST_F(KeptValues, WhatHasChangedIsMadeAgain) {
  loop(y, 2);
  f.store(x, f.integer(2), f.real(0.25));
  loop(z, 3);
  EXPECT_EQ(left(), 2);
}

TEST_F(KeptValues, ALoopThatChangesWhatItReadsIsNoSource) {
  loop(x, 2);
  loop(z, 3);
  EXPECT_EQ(left(), 2);
}

TEST_F(KeptValues, WhatIsStoredAnywayHasNoSecondPlace) {
  loop(y, 2);
  loop(z, 2);
  const std::size_t buffers = module.buffers.size();
  EXPECT_EQ(left(), 1);
  EXPECT_EQ(module.buffers.size(), buffers);
}

TEST_F(KeptValues, StoresOfOneTurnMayStandBetweenThoseOfOthers) {
  for (const std::int64_t slope : {2, 1}) { // 1: a turn stores where the next one does
    f = Builder("f", 2);
    module.buffers.resize(3);
    module.roleSize[static_cast<int>(runtime::Role::Work)] = 0;
    const auto heavy = [&](Value at) {
      const Value a = f.load(x, at, true);
      return f.add(f.pure(Op::Stumpff, Type::Real, {f.mul(a, a)}, 2), a);
    };
    for (const std::int32_t to : {y, z}) {
      const Value i = f.beginLoop(f.integer(1), f.integer(2), false);
      const Value at = f.pure(Op::ISub, Type::Int, {i, f.integer(1)});
      const Value value = f.mul(f.real(2), heavy(at));
      const Value place = f.pure(Op::IMul, Type::Int, {at, f.integer(to == y ? slope : 1)});
      f.store(to, place, value);
      if (to == y) f.store(to, f.pure(Op::IAdd, Type::Int, {place, f.integer(1)}), f.real(-1));
      f.endLoop();
    }
    EXPECT_EQ(left(), 1);
    EXPECT_EQ(module.buffers.size(), slope == 2 ? 3U : 4U) << "what is overwritten has a place of its own";
  }
}

TEST_F(KeptValues, ACheapValueIsMadeAgain) {
  for (const std::int32_t to : {y, z}) {
    const Value i = f.beginLoop(f.integer(1), f.integer(members), false);
    const Value at = f.pure(Op::ISub, Type::Int, {i, f.integer(1)});
    const Value a = f.load(x, at, true);
    f.store(to, at, f.mul(f.real(to == y ? 2 : 3), f.mul(a, a)));
    f.endLoop();
  }
  const std::size_t buffers = module.buffers.size();
  EXPECT_EQ(left(), 0);
  EXPECT_EQ(module.buffers.size(), buffers);
}

} // namespace
} // namespace lmc
