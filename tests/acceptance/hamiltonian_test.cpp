// Hamiltonian models as they run: the formulations of the heavy top agree, Casimirs stay, frames do not matter where
// the theory says so, and a Hamiltonian model moves like the Lagrangian one.
#include "acceptance/Trajectory.h"
#include "reference/HeavyTop.h"

#include <gtest/gtest.h>

#include <random>

using namespace lmc::acceptance;
using namespace lmc::reference;

namespace {

using V3 = Eigen::Vector3d;
using M3 = Eigen::Matrix3d;

std::vector<std::string> names(const std::string& name, int n) {
  std::vector<std::string> list;
  for (int k = 1; k <= n; ++k) list.push_back(indexed(name, k));
  return list;
}
V3 vector(const Trajectory& t, const std::string& name, std::size_t row) {
  return t.pick(row, names(name, 3));
}
M3 matrix(const Trajectory& t, const std::string& name, std::size_t row) {
  M3 m;
  for (int i = 0; i < 3; ++i) m.row(i) = vector(t, indexed(name, i + 1), row).transpose();
  return m;
}

const M3 inertia = V3(0.234375, 0.46875, 0.234375).asDiagonal();

/// One unit of time with RKMK4 and steps of 1e-4.
Trajectory fine(const std::string& file) {
  const Workspace w;
  return runModel(w, file, {"--method", "RKMK4", "--time", "0..1", "--step", "1e-4", "--every", "1"});
}

/// The largest change of a column over a run.
double drift(const Trajectory& t, const std::string& column) {
  double worst = 0;
  for (std::size_t i = 0; i < t.rows.size(); ++i) worst = std::max(worst, std::abs(t.at(i, column) - t.at(0, column)));
  return worst;
}

} // namespace

TEST(HeavyTops, FourFormulationsAgree) {
  const Trajectory lagrangian = fine(example("heavy_top"));
  ASSERT_EQ(lagrangian.rows.size(), 2U);
  const M3 R = matrix(lagrangian, "R", 1);
  const V3 Pi = inertia * vector(lagrangian, "Omega", 1);
  const double size = Pi.norm();

  const Trajectory canonical = fine(example("heavy_top_hamiltonian"));
  ASSERT_EQ(canonical.rows.size(), 2U);
  EXPECT_LE((matrix(canonical, "R", 1) - R).norm(), 1e-7);
  EXPECT_LE((vector(canonical, "p", 1) - R * Pi).norm() / size, 1e-7);

  const Trajectory quadratic = fine(example("heavy_top_quadratic"));
  ASSERT_EQ(quadratic.rows.size(), 2U);
  EXPECT_LE((matrix(quadratic, "R", 1) - R).norm(), 1e-7);
  EXPECT_LE((vector(quadratic, "Pi", 1) - Pi).norm() / size, 1e-7);
  EXPECT_EQ(vector(quadratic, "p", 1), vector(quadratic, "p", 0));

  const Trajectory poisson = fine(example("heavy_top_lie_poisson"));
  ASSERT_EQ(poisson.rows.size(), 2U);
  const V3 gravity = R.transpose() * V3(0, 0, -9.81);
  EXPECT_LE((vector(poisson, "mu.w", 1) - Pi).norm() / size, 1e-7);
  EXPECT_LE((vector(poisson, "mu.v", 1) - gravity).norm() / gravity.norm(), 1e-7);
}

TEST(LiePoisson, CasimirsOfTheHeavyTopStayAtRoundOff) {
  const Workspace w;
  const Trajectory run = runModel(w, example("heavy_top_lie_poisson"), {"--every", "0.01"});
  ASSERT_EQ(run.rows.size(), 101U);
  EXPECT_LE(drift(run, "casimir1"), 1e-12 * 96);        // |Gamma|^2 = 96.2
  EXPECT_LE(drift(run, "casimir2"), 1e-12 * 71 * 9.81); // |Pi| |Gamma|
}

