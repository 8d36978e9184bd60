// Loops whose turns may be made at the same time: found where they are, left alone where one turn sees what another one
// writes, and of the same numbers.
#include "Builder.h"
#include "tape/Places.h"
#include "tape/Shares.h"
#include "tape/TapeCost.h"
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

TEST(Places, TurnsStandApartWhereNoneTouchesWhatAnotherOneWrites) {
  std::mt19937 random(3);
  const auto within = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  int apart = 0, meet = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    struct Access {
      std::int64_t slope, offset;
      int kind; // load, store, sum
    };
    tape::Module m;
    const int buffer = test::addBuffer(m, "x", runtime::Role::Work, 200);
    FunctionBuilder f(m, "turns", 0);
    const std::int64_t count = within(1, 7), slope = within(-3, 3);
    std::vector<Access> all;
    for (std::int64_t k = within(1, 4); k > 0; --k)
      all.push_back({within(0, 9) == 0 ? within(-3, 3) : slope, within(-12, 12), static_cast<int>(within(0, 2))});
    f.loop(f.integer(2), f.integer(1 + count), [&](V i) {
      for (const Access& a : all) {
        const V index = f.op(Op::IAdd, {f.op(Op::IMul, {i, f.integer(a.slope)}), f.integer(a.offset)});
        if (a.kind == 0) (void)f.load(buffer, index);
        if (a.kind == 1) f.store(buffer, index, f.real(1));
        if (a.kind == 2) f.accum(buffer, index, f.real(1));
      }
    });
    const tape::Function& function = m.functions[static_cast<std::size_t>(f.finish())];
    bool wanted = true;
    for (const Access& a : all)
      for (const Access& b : all)
        for (std::int64_t i = 2; i < 2 + count; ++i)
          for (std::int64_t j = 2; j < 2 + count; ++j)
            if (i != j && a.kind != 0 && a.slope * i + a.offset == b.slope * j + b.offset) wanted = false;
    const auto& code = function.blocks[0].code;
    const auto loop = std::find_if(code.begin(), code.end(), [](const tape::Instr& i) { return i.op == Op::Loop; });
    const bool found = tape::Places(function).turnsStandApart(*loop, [](const tape::Instr&) { return false; });
    const bool writes = std::any_of(all.begin(), all.end(), [](const Access& a) { return a.kind != 0; });
    const bool one =
        std::all_of(all.begin(), all.end(), [&](const Access& a) { return a.slope == all[0].slope && a.slope != 0; });
    ASSERT_LE(found, wanted) << trial;
    if (one || !writes) ASSERT_EQ(found, wanted) << trial; // where all move alike, nothing is left in doubt
    ++(found ? apart : meet);
  }
  EXPECT_GT(apart, 4000);
  EXPECT_GT(meet, 4000);
}

TEST(Places, ReachAsFarAsTurnsMeet) {
  std::mt19937 random(2);
  const auto within = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  int exact = 0, farther = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    // slope·counter + c + Σ stride·k, such as elements of arrays of several indices, and all that they may be
    struct Side {
      tape::Place place;
      std::vector<std::int64_t> offsets;
    };
    const std::int64_t slope = within(1, 3) * (within(0, 1) == 0 ? 1 : -1), count = within(1, 6);
    const auto side = [&] {
      Side s;
      const std::int64_t c = within(-6, 6);
      s.place = {0, slope, c, c};
      s.offsets = {c};
      for (int t = 0; t < 2; ++t) {
        const std::int64_t stride = t == 0 ? within(-2, 2) : within(-30, 30), n = within(0, 3);
        const std::int64_t low = std::min<std::int64_t>(0, stride * n), high = std::max<std::int64_t>(0, stride * n);
        s.place.low += low;
        s.place.high += high;
        if (stride != 0) s.place.terms.push_back({stride, low, high});
        std::vector<std::int64_t> more;
        for (const std::int64_t o : s.offsets)
          for (std::int64_t k = 0; k <= n; ++k) more.push_back(o + stride * k);
        s.offsets = more;
      }
      return s;
    };
    const Side a = side(), b = side();
    std::int64_t wanted = 0;
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t j = 0; j < count; ++j)
        for (const std::int64_t x : a.offsets)
          for (const std::int64_t y : b.offsets)
            if (slope * i + x == slope * j + y) wanted = std::max(wanted, i < j ? j - i : i - j);
    const auto found = tape::reach(a.place, b.place, count);
    ASSERT_TRUE(found);
    ASSERT_GE(*found, wanted);
    exact += *found == wanted && wanted < count - 1 ? 1 : 0;
    farther += wanted > 0 ? 1 : 0;
  }
  EXPECT_GT(exact, 2000);
  EXPECT_GT(farther, 2000);
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

