// Motions and forces of the joints of the library against closed forms, references and models on smaller manifolds.
#include "acceptance/Trajectory.h"

#include <Eigen/Dense>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>

using namespace lmc::acceptance;

namespace {

using Eigen::Vector3d;

constexpr double g = 9.81;

/// A body of mass 2 and inertia `J` on SE(3) in gravity, with a joint and what follows.
std::string body(const std::string& rest, const std::string& J = "diag(0.3, 0.4, 0.5)", double to = 2) {
  return fmt::format("model Body {{\n  config X : SE(3) velocity xi;\n  let J = {};\n  let o = zeros(3);\n"
                     "  lagrangian = 0.5*dot(xi.w, J*xi.w) + dot(xi.v, xi.v) - 2*9.81*X.x[3];\n{}"
                     "  simulate {{ method = RKMK6; time = 0..{}; step = 2e-3; output every 0.1; }}\n}}\n",
                     J, rest, to);
}

Trajectory runText(const Workspace& w, const std::string& model, const Arguments& more = {}) {
  return runModel(w, w.write("model.lie", model).string(), more);
}

Vector3d last(const Trajectory& run, const std::string& name) {
  return {run.last(name + "[1]"), run.last(name + "[2]"), run.last(name + "[3]")};
}

/// theta'' = f(theta) by the classical method of Runge and Kutta, in long double.
std::pair<double, double> swing(const std::function<long double(long double)>& f, long double theta, long double rate,
                                long double to) {
  const int n = 20000;
  const long double h = to / n;
  for (int k = 0; k < n; ++k) {
    const long double a1 = f(theta), a2 = f(theta + h / 2 * rate), a3 = f(theta + h / 2 * rate + h * h / 4 * a1),
                      a4 = f(theta + h * rate + h * h / 2 * a2);
    theta += h * rate + h * h / 6 * (a1 + a2 + a3);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return {static_cast<double>(theta), static_cast<double>(rate)};
}

TEST(Revolute, IsAPhysicalPendulum) {
  const Workspace w;
  const double l = 0.7, start = 1.1, inertia = 0.4 + 2 * l * l;
  const Trajectory run =
      runText(w, body("  let b = [0, 0, 0.7];\n  joint hinge = revolute(world, o, e2, X, b, e2);\n"
                      "  initial X = (R = SO(3).exp([0, 1.1, 0]), x = -(SO(3).exp([0, 1.1, 0])*b));\n"
                      "  observe force = multiplier(hinge.at);\n  observe all = reaction(hinge, X);\n"
                      "  observe one = reaction(hinge.at, X);\n  observe other = reaction(hinge.along, X);\n"));
  ASSERT_FALSE(run.rows.empty());
  const auto [theta, rate] = swing([&](long double s) { return -2 * 9.81L * l * std::sin(s) / inertia; }, start, 0, 2);
  const Vector3d x = -l * Vector3d(std::sin(theta), 0, std::cos(theta));
  EXPECT_LT((last(run, "X.x") - x).norm(), 1e-10);
  EXPECT_NEAR(run.last("xi.w[2]"), rate, 1e-10);
  // Newton: the hinge pulls with m(a - g); the world feels the opposite.
  const double acceleration = -2 * g * l * std::sin(theta) / inertia;
  const Vector3d along(std::sin(theta), 0, std::cos(theta)), across(std::cos(theta), 0, -std::sin(theta));
  const Vector3d a = l * rate * rate * along - l * acceleration * across;
  EXPECT_LT((last(run, "force") + 2 * (a + g * Vector3d::UnitZ())).norm(), 1e-8);
  for (int k = 1; k <= 3; ++k) {
    for (const char* part : {"w", "v"}) {
      const std::string entry = fmt::format(".{}[{}]", part, k);
      EXPECT_NEAR(run.last("all" + entry), run.last("one" + entry) + run.last("other" + entry), 1e-12);
    }
  }
}

TEST(Spherical, IsTheHeavyTopOfTheReference) {
  const Workspace w;
  for (const bool pair : {false, true}) {
    const std::string joint = "  let chi = e2;\n  joint pin = spherical(world, zeros(3), " +
                              std::string(pair ? "(R = R, x = x)" : "X") +
                              ", -chi);\n  observe force = multiplier(pin.at);\n";
    const std::string J = "diag(0.234375, 0.46875, 0.234375)";
    const std::string run = "  simulate { method = RKMK6; time = 0..2; step = 2.5e-4; output every 2; }\n}\n";
    const std::string one = "model Top {\n  config X : SE(3) velocity xi;\n  lagrangian = 0.5*dot(xi.w, " + J +
                            "*xi.w) + 7.5*dot(xi.v, xi.v) - 15*9.81*X.x[3];\n" + joint +
                            "  let Om = [0, 150, -4.61538];\n  initial X = (R = eye(3), x = chi);\n"
                            "  initial xi = (w = Om, v = cross(Om, chi));\n  observe x = X.x;\n" +
                            run;
    const std::string two = "model Top {\n  config R : SO(3) velocity Om;\n  config x : R^3 velocity v;\n"
                            "  lagrangian = 0.5*dot(Om, " +
                            J + "*Om) + 7.5*dot(v, v) - 15*9.81*x[3];\n" + joint +
                            "  initial R = eye(3);\n  initial x = chi;\n  initial Om = [0, 150, -4.61538];\n"
                            "  initial v = cross([0, 150, -4.61538], chi);\n" +
                            run;
    const Trajectory t = runText(w, pair ? two : one);
    ASSERT_FALSE(t.rows.empty());
    EXPECT_LT((last(t, "x") - Vector3d(-0.15041682274565, -0.72416559163691, -0.67302226956044)).norm(), 1e-9);
    EXPECT_LT((last(t, "force") - Vector3d(260.7352113111, -613.6126989826, -309.7166313909)).norm(), 1e-6);
  }
}

TEST(Prismatic, SlidesAndTakesTheMoment) {
  const Workspace w;
  const Trajectory run =
      runText(w, body("  let u = [0.6, 0, 0.8];\n  let b = [0.1, 0.2, 0.3];\n"
                      "  joint slide = prismatic(world, b, u, X, b);\n"
                      "  initial X = (R = eye(3), x = o);\n  observe moment = multiplier(slide.turned);\n"));
  ASSERT_FALSE(run.rows.empty());
  const Vector3d u(0.6, 0, 0.8), b(0.1, 0.2, 0.3), gravity(0, 0, -g);
  EXPECT_LT((last(run, "X.x") - 0.5 * 4 * gravity.dot(u) * u).norm(), 1e-10);
  const Vector3d force = 2 * (gravity.dot(u) * u - gravity); // at the point b of the body
  EXPECT_LT((last(run, "moment") + b.cross(force)).norm(), 1e-9);
}

TEST(Cylindrical, SwingsAndSlides) {
  const Workspace w;
  const double d = 0.3;
  const Trajectory run = runText(w, body("  let u = [0, 0.6, 0.8];\n  let b = [-0.3, 0, 0];\n"
                                         "  joint sleeve = cylindrical(world, o, u, X, b, u);\n"
                                         "  initial X = (R = eye(3), x = -b);\n",
                                         "0.2*eye(3)"));
  ASSERT_FALSE(run.rows.empty());
  const auto [theta, rate] =
      swing([&](long double s) { return 2 * 0.6L * 9.81L * d * std::cos(s) / (0.2 + 2 * d * d); }, 0, 0, 2);
  const Vector3d u(0, 0.6, 0.8), q(0, 0.8, -0.6);
  const Vector3d x = d * (std::cos(theta) * Vector3d::UnitX() + std::sin(theta) * q) - 0.5 * 4 * 0.8 * g * u;
  EXPECT_LT((last(run, "X.x") - x).norm(), 1e-9);
  EXPECT_LT((last(run, "xi.w") - rate * u).norm(), 1e-9);
}

TEST(Screw, MovesByItsPitchWithEachTurn) {
  const Workspace w;
  const double pitch = 0.4, k = 2 * std::numbers::pi / pitch;
  const Trajectory run =
      runText(w, body("  joint nut = screw(world, o, e3, X, o, e3, 0.4);\n"
                      "  initial X = (R = eye(3), x = o);\n  observe thread = multiplier(nut.thread);\n"
                      "  observe sleeve = multiplier(nut.sleeve.across);\n",
                      "0.05*eye(3)"));
  ASSERT_FALSE(run.rows.empty());
  const double a = -g * 2 / (2 + 0.05 * k * k), s = 0.5 * a * 4;
  EXPECT_GT(std::abs(s), 2 * pitch); // some turns
  EXPECT_NEAR(run.last("X.x[3]"), s, 1e-9);
  EXPECT_NEAR(run.last("xi.w[3]"), 2 * a * k, 1e-8);
  EXPECT_NEAR(run.last("X.R[1][1]"), std::cos(k * s), 1e-8);
}

TEST(Planar, SlidesDownASlope) {
  const Workspace w;
  const Trajectory run = runText(
      w, body("  let u = [0, -0.6, 0.8];\n  joint slope = planar(world, o, u, X, [0, 0, 0.5], [0, -0.6, 0.8]);\n"
              "  initial X = (R = eye(3), x = [0, 0, -0.5]);\n"
              "  initial xi = (w = o, v = e1);\n  observe normal = multiplier(slope.on);\n",
              "0.2*eye(3)"));
  ASSERT_FALSE(run.rows.empty());
  // The force of the plane acts at a point beside the centre of mass, but along u: its arm is in the plane.
  const Vector3d u(0, -0.6, 0.8), r(0, 0, 0.5), gravity(0, 0, -g);
  const Vector3d down = gravity - gravity.dot(u) * u;
  EXPECT_LT((last(run, "X.x") - (Vector3d(0, 0, -0.5) + 2 * Vector3d::UnitX() + 2 * down)).norm(), 1e-9);
  EXPECT_NEAR(run.last("normal"), 2 * 0.8 * g, 1e-9);
}

/// Observables of two models agree.
void expectEqual(const Workspace& w, const std::string& model, const std::string& reduced,
                 const std::vector<std::string>& names, double tolerance) {
  const Trajectory a = runText(w, model), b = runText(w, reduced);
  ASSERT_FALSE(a.rows.empty() || b.rows.empty());
  for (const std::string& name : names) EXPECT_NEAR(a.last(name), b.last(name), tolerance) << name;
}

std::vector<std::string> entries(const std::string& name) {
  return {name + "[1]", name + "[2]", name + "[3]"};
}

/// The same body where R and x are functions of other coordinates.
std::string reduced(const std::string& coordinates, const std::string& rest) {
  return "model Reduced {\n" + coordinates +
         "  let J = diag(0.3, 0.4, 0.5);\n  let W = transpose(R)*R';\n  let Om = [W[3,2], W[1,3], W[2,1]];\n"
         "  lagrangian = 0.5*dot(Om, J*Om) + dot(x', x') - 2*9.81*x[3];\n  observe p = x;\n  observe w = Om;\n" +
         rest + "  simulate { method = RKMK6; time = 0..2; step = 2e-3; output every 0.1; }\n}\n";
}

const std::string seen = "  observe p = X.x;\n  observe w = xi.w;\n";

TEST(Universal, IsAGimbal) {
  const Workspace w;
  expectEqual(
      w,
      body("  let b = [0.1, 0.2, 0.4];\n  joint gimbal = universal(world, o, e1, X, b, e2);\n"
           "  initial X = (R = eye(3), x = -b);\n  initial xi = (w = [0.3, 0.8, 0], v = -cross([0.3, 0.8, 0], b));\n" +
           seen),
      reduced("  config q : R^2 velocity u;\n  let R = SO(3).exp([q[1], 0, 0])*SO(3).exp([0, q[2], 0]);\n"
              "  let x = -(R*[0.1, 0.2, 0.4]);\n",
              "  initial u = [0.3, 0.8];\n"),
      [] {
        auto n = entries("p");
        for (auto& s : entries("w")) n.push_back(s);
        return n;
      }(),
      1e-9);
}

TEST(PointOnLine, IsABead) {
  const Workspace w;
  expectEqual(
      w,
      body("  let b = [0.1, 0.2, 0.4];\n  joint bead = point_on_line(world, o, [0.6, 0, 0.8], X, b);\n"
           "  initial X = (R = eye(3), x = -b);\n  initial xi = (w = e1, v = -cross(e1, b));\n" +
           seen),
      reduced("  config s : R velocity sdot;\n  config R : SO(3) velocity u;\n"
              "  let x = s*[0.6, 0, 0.8] - R*[0.1, 0.2, 0.4];\n",
              "  initial R = eye(3);\n  initial u = e1;\n"),
      [] {
        auto n = entries("p");
        for (auto& s : entries("w")) n.push_back(s);
        return n;
      }(),
      1e-9);
}

TEST(PointOnPlane, IsATopOnAnIcyFloor) {
  const Workspace w;
  expectEqual(
      w,
      body("  let b = [0.1, 0.2, -0.4];\n  joint floor = point_on_plane(world, o, e3, X, b);\n"
           "  initial X = (R = eye(3), x = -b);\n  initial xi = (w = 3*e3, v = -cross(3*e3, b));\n" +
           seen),
      reduced("  config s : R^2 velocity sdot;\n  config R : SO(3) velocity u;\n"
              "  let x = [s[1], s[2], 0] - R*[0.1, 0.2, -0.4];\n",
              "  initial R = eye(3);\n  initial u = 3*e3;\n"),
      [] {
        auto n = entries("p");
        for (auto& s : entries("w")) n.push_back(s);
        return n;
      }(),
      1e-9);
}

TEST(Weld, MakesOneBodyOfTwo) {
  const Workspace w;
  const std::string two =
      "0.5*dot(xi.w, diag(0.3, 0.4, 0.5)*xi.w) + dot(xi.v, xi.v) - 2*9.81*X.x[3]\n"
      "             + 0.5*dot(eta.w, diag(0.1, 0.2, 0.15)*eta.w) + 0.5*dot(eta.v, eta.v) - 9.81*Y.x[3];\n";
  const std::string Q = "  let Q = SO(3).exp([0.3, -0.5, 0.2]);\n  let d = [0.4, 0.3, -0.2];\n";
  const std::string run = "  initial xi = (w = [1, 2, 3], v = e1);\n  observe p = X.x;\n"
                          "  simulate { method = RKMK6; time = 0..2; step = 2e-3; output every 0.1; }\n}\n";
  expectEqual(w,
              "model Two {\n  config X : SE(3) velocity xi;\n  config Y : SE(3) velocity eta;\n  lagrangian = " + two +
                  Q +
                  "  joint glue = weld(X, d, Y, zeros(3), Q);\n  initial X = (R = eye(3), x = zeros(3));\n"
                  "  initial Y = (R = Q, x = d);\n  initial adjust eta;\n" +
                  run,
              "model One {\n  config X : SE(3) velocity xi;\n" + Q +
                  "  let Y = X.R*Q;\n  let y = X.R*d + X.x;\n  let W = transpose(Q)*xi.w;\n"
                  "  lagrangian = 0.5*dot(xi.w, diag(0.3, 0.4, 0.5)*xi.w) + dot(xi.v, xi.v) - 2*9.81*X.x[3]\n"
                  "             + 0.5*dot(W, diag(0.1, 0.2, 0.15)*W) + 0.5*dot(y', y') - 9.81*y[3];\n"
                  "  initial X = (R = eye(3), x = zeros(3));\n" +
                  run,
              entries("p"), 1e-10);
}

TEST(Rod, OnADrivenPivotIsThePendulumOfTheReference) {
  const Workspace w;
  const Trajectory run =
      runText(w, body("  joint bar = rod((R = eye(3), x = [0.3*sin(4*t), 0, 0]), o, X, o, 1);\n"
                      "  initial X = (R = eye(3), x = [0.6, 0, -0.8]);\n  initial xi = (w = o, v = [1.2, 0.5, 0]);\n"
                      "  observe tension = -multiplier(bar.length);\n",
                      "eye(3)", 5));
  ASSERT_FALSE(run.rows.empty());
  EXPECT_LT((last(run, "X.x") - Vector3d(0.687669934352776, -0.213791194532958, -0.884914783543815)).norm(), 1e-8);
  EXPECT_NEAR(run.last("tension"), 23.5531306266596, 1e-6);
}

TEST(Motor, HasTheMomentOfNewtonsLaw) {
  const Workspace w;
  const Trajectory run = runText(w, body("  joint shaft = revolute(world, o, e3, X, o, e3);\n"
                                         "  joint drive = motor(world, e3, X, e3, 5*sin(2*t));\n"
                                         "  initial X = (R = eye(3), x = o);\n  initial xi = (w = 10*e3, v = o);\n"
                                         "  observe moment = multiplier(drive.turn);\n"));
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.last("moment"), -0.5 * 20 * std::sin(4.0), 1e-9);
  EXPECT_NEAR(run.last("X.R[2][1]"), std::sin(5 * std::sin(4.0)), 1e-11);
}

TEST(LinearMotor, HasTheForceOfNewtonsLaw) {
  const Workspace w;
  const Trajectory run = runText(w, body("  joint rail = prismatic(world, o, e3, X, o);\n"
                                         "  joint drive = linear_motor(world, o, e3, X, o, 0.1*sin(3*t));\n"
                                         "  initial X = (R = eye(3), x = o);\n  initial xi = (w = o, v = 0.3*e3);\n"
                                         "  observe force = multiplier(drive.push);\n"));
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.last("force"), 2 * (g - 0.9 * std::sin(6.0)), 1e-9);
}

