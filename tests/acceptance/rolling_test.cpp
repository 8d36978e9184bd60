// Joints of rolling: freedoms, references, closed forms, and reduced equations that are integrated here.
#include "acceptance/Trajectory.h"

#include <Eigen/Dense>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double g = 9.81;

Trajectory runText(const Workspace& w, const std::string& model, const Arguments& more = {}) {
  return runModel(w, w.write("model.lie", model).string(), more);
}

Vector3d last(const Trajectory& run, const std::string& name) {
  return {run.last(name + "[1]"), run.last(name + "[2]"), run.last(name + "[3]")};
}

/// One step of the classical method of Runge and Kutta.
template <class State, class F> State rungeKutta(const F& f, double t, const State& y, double h) {
  const State a = f(t, y), b = f(t + h / 2, State(y + h / 2 * a)), c = f(t + h / 2, State(y + h / 2 * b)),
              d = f(t + h, State(y + h * c));
  return y + h / 6 * (a + 2 * b + 2 * c + d);
}

std::string disk(const std::string& initial) {
  return "model Disk {\n  config X : SE(3) velocity xi;\n"
         "  lagrangian = 0.5*dot(xi.w, diag(3.75, 3.75, 7.5)*xi.w) + 7.5*dot(xi.v, xi.v) - 15*9.81*X.x[3];\n"
         "  joint wheel = rolling_disk(X, 1);\n" +
         initial +
         "  initial adjust xi;\n  observe axis = X.R*e3;\n"
         "  observe force = [multiplier(wheel.ground.slip)[1], multiplier(wheel.ground.slip)[2], "
         "multiplier(wheel.touch)];\n"
         "  simulate { method = RKMK6; time = 0..2; step = 1e-3; output every 0.1; }\n}\n";
}

TEST(RollingDisk, HasTheReferenceMotionAndForce) {
  const Workspace w;
  const Trajectory run = runText(
      w, disk("  let R = SO(3).exp([75*pi/180, 0, 0]);\n  let n = R*e3;\n  let c = (n[3]*n - e3)/sqrt(1 - n[3]^2);\n"
              "  initial X = (R = R, x = [0, 0, sin(75*pi/180)]);\n"
              "  initial xi = (w = [0.4, 1, 5], v = transpose(R)*(-cross(R*[0.4, 1, 5], c)));\n"));
  ASSERT_FALSE(run.rows.empty());
  EXPECT_LT((last(run, "X.x") - Vector3d(-8.37420311282841, 4.61849782749976, 0.88313701470999)).norm(), 1e-8);
  EXPECT_LT((last(run, "axis") - Vector3d(-0.678644386876270, -0.565130766205669, 0.469115138584468)).norm(), 1e-8);
  EXPECT_LT((last(run, "xi.w") - Vector3d(1.57882414453293, -0.504501101980285, 5.01823277067183)).norm(), 1e-8);
  EXPECT_LT((last(run, "force") - Vector3d(39.3698494093886, 24.0087845228384, 161.874836867610)).norm(), 1e-6);
}

TEST(RollingDisk, RunsInACircleWhereItIsSteady) {
  const Workspace w;
  const Trajectory run = runText(
      w, disk("  let s = pi/3;\n  let Om = [0, 1.5*sin(s), -2.3922471736667683];\n  let R = SO(3).exp([s, 0, 0]);\n"
              "  let n = R*e3;\n  let c = (n[3]*n - e3)/sqrt(1 - n[3]^2);\n"
              "  initial X = (R = R, x = [0, 0, sin(s)]);\n"
              "  initial xi = (w = Om, v = transpose(R)*(-cross(R*Om, c)));\n"));
  ASSERT_FALSE(run.rows.empty());
  EXPECT_LT((last(run, "X.x") - Vector3d(0.22506262695269929, 3.1737026170736612, 0.86602540378443865)).norm(), 1e-9);
  EXPECT_LT((last(run, "force") - Vector3d(-7.59586365965361, -53.2869019187338, 147.15)).norm(), 1e-7);
}

TEST(RollingBall, OnATurntableRunsInACircle) {
  const Workspace w;
  const Trajectory run =
      runModel(w, example("ball_on_turntable"), {"--method", "RKMK6", "--time", "0..5", "--step", "2e-3"});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_LT((last(run, "X.x") - Vector3d(-0.037157737155995022, -0.201138337454565, 0.1)).norm(), 1e-9);
  EXPECT_LT((last(run, "v") - Vector3d(0.37240428924677, -0.38899234613371002, 0)).norm(), 1e-9);
  EXPECT_NEAR(run.last("normal"), g, 1e-9);
}

