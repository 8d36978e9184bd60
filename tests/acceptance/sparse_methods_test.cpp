// Methods with the constraints among the equations of their steps, on systems that are solved for as sparse ones: many
// copies of a small mechanism, whose equations are dense when it stands alone, move as that one.
#include "acceptance/Trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace lmc::acceptance;

namespace {

/// N triple pendulums of points on rods, of three masses, each on a line of its own; the k-th one begins with speed k.
/// The second rod of each may be cut.
const char* const pendulums = R"(model Pendulums {
  param N : int = 1;
  param cut = 0;
  config a[N] : R^3 velocity u;
  config b[N] : R^3 velocity v;
  config c[N] : R^3 velocity w;
  lagrangian = sum(k in 1..N: dot(u[k], u[k]) + 0.25*dot(v[k], v[k]) + 0.6*dot(w[k], w[k])
                              - 9.81*(2*a[k][3] + 0.5*b[k][3] + 1.2*c[k][3]));
  force on b[k in 1..N] = -0.3*v[k];
  constraint first[k in 1..N] : dot(a[k], a[k]) = 1;
  constraint second[k in 1..N] when cut == 0 : dot(b[k] - a[k], b[k] - a[k]) = 0.64;
  constraint third[k in 1..N] : dot(c[k] - b[k], c[k] - b[k]) = 0.25;
  initial a[k in 1..N] = [0.6, 0, -0.8];
  initial b[k in 1..N] = [0.6, 0.8, -0.8];
  initial c[k in 1..N] = [0.6, 0.8, -1.3];
  initial w[k in 1..N] = [0.3, 0.7, 0];
  observe pull[k in 1..N] = multiplier(second[k]);
  simulate { method = RKMK4; time = 0..0.4; step = 5e-3; output every 0.4; }
})";

/// Sleighs whose blades do not slide, each tied to a point on a rod: equations on velocities and on positions.
const char* const sleighs = R"(model Sleighs {
  param N : int = 1;
  config x[N] : R^2 velocity v;
  config phi[N] : R velocity w;
  config y[N] : R^2 velocity z;
  lagrangian = sum(k in 1..N: 0.5*dot(v[k], v[k]) + 0.15*w[k]^2 + 0.1*dot(z[k], z[k]));
  let tail[k in 1..N] = x[k] - 0.4*[cos(phi[k]), sin(phi[k])];
  constraint blade[k in 1..N] : dot(tail[k]', [-sin(phi[k]), cos(phi[k])]) = 0;
  constraint rod[k in 1..N] : dot(y[k] - x[k], y[k] - x[k]) = 0.49;
  initial v[k in 1..N] = [1, 0.2];
  initial w[k in 1..N] = 0.5;
  initial y[k in 1..N] = [0, 0.7];
  initial z[k in 1..N] = [2, 0.2];
  simulate { method = RKMK4; time = 0..0.6; step = 5e-3; output every 0.6; }
})";

/// Bodies of space on ball joints, chained in pairs: displacements that are turns, and a mass matrix that is none.
const char* const bodies = R"(model Bodies {
  param N : int = 1;
  config A[N] : SE(3) velocity a;
  config B[N] : SE(3) velocity b;
  lagrangian = sum(k in 1..N: 0.5*dot(a[k].w, diag(0.2, 0.3, 0.1)*a[k].w) + dot(a[k].v, a[k].v)
                            + 0.5*dot(b[k].w, diag(0.1, 0.15, 0.2)*b[k].w) + 0.7*dot(b[k].v, b[k].v)
                            - 9.81*(2*A[k].x[3] + 1.4*B[k].x[3]));
  let o = zeros(3);
  joint hip[k in 1..N] = spherical(world, o, A[k], [0, 0, 0.5]);
  joint knee[k in 1..N] = revolute(A[k], [0, 0, -0.5], e2, B[k], [0.1, 0, 0.4], e2);
  initial A[k in 1..N] = (R = eye(3), x = [0, 0, -0.5]);
  initial B[k in 1..N] = (R = eye(3), x = [-0.1, 0, -1.4]);
  initial a[k in 1..N] = (w = [0.4, 1, 0.2], v = o);
  initial adjust a, b;
  simulate { method = RKMK4; time = 0..0.3; step = 5e-3; output every 0.3; }
})";

