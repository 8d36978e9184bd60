// Chains, rings, trees and meshes of bodies with constraints, whose equations are solved by blocks: against dense
// saddle points in long double, written here for points and rods.
#include "acceptance/Trajectory.h"

#include <array>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Real = long double;
using Point = std::array<Real, 3>;

Real dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Points with masses, rods between them or to anchors, gravity and springs to the origin.
struct Network {
  struct Rod {
    int from, to; ///< below zero: the anchor
    Point anchor;
  };
  std::vector<Real> mass;
  std::vector<Rod> rods;
  std::vector<Point> x, v;
  Real g = 9.81L, spring = 0;

  [[nodiscard]] Point difference(const Rod& r, const std::vector<Point>& of, bool points) const {
    Point d = of[static_cast<std::size_t>(r.to)];
    for (int c = 0; c < 3; ++c)
      d[c] -= r.from < 0 ? (points ? r.anchor[c] : 0) : of[static_cast<std::size_t>(r.from)][c];
    return d;
  }

  /// Accelerations, and lambda of |d|^2 = constant with the force 2 d lambda on `to`.
  std::vector<Point> accelerations(const std::vector<Point>& q, const std::vector<Point>& w,
                                   std::vector<Real>* multipliers = nullptr) const {
    const std::size_t n = q.size(), m = rods.size();
    std::vector<Point> a(n);
    for (std::size_t k = 0; k < n; ++k) {
      for (int c = 0; c < 3; ++c) a[k][c] = -spring * q[k][c] / mass[k];
      a[k][2] -= g;
    }
    std::vector<std::vector<Real>> s(m, std::vector<Real>(m, 0));
    std::vector<Real> b(m);
    std::vector<Point> d(m);
    for (std::size_t i = 0; i < m; ++i) d[i] = difference(rods[i], q, true);
    const auto weight = [&](std::size_t i, int body) {
      return rods[i].to == body ? Real{2} : rods[i].from == body ? Real{-2} : Real{0};
    };
    for (std::size_t i = 0; i < m; ++i) {
      const Point rate = difference(rods[i], w, false), free = difference(rods[i], a, false);
      b[i] = -2 * dot(rate, rate) - 2 * dot(d[i], free);
      for (std::size_t k = 0; k < m; ++k)
        for (const int body : {rods[i].from, rods[i].to})
          if (body >= 0)
            s[i][k] += weight(i, body) * weight(k, body) * dot(d[i], d[k]) / mass[static_cast<std::size_t>(body)];
    }
    for (std::size_t k = 0; k < m; ++k) { // positive definite
      for (std::size_t i = k + 1; i < m; ++i) {
        const Real f = s[i][k] / s[k][k];
        if (f == 0) continue;
        for (std::size_t j = k; j < m; ++j) s[i][j] -= f * s[k][j];
        b[i] -= f * b[k];
      }
    }
    for (std::size_t k = m; k > 0; --k) {
      for (std::size_t j = k; j < m; ++j) b[k - 1] -= s[k - 1][j] * b[j];
      b[k - 1] /= s[k - 1][k - 1];
    }
    for (std::size_t i = 0; i < m; ++i)
      for (const int body : {rods[i].from, rods[i].to})
        if (body >= 0)
          for (int c = 0; c < 3; ++c)
            a[static_cast<std::size_t>(body)][c] +=
                weight(i, body) * d[i][c] * b[i] / mass[static_cast<std::size_t>(body)];
    if (multipliers != nullptr) *multipliers = b;
    return a;
  }