TEST(KnifeEdge, SlidesOnAnInclineAsInTheClosedForm) {
  const Workspace w;
  const Trajectory run =
      runText(w, "model Blade {\n  config X : SE(2) velocity xi;\n"
                 "  lagrangian = 0.5*dot(xi.v, xi.v) + 0.1*xi.w^2 + 9.81*sin(pi/6)*X.x[1];\n"
                 "  joint edge = knife_edge(X, zeros(2), [1, 0]);\n  initial xi = (w = 1, v = zeros(2));\n"
                 "  observe side = multiplier(edge.side);\n"
                 "  simulate { method = RKMK6; time = 0..10; step = 2e-3; output every 1; }\n}\n");
  ASSERT_GE(run.rows.size(), 11U);
  EXPECT_NEAR(run.at(1, "X.x[1]"), 1.7365500583159334, 1e-9);
  EXPECT_NEAR(run.at(1, "X.x[2]"), 1.3374740303550078, 1e-9);
  EXPECT_NEAR(std::abs(run.at(1, "side")), 8.2548303609654647, 1e-8);
  EXPECT_NEAR(run.last("X.x[1]"), 0.72583937170132808, 1e-8);
  EXPECT_NEAR(run.last("X.x[2]"), 23.405500886295247, 1e-8);
}

TEST(KnifeEdge, IsTheSleighWhereTheBladeIsBehind) {
  const Workspace w;
  const Trajectory run =
      runText(w, "model Sleigh {\n  config X : SE(2) velocity xi;\n  lagrangian = 0.5*dot(xi.v, xi.v) + 0.25*xi.w^2;\n"
                 "  joint edge = knife_edge(X, [-0.4, 0], [2, 0]);\n"
                 "  initial X = (R = eye(2), x = [0.4, 0]);\n  initial xi = (w = 1.5, v = [0.2, 0.6]);\n"
                 "  observe blade = X*[-0.4, 0];\n  observe force = multiplier(edge.side);\n"
                 "  simulate { method = RKMK6; time = 0..5; step = 2e-3; output every 1; }\n}\n");
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.last("blade[1]"), -2.8084395635690717, 1e-9);
  EXPECT_NEAR(run.last("blade[2]"), 3.3823272628985989, 1e-9);
  EXPECT_NEAR(std::abs(run.last("force")), 0.057183483693918983, 1e-8);
}

/// The sleigh as a body of space on a smooth table: a blade beside a plane joint.
TEST(Blade, InSpaceIsTheSleigh) {
  const Workspace w;
  const Trajectory run = runText(
      w, "model Sleigh {\n  config X : SE(3) velocity xi;\n"
         "  lagrangian = 0.5*dot(xi.v, xi.v) + 0.25*dot(xi.w, xi.w) - 9.81*X.x[3];\n"
         "  joint table = planar(world, zeros(3), e3, X, zeros(3), e3);\n  joint edge = blade(X, [-0.4, 0, 0], 2*e1);\n"
         "  initial X = (R = eye(3), x = [0.4, 0, 0]);\n  initial xi = (w = 1.5*e3, v = [0.2, 0.6, 0]);\n"
         "  observe blade = X*[-0.4, 0, 0];\n  observe force = multiplier(edge.side);\n"
         "  simulate { method = RKMK6; time = 0..5; step = 2e-3; output every 1; }\n}\n");
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.last("blade[1]"), -2.8084395635690717, 1e-9);
  EXPECT_NEAR(run.last("blade[2]"), 3.3823272628985989, 1e-9);
  EXPECT_NEAR(std::abs(run.last("force")), 0.057183483693918983, 1e-8);
}

