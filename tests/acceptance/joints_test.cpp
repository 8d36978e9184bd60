// The joints of the library: how many freedoms they leave, at random states that were assembled without them;
// declarations and instances of joints, and how reports name their constraints.
#include "acceptance/Diagnostics.h"
#include "acceptance/Trajectory.h"

#include <Eigen/Dense>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

using namespace lmc::acceptance;

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double g = 9.81;

std::string text(const Vector3d& v) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v[0], v[1], v[2]);
}

std::string text(const Matrix3d& m) {
  return fmt::format("[{}, {}, {}]", text(Vector3d(m.row(0))), text(Vector3d(m.row(1))), text(Vector3d(m.row(2))));
}

/// Right-handed axes with the third along u, as the paper of axes.lie has them.
Matrix3d axesOf(Vector3d u) {
  u.normalize();
  const double s = u[2] >= 0 ? 1 : -1, a = -1 / (s + u[2]), b = u[0] * u[1] * a;
  Matrix3d m;
  m.col(0) = Vector3d(1 + s * u[0] * u[0] * a, s * b, -s * u[0]);
  m.col(1) = Vector3d(b, s + u[1] * u[1] * a, -u[1]);
  m.col(2) = u;
  return m;
}

Matrix3d turn(double angle, const Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

class Draw {
public:
  explicit Draw(unsigned seed) : random_(seed) {}
  double number() { return normal_(random_); }
  Vector3d vector() { return {number(), number(), number()}; }
  Matrix3d rotation() { return turn(2 * number(), vector()); }

private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

/// Two bodies that are at hand: points a, b, axes u, w, and where B is against A.
struct Assembly {
  Matrix3d RA, RB, Q;
  Vector3d xA, xB, a, b, u, w;
  double angle = 0, distance = 0, length = 0;
};

enum class Relative { Rotation, Turn, Cardan, Given };
struct Shift {
  bool across = false, along = false;
};

/// B so that b is shifted from a, and turned, in the axes of u.
Assembly assembled(Draw& draw, Relative relative, Shift shift) {
  Assembly s;
  s.RA = draw.rotation();
  s.Q = draw.rotation();
  s.xA = draw.vector(), s.a = draw.vector(), s.b = draw.vector(), s.u = draw.vector(), s.w = draw.vector();
  s.angle = draw.number();
  const Matrix3d U = axesOf(s.u), W = axesOf(s.w);
  const Vector3d z = Vector3d::UnitZ();
  Matrix3d between = draw.rotation();
  if (relative == Relative::Turn) between = turn(s.angle, z);
  if (relative == Relative::Cardan)
    between = turn(s.angle, z) * turn(std::numbers::pi / 2, Vector3d::UnitX()) * turn(draw.number(), z);
  s.RB = relative == Relative::Given ? Matrix3d(s.RA * s.Q) : Matrix3d(s.RA * U * between * W.transpose());
  s.distance = shift.along ? draw.number() : 0;
  const Vector3d d(shift.across ? draw.number() : 0, shift.across ? draw.number() : 0, s.distance);
  s.length = d.norm();
  s.xB = s.RA * (s.a + U * d) + s.xA - s.RB * s.b;
  return s;
}

std::string twoBodies(const Assembly& s, const std::string& joint) {
  return fmt::format("model Two {{\n  config A : SE(3) velocity xa;\n  config B : SE(3) velocity xb;\n"
                     "  lagrangian = 0.5*dot(xa.w, diag(1, 2, 2.5)*xa.w) + 0.5*dot(xa.v, xa.v)\n"
                     "             + 0.5*dot(xb.w, diag(0.3, 0.2, 0.25)*xb.w) + dot(xb.v, xb.v);\n"
                     "  let a = {};\n  let b = {};\n  let u = {};\n  let w = {};\n  let Q = {};\n"
                     "  joint j = {};\n"
                     "  initial A = (R = {}, x = {});\n  initial B = (R = {}, x = {});\n"
                     "  simulate {{ method = RKMK4; time = 0..0.1; step = 0.01; }}\n}}\n",
                     text(s.a), text(s.b), text(s.u), text(s.w), text(s.Q), joint, text(s.RA), text(s.xA), text(s.RB),
                     text(s.xB));
}

/// What `lmc check` says of the freedoms; a redundant equation would be a warning.
void expectFreedoms(const Workspace& w, const std::string& model, int wanted, const std::string& of) {
  const auto file = w.write("freedoms.lie", model);
  const Outcome o = w.lmc({"check", file.string()});
  EXPECT_EQ(o.status, 0) << of << "\n" << o.err << model;
  EXPECT_EQ(o.err.find("LIE0"), std::string::npos) << of << o.err;
  const std::string words = fmt::format("{} degree{} of freedom", wanted, wanted == 1 ? "" : "s");
  EXPECT_NE((" " + o.out + o.err).find(" " + words), std::string::npos) << of << ": not " << words << "\n" << o.out;
}

TEST(Joints, LeaveTheFreedomsOfTheirTablesInRandomPositions) {
  const Workspace w;
  const struct {
    const char* joint;
    Relative relative;
    Shift shift;
    int left; ///< of B against A
  } cases[] = {{"weld(A, a, B, b, Q)", Relative::Given, {}, 0},
               {"spherical(A, a, B, b)", Relative::Rotation, {}, 3},
               {"revolute(A, a, u, B, b, w)", Relative::Turn, {}, 1},
               {"universal(A, a, u, B, b, w)", Relative::Cardan, {}, 2},
               {"prismatic(A, a, u, B, b, Q)", Relative::Given, {false, true}, 1},
               {"cylindrical(A, a, u, B, b, w)", Relative::Turn, {false, true}, 2},
               {"planar(A, a, u, B, b, w)", Relative::Turn, {true, false}, 3},
               {"screw(A, a, u, B, b, w, 0.4, {0:.17g} - 2*pi/0.4*({1:.17g}))", Relative::Turn, {false, true}, 1},
               {"motor(A, u, B, w, {0:.17g})", Relative::Turn, {true, true}, 5},
               {"linear_motor(A, a, u, B, b, {1:.17g})", Relative::Rotation, {true, true}, 5},
               {"rod(A, a, B, b, {2:.17g})", Relative::Rotation, {true, true}, 5},
               {"point_on_line(A, a, u, B, b)", Relative::Rotation, {false, true}, 4},
               {"point_on_plane(A, a, u, B, b)", Relative::Rotation, {true, false}, 5}};
  unsigned seed = 1;
  for (const auto& c : cases) {
    for (int k = 0; k < 2; ++k) {
      Draw draw(seed++);
      const Assembly s = assembled(draw, c.relative, c.shift);
      const std::string call = fmt::format(fmt::runtime(c.joint), s.angle, s.distance, s.length);
      expectFreedoms(w, twoBodies(s, call), 6 + c.left, call);
    }
  }
}

TEST(Joints, OfGearWheelsTakeOneFreedom) {
  const Workspace w;
  Draw draw(77);
  for (int k = 0; k < 2; ++k) {
    Assembly s = assembled(draw, Relative::Rotation, {true, true});
    const double alpha = draw.number(), beta = (0.3 - 7 * alpha) / 12;
    s.RA = turn(alpha, s.u);
    s.RB = turn(beta, s.w);
    expectFreedoms(w, twoBodies(s, "gear(world, A, u, B, w, 7, 12, 0.3)"), 11, "gear");
  }
}

TEST(Joints, OfThePlaneLeaveTheirFreedoms) {
  const Workspace w;
  Draw draw(5);
  const auto vec2 = [](const Eigen::Vector2d& v) { return fmt::format("[{:.17g}, {:.17g}]", v[0], v[1]); };
  const struct {
    const char* joint;
    bool turned, along, across;
    int left;
  } cases[] = {{"plane_weld(A, a, B, b, {0:.17g})", true, false, false, 0},
               {"plane_revolute(A, a, B, b)", false, false, false, 1},
               {"plane_prismatic(A, a, u, B, b, {0:.17g})", true, true, false, 1},
               {"plane_point_on_line(A, a, u, B, b)", false, true, false, 2},
               {"plane_rod(A, a, B, b, {2:.17g})", false, true, true, 2},
               {"plane_motor(A, B, {0:.17g})", true, true, true, 2},
               {"plane_linear_motor(A, a, u, B, b, {1:.17g})", false, true, true, 2},
               {"plane_gear(world, A, B, 3, 5, {3:.17g})", false, true, true, 2}};
  for (const auto& c : cases) {
    const double tA = draw.number(), between = draw.number(), along = c.along ? draw.number() : 0,
                 across = c.across ? draw.number() : 0;
    const Eigen::Vector2d xA(draw.number(), draw.number()), a(draw.number(), draw.number()),
        b(draw.number(), draw.number()), u = Eigen::Vector2d(draw.number(), draw.number()).normalized();
    const Eigen::Rotation2Dd RA(tA), RB(tA + between);
    const Eigen::Vector2d d = along * u + across * Eigen::Vector2d(-u[1], u[0]);
    const Eigen::Vector2d xB = RA * (a + d) + xA - RB * b;
    const std::string call = fmt::format(fmt::runtime(c.joint), between, along, d.norm(), 3 * tA + 5 * (tA + between));
    expectFreedoms(w,
                   fmt::format("model Two {{\n  config A : SE(2) velocity xa;\n  config B : SE(2) velocity xb;\n"
                               "  lagrangian = xa.w^2 + dot(xa.v, xa.v) + 0.2*xb.w^2 + 2*dot(xb.v, xb.v);\n"
                               "  let a = {};\n  let b = {};\n  let u = {};\n  joint j = {};\n"
                               "  initial A = (R = SO(2).exp({:.17g}), x = {});\n"
                               "  initial B = (R = SO(2).exp({:.17g}), x = {});\n"
                               "  simulate {{ method = RKMK4; time = 0..1; step = 0.1; }}\n}}\n",
                               vec2(a), vec2(b), vec2(u), call, tA, vec2(xA), tA + between, vec2(xB)),
                   3 + c.left, call);
  }
}

TEST(Axes, AcrossAreRightHandedUnitVectors) {
  const Workspace w;
  Draw draw(3);
  std::string list, observed;
  for (int k = 1; k <= 6; ++k) {
    Vector3d u = draw.vector();
    if (k == 5) u = -Vector3d::UnitZ();
    if (k == 6) u = Vector3d::UnitX();
    observed +=
        fmt::format("  observe M{0}[i in 1..1] = transpose([perp1({1}), perp2({1}), normalize({1})]);\n", k, text(u));
  }
  const auto file = w.write("axes.lie", "model M {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2;\n" + observed +
                                            "  simulate { method = RKMK4; time = 0..1; step = 1; }\n}\n");
  const Trajectory run = runModel(w, file.string(), {});
  ASSERT_FALSE(run.rows.empty());
  for (int k = 1; k <= 6; ++k) {
    Matrix3d m;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) m(i, j) = run.last(fmt::format("M{}[1][{}][{}]", k, i + 1, j + 1));
    EXPECT_LT((m.transpose() * m - Matrix3d::Identity()).norm(), 1e-14) << k;
    EXPECT_NEAR(m.determinant(), 1, 1e-14) << k;
  }
}

// --- the language
// -------------------------------------------------------------------------------------------------------

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

TEST(Declarations, OfTheUserMayBeMadeOfOthersAndHaveDefaults) {
  const Workspace w;
  const std::string own = "joint door(A : SE(3), B : SE(3), high : real = 1, n : vec(3) = e3) {\n"
                          "  let top = high*n;\n"
                          "  joint lower = spherical(A, zeros(3), B, zeros(3));\n"
                          "  joint upper = point_on_line(A, top, n, B, top);\n}\n";
  const Trajectory run = runText(w, own + body("  joint hung = door(world, X);\n  initial xi = (w = 2*e3, v = o);\n"
                                               "  observe upper = multiplier(hung.upper.across);\n"
                                               "  observe lower = multiplier(hung.lower.at);\n"));
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.last("X.R[2][1]"), std::sin(4.0), 1e-10);
  EXPECT_NEAR(run.last("lower[3]"), -2 * g, 1e-9);
}

