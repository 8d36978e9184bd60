// Roots of functions that are known: pairs, triples and double roots between two places.
#include "runtime/roots/RootScan.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::runtime;

namespace {

using Function = std::function<double(double)>;

struct Looked {
  std::vector<RootPoint> points;
  std::vector<RootScan::Extremum> extrema;
  int evaluations = 0;

  /// Places between which the sign changes, by bisection.
  [[nodiscard]] std::vector<double> roots(const Function& f) const {
    std::vector<double> list;
    for (std::size_t k = 1; k < points.size(); ++k) {
      double a = points[k - 1].at, b = points[k].at;
      if (!(f(a) * f(b) < 0)) continue;
      while (b - a > 1e-15 * std::abs(b)) {
        const double m = a + (b - a) / 2;
        if (!(m > a && m < b)) break;
        ((f(m) < 0) == (f(a) < 0) ? a : b) = m;
      }
      list.push_back(b);
    }
    return list;
  }
};

constexpr double rounding = 4e-15, doubt = 1e-9;

Looked withRates(const Function& f, const Function& rate, double from, double to) {
  Looked l;
  RootScan scan(
      [&](RootPoint& p) {
        ++l.evaluations;
        p.value = f(p.at);
        p.rate = rate(p.at);
        return 0;
      },
      {rounding, doubt, 4e-16 * std::abs(to)});
  EXPECT_EQ(scan.withRates({from, f(from), rate(from)}, {to, f(to), rate(to)}), 0);
  l.points = scan.points();
  l.extrema = scan.extrema();
  return l;
}

Looked withoutRates(const Function& f, double from, double to, std::optional<double> earlier) {
  Looked l;
  RootScan scan(
      [&](RootPoint& p) {
        ++l.evaluations;
        p.value = f(p.at);
        return 0;
      },
      {rounding, doubt, 4e-16 * std::abs(to)});
  std::optional<RootPoint> before;
  if (earlier) before = RootPoint{*earlier, f(*earlier)};
  EXPECT_EQ(scan.withoutRates(before, {from, f(from)}, {to, f(to)}), 0);
  l.points = scan.points();
  l.extrema = scan.extrema();
  return l;
}

} // namespace

TEST(RootScan, FindsPairsHoweverNear) {
  for (const double middle : {0.11, 0.37, 0.5, 0.93}) {
    for (const double half : {0.05, 1e-3, 1e-5, 2e-7}) {
      // A parabola with a cubic part: not what the first cubic interpolates exactly once a quartic is added.
      const Function f = [=](double x) {
        const double d = x - middle;
        return (d * d - half * half) * (1 + 0.3 * d + 0.2 * d * d);
      };
      const Function rate = [=](double x) {
        const double d = x - middle;
        return 2 * d * (1 + 0.3 * d + 0.2 * d * d) + (d * d - half * half) * (0.3 + 0.4 * d);
      };
      const Looked l = withRates(f, rate, 0, 1);
      const std::vector<double> roots = l.roots(f);
      ASSERT_EQ(roots.size(), 2U) << middle << " " << half;
      EXPECT_NEAR(roots[0], middle - half, 1e-15 / half);
      EXPECT_NEAR(roots[1], middle + half, 1e-15 / half);
      EXPECT_LT(l.evaluations, 40);
      const Looked values = withoutRates(f, 0, 1, -0.8);
      if (half > 1e-6) EXPECT_EQ(values.roots(f).size(), 2U) << middle << " " << half;
    }
  }
}

TEST(RootScan, FindsDoubleRoots) {
  for (const double at : {0.0004, 0.02, 0.31, 0.5, 0.77, 0.999, 0.99985}) {
    for (const double side : {1.0, -1.0}) {
      const Function f = [=](double x) { return side * (1 - std::cos(x - at)); };
      const Function rate = [=](double x) { return side * std::sin(x - at); };
      const Looked l = withRates(f, rate, 0, 1);
      ASSERT_EQ(l.extrema.size(), 1U) << at;
      EXPECT_LE(std::abs(l.extrema[0].value), rounding);
      EXPECT_NEAR(l.extrema[0].at, at, 1e-14); // by the rate, which has a simple root there
      EXPECT_EQ(l.extrema[0].side, side);
      EXPECT_TRUE(l.roots(f).empty());
      const Looked values = withoutRates(f, 0, 1, -1);
      ASSERT_EQ(values.extrema.size(), 1U) << at;
      EXPECT_LE(std::abs(values.extrema[0].value), rounding);
      EXPECT_NEAR(values.extrema[0].at, at, 1e-7); // values alone tell it to the root of rounding
    }
  }
}

