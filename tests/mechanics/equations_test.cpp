// Derived accelerations against the check values of docs/conventions.md and against formulas.
#include "mechanics/Derived.h"

#include <cmath>

using namespace lmc;
using namespace lmc::test;

namespace {

const Numbers identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};

std::string body(const std::string& frame) {
  return "model B {\n  param J : mat(3,3) = diag(1, 2, 3);\n  config R : SO(3) velocity w" + frame +
         ";\n  lagrangian = 0.5*dot(w, J*w);\n}\n";
}

Numbers cross(const Numbers& u, const Numbers& v) {
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}
double dot(const Numbers& u, const Numbers& v) {
  return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

} // namespace

TEST(CheckValues, RigidBodyInBothFrames) {
  const Derived inBody(body(""));
  ASSERT_TRUE(inBody.good) << inBody.c.text();
  expectNear(inBody.acceleration(identity, {1, 1, 1}), {-1, 1, -1.0 / 3}, 1e-15, "body");
  const Derived inSpace(body(" in space"));
  ASSERT_TRUE(inSpace.good) << inSpace.c.text();
  expectNear(inSpace.acceleration(identity, {1, 1, 1}), {1, -1, 1.0 / 3}, 1e-15, "space");
}

TEST(CheckValues, HeavyTopAtTheStart) {
  const Derived top(checkFile(exampleFile("heavy_top")));
  ASSERT_TRUE(top.good) << top.c.text();
  expectNear(top.acceleration(), {-456.559453125 / 0.234375, 0, 0}, 1e-14);
}

TEST(CheckValues, ForceAtAPointOfABody) {
  const Derived d("model F {\n  config R : SO(3) velocity w;\n  lagrangian = 0.5*dot(w, w);\n"
                  "  force [0, 0, -1] at R*e2;\n}\n");
  ASSERT_TRUE(d.good) << d.c.text();
  expectNear(d.acceleration(identity, {0, 0, 0}), {-1, 0, 0}, 1e-15);
}

// A force on one part of a velocity: the other parts have none, and are solved for all the same.
TEST(Equations, AForceOnOnePartOfAVelocity) {
  const auto model = [](const std::string& extent, const std::string& force) {
    const std::string i = extent.empty() ? "" : "[2]";
    return "model F {\n  config X" + extent + " : SE(3) velocity w;\n  lagrangian = " +
           (extent.empty() ? "0.5*dot(w.w, w.w) + 0.5*dot(w.v, w.v)"
                           : "sum(i in 1..2: 0.5*dot(w[i].w, w[i].w) + 0.5*dot(w[i].v, w[i].v))") +
           ";\n  force on X" + i + force + ";\n}\n";
  };
  for (const std::string extent : {"", "[2]"}) {
    const Derived part(model(extent, ".w = [1, 0, 2]")), whole(model(extent, " = (w = [1, 0, 2], v = zeros(3))"));
    ASSERT_TRUE(part.good) << part.c.text();
    ASSERT_TRUE(whole.good) << whole.c.text();
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_EQ(part.at().array(part.system.factors.at(0).acceleration.at(k)),
                whole.at().array(whole.system.factors.at(0).acceleration.at(k)))
          << extent << k;
    const Numbers turning = part.at().array(part.system.factors.at(0).acceleration.at(0));
    expectNear({turning.end() - 3, turning.end()}, {1, 0, 2}, 1e-15);
  }
}

TEST(CheckValues, ForceAtAPointOfTheSphere) {
  const Derived d("model F {\n  config q : S^2 velocity w; initial q = e3;\n  lagrangian = 0.5*dot(w, w);\n"
                  "  force [0, 0, -1] at q;\n}\n");
  ASSERT_TRUE(d.good) << d.c.text();
  expectNear(d.acceleration({1, 0, 0}, {0, 0, 0}), {0, 1, 0}, 1e-15);
}

