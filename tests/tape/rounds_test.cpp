// Which loops over members are in one round of tiles, and where the tiles end; the numbers are those of the loops one
// behind the other.
#include "Builder.h"
#include "tape/Places.h"
#include "tape/Shares.h"
#include "tape/TapeCost.h"
#include "tape/Tiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

namespace lmc {
namespace {

using tape::Op;
using test::FunctionBuilder;
using test::V;

/// Loops over members behind each other, which stand in one body.
struct Sequence {
  using Body = std::function<void(FunctionBuilder& f, Sequence& m)>;
  explicit Sequence(const Body& body) {
    FunctionBuilder f(m, "sequence", 0);
    body(f, *this);
    entry = f.finish();
  }
  /// For i from `low` to `high`, to[3 i + k + far] = 1.25 from[3 i + k] + what it was.
  void loop(FunctionBuilder& f, int to, int from, std::int64_t low, std::int64_t high, std::int64_t far = 0) const {
    f.loop(f.integer(low), f.integer(high), [&](V i) {
      for (const std::int64_t k : {0, 1, 2}) {
        const V at = f.op(Op::IAdd, {f.op(Op::IMul, {i, f.integer(3)}), f.integer(k)});
        const V there = f.op(Op::IAdd, {at, f.integer(3 * far)});
        f.store(to, there, f.load(from, at) * f.real(1.25) + f.load(to, there));
      }
    });
  }
  [[nodiscard]] std::vector<double> run() const {
    test::Memory memory(m, 0);
    std::vector<double>& state = memory.of(runtime::Role::State);
    for (std::size_t k = 0; k < state.size(); ++k) state[k] = std::sin(static_cast<double>(k));
    EXPECT_EQ(tape::interpret(m, entry, memory.bases(), nullptr), runtime::Ok);
    return state;
  }
  /// Divides loops; the numbers stay.
  void divide(double bound) {
    const std::vector<double> before = run();
    tape::divideMembers(m, bound);
    EXPECT_EQ(tape::verify(m), "");
    EXPECT_EQ(run(), before);
  }
  /// How many rounds there are then.
  int rounds() {
    divide(0);
    int count = 0;
    for (const tape::Instr& i : m.functions[0].blocks[0].code)
      count += i.op == Op::Loop && i.imm == tape::independentTurns ? 1 : 0;
    return count;
  }

  static constexpr std::int64_t n = 103;
  tape::Module m;
  int x = test::addBuffer(m, "x", runtime::Role::State, 3 * n + 6);
  int y = test::addBuffer(m, "y", runtime::Role::State, 3 * n + 6);
  int z = test::addBuffer(m, "z", runtime::Role::State, 3 * n + 6);
  int entry = 0;
};

TEST(Rounds, HoldLoopsThatMeetInOneMemberAlone) {
  constexpr std::int64_t last = Sequence::n - 1;
  // each member hands on to itself
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.y, s.x, 0, last);
              s.loop(f, s.z, s.y, 0, last);
              s.loop(f, s.x, s.z, 0, last);
            }).rounds(),
            1);
  // without the first members and the last ones, and by another number of the same members
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.y, s.x, 1, last - 2);
              s.loop(f, s.z, s.y, 0, last);
              s.loop(f, s.x, s.z, 3, last);
            }).rounds(),
            1);
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.y, s.x, 0, last - 1, 1);
              s.loop(f, s.z, s.y, 1, last);
            }).rounds(),
            1);
  // one member hands on to the next turn's, or to that of the turn before
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.y, s.x, 0, last, 1);
              s.loop(f, s.z, s.y, 0, last);
            }).rounds(),
            1);
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.z, s.y, 0, last);
              s.loop(f, s.y, s.x, 0, last, 1);
            }).rounds(),
            1);
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.z, s.x, 0, last);
              s.loop(f, s.z, s.y, 0, last, 1);
            }).rounds(),
            1);
  // what stands between and meets none of them goes before
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.y, s.x, 1, last);
              f.store(s.y, f.integer(2), f.load(s.x, f.integer(7)) * f.real(3));
              s.loop(f, s.z, s.y, 0, last);
            }).rounds(),
            1);
}

TEST(Rounds, EndWhereALoopSeesOtherMembers) {
  constexpr std::int64_t last = Sequence::n - 1;
  // numbers of the member before and of the same one: flow, and the other way round
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.y, s.x, 0, last, 1);
              s.loop(f, s.x, s.y, 0, last);
            }).rounds(),
            2);
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.x, s.y, 0, last);
              s.loop(f, s.y, s.x, 0, last, 1);
            }).rounds(),
            2);
  // both write
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.y, s.x, 0, last);
              s.loop(f, s.z, s.x, 0, last);
              s.loop(f, s.z, s.y, 0, last, 1);
            }).rounds(),
            2);
  // what stands between reads, or writes, a number of theirs
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.y, s.x, 0, last);
              f.store(s.z, f.integer(0), f.load(s.y, f.integer(300)));
              s.loop(f, s.z, s.y, 1, last);
            }).rounds(),
            2);
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.y, s.x, 0, last);
              f.store(s.x, f.integer(9), f.real(3));
              s.loop(f, s.z, s.x, 0, last);
            }).rounds(),
            2);
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              s.loop(f, s.y, s.x, 0, last);
              f.fill(s.y);
              s.loop(f, s.z, s.y, 0, last);
            }).rounds(),
            2);
}