  /// The classical method of Runge and Kutta.
  void run(Real time, int steps) {
    const Real h = time / steps;
    const auto sum = [](const std::vector<Point>& a, Real f, const std::vector<Point>& b) {
      std::vector<Point> r = a;
      for (std::size_t k = 0; k < r.size(); ++k)
        for (int c = 0; c < 3; ++c) r[k][c] += f * b[k][c];
      return r;
    };
    for (int k = 0; k < steps; ++k) {
      const auto a1 = accelerations(x, v);
      const auto x2 = sum(x, h / 2, v), v2 = sum(v, h / 2, a1), a2 = accelerations(x2, v2);
      const auto x3 = sum(x, h / 2, v2), v3 = sum(v, h / 2, a2), a3 = accelerations(x3, v3);
      const auto x4 = sum(x, h, v3), v4 = sum(v, h, a3), a4 = accelerations(x4, v4);
      for (std::size_t i = 0; i < x.size(); ++i)
        for (int c = 0; c < 3; ++c) {
          x[i][c] += h / 6 * (v[i][c] + 2 * v2[i][c] + 2 * v3[i][c] + v4[i][c]);
          v[i][c] += h / 6 * (a1[i][c] + 2 * a2[i][c] + 2 * a3[i][c] + a4[i][c]);
        }
    }
  }
};

double worst(const Trajectory& run, const Network& n) {
  double most = 0;
  for (std::size_t k = 0; k < n.x.size(); ++k)
    for (int c = 0; c < 3; ++c) {
      const std::string at = "[" + std::to_string(k + 1) + "][" + std::to_string(c + 1) + "]";
      most = std::max(most, std::abs(run.last("x" + at) - static_cast<double>(n.x[k][c])));
      most = std::max(most, std::abs(run.last("v" + at) - static_cast<double>(n.v[k][c])));
    }
  return most;
}

const char* const chainText =
    "model Chain {\n  param N : int = 41;\n  param g = 9.81;\n  config x[N] : R^3 velocity v;\n"
    "  lagrangian = sum(j in 1..N: 0.5*dot(v[j], v[j]) - g*x[j][3]);\n"
    "  constraint first : dot(x[1], x[1]) = 1;\n"
    "  constraint rod[j in 2..N] : dot(x[j] - x[j-1], x[j] - x[j-1]) = 1;\n"
    "  let b = [0.6*(N + 1), 0, 0];\n  constraint last : dot(x[N] - b, x[N] - b) = 1;\n"
    "  initial x[j in 1..N] = [0.6*j, 0, -0.8*min(j, N + 1 - j)];\n"
    "  initial v[j in 1..N] = sin(3*j*pi/(N + 1))*e2;\n"
    "  observe f1 = -2*multiplier(first);  observe f20 = -2*multiplier(rod[20]);\n"
    "  observe pull = reaction(last, x[N]);\n"
    "  simulate { method = RKMK6; time = 0..0.5; step = 1e-3; }\n}\n";

Network chain(int n) {
  Network c;
  const Real pi = std::acos(Real{-1});
  for (int j = 1; j <= n; ++j) {
    c.mass.push_back(1);
    c.x.push_back({0.6L * j, 0, -0.8L * std::min(j, n + 1 - j)});
    c.v.push_back({0, std::sin(3 * j * pi / (n + 1)), 0});
    c.rods.push_back({j - 2, j - 1, {0, 0, 0}});
  }
  c.rods.push_back({-1, n - 1, {0.6L * (n + 1), 0, 0}});
  return c;
}

TEST(SparseConstraints, AChainMovesAsItsDenseEquationsSay) {
  const Workspace w;
  const auto file = w.write("chain.lie", chainText);
  const Trajectory run = runModel(w, file.string(), {});
  ASSERT_FALSE(run.rows.empty());
  Network c = chain(41);
  c.run(0.5L, 2000);
  EXPECT_LT(worst(run, c), 1e-9);
  std::vector<Real> lambda;
  (void)c.accelerations(c.x, c.v, &lambda);
  EXPECT_NEAR(run.last("f1"), static_cast<double>(-2 * lambda[0]), 1e-7);
  EXPECT_NEAR(run.last("f20"), static_cast<double>(-2 * lambda[19]), 1e-7);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(run.last("pull[" + std::to_string(k + 1) + "]"),
                static_cast<double>(2 * lambda[41] * (c.x[40][k] - (k == 0 ? 0.6L * 42 : 0))), 1e-7);
}

