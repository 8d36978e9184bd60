// Loops whose turns may be made at the same time: found where they are, left alone where one turn sees what another one
// writes, and of the same numbers.
#include "Builder.h"
#include "tape/Shares.h"
#include "tape/Tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace lmc {
namespace {

using tape::Op;
using test::FunctionBuilder;
using test::V;

TEST(Places, AreApartWhereNoTwoTurnsMeet) {
  std::mt19937 random(1);
  const auto within = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  int meet = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    tape::Place a, b;
    a.counter = b.counter = 0;
    a.slope = b.slope = within(-4, 4);
    a.low = within(-9, 9);
    a.high = a.low + within(0, 3);
    b.low = within(-9, 9);
    b.high = b.low + within(0, 3);
    const std::int64_t count = within(1, 9);
    bool apart = a.slope != 0;
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t j = 0; j < count; ++j)
        if (i != j &&
            std::max(a.slope * i + a.low, b.slope * j + b.low) <= std::min(a.slope * i + a.high, b.slope * j + b.high))
          apart = false;
    ASSERT_EQ(tape::apart(a, b, count), apart) << a.slope << ' ' << a.low << ' ' << b.low << ' ' << count;
    meet += apart ? 0 : 1;
  }
  EXPECT_GT(meet, 1000);
  EXPECT_LT(meet, 19000);
  EXPECT_FALSE(tape::apart({0, 1, 0, 0}, {0, 2, 50, 50}, 3)); // of different slopes nothing is known
}

/// A loop over members 0 … n - 1 with three numbers each.
struct Members {
  using Body = std::function<void(FunctionBuilder& f, Members& m, V i)>;
  explicit Members(const Body& body, bool down = false) {
    FunctionBuilder f(m, "members", 0);
    f.loop(
        f.integer(0), f.integer(n - 1), [&](V i) { body(f, *this, i); }, down);
    entry = f.finish();
  }
  V at(FunctionBuilder& f, V i, std::int64_t k) {
    return f.op(Op::IAdd, {f.op(Op::IMul, {i, f.integer(3)}), f.integer(k)});
  }
  [[nodiscard]] std::vector<double> run() const {
    test::Memory memory(m, 0);
    for (std::size_t k = 0; k < memory.of(runtime::Role::State).size(); ++k)
      memory.of(runtime::Role::State)[k] = std::sin(static_cast<double>(k));
    EXPECT_EQ(tape::interpret(m, entry, memory.bases(), nullptr), runtime::Ok);
    std::vector<double> all = memory.of(runtime::Role::State);
    const auto& more = memory.of(runtime::Role::Output);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Whether it is divided; the numbers stay.
  bool divided() {
    const std::vector<double> before = run();
    tape::divideMembers(m, 0);
    EXPECT_EQ(tape::verify(m), "");
    EXPECT_EQ(run(), before);
    return tape::print(m).find("loop independent") != std::string::npos;
  }

  static constexpr std::int64_t n = 101;
  tape::Module m;
  int x = test::addBuffer(m, "x", runtime::Role::State, 3 * n);
  int y = test::addBuffer(m, "y", runtime::Role::Output, 3 * n);
  int entry = 0;
};

TEST(MemberLoops, AreDividedWhereTurnsAreIndependent) {
  EXPECT_TRUE(Members([](FunctionBuilder& f, Members& m, V i) {
                for (const std::int64_t k : {0, 1, 2})
                  f.store(m.y, m.at(f, i, k), f.load(m.x, m.at(f, i, (k + 1) % 3)) + f.load(m.y, m.at(f, i, k)));
              }).divided());
  // in place, and numbers that stand side by side by kinds
  EXPECT_TRUE(Members([](FunctionBuilder& f, Members& m, V i) {
                const V last = f.op(Op::IAdd, {i, f.integer(2 * Members::n)});
                f.store(m.x, i, f.load(m.x, last) + f.load(m.x, i));
                f.accum(m.x, last, f.load(m.x, i));
              }).divided());
  // a loop over the numbers of a member, and a condition
  EXPECT_TRUE(Members([](FunctionBuilder& f, Members& m, V i) {
                f.loop(f.integer(0), f.integer(2), [&](V k) {
                  const V at = f.op(Op::IAdd, {f.op(Op::IMul, {f.integer(3), i}), k});
                  const V value = f.load(m.x, at);
                  f.when(f.op(Op::Lt, {value, f.real(0.2)}), [&] { f.accum(m.y, at, value * value); });
                });
              }).divided());
  // what others read but nobody writes
  EXPECT_TRUE(Members([](FunctionBuilder& f, Members& m, V i) {
                f.store(m.y, i, f.load(m.x, f.op(Op::IMin, {f.op(Op::IMul, {i, i}), f.integer(7)})));
              }).divided());
}

TEST(MemberLoops, StayWholeWhereATurnSeesAnother) {
  // recursions in both directions
  EXPECT_FALSE(Members([](FunctionBuilder& f, Members& m, V i) {
                 const V next = f.op(Op::IAdd, {i, f.integer(1)});
                 f.store(m.y, next, f.load(m.y, i) + f.load(m.x, i));
               }).divided());
  EXPECT_FALSE(Members([](FunctionBuilder& f, Members& m, V i) {
                 f.store(m.y, m.at(f, i, 0), f.load(m.x, i));
                 f.store(m.y, i, f.load(m.x, m.at(f, i, 1)));
               }).divided());
  EXPECT_FALSE(Members([](FunctionBuilder& f, Members& m, V i) { f.store(m.y, i, f.load(m.x, i)); }, true).divided());
  // one number for all
  EXPECT_FALSE(
      Members([](FunctionBuilder& f, Members& m, V i) { f.accum(m.y, f.integer(0), f.load(m.x, i)); }).divided());
  EXPECT_FALSE(Members([](FunctionBuilder& f, Members& m, V i) {
                 f.store(m.y, f.integer(5), f.load(m.x, i));
                 f.store(m.x, i, f.load(m.y, f.integer(5)));
               }).divided());
  // a place that is not known
  EXPECT_FALSE(Members([](FunctionBuilder& f, Members& m, V i) {
                 f.store(m.y, f.op(Op::IMin, {i, f.integer(50)}), f.load(m.x, i));
               }).divided());
  // an overlap by one: the last first number is the first second one
  EXPECT_FALSE(Members([](FunctionBuilder& f, Members& m, V i) {
                 f.store(m.y, i, f.load(m.x, i));
                 f.store(m.y, f.op(Op::IAdd, {i, f.integer(Members::n - 1)}), f.load(m.x, m.at(f, i, 1)));
               }).divided());
  // who may leave the loop or the function
  EXPECT_FALSE(Members([](FunctionBuilder& f, Members& m, V i) {
                 f.breakIf(f.op(Op::Lt, {f.load(m.x, i), f.real(-0.99)}));
                 f.store(m.y, i, f.load(m.x, i));
               }).divided());
}

TEST(MemberLoops, ShortOnesStayWhole) {
  Members m([](FunctionBuilder& f, Members& x, V i) { f.store(x.y, i, f.load(x.x, i)); });
  tape::divideMembers(m.m);
  EXPECT_EQ(tape::print(m.m).find("independent"), std::string::npos);
}

/// Sums over the pairs of a list.
struct Nest {
  using Body = std::function<void(FunctionBuilder& f, Nest& m, V i, V j)>;
  explicit Nest(const Body& body, std::int64_t rows = 40) {
    FunctionBuilder f(m, "pairs", 0);
    f.loop(f.integer(0), f.integer(rows - 1), [&](V i) {
      f.loop(f.op(Op::IAdd, {i, f.integer(1)}), f.integer(39), [&](V j) { body(f, *this, i, j); });
    });
    f.finish();
    tape::Function& function = m.functions[0];
    for (tape::Block& b : function.blocks)
      for (tape::Instr& i : b.code)
        if (i.op == Op::Loop && !outer) {
          outer = true;
        } else if (i.op == Op::Loop) {
          i.buffer = list;
          i.args.push_back(function.blocks[0].code.back().result);
        }
  }
  bool marked() {
    EXPECT_EQ(tape::verify(m), "");
    tape::markOwned(m, 0);
    EXPECT_EQ(tape::verify(m), "");
    return tape::print(m).find("loop owned") != std::string::npos;
  }

