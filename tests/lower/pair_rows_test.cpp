// Members of near pairs as rows: the numbers of sums over pairs stay what they were, to the bit, and pairs read and add
// to rows alone.
#include "lower/builder/PairRows.h"

#include "backends/Builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace lmc::lower {
namespace {

using tape::Instr;
using tape::Op;
using test::FunctionBuilder;
using test::V;

constexpr std::int64_t members = 23;

/// Sums over the pairs of a list, for some numbers of each member.
struct Nest {
  using Body = std::function<void(FunctionBuilder& f, Nest& m, V i, V j)>;
  Nest(std::int64_t numbers, const Body& body, bool filled = false) : numbers_(numbers) {
    FunctionBuilder f(m, "pairs", 0);
    if (filled) f.fill(y);
    f.loop(f.integer(0), f.integer(members - 2), [&](V i) {
      f.loop(f.op(Op::IAdd, {i, f.integer(1)}), f.integer(members - 1), [&](V j) { body(f, *this, i, j); });
    });
    f.finish();
    bool outer = false;
    for (tape::Block& b : m.functions[0].blocks)
      for (Instr& i : b.code)
        if (i.op == Op::Loop && std::exchange(outer, true)) {
          i.buffer = list;
          i.args.push_back(m.functions[0].blocks[0].code.back().result);
        }
  }
  V at(FunctionBuilder& f, V member, std::int64_t k) const {
    return k == 0 ? member : f.op(Op::IAdd, {member, f.integer(k * members)});
  }
  /// What the outputs are.
  [[nodiscard]] std::vector<double> outputs() const {
    test::Memory memory(m, 0.75);
    std::vector<double>& state = memory.of(runtime::Role::State);
    for (std::size_t k = 0; k < state.size(); ++k) state[k] = std::sin(1.7 * static_cast<double>(k * k));
    std::vector<double>& output = memory.of(runtime::Role::Output);
    for (std::size_t k = 0; k < output.size(); ++k) output[k] = std::cos(2.3 * static_cast<double>(k * k));
    EXPECT_EQ(tape::interpret(m, 0, memory.bases(), nullptr), runtime::Ok);
    return output;
  }
  /// Of the instructions inside of the listed loop: those of an operation on a buffer.
  [[nodiscard]] std::size_t inLoop(Op op, int buffer) const {
    std::size_t n = 0;
    const auto& blocks = m.functions[0].blocks;
    for (const tape::Block& b : blocks)
      for (const Instr& i : b.code)
        if (i.op == Op::Loop && i.buffer == list)
          for (const Instr& in : blocks[static_cast<std::size_t>(i.block)].code)
            n += in.op == op && in.buffer == buffer;
    return n;
  }
  void toRows() {
    const std::vector<double> wanted = outputs();
    ASSERT_EQ(tape::verify(m), "");
    m.functions[0] = rowsOfPairs(m.functions[0], m);
    ASSERT_EQ(tape::verify(m), "");
    const std::vector<double> found = outputs();
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_EQ(std::memcmp(&found[k], &wanted[k], sizeof(double)), 0) << k << ": " << found[k] << ", " << wanted[k];
  }
  [[nodiscard]] std::size_t fills() const {
    std::size_t n = 0;
    for (const Instr& i : m.functions[0].blocks[0].code) n += i.op == Op::Fill;
    return n;
  }

  std::int64_t numbers_;
  tape::Module m;
  int x = test::addBuffer(m, "x", runtime::Role::State, numbers_* members);
  int y = test::addBuffer(m, "y", runtime::Role::Output, numbers_* members);
  int list = test::addBuffer(m, "list", runtime::Role::Work, 1000);
};

/// Each number of both members, from all numbers of both.
void everything(FunctionBuilder& f, Nest& m, V i, V j) {
  V sum = f.real(0.1);
  for (std::int64_t k = 0; k < m.numbers_; ++k) sum = sum * f.load(m.x, m.at(f, j, k)) + f.load(m.x, m.at(f, i, k));
  for (std::int64_t k = 0; k < m.numbers_; ++k) {
    f.accum(m.y, m.at(f, i, k), sum + f.real(static_cast<double>(k)));
    f.accum(m.y, m.at(f, j, k), sum * f.load(m.x, m.at(f, j, k)));
  }
}

TEST(PairRows, HoldAnyNumberOfEntries) {
  for (const std::int64_t numbers : {2, 3, 4, 5, 6, 8, 9, 11, 17}) {
    SCOPED_TRACE(numbers);
    Nest m(numbers, everything);
    m.toRows();
    const std::size_t alone = numbers % wideRow == 1 ? 1 : 0; // one column is not worth a row
    EXPECT_EQ(m.inLoop(Op::Load, m.x), static_cast<std::size_t>(numbers) + 2 * alone);
    EXPECT_EQ(m.inLoop(Op::Accum, m.y), 2 * alone);
  }
}

TEST(PairRows, OfSumsThatBeginWithZeroNeedNoZerosBefore) {
  Nest m(3, everything, true);
  m.toRows();
  EXPECT_EQ(m.fills(), 0U);
  // a number that pairs do not add to keeps its zeros
  Nest part(
      3,
      [](FunctionBuilder& f, Nest& n, V i, V j) {
        for (std::int64_t k = 0; k < 2; ++k) f.accum(n.y, n.at(f, j, k), f.load(n.x, n.at(f, i, k)));
      },
      true);
  part.toRows();
  EXPECT_EQ(part.fills(), 1U);
  EXPECT_EQ(part.inLoop(Op::Accum, part.y), 0U);
}

TEST(PairRows, LeaveAloneWhatIsNoSumOfMembers) {
  // elements of two owners
  Nest beside(3, [](FunctionBuilder& f, Nest& n, V i, V j) {
    f.accum(n.y, i, f.load(n.x, j));
    f.accum(n.y, f.op(Op::IAdd, {j, f.integer(1)}), f.load(n.x, n.at(f, j, 1)));
  });
  beside.toRows();
  EXPECT_EQ(beside.inLoop(Op::Accum, beside.y), 2U);
  // every second number
  Nest far(6, [](FunctionBuilder& f, Nest& n, V i, V j) {
    const V twice = f.op(Op::IMul, {j, f.integer(2)});
    f.accum(n.y, twice, f.load(n.x, i) * f.load(n.x, n.at(f, j, 1)));
  });
  far.toRows();
  EXPECT_EQ(far.inLoop(Op::Accum, far.y), 1U);
}

} // namespace
} // namespace lmc::lower
