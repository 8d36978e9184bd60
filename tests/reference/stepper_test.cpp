// The reference steppers have their orders: on both frames, on a tangent bundle and on a sphere with isotropy.
#include "reference/Orders.h"
#include "reference/Steppers.h"

#include <gtest/gtest.h>

using namespace lmc::reference;

namespace {

template <class M> struct Case {
  M model;
  Vector<double> start;
  lmc::reference::orders::Range range;
};

/// Measures one method on one case with steps refined by 2.
template <class M, class F> void expectOrder(const char* name, const Case<M>& c, int order, const F& method) {
  using L = long double;
  const Stepper<double, M> s(c.model);
  const Vector<L> exact = Stepper<L, M>(c.model).reference(0, L(c.range.time), 400, c.start.template cast<L>());
  std::vector<double> steps, errors;
  for (int n = c.range.coarsest(order), k = 0; k < lmc::reference::orders::levels; ++k, n *= 2) {
    const Vector<double> y = s.run([&](double t, const Vector<double>& x, double h) { return method(s, t, x, h); }, 0,
                                   c.range.time, n, c.start);
    steps.push_back(c.range.time / n);
    errors.push_back(double((y.template cast<L>() - exact).cwiseAbs().maxCoeff()));
  }
  EXPECT_NEAR(lmc::reference::orders::slope(steps, errors), order, 0.15)
      << name << ": " << testing::PrintToString(errors);
}

template <class M> void expectOrders(const Case<M>& c) {
  using V = Vector<double>;
  const auto rkmk = [](const Tableau& T) {
    return [&T](const auto& s, double t, const V& y, double h) { return s.rkmk(T, t, y, h); };
  };
  const auto cg = [](const Tableau& T) {
    return [&T](const auto& s, double t, const V& y, double h) { return s.crouchGrossman(T, t, y, h); };
  };
  const auto cf = [](const CommutatorFree& T) {
    return [&T](const auto& s, double t, const V& y, double h) { return s.commutatorFree(T, t, y, h); };
  };
  expectOrder("LieEuler", c, 1, rkmk(lmc::reference::tableaux::lieEuler));
  expectOrder("midpoint", c, 2, rkmk(lmc::reference::tableaux::midpoint));
  expectOrder("Heun", c, 2, rkmk(lmc::reference::tableaux::heun));
  expectOrder("Kutta3", c, 3, rkmk(lmc::reference::tableaux::kutta3));
  expectOrder("RKMK4full", c, 4, rkmk(lmc::reference::tableaux::rk4));
  expectOrder("DormandPrince", c, 5, rkmk(lmc::reference::tableaux::dormandPrince));
  expectOrder("RKMK4", c, 4, [](const auto& s, double t, const V& y, double h) { return s.rkmk4(t, y, h); });
  expectOrder("CF2", c, 2, cf(lmc::reference::tableaux::cf2));
  expectOrder("CF3", c, 3, cf(lmc::reference::tableaux::cf3));
  expectOrder("CF3b", c, 3, cf(lmc::reference::tableaux::cf3b));
  expectOrder("CF4", c, 4, cf(lmc::reference::tableaux::cf4));
  expectOrder("CG3", c, 3, cg(lmc::reference::tableaux::cg3));
  expectOrder("CG4", c, 4, cg(lmc::reference::tableaux::cg4));
}

} // namespace

TEST(Orders, HeavyTopInBody) {
  expectOrders(Case<HeavyTop>{lmc::reference::orders::top(false), lmc::reference::orders::topStart(),
                              lmc::reference::orders::topRange});
}

TEST(Orders, HeavyTopInSpace) {
  expectOrders(Case<HeavyTop>{lmc::reference::orders::top(true), lmc::reference::orders::topStart(),
                              lmc::reference::orders::topRange});
}

TEST(Orders, ChainOutOfPlane) {
  expectOrders(Case<PendulumChain>{PendulumChain(2), PendulumChain::initialOutOfPlane<double>(),
                                   lmc::reference::orders::chainRange});
}

TEST(Orders, FlowOnTheSphere) {
  expectOrders(
      Case<SphereFlow>{SphereFlow{}, lmc::reference::orders::sphereStart(), lmc::reference::orders::sphereRange});
}

TEST(PhaseSpace, ActionIsAOneParameterGroupAndBracketItsDerivative) {
  // exp(s u) exp(s v) exp(−s u) exp(−s v) y = exp(s² [u, v] + O(s³)) y on every kind of factor.
  const Derived<CoupledAll> model;
  const PhaseSpace<long double> space(model.layout());
  using V = Vector<long double>;
  std::mt19937_64 generator(17);
  const V y = randomState<long double>(model.layout(), generator);
  const auto element = [&] {
    std::normal_distribution<double> normal;
    V u(space.algebraSize());
    for (auto& c : u) c = normal(generator);
    return u;
  };
  const V u = element(), v = element();
  const V half = space.act(u / 2, space.act(u / 2, y));
  EXPECT_LE(double((half - space.act(u, y)).norm()), 1e-16);
  const long double s = 1e-4L;
  const V loop = space.act(u * s, space.act(v * s, space.act(-u * s, space.act(-v * s, y))));
  const V expected = space.act(space.bracket(u, v) * (s * s), y);
  EXPECT_LE(double((loop - expected).norm() / (s * s)), 1e-2);
}
