// Methods for rigid bodies: identities between them, and a hand-written reference.
#include "Stepper.h"

#include "reference/Rotations.h"

using namespace lmc;
using namespace lmc::test;
using namespace lmc::reference;

namespace {

const char* const top = R"(
model T {
  param J : mat(3,3) = [[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 2.5]];
  config R : SO(3) velocity w;
  lagrangian = 0.5*dot(w, J*w) - dot(e3, R*[0.5, 1, 0.3]) - 0.3*dot(e1, R*e2)^2;
  initial R = SO(3).exp([0.3, 0.5, -0.2]);
  initial w = [0.4, -0.7, 1.1];
}
)";
const char* const freeBody = R"(
model F {
  config R : SO(3) velocity w;
  lagrangian = 0.5*dot(w, diag(1, 2, 2.5)*w);
  initial R = SO(3).exp([0.3, 0.5, -0.2]);
  initial w = [0.4, -0.7, 1.1];
}
)";
const char* const twoBodies = R"(
model B {
  config R : SO(3) velocity w;
  config S : SO(3) velocity u;
  config x : R^3 velocity v;
  lagrangian = 0.5*dot(w, diag(1, 2, 2.5)*w) + 0.5*dot(u, diag(2, 1.5, 1)*u) + 0.5*dot(v, v)
             - 0.6*dot(x + R*e1 - S*e2, x + R*e1 - S*e2);
  force on x = [0.2*sin(t), 0, 0.1];
  initial w = [0.4, -0.7, 1.1];
  initial u = [-0.3, 0.5, 0.2];
  initial x = [0.5, -0.4, 0.3];
}
)";
/// The same body with velocities in space; its inertia is a multiple of the identity, so that it is constant there.
const char* const sphereInSpace = R"(
model S {
  config R : SO(3) velocity w in space;
  lagrangian = 0.8*dot(w, w) - dot(e3, R*[0.5, 1, 0.3]);
  initial R = SO(3).exp([0.3, 0.5, -0.2]);
  initial w = [0.4, -0.7, 1.1];
}
)";

// Pieces of the splitting methods.
const char* const pieces = R"(
method Kick order 1 on rigid_body { next Q = Q; next Omega = Omega + Jinv(h*tau(t, Q)); }
method Turn order 1 on rigid_body { next Q = Q*exp(h*Omega); next Omega = Jinv(Adstar(exp(h*Omega), J(Omega))); }
method FreeMCG order 2 on rigid_body {
  solve W from Omega : J(W) = Adstar(exp(h/2*W), J(Omega));
  next Q = Q*exp(h*W);
  next Omega = Jinv(Adstar(exp(h*W), J(Omega)));
}
)";

Numbers run(const std::string& model, const std::string& method, double h, int n, const Numbers& from = {}) {
  Derived d(pieces + model);
  EXPECT_TRUE(d.good) << d.c.text();
  const auto step = d.step(method);
  EXPECT_TRUE(step) << method << "\n" << d.c.text();
  if (!step) return {};
  Stepper stepper(d, *step);
  Numbers y = stepper.run(h, n, from);
  EXPECT_EQ(stepper.status, runtime::Ok) << method;
  return y;
}

/// Several steps in a row, each by a method with its step size, n times.
Numbers sequence(const std::string& model, const std::vector<std::pair<std::string, double>>& parts, int n,
                 Numbers y = {}) {
  for (int k = 0; k < n; ++k) {
    for (const auto& [method, h] : parts) y = run(model, method, h, 1, y);
  }
  return y;
}

} // namespace

TEST(RigidBody, MethodsThatAreTheSameBut) {
  const struct {
    const char *a, *b, *model;
  } pairs[] = {
      {"VLVexp", "VITrapezoid", top},
      {"VLV", "VITrapezoid(retract = cay)", top},
      {"SAC", "VIMidpoint", top},
      {"VLV", "VITrapezoid(retract = cay)", twoBodies},
      {"SAC", "VIMidpoint", twoBodies},
      {"VLV", "VITrapezoid(retract = cay)", sphereInSpace},
      {"SAC", "VIMidpoint", sphereInSpace},
      {"PRK", "AKW", freeBody},
      {"VI4", "compose(SAC; 1/(2 - 2^(1/3)), 1 - 2/(2 - 2^(1/3)), 1/(2 - 2^(1/3)))", top},
  };
  for (const auto& [a, b, model] : pairs) {
    if (std::string(b).starts_with("compose")) {
      const std::string text = std::string("method Composed order 4 = ") + b + ";\n" + model;
      EXPECT_LT(distance(run(model, a, 0.1, 10), run(text, "Composed", 0.1, 10)), 1e-12) << a << " " << b;
    } else {
      EXPECT_LT(distance(run(model, a, 0.1, 10), run(model, b, 0.1, 10)), 1e-12) << a << " " << b << model;
    }
  }
}

TEST(RigidBody, PrkIsTheMidpointRuleOnTheFreeBodyOnly) {
  EXPECT_GT(distance(run(top, "PRK", 0.1, 10), run(top, "AKW", 0.1, 10)), 1e-6);
}

// Spec 1.3: LIEMID = kick(h/2) o [MCG free step of h/2]^2 o kick(h/2).
TEST(RigidBody, LiemidIsASplitting) {
  constexpr double h = 0.1;
  const Numbers split = sequence(top, {{"Kick", h / 2}, {"FreeMCG", h / 2}, {"FreeMCG", h / 2}, {"Kick", h / 2}}, 10);
  EXPECT_LT(distance(run(top, "LIEMID", h, 10), split), 1e-12);
}