/// Members and groups of eight of them: to[8 g + k] = 1.25 from[8 g + k] + what it was, for groups from `low` to
/// `high`.
void groupLoop(FunctionBuilder& f, int to, int from, std::int64_t low, std::int64_t high, std::int64_t far = 0) {
  f.loop(f.integer(low), f.integer(high), [&](V g) {
    const V first = f.op(Op::IAdd, {f.op(Op::IMul, {g, f.integer(8)}), f.integer(far)});
    f.loop(f.integer(0), f.integer(7), [&](V k) {
      const V at = f.op(Op::IAdd, {first, k});
      f.store(to, at, f.load(from, at) * f.real(1.25) + f.load(to, at));
    });
  });
}
void memberLoop(FunctionBuilder& f, int to, int from, std::int64_t low, std::int64_t high, std::int64_t far = 0) {
  f.loop(f.integer(low), f.integer(high), [&](V i) {
    const V there = f.op(Op::IAdd, {i, f.integer(far)});
    f.store(to, there, f.load(from, i) * f.real(1.5) + f.load(to, there));
  });
}

TEST(Rounds, HoldLoopsOverGroupsAndOverTheirMembers) {
  // members, then groups of them, and the other way round; neither all members nor all groups
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              memberLoop(f, s.y, s.x, 3, 197);
              groupLoop(f, s.z, s.y, 0, 24);
              memberLoop(f, s.x, s.z, 1, 199);
            }).rounds(),
            1);
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              groupLoop(f, s.y, s.x, 2, 24);
              memberLoop(f, s.z, s.y, 0, 199);
            }).rounds(),
            1);
  // groups that begin elsewhere
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              memberLoop(f, s.y, s.x, 0, 203);
              groupLoop(f, s.z, s.y, 0, 24, 3);
            }).rounds(),
            1);
  // the few members behind the last whole group
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              memberLoop(f, s.y, s.x, 0, 195);
              memberLoop(f, s.y, s.z, 196, 199);
              groupLoop(f, s.z, s.y, 0, 24);
            }).rounds(),
            1);
  // two groupings of the same members
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              groupLoop(f, s.y, s.x, 0, 24);
              groupLoop(f, s.x, s.y, 0, 24, 4);
            }).rounds(),
            2);
  // a member of the group before
  EXPECT_EQ(Sequence([](FunctionBuilder& f, Sequence& s) {
              memberLoop(f, s.y, s.x, 0, 199, 1);
              memberLoop(f, s.x, s.y, 0, 199);
              groupLoop(f, s.z, s.y, 0, 24);
            }).rounds(),
            2);
}

TEST(Rounds, BeginBehindWhatIsTooLittleForOne) {
  // Of two short loops one hands on to every member: the other one is in the round of all members.
  Sequence s([](FunctionBuilder& f, Sequence& q) {
    memberLoop(f, q.x, q.y, 8, 9);
    memberLoop(f, q.z, q.x, 8, 9);
    f.loop(f.integer(0), f.integer(299), [&](V i) { f.store(q.y, i, f.load(q.z, i) + f.load(q.x, f.integer(8))); });
  });
  s.divide(tape::cost(s.m, 0) / tape::memberLoops / 1.05);
  std::vector<std::int64_t> directions;
  for (const tape::Instr& i : s.m.functions[0].blocks[0].code)
    if (i.op == Op::Loop) directions.push_back(i.imm);
  EXPECT_EQ(directions, std::vector<std::int64_t>({1, tape::independentTurns})) << tape::print(s.m);
}

TEST(Rounds, HaveTilesThatEndWhereGroupsDo) {
  // 4,000 members in groups of 256: those of a loop that sees the member before, too
  tape::Module m;
  const int x = test::addBuffer(m, "x", runtime::Role::State, 4096);
  const int y = test::addBuffer(m, "y", runtime::Role::State, 4096);
  const int z = test::addBuffer(m, "z", runtime::Role::State, 4096);
  FunctionBuilder f(m, "tiles", 0);
  memberLoop(f, y, x, 0, 3999);
  f.loop(f.integer(0), f.integer(15), [&](V g) {
    f.loop(f.integer(0), f.integer(255), [&](V k) {
      const V at = f.op(Op::IAdd, {f.op(Op::IMul, {g, f.integer(256)}), k});
      f.store(z, at, f.load(y, at) * f.load(y, at));
    });
  });
  f.loop(f.integer(1), f.integer(3999), [&](V i) {
    f.store(x, i, f.load(z, i) - f.load(z, f.op(Op::ISub, {i, f.integer(1)})));
  });
  f.finish();
  tape::divideMembers(m, 0);
  EXPECT_EQ(tape::verify(m), "");
  const tape::Function& made = m.functions[0];
  const tape::Places known(made);
  std::vector<std::int64_t> lengths;
  for (const tape::Instr& i : made.blocks[0].code) {
    if (i.op != Op::Loop) continue;
    EXPECT_EQ(i.imm, tape::independentTurns);
    const auto places = known.in(i, {i.result});
    std::set<std::int64_t> slopes;
    for (const auto& [value, place] : places)
      if (place.slope > 1) slopes.insert(place.slope);
    EXPECT_TRUE(slopes.contains(256)) << tape::print(m);
    lengths.push_back(*slopes.rbegin());
  }
  EXPECT_EQ(lengths, std::vector<std::int64_t>({256, 256}));
}

} // namespace
} // namespace lmc
