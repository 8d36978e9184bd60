// Accelerations in observables: against differences of what a run writes, which know nothing of the equations, against
// laws of mechanics, and against closed forms.
#include "acceptance/Trajectory.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// Runs with a sample at every step of 1e-3.
Trajectory run(const std::string& model, const Arguments& more = {}) {
  const Workspace w;
  w.write("m.lie", model);
  Arguments arguments = {"--step", "1e-3", "--every", "1e-3"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return runModel(w, w.path("m.lie"), arguments);
}

/// The largest difference of a column from the rate of another one, by differences of fourth order.
double differs(const Trajectory& t, const std::string& rate, const std::string& of) {
  constexpr double h = 1e-3;
  double most = 0;
  for (std::size_t k = 2; k + 2 < t.rows.size(); ++k) {
    const double slope = (8 * (t.at(k + 1, of) - t.at(k - 1, of)) - (t.at(k + 2, of) - t.at(k - 2, of))) / (12 * h);
    most = std::max(most, std::abs(slope - t.at(k, rate)));
  }
  return most;
}

double largest(const Trajectory& t, const std::string& column) {
  double most = 0;
  for (std::size_t k = 0; k < t.rows.size(); ++k) most = std::max(most, std::abs(t.at(k, column)));
  return most;
}

std::string entry(const std::string& name, int k) {
  return name + "[" + std::to_string(k) + "]";
}

/// Coupled rotations, a sphere, a force, an input and states.
const std::string mixed = R"(model Mixed {
  param J : mat(3,3) = [[0.3, 0.02, 0], [0.02, 0.4, 0.01], [0, 0.01, 0.5]];
  config R : SO(3) velocity W;
  config q[2] : S^2 velocity w;
  input M : vec(3) = [0.1*t, 0, 0.2];
  state s : R;  state r : SO(3);
  flow s = W[1];  flow r = [0, W[2], 1];
  force on R = M - 0.1*W;
  lagrangian = 0.5*dot(W, J*W) + sum(i in 1..2: 0.5*dot(q[i]', q[i]')) + 0.2*dot(q[1]', R*e1) - 3*R[3,2] - 2*q[2][3];
  initial W = [1, 0.1, 2];  initial q = [0.6, 0, 0.8];
  initial w[1] = [0, 1, 0];
  observe a = W';  observe u1 = q[1]'';  observe d1 = q[1]';  observe u2 = q[2]'';  observe d2 = q[2]';
  observe power = (0.5*dot(W, J*W))';  observe kinetic = 0.5*dot(W, J*W);
  observe ds = s';  observe dr = r';
  simulate { method = RKMK6; time = 0..0.3; }
})";

TEST(Rates, AreThoseOfWhatARunWrites) {
  for (const char* const method : {"RKMK6", "RKMK78"}) {
    const Trajectory t = run(mixed, {"--method", method});
    ASSERT_FALSE(t.rows.empty());
    for (int k = 1; k <= 3; ++k) {
      EXPECT_LT(differs(t, entry("a", k), entry("W", k)), 1e-8);
      EXPECT_LT(differs(t, entry("u1", k), entry("d1", k)), 1e-8);
      EXPECT_LT(differs(t, entry("u2", k), entry("d2", k)), 1e-8);
      for (int l = 1; l <= 3; ++l)
        EXPECT_LT(
            differs(t, entry("dr", k) + "[" + std::to_string(l) + "]", entry("r", k) + "[" + std::to_string(l) + "]"),
            1e-8);
    }
    EXPECT_LT(differs(t, "power", "kinetic"), 1e-7);
    EXPECT_LT(differs(t, "ds", "s"), 1e-8);
    EXPECT_GT(largest(t, "a[2]"), 1);
  }
}

