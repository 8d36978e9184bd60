// RATTLE on Lagrangian models of every kind: against its closed form and an independent iteration, and what it keeps.
#include "acceptance/Trajectory.h"

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Vec = Eigen::Vector3d;

double change(const Trajectory& run, const std::string& column) {
  double worst = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    worst = std::max(worst, std::abs(run.at(i, column) - run.at(0, column)));
  return worst;
}

Vec vec(const Trajectory& run, std::size_t row, const std::string& name) {
  return {run.at(row, name + "[1]"), run.at(row, name + "[2]"), run.at(row, name + "[3]")};
}

/// The closed form on the sphere for L = M/2 |v|^2 - V with a constant gradient of V (Ortolan 2011, section 7.1).
void closedForm(Vec& q, Vec& v, double h, double mass, const Vec& gradient) {
  const auto projected = [](const Vec& at, const Vec& x) { return Vec(x - at * at.dot(x)); };
  const Vec u = h * v - h * h / (2 * mass) * projected(q, gradient);
  const Vec next = u + std::sqrt(1 - u.squaredNorm()) * q;
  v = projected(next, (next - q) / h - h / (2 * mass) * gradient);
  q = next;
}

/// A step for L = 1/2 sum M_ij v_i.v_j - sum g_i.q_i by Newton's method on the multipliers alone.
template <int N>
void coupled(Eigen::Matrix<double, 3, N>& q, Eigen::Matrix<double, 3, N>& v, double h,
             const Eigen::Matrix<double, N, N>& mass, const Eigen::Matrix<double, 3, N>& gradient) {
  using Columns = Eigen::Matrix<double, 3, N>;
  using Multipliers = Eigen::Matrix<double, N, 1>;
  const Eigen::Matrix<double, N, N> inverse = mass.inverse();
  const auto half = [&](const Columns& from, const Columns& at, const Multipliers& lam) {
    return Columns(from - h / 2 * (gradient + at * lam.asDiagonal()) * inverse);
  };
  Multipliers lam = Multipliers::Zero();
  Columns middle, next;
  for (int turn = 0; turn < 50; ++turn) {
    middle = half(v, q, lam);
    next = q + h * middle;
    Multipliers defect;
    Eigen::Matrix<double, N, N> slope;
    for (int i = 0; i < N; ++i) {
      defect[i] = next.col(i).squaredNorm() - 1;
      for (int j = 0; j < N; ++j) slope(i, j) = -h * h * inverse(i, j) * next.col(i).dot(q.col(j));
    }
    const Multipliers step = slope.partialPivLu().solve(defect);
    lam -= step;
    if (step.cwiseAbs().maxCoeff() < 1e-14 * lam.cwiseAbs().maxCoeff()) break;
  }
  middle = half(v, q, lam);
  next = q + h * middle;
  const Columns free = half(middle, next, Multipliers::Zero());
  Multipliers defect;
  Eigen::Matrix<double, N, N> slope;
  for (int i = 0; i < N; ++i) {
    defect[i] = next.col(i).dot(free.col(i));
    for (int j = 0; j < N; ++j) slope(i, j) = h / 2 * inverse(i, j) * next.col(i).dot(next.col(j));
  }
  v = half(middle, next, slope.partialPivLu().solve(defect));
  q = next;
}

nlohmann::json summary(const Workspace& w, Arguments arguments) {
  arguments.insert(arguments.begin(), "run");
  arguments.emplace_back("--json");
  const Outcome o = w.lmc(arguments);
  EXPECT_EQ(o.status, 0) << o.err;
  return parseJson(o.out);
}

} // namespace

TEST(Rattle, IsTheClosedFormOnTheSphere) {
  const Workspace w;
  const Trajectory run = runModel(w, example("spherical_pendulum"),
                                  {"--method", "RATTLE", "--time", "0..5", "--step", "0.01", "--every", "0.01"});
  ASSERT_EQ(run.rows.size(), 501U);
  Vec q = vec(run, 0, "q"), v = vec(run, 0, "w").cross(q);
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    closedForm(q, v, 0.01, 8, Vec(0, 0, 2 * 9.81 * 2));
    ASSERT_LT((vec(run, k, "q") - q).norm(), 1e-12) << k;
    ASSERT_LT((vec(run, k, "w") - q.cross(v)).norm(), 1e-12) << k;
  }
}

