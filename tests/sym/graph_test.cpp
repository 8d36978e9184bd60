// Nodes are unique; constants fold; selections and conditions are decided where they can be.
#include "sym/Sandbox.h"

#include <gtest/gtest.h>

using namespace lmc::sym;
using namespace lmc::test;
using lmc::test::Sandbox;

TEST(HashConsing, EqualExpressionsAreOneNode) {
  Sandbox s;
  Graph& g = s.g;
  const Expr x = s.scalar("x", 0.6);
  const Expr y = s.scalar("y", 0.7);
  const Expr a = g.function(Op::Sin, g.mul(x, g.add(y, g.number(2))));
  const std::size_t size = g.size();
  EXPECT_EQ(g.function(Op::Sin, g.mul(g.add(g.number(2), y), x)), a);
  EXPECT_EQ(g.size(), size) << "nothing new";
  EXPECT_FALSE(g.function(Op::Cos, g.mul(x, g.add(y, g.number(2)))) == a);
  EXPECT_EQ(g.load(x->array), x);
}

TEST(HashConsing, NumbersOfDifferentTypesAreDifferent) {
  Sandbox s;
  Graph& g = s.g;
  EXPECT_FALSE(g.number(1) == g.integer(1));
  EXPECT_FALSE(g.integer(1) == g.boolean(true));
  EXPECT_FALSE(g.zero(Shape::vec(2)) == g.zero(Shape::vec(3)));
  EXPECT_FALSE(g.number(Number::real(0.1)) == g.number(Number::ratio(1, 10)));
  EXPECT_EQ(g.zero(Shape::scalar()), g.number(0));
}

TEST(HashConsing, EveryIndexIsFresh) {
  Sandbox s;
  const Expr i = s.g.newIndex("i");
  EXPECT_FALSE(s.g.newIndex("i") == i);
  EXPECT_EQ(s.g.indexName(*i), "i");
}

TEST(Graph, KnowsWhatIsParametricAndWhatIsIndexed) {
  Sandbox s;
  Graph& g = s.g;
  const Expr m = g.load(g.newArray("m", {4}, {}, Role::Param), {g.newIndex("i")});
  const Expr x = s.scalar("x", 1);
  EXPECT_TRUE(m->parametric);
  EXPECT_TRUE(m->indexed);
  EXPECT_TRUE(g.mul(m, g.number(3))->parametric);
  EXPECT_FALSE(g.mul(m, x)->parametric);
  EXPECT_FALSE(x->indexed);
  EXPECT_TRUE(g.add(m, x)->indexed);
}

TEST(Graph, KnowsWhetherArraysAreReadAndByWhom) {
  Sandbox s;
  Graph& g = s.g;
  const Expr i = g.newIndex("i");
  const Array* numbers = g.newArray("numbers", {4}, {}, Role::Data, Type::Int);
  const Array* values = g.newArray("values", {4}, {}, Role::State);
  const Expr plain = g.load(values, {i}), chosen = g.load(values, {g.add(g.load(numbers, {i}), g.integer(1))});
  EXPECT_FALSE(g.add(i, g.integer(2))->reads);
  EXPECT_TRUE(g.mul(plain, g.number(3))->reads);
  EXPECT_FALSE(g.mul(plain, g.number(3))->gathers);
  EXPECT_TRUE(g.add(plain, chosen)->gathers);
}

TEST(Graph, LayersShareWhatLiesBelow) {
  Sandbox s;
  Graph& g = s.g;
  const Expr x = s.scalar("x", 0.6), y = s.scalar("y", 0.7);
  const Expr below = g.mul(x, y);
  GraphLayer layer(g.layer());
  const Graph::Work work(g, layer);
  const std::size_t size = g.size();
  EXPECT_EQ(g.mul(y, x), below);
  EXPECT_EQ(g.size(), size);
  const Expr z = g.load(g.newArray("z", {}, {}, Role::State));
  const Expr above = g.mul(below, z);
  EXPECT_EQ(g.mul(z, g.mul(x, y)), above);
  EXPECT_EQ(g.function(Op::Sin, g.add(x, z)), g.function(Op::Sin, g.add(z, x)));
  const Expr late = g.sub(x, y); // of parts below, made above
  EXPECT_EQ(g.sub(x, y), late);
}

TEST(Graph, LongSumsStayLinearInSize) {
  Sandbox s;
  Graph& g = s.g;
  Expr sum = g.number(0);
  lmc::test::Numbers wanted{0};
  std::size_t before = g.size();
  for (int k = 0; k < 400; ++k) {
    const Expr x = s.scalar("x", 0.01 * k);
    wanted[0] += 0.01 * k;
    sum = g.add(sum, x);
  }
  EXPECT_LE(g.size() - before, 1200U);
  std::size_t edges = 0;
  visitPostOrder({sum}, [&](const Node& n) { edges += n.args.size(); });
  EXPECT_LE(edges, 1200U);
  EXPECT_NEAR(s.number(sum), wanted[0], 1e-9);
}