TEST(Rates, OfAConstrainedModelContainItsForces) {
  // A bead on a parabola and a body on a pin: x'' from the second derivative of the constraint, and in x'' = g + F/m.
  const Trajectory t = run(R"(model Bead {
  config z : R^2 velocity u;
  constraint wire : z[2] = 0.5*z[1]^2;
  lagrangian = 0.5*2*dot(z', z') - 2*9.81*z[2];
  initial z = [1, 0.5];
  observe a = z'';
  let wall = reaction(wire, z);
  observe bent = z[2]'' - z[1]'^2 - z[1]*z[1]'';
  observe n1 = 2*z[1]'' - wall[1];
  observe n2 = 2*z[2]'' + 2*9.81 - wall[2];
  simulate { method = RKMK6; time = 0..1; }
})");
  ASSERT_FALSE(t.rows.empty());
  EXPECT_LT(differs(t, "a[1]", "u[1]"), 1e-8);
  EXPECT_LT(differs(t, "a[2]", "u[2]"), 1e-8);
  for (const char* const zero : {"bent", "n1", "n2"}) EXPECT_LT(largest(t, zero), 1e-11) << zero;
  EXPECT_GT(largest(t, "a[2]"), 5);
}

TEST(Rates, OfMomentaAndOfFamilies) {
  // Two bodies around a centre: p' = -x/|x|^3.
  const Trajectory t = run(R"(model Kepler {
  config x[2] : R^2 momentum p;
  state mu : dual(SO(3));
  flow mu = [2, 4, 6];
  hamiltonian = sum(i in 1..2: 0.5*dot(p[i], p[i]) - 1/norm(x[i]));
  initial x[1] = [1, 0];  initial x[2] = [0, 1.5];
  initial p[1] = [0, 1];  initial p[2] = [-0.7, 0];
  initial mu = [1, 2, 3];
  observe f[i in 1..2] = p[i]';
  observe zero[i in 1..2] = p[i]' + x[i]/norm(x[i])^3;
  observe still = mu';
  simulate { method = RKMK6; time = 0..1; }
})");
  ASSERT_FALSE(t.rows.empty());
  for (const int member : {1, 2})
    for (const int k : {1, 2}) {
      EXPECT_LT(largest(t, entry(entry("zero", member), k)), 1e-14);
      EXPECT_LT(differs(t, entry(entry("f", member), k), entry(entry("p", member), k)), 1e-8);
    }
  for (const int k : {1, 2, 3}) EXPECT_LT(largest(t, entry("still", k)), 1e-14); // the flow is along mu
}

TEST(Rates, StopARunWhereAnAccelerationVanishes) {
  // x = cos t: x'' = 0 at t = pi/2.
  const Workspace w;
  w.write("m.lie", "model O { config x : R velocity v; lagrangian = 0.5*v^2 - 0.5*x^2; initial x = 1;\n"
                   "  event level = x'';\n"
                   "  simulate { method = RKMK6; step = 0.01; time = 0..3; } }\n");
  const Trajectory t = runModel(w, w.path("m.lie"), {});
  ASSERT_FALSE(t.rows.empty());
  EXPECT_NEAR(t.last("t"), std::acos(0.0), 1e-11);
}

TEST(Rates, AreTheSameUnderEveryMethodAtOneState) {
  const std::string model = R"(model Coupled {
  param J : mat(3,3) = [[0.3, 0.02, 0], [0.02, 0.4, 0.01], [0, 0.01, 0.5]];
  config R : SO(3) velocity W;
  config q : S^2 velocity w;
  lagrangian = 0.5*dot(W, J*W) + 0.5*dot(q', q') + 0.2*dot(q', R*e1) - 3*R[3,2];
  force on R = -0.1*W;
  initial W = [1, 0.1, 2];  initial q = [0.6, 0, 0.8];  initial w = [0, 1, 0];
  observe a = W';
  simulate { method = RKMK4; time = 0..0.01; }
})";
  std::array<double, 3> first{};
  for (const char* const method : {"RKMK4", "VITrapezoid", "RK4", "VIMidpoint", "RKMK54", "P853"}) {
    const Trajectory t = run(model, {"--method", method});
    ASSERT_FALSE(t.rows.empty());
    for (int k = 0; k < 3; ++k) {
      const double a = t.at(0, entry("a", k + 1));
      if (std::string(method) == "RKMK4") first[static_cast<std::size_t>(k)] = a;
      EXPECT_NEAR(a, first[static_cast<std::size_t>(k)], 1e-13) << method;
    }
  }
}

} // namespace