/// Discrete variables of any sort may stand in the Lagrangian: the mass and the gradient change from step to step.
TEST(Rattle, FollowsDiscreteVariablesInTheLagrangian) {
  const Workspace w;
  const std::string model = w.write("turning.lie", R"(model Turning {
  discrete M = 2;
  discrete g[2] : vec(3) = [1, 2, 3];
  discrete Q : SO(3) = eye(3);
  discrete k : int = 1;
  config q : S^2 velocity w;
  lagrangian = 0.5*M*dot(q', q') - dot(Q*g[2], q)*(if k == 1 then 1 else 2);
  initial q = normalize([1, 2, 2]);
  initial w = [0.4, -0.2, 0];
  every 0.05 {
    reset M = M + 0.25;
    reset g[2] = g[2] - 0.5*g[1];
    reset Q = Q*SO(3).exp([0, 0.1, 0.3]);
    reset k = 3 - k;
  }
  simulate { method = RATTLE; time = 0..1; step = 0.05; }
})")
                                .string();
  const Trajectory run = runModel(w, model, {});
  ASSERT_EQ(run.rows.size(), 21U);
  Vec q = vec(run, 0, "q"), v = vec(run, 0, "w").cross(q), g(1, 2, 3);
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(std::sqrt(0.1), Vec(0, 0.1, 0.3).normalized()).toRotationMatrix();
  Eigen::Matrix3d Q = Eigen::Matrix3d::Identity();
  double mass = 2;
  for (std::size_t k = 1; k < run.rows.size(); ++k) { // a block is carried out at the begin, too
    mass += 0.25;
    g -= 0.5 * Vec(1, 2, 3);
    Q = Q * turn;
    closedForm(q, v, 0.05, mass, Q * g * (k % 2 == 1 ? 2 : 1));
    ASSERT_LT((vec(run, k, "q") - q).norm(), 1e-12) << k;
    ASSERT_LT((vec(run, k, "w") - q.cross(v)).norm(), 1e-12) << k;
  }
}

TEST(Rattle, IsTheOneOfACoupledConstantMassMatrix) {
  const Workspace w;
  const Trajectory run = runModel(w, example("pendulum_chain"),
                                  {"--method", "RATTLE", "--tolerance", "none", "--time", "0..2", "--step", "0.01",
                                   "--set", "m=[2, 1]", "--set", "w[1]=[0.5, 1, -0.5]", "--set", "w[2]=[-1, 0.5, 1]"});
  ASSERT_EQ(run.rows.size(), 201U);
  Eigen::Matrix<double, 3, 2> q, v, gradient = Eigen::Matrix<double, 3, 2>::Zero();
  gradient.row(2) << 3 * 9.81, 9.81;
  Eigen::Matrix2d mass;
  mass << 3, 1, 1, 1;
  const auto name = [](const char* n, int i) { return std::string(n) + "[" + std::to_string(i + 1) + "]"; };
  for (int i = 0; i < 2; ++i) {
    q.col(i) = vec(run, 0, name("q", i));
    v.col(i) = vec(run, 0, name("w", i)).cross(q.col(i));
  }
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    coupled<2>(q, v, 0.01, mass, gradient);
    for (int i = 0; i < 2; ++i) ASSERT_LT((vec(run, k, name("q", i)) - q.col(i)).norm(), 1e-11) << k;
  }
}

TEST(Rattle, KeepsManifoldsAndMomenta) {
  const Workspace w;
  const Trajectory pendulum =
      runModel(w, example("spherical_pendulum"), {"--method", "RATTLE", "--time", "0..200", "--step", "0.01"});
  ASSERT_GT(pendulum.rows.size(), 1000U);
  EXPECT_LT(change(pendulum, "Lz"), 1e-12 * 16); // 20 000 steps
  for (std::size_t k = 0; k < pendulum.rows.size(); ++k) {
    const Vec q = vec(pendulum, k, "q"), omega = vec(pendulum, k, "w");
    ASSERT_NEAR(q.norm(), 1, 4e-15);
    ASSERT_NEAR(q.dot(omega), 0, 1e-14);
  }
  const nlohmann::json body =
      summary(w, {testModel("body_on_link"), "--method", "RATTLE", "--time", "0..50", "--step", "0.01"});
  for (const auto& [name, defect] : body.at("defects").items()) EXPECT_LT(defect.get<double>(), 2e-14) << name;
}

TEST(Rattle, IsTimeSymmetric) {
  const Workspace w;
  const std::string import = "method ThereBackThere order 2 = compose(RATTLE; 1, -1, 1);\n";
  for (const char* model : {"coupled_all", "body_on_link", "forced"}) {
    const std::string file = w.write("symmetric.lie", import + readFile(testModel(model))).string();
    const Arguments settings{"--time", "0..0.2", "--step", "0.02"};
    const auto with = [&](const char* method) {
      Arguments a = settings;
      a.insert(a.end(), {"--method", method});
      return runModel(w, file, a);
    };
    const Trajectory once = with("RATTLE"), thrice = with("ThereBackThere");
    ASSERT_EQ(once.rows.size(), thrice.rows.size());
    for (const std::string& c : once.columns)
      EXPECT_NEAR(once.last(c), thrice.last(c), 1e-11 * std::max(1.0, std::abs(once.last(c)))) << model << " " << c;
  }
}

