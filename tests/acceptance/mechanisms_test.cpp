// Closed mechanisms of joints: an over-constrained one, a platform on six legs, shafts with a Cardan joint.
#include "acceptance/Diagnostics.h"
#include "acceptance/Trajectory.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Vector3d vectorAt(const Trajectory& run, std::size_t row, const std::string& name) {
  return {run.at(row, name + "[1]"), run.at(row, name + "[2]"), run.at(row, name + "[3]")};
}

Matrix3d matrixAt(const Trajectory& run, std::size_t row, const std::string& name) {
  Matrix3d m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = run.at(row, fmt::format("{}[{}][{}]", name, i + 1, j + 1));
  return m;
}

TEST(Bricard, MovesAsTheReferenceAndWarnsOfOneEquation) {
  const Workspace w;
  const Outcome check = w.lmc({"check", example("bricard")});
  EXPECT_EQ(check.status, 0) << check.err;
  const std::vector<Reported> reported = parseDiagnostics(check.err);
  ASSERT_EQ(reported.size(), 1U) << check.err;
  EXPECT_TRUE(reported[0].warning);
  EXPECT_NE(check.err.find("LIE0423"), std::string::npos) << check.err;
  EXPECT_NE(check.err.find("1 of the 30 equations"), std::string::npos) << check.err;
  EXPECT_NE(check.err.find("`hinge["), std::string::npos) << check.err;
  EXPECT_NE(check.out.find(" 1 degree of freedom"), std::string::npos) << check.out;

  for (const auto& [to, wanted] : std::vector<std::pair<std::string, Vector3d>>{
           {"0..1", {0.510501461187220, -1.64916759939481, 0.140123114553186}},
           {"0..2", {-0.969340344777652, -1.22124689495632, 0.754278010779777}},
           {"0..10", {0.99999996380635, -1.00026901269617, 0.99973095111992}}}) {
    const Trajectory run = runModel(w, example("bricard"), {"--method", "RKMK6", "--time", to, "--step", "1e-3"});
    ASSERT_FALSE(run.rows.empty());
    EXPECT_LT((vectorAt(run, run.rows.size() - 1, "D") - wanted).norm(), 1e-9) << to;
  }
}

/// Where the plate is wanted to be, and the forces of its legs by Newton and Euler, with differences for its
/// accelerations.
struct Plate {
  static Matrix3d turned(double t) {
    const Vector3d w(0.1 * std::sin(2 * t), 0.15 * std::sin(t), 0.2 * std::sin(3 * t));
    const double a = w.norm();
    return a == 0 ? Matrix3d(Matrix3d::Identity()) : Eigen::AngleAxisd(a, w / a).toRotationMatrix();
  }
  static Vector3d place(double t) {
    return {0.1 * std::sin(t), 0.05 * (1 - std::cos(2 * t)), 0.8 + 0.1 * std::sin(2 * t)};
  }
  static Vector3d circle(double r, double angle) { return {r * std::cos(angle), r * std::sin(angle), 0}; }
  static Vector3d ground(int i) {
    const double pi = std::acos(-1.0);
    return circle(1, 2 * pi / 3 * (i / 2) + 0.15 * (2 * (i % 2) - 1) + pi / 3);
  }
  static Vector3d plate(int i) {
    const double pi = std::acos(-1.0);
    return circle(0.6, 2 * pi / 3 * ((i + 1) / 2) + 0.25 * (1 - 2 * (i % 2)));
  }
  static Vector3d rate(double t) { // of the rotation, in the body
    const double h = 1e-5;
    const Matrix3d W = turned(t).transpose() * (turned(t + h) - turned(t - h)) / (2 * h);
    return {(W(2, 1) - W(1, 2)) / 2, (W(0, 2) - W(2, 0)) / 2, (W(1, 0) - W(0, 1)) / 2};
  }
  static Eigen::Matrix<double, 6, 1> forces(double t) {
    const Matrix3d J = Vector3d(0.4, 0.5, 0.8).asDiagonal();
    const double h = 1e-4;
    const Vector3d a(-0.1 * std::sin(t), 0.2 * std::cos(2 * t), -0.4 * std::sin(2 * t)),
        w = rate(t), change = (rate(t + h) - rate(t - h)) / (2 * h);
    Eigen::Matrix<double, 6, 6> G;
    for (int i = 1; i <= 6; ++i) {
      const Vector3d n = (place(t) + turned(t) * plate(i) - ground(i)).normalized();
      G.col(i - 1) << n, plate(i).cross(turned(t).transpose() * n);
    }
    Eigen::Matrix<double, 6, 1> right;
    right << 20 * (a + Vector3d(0, 0, 9.81)), J * change + w.cross(J * w);
    return G.fullPivLu().solve(right);
  }
};