TEST(SparseConstraints, ARingMovesAsItsDenseEquationsSay) {
  const Workspace w;
  const auto file =
      w.write("ring.lie",
              "model Ring {\n  param N : int = 36;\n  config x[N] : R^3 velocity v;\n"
              "  lagrangian = sum(k in 1..N: (1 + 0.5*mod(k, 3))*dot(v[k], v[k])/2 - 9.81*(1 + 0.5*mod(k, 3))*x[k][3]\n"
              "                             - 25*dot(x[k], x[k]));\n"
              "  constraint rod[k in 1..N] : dot(x[mod(k, N) + 1] - x[k], x[mod(k, N) + 1] - x[k]) = 4*sin(pi/N)^2;\n"
              "  initial x[k in 1..N] = [cos(2*pi*k/N), sin(2*pi*k/N), 0];\n"
              "  initial v[k in 1..N] = [-sin(2*pi*k/N), cos(2*pi*k/N), 0.3];\n"
              "  simulate { method = RKMK6; time = 0..0.2; step = 5e-4; }\n}\n");
  const Trajectory run = runModel(w, file.string(), {});
  ASSERT_FALSE(run.rows.empty());
  Network c;
  const int n = 36;
  c.spring = 50;
  const Real pi = std::acos(Real{-1});
  for (int k = 1; k <= n; ++k) {
    const Real angle = 2 * pi * k / n;
    c.mass.push_back(1 + 0.5L * (k % 3));
    c.x.push_back({std::cos(angle), std::sin(angle), 0});
    c.v.push_back({-std::sin(angle), std::cos(angle), 0.3L});
    c.rods.push_back({k - 1, k % n, {}});
  }
  c.run(0.2L, 3000);
  EXPECT_LT(worst(run, c), 1e-8);
}

TEST(SparseConstraints, ATreeMovesAsItsDenseEquationsSay) {
  const Workspace w;
  // Each point hangs at the one with half of its number, at the distance of the start; masses over four decades.
  const auto file = w.write("tree.lie", "model Tree {\n  param N : int = 31;\n  config x[N] : R^3 velocity v;\n"
                                        "  fn p(k) = [sin(k), cos(2*k), -0.3*k];\n  fn m(k) = 10^(mod(7*k, 5) - 2);\n"
                                        "  lagrangian = sum(k in 1..N: m(k)*(dot(v[k], v[k])/2 - 9.81*x[k][3]));\n"
                                        "  constraint top : dot(x[1], x[1]) = dot(p(1), p(1));\n"
                                        "  constraint rod[k in 2..N] : dot(x[k] - x[div(k, 2)], x[k] - x[div(k, 2)])\n"
                                        "      = dot(p(k) - p(div(k, 2)), p(k) - p(div(k, 2)));\n"
                                        "  initial x[k in 1..N] = p(k);\n"
                                        "  simulate { method = RKMK6; time = 0..0.1; step = 2.5e-4; }\n}\n");
  const Trajectory run = runModel(w, file.string(), {});
  ASSERT_FALSE(run.rows.empty());
  Network c;
  for (int k = 1; k <= 31; ++k) {
    c.mass.push_back(std::pow(Real{10}, 7 * k % 5 - 2));
    c.x.push_back({std::sin(Real(k)), std::cos(Real(2 * k)), -0.3L * k});
    c.v.push_back({0, 0, 0});
    c.rods.push_back({k / 2 - 1, k - 1, {0, 0, 0}});
  }
  c.run(0.1L, 4000);
  EXPECT_LT(worst(run, c), 1e-8);
}

TEST(SparseConstraints, CodeDoesNotGrowWithTheNumberOfBodies) {
  const Workspace w;
  const auto file = w.write("chain.lie", chainText);
  std::vector<std::size_t> lines; // twice of chains whose loops threads do not share, once of one whose loops they do
  for (const std::string n : {"99", "499", "2999"}) {
    const Outcome o = w.lmc({"dump", file.string(), "--stage", "tape", "--set", "N=" + n});
    ASSERT_EQ(o.status, 0) << o.err;
    lines.push_back(static_cast<std::size_t>(std::count(o.out.begin(), o.out.end(), '\n')));
  }
  EXPECT_EQ(lines[0], lines[1]);
  EXPECT_LT(static_cast<double>(lines[2]), 1.2 * static_cast<double>(lines[1]));
}

