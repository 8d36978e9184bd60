// Many mechanisms whose kinetic energies couple members, solved as one sparse system: against the pendulum that they
// are equivalent to, in points and in angles, and in time.
#include "acceptance/Trajectory.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// The linkages of the example in angles: of the cranks, and of the couplers, which must close.
const char* const inAngles = R"(model FourBars {
  param N : int = 40;
  param g = 9.81;
  config a[N + 1] : R velocity w;
  config b[N] : R velocity u;
  fn tip(k, x) = [k - 1 + cos(x), sin(x)];
  // The couplers by their middles, from the cranks to their left.
  let c[k in 1..N] = tip(k, a[k]) + [cos(b[k]), sin(b[k])]/2;
  lagrangian = sum(k in 1..N + 1: w[k]^2/6 - g*sin(a[k])/2)
             + sum(k in 1..N: dot(c[k]', c[k]')/2 + u[k]^2/24 - g*c[k][2]);
  constraint loop[k in 1..N] : tip(k, a[k]) + [cos(b[k]), sin(b[k])] = tip(k + 1, a[k+1]);
  initial a[k in 1..N + 1] = pi/2;
  initial w[k in 1..N + 1] = -1;
  observe x = cos(a[1]);
  observe y = sin(a[1]);
  simulate { method = RKMK6; time = 0..0.5; step = 1e-3; }
})";

/// s'' = k sin s of N linkages: the angle from the top after a time, from s = 0 with s' = 1.
double pendulum(int n, double time) {
  const long double k = 9.81L * ((n + 1) / 2.0L + n) / ((n + 1) / 3.0L + n);
  long double s = 0, v = 1;
  constexpr int steps = 100000;
  const long double h = static_cast<long double>(time) / steps;
  const auto f = [&](long double x) { return k * std::sin(x); };
  for (int i = 0; i < steps; ++i) { // the classical Runge-Kutta-Nystroem method
    const long double k1 = f(s), k2 = f(s + h / 2 * v + h * h / 8 * k1), k3 = f(s + h * v + h * h / 2 * k2);
    s += h * v + h * h / 6 * (k1 + 2 * k2);
    v += h / 6 * (k1 + 4 * k2 + k3);
  }
  return static_cast<double>(s);
}

double secondsOf(const Workspace& w, const std::string& file, const Arguments& more) {
  double least = INFINITY;
  for (int k = 0; k < 3; ++k) {
    Arguments all = {"run", file, "--json"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome o = w.lmc(all);
    EXPECT_EQ(o.status, 0) << o.err;
    const nlohmann::json summary = parseJson(o.out);
    least = std::min(least, summary.at("run_seconds").get<double>());
  }
  return least;
}

} // namespace

TEST(CoupledMechanisms, AreThePendulumTheyAreEquivalentTo) {
  const Workspace w;
  // Through the configuration where all bars are in one line, at t = 0.7216.
  const Trajectory points =
      runModel(w, example("four_bars"), {"--set", "N=40", "--method", "RKMK6", "--time", "0..1", "--step", "1e-3"});
  ASSERT_FALSE(points.rows.empty());
  EXPECT_NEAR(points.last("p[1][1]"), -0.115356880632110, 1e-9); // of the turned frame: B0 = (sin s, cos s)
  EXPECT_NEAR(points.last("p[1][2]"), -0.993324111300450, 1e-9);
  EXPECT_NEAR(points.last("v[41][1]"), -6.66998752394177, 1e-7);
  EXPECT_NEAR(points.last("v[41][2]"), 0.77460009866234, 1e-7);
  const double s = pendulum(40, 0.5);
  const std::string file = w.write("angles.lie", inAngles).string();
  const Trajectory angles = runModel(w, file, {});
  EXPECT_NEAR(angles.last("x"), std::sin(s), 1e-9);
  EXPECT_NEAR(angles.last("y"), std::cos(s), 1e-9);
  const Outcome derived = w.lmc({"derive", file});
  EXPECT_NE(derived.out.find("solved for together with the constraints"), std::string::npos) << derived.out;
  EXPECT_NE(derived.out.find("sparse system"), std::string::npos) << derived.out;
}

TEST(CoupledMechanisms, HaveTheOrdersOfVariationalMethods) {
  const Workspace w;
  const std::string file = w.write("angles.lie", inAngles).string();
  const double s = pendulum(40, 0.5);
  for (const std::string& model : {example("four_bars"), file}) {
    const bool inPoints = model != file;
    const auto error = [&](const char* method, const char* step) {
      const Trajectory run =
          runModel(w, model, {"--set", "N=40", "--method", method, "--time", "0..0.5", "--step", step});
      return std::abs(run.last(inPoints ? "p[1][1]" : "x") - std::sin(s));
    };
    for (const char* method : {"VITrapezoid", "VIMidpoint"}) {
      const double coarse = error(method, "0.01"), fine = error(method, "0.005");
      EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2) << method << " " << coarse << " " << fine;
    }
    const double coarse = error("VI4", "0.02"), fine = error("VI4", "0.01");
    EXPECT_NEAR(std::log2(coarse / fine), 4, 0.4) << coarse << " " << fine;
  }
}

TEST(CoupledMechanisms, TakeATimeThatGrowsWithTheirNumber) {
  const Workspace w;
  for (const char* method : {"RKMK4", "VITrapezoid"}) {
    const auto seconds = [&](const char* n) {
      return secondsOf(w, example("four_bars"),
                       {"--set", std::string("N=") + n, "--method", method, "--time", "0..0.05", "--step", "1e-3"});
    };
    const double few = seconds("50"), many = seconds("400");
    EXPECT_LT(many, 8 * 2.5 * few) << method; // a dense matrix: 512
  }
}

/// Forces that balance each other: accelerations are rounding, and yet the systems are solved.
TEST(CoupledMechanisms, StandStillInAnEquilibrium) {
  const Workspace w;
  for (const char* coupling : {"", " + sum(k in 2..N: dot(v[k-1], v[k])/6)"}) {
    const std::string file = w.write("still.lie", std::string(R"(model Still {
  param N : int = 40;
  config p[N] : R^2 velocity v;
  let q[k in 1..N] = if k == 1 then [0, 0] else p[k-1];
  lagrangian = sum(k in 1..N: dot(v[k], v[k])/2 - 9.81*(0.6*p[k][1] + 0.8*p[k][2])))") +
                                                      coupling + R"(;
  constraint bar[k in 1..N] : dot(p[k] - q[k], p[k] - q[k]) = 1;
  initial p[k in 1..N] = [-0.6*k, -0.8*k];
  observe tension = multiplier(bar[1]);
  simulate { method = VITrapezoid; time = 0..0.1; step = 1e-3; }
})")
                                 .string();
    for (const char* method : {"RKMK4", "VITrapezoid"}) {
      const Trajectory run = runModel(w, file, {"--method", method});
      ASSERT_EQ(run.rows.size(), 101U) << method;
      EXPECT_NEAR(run.last("p[40][1]"), -24, 1e-11) << method;
      EXPECT_NEAR(run.last("tension"), -40 * 9.81 / 2, 1e-9) << method; // B = 2 p
    }
  }
}