/// A body of SO(3) x R^3, with momenta, rolls as one of SE(3) with velocities: a ball that is loaded off its centre.
TEST(RollingBall, MayBeAPairWithMomenta) {
  const Workspace w;
  const std::string run =
      "  observe p = [x[1], x[2]];\n  simulate { method = RKMK6; time = 0..2; step = 1e-3; output every 0.1; }\n}\n";
  const std::string joint =
      "  joint floor = rolling_ball((R = R, x = x), 0.5);\n  initial R = eye(3);\n  initial x = 0.5*e3;\n";
  const Trajectory a = runText(w, "model V {\n  config R : SO(3) velocity Om;\n  config x : R^3 velocity v;\n"
                                  "  lagrangian = 0.5*dot(Om, diag(0.1, 0.2, 0.15)*Om) + 0.5*dot(v, v) - 9.81*x[3];\n" +
                                      joint + "  initial Om = [1, 0.5, 2];\n  initial v = [0.25, -0.5, 0];\n" + run);
  const Trajectory b = runText(
      w, "model P {\n  config R : SO(3) momentum M;\n  config x : R^3 momentum p;\n"
         "  hamiltonian = 0.5*dot(M, diag(10, 5, 1/0.15)*M) + 0.5*dot(p, p) + 9.81*x[3];\n" +
             joint + "  initial M = [0.1, 0.1, 0.3];\n  initial p = [0.25, -0.5, 0];\n" + [&] {
               std::string s = run;
               s.replace(s.find("observe p"), 9, "observe q");
               return s;
             }());
  ASSERT_FALSE(a.rows.empty() || b.rows.empty());
  EXPECT_NEAR(a.last("p[1]"), b.last("q[1]"), 1e-10);
  EXPECT_NEAR(a.last("p[2]"), b.last("q[2]"), 1e-10);
  EXPECT_GT(std::hypot(a.last("p[1]"), a.last("p[2]")), 0.3);
}

/// Rolling of a body with a smooth convex surface without its position: N is the vertical in the body, r(N) the point
/// of contact from the centre of mass. m(v' + omega x v) = F - m g N, J omega' + omega x J omega = r x F, v = -omega x
/// r, N' = N x omega.
class Rolling {
public:
  Matrix3d J;
  double m;
  Vector3d squares, centre; ///< squared semi-axes; the centre of the surface in the body

  using State = Eigen::Matrix<double, 9, 1>; ///< omega, N, the place of the centre of mass on the ground (and 0)

  [[nodiscard]] Vector3d contact(const Vector3d& N) const {
    const Vector3d SN = squares.cwiseProduct(N);
    return centre - SN / std::sqrt(N.dot(SN));
  }
  [[nodiscard]] Vector3d contactRate(const Vector3d& N, const Vector3d& rate) const {
    const Vector3d SN = squares.cwiseProduct(N), SR = squares.cwiseProduct(rate);
    const double h = std::sqrt(N.dot(SN));
    return -SR / h + SN * (N.dot(SR)) / (h * h * h);
  }
  [[nodiscard]] std::pair<Vector3d, Vector3d> rates(const Vector3d& omega, const Vector3d& N) const {
    const Vector3d r = contact(N), rate = contactRate(N, N.cross(omega)), v = -omega.cross(r);
    // v' = -omega' x r - omega x r'; F = m(v' + omega x v + g N).
    const Vector3d known = m * (-omega.cross(rate) + omega.cross(v) + g * N);
    Matrix3d hat;
    hat << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0;
    const Matrix3d inertia = J - m * hat * hat; // r x (omega' x r) = -hat hat omega', moved to the left
    return {inertia.ldlt().solve(r.cross(known) - omega.cross(J * omega)), N.cross(omega)};
  }
  /// omega and N after a time.
  [[nodiscard]] std::pair<Vector3d, Vector3d> after(Vector3d omega, Vector3d N, double time, int steps) const {
    using Six = Eigen::Matrix<double, 6, 1>;
    Six y;
    y << omega, N;
    const auto f = [this](double, const Six& s) {
      const auto [a, b] = rates(s.head<3>(), s.tail<3>());
      Six out;
      out << a, b;
      return out;
    };
    for (int k = 0; k < steps; ++k) y = rungeKutta(f, 0.0, y, time / steps);
    return {y.head<3>(), y.tail<3>()};
  }
};