TEST(SparseConstraints, ThousandsOfBodiesHoldTogether) {
  const Workspace w;
  const auto file = w.write("chain.lie", chainText);
  const Outcome o =
      w.lmc({"run", file.string(), "--set", "N=3999", "--method", "RKMK4", "--time", "0..0.01", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const nlohmann::json summary = parseJson(o.out);
  for (const auto& [name, value] : summary.at("defects").items()) EXPECT_LT(value.get<double>(), 1e-9) << name;
}

TEST(SparseConstraints, VariationalStepsConvergeForAnyNumberOfBodies) {
  const Workspace w;
  const auto file = w.write("chain.lie", chainText);
  double before = 0;
  for (const std::string n : {"41", "99", "999"}) {
    const Outcome o = w.lmc({"run", file.string(), "--set", "N=" + n, "--method", "VITrapezoid", "--step", "5e-3",
                             "--time", n == "999" ? "0..0.05" : "0..0.5", "--json"});
    ASSERT_EQ(o.status, 0) << n << o.err;
    for (const auto& [name, value] : parseJson(o.out).at("defects").items())
      EXPECT_LT(value.get<double>(), 1e-10) << name;
  }
  // The order is that of the method.
  Network c = chain(41);
  c.run(0.25L, 1000);
  for (const std::string step : {"5e-3", "2.5e-3"}) {
    const Trajectory run = runModel(w, file.string(), {"--method", "VITrapezoid", "--step", step, "--time", "0..0.25"});
    ASSERT_FALSE(run.rows.empty());
    const double error = worst(run, c);
    if (before > 0) EXPECT_NEAR(std::log2(before / error), 2, 0.25) << before << " " << error;
    before = error;
  }
}

TEST(SparseConstraints, TheSolverIsNamed) {
  const Workspace w;
  const auto file = w.write("chain.lie", chainText);
  const Outcome o = w.lmc({"derive", file.string()});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("sparse system"), std::string::npos) << o.out;
}

TEST(SparseConstraints, OnSpheresMoveAsInTheSpaceAround) {
  const Workspace w;
  const auto run = [&](const std::string& manifold, const std::string& more) {
    const auto file =
        w.write("spheres.lie", "model Spheres {\n  param N : int = 30;\n  config q[N] : " + manifold +
                                   " velocity w;\n"
                                   "  lagrangian = sum(k in 1..N: dot(w[k], w[k])/2 - 9.81*q[k][3]);\n"
                                   "  fn p(k) = normalize([cos(0.2*k), sin(0.2*k), 0.3*cos(k)]);\n" +
                                   more +
                                   "  constraint near[k in 2..N] : dot(q[k], q[k-1]) = dot(p(k), p(k-1));\n"
                                   "  initial q[k in 1..N] = p(k);\n  initial w[k in 1..N] = [0, 0, 0];\n"
                                   "  simulate { method = RKMK6; time = 0..0.3; step = 1e-3; }\n}\n");
    return runModel(w, file.string(), {});
  };
  const Trajectory on = run("S^2", "");
  const Trajectory around = run("R^3", "  constraint unit[k in 1..N] : dot(q[k], q[k]) = 1;\n");
  ASSERT_FALSE(on.rows.empty());
  ASSERT_FALSE(around.rows.empty());
  for (const char* x : {"q[1][1]", "q[7][3]", "q[30][2]", "q[16][1]"})
    EXPECT_NEAR(on.last(x), around.last(x), 1e-11) << x;
}

TEST(SparseConstraints, OnVelocitiesAndByConditionsAndOfTimeHoldTogether) {
  const Workspace w;
  // Twenty of thirty sleighs have blades; two others move along a track that the time moves.
  const auto file = w.write(
      "sleighs.lie",
      "model Sleighs {\n  param N : int = 30;\n  param held = 20;\n  param a = 0.4;\n"
      "  config x[N] : R^2 velocity v;\n  config theta[N] : R^1 velocity w;\n"
      "  lagrangian = sum(k in 1..N: dot(v[k], v[k])/2 + 0.25*w[k]^2);\n"
      "  constraint blade[k in 1..N] when k <= held : dot(v[k], [-sin(theta[k]), cos(theta[k])]) - a*w[k] = 0;\n"
      "  constraint track : x[N][1] + x[N-1][2] = 0.1*sin(t);\n  initial adjust x, v;\n"
      "  initial x[k in 1..N] = [0, 0];\n  initial theta[k in 1..N] = 0;\n"
      "  initial v[k in 1..N] = [0.2, 0.6];\n  initial w[k in 1..N] = 1.5;\n"
      "  observe blade1 = multiplier(blade[1]);\n"
      "  simulate { method = RKMK6; time = 0..1; step = 1e-3; }\n}\n");
  const Trajectory run = runModel(w, file.string(), {});
  ASSERT_FALSE(run.rows.empty());
  for (const char* k : {"[1]", "[20]"}) { // Chaplygin's closed form at t = 1
    EXPECT_NEAR(run.last(std::string("theta") + k), 1.3080231195137567, 1e-11);
    EXPECT_NEAR(run.last(std::string("w") + k), 1.0517142180687262, 1e-11);
  }
  EXPECT_NEAR(std::abs(run.last("blade1")), 0.7103947976248047, 1e-10);
  EXPECT_NEAR(run.last("theta[25]"), 1.5, 1e-12); // nothing holds it
  EXPECT_NEAR(run.last("v[25][2]"), 0.6, 1e-12);
  EXPECT_NEAR(run.last("x[30][1]") + run.last("x[29][2]"), 0.1 * std::sin(1.0), 1e-14);
}

TEST(SparseConstraints, RedundantEquationsAreNamedAndTheMotionGoesOn) {
  const Workspace w;
  std::string text = chainText;
  text.insert(text.find("  let b ="), "  constraint again : 3*dot(x[5] - x[4], x[5] - x[4]) = 3;\n");
  const auto file = w.write("again.lie", text);
  const auto plain = w.write("chain.lie", chainText);
  const Outcome o = w.lmc({"check", file.string()});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE((o.out + o.err).find("LIE0423"), std::string::npos) << o.out << o.err;
  const Trajectory one = runModel(w, file.string(), {"--time", "0..0.2"});
  const Trajectory other = runModel(w, plain.string(), {"--time", "0..0.2"});
  ASSERT_FALSE(one.rows.empty());
  for (const char* x : {"x[1][3]", "x[5][2]", "v[21][3]", "v[40][1]"}) EXPECT_NEAR(one.last(x), other.last(x), 1e-10);
  text.replace(text.find(" = 3;\n  let"), 5, " = 4;");
  const Outcome wrong = w.lmc({"check", w.write("wrong.lie", text).string()});
  EXPECT_NE(wrong.status, 0);
  EXPECT_NE((wrong.out + wrong.err).find("again"), std::string::npos) << wrong.out << wrong.err;
}

TEST(SparseConstraints, ThatAskForDifferentAccelerationsContradict) {
  const Workspace w;
  std::string text = chainText;
  text.insert(text.find("  let b ="), "  constraint again : dot(x[1], x[1]) = 1 + t^2;\n");
  const Outcome o = w.lmc({"check", w.write("contradiction.lie", text).string()});
  EXPECT_NE(o.status, 0);
  EXPECT_NE((o.out + o.err).find("LIE0424"), std::string::npos) << o.out << o.err;
}

TEST(SparseConstraints, ManyLinkagesCrossTheirSingularConfigurations) {
  const Workspace w;
  const auto text = [](const std::string& p, const std::string& q, const std::string& rate) {
    return "model Bars {\n  param N : int = 30;\n  config p[N] : R^2 velocity v;\n  config q[N] : R^2 velocity w;\n"
           "  lagrangian = sum(k in 1..N: (dot(v[k], v[k]) + dot(w[k], w[k]))/2 - 9.81*(p[k][2] + q[k][2]));\n"
           "  constraint a[k in 1..N] : dot(p[k], p[k]) = 1;\n"
           "  constraint b[k in 1..N] : dot(q[k] - [1, 0], q[k] - [1, 0]) = 1;\n"
           "  constraint c[k in 1..N] : dot(q[k] - p[k], q[k] - p[k]) = 1;\n"
           "  initial p[k in 1..N] = " +
           p + ";\n  initial q[k in 1..N] = " + q +
           ";\n"
           "  initial v[k in 1..N] = " +
           rate + ";\n  initial w[k in 1..N] = " + rate +
           ";\n"
           "  simulate { method = RKMK6; time = 0..2; step = 1e-3; }\n}\n";
  };
  // Each is a pendulum: s'' = g sin s, p = (sin s, cos s).
  const Trajectory run = runModel(w, w.write("bars.lie", text("[0, 1]", "[1, 1]", "[1, 0]")).string(), {});
  ASSERT_FALSE(run.rows.empty());
  Real s = 0, rate = 1;
  const int steps = 20000;
  const Real h = 2.0L / steps;
  const auto f = [](Real angle) { return 9.81L * std::sin(angle); };
  for (int k = 0; k < steps; ++k) {
    const Real a1 = f(s), r2 = rate + h / 2 * a1, a2 = f(s + h / 2 * rate), r3 = rate + h / 2 * a2;
    const Real a3 = f(s + h / 2 * r2), r4 = rate + h * a3, a4 = f(s + h * r3);
    s += h / 6 * (rate + 2 * r2 + 2 * r3 + r4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  for (const char* k : {"[1]", "[30]"}) {
    EXPECT_NEAR(run.last("p" + std::string(k) + "[1]"), static_cast<double>(std::sin(s)), 1e-9);
    EXPECT_NEAR(run.last("p" + std::string(k) + "[2]"), static_cast<double>(std::cos(s)), 1e-9);
  }
  // At rest in one line, one equation of each follows from the two others.
  const Outcome o = w.lmc({"check", w.write("line.lie", text("[1, 0]", "[2, 0]", "[0, 0]")).string()});
  const std::string said = o.out + o.err;
  EXPECT_NE(said.find("30 of the 90 equations"), std::string::npos) << said;
  const bool both = said.find("`a[1]` follows from `b[1]`, `c[1]`") != std::string::npos ||
                    said.find("`b[1]` follows from `a[1]`, `c[1]`") != std::string::npos ||
                    said.find("`c[1]` follows from `a[1]`, `b[1]`") != std::string::npos;
  EXPECT_TRUE(both) << said;
}

TEST(SparseConstraints, RigidLinksInARingKeepTheirMomenta) {
  const Workspace w;
  for (const std::string method : {"VITrapezoid", "RKMK4"}) {
    const Trajectory run = runModel(w, example("closed_chain"), {"--method", method, "--time", "0..0.2"});
    ASSERT_FALSE(run.rows.empty());
    for (const char* k : {"[1]", "[2]", "[3]"}) {
      EXPECT_NEAR(run.last(std::string("spin") + k), run.at(0, std::string("spin") + k), 1e-11) << method;
      EXPECT_NEAR(run.last(std::string("centre") + k), 0, 1e-12) << method;
    }
    EXPECT_NEAR(run.last("energy"), run.at(0, "energy"), method == "RKMK4" ? 1e-9 : 1e-5) << method;
  }
}

TEST(SparseConstraints, LargeCoupledMassesAreSolvedAsAWhole) { // and cross configurations where all rods are in line
  const Workspace w;
  const Trajectory run =
      runModel(w, example("four_bars"), {"--method", "RKMK6", "--set", "N=40", "--time", "0..1", "--step", "1e-3"});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.last("p[1][1]"), -0.115356880632110, 1e-8);
  EXPECT_NEAR(run.last("p[1][2]"), -0.993324111300450, 1e-8);
  EXPECT_NEAR(run.last("v[1][1]"), -6.66998752394177, 1e-7);
  EXPECT_NEAR(run.last("v[1][2]"), 0.77460009866234, 1e-7);
}

} // namespace