/// Joints on groups of every sort: a user's own motions, a direct product, rotations alone.
TEST(Declarations, OnAnyGroup) {
  const Workspace w;
  const std::string motions =
      "// Motions along the plane without turning, and a stretch.\n"
      "group Place {\n  element x : vec(2);\n  element s : real;\n  algebra v : vec(2);\n  algebra r : real;\n"
      "  identity = (x = zeros(2), s = 1);\n  product(A, B) = (x = A.x + A.s*B.x, s = A.s*B.s);\n"
      "  exp(u) = (x = stumpff(1, -(u.r/2)^2)*exp(u.r/2)*u.v, s = exp(u.r));\n"
      "  action(A, p) = A.s*p + A.x;\n}\n"
      "joint nail(A : Place, a : vec(2), B : Place, b : vec(2)) {\n  constraint at : A*a = B*b;\n}\n";
  const Trajectory own = runText(
      w, motions + "model M {\n  config X : Place velocity xi;\n  lagrangian = 0.5*dot(X.x', X.x') + 0.5*X.s'^2;\n"
                   "  joint j = nail(world, [1, 1], X, [1, 0]);\n  initial X = (x = [0, 1], s = 1);\n"
                   "  initial xi = (v = [-1, 0], r = 1);\n  observe p = X*[1, 0];\n"
                   "  simulate { method = RKMK6; time = 0..1; step = 0.01; }\n}\n");
  ASSERT_FALSE(own.rows.empty());
  // x + s e1 = e1 + e2: s moves freely, x the other way.
  EXPECT_NEAR(own.last("p[1]"), 1, 1e-13);
  EXPECT_NEAR(own.last("X.s"), 2, 1e-9);
  EXPECT_NEAR(own.last("X.x[1]"), -1, 1e-9);

  const std::string J = "diag(0.234375, 0.46875, 0.234375)";
  const Trajectory product =
      runText(w, "model Top {\n  config X : DirectProduct(SO(3), R^3) velocity xi;\n"
                 "  lagrangian = 0.5*dot(xi.u, " +
                     J +
                     "*xi.u) + 7.5*dot(xi.v, xi.v) - 15*9.81*X.h[3];\n"
                     "  joint pin = spherical(world, zeros(3), (R = X.g, x = X.h), -e2);\n"
                     "  initial X = (g = eye(3), h = e2);\n"
                     "  initial xi = (u = [0, 150, -4.61538], v = cross([0, 150, -4.61538], e2));\n  observe x = X.h;\n"
                     "  simulate { method = RKMK6; time = 0..2; step = 2.5e-4; output every 2; }\n}\n");
  ASSERT_FALSE(product.rows.empty());
  EXPECT_NEAR(product.last("x[1]"), -0.15041682274565, 1e-9);
  EXPECT_NEAR(product.last("x[3]"), -0.67302226956044, 1e-9);

  const Trajectory rotations = runText(
      w, "joint axle(R : SO(3), u : vec(3)) {\n  constraint fixed : [dot(perp1(u), R*u), dot(perp2(u), R*u)] = 0;\n}\n"
         "model M {\n  config R : SO(3) velocity Om;\n  lagrangian = 0.5*dot(Om, diag(1, 2, 3)*Om);\n"
         "  joint j = axle(R, [0, 3, 4]);\n  initial R = eye(3);\n  initial Om = [0, 0.6, 0.8];\n"
         "  observe angle = atan2(-dot(R*e1, [0, -0.8, 0.6])*-1, dot(R*e1, e1));\n"
         "  simulate { method = RKMK6; time = 0..1; step = 0.01; }\n}\n");
  ASSERT_FALSE(rotations.rows.empty());
  EXPECT_NEAR(std::abs(rotations.last("angle")), 1, 1e-9);
}

