// Derivatives of array programs: maps, recursions, pair sums, guards, loops with bounds that depend on outer indices.
#include "sym/Differences.h"

#include <gtest/gtest.h>

using namespace lmc::sym;
using namespace lmc::test;
using lmc::test::Directions;
using lmc::test::expectDerivatives;
using lmc::test::expectNear;
using lmc::test::Sandbox;

namespace {

constexpr std::int64_t N = 5;

class Programs : public testing::Test {
protected:
  Sandbox s;
  Graph& g = s.g;
  const Array* q = s.random("q", {N}, Shape::vec(3));
  const Array* m = s.random("m", {N}, Shape::scalar());

  Loop loop(const char* name, Expr lo, Expr hi, bool descending = false) {
    return {g.newIndex(name), lo, hi, descending};
  }
  Loop all(const char* name = "i") { return fullLoop(g, name, N); }
  Expr plus(Expr i, std::int64_t k) { return g.add(i, g.integer(k)); }

  /// x[1] = m[1] q[1]; x[i] = x[i-1] + m[i] q[i] (and a product, so that it is not linear)
  const Array* ascending() {
    const Array* x = s.temp("x", {N}, Shape::vec(3));
    s.set(x, {}, {s.n(1)}, g.mul(g.load(m, {s.n(1)}), g.load(q, {s.n(1)})));
    const Loop l = loop("i", s.n(2), s.n(N));
    const Expr before = g.load(x, {plus(l.index, -1)});
    s.set(x, {l}, {l.index}, g.add(before, g.mul(g.load(m, {l.index}), g.cross(g.load(q, {l.index}), before))));
    return x;
  }
  /// sum of m[i] |x[i]|^2
  Expr weighted(const Array* x) {
    const Array* total = s.temp("total");
    const Loop l = all();
    const Expr e = g.load(x, {l.index});
    s.accumulate(total, {l}, {}, g.mul(g.load(m, {l.index}), g.inner(e, e)));
    return g.load(total);
  }
  /// sum of 1/|q_i - q_j| over pairs i < j
  Expr pairs(bool guarded) {
    const Array* total = s.temp("pairs");
    const Loop i = all("i");
    const Loop j = guarded ? all("j") : loop("j", plus(i.index, 1), s.n(N));
    const Expr d = g.sub(g.load(q, {i.index}), g.load(q, {j.index}));
    const Expr value = g.div(g.mul(g.load(m, {i.index}), g.load(m, {j.index})), g.function(Op::Sqrt, g.inner(d, d)));
    s.accumulate(total, {i, j}, {}, value, guarded ? g.compare(Op::Lt, i.index, j.index) : Expr());
    return g.load(total);
  }
  void check(Expr e, const char* what, double tolerance = 1e-7) { expectDerivatives(s, e, {q, m}, what, tolerance); }
};

} // namespace

TEST_F(Programs, Map) {
  const Array* e = s.temp("e", {N});
  const Loop l = all();
  s.set(e, {l}, {l.index},
        g.mul(g.function(Op::Sin, g.load(m, {l.index})), g.inner(g.load(q, {l.index}), g.load(q, {l.index}))));
  check(g.add(g.load(e, {s.n(2)}), g.powInt(g.load(e, {s.n(N)}), 2)), "map");
}

TEST_F(Programs, MapThatReversesTheOrder) {
  const Array* e = s.temp("e", {N}, Shape::vec(3));
  const Loop l = all();
  const Expr mirrored = g.sub(s.n(N + 1), l.index);
  s.set(e, {l}, {l.index}, g.cross(g.load(q, {mirrored}), g.load(q, {l.index})));
  check(weighted(e), "mirror");
}

TEST_F(Programs, AscendingRecursion) {
  check(weighted(ascending()), "scan");
}

TEST_F(Programs, DescendingRecursion) {
  const Array* x = s.temp("x", {N});
  s.set(x, {}, {s.n(N)}, g.load(m, {s.n(N)}));
  const Loop l = loop("i", s.n(1), s.n(N - 1), true);
  const Expr next = g.load(x, {plus(l.index, 1)});
  s.set(x, {l}, {l.index}, g.add(g.mul(next, g.load(m, {l.index})), g.function(Op::Cos, next)));
  check(g.add(g.load(x, {s.n(1)}), g.mul(g.load(x, {s.n(2)}), g.load(x, {s.n(4)}))), "descending");
}

