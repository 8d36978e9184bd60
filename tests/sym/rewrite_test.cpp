// Simplification by what is known of a state, held against numbers that satisfy it.
#include "sym/Rewrite.h"
#include "sym/Sandbox.h"

#include <gtest/gtest.h>

using namespace lmc::sym;
using namespace lmc::test;
using lmc::test::expectNear;
using lmc::test::Sandbox;

namespace {

/// q a unit vector, w and a orthogonal to it, R a rotation; u anything.
class Rewriting : public testing::Test {
protected:
  Sandbox s;
  Graph& g = s.g;
  Expr load(const char* name, Shape shape, lmc::test::Numbers values) {
    return g.load(s.array(name, {}, shape, std::move(values)));
  }
  Expr q = load("q", Shape::vec(3), {0.6, 0, 0.8});
  Expr w = load("w", Shape::vec(3), {-0.8, 2, 0.6});
  Expr a = load("a", Shape::vec(3), {1.6, 1, -1.2});
  Expr u = s.vec("u", 3), x = s.scalar("x", 0.3);
  Expr R = load("R", Shape::mat(3, 3), {0, -1, 0, 0.6, 0, -0.8, 0.8, 0, 0.6});

  Rewriter rewriter() {
    return {g, [](Rewriter&, const Node&, const std::vector<Expr>&) { return Expr(); },
            [this](const Array* array, const std::vector<Expr>&) {
              std::vector<std::pair<Expr, Expr>> known;
              if (array == q->array) known.emplace_back(g.inner(q, q), g.number(1));
              if (array == w->array) known.emplace_back(g.inner(q, w), g.number(0));
              if (array == a->array) known.emplace_back(g.inner(q, a), g.number(0));
              if (array == R->array) known.emplace_back(g.matmul(g.transpose(R), R), g.identity(3));
              return known;
            }};
  }
  void is(const char* what, Expr e, Expr wanted) {
    const Expr r = rewriter()(e);
    EXPECT_EQ(r, wanted) << what;
    expectNear(s.value(r), s.value(e), 1e-14, what);
  }
};

} // namespace

TEST_F(Rewriting, UsesWhatIsKnown) {
  is("q.q", g.inner(q, q), g.number(1));
  is("w.q + x", g.add(g.inner(w, q), x), x);
  is("(3q).(x q)", g.inner(g.scale(3, q), g.mul(x, q)), g.scale(3, x));
  is("R^T R u", g.matmul(g.matmul(g.transpose(R), R), u), u);
  is("w.w", g.inner(w, w), g.inner(w, w));
  is("sqrt(q.q)", g.function(Op::Sqrt, g.inner(q, q)), g.number(1));
}

TEST_F(Rewriting, DoubleCrossProducts) {
  is("q x (q x w) = -w", g.cross(q, g.cross(q, w)), g.neg(w));
  is("(w x q) x q = -w", g.cross(g.cross(w, q), q), g.neg(w));
  is("q x (w x q) = w", g.cross(q, g.cross(w, q)), w);
  is("q x (w x a) = 0", g.cross(q, g.cross(w, a)), g.zero(Shape::vec(3)));
  is("u x (w x a) stays", g.cross(u, g.cross(w, a)), g.cross(u, g.cross(w, a)));
}

TEST_F(Rewriting, InnerProductsOfCrossProducts) {
  is("(w x q).(a x q) = w.a", g.inner(g.cross(w, q), g.cross(a, q)), g.inner(w, a));
  is("(w x q).(w x q) = w.w", g.inner(g.cross(w, q), g.cross(w, q)), g.inner(w, w));
  const Expr stays = g.inner(g.cross(w, u), g.cross(a, u));
  is("(w x u).(a x u) stays", stays, stays);
}

TEST_F(Rewriting, CrossProductsOfSumsWhereATermVanishes) {
  is("q x (q + u)", g.cross(q, g.add(q, u)), g.cross(q, u));
  is("(x q + w) x q", g.cross(g.add(g.mul(x, q), w), q), g.cross(w, q));
}

TEST_F(Rewriting, ReplacesLeaves) {
  Rewriter r(
      g,
      [this](Rewriter&, const Node& n, const std::vector<Expr>&) {
        return n.array == u->array ? g.scale(2, q) : Expr();
      },
      [this](const Array* array, const std::vector<Expr>&) {
        std::vector<std::pair<Expr, Expr>> known;
        if (array == q->array) known.emplace_back(g.inner(q, q), g.number(1));
        return known;
      });
  EXPECT_EQ(r(g.inner(u, q)), g.number(2));
}

TEST(Unfolding, OfSmallDefinitionsOnly) {
  Sandbox s;
  Graph& g = s.g;
  const Array* m = s.random("m", {4}, Shape::scalar());
  const Array* twice = s.temp("twice", {4});
  const Loop i = fullLoop(g, "i", 4);
  s.set(twice, {i}, {i.index}, g.scale(2, g.load(m, {i.index})));
  const Array* sum = s.temp("sum");
  const Loop j = fullLoop(g, "j", 4);
  s.accumulate(sum, {j}, {}, g.load(m, {j.index}));
  const auto same = [](Expr e) { return e; };
  Unfolding unfold(s.p, 10);
  EXPECT_EQ(unfold(twice, {s.n(3)}, same), g.scale(2, g.load(m, {s.n(3)})));
  EXPECT_FALSE(unfold(sum, {}, same)) << "a sum is not one expression";
  EXPECT_FALSE(unfold(m, {s.n(3)}, same)) << "an input has no definition";
  EXPECT_FALSE(Unfolding(s.p, 2)(twice, {s.n(3)}, same)) << "too large";
}
