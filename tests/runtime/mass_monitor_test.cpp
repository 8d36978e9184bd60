// A run that looks at its own mass equation: accelerations that are wrong, matrices that change their signs.
#include "backends/Builder.h"
#include "runtime/mass/MassMonitor.h"
#include "tape/TapeCost.h"

#include <gtest/gtest.h>

namespace lmc {
namespace {

using test::FunctionBuilder;
using test::V;

/// M = diag(2, s) and r = (3 + f (x - y), 5) with the state (s, error, f, x, y): the second rate is off by the relative
/// error, the first one finds the forces f x and f y each for itself.
runtime::MassCheck check() {
  runtime::MassCheck c;
  const int direction = test::addBuffer(c.module, "direction", runtime::Role::Constants, 2);
  const int state = test::addBuffer(c.module, "state", runtime::Role::State, 5);
  const int out = test::addBuffer(c.module, "out", runtime::Role::Output, 6);
  FunctionBuilder e(c.module, "equation", 1);
  const V s = e.load(state, 0);
  const V f = e.load(state, 2), x = e.load(state, 3), y = e.load(state, 4);
  e.store(out, 0, ((e.real(3) + f * x) - f * y) / e.real(2));
  e.store(out, 1, (e.real(5) * (e.real(1) + e.load(state, 1))) / s);
  e.store(out, 2, e.real(3) + f * (x - y));
  e.store(out, 3, e.real(5));
  c.equation = e.finish();
  FunctionBuilder p(c.module, "product", 1);
  p.store(out, 4, p.real(2) * p.load(direction, 0));
  p.store(out, 5, p.load(state, 0) * p.load(direction, 1));
  c.product = p.finish();
  c.names = {"v", "w[2]"};
  c.factors = {0, 1};
  c.every = 10;
  EXPECT_EQ(tape::verify(c.module), "");
  return c;
}

using State = std::vector<double>;

TEST(MassMonitor, SilentWhereTheEquationIsSolved) {
  const runtime::MassCheck c = check();
  runtime::MassMonitor m(c, {});
  for (const double s : {1.0, 1e-12, 3e9}) EXPECT_FALSE(m.look(State{s, 0, 0, 0, 0}, 0)) << s;
  EXPECT_FALSE(m.look(State{1, 1e-12, 0, 0, 0}, 0));
  EXPECT_FALSE(m.look(State{0, 0, 0, 0, 0}, 0)); // not finite: the run finds out
}

TEST(MassMonitor, NamesTheAccelerationThatIsWrong) {
  const runtime::MassCheck c = check();
  runtime::MassMonitor m(c, {});
  const auto wrong = m.look(State{1, 1e-3, 0, 0, 0}, 0);
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("do not solve the mass equation"), std::string::npos) << *wrong;
  EXPECT_NE(wrong->find("w[2]"), std::string::npos) << *wrong;
}

/// Beside a manifold the equation holds up to how far the state is off it.
TEST(MassMonitor, AllowsWhatIsOffTheManifold) {
  runtime::MassCheck c = check();
  const State missed{1, 1e-3, 0, 0, 0};
  EXPECT_TRUE(runtime::MassMonitor(c, {}).look(missed, 0));
  c.off = {2}; // a number of Output, 3
  EXPECT_FALSE(runtime::MassMonitor(c, {}).look(missed, 0));
}

/// Of compiled code: the larger side of a factor is what its residual is held against.
TEST(MassMonitor, LooksCloserWhereSidesDiffer) {
  runtime::MassCheck c = check();
  const auto suspicious = [&](double v, double w, std::size_t stride = 1) {
    std::vector<double> product(2 * stride, NAN), rhs(2 * stride, NAN);
    product[0] = v;
    product[stride] = w;
    rhs[0] = 3;
    rhs[stride] = 5e6;
    return runtime::isSuspicious(c, product.data(), rhs.data(), stride);
  };
  for (const std::size_t stride : {1, 8}) {
    EXPECT_FALSE(suspicious(3, 5e6, stride));
    EXPECT_FALSE(suspicious(3 + 1e-9, 5e6 + 1e-4, stride));
    EXPECT_TRUE(suspicious(3 + 1e-8, 5e6, stride)); // the other factor's size does not count
    EXPECT_TRUE(suspicious(3, 5e6 + 1e-2, stride));
  }
  c.definite = false; // it varies: signs may have changed
  EXPECT_TRUE(suspicious(3, 5e6));
}

/// Large forces that cancel leave their rounding: that is no wrong acceleration.
TEST(MassMonitor, ForcesThatBalanceEachOtherAreNoDefect) {
  const runtime::MassCheck c = check();
  runtime::MassMonitor m(c, {});
  EXPECT_FALSE(m.look(State{1, 0, 1e18, 0.1, 0.1}, 0));
}

/// Two bodies, no force on the first: both terms of its equation are large, their sum is rounding. Rates of equal and
/// of opposite signs.
TEST(MassMonitor, TermsThatBalanceEachOtherAreNoDefect) {
  for (const double coupling : {-1.0, 1.0}) {
    runtime::MassCheck c;
    const int direction = test::addBuffer(c.module, "direction", runtime::Role::Constants, 2);
    const int state = test::addBuffer(c.module, "state", runtime::Role::State, 1);
    const int out = test::addBuffer(c.module, "out", runtime::Role::Output, 6);
    // M = [3, b; b, 1] and r = (0, 1), b = coupling: y = 3/(3 - b^2), x = -b y/3, off by the relative error of the
    // state.
    FunctionBuilder e(c.module, "equation", 1);
    const double y = 3 / (3 - coupling * coupling);
    e.store(out, 0, e.real(-coupling * y / 3) * (e.real(1) + e.load(state, 0)));
    e.store(out, 1, e.real(y));
    e.store(out, 2, e.real(0));
    e.store(out, 3, e.real(1));
    c.equation = e.finish();
    FunctionBuilder p(c.module, "product", 1);
    const V v = p.load(direction, 0), w = p.load(direction, 1);
    p.store(out, 4, p.real(3) * v + p.real(coupling) * w);
    p.store(out, 5, p.real(coupling) * v + w);
    c.product = p.finish();
    c.names = {"v", "w"};
    c.factors = {0, 1};
    c.every = 10;
    ASSERT_EQ(tape::verify(c.module), "");
    runtime::MassMonitor m(c, {});
    EXPECT_FALSE(m.look(State{1e-14}, 0)) << coupling;
    EXPECT_TRUE(m.look(State{1e-6}, 0)) << coupling;
  }
}

TEST(MassMonitor, SeesThatTheDeterminantHasChangedItsSign) {
  const runtime::MassCheck c = check();
  runtime::MassMonitor m(c, {});
  EXPECT_FALSE(m.look(State{0.1, 0, 0, 0, 0}, 0));
  const auto wrong = m.look(State{-0.1, 0, 0, 0, 0}, 1);
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("between t = 0 and t = 1"), std::string::npos) << *wrong;
  EXPECT_FALSE(m.look(State{-0.2, 0, 0, 0, 0}, 2));
}