// Spec 1.6: with A the turn and A* its adjoint, NEW3 = A*(h/2) K(h) A(h/2), MCG = K(h/2) A(h/2) A*(h/2) K(h/2), so that
// NEW3 o chi = chi o MCG with chi = A*(h/2) K(h/2).
TEST(RigidBody, New3AndMcgAreConjugate) {
  constexpr double h = 0.1;
  const std::vector<std::pair<std::string, double>> chi = {{"Kick", h / 2}, {"adjoint(Turn)", h / 2}};
  const Numbers left = run(top, "NEW3", h, 20, sequence(top, chi, 1));
  const Numbers right = sequence(top, chi, 1, run(top, "MCG", h, 20));
  EXPECT_LT(distance(left, right), 1e-12);
  EXPECT_LT(
      distance(run(top, "NEW3", h, 5), sequence(top, {{"Turn", h / 2}, {"Kick", h}, {"adjoint(Turn)", h / 2}}, 5)),
      1e-12);
  EXPECT_LT(distance(run(top, "MCG", h, 5),
                     sequence(top, {{"Kick", h / 2}, {"adjoint(Turn)", h / 2}, {"Turn", h / 2}, {"Kick", h / 2}}, 5)),
            1e-12);
}

TEST(RigidBody, MethodsAreTimeSymmetric) {
  for (const char* method : {"ELN", "TLN", "LIEMID", "PRK", "MCG", "NEW3", "VLV", "VLVexp", "SAC", "AKW", "AlgoC1",
                             "ELNh", "VIMidpoint", "VITrapezoid", "DMV", "VI4", "VI6"}) {
    Derived d(top);
    ASSERT_TRUE(d.good) << d.c.text();
    const auto step = d.step(method);
    ASSERT_TRUE(step) << d.c.text();
    Stepper stepper(d, *step);
    EXPECT_LT(distance(stepper.run(-0.1, 5, stepper.run(0.1, 5)), stepper.start()), 2e-13) << method;
  }
}

// The discrete Moser-Veselov step as it is written for SO(3): h p^ = F Jd - Jd F^T, F = exp f (spec 1.9), by Newton
// with differences.
TEST(RigidBody, DmvSolvesTheEquationOfMoserAndVeselov) {
  using Eigen::Matrix3d, Eigen::Vector3d;
  Matrix3d J;
  J << 1, 0.1, 0, 0.1, 2, 0.2, 0, 0.2, 2.5;
  const Matrix3d Jd = J.trace() / 2 * Matrix3d::Identity() - J;
  const Vector3d chi(0.5, 1, 0.3);
  const auto torque = [&](const Matrix3d& R) -> Vector3d { // of -e3.R chi - 0.3 (R12)^2
    const double a = R(0, 1);
    return (R.transpose() * Vector3d::UnitZ()).cross(chi) +
           0.6 * a * (R.transpose() * Vector3d::UnitX()).cross(Vector3d::UnitY());
  };
  constexpr double h = 0.1;
  Matrix3d R = expSO3<double>({0.3, 0.5, -0.2});
  Vector3d p = J * Vector3d(0.4, -0.7, 1.1);
  for (int n = 0; n < 10; ++n) {
    const Vector3d half = p + h / 2 * torque(R);
    const auto residual = [&](const Vector3d& f) -> Vector3d {
      const Matrix3d F = expSO3<double>(f);
      const Matrix3d S = F * Jd - Jd * F.transpose();
      return vee<double>(S) - h * half;
    };
    Vector3d f = h * J.inverse() * half;
    for (int k = 0; k < 12; ++k) {
      Matrix3d D;
      for (int c = 0; c < 3; ++c) {
        const Vector3d e = 1e-6 * Vector3d::Unit(c);
        D.col(c) = (residual(f + e) - residual(f - e)) / 2e-6;
      }
      f -= D.inverse() * residual(f);
    }
    const Matrix3d F = expSO3<double>(f);
    R = R * F;
    p = F.transpose() * half + h / 2 * torque(R);
  }
  const Numbers y = run(top, "DMV", h, 10);
  const Vector3d w = J.inverse() * p;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(y.at(3 * i + j), R(i, j), 1e-12);
    EXPECT_NEAR(y.at(9 + i), w(i), 1e-12);
  }
}

// Spec 1.7, the printed form with the Cayley map.
TEST(RigidBody, VlvIsThePrintedMethod) {
  using Eigen::Matrix3d, Eigen::Vector3d;
  const Vector3d J(1, 2, 2.5);
  const auto times = [&](const Vector3d& w) -> Vector3d { return J.cwiseProduct(w); };
  constexpr double h = 0.1;
  Matrix3d R = expSO3<double>({0.3, 0.5, -0.2});
  Vector3d w(0.4, -0.7, 1.1);
  for (int n = 0; n < 10; ++n) {
    Vector3d x = w;
    for (int k = 0; k < 100; ++k) x = w + h / 2 * (times(x).cross(x) - h / 2 * x.dot(times(x)) * x).cwiseQuotient(J);
    const Matrix3d X = hat<double>(x);
    const Matrix3d I = Matrix3d::Identity();
    R = R * (I + h / 2 * X) * (I - h / 2 * X).inverse();
    w = x + h / 2 * (times(x).cross(x) + h / 2 * x.dot(times(x)) * x).cwiseQuotient(J);
  }
  const Numbers y = run(freeBody, "VLV", h, 10);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(y.at(3 * i + j), R(i, j), 1e-12);
    EXPECT_NEAR(y.at(9 + i), w(i), 1e-12);
  }
}