TEST_F(Programs, RecursionOfTwoSteps) {
  const Array* x = s.temp("x", {N});
  s.set(x, {}, {s.n(1)}, g.load(m, {s.n(1)}));
  s.set(x, {}, {s.n(2)}, g.mul(g.load(m, {s.n(2)}), g.load(m, {s.n(1)})));
  const Loop l = loop("i", s.n(3), s.n(N));
  const Expr a = g.load(x, {plus(l.index, -1)});
  const Expr b = g.load(x, {plus(l.index, -2)});
  s.set(x, {l}, {l.index}, g.add(g.mul(a, g.load(m, {l.index})), g.function(Op::Sin, g.mul(a, b))));
  check(g.add(g.load(x, {s.n(N)}), g.load(x, {s.n(3)})), "two steps");
}

TEST_F(Programs, RecursionThatReadsItsStart) {
  const Array* x = s.temp("x", {N});
  s.set(x, {}, {s.n(1)}, g.load(m, {s.n(1)}));
  const Loop l = loop("i", s.n(2), s.n(N));
  const Expr start = g.load(x, {s.n(1)});
  s.set(x, {l}, {l.index}, g.mul(g.load(x, {plus(l.index, -1)}), g.add(start, g.load(m, {l.index}))));
  check(g.load(x, {s.n(N)}), "start");
}

TEST_F(Programs, PairSumWithAGuard) {
  check(pairs(true), "where i < j");
}

TEST_F(Programs, PairSumOverATriangle) {
  check(pairs(false), "j from i + 1");
  EXPECT_NEAR(s.number(pairs(false)), s.number(pairs(true)), 1e-12);
}

TEST_F(Programs, NestedSums) {
  const Array* row = s.temp("row", {N});
  const Loop i = all("i");
  const Loop j = all("j");
  s.accumulate(row, {i, j}, {i.index},
               g.mul(g.load(m, {j.index}), g.inner(g.load(q, {i.index}), g.load(q, {j.index}))));
  const Array* total = s.temp("total");
  const Loop k = all("k");
  s.accumulate(total, {k}, {}, g.function(Op::Exp, g.scale(Number::ratio(1, 10), g.load(row, {k.index}))));
  check(g.load(total), "nested");
}

TEST_F(Programs, PrefixSums) {
  const Array* prefix = s.temp("prefix", {N}, Shape::vec(3));
  const Loop i = all("i");
  const Loop j = loop("j", s.n(1), i.index);
  s.accumulate(prefix, {i, j}, {i.index}, g.mul(g.load(m, {j.index}), g.load(q, {j.index})));
  check(weighted(prefix), "prefix");
}

TEST_F(Programs, AccumulationsIntoOneValue) {
  const Array* total = s.temp("total", {}, Shape::vec(3));
  s.set(total, {}, {}, g.scale(3, g.load(q, {s.n(2)})));
  const Loop i = all("i");
  s.accumulate(total, {i}, {}, g.mul(g.load(m, {i.index}), g.load(q, {i.index})));
  const Loop k = loop("k", s.n(2), s.n(N - 1));
  s.accumulate(total, {k}, {}, g.cross(g.load(q, {k.index}), g.load(q, {plus(k.index, 1)})));
  check(g.inner(g.load(total), g.cross(g.load(total), g.load(q, {s.n(1)}))), "total");
  check(g.inner(g.load(total), g.load(total)), "square of the total");
}

TEST_F(Programs, SelectInALoopWhoseOtherBranchIsNaN) {
  const Array* total = s.temp("total");
  const Loop i = all("i");
  const Loop j = all("j");
  const Expr d = g.sub(g.load(q, {i.index}), g.load(q, {j.index}));
  const Expr far = g.div(g.number(1), g.function(Op::Sqrt, g.inner(d, d))); // infinite where i = j
  const Expr same = g.powInt(g.load(m, {i.index}), 2);
  s.accumulate(total, {i, j}, {}, g.select(g.compare(Op::Eq, i.index, j.index), same, far));
  check(g.load(total), "diagonal apart");
}

TEST_F(Programs, GuardWhoseBodyIsNaNElsewhere) {
  const Array* e = s.temp("e", {N});
  const Loop i = all("i");
  const Expr gap = g.toReal(plus(i.index, -1)); // 1/0 at the first member
  s.set(e, {i}, {i.index}, g.div(g.load(m, {i.index}), gap), g.compare(Op::Lt, s.n(1), i.index));
  const Array* total = s.temp("total");
  const Loop k = all("k");
  s.accumulate(total, {k}, {}, g.powInt(g.load(e, {k.index}), 2));
  check(g.load(total), "guard");
}