TEST(Gear, SharesTheMoment) {
  const Workspace w;
  const Trajectory run = runText(
      w, "model Gears {\n  config A : SE(3) velocity xa;\n  config B : SE(3) velocity xb;\n  let o = zeros(3);\n"
         "  lagrangian = 0.5*dot(xa.w, 0.3*xa.w) + dot(xa.v, xa.v) + 0.5*dot(xb.w, 0.7*xb.w) + dot(xb.v, xb.v);\n"
         "  joint first = revolute(world, o, e3, A, o, e3);\n  joint second = revolute(world, e1, [1, 0, 1], B, o, [1, "
         "0, 1]);\n"
         "  joint teeth = gear(world, A, e3, B, [1, 0, 1], 20, 30);\n  force on A.w = [0, 0, 2];\n"
         "  initial B = (R = eye(3), x = e1);\n  observe mesh = multiplier(teeth.mesh);\n"
         "  simulate { method = RKMK6; time = 0..3; step = 2e-3; output every 0.1; }\n}\n");
  ASSERT_FALSE(run.rows.empty());
  const double a = 2 / (0.3 + 0.7 * 4 / 9), angle = 0.5 * a * 9;
  EXPECT_GT(angle, 2 * std::numbers::pi); // more than a turn
  EXPECT_NEAR(run.last("xa.w[3]"), 3 * a, 1e-9);
  EXPECT_NEAR(last(run, "xb.w").dot(Vector3d(1, 0, 1).normalized()), -2 * a, 1e-9);
  EXPECT_NEAR(run.last("A.R[2][1]"), std::sin(angle), 1e-8);
  EXPECT_NEAR(20 * run.last("mesh"), 0.3 * a - 2, 1e-9);
}

