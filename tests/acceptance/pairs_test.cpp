// Dipolar spheres in a plane: what a thesis on Munthe-Kaas methods shows of 2 and 10 particles, and the same motion of
// a model that has the plane only.
#include "acceptance/Trajectory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace lmc::acceptance;

namespace {

/// Steps of 0.1 and 0.01, distances every 2.5 units of time: the first run of the thesis and one that is resolved.
std::vector<double> distances(const Workspace& w, const char* step) {
  const Trajectory t = runModel(w, example("planar_dipoles"), {"--step", step, "--every", "2.5"});
  std::vector<double> list;
  for (std::size_t k = 0; k < t.rows.size(); ++k) list.push_back(t.at(k, "distance"));
  return list;
}

double spread(const std::vector<double>& x, std::size_t from) {
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(from);
  return *std::max_element(begin, x.end()) - *std::min_element(begin, x.end());
}

std::string component(const std::string& name, int i, int k) {
  return name + "[" + std::to_string(i) + "][" + std::to_string(k) + "]";
}

} // namespace

TEST(PlanarDipoles, TwoAttractAndTheBondOfLargeStepsIsAnArtefact) {
  const Workspace w;
  const std::vector<double> coarse = distances(w, "0.1");
  const std::vector<double> fine = distances(w, "0.01");
  ASSERT_EQ(coarse.size(), 41U);
  ASSERT_EQ(fine.size(), 41U);
  EXPECT_LT(*std::min_element(fine.begin(), fine.end()), 0.7 * fine[0]) << "they attract each other";
  // After 450 steps of 0.1 the distance hardly changes any more; the resolved motion goes on to swing.
  EXPECT_LT(spread(coarse, 20), 0.25);
  EXPECT_GT(spread(fine, 20), 0.5);
}

TEST(PlanarDipoles, StayInThePlaneAndKeepTheirMomentum) {
  const Workspace w;
  const int n = 10;
  const Trajectory t = runModel(w, example("planar_dipoles"), {"--set", "N=10", "--set", "width=4", "--every", "50"});
  ASSERT_EQ(t.rows.size(), 3U);
  for (std::size_t row = 0; row < 3; ++row) {
    double px = 0;
    double py = 0;
    for (int i = 1; i <= n; ++i) {
      EXPECT_EQ(t.at(row, component("q", i, 3)), 0) << "exactly: the terms that leave the plane are products with 0";
      EXPECT_EQ(t.at(row, component("direction", i, 3)), 0);
      px += t.at(row, component("p", i, 1));
      py += t.at(row, component("p", i, 2));
    }
    EXPECT_LE(std::hypot(px, py), 1e-11) << "round-off of 1e4 steps";
  }
  EXPECT_LE(std::abs(t.at(2, "energy") - t.at(0, "energy")), 1e-3 * std::abs(t.at(0, "energy")));
}

TEST(PlanarDipoles, MoveLikeTheModelOfThePlane) {
  const Workspace w;
  const Arguments arguments{"--set", "N=12", "--set", "width=4", "--time", "0..5", "--step", "0.002", "--every", "5"};
  const Trajectory space = runModel(w, example("planar_dipoles"), arguments);
  const Trajectory plane = runModel(w, testModel("plane_dipoles"), arguments);
  ASSERT_EQ(space.rows.size(), 2U);
  ASSERT_EQ(plane.rows.size(), 2U);
  for (int i = 1; i <= 12; ++i) {
    for (int k = 1; k <= 2; ++k) {
      EXPECT_NEAR(space.at(0, component("q", i, k)), plane.at(0, component("q", i, k)), 0) << "the same start";
      // rotations about one axis commute: both methods are the classical one in angles, up to round-off
      EXPECT_NEAR(space.at(1, component("q", i, k)), plane.at(1, component("q", i, k)), 1e-10);
      EXPECT_NEAR(space.at(1, component("direction", i, k)), plane.at(1, component("direction", i, k)), 1e-10);
    }
  }
}

/// What the vectoriser and the shared reciprocals change is round-off: the sum of pairs in the other order, and every
/// pair from the other side.
TEST(PairSums, DoNotDependOnTheirOrder) {
  const Workspace w;
  std::string text = readFile(example("dipolar_spheres"));
  const std::string pairs = "sum(i in 1..N, j in i+1..N: V(q[i] - q[j], mu[i], mu[j]))";
  const std::size_t at = text.find(pairs);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, pairs.size(), "sum(i in 1..N, j in 1..N where j != i: V(q[i] - q[j], mu[i], mu[j])/2)");
  const std::string both = w.write("both.lie", text).string();
  const Arguments arguments{"--set", "N=30", "--seed", "3", "--step", "1e-4", "--time", "0..1e-3", "--every", "1e-3"};
  const Trajectory once = runModel(w, example("dipolar_spheres"), arguments);
  const Trajectory twice = runModel(w, both, arguments);
  ASSERT_EQ(once.rows.size(), 2U);
  ASSERT_EQ(twice.rows.size(), 2U);
  ASSERT_EQ(once.columns, twice.columns);
  double largest = 1;
  for (const double x : once.rows[1]) largest = std::max(largest, std::abs(x));
  for (std::size_t k = 0; k < once.columns.size(); ++k)
    EXPECT_NEAR(once.rows[1][k], twice.rows[1][k], 1e-12 * largest) << once.columns[k];
}
