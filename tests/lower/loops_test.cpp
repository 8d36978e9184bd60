// Loops, written out (N = 2) and kept (N = 50).
#include "lower/Agreement.h"
#include "lower/builder/Schedule.h"
#include "sym/derivatives/Derivative.h"

#include <gtest/gtest.h>

using namespace lmc::sym;
using namespace lmc::test;
using lmc::test::expectAgreement;
using lmc::test::Sandbox;

namespace {

struct Family {
  Sandbox& s;
  std::int64_t N;
  Graph& g = s.g;
  const Array* q = s.random("q", {N}, Shape::vec(3));
  const Array* m = s.random("m", {N}, Shape::scalar(), Role::Param);
  [[nodiscard]] Expr at(const Array* a, Expr i, std::int64_t shift = 0) const {
    return g.load(a, {g.add(i, g.integer(shift))});
  }
  [[nodiscard]] Loop all(const char* name = "i") const { return fullLoop(g, name, N); }
  [[nodiscard]] Loop from(std::int64_t lo, std::int64_t hi, bool descending = false) const {
    return {g.newIndex("i"), g.integer(lo), g.integer(hi), descending};
  }
  [[nodiscard]] Expr distance(Expr i, Expr j) const {
    const Expr d = g.sub(at(q, i), at(q, j));
    return g.inner(d, d);
  }
};

struct Case {
  const char* name;
  std::function<std::vector<const Array*>(const Family&)> build;
};

const Array* scan(const Family& f, bool descending) {
  const Array* x = f.s.temp("x", {f.N}, Shape::vec(3));
  const std::int64_t first = descending ? f.N : 1;
  f.s.set(x, {}, {f.s.n(first)}, f.at(f.q, f.s.n(first)));
  const Loop l = descending ? f.from(1, f.N - 1, true) : f.from(2, f.N);
  const Expr before = f.at(x, l.index, descending ? 1 : -1);
  f.s.set(x, {l}, {l.index}, f.g.add(f.g.mul(f.at(f.m, l.index), before), f.at(f.q, l.index)));
  return x;
}

std::vector<Case> recursions() {
  return {
      {"Ascending", [](const Family& f) { return std::vector{scan(f, false)}; }},
      {"Descending", [](const Family& f) { return std::vector{scan(f, true)}; }},
      {"BothAndASum",
       [](const Family& f) {
         const Array* up = scan(f, false);
         const Array* down = scan(f, true);
         const Array* total = f.s.temp("total");
         const Loop l = f.all();
         f.s.accumulate(total, {l}, {}, f.g.inner(f.at(up, l.index), f.at(down, l.index)));
         return std::vector{total, up};
       }},
      {"GradientOfARecursion",
       [](const Family& f) {
         const Array* x = scan(f, false);
         const Array* total = f.s.temp("total");
         const Loop l = f.all();
         f.s.accumulate(total, {l}, {}, f.g.inner(f.at(x, l.index), f.at(x, l.index)));
         const Gradient d = gradient(f.s.p, f.g.load(total), {f.q});
         const Array* out = f.s.temp("out", {f.N}, Shape::vec(3));
         const Loop k = f.all("k");
         f.s.set(out, {k}, {k.index}, d.of(f.q, {k.index}));
         return std::vector{out, total};
       }},
      {"GradientOfARecursionOfTwoSteps",
       [](const Family& f) {
         const Array* x = f.s.temp("x", {f.N});
         for (const std::int64_t k : {1, 2}) f.s.set(x, {}, {f.s.n(k)}, f.g.entry(f.at(f.q, f.s.n(k)), 1));
         const Loop l = f.from(3, f.N);
         const Expr a = f.at(x, l.index, -1);
         f.s.set(x, {l}, {l.index},
                 f.g.add(f.g.mul(a, f.g.entry(f.at(f.q, l.index), 0)), f.g.function(Op::Sin, f.at(x, l.index, -2))));
         const Gradient d = gradient(f.s.p, f.at(x, f.s.n(f.N)), {f.q});
         const Array* out = f.s.temp("out", {f.N}, Shape::vec(3));
         const Loop k = f.all("k");
         f.s.set(out, {k}, {k.index}, d.of(f.q, {k.index}));
         return std::vector{out, x};
       }},
  };
}

std::vector<Case> sums() {
  return {
      {"TriangularPairs",
       [](const Family& f) {
         const Array* total = f.s.temp("total");
         const Loop i = f.all("i");
         const Loop j{f.g.newIndex("j"), f.g.add(i.index, f.s.n(1)), f.s.n(f.N), false};
         f.s.accumulate(total, {i, j}, {}, f.g.mul(f.at(f.m, j.index), f.distance(i.index, j.index)));
         return std::vector{total};
       }},
      {"PairsWithAGuard",
       [](const Family& f) {
         const Array* each = f.s.temp("each", {f.N});
         const Loop i = f.all("i");
         const Loop j = f.all("j");
         const Expr inverse = f.g.div(f.g.number(1), f.g.function(Op::Sqrt, f.distance(i.index, j.index)));
         f.s.accumulate(each, {i, j}, {j.index}, inverse, f.g.compare(Op::Ne, i.index, j.index));
         return std::vector{each};
       }},
      {"GuardOnTheState",
       [](const Family& f) {
         const Array* each = f.s.temp("each", {f.N});
         const Array* total = f.s.temp("total");
         const Loop i = f.all("i");
         const Expr x = f.g.entry(f.at(f.q, i.index), 0);
         const Expr guard =
             f.g.logic(Op::Or, f.g.compare(Op::Lt, x, f.s.real(0.5)), f.g.compare(Op::Eq, i.index, f.s.n(2)));
         f.s.accumulate(each, {i}, {i.index}, f.g.function(Op::Log, x), guard);
         f.s.accumulate(total, {i}, {}, f.at(each, i.index), f.g.logicNot(guard));
         f.s.accumulate(total, {i}, {}, f.g.mul(x, f.at(each, i.index)));
         return std::vector{each, total};
       }},
      {"TwoCasesOfOneDefinition",
       [](const Family& f) {
         const Array* each = f.s.temp("each", {f.N});
         const Loop i = f.all("i");
         const Expr x = f.g.entry(f.at(f.q, i.index), 0);
         const Expr small = f.g.compare(Op::Lt, x, f.s.real(0.6));
         f.s.set(each, {i}, {i.index}, f.g.powInt(x, 2), small);
         f.s.set(each, {i}, {i.index}, f.g.function(Op::Exp, x), f.g.logicNot(small));
         return std::vector{each};
       }},
      {"PrefixSums",
       [](const Family& f) {
         const Array* prefix = f.s.temp("prefix", {f.N}, Shape::vec(3));
         const Loop i = f.all("i");
         const Loop j{f.g.newIndex("j"), f.s.n(1), i.index, true};
         f.s.accumulate(prefix, {i, j}, {i.index}, f.g.mul(f.at(f.m, j.index), f.at(f.q, j.index)));
         return std::vector{prefix};
       }},
      {"IntoOneValue",
       [](const Family& f) {
         const Array* total = f.s.temp("total", {}, Shape::vec(3));
         f.s.set(total, {}, {}, f.at(f.q, f.s.n(1)));
         const Loop i = f.all("i");
         f.s.accumulate(total, {i}, {}, f.g.mul(f.at(f.m, i.index), f.at(f.q, i.index)));
         const Array* square = f.s.temp("square");
         f.s.set(square, {}, {}, f.g.inner(f.g.load(total), f.g.load(total)));
         const Array* each = f.s.temp("each", {f.N});
         const Loop k = f.all("k");
         f.s.set(each, {k}, {k.index}, f.g.div(f.at(f.m, k.index), f.g.load(square)));
         return std::vector{total, square, each};
       }},
      {"MatricesOfAFamily",
       [](const Family& f) {
         const Array* M = f.s.temp("M", {f.N, 2}, Shape::mat(3, 3));
         const Loop i = f.all("i");
         const Loop k = fullLoop(f.g, "k", 2);
         f.s.set(M, {i, k}, {i.index, k.index},
                 f.g.add(f.g.mul(f.g.toReal(k.index), f.g.outer(f.at(f.q, i.index), f.at(f.q, f.s.n(2)))),
                         f.g.hat(f.at(f.q, i.index))));
         const Array* v = f.s.temp("v", {f.N}, Shape::vec(3));
         const Loop j = f.all("j");
         f.s.set(v, {j}, {j.index}, f.g.matmul(f.g.load(M, {j.index, f.s.n(2)}), f.at(f.q, j.index)));
         return std::vector{v, M};
       }},
  };
}

std::vector<Case> maps() {
  return {
      {"ContractedChainOfMaps",
       [](const Family& f) {
         const Array* before = f.q;
         for (int k = 0; k < 4; ++k) {
           const Array* next = f.s.temp("next", {f.N}, Shape::vec(3));
           const Loop i = f.all();
           f.s.set(next, {i}, {i.index},
                   f.g.cross(f.at(before, i.index), f.g.add(f.at(f.q, i.index), f.g.basis(3, f.s.n(1)))));
           before = next;
         }
         return std::vector{before};
       }},
      {"MemoryThatIsShared",
       [](const Family& f) {
         const Array* before = f.q;
         for (int k = 0; k < 5; ++k) { // read at another index: every array needs memory, two at a time
           const Array* next = f.s.temp("next", {f.N}, Shape::vec(3));
           const Loop i = f.all();
           f.s.set(next, {i}, {i.index},
                   f.g.add(f.g.load(before, {f.g.sub(f.s.n(f.N + 1), i.index)}),
                           f.g.scale(Number::ratio(1, 3), f.at(before, i.index))));
           before = next;
         }
         return std::vector{before};
       }},
      {"Neighbours",
       [](const Family& f) {
         const Array* each = f.s.temp("each", {f.N});
         const Loop i = f.all();
         const Expr next = f.g.add(f.s.n(1), f.g.imod(i.index, f.s.n(f.N)));
         const Expr previous = f.g.add(f.s.n(1), f.g.imod(f.g.sub(i.index, f.s.n(2)), f.s.n(f.N)));
         const Expr half = f.g.add(f.s.n(1), f.g.idiv(f.g.sub(i.index, f.s.n(1)), f.s.n(2)));
         f.s.set(each, {i}, {i.index},
                 f.g.add(f.g.inner(f.at(f.q, next), f.at(f.q, previous)),
                         f.g.mul(f.at(f.m, half), f.g.toReal(f.g.idiv(f.g.neg(i.index), f.s.n(3))))));
         return std::vector{each};
       }},
      {"IntegerMinimumAndMaximum",
       [](const Family& f) {
         const Array* each = f.s.temp("each", {f.N});
         const Loop i = f.all();
         const Expr lower = f.g.function(Op::Max, f.g.sub(i.index, f.s.n(3)), f.s.n(1));
         const Expr upper = f.g.function(Op::Min, f.g.mul(i.index, f.s.n(2)), f.s.n(f.N));
         const Expr gap = f.g.function(Op::Abs, f.g.sub(f.s.n(2), i.index));
         f.s.set(each, {i}, {i.index}, f.g.mul(f.g.toReal(gap), f.g.mul(f.at(f.m, lower), f.at(f.m, upper))));
         return std::vector{each};
       }},
      {"ComponentAtAnIndex",
       [](const Family& f) {
         const Array* each = f.s.temp("each", {f.N});
         const Loop i = f.all();
         const Expr k = f.g.add(f.s.n(1), f.g.imod(i.index, f.s.n(3)));
         const Expr shift = f.g.component(f.g.outer(f.at(f.q, i.index), f.at(f.q, f.s.n(1))), k, f.s.n(2));
         const Expr unit = f.g.inner(f.g.basis(3, k), f.g.cross(f.at(f.q, i.index), f.at(f.q, f.s.n(2))));
         f.s.set(each, {i}, {i.index}, f.g.add(unit, f.g.mul(shift, f.g.component(f.at(f.q, i.index), k))));
         return std::vector{each};
       }},
      {"IndexFromTheState",
       [](const Family& f) {
         const Array* each = f.s.temp("each", {f.N});
         const Loop i = f.all();
         const Expr where = f.g.floorToInt(f.g.mul(f.s.real(1.9), f.g.entry(f.at(f.q, i.index), 2))); // 0 or 1
         f.s.set(each, {i}, {i.index}, f.g.toReal(f.g.sub(f.g.mul(where, i.index), where)));
         return std::vector{each};
       }},
      {"SelectWhoseOtherBranchIsNaN",
       [](const Family& f) {
         const Array* each = f.s.temp("each", {f.N});
         const Loop i = f.all();
         const Expr d = f.distance(i.index, f.s.n(1));
         f.s.set(each, {i}, {i.index},
                 f.g.select(f.g.compare(Op::Eq, i.index, f.s.n(1)), f.at(f.m, i.index),
                            f.g.div(f.g.number(1), f.g.function(Op::Sqrt, d))));
         return std::vector{each};
       }},
      {"GradientOfPairs",
       [](const Family& f) {
         const Array* total = f.s.temp("total");
         const Loop i = f.all("i");
         const Loop j{f.g.newIndex("j"), f.g.add(i.index, f.s.n(1)), f.s.n(f.N), false};
         f.s.accumulate(total, {i, j}, {}, f.g.div(f.at(f.m, j.index), f.distance(i.index, j.index)));
         const Gradient d = gradient(f.s.p, f.g.load(total), {f.q});
         const Array* out = f.s.temp("out", {f.N}, Shape::vec(3));
         const Loop k = f.all("k");
         f.s.set(out, {k}, {k.index}, d.of(f.q, {k.index}));
         return std::vector{out};
       }},
  };
}

class Loops : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(Loops, AgreeWithTheEquations) {
  for (const std::int64_t N : {2, 50}) {
    Sandbox s;
    const Family f{s, N};
    expectAgreement(s, GetParam().build(f), std::string(GetParam().name) + " of " + std::to_string(N));
  }
}

INSTANTIATE_TEST_SUITE_P(Recursions, Loops, testing::ValuesIn(recursions()),
                         [](const auto& p) { return p.param.name; });
INSTANTIATE_TEST_SUITE_P(Sums, Loops, testing::ValuesIn(sums()), [](const auto& p) { return p.param.name; });
INSTANTIATE_TEST_SUITE_P(Maps, Loops, testing::ValuesIn(maps()), [](const auto& p) { return p.param.name; });

TEST(Memory, ArraysThatAreNotAliveTogetherShareIt) {
  const auto work = [](const char* name, std::int64_t N) {
    Sandbox s;
    const Family f{s, N};
    for (const Case& c : maps()) {
      if (c.name == std::string(name)) {
        const lmc::test::Lowered lowered(s, c.build(f), true);
        return lowered.module.roleSize[static_cast<int>(lmc::runtime::Role::Work)];
      }
    }
    return std::int64_t{-1};
  };
  EXPECT_LE(work("MemoryThatIsShared", 50), 152 + 150) << "five arrays of 150 numbers, two alive at a time";
  EXPECT_LE(work("ContractedChainOfMaps", 50), 150) << "only the last one is read outside of the loop";
  EXPECT_EQ(work("ContractedChainOfMaps", 2), 0) << "values of straight-line code need no memory";
}

// The last members of a part and the first ones of the next are those of different threads.
TEST(Memory, OfManyMembersEndsBeforeNumbersThatNobodyTouches) {
  constexpr std::int64_t n = 1501;
  Sandbox s;
  const Family f{s, n};
  const Array* const x = scan(f, false);
  expectAgreement(s, {x}, "of many members");
  lmc::test::Lowered lowered(s, {x}, false);
  (void)lowered.run();
  const Numbers& work = lowered.memory(lmc::runtime::Role::Work);
  std::vector<std::size_t> touched, untouched{0}; // lengths of what follows each other
  for (std::size_t k = 0; k < work.size(); ++k) {
    const bool first = k == 0 || std::isnan(work[k]) != std::isnan(work[k - 1]);
    std::vector<std::size_t>& lengths = std::isnan(work[k]) ? untouched : touched;
    if (first) lengths.push_back(0);
    ++lengths.back();
  }
  EXPECT_GE(touched.size(), 3U) << "three entries";
  for (const std::size_t length : touched) EXPECT_EQ(length, static_cast<std::size_t>(n));
  ASSERT_EQ(untouched.size(), touched.size() + 1);
  for (std::size_t k = 1; k < untouched.size(); ++k) EXPECT_GE(untouched[k], 160U) << "twenty lines";
}

// Of 12 numbers that a loop keeps in memory a third are sums of two terms, one has a condition, and all others are
// zero.
TEST(Memory, RemembersWhatStraightLineCodeHasWritten) {
  constexpr std::int64_t n = 12;
  const auto build = [](Sandbox& s, bool loop) {
    const Array* q = s.random("q", {n}, Shape::scalar());
    const auto number = [&](std::int64_t k) { return s.g.load(q, {s.n(k)}); };
    const Array* a = s.temp("a", {n});
    for (std::int64_t k = 1; k <= n; k += 3) {
      s.accumulate(a, {}, {s.n(k)}, s.g.mul(number(k), number(2)));
      s.accumulate(a, {}, {s.n(k)}, number(3));
    }
    Equation sometimes;
    sometimes.kind = EquationKind::Accumulate;
    sometimes.array = a;
    sometimes.guard = s.g.compare(Op::Lt, number(1), number(2));
    sometimes.index = {s.n(4)};
    sometimes.value = number(5);
    s.p.append(std::move(sometimes));
    const Array* y = s.temp("y", {n});
    const Loop l = fullLoop(s.g, "l", n);
    Expr value = s.g.mul(number(7), loop ? s.g.load(a, {l.index}) : s.g.load(q, {l.index}));
    for (std::int64_t k = 1; k <= n; ++k)
      value = s.g.add(value, s.g.mul(s.g.load(a, {s.n(k)}), s.g.load(q, {l.index})));
    s.set(y, {l}, {l.index}, value);
    return std::vector{y};
  };
  const auto count = [](const lmc::tape::Module& m, lmc::tape::Op op) {
    std::size_t total = 0;
    for (const auto& function : m.functions)
      for (const auto& block : function.blocks)
        for (const auto& i : block.code)
          if (i.op == op && m.buffers[static_cast<std::size_t>(i.buffer)].role == lmc::runtime::Role::Work) ++total;
    return total;
  };
  for (const bool loop : {true, false}) {
    Sandbox s;
    const std::vector<const Array*> y = build(s, loop);
    expectAgreement(s, y, loop ? "read by a loop" : "read at constant indices");
    const lmc::tape::Module m = lmc::test::Lowered(s, y, true).module;
    // y itself is read to be written out; of `a` the number with a condition, and what the loop reads.
    EXPECT_EQ(count(m, lmc::tape::Op::Load), loop ? 3U : 2U);
  }
}

TEST(Memory, IsNotWrittenWhereNothingReadsIt) {
  constexpr std::int64_t n = 12;
  Sandbox s;
  const Array* q = s.random("q", {n}, Shape::scalar());
  const Array* a = s.temp("a", {n});
  for (std::int64_t k = 1; k <= n; ++k)
    s.set(a, {}, {s.n(k)}, s.g.mul(s.g.load(q, {s.n(k)}), s.g.load(q, {s.n(1 + k % n)})));
  const Array* y = s.temp("y", {n});
  const Loop l = fullLoop(s.g, "l", n);
  s.set(y, {l}, {l.index}, s.g.mul(s.g.load(a, {s.n(2)}), s.g.load(q, {l.index})));
  expectAgreement(s, {y}, "one of twelve numbers");
  for (const auto& buffer : lmc::test::Lowered(s, {y}, true).module.buffers) {
    if (buffer.name == "a") EXPECT_EQ(buffer.size, 0);
  }
}

TEST(Tape, DoesNotGrowWithTheFamily) {
  std::vector<Case> all = recursions();
  for (const auto& more : {sums(), maps()}) all.insert(all.end(), more.begin(), more.end());
  for (const Case& c : all) {
    const auto size = [&](std::int64_t N) {
      Sandbox s;
      const Family f{s, N};
      std::size_t n = 0;
      for (const auto& function : lmc::test::Lowered(s, c.build(f), true).module.functions) {
        for (const auto& block : function.blocks) n += block.code.size();
      }
      return n;
    };
    EXPECT_EQ(size(20), size(300)) << c.name;
  }
}

// Columns of the inverse of a matrix, entry by entry of each: one loop, in which the system is solved once.
TEST(Tape, SolvesASystemOnceForAllEntriesOfItsSolution) {
  const int n = 4;
  const auto loopsFor = [](std::int64_t entries) {
    Sandbox s;
    const Family f{s, 50};
    const Array* rhs = s.random("r", {f.N, n}, Shape::scalar());
    const Array* x = s.temp("x", {f.N, n});
    const Loop l = f.all();
    std::vector<Expr> matrix, numbers;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j)
        matrix.push_back(s.g.add(s.g.number(i == j ? 9 : 0), s.g.load(rhs, {s.n(1 + i * j), s.n(1 + i * j % n)})));
      numbers.push_back(s.g.load(rhs, {l.index, s.n(i + 1)}));
    }
    const Expr solution = s.g.solve(s.g.matrix(n, n, matrix), s.g.vector(numbers), Definite::Yes);
    for (int i = 0; i < entries; ++i) s.set(x, {l}, {l.index, s.n(i + 1)}, s.g.entry(solution, i));
    std::size_t loops = 0;
    for (const auto& function : lmc::test::Lowered(s, {x}, true).module.functions)
      for (const auto& block : function.blocks)
        for (const auto& instruction : block.code) loops += instruction.op == lmc::tape::Op::Loop ? 1 : 0;
    return loops;
  };
  EXPECT_EQ(loopsFor(n), loopsFor(1));
}

