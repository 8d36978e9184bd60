// The hand-written equations against the Euler–Lagrange equations of their Lagrangians in local coordinates, and
// against what must be conserved.
#include "reference/Dipoles.h"
#include "reference/HeavyTop.h"
#include "reference/Pendulums.h"
#include "reference/Quadrotors.h"
#include "reference/RigidBodies.h"
#include "reference/Steppers.h"
#include "reference/TestModels.h"

#include <gtest/gtest.h>

using namespace lmc::reference;

namespace {

/// Rates and energy of a hand-written model agree with those derived from its Lagrangian at random states.
template <class M> void expectAgrees(const M& model, double speed = 1, int states = 100) {
  const Layout layout = model.layout();
  std::mt19937_64 generator(7);
  for (int i = 0; i < states; ++i) {
    const Vector<double> x = randomState<double>(layout, generator, speed);
    const double t = 0.1 * i;
    const Vector<double> hand = model.rates(t, x), derived = eulerLagrangeRates(model, t, x);
    ASSERT_EQ(hand.size(), layout.rateSize);
    ASSERT_LE((hand - derived).cwiseAbs().maxCoeff(), 1e-11 * std::max(1.0, hand.cwiseAbs().maxCoeff()))
        << hand.transpose() << "\n"
        << derived.transpose();
    const double e = model.energy(t, x);
    ASSERT_NEAR(e, lagrangianEnergy(model, t, x), 1e-12 * std::max(1.0, std::abs(e)));
  }
}

/// The energy stays along a tight trajectory.
template <class M> void expectConserves(const M& model, double time, int steps, double tolerance = 1e-13) {
  using S = long double;
  std::mt19937_64 generator(11);
  const Stepper<S, M> stepper(model);
  const Vector<S> x0 = randomState<S>(model.layout(), generator);
  const Vector<S> x1 = stepper.reference(S(0), S(time), steps, x0);
  const S e0 = model.energy(S(0), x0), e1 = model.energy(S(time), x1);
  EXPECT_NEAR(double(e1 - e0), 0, tolerance * std::max(1.0, double(std::abs(e0))));
  EXPECT_LE(double(manifoldDefect(model.layout(), x1)), 1e-14);
}

/// L = ½|w|² + a·w on S².
struct Drift {
  [[nodiscard]] Layout layout() const { return Layout({{"q", "w", Kind::Sphere}}); }
  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    const Vec3<S> q = vecAt(c, 0), w = q.cross(vecAt(dc, 0));
    return w.squaredNorm() / S(2) + w.dot(Vec3<S>(S(0.3), S(-0.6), S(0.9)));
  }
};

} // namespace

TEST(HyperDual, MatchesFiniteDifferences) {
  using H = HyperDual<double>;
  const auto f = [](auto x, auto y) {
    using std::sin, std::cos, std::sqrt, std::exp;
    return sin(x * y) / sqrt(x + y * y) + cos(x) * exp(y) - x / y;
  };
  const double x = 0.7, y = 1.3, h = 1e-4;
  const H value = f(H(x, 1, 0, 0), H(y, 0, 1, 0));
  EXPECT_DOUBLE_EQ(value.v, f(x, y));
  EXPECT_NEAR(value.a, (f(x + h, y) - f(x - h, y)) / (2 * h), 1e-7);
  EXPECT_NEAR(value.b, (f(x, y + h) - f(x, y - h)) / (2 * h), 1e-7);
  EXPECT_NEAR(value.ab, (f(x + h, y + h) - f(x + h, y - h) - f(x - h, y + h) + f(x - h, y - h)) / (4 * h * h), 1e-6);
}