/// The cubic is the function, so that the first look is at the extremum but for rounding, on any side of it.
TEST(RootScan, FindsDoubleRootsOfParabolas) {
  for (int k = 1; k < 1000; ++k) {
    const double at = 1.234567e-3 * k / 2.6;
    const Function f = [=](double x) { return (x - at) * (x - at); };
    const Function rate = [=](double x) { return 2 * (x - at); };
    const Looked l = withRates(f, rate, -1, 1);
    ASSERT_EQ(l.extrema.size(), 1U) << at;
    EXPECT_NEAR(l.extrema[0].at, at, 4e-15);
    EXPECT_EQ(l.extrema[0].side, 1);
  }
}

TEST(RootScan, FindsADoubleRootAtTheEnd) {
  const Function f = [](double x) { return (x - 1) * (x - 1); };
  const Function rate = [](double x) { return 2 * (x - 1); };
  const Looked l = withRates(f, rate, 0, 1);
  ASSERT_EQ(l.extrema.size(), 1U);
  EXPECT_EQ(l.extrema[0].at, 1);
  // A simple root there is none.
  const Looked simple = withRates([](double x) { return 1 - x; }, [](double) { return -1.0; }, 0, 1);
  EXPECT_TRUE(simple.extrema.empty());
}

TEST(RootScan, HalvesWhereTheCubicDoesNotTell) {
  // Eight roots, the first one at the left end.
  const Function f = [](double x) { return std::sin(23 * x) + 0.05 * x; };
  const Function rate = [](double x) { return 23 * std::cos(23 * x) + 0.05; };
  const auto at = [&](double x) { return RootPoint{x, f(x), rate(x)}; };
  EXPECT_FALSE(RootScan::tells(RootScan::deviation(at(-0.8), at(0.1), at(1)), at(0.1), at(1)));
  EXPECT_TRUE(RootScan::tells(RootScan::deviation(at(0.07), at(0.08), at(0.09)), at(0.08), at(0.09)));
  for (const double from : {0.0, 0.02}) {
    Looked l;
    RootScan scan(
        [&](RootPoint& p) {
          p = at(p.at);
          return 0;
        },
        {rounding, doubt, 4e-16});
    EXPECT_EQ(scan.halved(at(from), at(1), from == 0 ? 1 : 0), 0);
    l.points = scan.points();
    const std::vector<double> roots = l.roots(f);
    std::vector<double> all; // by small steps
    for (double x = 1e-5; x < 1; x += 1e-5)
      if (f(x) * f(x + 1e-5) < 0) all.push_back(x);
    ASSERT_EQ(all.size(), 7U);
    ASSERT_EQ(roots.size(), 7U) << from;
    for (std::size_t k = 0; k < all.size(); ++k) EXPECT_NEAR(roots[k], all[k], 1.1e-5);
  }
}

TEST(RootScan, FindsThreeRoots) {
  const Function f = [](double x) { return -(x - 0.2) * (x - 0.55) * (x - 0.8) * (1 + 0.2 * x * x); };
  const Function rate = [&](double x) {
    return -((x - 0.55) * (x - 0.8) + (x - 0.2) * (x - 0.8) + (x - 0.2) * (x - 0.55)) * (1 + 0.2 * x * x) -
           (x - 0.2) * (x - 0.55) * (x - 0.8) * 0.4 * x;
  };
  for (const Looked& l : {withRates(f, rate, 0, 1), withoutRates(f, 0, 1, std::nullopt)}) {
    const std::vector<double> roots = l.roots(f);
    ASSERT_EQ(roots.size(), 3U);
    EXPECT_NEAR(roots[0], 0.2, 1e-14);
    EXPECT_NEAR(roots[1], 0.55, 1e-14);
    EXPECT_NEAR(roots[2], 0.8, 1e-14);
  }
}