struct Mechanism {
  const char* name;
  const char* text;
  const char* copies; ///< so many that their equations are more than 30
  std::vector<std::string> columns;
  std::vector<const char*> methods;
};

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> list = {
      {"pendulums",
       pendulums,
       "13",
       {"a[?][2]", "b[?][1]", "c[?][3]", "w[?][2]", "pull[?]"},
       {"VITrapezoid", "VIMidpoint", "VILobatto4", "VI4", "GenAlpha", "GenAlpha(stabilized = 0)", "HHT", "HEM4",
        "NonholonomicRATTLE", "DLA", "SymmetricGL2"}},
      {"sleighs",
       sleighs,
       "17",
       {"x[?][1]", "phi[?]", "y[?][2]", "w[?]", "z[?][1]"},
       {"GenAlpha", "GenAlpha(stabilized = 0)", "HHT", "HEM4", "NonholonomicRATTLE", "DLA", "SymmetricGL2"}},
      {"bodies",
       bodies,
       "5",
       {"A.x[?][1]", "B.x[?][2]", "B.R[?][1][3]", "b.w[?][2]", "a.v[?][1]"},
       {"VITrapezoid", "VILobatto4", "GenAlpha", "GenAlpha(stabilized = 0)", "HHT", "HEM4", "NonholonomicRATTLE", "DLA",
        "SymmetricGL2"}},
  };
  return list;
}

std::string member(std::string column, const std::string& k) {
  return column.replace(column.find('?'), 1, k);
}

} // namespace

TEST(SparseMethods, CopiesMoveAsOneMechanismAlone) {
  const Workspace w;
  for (const Mechanism& m : mechanisms()) {
    const std::string file = w.write(std::string(m.name) + ".lie", m.text).string();
    for (const char* method : m.methods) {
      const Trajectory one = runModel(w, file, {"--method", method});
      const Trajectory many = runModel(w, file, {"--method", method, "--set", std::string("N=") + m.copies});
      ASSERT_FALSE(one.rows.empty() || many.rows.empty()) << m.name << " " << method;
      for (const std::string& column : m.columns) {
        const double wanted = one.last(member(column, "1"));
        for (const std::string k : {"1", "3", m.copies}) {
          const double tolerance = column.starts_with("pull") ? 1e-8 : 1e-10;
          EXPECT_NEAR(many.last(member(column, k)), wanted, tolerance * std::max(1.0, std::abs(wanted)))
              << m.name << " " << method << " " << member(column, k);
        }
      }
    }
  }
}

TEST(SparseMethods, KeepTheirOrders) {
  const Workspace w;
  const std::string file = w.write("pendulums.lie", pendulums).string();
  const Arguments copies = {"--set", "N=11", "--time", "0..0.4"};
  const auto run = [&](const std::string& method, const char* step) {
    Arguments all = copies;
    all.insert(all.end(), {"--method", method, "--step", step});
    const Trajectory t = runModel(w, file, all);
    return std::array{t.last("c[7][1]"), t.last("c[7][3]"), t.last("w[7][2]")};
  };
  const auto reference = run("RKMK6", "1e-3");
  struct Claim {
    const char* method;
    int order;
    const char* coarse = "1e-2";
    const char* fine = "5e-3";
  };
  // HEM4 shows its order at smaller steps than the others.
  const std::vector<Claim> claims = {{"GenAlpha", 2},     {"GenAlpha(stabilized = 0)", 2}, {"HHT", 2},
                                     {"DLA", 2},          {"NonholonomicRATTLE", 2},       {"VILobatto4", 4},
                                     {"SymmetricGL2", 2}, {"HEM4", 4, "5e-3", "2.5e-3"}};
  for (const Claim& claim : claims) {
    const auto error = [&](const char* step) {
      const auto x = run(claim.method, step);
      double most = 0;
      for (std::size_t k = 0; k < x.size(); ++k) most = std::max(most, std::abs(x[k] - reference[k]));
      return most;
    };
    const double coarse = error(claim.coarse), fine = error(claim.fine);
    EXPECT_NEAR(std::log2(coarse / fine), claim.order, 0.25) << claim.method << " " << coarse << " " << fine;
  }
}

/// Members that do not hold have the multiplier zero, in every method.
TEST(SparseMethods, TurnEquationsOff) {
  const Workspace w;
  const std::string file = w.write("pendulums.lie", pendulums).string();
  for (const char* method : {"VITrapezoid", "VILobatto4", "GenAlpha", "HHT", "HEM4", "DLA", "SymmetricGL2"}) {
    const Trajectory one = runModel(w, file, {"--method", method, "--set", "cut=1"});
    const Trajectory many = runModel(w, file, {"--method", method, "--set", "cut=1", "--set", "N=13"});
    ASSERT_FALSE(one.rows.empty() || many.rows.empty()) << method;
    for (const char* column : {"a[?][2]", "b[?][3]", "c[?][1]"})
      EXPECT_NEAR(many.last(member(column, "9")), one.last(member(column, "1")), 1e-10) << method << " " << column;
    EXPECT_EQ(many.last("pull[9]"), 0) << method;
  }
}