TEST(CheckValues, SphericalPendulum) {
  const Derived d(
      "model P {\n  config q : S^2 velocity w; initial q = e3;\n  lagrangian = 0.5*dot(q', q') - dot(e3, q);\n}\n");
  ASSERT_TRUE(d.good) << d.c.text();
  expectNear(d.acceleration({1, 0, 0}, {0, 0, 0}), {0, 1, 0}, 1e-15);
  const Numbers q = {0.6, 0, 0.8};
  const Numbers w = {-1.6, 0.5, 1.2}; // the kinetic energy alone keeps w
  expectNear(d.acceleration(q, w), cross(Numbers{0, 0, 1}, q), 1e-14);
}

TEST(CheckValues, TheLagrangianIsComposedWithTheProjection) {
  const Derived d("model A {\n  param a : vec(3) = [1, 0, 0];\n  config q : S^2 velocity w; initial q = e3;\n"
                  "  lagrangian = 0.5*dot(w, w) + dot(a, w);\n}\n");
  ASSERT_TRUE(d.good) << d.c.text();
  expectNear(d.acceleration({1, 0, 0}, {0, 1, 0}), {0, 0, -2}, 1e-15);
  const Numbers q = {0.6, 0, 0.8};
  const Numbers w = {-1.6, 0.5, 1.2};
  Numbers wanted = cross(w, q);
  for (double& x : wanted) x *= 2 * 0.6; // 2 (a.q) w x q
  expectNear(d.acceleration(q, w), wanted, 1e-14);
}

TEST(Equations, FormsOfTheSameLagrangianAgree) {
  const char* const forms[] = {"0.5*dot(w, w)", "0.5*dot(q', q')", "0.5*dot(w, w) + 3*dot(q, w)^2 - dot(q, w)"};
  const Numbers q = {0.6, 0, 0.8};
  const Numbers w = {-1.6, 0.5, 1.2};
  for (const char* form : forms) {
    const Derived d("model S {\n  config q : S^2 velocity w; initial q = e3;\n  lagrangian = " + std::string(form) +
                    " - q[1]*q[3];\n}\n");
    ASSERT_TRUE(d.good) << d.c.text();
    const Numbers a = d.acceleration(q, w);
    expectNear(a, cross(Numbers{0.8, 0, 0.6}, q), 1e-14, form); // -q x dU/dq
    EXPECT_NEAR(dot(a, q), 0, 1e-14) << form;
  }
}

TEST(Equations, MassThatDependsOnThePosition) {
  // L = (1 + x^2) v^2/2 - x^4: (1 + x^2) v' = -x v^2 - 4 x^3
  const Derived d("model M {\n  config x : R velocity v;\n  lagrangian = 0.5*(1 + x^2)*v^2 - x^4;\n}\n");
  ASSERT_TRUE(d.good) << d.c.text();
  expectNear(d.acceleration({0.7}, {1.3}), {(-0.7 * 1.69 - 4 * 0.343) / 1.49}, 1e-15);
}

TEST(Equations, TimeAndDissipation) {
  const Derived d("model T {\n  config x : R velocity v;\n  lagrangian = 0.5*(1 + t)*v^2 + x*sin(t);\n"
                  "  dissipation = 0.25*v^4;\n}\n");
  ASSERT_TRUE(d.good) << d.c.text();
  const double t = 0.4;
  Evaluate values = d.at({{d.factor().point[0], {2}}, {d.factor().velocity[0], {1.5}}}, t);
  const double wanted = (std::sin(t) - 1.5 - std::pow(1.5, 3)) / (1 + t); // d/dt((1 + t) v) = sin t - v^3
  EXPECT_NEAR(values.array(d.system.factors[0].acceleration[0])[0], wanted, 1e-14);
}

