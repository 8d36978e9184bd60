// The quadruple precision reference values, reproduced here twice: by a tight integration in storage coordinates
// and by the reference steppers at the steps that the compiler is held to.
#include "reference/HeavyTop.h"
#include "reference/Pendulums.h"
#include "reference/Steppers.h"
#include "reference/Values.h"

#include <gtest/gtest.h>

using namespace lmc::reference;

namespace {

/// The largest difference from the values, in the stated components.
template <class S> double worst(const Vector<S>& x, const std::vector<lmc::reference::values::Component>& expected) {
  double sum = 0;
  for (const lmc::reference::values::Component& c : expected)
    sum = std::max(sum, std::abs(double(x[c.place] - S(c.value))));
  return sum;
}

/// JΩ of a top's state, in place of Ω.
template <class S> Vector<S> withMomentum(const HeavyTop& top, Vector<S> x) {
  x.template tail<3>() = x.template tail<3>().cwiseProduct(top.inertia.cast<S>());
  return x;
}

} // namespace

TEST(Values, HeavyTopTight) {
  using S = long double;
  const HeavyTop top;
  const Stepper<S, HeavyTop> stepper(top);
  const Vector<S> x = withMomentum(top, stepper.reference(0, 10, 2500, top.initial<S>(), 10));
  EXPECT_LE(worst(x, lmc::reference::values::heavyTopAttitude), 1e-12);
  EXPECT_LE(worst(x, lmc::reference::values::heavyTopMomentum), 1e-10);
}

TEST(Values, HeavyTopByTheMethods) {
  const HeavyTop top;
  const Stepper<double, HeavyTop> s(top);
  const auto rkmk4 = [&](double t, const Vector<double>& y, double h) { return s.rkmk4(t, y, h); };
  const auto cf4 = [&](double t, const Vector<double>& y, double h) {
    return s.commutatorFree(lmc::reference::tableaux::cf4, t, y, h);
  };
  for (const Stepper<double, HeavyTop>::Step& step : {Stepper<double, HeavyTop>::Step(rkmk4), {cf4}}) {
    const Vector<double> x = withMomentum(top, s.run(step, 0, 10, 100000, top.initial<double>()));
    EXPECT_LE(worst(x, lmc::reference::values::heavyTopAttitude), lmc::reference::values::heavyTopAttitudeTolerance);
    EXPECT_LE(worst(x, lmc::reference::values::heavyTopMomentum), lmc::reference::values::heavyTopMomentumTolerance);
  }
}

TEST(Values, ChainsTight) {
  using S = long double;
  const Stepper<S, PendulumChain> two(PendulumChain(2)), twenty(PendulumChain(20));
  EXPECT_LE(worst(two.reference(0, 3, 300, PendulumChain(2).initial<S>(), 10), lmc::reference::values::chainOfTwo),
            1e-14);
  EXPECT_LE(worst(two.reference(0, 3, 300, PendulumChain::initialOutOfPlane<S>(), 10),
                  lmc::reference::values::chainOutOfPlane),
            3e-14);
  EXPECT_LE(worst(twenty.reference(0, 3, 120, PendulumChain(20).initial<S>()), lmc::reference::values::chainOfTwenty),
            1e-14);
}

TEST(Values, ChainsByTheMethod) {
  const auto run = [](int n, const Vector<double>& start) {
    const Stepper<double, PendulumChain> s{PendulumChain(n)};
    return s.run([&](double t, const Vector<double>& y, double h) { return s.rkmk4(t, y, h); }, 0, 3, 3000, start);
  };
  EXPECT_LE(worst(run(2, PendulumChain(2).initial<double>()), lmc::reference::values::chainOfTwo),
            lmc::reference::values::chainOfTwoTolerance);
  EXPECT_LE(worst(run(2, PendulumChain::initialOutOfPlane<double>()), lmc::reference::values::chainOutOfPlane),
            lmc::reference::values::chainOfTwoTolerance);
}