// --- in the plane
// -------------------------------------------------------------------------------------------------------

/// Four links on pins, as a family, against the angles of the links; and with momenta.
TEST(PlaneRevolute, HoldsAChain) {
  const Workspace w;
  const std::string joints = "  joint pin[1] = plane_revolute(world, zeros(2), X[1], [0, 0.5]);\n"
                             "  joint pin[i in 2..4] = plane_revolute(X[i-1], [0, -0.5], X[i], [0, 0.5]);\n"
                             "  initial X[i in 1..4] = (R = SO(2).exp(pi/2), x = [i - 0.5, 0]);\n"
                             "  observe p[i in 1..4] = X[i].x;\n  observe force = multiplier(pin[2].at);\n";
  const std::string run = "  simulate { method = RKMK6; time = 0..1; step = 1e-3; output every 0.1; }\n}\n";
  const std::string chain =
      "model Chain {\n  config q[4] : R velocity u;\n  let d[i in 1..4] = [sin(q[i]), -cos(q[i])];\n"
      "  let x[1] = 0.5*d[1];\n  let x[i in 2..4] = x[i-1] + 0.5*d[i-1] + 0.5*d[i];\n"
      "  lagrangian = sum(i in 1..4: 0.5*dot(x[i]', x[i]') + u[i]^2/24 - 9.81*x[i][2]);\n"
      "  initial q[i in 1..4] = pi/2;\n  observe p[i in 1..4] = x[i];\n" +
      run;
  const std::vector<std::string> names = {"p[1][1]", "p[2][2]", "p[3][1]", "p[4][1]", "p[4][2]"};
  expectEqual(w,
              "model Chain {\n  config X[4] : SE(2) velocity xi;\n"
              "  lagrangian = sum(i in 1..4: 0.5*dot(xi[i].v, xi[i].v) + xi[i].w^2/24 - 9.81*X[i].x[2]);\n" +
                  joints + run,
              chain, names, 1e-9);
  expectEqual(w,
              "model Chain {\n  config X[4] : SE(2) momentum mu;\n"
              "  hamiltonian = sum(i in 1..4: 0.5*dot(mu[i].v, mu[i].v) + 6*mu[i].w^2 + 9.81*X[i].x[2]);\n" +
                  joints + run,
              chain, names, 1e-9);
  expectEqual(w,
              "model Chain {\n  config X[4] : SE(2) velocity xi in space;\n"
              "  lagrangian = sum(i in 1..4: 0.5*dot(X[i].x', X[i].x') + xi[i].w^2/24 - 9.81*X[i].x[2]);\n" +
                  joints + run,
              chain, names, 1e-9);
}