TEST(Equations, CoupledFactors) {
  // a cart x with a pendulum of angle a (as R): M = [[2, cos a], [cos a, 1]]
  const Derived d("model C {\n  config x : R velocity v;\n  config a : R velocity u;\n"
                  "  lagrangian = v^2 + 0.5*u^2 + v*u*cos(a) + 9*cos(a);\n}\n");
  ASSERT_TRUE(d.good) << d.c.text();
  const double a = 0.5;
  const double u = 2;
  Evaluate values = d.at({{d.factor(0).point[0], {1}},
                          {d.factor(0).velocity[0], {3}},
                          {d.factor(1).point[0], {a}},
                          {d.factor(1).velocity[0], {u}}});
  const double r1 = u * u * std::sin(a);
  const double r2 = -9 * std::sin(a);
  const double det = 2 - std::cos(a) * std::cos(a);
  EXPECT_NEAR(values.array(d.system.factors[0].acceleration[0])[0], (r1 - std::cos(a) * r2) / det, 1e-14);
  EXPECT_NEAR(values.array(d.system.factors[1].acceleration[0])[0], (2 * r2 - std::cos(a) * r1) / det, 1e-14);
}

TEST(Equations, ARecursionOfTwoStepsPullsOnBothMembers) {
  // x[4] = q4 x3 + sin(x2); its gradient by hand
  const Derived d("model R {\n  config q[4] : R velocity v;\n  let x[1] = q[1];\n  let x[2] = q[2]*x[1];\n"
                  "  let x[i in 3..4] = q[i]*x[i-1] + sin(x[i-2]);\n"
                  "  lagrangian = sum(i in 1..4: 0.5*v[i]^2) - x[4];\n}\n");
  ASSERT_TRUE(d.good) << d.c.text();
  const double a = 0.4;
  const double b = 1.2;
  const double c = 0.7;
  const double e = -0.3;
  const double x3 = c * b * a + std::sin(a);
  const Numbers wanted = {-(e * (c * b + std::cos(a)) + std::cos(b * a) * b), -(e * c * a + std::cos(b * a) * a),
                          -e * b * a, -x3};
  expectNear(d.acceleration({a, b, c, e}, {0, 0, 0, 0}), wanted, 1e-14);
}

TEST(Energy, IsTheLegendreTransform) {
  const Derived d("model M {\n  config x : R velocity v;\n  lagrangian = 0.5*(1 + x^2)*v^2 + 3*x*v - x^4;\n}\n");
  ASSERT_TRUE(d.good) << d.c.text();
  Evaluate values = d.at({{d.factor().point[0], {0.7}}, {d.factor().velocity[0], {1.3}}});
  EXPECT_NEAR(values.array(d.system.energy)[0], 0.5 * 1.49 * 1.69 + std::pow(0.7, 4), 1e-15);
}

TEST(Momentum, OfTheSphericalPendulumAtTheStart) {
  const Derived d(checkFile(exampleFile("spherical_pendulum")));
  ASSERT_TRUE(d.good) << d.c.text();
  Evaluate values = d.at();
  expectNear(values.array(d.factor().momentum.at(0)), {8, 8, 16}, 1e-14);
  expectNear(values.array(observable(*d.c.model, "Lz")), {16}, 1e-14);
  const double height = -2 * 9.81 * 2 / std::sqrt(3.0);
  EXPECT_NEAR(values.array(d.system.energy)[0], 0.5 * 8 * 6 + height, 1e-13);
}

TEST(Momentum, IsHorizontalOnAHomogeneousManifold) {
  const Derived d("model A {\n  param a : vec(3) = [1, 2, 3];\n  config q : S^2 velocity w; initial q = e3;\n"
                  "  lagrangian = 0.5*dot(w, w) + dot(a, w);\n  observe p = momentum(q);\n}\n");
  ASSERT_TRUE(d.good) << d.c.text();
  const Numbers q = {0.6, 0, 0.8};
  Evaluate values = d.at({{d.factor().point[0], q}, {d.factor().velocity[0], {-1.6, 0.5, 1.2}}});
  const Numbers p = values.array(observable(*d.c.model, "p"));
  EXPECT_NEAR(dot(p, q), 0, 1e-14);
  expectNear(p, {-1.6 + 1 - 3 * 0.6, 0.5 + 2, 1.2 + 3 - 3 * 0.8}, 1e-14); // a.q = 3
}
