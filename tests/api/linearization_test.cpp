// Derivatives through the interface for host programs.
#include "Support.h"

#include <Eigen/Dense>
#include <cmath>

using namespace host;
using Kind = lmc::Error::Kind;
using lmc::Linearized;

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Eigen::Map<const Vector> map(const lmc::Span<const double>& s) {
  return {s.data(), static_cast<Eigen::Index>(s.size())};
}

Matrix matrix(const lmc::Span<const double>& s, std::size_t rows) {
  return Eigen::Map<const Matrix>(s.data(), static_cast<Eigen::Index>(rows),
                                  static_cast<Eigen::Index>(s.size() / rows));
}

} // namespace

TEST(HostLinearization, HasTheEquationsOfARigidBody) {
  const lmc::Model m = compiled(rotor);
  lmc::Linearization l(m);
  EXPECT_EQ(l.coordinates(), (std::vector<std::string>{"dR[1]", "dR[2]", "dR[3]", "dw[1]", "dw[2]", "dw[3]"}));
  EXPECT_EQ(l.inputs(), (std::vector<std::string>{"torque[1]", "torque[2]", "torque[3]"}));
  EXPECT_EQ(l.parameters().size(), 9U);
  const lmc::Jacobians j = l.jacobians(Linearized::Motion);
  ASSERT_EQ(j.rows, 6U);
  const Matrix a = matrix(j.state, j.rows), b = matrix(j.inputs, j.rows);
  const Eigen::Vector3d w(0.1, 0.2, 0.3), inertia(1, 2, 3);
  Eigen::Matrix3d hat;
  hat << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  EXPECT_TRUE(a.topLeftCorner(3, 3).isApprox(-hat, 1e-14));
  EXPECT_TRUE(a.topRightCorner(3, 3).isIdentity(1e-14));
  EXPECT_TRUE(b.bottomRows(3).isApprox(Matrix(inertia.cwiseInverse().asDiagonal()), 1e-14));
  EXPECT_TRUE(b.topRows(3).isZero(1e-14));
}

TEST(HostLinearization, ForwardAndAdjointAreTheMatrices) {
  lmc::Linearization l(compiled(rotor));
  for (const Linearized what : {Linearized::Motion, Linearized::Step, Linearized::Outputs}) {
    const double h = 0.01;
    const lmc::Jacobians j = l.jacobians(what, h);
    const Matrix x = matrix(j.state, j.rows), u = matrix(j.inputs, j.rows), p = matrix(j.parameters, j.rows);
    const Vector z = Vector::Random(x.cols()), du = Vector::Random(u.cols()), dp = Vector::Random(p.cols());
    const Vector image = x * z + u * du + p * dp;
    EXPECT_TRUE(map(l.forward(what, h, z, du, dp)).isApprox(image, 1e-12));
    const Vector lambda = Vector::Random(x.rows());
    const lmc::Covectors back = l.adjoint(what, h, lambda);
    EXPECT_TRUE(map(back.state).isApprox(x.transpose() * lambda, 1e-12));
    EXPECT_TRUE((map(back.inputs) - u.transpose() * lambda).isZero(1e-12));
    EXPECT_TRUE(map(back.parameters).isApprox(p.transpose() * lambda, 1e-12));
  }
}

TEST(HostLinearization, IsThatOfAWorkspace) {
  const lmc::Model m = compiled(rotor);
  lmc::Workspace w = m.workspace();
  lmc::Linearization l(m);
  w.set("J", {2, 0, 0, 0, 4, 0, 0, 0, 6});
  w.setInput("torque", {0.3, 0.1, -0.2});
  w.step(0.01, 20);
  l.at(w);
  EXPECT_EQ(l.time(), w.time());
  const double h = 0.01;
  const lmc::Jacobians j = l.jacobians(Linearized::Step, h);
  const Matrix b = matrix(j.inputs, j.rows);
  w.step(h);
  EXPECT_TRUE(map(j.value).isApprox(map(lmc::Span<const double>(w.state())), 1e-14));
  EXPECT_TRUE(b.bottomRows(3).isApprox(h * Matrix(Eigen::Vector3d(0.5, 0.25, 1.0 / 6).asDiagonal()), 1e-2));
  // The step is what `difference` and `move` see.
  const std::vector<double> z = l.difference(w.state());
  l.move(z);
  EXPECT_TRUE(map(lmc::Span<const double>(l.state())).isApprox(map(lmc::Span<const double>(w.state())), 1e-12));
}

TEST(HostLinearization, InputsGoBackToTheirLaws) {
  lmc::Workspace w = compiled(rotor).workspace(); // the law is zero at t = 0
  const double law = w.field()[5];
  w.setInput("torque", {0, 0, 3});
  EXPECT_NEAR(w.field()[5], law + 1, 1e-14);
  w.releaseInput("torque");
  EXPECT_EQ(w.field()[5], law);
}

TEST(HostLinearization, FollowsTrajectories) {
  const lmc::Model m = compiled(pendulum);
  lmc::Linearization l(m);
  const std::size_t n = l.coordinates().size();
  EXPECT_EQ(n, 6U);
  EXPECT_EQ(l.basis().size(), 4 * n); // the tangent space of TS^2
  const double h = 0.01;
  constexpr int steps = 30;
  const std::vector<double> begin = l.state().copy();
  const auto weights = [](std::int64_t k, lmc::Span<const double> y) { // the height at the end, squared
    return k == steps ? std::vector<double>{0, 2 * y[1]} : std::vector<double>{};
  };
  const lmc::CostGradient g = l.gradient(h, steps, {}, weights);
  EXPECT_EQ(l.state().copy(), begin);
  Vector z = Vector::Random(static_cast<Eigen::Index>(n));
  const Vector dp = Vector::Random(3);
  const std::vector<double> end = l.propagate(h, steps, z, {}, dp);
  const lmc::Jacobians c = l.jacobians(Linearized::Outputs);
  const double height = c.value[1];
  // The height has the parameter l itself.
  const double change =
      2 * height * (matrix(c.state, c.rows).row(1) * map(end) + matrix(c.parameters, c.rows).row(1) * dp).value();
  EXPECT_NEAR(map(g.state).dot(z) + map(g.parameters).dot(dp), change, 1e-12);
  EXPECT_NEAR(l.time(), steps * h, 1e-15);
}

TEST(HostLinearization, RefusesWhatDoesNotFit) {
  lmc::Linearization l(compiled(pendulum));
  std::string message;
  EXPECT_EQ(kindOf([&] { (void)l.forward(Linearized::Step, 0.01, {1, 2}); }, &message), Kind::Misuse);
  EXPECT_NE(message.find("6 numbers, not 2"), std::string::npos) << message;
  EXPECT_EQ(kindOf([&] { l.at(compiled(rotor).workspace()); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { l.setParameters({1}); }), Kind::Misuse);
  struct Own {};
  const auto failing = [](std::int64_t, lmc::Span<const double>) -> std::vector<double> { throw Own(); };
  EXPECT_THROW((void)l.gradient(0.01, 3, {}, failing), Own);
  lmc::Linearization still(compiled("model M { config x : R velocity v; lagrangian = v^2; }"));
  EXPECT_EQ(kindOf([&] { (void)still.jacobians(Linearized::Step, 0.1); }), Kind::Unavailable);
  EXPECT_EQ(matrix(still.jacobians(Linearized::Motion).state, 2)(0, 1), 1);
}