TEST(Layout, ColumnsAreThoseOfATrajectoryFile) {
  const std::vector<std::string> chain = stateColumns(PendulumChain(2).layout());
  EXPECT_EQ(chain.front(), "q[1][1]");
  EXPECT_EQ(chain.at(3), "q[2][1]");
  EXPECT_EQ(chain.at(6), "w[1][1]");
  const std::vector<std::string> top = stateColumns(HeavyTop{}.layout());
  EXPECT_EQ(top.at(5), "R[2][3]");
  EXPECT_EQ(top.at(9), "Omega[1]");
  const std::vector<std::string> actuator = stateColumns(Actuator{}.layout());
  EXPECT_EQ(actuator.back(), "s");
  EXPECT_EQ(rateColumns(Actuator{}.layout()),
            (std::vector<std::string>{"Omega'[1]", "Omega'[2]", "Omega'[3]", "u'[1]", "u'[2]", "u'[3]", "s'"}));
  EXPECT_EQ(rateColumns(PendulumChain(2).layout()).at(3), "w'[2][1]");
  EXPECT_EQ(stateColumns(TwoQuadrotors{}.layout()).size(), 42U);
}

TEST(HeavyTop, BodyEquations) {
  expectAgrees(HeavyTop{});
}

TEST(HeavyTop, SpaceEquations) {
  HeavyTop top;
  top.inSpace = true;
  top.inertia = {0.3, 0.5, 0.7};
  top.chi = {0.2, 0.9, -0.4};
  expectAgrees(top);
}

TEST(HeavyTop, BothFramesGiveTheSameMotion) {
  HeavyTop body, space;
  body.inertia = space.inertia = {0.3, 0.5, 0.7};
  space.inSpace = true;
  std::mt19937_64 generator(3);
  const Vector<double> x = randomState<double>(body.layout(), generator);
  Vector<double> y = x;
  const Mat3<double> R = rotationAt(x, 0);
  y.tail<3>() = R * x.tail<3>();
  const Vec3<double> rotated = R * Vec3<double>(body.rates(0.0, x)); // ω = RΩ gives ω' = RΩ'
  EXPECT_LE((rotated - space.rates(0.0, y)).norm(), 1e-11);
}

TEST(HeavyTop, FreeSymmetricTopPrecesses) {
  HeavyTop top;
  top.m = 0;
  top.inertia = {2, 2, 3};
  Vector<double> x = top.initial<double>();
  x.tail<3>() = Vec3<double>(0.3, 0, 2);
  const Stepper<double, HeavyTop> stepper(top);
  const double rate = (3.0 - 2.0) / 2.0 * 2.0, time = 1.7; // Ω turns about e3 at (J3 − J1)/J1 Ω3
  const Vector<double> y = stepper.reference(0, time, 20, x);
  EXPECT_NEAR(y[9], 0.3 * std::cos(rate * time), 1e-12);
  EXPECT_NEAR(y[10], 0.3 * std::sin(rate * time), 1e-12);
}

TEST(Pendulums, Spherical) {
  expectAgrees(SphericalPendulum{});
}

TEST(Pendulums, SphericalStartHasThePrintedEnergy) {
  const SphericalPendulum p;
  EXPECT_NEAR(p.energy(0.0, p.initial<double>()), 1.3447754369991, 1e-12);
}

TEST(Pendulums, Chains) {
  expectAgrees(PendulumChain(1));
  expectAgrees(PendulumChain({1, 2, 0.5}, {1, 0.7, 1.4}));
  expectAgrees(PendulumChain(5), 1, 20);
}

TEST(Pendulums, DoubleByElimination) {
  const DoublePendulum two{0.7, 1.9, 1.2, 0.6, 9.81};
  expectAgrees(two);
  const PendulumChain chain({0.7, 1.9}, {1.2, 0.6});
  std::mt19937_64 generator(5);
  for (int i = 0; i < 100; ++i) {
    const Vector<double> x = randomState<double>(two.layout(), generator);
    const Vector<double> a = two.rates(0.0, x), b = chain.rates(0.0, x);
    ASSERT_LE((a - b).norm(), 1e-11 * std::max(1.0, b.norm()));
  }
}

TEST(Quadrotors, PublishedEquations) {
  expectAgrees(TwoQuadrotors{});
}