TEST_F(Programs, HessianIsSymmetric) {
  const Expr energy = g.add(weighted(ascending()), pairs(true));
  const Gradient first = gradient(s.p, energy, {q, m});
  const std::vector<const Array*> inputs{q, m};
  const Directions a(s, inputs);
  const Directions b(s, inputs);
  // <b, H a> and <a, H b>, each by a forward pass over the reverse one
  const auto form = [&](const Directions& along, const Directions& against) {
    Tangent t(s.p);
    along.seed(t);
    double sum = 0;
    for (const Array* x : inputs) {
      for (const auto& index : lmc::test::allIndices(s, x)) {
        sum += s.number(g.inner(g.load(against.of(x), index), t.of(first.of(x, index))));
      }
    }
    return sum;
  };
  const double ab = form(a, b);
  EXPECT_NEAR(ab, form(b, a), 1e-11 * std::abs(ab));
  EXPECT_GT(std::abs(ab), 1e-3);
}

TEST_F(Programs, ForwardOverReverseAgreesWithDifferences) {
  const Expr energy = g.add(weighted(ascending()), pairs(false));
  const Gradient first = gradient(s.p, energy, {q});
  Directions along(s, {q, m});
  Tangent t(s.p);
  along.seed(t);
  for (std::int64_t i = 1; i <= N; ++i) {
    const Expr e = first.of(q, {s.n(i)});
    expectNear(s.value(t.of(e)), along.difference(e), 1e-6, "member " + std::to_string(i));
  }
}

TEST_F(Programs, ManyDirectionsByOnePass) {
  // the prefix index is the direction: unit vector k of member 2
  const Array* x = ascending();
  Loop direction = fullLoop(g, "k", 3);
  Tangent t(s.p, {direction});
  t.seed(q, [&](const std::vector<Expr>& index) {
    return g.select(g.compare(Op::Eq, index[0], s.n(2)), g.basis(3, direction.index), g.zero(Shape::vec(3)));
  });
  const Array* out = s.temp("out", {3}, Shape::vec(3));
  s.set(out, {direction}, {direction.index}, t.of(g.load(x, {s.n(N)})));
  for (std::int64_t k = 1; k <= 3; ++k) {
    Tangent single(s.p);
    single.seed(q, [&](const std::vector<Expr>& index) {
      return g.select(g.compare(Op::Eq, index[0], s.n(2)), g.basis(3, s.n(k)), g.zero(Shape::vec(3)));
    });
    expectNear(s.value(g.load(out, {s.n(k)})), s.value(single.of(g.load(x, {s.n(N)}))), 1e-15);
  }
}

TEST_F(Programs, SeveralSeededTermsAtOnce) {
  const Loop i = all("i");
  const Expr seed = g.load(s.random("seed", {N}, Shape::vec(3)), {i.index});
  const Expr value = g.cross(g.load(q, {i.index}), g.load(q, {s.n(1)}));
  const Gradient gradient = lmc::sym::gradient(s.p, {{{i}, g.compare(Op::Lt, i.index, s.n(4)), value, seed}}, {q});
  const Array* total = s.temp("total");
  const Loop j = loop("j", s.n(1), s.n(3));
  const Expr seedJ = g.load(seed->array, {j.index});
  s.accumulate(total, {j}, {}, g.inner(seedJ, g.cross(g.load(q, {j.index}), g.load(q, {s.n(1)}))));
  expectNear(gradientNumbers(s, gradient, q), gradientByDifferences(s, g.load(total), q), 1e-8);
}

TEST(Gradients, DoNotGrowWithTheFamily) {
  const auto size = [](std::int64_t n) {
    Sandbox s;
    Graph& g = s.g;
    const Array* q = s.random("q", {n}, Shape::vec(3));
    const Array* x = s.temp("x", {n}, Shape::vec(3));
    s.set(x, {}, {s.n(1)}, g.load(q, {s.n(1)}));
    const Loop l{g.newIndex("i"), s.n(2), s.n(n), false};
    s.set(x, {l}, {l.index}, g.cross(g.load(x, {g.add(l.index, s.n(-1))}), g.load(q, {l.index})));
    const Gradient gradient = lmc::sym::gradient(s.p, g.inner(g.load(x, {s.n(n)}), g.load(x, {s.n(1)})), {q});
    (void)gradient.of(q, {g.newIndex("j")});
    return std::pair{s.p.equations().size(), g.size()};
  };
  EXPECT_EQ(size(10), size(1000));
}
