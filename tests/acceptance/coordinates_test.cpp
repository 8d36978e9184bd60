// The same system written in different ways moves the same way.
#include "acceptance/Trajectory.h"
#include "reference/HeavyTop.h"
#include "reference/Pendulums.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::reference;

TEST(Coordinates, PlanePendulumAsRotationAndByItsAngle) {
  const Workspace w;
  const Trajectory rotation = runModel(w, testModel("pendulum_rotation"), {});
  const Trajectory angle = runModel(w, testModel("pendulum_angle"), {});
  ASSERT_FALSE(rotation.rows.empty() || angle.rows.empty());
  EXPECT_EQ(angle.columns, (std::vector<std::string>{"t", "theta", "w", "energy"}));
  EXPECT_EQ(rotation.columns,
            (std::vector<std::string>{"t", "A[1][1]", "A[1][2]", "A[2][1]", "A[2][2]", "w", "energy"}));
  ASSERT_EQ(rotation.rows.size(), angle.rows.size());
  for (std::size_t i = 0; i < angle.rows.size(); i += 100) {
    const double theta = angle.at(i, "theta");
    // An abelian group: the steps agree to round-off.
    EXPECT_NEAR(rotation.at(i, "A[1][1]"), std::cos(theta), 1e-12);
    EXPECT_NEAR(rotation.at(i, "A[2][1]"), std::sin(theta), 1e-12);
    EXPECT_NEAR(rotation.at(i, "w"), angle.at(i, "w"), 1e-12);
    EXPECT_NEAR(rotation.at(i, "energy"), angle.at(i, "energy"), 1e-12);
  }
}

TEST(Coordinates, SphericalPendulumByItsAngles) {
  const Workspace w;
  const Trajectory sphere =
      runModel(w, example("spherical_pendulum"), {"--time", "0..5", "--step", "1e-3", "--every", "0.5"});
  const Trajectory angles = runModel(w, testModel("pendulum_angles"), {"--every", "0.5"});
  ASSERT_FALSE(sphere.rows.empty() || angles.rows.empty());
  ASSERT_EQ(sphere.rows.size(), 11U);
  ASSERT_EQ(angles.rows.size(), 11U);
  for (std::size_t i = 0; i < angles.rows.size(); ++i) {
    for (const char* c : {"q[1]", "q[2]", "q[3]"}) EXPECT_NEAR(sphere.at(i, c), angles.at(i, c), 1e-8) << c;
    EXPECT_NEAR(sphere.at(i, "energy"), angles.at(i, "energy"), 1e-8);
  }
}

TEST(Coordinates, PlaneDoublePendulumByItsAngles) {
  const Workspace w;
  const Trajectory spheres =
      runModel(w, example("pendulum_chain"), {"--method", "RKMK4", "--step", "1e-3", "--every", "0.5"});
  const Trajectory angles = runModel(w, testModel("double_pendulum_angles"), {"--every", "0.5"});
  ASSERT_FALSE(spheres.rows.empty() || angles.rows.empty());
  ASSERT_EQ(spheres.rows.size(), angles.rows.size());
  for (std::size_t i = 0; i < angles.rows.size(); ++i) {
    for (const std::string k : {"[1]", "[2]"}) {
      EXPECT_NEAR(spheres.at(i, "q" + k + "[1]"), std::sin(angles.at(i, "a" + k)), 1e-7);
      EXPECT_NEAR(spheres.at(i, "q" + k + "[3]"), std::cos(angles.at(i, "a" + k)), 1e-7);
      EXPECT_NEAR(spheres.at(i, "w" + k + "[2]"), angles.at(i, "s" + k), 1e-6);
    }
  }
}

TEST(Coordinates, HeavyTopInBodyAndInSpace) {
  const Workspace w;
  const Arguments arguments{"--time", "0..0.5", "--step", "1e-4", "--every", "0.1"};
  const Trajectory body = runModel(w, example("heavy_top"), arguments);
  const Trajectory space = runModel(w, testModel("heavy_top_space"), arguments);
  ASSERT_FALSE(body.rows.empty() || space.rows.empty());
  HeavyTop turned;
  turned.inSpace = true;
  for (std::size_t i = 0; i < body.rows.size(); ++i) {
    const Vector<double> x = body.state(HeavyTop{}.layout(), i), y = space.state(turned.layout(), i);
    EXPECT_LE((x.head<9>() - y.head<9>()).norm(), 1e-7);
    const Vec3<double> omega = rotationAt(x, 0) * x.tail<3>();
    EXPECT_LE((omega - y.tail<3>()).norm(), 1e-5);
  }
}

TEST(Coordinates, SymmetricTopKeepsItsMomenta) {
  const Workspace w;
  const Trajectory run = runModel(w, example("heavy_top"), {"--time", "0..0.5", "--step", "1e-4"});
  ASSERT_FALSE(run.rows.empty());
  // About the body's axis of symmetry e2 (exact: J1 = J3), and about the vertical.
  EXPECT_NEAR(run.last("Omega[2]"), 150, 1e-9);
  const HeavyTop top;
  const auto vertical = [&](std::size_t i) {
    const Vector<double> x = run.state(top.layout(), i);
    return (rotationAt(x, 0) * x.tail<3>().cwiseProduct(top.inertia))[2];
  };
  EXPECT_NEAR(vertical(run.rows.size() - 1), vertical(0), 1e-6);
}