/// A parallelogram: two cranks and a coupler, all of mass and length 1, swing as one pendulum.
TEST(PlaneRevolute, ClosesALoop) {
  const Workspace w;
  for (const char* method : {"RKMK6", "VITrapezoid"}) {
    const bool variational = method[0] == 'V';
    const Trajectory run =
        runText(w,
                "model Loop {\n  config X[3] : SE(2) velocity xi;\n"
                "  lagrangian = sum(i in 1..3: 0.5*dot(xi[i].v, xi[i].v) + xi[i].w^2/24 - 9.81*X[i].x[2]);\n"
                "  let top = [0, 0.5];\n  let end = [0, -0.5];\n  let side = [0.5, 0];\n"
                "  joint pin[1] = plane_revolute(world, zeros(2), X[1], top);\n"
                "  joint pin[2] = plane_revolute(X[1], end, X[2], -side);\n"
                "  joint pin[3] = plane_revolute(X[2], side, X[3], end);\n"
                "  joint pin[4] = plane_revolute(X[3], top, world, [1, 0]);\n"
                "  let R = SO(2).exp(1);\n  initial X[1] = (R = R, x = R*end);\n"
                "  initial X[2] = (R = eye(2), x = R*(2*end) + side);\n  initial X[3] = (R = R, x = R*end + 2*side);\n"
                "  observe s = atan2(X[1].R[2,1], X[1].R[1,1]);\n"
                "  simulate { method = RKMK6; time = 0..2; step = 1e-3; output every 0.1; }\n}\n",
                {"--method", method});
    ASSERT_FALSE(run.rows.empty());
    const double s = swing([](long double a) { return -1.2L * 9.81L * std::sin(a); }, 1, 0, 2).first;
    EXPECT_NEAR(run.last("s"), s, variational ? 2e-5 : 1e-9) << method;
  }
}