namespace {

/// The gradient of the sum over pairs of 1/r^12 - 1/r^3, r the distance.
std::vector<const Array*> pairForces(const Family& f) {
  const Array* total = f.s.temp("total");
  const Loop i = f.all("i");
  const Loop j{f.g.newIndex("j"), f.g.add(i.index, f.s.n(1)), f.s.n(f.N), false};
  const Expr r = f.g.function(Op::Sqrt, f.distance(i.index, j.index));
  const auto inverse = [&](std::int64_t n) { return f.g.div(f.g.number(1), f.g.powInt(r, n)); };
  f.s.accumulate(total, {i, j}, {}, f.g.sub(inverse(12), inverse(3)));
  const Gradient d = gradient(f.s.p, f.g.load(total), {f.q});
  const Array* out = f.s.temp("out", {f.N}, Shape::vec(3));
  const Loop k = f.all("k");
  f.s.set(out, {k}, {k.index}, d.of(f.q, {k.index}));
  return {out, total};
}

std::size_t count(const lmc::tape::Module& m, lmc::tape::Op op) {
  std::size_t n = 0;
  for (const auto& function : m.functions) {
    for (const auto& block : function.blocks) {
      for (const auto& i : block.code) n += i.op == op ? 1 : 0;
    }
  }
  return n;
}

} // namespace

