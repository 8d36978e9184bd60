// Points of groups and spheres between rows, against closed forms.
#include "Curves.h"

#include <Eigen/Dense>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::acceptance::tables;

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Pose {
  Matrix3d R;
  Vector3d q;
};

Pose poseAt(int k) {
  const Vector3d axis = Vector3d(std::sin(k), std::cos(2 * k), 0.3 * k - 1).normalized();
  return {Eigen::AngleAxisd(0.4 + 0.3 * k, axis).toRotationMatrix(),
          Vector3d(std::cos(k), std::sin(3 * k), 0.5).normalized()};
}

constexpr int rows = 11;

std::string poses(double scale = 1) {
  std::string text = "t";
  for (int i = 1; i <= 3; ++i)
    for (int j = 1; j <= 3; ++j) text += fmt::format(",R[{}][{}]", i, j);
  text += ",q[1],q[2],q[3],c[1],c[2]\n";
  for (int k = 0; k < rows; ++k) {
    const Pose p = poseAt(k);
    text += fmt::format("{}", 0.5 * k);
    for (int i = 0; i < 9; ++i) text += fmt::format(",{}", scale * p.R(i / 3, i % 3));
    for (int i = 0; i < 3; ++i) text += fmt::format(",{}", p.q(i));
    text += fmt::format(",{},{}\n", std::cos(2.0 * k), std::sin(2.0 * k));
  }
  return text;
}

const std::string settings = "method = RKMK4; time = 0..5; step = 0.05;";

} // namespace

TEST(TableManifolds, PointsGoAlongGeodesics) {
  const Workspace w;
  w.write("d.csv", poses());
  const Trajectory run = runModel(
      w,
      w.write("m.lie", model("  lagrangian = 0.5*v^2;\n  observe R = interpolate(d.R, t, SO(3));\n"
                             "  observe p = interpolate(d.q, t, S^2);\n  observe c = interpolate(d.c, t, S^1);\n",
                             settings))
          .string(),
      {});
  ASSERT_FALSE(run.rows.empty());
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double t = run.at(row, "t");
    const int k = std::min(rows - 2, static_cast<int>(std::floor(t / 0.5)));
    const double s = t / 0.5 - k;
    const Pose a = poseAt(k), b = poseAt(k + 1);
    // Independent of logarithms: quaternions and great circles.
    const Matrix3d R = Eigen::Quaterniond(a.R).slerp(s, Eigen::Quaterniond(b.R)).toRotationMatrix();
    const double angle = std::acos(a.q.dot(b.q));
    const Vector3d q = (std::sin((1 - s) * angle) * a.q + std::sin(s * angle) * b.q) / std::sin(angle);
    for (int i = 0; i < 9; ++i)
      EXPECT_NEAR(run.at(row, fmt::format("R[{}][{}]", i / 3 + 1, i % 3 + 1)), R(i / 3, i % 3), 1e-12) << t;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(run.at(row, fmt::format("p[{}]", i + 1)), q(i), 1e-12) << t;
    EXPECT_NEAR(run.at(row, "c[1]"), std::cos(2.0 * (k + s)), 1e-12);
    EXPECT_NEAR(run.at(row, "c[2]"), std::sin(2.0 * (k + s)), 1e-12);
  }
}

TEST(TableManifolds, OfSeveralPartsComeFromFamilies) {
  const Workspace w;
  w.write("d.csv", poses());
  const Trajectory run = runModel(
      w,
      w.write("m.lie", model("  lagrangian = 0.5*v^2;\n  let X[i in 1..d.rows] : SE(3) = (R = d.R[i], x = d.q[i]);\n"
                             "  let X1 = interpolate(X, t, over = d.t);\n  observe R = X1.R;\n  observe x = X1.x;\n",
                             "method = RKMK4; time = 0..5; step = 0.5;"))
          .string(),
      {});
  ASSERT_FALSE(run.rows.empty());
  for (int k = 0; k < rows; ++k) { // at the nodes the points themselves
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(run.at(static_cast<std::size_t>(k), fmt::format("x[{}]", i + 1)), poseAt(k).q(i), 1e-12);
    EXPECT_NEAR(run.at(static_cast<std::size_t>(k), "R[2][1]"), poseAt(k).R(1, 0), 1e-12);
  }
}

TEST(TableManifolds, ThatPointsAreNotOnAreTold) {
  const Workspace w;
  w.write("d.csv", poses(1.001));
  const Outcome o = w.lmc(
      {"run", w.write("m.lie", model("  lagrangian = 0.5*v^2;\n  observe R = interpolate(d.R, t, SO(3));\n", settings))
                  .string()});
  EXPECT_NE(o.status, 0);
  EXPECT_NE(o.err.find("11 of its rows"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("not on its manifold"), std::string::npos) << o.err;
  const Outcome cubic = w.lmc(
      {"check",
       w.write("c.lie", model("  lagrangian = 0.5*v^2;\n  observe R = interpolate(d.R, t, SO(3), cubic);\n", settings))
           .string()});
  EXPECT_NE(cubic.err.find("error[LIE0187]"), std::string::npos) << cubic.err;
}