TEST(LiePoisson, EquationsOfTheHeavyTopAtRandomStates) {
  const Workspace w;
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal(0, 2);
  std::string states = "t,mu.w[1],mu.w[2],mu.w[3],mu.v[1],mu.v[2],mu.v[3]\n";
  std::vector<std::pair<V3, V3>> points;
  for (int i = 0; i < 1000; ++i) {
    V3 a;
    V3 b;
    for (int k = 0; k < 3; ++k) a[k] = normal(generator), b[k] = normal(generator);
    points.emplace_back(a, b);
    states += "0";
    for (const double x : {a[0], a[1], a[2], b[0], b[1], b[2]}) states += "," + nlohmann::json(x).dump();
    states += "\n";
  }
  const std::string output = w.path("rates.csv").string();
  const Outcome outcome = w.lmc(
      {"derive", example("heavy_top_lie_poisson"), "--at", w.write("s.csv", states).string(), "--output", output});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto rates = parseCsv(readFile(output));
  ASSERT_TRUE(rates);
  ASSERT_EQ(rates->rows.size(), points.size());
  const V3 c(0, 30, 0); // m l chi
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [Pi, Gamma] = points[i];
    const V3 Omega = inertia.inverse() * Pi;
    // Pi' = Pi x Omega + m l chi x Gamma, Gamma' = Gamma x Omega: the gravity vector in the body frame (23), (24)
    const V3 a = Pi.cross(Omega) + c.cross(Gamma);
    const V3 b = Gamma.cross(Omega);
    const double size = std::max(a.norm(), b.norm());
    ASSERT_LE((vector(*rates, "mu'.w", i) - a).norm(), 1e-11 * size);
    ASSERT_LE((vector(*rates, "mu'.v", i) - b).norm(), 1e-11 * size);
  }
}

TEST(LiePoisson, RigidBodiesStayOnTheirOrbits) {
  // Ten orbits, a million steps of 1e-3.
  const Workspace w;
  const Trajectory run =
      runModel(w, example("rigid_body_orbits"), {"--time", "0..1000", "--step", "1e-3", "--every", "10"});
  ASSERT_EQ(run.rows.size(), 101U);
  for (int i = 1; i <= 10; ++i) {
    EXPECT_LE(drift(run, indexed("casimir", i)), 1e-11);
    EXPECT_LE(drift(run, indexed("kinetic", i)), 1e-11);
  }
}

TEST(LiePoisson, FramesAreMirrorImages) {
  // In space mu' = -ad*_xi mu: the motion of -mu in body, where H is even.
  const auto model = [](const char* frame, const char* start) {
    return std::string("model M {\n  state mu : dual(SO(3)) ") + frame +
           ";\n  hamiltonian = 0.5*dot(mu, diag(1, 0.5, 0.3)*mu);\n  initial mu = " + start +
           ";\n  simulate { method = RKMK4full; time = 0..1; step = 0.05; }\n}\n";
  };
  const Workspace w;
  const Trajectory body = runModel(w, w.write("body.lie", model("in body", "[1, -2, 0.5]")).string(), {});
  const Trajectory space = runModel(w, w.write("space.lie", model("in space", "[-1, 2, -0.5]")).string(), {});
  ASSERT_EQ(body.rows.size(), 21U);
  EXPECT_LE((vector(body, "mu", 20) + vector(space, "mu", 20)).norm(), 1e-14);
}

TEST(LiePoisson, AFlowIsTheElementThatMoves) {
  // mu' = ad*_xi mu = mu x xi with a constant xi: a rotation.
  const Workspace w;
  const std::string file = w.write("m.lie", "model M {\n  state mu : dual(SO(3));\n  flow mu = [0, 0, 0.5];\n"
                                            "  state nu : dual(R^2);\n  flow nu = [1, 2];\n"
                                            "  initial mu = [1, 0, 0.2];\n  initial nu = [3, 4];\n"
                                            "  simulate { method = RKMK4; time = 0..1; step = 0.1; }\n}\n")
                               .string();
  const Trajectory run = runModel(w, file, {});
  ASSERT_EQ(run.rows.size(), 11U);
  EXPECT_EQ(run.find("energy"), -1);
  EXPECT_LE((vector(run, "mu", 10) - V3(std::cos(0.5), -std::sin(0.5), 0.2)).norm(), 1e-15);
  EXPECT_EQ(run.last("nu[1]"), 3);
  EXPECT_EQ(run.last("nu[2]"), 4);
}