TEST(Graph, ConstantsFoldExactly) {
  Sandbox s;
  Graph& g = s.g;
  const auto f = [&](Op op, Number x) { return g.function(op, g.number(x)); };
  EXPECT_EQ(f(Op::Sqrt, Number::ratio(9, 4)), g.number(Number::ratio(3, 2)));
  EXPECT_EQ(f(Op::Sin, 0), g.number(0));
  EXPECT_EQ(f(Op::Cos, 0), g.number(1));
  EXPECT_EQ(f(Op::Abs, -3), g.number(3));
  EXPECT_EQ(f(Op::Floor, Number::ratio(-1, 2)), g.number(-1));
  EXPECT_EQ(f(Op::Sqrt, 2)->number.value(), std::sqrt(2.0));
  EXPECT_EQ(f(Op::Log, 0)->op, Op::Log) << "not a number: decided at run time";
  EXPECT_EQ(f(Op::Sqrt, -1)->op, Op::Sqrt);
  EXPECT_EQ(g.stumpff(4, g.number(0)), g.number(Number::ratio(1, 24)));
  EXPECT_EQ(g.pow(g.number(Number::ratio(2, 3)), g.number(-2)), g.number(Number::ratio(9, 4)));
  EXPECT_EQ(g.div(g.number(1), g.number(0))->op, Op::Div) << "division by zero is not folded";
}

TEST(Graph, IntegersRoundDown) {
  Sandbox s;
  Graph& g = s.g;
  for (int a = -7; a <= 7; ++a) {
    for (const int b : {-3, -2, 2, 3}) {
      const auto q = static_cast<std::int64_t>(std::floor(double(a) / b));
      EXPECT_EQ(constantInt(g.idiv(g.integer(a), g.integer(b))), q) << a << " div " << b;
      EXPECT_EQ(constantInt(g.imod(g.integer(a), g.integer(b))), a - b * q) << a << " mod " << b;
    }
  }
  const Expr i = g.newIndex("i");
  EXPECT_EQ(g.idiv(i, g.integer(1)), i);
  EXPECT_EQ(g.imod(i, g.integer(1)), g.integer(0));
  EXPECT_EQ(g.floorToInt(g.toReal(i)), i);
  EXPECT_EQ(g.floorToInt(g.number(Number::ratio(-5, 2))), g.integer(-3));
  EXPECT_EQ(g.add(i, g.sub(g.integer(2), i)), g.integer(2));
  EXPECT_EQ(g.sub(i, i)->type, Type::Int);
}

TEST(Graph, ConditionsAreDecidedWherePossible) {
  Sandbox s;
  Graph& g = s.g;
  const Expr i = g.newIndex("i");
  const Expr x = s.scalar("x", 0.5);
  const Expr next = g.add(i, g.integer(1));
  EXPECT_EQ(g.compare(Op::Lt, i, next), g.boolean(true));
  EXPECT_EQ(g.compare(Op::Eq, i, next), g.boolean(false));
  EXPECT_EQ(g.compare(Op::Le, next, i), g.boolean(false));
  EXPECT_EQ(g.compare(Op::Ne, i, i), g.boolean(false));
  EXPECT_EQ(g.compare(Op::Eq, x, x)->op, Op::Eq) << "NaN is not equal to itself";
  const Expr c = g.compare(Op::Lt, x, g.number(1));
  EXPECT_EQ(g.logic(Op::And, c, g.boolean(true)), c);
  EXPECT_EQ(g.logic(Op::And, g.boolean(false), c), g.boolean(false));
  EXPECT_EQ(g.logic(Op::Or, c, g.boolean(true)), g.boolean(true));
  EXPECT_EQ(g.logic(Op::Or, g.boolean(false), c), c);
  EXPECT_EQ(g.logicNot(g.logicNot(c)), c);
  EXPECT_EQ(g.select(g.boolean(true), x, i), x);
  EXPECT_EQ(g.select(c, x, x), x);
}

TEST(Graph, SubstitutionRebuildsAndSimplifies) {
  Sandbox s;
  Graph& g = s.g;
  const Expr x = s.scalar("x", 0.5);
  const Expr y = s.scalar("y", 0.25);
  const Expr e = g.add(g.mul(x, g.function(Op::Exp, y)), g.sub(x, y));
  Substitution toY(g, [&](const Node& n, const std::vector<Expr>&) { return &n == x.node() ? y : Expr(); });
  EXPECT_EQ(toY(e), g.mul(y, g.function(Op::Exp, y)));
  Substitution nothing(g, [](const Node&, const std::vector<Expr>&) { return Expr(); });
  EXPECT_EQ(nothing(e), e);
}