TEST(RollingEllipsoid, IsTheRattlebackOfTheReducedEquations) {
  const Workspace w;
  const Trajectory run = runModel(w, example("rattleback"), {"--method", "RKMK6", "--time", "0..3", "--step", "5e-4"});
  ASSERT_FALSE(run.rows.empty());
  const auto matrix = [&](std::size_t row) {
    Matrix3d R;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) R(i, j) = run.at(row, fmt::format("X.R[{}][{}]", i + 1, j + 1));
    return R;
  };
  const Matrix3d Q = Eigen::AngleAxisd(0.05, Vector3d::UnitZ()).toRotationMatrix();
  Rolling body;
  body.J = Q * Vector3d(2e-4, 1.6e-3, 1.7e-3).asDiagonal() * Q.transpose();
  body.m = 1;
  body.squares = Vector3d(0.04, 0.0009, 0.0004);
  body.centre = Vector3d::Zero();
  const Vector3d start(run.at(0, "xi.w[1]"), run.at(0, "xi.w[2]"), run.at(0, "xi.w[3]"));
  const auto [omega, N] = body.after(start, matrix(0).row(2).transpose(), 3, 30000);
  EXPECT_LT((last(run, "xi.w") - omega).norm(), 1e-6);
  EXPECT_LT((matrix(run.rows.size() - 1).row(2).transpose() - N).norm(), 1e-7);
}

/// A ball whose centre of mass is beside its centre, on two axes: an ellipsoid with equal axes.
TEST(RollingEllipsoid, MayHaveItsMassBesideTheCentre) {
  const Workspace w;
  const Trajectory run =
      runText(w, "model Loaded {\n  config X : SE(3) velocity xi;\n"
                 "  lagrangian = 0.5*dot(xi.w, diag(0.2, 0.25, 0.3)*xi.w) + dot(xi.v, xi.v) - 2*9.81*X.x[3];\n"
                 "  joint floor = rolling_ellipsoid(X, [0.5, 0.4, 0.6], [0.1, 0.05, 0.15]);\n"
                 "  let R = SO(3).exp([0.3, 0.2, 0]);\n  initial X = (R = R, x = [0, 0, 0.4]);\n"
                 "  initial xi = (w = [1, 2, 3], v = zeros(3));\n  initial adjust X, xi;\n"
                 "  simulate { method = RKMK6; time = 0..1.5; step = 5e-4; output every 0.1; }\n}\n");
  ASSERT_FALSE(run.rows.empty());
  Rolling body;
  body.J = Vector3d(0.2, 0.25, 0.3).asDiagonal();
  body.m = 2;
  body.squares = Vector3d(0.25, 0.16, 0.36);
  body.centre = Vector3d(0.1, 0.05, 0.15);
  const auto vertical = [&](std::size_t row) {
    return Vector3d(run.at(row, "X.R[3][1]"), run.at(row, "X.R[3][2]"), run.at(row, "X.R[3][3]"));
  };
  const Vector3d start(run.at(0, "xi.w[1]"), run.at(0, "xi.w[2]"), run.at(0, "xi.w[3]"));
  const auto [omega, N] = body.after(start, vertical(0), 1.5, 15000);
  EXPECT_LT((last(run, "xi.w") - omega).norm(), 1e-7);
  EXPECT_LT((vertical(run.rows.size() - 1) - N).norm(), 1e-8);
}

/// The board by hand: coordinates x, y, theta, psi, phi; a constant mass matrix, two blades, their rates, a saddle
/// point.
TEST(Snakeboard, IsThatOfASaddlePointByHand) {
  const Workspace w;
  const Trajectory run = runModel(w, example("snakeboard"), {"--method", "RKMK6", "--time", "0..5", "--step", "1e-3"});
  ASSERT_FALSE(run.rows.empty());
  using Five = Eigen::Matrix<double, 5, 1>;
  using State = Eigen::Matrix<double, 10, 1>;
  const double m = 6, l = 0.2, J = 0.16, Jr = 0.07, Jw = 0.01;
  Eigen::Matrix<double, 5, 5> M = Eigen::Matrix<double, 5, 5>::Zero();
  M(0, 0) = M(1, 1) = m;
  M(2, 2) = J + Jr + 2 * Jw;
  M(2, 3) = M(3, 2) = M(3, 3) = Jr;
  M(4, 4) = 2 * Jw;
  const auto f = [&](double t, const State& s) {
    const Five v = s.tail<5>();
    const double theta = s[2], phi = s[4];
    Eigen::Matrix<double, 2, 5> A = Eigen::Matrix<double, 2, 5>::Zero(), B = A;
    for (int k = 0; k < 2; ++k) { // velocity of the wheel across its direction theta +- phi
      const double sign = k == 0 ? 1 : -1, angle = theta + sign * phi, rate = v[2] + sign * v[4];
      A.row(k) << -std::sin(angle), std::cos(angle), sign * l * std::cos(phi), 0, 0;
      B.row(k) << -rate * std::cos(angle), -rate * std::sin(angle), -sign * l * std::sin(phi) * v[4], 0, 0;
    }
    Eigen::Matrix<double, 7, 7> K = Eigen::Matrix<double, 7, 7>::Zero();
    K.topLeftCorner<5, 5>() = M;
    K.topRightCorner<5, 2>() = -A.transpose();
    K.bottomLeftCorner<2, 5>() = A;
    Eigen::Matrix<double, 7, 1> right;
    right << 0, 0, 0, 0.4 * std::cos(4 * t), -0.03 * std::cos(4 * t + 0.4) - 0.2 * phi, -(B * v);
    State out;
    out << v, K.fullPivLu().solve(right).head<5>();
    return out;
  };
  State y = State::Zero();
  y[4] = 0.3;
  const int n = 5000;
  for (int k = 0; k < n; ++k) y = rungeKutta(f, 5.0 * k / n, y, 5.0 / n);
  EXPECT_NEAR(run.last("X.x[1]"), y[0], 1e-9);
  EXPECT_NEAR(run.last("X.x[2]"), y[1], 1e-9);
  EXPECT_NEAR(run.last("X.R[2][1]"), std::sin(y[2]), 1e-9);
  EXPECT_NEAR(run.last("psi"), y[3], 1e-9);
  EXPECT_GT(std::hypot(y[0], y[1]), 0.05); // it moves
}