TEST(Frames, ExactDexpinvGivesOneTrajectoryOnTheCotangentBundle) {
  const Workspace w;
  const Arguments common{
      "--set",  "m=1",  "--set",  "l=0.5", "--set", "J=diag(0.5, 0.8, 1.1)", "--set", "chi=[0, 0.6, 0.8]",
      "--time", "0..1", "--step", "0.05"};
  const auto run = [&](const std::string& file, const char* method, const char* start) {
    Arguments arguments = common;
    for (const char* a : {"--method", method, "--set", start}) arguments.emplace_back(a);
    return runModel(w, file, arguments);
  };
  // RKMK4full has the exact dexpinv in its stages, RKMK4 is truncated.
  for (const auto& [method, exact] : {std::pair{"RKMK4full", true}, {"RKMK3", true}, {"RKMK4", false}}) {
    const Trajectory body = run(testModel("heavy_top_momentum"), method, "Pi=[1, -2.4, 1.1]");
    const Trajectory space = run(example("heavy_top_hamiltonian"), method, "p=[1, -2.4, 1.1]");
    ASSERT_EQ(body.rows.size(), 21U);
    ASSERT_EQ(space.rows.size(), 21U);
    const M3 R = matrix(body, "R", 20);
    const double point = (R - matrix(space, "R", 20)).norm();
    const double momentum = (R * vector(body, "Pi", 20) - vector(space, "p", 20)).norm();
    if (exact) {
      EXPECT_LE(point, 1e-13) << method;
      EXPECT_LE(momentum, 1e-13) << method;
    } else {
      EXPECT_GE(point, 1e-10) << method;
    }
  }
}

TEST(Legendre, TheSphericalPendulumMovesAlike) {
  // p = m l^2 w
  const Workspace w;
  const std::string file =
      w.write("p.lie", "model P {\n  param m = 1.3;  param l = 2;\n  config q : S^2 momentum p;\n"
                       "  hamiltonian = dot(p, p)/(2*m*l^2) + 9.81*m*l*q[3];\n  initial q = e1;\n"
                       "  initial p = m*l^2*[0, 1, 2];\n  observe w = velocity(q);\n  observe mu = momentum(q);\n}\n")
          .string();
  const std::string other =
      w.write("l.lie", "model L {\n  param m = 1.3;  param l = 2;\n  config q : S^2 velocity w;\n"
                       "  lagrangian = 0.5*m*l^2*dot(q', q') - 9.81*m*l*q[3];\n  initial q = e1;\n"
                       "  initial w = [0, 1, 2];\n  observe p = momentum(q);\n  observe v = velocity(q);\n}\n")
          .string();
  const Arguments settings{"--method", "RKMK4full", "--time", "0..1", "--step", "1e-3", "--every", "1"};
  const Trajectory a = runModel(w, file, settings);
  const Trajectory b = runModel(w, other, settings);
  ASSERT_EQ(a.rows.size(), 2U);
  ASSERT_EQ(b.rows.size(), 2U);
  EXPECT_LE((vector(a, "q", 1) - vector(b, "q", 1)).norm(), 1e-9);
  EXPECT_LE((vector(a, "p", 1) - vector(b, "p", 1)).norm(), 1e-8);
  EXPECT_LE((vector(a, "w", 1) - vector(b, "w", 1)).norm(), 1e-9);
  EXPECT_LE((vector(a, "w", 1) - vector(b, "v", 1)).norm(), 1e-9);
  EXPECT_LE((vector(a, "mu", 1) - vector(a, "p", 1)).norm(), 1e-13);
  EXPECT_LE(std::abs(a.last("energy") - b.last("energy")), 1e-9);
  EXPECT_LE(std::abs(vector(a, "q", 1).dot(vector(a, "p", 1))), 1e-13);
}

TEST(Legendre, APendulumOnTheLineMovesAlike) {
  const Workspace w;
  const std::string file =
      w.write("p.lie", "model P {\n  config a : R momentum p;\n  param m = 2;\n"
                       "  hamiltonian = p^2/(2*m*(1 + a^2)) - m*cos(a);\n  dissipation = 0.1*a'^2;\n"
                       "  initial a = 1;\n  initial p = 0.6;\n}\n")
          .string();
  const std::string other = w.write("l.lie", "model L {\n  config a : R velocity v;\n  param m = 2;\n"
                                             "  lagrangian = 0.5*m*(1 + a^2)*v^2 + m*cos(a);\n"
                                             "  dissipation = 0.1*a'^2;\n  initial a = 1;\n  initial v = 0.15;\n"
                                             "  observe p = momentum(a);\n}\n")
                                .string();
  const Arguments settings{"--method", "RKMK4full", "--time", "0..2", "--step", "1e-3", "--every", "2"};
  const Trajectory x = runModel(w, file, settings);
  const Trajectory y = runModel(w, other, settings);
  ASSERT_EQ(x.rows.size(), 2U);
  ASSERT_EQ(y.rows.size(), 2U);
  EXPECT_NEAR(x.last("a"), y.last("a"), 1e-11);
  EXPECT_NEAR(x.last("p"), y.last("p"), 1e-11);
}

