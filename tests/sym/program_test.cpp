// Slices, bounds of indices, and copies with other inputs.
#include "sym/Differences.h"
#include "sym/Inline.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace lmc::sym;
using namespace lmc::test;
using lmc::test::expectNear;
using lmc::test::Sandbox;

namespace {
std::size_t place(const std::vector<std::size_t>& slice, std::size_t k) {
  return static_cast<std::size_t>(std::find(slice.begin(), slice.end(), k) - slice.begin());
}
} // namespace

TEST(Slice, HoldsWhatIsNeededInAnOrderThatCanBeExecuted) {
  Sandbox s;
  Graph& g = s.g;
  const Expr x = s.scalar("x", 2);
  const Array* late = s.temp("late"); // older arrays may be defined by newer ones: only the order of reading counts
  const Array* a = s.temp("a");
  const Array* unused = s.temp("unused");
  const Array* b = s.temp("b");
  s.set(a, {}, {}, g.mul(x, x));                    // 0
  s.set(unused, {}, {}, g.load(a));                 // 1
  s.accumulate(b, {}, {}, g.load(a));               // 2
  s.accumulate(b, {}, {}, g.function(Op::Sin, x));  // 3
  s.set(late, {}, {}, g.add(g.load(b), g.load(a))); // 4
  const std::vector<std::size_t> slice = s.p.slice({late});
  EXPECT_EQ(slice.size(), 4U);
  EXPECT_EQ(place(slice, 1), slice.size()) << "not needed";
  EXPECT_LT(place(slice, 0), place(slice, 2));
  EXPECT_EQ(place(slice, 2) + 1, place(slice, 3)) << "writers of one array stand together, in order";
  EXPECT_LT(place(slice, 3), place(slice, 4));
  EXPECT_EQ(s.p.slice({late}), slice);
  EXPECT_EQ(s.p.slice({}, {g.load(a)}), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(s.p.slice({}, {x}).empty());
  EXPECT_EQ(s.p.writers(b), (std::vector<std::size_t>{2, 3}));
  EXPECT_TRUE(s.p.writers(x->array).empty());
}

TEST(Slice, FollowsBoundsGuardsAndIndices) {
  Sandbox s;
  Graph& g = s.g;
  const Array* size = g.newArray("size", {}, {}, Role::Temp, Type::Int);
  const Array* where = g.newArray("where", {}, {}, Role::Temp, Type::Int);
  const Array* limit = s.temp("limit");
  s.set(size, {}, {}, g.integer(3));
  s.set(where, {}, {}, g.integer(1));
  s.set(limit, {}, {}, g.number(2));
  const Array* out = s.temp("out", {4});
  const Loop l{g.newIndex("i"), g.integer(1), g.load(size), false};
  s.accumulate(out, {l}, {g.load(where)}, g.toReal(l.index), g.compare(Op::Lt, g.toReal(l.index), g.load(limit)));
  EXPECT_EQ(s.p.slice({out}).size(), 4U);
  EXPECT_EQ(reads(s.p.equations().back()), (std::unordered_set<const Array*>{size, where, limit}));
  EXPECT_EQ(s.number(g.load(out, {g.integer(1)})), 1);
}

TEST(Slice, OfALinearSolveHoldsMatrixAndRightHandSide) {
  Sandbox s;
  const Array* M = s.temp("M", {2, 2});
  const Array* r = s.temp("r", {2});
  const Array* x = s.temp("x", {2});
  s.set(M, {}, {s.n(1), s.n(1)}, s.real(2));
  s.set(M, {}, {s.n(2), s.n(2)}, s.real(4));
  s.set(r, {}, {s.n(1)}, s.real(1));
  s.set(r, {}, {s.n(2)}, s.real(1));
  s.p.append({EquationKind::LinearSolve, x, {}, {}, {}, {}, M, r});
  EXPECT_EQ(s.p.slice({x}).size(), 5U);
  EXPECT_EQ(s.number(s.g.load(x, {s.n(2)})), 0.25);
}

TEST(Bounds, OfIntegerExpressions) {
  Sandbox s;
  Graph& g = s.g;
  const Loop i{g.newIndex("i"), g.integer(-3), g.integer(5), false};
  const Loop j{g.newIndex("j"), g.add(i.index, g.integer(1)), g.integer(9), true};
  const std::vector<Loop> loops{i, j};
  const auto check = [&](Expr e, std::int64_t lo, std::int64_t hi) {
    const auto b = bounds(e, loops);
    ASSERT_TRUE(b.has_value());
    EXPECT_EQ(b->lo, lo);
    EXPECT_EQ(b->hi, hi);
  };
  check(i.index, -3, 5);
  check(j.index, -2, 9);
  check(g.add(i.index, g.integer(2)), -1, 7);
  check(g.scale(-2, i.index), -10, 6);
  check(g.mul(i.index, i.index), -15, 25); // wider than the truth
  check(g.function(Op::Min, i.index, g.integer(2)), -3, 2);
  check(g.function(Op::Max, i.index, g.integer(2)), 2, 5);
  check(g.idiv(i.index, g.integer(2)), -2, 2);
  check(g.imod(i.index, g.integer(4)), 0, 3);
  check(g.imod(g.add(i.index, g.integer(3)), g.integer(20)), 0, 8);
  check(g.select(g.compare(Op::Lt, i.index, j.index), i.index, g.integer(30)), -3, 30);
  EXPECT_FALSE(bounds(g.newIndex("free"), loops).has_value());
  EXPECT_FALSE(bounds(g.load(g.newArray("n", {}, {}, Role::Param, Type::Int)), loops).has_value());
  EXPECT_FALSE(bounds(g.idiv(i.index, j.index), loops).has_value());
}

TEST(ConstantInt, OfConstantsOnly) {
  Sandbox s;
  EXPECT_EQ(constantInt(s.n(-4)), -4);
  EXPECT_THROW((void)constantInt(s.g.newIndex("i")), std::logic_error);
}

TEST(InlineCopy, EvaluatesAtOtherInputsAndSharesTheRest) {
  Sandbox s;
  Graph& g = s.g;
  const Array* q = s.random("q", {3}, Shape::vec(3));
  const Array* other = s.random("other", {3}, Shape::vec(3));
  const Array* t = s.array("t", {}, {}, {0.5}, Role::Time);
  const Array* m = s.random("m", {3}, Shape::scalar(), Role::Param);
  const Array* fixed = s.temp("fixed", {3});
  const Array* x = s.temp("x", {3}, Shape::vec(3));
  const Array* f = s.temp("f", {}, Shape::vec(3));
  const Loop i = fullLoop(g, "i", 3);
  s.set(fixed, {i}, {i.index}, g.function(Op::Sqrt, g.load(m, {i.index})));
  s.set(x, {}, {s.n(1)}, g.load(q, {s.n(1)}));
  const Loop k{g.newIndex("k"), s.n(2), s.n(3), false};
  s.set(x, {k}, {k.index},
        g.add(g.load(x, {g.sub(k.index, s.n(1))}), g.mul(g.load(fixed, {k.index}), g.load(q, {k.index}))));
  s.set(f, {}, {}, g.mul(g.function(Op::Sin, g.load(t)), g.load(x, {s.n(3)})));

  Replacement r;
  r.arrays[q] = other;
  r.scalars[t] = g.scale(2, g.load(t));
  const std::size_t before = s.p.equations().size();
  const std::vector<const Array*> copies = inlineCopy(s.p, {f, fixed}, r, ".2");
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_FALSE(copies[0] == f);
  EXPECT_EQ(copies[0]->name, "f.2");
  EXPECT_EQ(copies[1], fixed) << "depends on nothing that was replaced";
  EXPECT_EQ(s.p.equations().size(), before + 3);

  const auto original = s.value(g.load(f));
  const auto copied = s.value(g.load(copies[0]));
  s.contents(q) = s.contents(other);
  s.contents(t) = {1.0};
  expectNear(copied, s.value(g.load(f)), 1e-15, "copy");
  EXPECT_GT(std::abs(original[0] - copied[0]), 1e-3);
}