TEST(StewartPlatform, IsAssembledFromABadGuessAndFollowsItsMotion) {
  const Workspace w;
  const Trajectory run = runModel(w, example("stewart_platform"), {});
  ASSERT_FALSE(run.rows.empty());
  for (std::size_t row = 0; row < run.rows.size(); row += run.rows.size() / 5) {
    const double t = run.at(row, "t");
    EXPECT_LT((vectorAt(run, row, "X.x") - Plate::place(t)).norm(), 1e-11) << t;
    EXPECT_LT((matrixAt(run, row, "X.R") - Plate::turned(t)).norm(), 1e-11) << t;
    const auto wanted = Plate::forces(t);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(run.at(row, fmt::format("force[{}]", i + 1)), wanted[i], 1e-4) << t;
  }
}

TEST(CardanJoint, HasTheClosedFormOfItsSpeedAndTorque) {
  const Workspace w;
  const struct {
    const char* t;
    double out, speed, torque;
  } cases[] = {{"0..0.3", 0.66215872903523398, 2.0809804435697449, -0.76994643229539699},
               {"0..1", 1.9527090571123409, 1.8279253395128941, 0.4237213079422046}};
  for (const auto& c : cases) {
    const Trajectory run = runModel(w, example("cardan_joint"), {"--time", c.t, "--step", "1e-3"});
    ASSERT_FALSE(run.rows.empty());
    EXPECT_NEAR(run.last("out"), c.out, 1e-10);
    EXPECT_NEAR(run.last("speed"), c.speed, 1e-10);
    EXPECT_NEAR(run.last("torque"), c.torque, 1e-8);
  }
  const Outcome check = w.lmc({"check", example("cardan_joint")});
  EXPECT_EQ(check.err, "");
}

/// Kinetic and potential energy of the engine at a constant rate of the crank, as a function of its angle.
long double engineEnergy(long double theta) {
  const long double r = 0.05L, l = 0.2L, rate = 50, JB = 0.6L / 12 * (l * l + 0.02L * 0.02L);
  const long double s = std::sin(theta), c = std::cos(theta), root = std::sqrt(l * l - r * r * s * s);
  const long double z = r * c + root, dz = -r * s - r * r * s * c / root, dphi = -r * c / root;
  const long double mx = r * c / 2, mz = (dz - r * s) / 2; // rates of the middle of the rod
  return rate * rate * (JB / 2 * dphi * dphi + 0.3L * (mx * mx + mz * mz) + 0.25L * dz * dz) +
         9.81L * (0.6L * (r * c + z) / 2 + 0.5L * z);
}

TEST(PistonEngine, NeedsTheTorqueOfItsEnergy) {
  const Workspace w;
  const Trajectory run = runModel(w, example("piston_engine"), {});
  ASSERT_FALSE(run.rows.empty());
  for (std::size_t row = 0; row < run.rows.size(); row += 10) {
    const long double theta = 50 * run.at(row, "t"), h = 1e-6L;
    EXPECT_NEAR(run.at(row, "height"), 0.05 * std::cos(theta) + std::sqrt(0.04 - 0.0025 * std::pow(std::sin(theta), 2)),
                1e-12);
    EXPECT_NEAR(run.at(row, "torque"), (engineEnergy(theta + h) - engineEnergy(theta - h)) / (2 * h), 1e-8) << row;
  }
}