TEST(Pairs, AreVisitedOnceWithOneRootAndOneDivision) {
  Sandbox s;
  const Family f{s, 50};
  const auto outputs = pairForces(f);
  expectAgreement(s, outputs, "forces of pairs", 1e-11); // powers up to 14 of a reciprocal: some ten roundings more
  const lmc::test::Lowered lowered(s, outputs, true);
  EXPECT_EQ(count(lowered.module, lmc::tape::Op::Sqrt), 1U) << "value and both forces in one loop";
  EXPECT_EQ(count(lowered.module, lmc::tape::Op::Div), 1U);
  EXPECT_EQ(count(lowered.module, lmc::tape::Op::Accum), 7U) << "the sum and the forces on i and j";
}

TEST(TripCount, IsAnUpperBound) {
  Sandbox s;
  const Family f{s, 6};
  const Loop i = f.all("i");
  const Loop j{f.g.newIndex("j"), i.index, f.s.n(6), false};
  Equation e;
  e.loops = {i, j};
  EXPECT_EQ(lmc::lower::tripCount(e), 36);
  e.loops = {f.from(5, 2)};
  EXPECT_EQ(lmc::lower::tripCount(e), 0);
  e.loops = {};
  EXPECT_EQ(lmc::lower::tripCount(e), 1);
}