  bool outer = false;
  tape::Module m;
  int x = test::addBuffer(m, "x", runtime::Role::State, 40);
  int y = test::addBuffer(m, "y", runtime::Role::Output, 80);
  int list = test::addBuffer(m, "list", runtime::Role::Work, 1000);
};

TEST(OwnedSums, AreThoseOfTheTwoIndices) {
  EXPECT_TRUE(Nest([](FunctionBuilder& f, Nest& m, V i, V j) {
                f.accum(m.y, i, f.load(m.x, j));
                f.accum(m.y, j, f.load(m.x, i));
                f.accum(m.y, f.op(Op::IAdd, {j, f.integer(40)}), f.load(m.x, i));
              }).marked());
  // one number for all pairs
  EXPECT_FALSE(Nest([](FunctionBuilder& f, Nest& m, V i, V j) {
                 f.accum(m.y, i, f.load(m.x, j));
                 f.accum(m.y, f.integer(79), f.load(m.x, j));
               }).marked());
  // what is read of the sums themselves
  EXPECT_FALSE(Nest([](FunctionBuilder& f, Nest& m, V i, V j) { f.accum(m.y, i, f.load(m.y, j)); }).marked());
  // what is stored, for which the last pair decides
  EXPECT_FALSE(Nest([](FunctionBuilder& f, Nest& m, V i, V j) { f.store(m.y, j, f.load(m.x, i)); }).marked());
  // elements of two owners
  EXPECT_FALSE(Nest([](FunctionBuilder& f, Nest& m, V i, V j) {
                 f.accum(m.y, i, f.load(m.x, j));
                 f.accum(m.y, f.op(Op::IAdd, {j, f.integer(1)}), f.load(m.x, i));
               }).marked());
  EXPECT_FALSE(Nest([](FunctionBuilder& f, Nest& m, V i, V j) {
                 f.accum(m.y, f.op(Op::IAdd, {i, j}), f.load(m.x, j));
               }).marked());
}

} // namespace
} // namespace lmc