TEST(Groups, AFreeBodyOnTheGroupOfMotionsIsABodyAndAPoint) {
  // T*SE(3) with the body momentum (angular momentum, momentum in the body frame) against T*SO(3) x T*R^3.
  const Workspace w;
  const std::string file =
      w.write("g.lie",
              "model G {\n  param J : mat(3,3) = diag(1, 2, 3);\n  param m = 2;\n  config X : SE(3) momentum mu;\n"
              "  hamiltonian = 0.5*dot(mu.w, inverse(J)*mu.w) + dot(mu.v, mu.v)/(2*m) + m*X.x[3];\n"
              "  initial mu.w = [0.4, -1, 0.7];\n  initial mu.v = [1, 0.2, 2];\n"
              "  observe x = X.x;\n  observe R = X.R;\n}\n")
          .string();
  const std::string other =
      w.write("p.lie",
              "model P {\n  param J : mat(3,3) = diag(1, 2, 3);\n  param m = 2;\n  config R : SO(3) momentum n;\n"
              "  config x : R^3 momentum p;\n"
              "  hamiltonian = 0.5*dot(n, inverse(J)*n) + dot(p, p)/(2*m) + m*x[3];\n"
              "  initial n = [0.4, -1, 0.7];\n  initial p = [1, 0.2, 2];\n}\n")
          .string();
  for (const char* method : {"RKMK4full", "RKMK4", "CF4"}) {
    const Arguments settings{"--method", method, "--time", "0..1", "--step", "2e-3", "--every", "1"};
    const Trajectory a = runModel(w, file, settings);
    const Trajectory b = runModel(w, other, settings);
    ASSERT_EQ(a.rows.size(), 2U);
    ASSERT_EQ(b.rows.size(), 2U);
    EXPECT_LE((vector(a, "x", 1) - vector(b, "x", 1)).norm(), 1e-10) << method;
    EXPECT_LE((matrix(a, "R", 1) - matrix(b, "R", 1)).norm(), 1e-10) << method;
    EXPECT_LE((matrix(b, "R", 1) * vector(a, "mu.v", 1) - vector(b, "p", 1)).norm(), 1e-10) << method;
  }
}

TEST(Groups, AUsersGroupHasMomentaAndADual) {
  // Without closed forms of Ad, dexp and dexpinv: everything is derived.
  const Workspace w;
  w.write("plane_group.lie", readFile(testModel("plane_group")));
  const std::string file =
      w.write("m.lie", "import \"plane_group.lie\";\nmodel M {\n  config X : Plane momentum p;\n"
                       "  state mu : dual(Plane);\n"
                       "  hamiltonian = 0.5*dot(p, diag(1, 0.5, 2)*p) + 0.3*X[1] + 0.5*dot(mu, diag(1, 0.5, 2)*mu);\n"
                       "  initial p = [0.4, 1, -0.7];\n  initial mu = [0.4, 1, -0.7];\n"
                       "  observe casimir = mu[1]^2 + mu[2]^2;\n}\n")
          .string();
  const auto run = [&](const char* step) {
    return runModel(w, file, {"--method", "RKMK4full", "--time", "0..1", "--step", step, "--every", "0.1"});
  };
  const Trajectory coarse = run("0.02");
  const Trajectory fine = run("0.01");
  ASSERT_EQ(coarse.rows.size(), 11U);
  ASSERT_EQ(fine.rows.size(), 11U);
  EXPECT_LE(drift(fine, "casimir"), 1e-14);
  EXPECT_LE(drift(fine, "energy"), 1e-8);
  EXPECT_GE(drift(coarse, "energy") / drift(fine, "energy"), 12);
}

TEST(DipolarSpheres, KeepMomentumAndRotations) {
  const Workspace w;
  const Trajectory run = runModel(w, example("dipolar_spheres"),
                                  {"--set", "N=4", "--set", "q[1]=[1,0,0]", "--set", "q[2]=[0,1.2,0]", "--set",
                                   "q[3]=[0,0,-1.1]", "--set", "q[4]=[1,1,1]", "--step", "1e-3", "--every", "1"});
  ASSERT_EQ(run.rows.size(), 2U);
  V3 linear = V3::Zero();
  V3 angular = V3::Zero();
  V3 start = V3::Zero();
  for (int i = 1; i <= 4; ++i) {
    const auto whole = [&](std::size_t row) {
      return V3(vector(run, indexed("q", i), row).cross(vector(run, indexed("p", i), row)) +
                matrix(run, indexed("Q", i), row) * vector(run, indexed("Pi", i), row));
    };
    linear += vector(run, indexed("p", i), 1);
    angular += whole(1);
    start += whole(0);
  }
  EXPECT_LE(linear.norm(), 1e-13);           // kept to round-off
  EXPECT_LE((angular - start).norm(), 1e-7); // kept to the accuracy of the method
}