TEST(MassMonitor, TellsSingularFromOverflowing) {
  const runtime::MassCheck c = check();
  runtime::MassMonitor m(c, {});
  const std::string overflow = m.account(State{1e-300, 0, 0, 0, 0}, 0);
  EXPECT_NE(overflow.find("overflow"), std::string::npos) << overflow;
  const std::string negative = m.account(State{-1, 0, 0, 0, 0}, 0);
  EXPECT_NE(negative.find("not positive definite any more: its condition number is 1"), std::string::npos) << negative;
}

TEST(MassCheck, LooksEverySoManySteps) {
  const runtime::MassCheck c = check();
  EXPECT_EQ(c.left(0), 10);
  EXPECT_EQ(c.left(13), 7);
  EXPECT_TRUE(c.due(20));
  EXPECT_FALSE(c.due(21));
}

TEST(TapeCost, CountsTurnsOfLoops) {
  tape::Module m;
  const int a = test::addBuffer(m, "a", runtime::Role::State, 8);
  FunctionBuilder f(m, "f", 0);
  f.loop(f.integer(0), f.integer(7),
         [&](V i) { f.loop(f.integer(0), i, [&](V j) { f.store(a, j, f.load(a, j) + f.load(a, i)); }); });
  const int loops = f.finish();
  EXPECT_NEAR(tape::cost(m, loops), 8 * 4.5 * 4, 1e-9); // two loads, a sum, a store
  EXPECT_NEAR(tape::cost(m, loops, 10), 10 * tape::cost(m, loops), 1e-9);
}

/// Turns that compiled code may make eight at once; not where one reads what another has written.
TEST(TapeCost, CountsVectors) {
  tape::Module m;
  const int a = test::addBuffer(m, "a", runtime::Role::State, 16),
            b = test::addBuffer(m, "b", runtime::Role::Output, 16);
  FunctionBuilder f(m, "f", 0);
  f.loop(f.integer(0), f.integer(15), [&](V i) { f.store(b, i, f.load(a, i)); });
  const int free = f.finish();
  FunctionBuilder g(m, "g", 0);
  g.loop(g.integer(0), g.integer(15), [&](V i) { g.store(a, i, g.load(a, i) + g.load(b, i)); });
  const int bound = g.finish();
  EXPECT_NEAR(tape::cost(m, free), 16 * 2, 1e-9);
  EXPECT_NEAR(tape::cost(m, free, 1, 1), 2 * 2, 1e-9);
  EXPECT_NEAR(tape::cost(m, bound, 1, 1), 16 * 4, 1e-9);
}

} // namespace
} // namespace lmc