TEST(MemberLoops, OfNeighboursAddToEachOther) {
  // the turns of a tile that come last add in another order: the same numbers but for round-off
  const auto divided = [](const Members::Body& body) {
    Members m(body);
    const std::vector<double> before = m.run();
    tape::divideMembers(m.m, 0);
    EXPECT_EQ(tape::verify(m.m), "");
    const std::vector<double> after = m.run();
    for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(after[k], before[k], 1e-14) << k;
    return tape::print(m.m).find("loop independent") != std::string::npos;
  };
  const auto addTo = [](std::int64_t far) {
    return [far](FunctionBuilder& f, Members& m, V i) {
      for (const std::int64_t k : {std::int64_t{0}, far})
        f.accum(m.y, f.op(Op::IAdd, {i, f.integer(k)}), f.load(m.x, i) * f.real(static_cast<double>(k + 1)));
    };
  };
  EXPECT_TRUE(divided(addTo(1)));
  EXPECT_TRUE(divided(addTo(3)));
  EXPECT_FALSE(divided(addTo(50))); // most turns would wait
  // the sum itself is read
  EXPECT_FALSE(divided([](FunctionBuilder& f, Members& m, V i) {
    f.accum(m.y, i, f.load(m.x, i));
    f.accum(m.y, f.op(Op::IAdd, {i, f.integer(1)}), f.load(m.y, i));
  }));
}

TEST(MemberLoops, OfGroupsHaveLoopsInside) {
  // groups of 8 members, in each a recursion from member to member: y[8 g + k] from y[8 g + k - 1]
  EXPECT_TRUE(Members([](FunctionBuilder& f, Members& m, V g) {
                f.loop(f.integer(1), f.integer(2), [&](V k) {
                  const V at = f.op(Op::IAdd, {f.op(Op::IMul, {g, f.integer(3)}), k});
                  f.store(m.y, at, f.load(m.y, f.op(Op::ISub, {at, f.integer(1)})) + f.load(m.x, at));
                });
              }).divided());
  // the number of the group last: y[101 k + g]
  EXPECT_TRUE(Members([](FunctionBuilder& f, Members& m, V g) {
                f.loop(f.integer(1), f.integer(2), [&](V k) {
                  const V at = f.op(Op::IAdd, {f.op(Op::IMul, {k, f.integer(Members::n)}), g});
                  f.store(m.y, at, f.load(m.y, f.op(Op::ISub, {at, f.integer(Members::n)})) + f.load(m.x, at));
                });
              }).divided());
  // members of a group as a range: i from 2 g to 2 g + 1, but no further than 150
  EXPECT_TRUE(Members([](FunctionBuilder& f, Members& m, V g) {
                const V first = f.op(Op::IMul, {g, f.integer(2)});
                const V last = f.op(Op::IMin, {f.op(Op::IAdd, {first, f.integer(1)}), f.integer(150)});
                f.loop(first, last, [&](V i) { f.store(m.y, i, f.load(m.x, i)); });
              }).divided());
  // a range that is one too long
  EXPECT_FALSE(Members([](FunctionBuilder& f, Members& m, V g) {
                 const V first = f.op(Op::IMul, {g, f.integer(2)});
                 f.loop(first, f.op(Op::IAdd, {first, f.integer(2)}), [&](V i) { f.store(m.y, i, f.load(m.x, i)); });
               }).divided());
}

TEST(MemberLoops, MayFailAndLeaveLoopsInside) {
  Members m([](FunctionBuilder& f, Members& x, V i) {
    f.failIf(f.op(Op::Lt, {f.load(x.x, i), f.real(-2)}), runtime::NoConvergence);
    f.loop(f.integer(0), f.integer(2), [&](V k) {
      const V at = f.op(Op::IAdd, {f.op(Op::IMul, {f.integer(3), i}), k});
      f.breakIf(f.op(Op::Lt, {f.load(x.x, at), f.real(0)}));
      f.store(x.y, at, f.load(x.x, at));
    });
  });
  EXPECT_TRUE(m.divided());
  test::Memory memory(m.m, 0);
  memory.of(runtime::Role::State)[70] = -3;
  EXPECT_EQ(tape::interpret(m.m, m.entry, memory.bases(), nullptr), runtime::NoConvergence);
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
  const auto tiles = [](double bound) {
    Members m([](FunctionBuilder& f, Members& x, V i) { f.store(x.y, i, f.load(x.x, i)); });
    const double cost = tape::loopCosts(m.m, m.entry)[m.m.functions[0].blocks[0].code.back().result];
    tape::divideMembers(m.m, bound * cost);
    const tape::Block& body = m.m.functions[0].blocks[0];
    const tape::Instr& loop = body.code.back();
    if (loop.imm != tape::independentTurns) return std::int64_t{1};
    for (const tape::Instr& i : body.code)
      if (i.result == loop.args[1]) return i.imm + 1;
    return std::int64_t{0};
  };
  EXPECT_EQ(tiles(1.1), 1);
  EXPECT_EQ(tiles(0.9), 1); // one of these is too little for a step
  EXPECT_EQ(tiles(1.05 / tape::memberLoops), 1);
  EXPECT_EQ(tiles(0.01), 15); // of at most 7 members
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