TEST(RootScan, CostsNothingFarFromZero) {
  const Function f = [](double x) { return 3 + std::sin(5 * x); };
  const Function rate = [](double x) { return 5 * std::cos(5 * x); };
  EXPECT_EQ(withRates(f, rate, 0, 0.3).evaluations, 0);
  EXPECT_EQ(withoutRates(f, 0, 0.3, -0.3).evaluations, 0);
}

TEST(RootScan, TellsWhatErrorsDecide) {
  for (const double gap : {1e-11, -1e-11}) {
    const Function f = [=](double x) { return (x - 0.4) * (x - 0.4) + gap; };
    const Function rate = [](double x) { return 2 * (x - 0.4); };
    const Looked l = withRates(f, rate, 0, 1);
    ASSERT_EQ(l.extrema.size(), 1U) << gap;
    EXPECT_NEAR(l.extrema[0].value, gap, 1e-15);
    EXPECT_EQ(l.roots(f).size(), gap < 0 ? 2U : 0U);
  }
}

TEST(RootScan, EndsWhereAValueFails) {
  int calls = 0;
  RootScan scan(
      [&](RootPoint&) {
        ++calls;
        return 7;
      },
      {rounding, doubt, 1e-16});
  EXPECT_EQ(scan.withRates({0, 1, -4}, {1, 1, 4}), 7);
  EXPECT_EQ(calls, 1);
}

TEST(RootScan, FindsPairsBehindAZero) {
  const Function f = [](double x) { return x * (x - 0.6) * (x - 0.7); };
  const Function rate = [](double x) { return (x - 0.6) * (x - 0.7) + x * (2 * x - 1.3); };
  RootScan scan(
      [&](RootPoint& p) {
        p.value = f(p.at);
        p.rate = rate(p.at);
        return 0;
      },
      {rounding, doubt, 1e-16});
  EXPECT_EQ(scan.afterZero({0, 0, rate(0)}, 1, {1, f(1), rate(1)}), 0);
  Looked l;
  l.points = scan.points();
  const std::vector<double> roots = l.roots(f);
  ASSERT_EQ(roots.size(), 2U);
  EXPECT_NEAR(roots[0], 0.6, 1e-14);
  EXPECT_NEAR(roots[1], 0.7, 1e-14);
}

// What may be asked before a search begins: where the answer is yes, the search looks nowhere and finds nothing.
TEST(RootScan, WhatStaysAwayFromZeroIsNotLookedAt) {
  int far = 0, straight = 0, sine = 0;
  for (int n = 0; n < 4000; ++n) {
    const double frequency = 0.01 + 0.003 * (n % 1000), shift = 1e-4 * n * n, level = 0.3 + 0.5 * (n / 1000);
    const Function f = [&](double x) { return level + std::sin(frequency * x + shift); };
    const Function rate = [&](double x) { return frequency * std::cos(frequency * x + shift); };
    if (f(0) * f(1) <= 0) continue;
    ++sine;
    if (RootScan::farFromZero({0, f(0), rate(0)}, {1, f(1), rate(1)})) {
      ++far;
      const Looked l = withRates(f, rate, 0, 1);
      EXPECT_EQ(l.evaluations, 0);
      EXPECT_TRUE(l.extrema.empty());
    }
    if (RootScan::nearlyStraight({-1, f(-1)}, {0, f(0)}, {1, f(1)})) {
      ++straight;
      EXPECT_EQ(withoutRates(f, 0, 1, -1).evaluations, 0);
    }
  }
  EXPECT_GT(far, sine / 4); // both answers are given
  EXPECT_LT(far, sine);
  EXPECT_GT(straight, sine / 4);
  EXPECT_LT(straight, sine);
  const RootPoint undefined{0, 1};
  EXPECT_FALSE(RootScan::farFromZero(undefined, {1, 1, 0})); // without a rate nothing is known
}
