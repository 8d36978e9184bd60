// The quadruple precision values, and what every example must keep.
#include "acceptance/Cases.h"
#include "acceptance/Trajectory.h"
#include "reference/Dipoles.h"
#include "reference/HeavyTop.h"
#include "reference/Pendulums.h"
#include "reference/Quadrotors.h"
#include "reference/RigidBodies.h"
#include "reference/Steppers.h"
#include "reference/Values.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::reference;

namespace {

void expectValues(const Vector<double>& x, const std::vector<lmc::reference::values::Component>& expected,
                  double tolerance) {
  for (const lmc::reference::values::Component& c : expected)
    EXPECT_NEAR(x[c.place], double(c.value), tolerance) << "place " << c.place;
}

void heavyTopBy(const std::string& method) {
  const Workspace w;
  const Trajectory run =
      runModel(w, example("heavy_top"), {"--method", method, "--time", "0..10", "--step", "1e-4", "--every", "10"});
  ASSERT_FALSE(run.rows.empty());
  const HeavyTop top;
  Vector<double> x = run.lastState(top.layout());
  x.tail<3>() = x.tail<3>().cwiseProduct(top.inertia);
  expectValues(x, lmc::reference::values::heavyTopAttitude, lmc::reference::values::heavyTopAttitudeTolerance);
  expectValues(x, lmc::reference::values::heavyTopMomentum, lmc::reference::values::heavyTopMomentumTolerance);
}

Vector<double> chainAt3(int n, Arguments arguments) {
  const Workspace w;
  arguments.insert(arguments.end(),
                   {"--method", "RKMK4", "--step", "1e-3", "--every", "3", "--set", "N=" + std::to_string(n)});
  const Trajectory run = runModel(w, example("pendulum_chain"), arguments);
  if (run.rows.empty()) return Vector<double>::Zero(6 * n);
  EXPECT_EQ(run.last("t"), 3);
  return run.lastState(PendulumChain(n).layout());
}

} // namespace

TEST(Values, HeavyTopByRKMK4) {
  heavyTopBy("RKMK4");
}
TEST(Values, HeavyTopByCF4) {
  heavyTopBy("CF4");
}

TEST(Values, ChainOfTwo) {
  expectValues(chainAt3(2, {}), lmc::reference::values::chainOfTwo, lmc::reference::values::chainOfTwoTolerance);
}

TEST(Values, ChainOfTwoOutOfPlane) {
  expectValues(chainAt3(2, {"--set", "w[1]=[0.5, 1, -0.5]", "--set", "w[2]=[-1, 0.5, 1]"}),
               lmc::reference::values::chainOutOfPlane, lmc::reference::values::chainOfTwoTolerance);
}

TEST(Values, ChainOfTwenty) {
  expectValues(chainAt3(20, {}), lmc::reference::values::chainOfTwenty, lmc::reference::values::chainOfTwentyTolerance);
}

TEST(Values, ChainOfAHundredRuns) {
  const Vector<double> x = chainAt3(100, {});
  EXPECT_TRUE(x.allFinite());
  EXPECT_LE(manifoldDefect(PendulumChain(100).layout(), x), 1e-12);
}

/// Drifts of the integrals of examples/humming_top.lie over its run, with further options.
void expectHummingTopDrifts(const Arguments& options, double lz, double l3, double energy, double tolerance) {
  const Workspace w;
  const Trajectory run = runModel(w, example("humming_top"), options);
  ASSERT_FALSE(run.rows.empty());
  const auto drift = [&](const char* name) { return std::abs(run.last(name) - run.at(0, name)); };
  EXPECT_NEAR(drift("Lz"), lz, tolerance);
  EXPECT_NEAR(drift("L3"), l3, tolerance);
  EXPECT_NEAR(drift("E"), energy, tolerance);
}

TEST(Values, HummingTopDriftsAsPrinted) {
  // Engo and Marthinsen (1997), figure 4: drifts over t = 0..10 at h = 0.01, to the printed digits.
  expectHummingTopDrifts({}, 9.6448e-8, 2.3164e-8, 1.0927e-8, 5e-13);
}