TEST(Instances, HaveConditionsAndStandInFor) {
  const Workspace w;
  const std::string model =
      "model M {\n  param tied = 1;\n  config X[3] : SE(3) velocity xi;\n"
      "  lagrangian = sum(i in 1..3: 0.5*dot(xi[i].w, xi[i].w) + 0.5*dot(xi[i].v, xi[i].v) - 9.81*X[i].x[3]);\n"
      "  for i in 1..3 {\n    joint pin[i] when tied == 1 = spherical(world, i*e1, X[i], e3);\n  }\n"
      "  initial X[i in 1..3] = (R = eye(3), x = i*e1 - e3);\n"
      "  observe z[i in 1..3] = X[i].x[3];\n  observe f[i in 1..3] = multiplier(pin[i].at);\n"
      "  simulate { method = RKMK4; time = 0..1; step = 0.01; }\n}\n";
  const Trajectory tied = runText(w, model), loose = runText(w, model, {"--set", "tied=0"});
  ASSERT_FALSE(tied.rows.empty() || loose.rows.empty());
  for (const char* i : {"[1]", "[2]", "[3]"}) {
    EXPECT_NEAR(tied.last("z" + std::string(i)), -1, 1e-13);
    EXPECT_NEAR(tied.last("f" + std::string(i) + "[3]"), -g, 1e-11);
    EXPECT_NEAR(loose.last("z" + std::string(i)), -1 - g / 2, 1e-10);
  }
}

TEST(Reports, NameTheConstraintsOfJoints) {
  const Workspace w;
  const auto file = w.write("two.lie", body("  joint hinge = revolute(world, o, e1, X, o, e1);\n"
                                            "  joint again = point_on_line(world, o, e1, X, 0.5*e1);\n"));
  const Outcome check = w.lmc({"check", file.string()});
  EXPECT_NE(check.err.find("LIE0423"), std::string::npos) << check.err;
  EXPECT_TRUE(check.err.find("`again.across[") != std::string::npos ||
              check.err.find("`hinge.along[") != std::string::npos)
      << check.err;
  const Outcome run = w.lmc({"run", file.string(), "--json"});
  const nlohmann::json summary = parseJson(run.out);
  ASSERT_TRUE(summary.contains("defects")) << run.out << run.err;
  EXPECT_TRUE(summary.at("defects").contains("hinge.at"));
  EXPECT_TRUE(summary.at("defects").contains("hinge.along'"));
  const Outcome derived = w.lmc({"derive", file.string()});
  EXPECT_NE(derived.out.find("hinge.at"), std::string::npos) << derived.out;
}

} // namespace