// Without constraints it is the Stoermer-Verlet method: q1 = q + h v + h^2/2 a(q), v1 = v + h/2 (a(q) + a(q1)).
TEST(Rattle, OnALinearSpaceIsVerlet) {
  const Workspace w;
  const std::string file =
      w.write("springs.lie", "model S {\n  param N : int = 3;\n  config x[N] : R^2 velocity v;\n"
                             "  lagrangian = sum(i in 1..N: 0.5*dot(x[i]', x[i]') - 0.5*i*dot(x[i], x[i]));\n"
                             "  initial x[i in 1..N] = [1, 0.5*i];\n  initial v[2] = [0, 1];\n}\n")
          .string();
  const Trajectory run = runModel(w, file, {"--method", "RATTLE", "--time", "0..1", "--step", "0.1"});
  ASSERT_EQ(run.rows.size(), 11U);
  double q = 1, v = 1, h = 0.1; // x[2][2] has the frequency sqrt 2
  for (std::size_t k = 1; k <= 10; ++k) {
    const double next = q + h * v - h * h * q;
    v -= h * (q + next);
    q = next;
    EXPECT_NEAR(run.at(k, "x[2][2]"), q, 1e-14);
    EXPECT_NEAR(run.at(k, "v[2][2]"), v, 1e-14);
  }
}

/// No force, no motion, and a point that is off the sphere by rounding: nothing gives the equations a scale but the
/// positions themselves.
TEST(Rattle, NothingMovesFromRest) {
  const Workspace w;
  for (const char* mass : {"1e-3", "1", "1e3"}) {
    const std::string file =
        w.write("rest.lie", std::string("model Rest {\n  param m = ") + mass +
                                ";\n  config q : S^2 velocity w;\n  config R : SO(3) velocity Omega;\n"
                                "  lagrangian = 0.5*m*dot(q', q') + 0.5*dot(Omega, diag(1, 2, 3)*Omega);\n"
                                "  initial q = normalize([0.6, 0.3, -0.8]);\n"
                                "  initial R = SO(3).exp([0.3, 0.2, 0.1]);\n"
                                "  simulate { method = RATTLE; time = 0..1; step = 1e-2; }\n}\n")
            .string();
    for (const auto& [step, time] : std::vector<std::pair<std::string, std::string>>{
             {"0.5", "0..50"}, {"1e-2", "0..1"}, {"1e-4", "0..0.01"}, {"1e-6", "0..1e-4"}}) {
      const Trajectory run = runModel(w, file, {"--step", step, "--time", time});
      ASSERT_EQ(run.rows.size(), 101U) << mass << " " << step;
      for (const char* column : {"q[1]", "q[2]", "q[3]", "R[1][2]", "R[3][3]"})
        EXPECT_LT(change(run, column), 1e-14) << column << " " << mass << " " << step;
    }
  }
}

/// The same of points that equations of the model hold, under every method that solves for their multipliers.
TEST(Rattle, NothingMovesFromRestUnderConstraints) {
  const Workspace w;
  const std::string file = w.write("rest.lie", R"(model Rest {
  config x : R^3 velocity v;
  config y : R^3 velocity u;
  lagrangian = 0.5*dot(v, v) + dot(u, u);
  constraint rod : dot(x, x) = 1;
  constraint link : dot(x - y, x - y) = 0.49;
  initial x = normalize([0.6, 0.3, -0.8]);
  initial y = normalize([0.6, 0.3, -0.8]) + 0.7*normalize([0.1, 0.5, -0.8]);
  simulate { method = VITrapezoid; time = 0..1; step = 1e-2; }
})")
                               .string();
  for (const char* method : {"VITrapezoid", "VIMidpoint", "VI4", "VILobatto4", "GenAlpha", "HHT", "NonholonomicRATTLE",
                             "DLA", "HEM4", "SymmetricGL2", "RKMK4"}) {
    const Trajectory run = runModel(w, file, {"--method", method});
    ASSERT_EQ(run.rows.size(), 101U) << method;
    for (const char* column : {"x[1]", "x[3]", "y[1]", "y[2]"}) EXPECT_LT(change(run, column), 1e-14) << method;
  }
}

TEST(Rattle, RefusesAModelWithTheReason) {
  const Workspace w;
  struct Case {
    std::string file;
    const char* text;
  };
  const std::string open =
      w.write("open.lie", "manifold Ball {\n  point q : vec(3);\n  group SO(3);\n  action(A, q) = A*q;\n"
                          "  horizontal(q, w) = dot(q, w);\n}\nmodel M {\n  config q : Ball velocity w;\n"
                          "  lagrangian = 0.5*dot(q', q');\n  initial q = [0, 0, 2];\n}\n")
          .string();
  for (const Case& c : {Case{example("humming_top"), "first-order state"},
                        {example("heavy_top_hamiltonian"), "has a momentum"},
                        {open, "Ball has 1 more coordinates than dimensions"}}) {
    const Outcome o = w.lmc({"run", c.file, "--method", "RATTLE", "--time", "0..1", "--step", "0.1"});
    EXPECT_EQ(o.status, 1);
    EXPECT_NE(o.err.find("LIE0512"), std::string::npos) << o.err;
    EXPECT_NE(o.err.find(c.text), std::string::npos) << o.err;
  }
}