TEST(Values, HummingTopDriftsAsPrintedInTheEmbedding) {
  // The same, figure 5: the classical Runge-Kutta method on the matrix entries.
  expectHummingTopDrifts({"--method", "RK4"}, 7.1695e-7, 2.3598e-7, 5.4514e-7, 5e-12);
}

TEST(Values, PendulumByNewmark) {
  // Engo and Marthinsen (1997), section 4.2, g/l = 9.81: independent values for beta = 1/4, gamma = 1/2 and h = 0.01.
  const Workspace w;
  const std::string file = w.write("pendulum.lie", "model P {\n  config a : R velocity v;\n"
                                                   "  lagrangian = 0.5*v^2 + 9.81*cos(a);\n  initial a = pi/2;\n}\n")
                               .string();
  const Trajectory run = runModel(w, file, {"--method", "Newmark", "--time", "0..2.5", "--step", "0.01"});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.last("a"), 1.485320161397, 1e-11);
  EXPECT_NEAR(run.last("v"), -1.294213787186, 1e-11);
}

namespace {

/// What every run of an example must keep: the bound of the largest energy error is for the run of its `simulate`
/// (RKMK4 where it asks for more), about five times what the method does.
struct Kept {
  const char* name;
  Arguments arguments;
  double energyError; ///< largest |E(t) − E(0)|; 0: not conserved, or no energy
};
std::ostream& operator<<(std::ostream& out, const Kept& k) {
  return out << k.name;
}

class Examples : public testing::TestWithParam<Kept> {};

const Case& caseOf(const std::string& name) {
  for (const Case& c : cases()) {
    if (c.name == name) return c;
  }
  throw std::out_of_range(name);
}

} // namespace

TEST_P(Examples, StayOnTheirManifoldsAndKeepTheirEnergy) {
  const Kept& kept = GetParam();
  const Workspace w;
  const Trajectory run = runModel(w, example(kept.name), kept.arguments);
  ASSERT_FALSE(run.rows.empty());
  const std::string name = kept.name;
  const Layout layout = name == "pendulum_chain" ? PendulumChain(2).layout()
                                                 : caseOf(name == "magnetic_dipoles" ? "dipoles_4" : name).layout;
  double defect = 0, energyError = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    defect = std::max(defect, manifoldDefect(layout, run.state(layout, i)));
    if (kept.energyError > 0) energyError = std::max(energyError, std::abs(run.at(i, "energy") - run.at(0, "energy")));
  }
  EXPECT_LE(defect, 1e-12);
  EXPECT_LE(energyError, kept.energyError);
}

INSTANTIATE_TEST_SUITE_P(Models, Examples,
                         testing::Values(Kept{"heavy_top", {}, 1e-2},
                                         Kept{"pendulum_chain", {"--method", "RKMK4", "--step", "1e-3"}, 1e-6},
                                         Kept{"two_quadrotors", {}, 0}, Kept{"spherical_pendulum", {}, 5e-6},
                                         Kept{"magnetic_dipoles", {}, 5e-13}, Kept{"humming_top", {}, 0},
                                         Kept{"energy_test", {"--method", "RKMK4"}, 0.2}),
                         [](const auto& p) { return p.param.name; });

TEST(Examples, TheEnergyColumnIsTheEnergy) {
  for (const char* name : {"heavy_top", "two_quadrotors", "spherical_pendulum", "energy_test"}) {
    const Case& c = caseOf(name);
    const Workspace w;
    const Trajectory run = runModel(w, c.file, {"--method", "RKMK4", "--time", "0..0.5", "--step", "0.01"});
    ASSERT_FALSE(run.rows.empty());
    for (std::size_t i = 0; i < run.rows.size(); i += 10) {
      const double e = c.energy(run.at(i, "t"), run.state(c.layout, i));
      EXPECT_NEAR(run.at(i, "energy"), e, 1e-12 * std::max(1.0, std::abs(e))) << name;
    }
  }
}

TEST(Examples, SphericalPendulumKeepsItsVerticalMomentum) {
  const Workspace w;
  const Trajectory run = runModel(w, example("spherical_pendulum"), {"--time", "0..20"});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.at(0, "Lz"), 16, 1e-13); // M w·e3 = m l² · 2
  EXPECT_NEAR(run.last("Lz"), 16, 1e-4);
}
