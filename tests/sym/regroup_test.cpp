// Regrouped sums have the value of the sums, with fewer cross products.
#include "sym/Regroup.h"
#include "sym/Sandbox.h"

#include <gtest/gtest.h>

using namespace lmc::sym;
using namespace lmc::test;
using lmc::test::expectNear;
using lmc::test::Sandbox;

namespace {

class Regroup : public testing::Test {
protected:
  Sandbox s;
  Graph& g = s.g;
  Expr x = s.vec("x", 3), y = s.vec("y", 3), u = s.vec("u", 3), v = s.vec("v", 3), w = s.vec("w", 3);
  Expr a = s.scalar("a", 0.3), b = s.scalar("b", -1.2), c = s.scalar("c", 0.7), d = s.scalar("d", 2.1);

  Expr sum(const std::vector<Expr>& terms) { return g.sum(terms, Shape::vec(3)); }
  static int crosses(const std::vector<Expr>& roots) {
    int n = 0;
    visitPostOrder(roots, [&](const Node& e) { n += e.op == Op::Cross ? 1 : 0; });
    return n;
  }
  /// Regroups the roots together; returns the number of cross products left.
  int left(const std::vector<Expr>& roots) {
    Regrouping regrouping(roots);
    std::vector<Expr> results;
    for (const Expr& r : roots) {
      results.push_back(regrouping(r));
      expectNear(s.value(results.back()), s.value(r), 1e-14, "regrouped");
    }
    return crosses(results);
  }
};

} // namespace

TEST_F(Regroup, PowersOfOneCrossProductCostOneEach) {
  // The velocity of a point that a rigid motion carries along: two vectors, two powers each.
  const Expr carried = sum({w, g.mul(a, g.cross(x, w)), g.mul(b, g.cross(x, g.cross(x, w))), g.mul(b, g.cross(x, v)),
                            g.mul(c, g.cross(x, g.cross(x, v)))});
  EXPECT_EQ(crosses({carried}), 4);
  EXPECT_EQ(left({carried}), 2);
}

TEST_F(Regroup, FactorsOnEitherSideAndSigns) {
  EXPECT_EQ(left({sum({g.cross(x, y), g.cross(u, x), v})}), 1);
  EXPECT_EQ(left({sum({g.scale(-3, g.cross(x, y)), g.mul(d, g.cross(g.cross(u, x), x)), g.cross(x, w)})}), 2);
}

TEST_F(Regroup, WhatIsNeededElsewhereStays) {
  const Expr xy = g.cross(x, y);
  const Expr e = sum({g.mul(a, xy), g.mul(b, g.cross(x, u))});
  EXPECT_EQ(left({e}), 1);
  EXPECT_EQ(left({e, g.inner(xy, v)}), 2) << "nothing is gained beside the product that stays";
  // One power of each vector: a rotation of one vector has nothing to share.
  EXPECT_EQ(left({sum({y, g.mul(a, xy), g.mul(b, g.cross(x, xy))})}), 2);
}

TEST_F(Regroup, SumsStartFromSums) {
  const Expr part = sum({w, g.mul(a, g.cross(x, w)), g.mul(b, g.cross(x, v))});
  const Expr whole = g.sub(part, g.mul(g.inner(u, part), u));
  EXPECT_EQ(left({whole, part}), 1);
}

TEST_F(Regroup, LeavesOthersAlone) {
  for (const Expr& e : {sum({x, y}), g.cross(x, y), sum({g.cross(x, y), g.cross(u, v)}), g.mul(a, x)}) {
    Regrouping regrouping({e});
    EXPECT_EQ(regrouping(e), e);
  }
}