TEST(PlaneJoints, HaveMotionsOfClosedForm) {
  const Workspace w;
  const auto plane = [](const std::string& rest) {
    return "model Body {\n  config X : SE(2) velocity xi;\n  lagrangian = dot(xi.v, xi.v) + 0.2*xi.w^2 - "
           "2*9.81*X.x[2];\n"
           "  let o = zeros(2);\n" +
           rest + "  simulate { method = RKMK6; time = 0..1; step = 2e-3; output every 0.1; }\n}\n";
  };
  const Trajectory slide = runText(w, plane("  joint j = plane_prismatic(world, o, [3, 4], X, [0.1, 0], 0.5);\n"
                                            "  let R = SO(2).exp(0.5);\n  initial X = (R = R, x = -(R*[0.1, 0]));\n"));
  ASSERT_FALSE(slide.rows.empty());
  EXPECT_NEAR(slide.last("X.x[1]") + 0.1 * std::cos(0.5), -0.5 * g * 0.8 * 0.6, 1e-10);
  EXPECT_NEAR(slide.last("X.R[2][1]"), std::sin(0.5), 1e-14);

  const Trajectory slot = runText(w, plane("  joint j = plane_point_on_line(world, o, [3, 4], X, o);\n"
                                           "  initial xi = (w = 2, v = o);\n"));
  ASSERT_FALSE(slot.rows.empty());
  EXPECT_NEAR(slot.last("X.x[2]"), -0.5 * g * 0.8 * 0.8, 1e-10);
  EXPECT_NEAR(slot.last("X.R[2][1]"), std::sin(2.0), 1e-10);

  const auto [theta, rate] = swing([](long double s) { return -9.81L / 0.5L * std::sin(s); }, 1, 0, 1);
  const Trajectory rod = runText(w, plane("  joint j = plane_rod(world, o, X, o, 0.5);\n"
                                          "  initial X = (R = eye(2), x = 0.5*[sin(1), -cos(1)]);\n"
                                          "  observe tension = -multiplier(j.length);\n"));
  ASSERT_FALSE(rod.rows.empty());
  EXPECT_NEAR(rod.last("X.x[1]"), 0.5 * std::sin(theta), 1e-10);
  EXPECT_NEAR(rod.last("tension"), 2 * (0.5 * rate * rate + g * std::cos(theta)), 1e-8);

  const Trajectory driven = runText(w, plane("  joint pin = plane_revolute(world, o, X, o);\n"
                                             "  joint drive = plane_motor(world, X, 4*t^2);\n"
                                             "  observe moment = multiplier(drive.turn);\n"));
  ASSERT_FALSE(driven.rows.empty());
  EXPECT_NEAR(driven.last("moment"), 0.4 * 8, 1e-10);

  const Trajectory lift = runText(w, plane("  joint rail = plane_prismatic(world, o, [0, 1], X, o);\n"
                                           "  joint drive = plane_linear_motor(world, o, [0, 1], X, o, t^2);\n"
                                           "  observe force = multiplier(drive.push);\n"));
  ASSERT_FALSE(lift.rows.empty());
  EXPECT_NEAR(lift.last("force"), 2 * (g + 2), 1e-10);

  const Trajectory held =
      runText(w, plane("  joint j = plane_weld(world, [1, 2], X, [0.3, 0.1], 0);\n"
                       "  initial X = (R = eye(2), x = [0.7, 1.9]);\n"
                       "  observe force = multiplier(j.at);\n  observe moment = multiplier(j.turned);\n"));
  ASSERT_FALSE(held.rows.empty());
  EXPECT_NEAR(held.last("X.x[1]"), 0.7, 1e-14);
  EXPECT_NEAR(held.last("force[2]"), -2 * g, 1e-11);
  EXPECT_NEAR(held.last("moment"), -0.3 * 2 * g, 1e-11);
}

TEST(PlaneGear, TurnsWheelsAgainstEachOther) {
  const Workspace w;
  const Trajectory run = runText(
      w, "model Gears {\n  config A : SE(2) velocity xa;\n  config B : SE(2) velocity xb;\n  let o = zeros(2);\n"
         "  lagrangian = 0.15*xa.w^2 + dot(xa.v, xa.v) + 0.35*xb.w^2 + dot(xb.v, xb.v);\n"
         "  joint first = plane_revolute(world, o, A, o);\n  joint second = plane_revolute(world, [1, 0], B, o);\n"
         "  joint teeth = plane_gear(world, A, B, 20, -30);\n  force on A.w = 2;\n"
         "  initial B = (R = eye(2), x = [1, 0]);\n"
         "  simulate { method = RKMK6; time = 0..3; step = 2e-3; output every 0.1; }\n}\n");
  ASSERT_FALSE(run.rows.empty());
  const double a = 2 / (0.3 + 0.7 * 4 / 9);
  EXPECT_NEAR(run.last("xa.w"), 3 * a, 1e-9);
  EXPECT_NEAR(run.last("xb.w"), 2 * a, 1e-9); // an internal gear
}

} // namespace