/// Four-bar linkages where all bars are in one line: at t = 0.7144 of two, and of forty at 0.7216. References: the
/// equivalent pendulum. Errors are those of the methods; a method that cannot cross says when it stopped.
TEST(SingularConfigurations, AreCrossed) {
  const Workspace w;
  struct Case {
    const char *method, *n, *time;
    double x, y, tolerance;
  };
  constexpr double x2 = 0.057815795768011, y2 = 0.998327267863455, x40 = -0.115356880632110, y40 = -0.993324111300450;
  for (const Case& c : {Case{"VITrapezoid", "2", "0..2", x2, y2, 1e-5},
                        {"VIMidpoint", "2", "0..2", x2, y2, 1e-5},
                        {"VI4", "2", "0..2", x2, y2, 1e-9},
                        {"GenAlpha", "2", "0..2", x2, y2, 3e-5},
                        {"HHT", "2", "0..2", x2, y2, 3e-5},
                        {"SymmetricGL2", "2", "0..2", x2, y2, 1e-5},
                        {"VITrapezoid", "40", "0..1", x40, y40, 3e-5},
                        {"GenAlpha", "40", "0..1", x40, y40, 5e-5},
                        {"HEM4", "40", "0..1", x40, y40, 1e-9},
                        {"DLA", "40", "0..1", x40, y40, 3e-5}}) {
    const Trajectory run =
        runModel(w, example("four_bars"), {"--method", c.method, "--set", std::string("N=") + c.n, "--time", c.time});
    ASSERT_FALSE(run.rows.empty()) << c.method << " " << c.n;
    EXPECT_NEAR(run.last("p[1][1]"), c.x, c.tolerance) << c.method << " " << c.n;
    EXPECT_NEAR(run.last("p[1][2]"), c.y, c.tolerance) << c.method << " " << c.n;
  }
}

/// The end of the first crank of N linkages, whose bars stay parallel: a pendulum, in long double.
std::array<double, 2> parallelBars(int n, long double time) {
  const auto bars = static_cast<long double>(n);
  const long double pull = 9.81L * ((bars + 1) / 2 + bars) / ((bars + 1) / 3 + bars);
  long double angle = std::acos(-1.0L) / 2, rate = -1; // upright, to the right
  constexpr int steps = 20000;
  const long double h = time / steps;
  const auto f = [&](long double a) { return -pull * std::cos(a); };
  for (int k = 0; k < steps; ++k) {
    const long double a2 = angle + h / 2 * rate, r2 = rate + h / 2 * f(angle);
    const long double a3 = angle + h / 2 * r2, r3 = rate + h / 2 * f(a2);
    const long double a4 = angle + h * r3, r4 = rate + h * f(a3);
    const long double next = rate + h / 6 * (f(angle) + 2 * f(a2) + 2 * f(a3) + f(a4));
    angle += h / 6 * (rate + 2 * r2 + 2 * r3 + r4);
    rate = next;
  }
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

/// Near a singular configuration multipliers are known to rounding over the square of a small slope; the other unknowns
/// are known, and so is the motion. A fixed number of linkages tells little: how near steps come differs.
TEST(SingularConfigurations, AreCrossedWhereMultipliersAreRounding) {
  const Workspace w;
  struct Case {
    const char* method;
    std::vector<int> numbers;
    double tolerance;
  };
  for (const Case& c : {Case{"VILobatto4", {2, 3, 4, 11, 40}, 1e-9},
                        {"HEM4", {2, 3, 40}, 1e-9},
                        {"DLA", {2, 3, 40}, 1e-5},
                        {"GenAlpha", {2, 3, 40}, 3e-5}})
    for (const int n : c.numbers) {
      const Trajectory run = runModel(w, example("four_bars"),
                                      {"--method", c.method, "--set", "N=" + std::to_string(n), "--time", "0..2"});
      ASSERT_FALSE(run.rows.empty()) << c.method << " " << n;
      const auto [x, y] = parallelBars(n, 2);
      EXPECT_NEAR(run.last("p[1][1]"), x, c.tolerance) << c.method << " " << n;
      EXPECT_NEAR(run.last("p[1][2]"), y, c.tolerance) << c.method << " " << n;
    }
}

/// Derivatives of variational steps, for numbers of bodies at which products with the Jacobian stopped short of one.
TEST(SparseMethods, HaveDerivativesOfTheirSteps) {
  const Workspace w;
  for (const char* n : {"15", "16", "20", "24"}) {
    const Outcome o = w.lmc({"linearize", example("four_bars"), "--discrete", "--method", "VITrapezoid", "--set",
                             std::string("N=") + n, "--json"});
    ASSERT_EQ(o.status, 0) << n << o.err;
  }
}