/// The pin of the knee is where the circles of the connecting rod and of the upper link meet, the wheel has what energy
/// the ram leaves (of 300 J; the force of the workpiece begins with a kink), and the pulls of three rods at a pin
/// without mass balance.
/// Its constraints decide the whole motion: two results that they had both been put on would agree, however long the
/// step is, and far from the begin of a step another assembly may be the nearest one.
TEST(PistonEngine, HasAnErrorOfItsAdaptiveSteps) {
  const Workspace w;
  constexpr double r = 0.05, l = 0.2, rate = 50;
  for (const char* method : {"RKMK32", "RKMK45", "CF32"}) {
    const std::string table = w.path("steps.csv").string();
    const Trajectory run = runModel(w, example("piston_engine"),
                                    {"--method", method, "--tolerance", "1e-5", "--time", "0..0.3", "--every", "0.05",
                                     "--step", "1e-3", "--steps-output", table});
    ASSERT_EQ(run.rows.size(), 7U) << method;
    for (std::size_t k = 0; k < run.rows.size(); ++k) {
      const double angle = rate * run.at(k, "t"), s = r * std::sin(angle);
      EXPECT_NEAR(run.at(k, "height"), r * std::cos(angle) + std::sqrt(l * l - s * s), 1e-12) << method;
    }
    const auto steps = parseCsv(readFile(table));
    ASSERT_TRUE(steps);
    for (std::size_t k = 0; k < steps->rows.size(); ++k)
      EXPECT_LT(steps->at(k, "accepted") * rate * steps->at(k, "h"), 2) << method;
  }
}

TEST(KneePress, HasTheLinkageAndTheEnergyOfItsTwoMasses) {
  const Workspace w;
  const Trajectory run = runModel(w, example("knee_press"), {"--method", "RKMK6"});
  ASSERT_GT(run.rows.size(), 900U);
  constexpr long double r = 0.1L, l = 0.7L, a = 0.35L, I = 12, m = 60, k = 4e6L, top = -0.685L, g = 9.81L;
  struct Place {
    long double x, z, y; ///< of the knee, of the ram
  };
  const auto at = [&](long double theta) { // of the two points where the circles meet the lower right one
    const long double px = 0.72L + r * std::cos(theta), pz = -0.3L + r * std::sin(theta);
    const long double d2 = px * px + pz * pz, along = (a * a - l * l + d2) / (2 * d2);
    const long double across = std::sqrt(a * a / d2 - along * along);
    const long double x = along * px + across * pz, z = along * pz - across * px;
    return Place{x, z, z - std::sqrt(a * a - x * x)};
  };
  const auto energy = [&](long double theta, long double omega) {
    constexpr long double h = 1e-5L;
    const long double y = at(theta).y, squeeze = std::max(top - y, 0.0L);
    const long double slope =
        (8 * (at(theta + h).y - at(theta - h).y) - (at(theta + 2 * h).y - at(theta - 2 * h).y)) / (12 * h);
    return (I + m * slope * slope) * omega * omega / 2 + m * g * y + k * squeeze * squeeze / 2;
  };
  const long double first = energy(run.at(0, "theta"), run.at(0, "omega"));
  double pressed = 0;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const Place p = at(run.at(row, "theta"));
    EXPECT_NEAR(run.at(row, "K[1]"), p.x, 1e-11) << row;
    EXPECT_NEAR(run.at(row, "K[2]"), p.z, 1e-11) << row;
    EXPECT_NEAR(run.at(row, "y"), p.y, 1e-11) << row;
    EXPECT_NEAR(energy(run.at(row, "theta"), run.at(row, "omega")), first, row < 50 ? 1e-8 : 1e-3) << row;
    const double theta = run.at(row, "theta"), x = run.at(row, "K[1]"), z = run.at(row, "K[2]");
    const double rod = (0.72 + 0.1 * std::cos(theta) - x) * z - (-0.3 + 0.1 * std::sin(theta) - z) * x; // × upper link
    const double lower = -x * z - (run.at(row, "y") - z) * x;
    const double size = std::abs(run.at(row, "drive")) + std::abs(run.at(row, "lever")) + 1;
    EXPECT_NEAR(run.at(row, "drive") / 0.7 * rod + run.at(row, "lever") / 0.35 * lower, 0, 1e-9 * size) << row;
    pressed = std::max(pressed, run.at(row, "pressure"));
  }
  EXPECT_GT(pressed, 1e4);
}