TEST(Rolling, LeavesThreeVelocities) {
  const Workspace w;
  for (const char* joint : {"rolling_disk(X, 0.5, [0.2, 0.1, 1])", "rolling_ball(X, 0.5, 2)",
                            "rolling_ellipsoid(X, [0.5, 0.3, 0.4], [0.1, 0, 0.05])"}) {
    const auto file = w.write(
        "free.lie", fmt::format("model M {{\n  config X : SE(3) velocity xi;\n"
                                "  lagrangian = dot(xi.w, diag(1, 2, 2.5)*xi.w) + dot(xi.v, xi.v) - 20*X.x[3];\n"
                                "  joint j = {};\n  initial X = (R = SO(3).exp([1, 0.4, -0.7]), x = [1, 2, 0.45]);\n"
                                "  initial xi = (w = [1, 2, 3], v = zeros(3));\n  initial adjust X, xi;\n"
                                "  simulate {{ method = RKMK4; time = 0..1; step = 0.01; }}\n}}\n",
                                joint));
    const Outcome o = w.lmc({"check", file.string()});
    EXPECT_EQ(o.status, 0) << joint << o.err;
    EXPECT_EQ(o.err.find("LIE0"), std::string::npos) << joint << o.err;
    EXPECT_NE((o.out + o.err).find(" 3 degrees of freedom"), std::string::npos) << joint << o.out << o.err;
  }
}

/// Velocities of R and of SO(2) are numbers: v = r w can be written, and its closed form is that of every textbook.
TEST(Rolling, OfAWheelDownASlopeIsThatOfTheTextbook) {
  const Workspace w;
  const double slope = 0.3, mass = 2, radius = 0.4, time = 1.5;
  for (const char* way : {"config A : SO(2) velocity w;\n", "config A : S^1 velocity w;\n  initial A = [1, 0];\n",
                          "config A : R velocity w;\n"})
    for (const char* condition : {"v = r*w", "r*w = v", "v - r*w = 0", "0 = w - v/r"}) {
      const Trajectory run =
          runText(w, fmt::format("model Wheel {{\n  param r = {};\n  config x : R velocity v;\n  {}"
                                 "  lagrangian = 0.5*{}*v^2 + 0.5*0.5*{}*r^2*w^2 + {}*9.81*sin({})*x;\n"
                                 "  constraint roll : {};\n  observe pull = reaction(roll, x);\n"
                                 "  simulate {{ method = RKMK4; time = 0..{}; step = 0.05; }}\n}}\n",
                                 radius, way, mass, mass, mass, slope, condition, time));
      ASSERT_FALSE(run.rows.empty()) << way << condition;
      const double along = g * std::sin(slope);
      EXPECT_NEAR(run.last("x"), along * time * time / 3, 1e-12) << way << condition;
      EXPECT_NEAR(run.last("v"), along * time * 2 / 3, 1e-12) << way << condition;
      EXPECT_NEAR(run.last("pull"), -mass * along / 3, 1e-12) << way << condition;
    }
}

} // namespace