TEST(Quadrotors, HoverIsAnEquilibrium) {
  const TwoQuadrotors model;
  Vector<double> x = model.initial<double>();
  x.segment<3>(3).setZero();
  x.segment<6>(24).setZero();
  for (int i : {30, 33}) x.segment<3>(i) = e3<double>();
  EXPECT_LE(model.rates(0.0, x).norm(), 1e-13);
}

TEST(RigidBodies, BodyOnLink) {
  expectAgrees(BodyOnLink{}, 2);
  BodyOnLink hung; // attached at its centre of mass: link and body decouple
  hung.rho.setZero();
  std::mt19937_64 generator(9);
  const Vector<double> x = randomState<double>(hung.layout(), generator);
  const Vector<double> rates = hung.rates(0.0, x);
  const SphericalPendulum pendulum{hung.m, hung.l, hung.g};
  EXPECT_LE((rates.head<3>() - pendulum.rates<double>(0, x.head<6>())).norm(), 1e-13);
  const Vec3<double> W = x.tail<3>(), JW = hung.inertia.cwiseProduct(W);
  EXPECT_LE((rates.tail<3>() - JW.cross(W).cwiseQuotient(hung.inertia)).norm(), 1e-13);
}

TEST(RigidBodies, EnergyTest) {
  expectAgrees(EnergyTest{});
  const EnergyTest model;
  const Vector<double> x = model.initial<double>();
  EXPECT_NEAR(model.energy(0.0, x), 0.670245380281135, 1e-14);
  const Vec3<double> torque = model.torque<double>(rotationAt(x, 0));
  EXPECT_LE((torque - Vec3<double>(0.00700135568027965, -0.00187903751253812, 0.01550904802369752)).norm(), 1e-15);
}

TEST(RigidBodies, HummingTopKeepsItsIntegrals) {
  const HummingTop top;
  const Vector<double> x = top.initial<double>();
  EXPECT_NEAR(top.momenta<double>(x)[0], -0.273787646090223, 1e-14);
  EXPECT_NEAR(top.momenta<double>(x)[1], -0.245196320100808, 1e-14);
  EXPECT_NEAR(top.energy(0.0, x), 8.46936036390299, 1e-13);
  using S = long double;
  const Vector<S> start = top.initial<S>(), end = Stepper<S, HummingTop>(top).reference(0, 5, 200, start);
  EXPECT_NEAR(double(top.energy<S>(0, end) - top.energy<S>(0, start)), 0, 1e-14);
  EXPECT_NEAR(double(top.momenta<S>(end)[0] - top.momenta<S>(start)[0]), 0, 1e-14);
  EXPECT_NEAR(double(top.momenta<S>(end)[1] - top.momenta<S>(start)[1]), 0, 1e-14);
}

TEST(Dipoles, Equations) {
  MagneticDipoles array;
  array.n = 2;
  expectAgrees(array, 1, 20);
  const MagneticDipoles four;
  EXPECT_NEAR(four.potential<double>(four.initial<double>().head(48)), -1.24617469782e-3, 2e-8);
}

TEST(Conservation, OfEnergy) {
  expectConserves(HeavyTop{}, 1, 100);
  HeavyTop space;
  space.inSpace = true;
  expectConserves(space, 1, 100);
  expectConserves(PendulumChain({1, 2, 0.5}, {1, 0.7, 1.4}), 1, 40);
  expectConserves(BodyOnLink{}, 1, 40);
  expectConserves(EnergyTest{}, 5, 40);
  expectConserves(Derived<CoupledAll>{}, 0.5, 20);
}

TEST(TestModels, GyroscopicTermOnASphereMeetsItsCheckValue) {
  // It gives w' = 2 (a·q) w × q: the value that a missing horizontal projection halves.
  std::mt19937_64 generator(13);
  const Vector<double> x = randomState<double>(Drift{}.layout(), generator);
  const Vec3<double> q = x.head<3>(), w = x.tail<3>(), a(0.3, -0.6, 0.9);
  EXPECT_LE((eulerLagrangeRates(Drift{}, 0.0, x) - w.cross(q) * 2 * a.dot(q)).norm(), 1e-13);
}