/// With hinges everywhere three equations follow from the others.
TEST(PistonEngine, OfHingesHasThreeRedundantEquations) {
  const Workspace w;
  std::string text = readFile(example("piston_engine"));
  const std::string pin = "point_on_line(C, o, e2, B, l/2*e3)";
  ASSERT_NE(text.find(pin), std::string::npos);
  text.replace(text.find(pin), pin.size(), "revolute(B, l/2*e3, e2, C, o, e2)");
  const Outcome o = w.lmc({"check", w.write("hinges.lie", text).string()});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("3 of the 21 equations"), std::string::npos) << o.err;
  EXPECT_NE(o.out.find(" 0 degrees of freedom"), std::string::npos) << o.out;
}

/// Two rods on balls in space, against the reference of the double pendulum of points: rods without mass, loaded at
/// their ends.
TEST(DoublePendulum, OfJointsIsTheReference) {
  const Workspace w;
  const auto file = w.write(
      "double.lie",
      "model Double {\n  config X : SE(3) velocity xi;\n  config Y : SE(3) velocity eta;\n"
      "  lagrangian = 0.5*dot(xi.w, xi.w) + 0.5*dot(xi.v, xi.v) + 0.5*dot(eta.w, eta.w) + 0.25*dot(eta.v, eta.v)\n"
      "             - 9.81*(X.x[3] + 0.5*Y.x[3]);\n  let o = zeros(3);\n"
      "  joint upper = rod(world, o, X, o, 1);\n  joint lower = rod(X, o, Y, o, 0.7);\n"
      "  initial X = (R = eye(3), x = [0.6, 0, -0.8]);\n  initial Y = (R = eye(3), x = [0.6, 0.42, -1.36]);\n"
      "  initial xi = (w = o, v = [0, 2, 0]);\n  initial eta = (w = o, v = [0, 2.56, 0.42]);\n"
      "  observe f1 = -multiplier(upper.length);\n  observe f2 = -multiplier(lower.length);\n"
      "  simulate { method = RKMK6; time = 0..3; step = 1e-3; output every 1; }\n}\n");
  for (const char* method : {"RKMK6", "RKMK78"}) {
    const Trajectory run = runModel(w, file.string(), {"--method", method});
    ASSERT_FALSE(run.rows.empty());
    const std::size_t end = run.rows.size() - 1;
    EXPECT_LT(
        (vectorAt(run, end, "X.x") - Vector3d(-0.334366251405276, 0.00351402411769521, -0.942436661827034)).norm(),
        1e-9);
    EXPECT_LT((vectorAt(run, end, "Y.x") - Vector3d(-0.882301219416870, 0.427324187680075, -1.04319486790159)).norm(),
              1e-9);
    EXPECT_NEAR(run.last("f1"), 12.7363471110288, 1e-7);
    EXPECT_NEAR(run.last("f2"), 3.81985876435454, 1e-7);
    EXPECT_NEAR(run.at(0, "f1"), 13.8943792464484, 1e-9);
  }
}

/// A variational method on joints: the heavy top as a body on a ball, whose steps are those of the reference programs.
TEST(Variational, MethodsKeepJoints) {
  const Workspace w;
  const auto file = w.write(
      "top.lie", "model Top {\n  config R : SO(3) velocity Om;\n  config x : R^3 velocity v;\n"
                 "  lagrangian = 0.5*dot(Om, diag(0.234375, 0.46875, 0.234375)*Om) + 7.5*dot(v, v) - 15*9.81*x[3];\n"
                 "  joint pin = spherical(world, zeros(3), (R = R, x = x), -e2);\n"
                 "  initial R = eye(3);\n  initial x = e2;\n  initial Om = [0, 150, -4.61538];\n"
                 "  initial v = cross([0, 150, -4.61538], e2);\n"
                 "  simulate { method = VITrapezoid; time = 0..2; step = 1e-3; output every 2; }\n}\n");
  const Trajectory run = runModel(w, file.string(), {});
  ASSERT_FALSE(run.rows.empty());
  const Vector3d error =
      vectorAt(run, run.rows.size() - 1, "x") - Vector3d(-0.15041682274565, -0.72416559163691, -0.67302226956044);
  EXPECT_NEAR(error.lpNorm<Eigen::Infinity>() / 5.84e-4, 1, 0.02);
}

} // namespace
