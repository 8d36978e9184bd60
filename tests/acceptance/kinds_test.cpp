// Methods on `cotangent` and `embedding` as they run: symplectic steps keep what they must, frames and the Legendre
// transform make no difference, and models that a kind cannot step are refused.
#include "acceptance/Trajectory.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// A body with a spring to a point, a bead on a line that pulls it, and a time-dependent push: two coupled factors.
const char* const coupled = R"(
model Coupled {
  param J : mat(3,3) = [[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 3]];
  config R : SO(3) velocity w FRAME;
  config x : R^3 velocity v;
  let p = x + R*[0.3, 0.2, 0.5];
  lagrangian = 0.5*dot(body, J*body) + 0.5*dot(p', p') - dot(p, p) - 0.3*sin(t)*p[1];
  initial w = [0.4, 1, -0.7];
  initial x = [0.5, 0, 0.2];
  initial v = [0, 0.3, 0];
}
)";

std::string framed(const std::string& frame) {
  std::string text = coupled;
  text.replace(text.find("FRAME"), 5, "in " + frame);
  text.insert(text.find("  lagrangian"), frame == "body" ? "  let body = w;\n" : "  let body = transpose(R)*w;\n");
  return text;
}

double change(const Trajectory& run, const std::string& column) {
  double worst = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    worst = std::max(worst, std::abs(run.at(i, column) - run.at(0, column)));
  return worst;
}

double difference(const Trajectory& a, const Trajectory& b, const std::vector<std::string>& columns) {
  double worst = 0;
  for (const std::string& c : columns) worst = std::max(worst, std::abs(a.last(c) - b.last(c)));
  return worst;
}

const std::vector<std::string> rotation{"R[1][1]", "R[1][2]", "R[1][3]", "R[2][1]", "R[2][2]",
                                        "R[2][3]", "R[3][1]", "R[3][2]", "R[3][3]"};

} // namespace

TEST(Symplectic, EnergyStaysBoundedAndTheVerticalMomentumExact) {
  // Celledoni et al. (2022), figure 3: 6000 steps of 0.01 with h |omega| = 1.5.
  const Workspace w;
  for (const auto& [method, bound] : {std::pair{"SLGI(theta = 0.5)", 0.2}, std::pair{"SLGI(theta = 0)", 25.0}}) {
    const Trajectory run =
        runModel(w, example("heavy_top_hamiltonian"), {"--method", method, "--time", "0..60", "--step", "0.01"});
    ASSERT_EQ(run.rows.size(), 6001U);
    double early = 0;
    double late = 0;
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
      double& worst = i < run.rows.size() / 4 ? early : late;
      worst = std::max(worst, std::abs(run.at(i, "energy") - run.at(0, "energy")));
    }
    EXPECT_LT(early, bound) << method;
    EXPECT_LT(late, early * 1.001) << method;
    EXPECT_LT(change(run, "p_vertical"), 1e-9 * std::abs(run.at(0, "p_vertical")) + 1e-9) << method;
  }
}

TEST(Symplectic, ALagrangianModelMovesLikeItsHamiltonianForm) {
  const Workspace w;
  const std::vector<std::string> arguments{"--method", "SLGI", "--time", "0..1", "--step", "0.001", "--every", "1"};
  const Trajectory canonical = runModel(w, example("heavy_top_hamiltonian"), arguments);
  const Trajectory lagrangian = runModel(w, example("heavy_top"), arguments);
  ASSERT_EQ(canonical.rows.size(), 2U);
  ASSERT_EQ(lagrangian.rows.size(), 2U);
  EXPECT_LT(difference(canonical, lagrangian, rotation), 1e-10);
}

TEST(Symplectic, BodyAndSpaceMakeNoDifference) {
  // R(0) = 1: the two initial velocities are the same motion.
  const Workspace w;
  const std::string body = w.write("body.lie", framed("body")).string();
  const std::string space = w.write("space.lie", framed("space")).string();
  for (const char* method : {"SLGI", "SLGI(theta = 0)", "SLGI(theta = 0.3)", "LSV", "SLGI4"}) {
    const std::vector<std::string> arguments{"--method", method, "--time", "0..1", "--step", "0.05", "--every", "1"};
    const Trajectory a = runModel(w, body, arguments);
    const Trajectory b = runModel(w, space, arguments);
    ASSERT_EQ(a.rows.size(), 2U) << method;
    ASSERT_EQ(b.rows.size(), 2U) << method;
    EXPECT_LT(difference(a, b, rotation), 1e-12) << method;
    EXPECT_LT(difference(a, b, {"x[1]", "x[2]", "x[3]", "v[1]", "v[2]", "v[3]"}), 1e-12) << method;
  }
}

// Where dH/dmu can be inverted the momentum within a step follows from the displacement, and the force from both: three
// unknowns of six are left.
TEST(Symplectic, MomentaOfHamiltoniansFollowFromVelocities) {
  const Workspace w;
  for (const char* model : {"heavy_top_hamiltonian", "heavy_top"}) {
    const Outcome step = w.lmc({"dump", example(model), "--stage", "step", "--method", "SLGI"});
    ASSERT_EQ(step.status, 0) << step.err;
    EXPECT_NE(step.out.find("residual[3] = "), std::string::npos) << model;
    EXPECT_EQ(step.out.find("residual[4] = "), std::string::npos) << model;
  }
}

// Linear and angular momenta that are coupled: a linear system gives them. The Lagrangian is that of the Schur
// complement, and its method another derivation of the same step.
TEST(Symplectic, CoupledMomentaMoveLikeTheDiscreteLagrangian) {
  const std::string common =
      "  param A : mat(3,3) = [[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 1.5]];\n"
      "  param B : mat(3,3) = [[0.2, 0.1, 0], [0, -0.3, 0.1], [0.2, 0, 0.1]];\n"
      "  param k = 0.8;\n  param a : vec(3) = [0.7, -0.4, 1.1];\n  param b : vec(3) = [0.3, 0.9, -0.2];\n";
  const std::string potential = "dot(e3, g.x + g.R*[0.2, 0.1, 0.4]) + 0.5*dot(g.x, g.x)";
  const std::string run = "  simulate { time = 0..1; step = 0.05; output every 1; }\n}\n";
  const Workspace w;
  for (const std::string frame : {"body", "space"}) {
    const std::string momenta =
        w.write("momenta.lie", "model P {\n" + common + "  config g : SE(3) momentum p in " + frame +
                                   ";\n  hamiltonian = 0.5*dot(p.w, A*p.w) + dot(p.w, B*p.v) + 0.5*k*dot(p.v, p.v) + " +
                                   potential + ";\n  initial p = (w = a, v = b);\n" + run)
            .string();
    const std::string velocities =
        w.write("velocities.lie",
                "model V {\n" + common + "  config g : SE(3) velocity u in " + frame +
                    ";\n  let d = u.w - B*u.v/k;\n  lagrangian = 0.5*dot(d, inverse(A - B*transpose(B)/k)*d) + "
                    "0.5*dot(u.v, u.v)/k - (" +
                    potential + ");\n  initial u = (w = A*a + B*b, v = transpose(B)*a + k*b);\n" + run)
            .string();
    const Trajectory canonical = runModel(w, momenta, {"--method", "SLGI"});
    const Trajectory lagrangian = runModel(w, velocities, {"--method", "SLGI"});
    const Trajectory discrete = runModel(w, velocities, {"--method", "VIMidpoint"});
    ASSERT_EQ(canonical.rows.size(), 2U) << frame;
    std::vector<std::string> columns = {"g.x[1]", "g.x[2]", "g.x[3]"};
    for (int i = 1; i <= 3; ++i)
      for (int j = 1; j <= 3; ++j) columns.push_back("g.R[" + std::to_string(i) + "][" + std::to_string(j) + "]");
    EXPECT_GT(change(discrete, "g.x[1]"), 0.1);
    EXPECT_LT(difference(canonical, discrete, columns), 1e-12) << frame;
    EXPECT_LT(difference(lagrangian, discrete, columns), 1e-12) << frame;
    const Outcome step = w.lmc({"dump", momenta, "--stage", "step", "--method", "SLGI"});
    EXPECT_EQ(step.out.find("residual[7] = "), std::string::npos) << frame;
  }
}

/// The slope of y' by its momentum is x, which comes down to zero at t = 2 and goes back: momenta are not to be found
/// by division by it. p_y is constant, and x = -(1 - t/2)^2 for p_y = 1; the midpoint rule has an error of h^2 t/8 in
/// it.
TEST(Symplectic, SlopesOfVelocitiesMayVanish) {
  const Workspace w;
  const std::string file = w.write("odd.lie", "model Odd {\n  config x : R momentum px;\n  config y : R momentum py;\n"
                                              "  hamiltonian = px^2/2 + x*py^2/2;\n  initial x = -1;\n"
                                              "  initial px = 1;\n  initial py = 1;\n"
                                              "  simulate { method = SLGI; time = 0..6; step = 0.01; }\n}\n")
                               .string();
  const Trajectory run = runModel(w, file, {});
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    const double t = run.at(k, "t");
    ASSERT_NEAR(run.at(k, "py"), 1, 1e-13);
    ASSERT_NEAR(run.at(k, "x"), -(1 - t / 2) * (1 - t / 2), 1e-4);
  }
  EXPECT_NEAR(run.last("t"), 6, 1e-12);
}

// A velocity that is no affine function of the momentum is not inverted: on R the method is the midpoint rule.
TEST(Symplectic, OtherVelocitiesAreSolvedForTogetherWithTheForces) {
  const Workspace w;
  const std::string file = w.write("quartic.lie", "model Q {\n  config x : R momentum p;\n"
                                                  "  hamiltonian = p^2/2 + p^4/4 + x^2/2;\n  initial x = 1;\n"
                                                  "  initial p = 0.5;\n  simulate { time = 0..5; step = 0.1; }\n}\n")
                               .string();
  const Trajectory run = runModel(w, file, {"--method", "SLGI"});
  ASSERT_EQ(run.rows.size(), 51U);
  for (std::size_t i = 1; i < run.rows.size(); ++i) {
    const double x = (run.at(i, "x") + run.at(i - 1, "x")) / 2, p = (run.at(i, "p") + run.at(i - 1, "p")) / 2;
    EXPECT_NEAR(run.at(i, "x") - run.at(i - 1, "x"), 0.1 * (p + p * p * p), 1e-14);
    EXPECT_NEAR(run.at(i, "p") - run.at(i - 1, "p"), -0.1 * x, 1e-14);
  }
}

TEST(Symplectic, ThetaZeroAndOneAreAdjoint) {
  // The one forwards, the other backwards: the start again.
  const Workspace w;
  const std::string file = w.write("there_and_back.lie", R"(
method There order 1 on cotangent {
  solve xi, n from h*f1(t, g, mu), h*f2(t, g, mu) :
    xi = h*f1(t, g, dexpT(-xi, mu + n)),
    n = h*f2(t, g, dexpT(-xi, mu + n));
  G = exp(xi)*g;
  m = Adstar(exp(-xi), n) + Adstar(exp(-xi), mu);
  // the adjoint step back: theta = 1 with -h
  fn a(u, k) = Adstar(exp(u), k);
  fn M(u, k) = dexpT(-u, m + a(u, k)) - dexpT(-u, a(u, k));
  solve u, k from -h*f1(t, G, m), -h*f2(t, G, m) :
    u = -h*f1(t, exp(u)*G, M(u, k)),
    k = -h*f2(t, exp(u)*G, M(u, k));
  next g = exp(u)*G;
  next mu = k + Adstar(exp(-u), m);
}
)" + framed("body"))
                               .string();
  const Trajectory run = runModel(w, file, {"--method", "There", "--time", "0..0.05", "--step", "0.05"});
  ASSERT_EQ(run.rows.size(), 2U);
  for (const std::string& c : rotation) EXPECT_LT(change(run, c), 1e-13) << c;
  for (const char* c : {"w[1]", "w[2]", "w[3]", "x[1]", "v[1]"}) EXPECT_LT(change(run, c), 1e-13) << c;
}

TEST(Embedding, ReportsHowFarItLeavesTheManifold) {
  const Workspace w;
  const Outcome o = w.lmc({"run", example("heavy_top"), "--method", "RK4", "--step", "1e-3", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const double defect = parseJson(o.out).at("defects").at("R").get<double>();
  EXPECT_GT(defect, 1e-9);
  EXPECT_LT(defect, 1e-1);
}

TEST(Kinds, CountTheEvaluationsOfStartAndTurns) {
  const Workspace w;
  const auto perStep = [&](const char* file, const char* method) {
    const Outcome o = w.lmc({"run", example(file), "--method", method, "--time", "0..0.1", "--step", "1e-3", "--json"});
    const auto json = parseJson(o.out);
    return json.at("evaluations").get<double>() / json.at("steps").get<double>();
  };
  EXPECT_EQ(perStep("heavy_top", "RK4"), 4);
  const double canonical = perStep("heavy_top_hamiltonian", "SLGI"); // two to start from, two turns or three
  EXPECT_GE(canonical, 4);
  EXPECT_LE(canonical, 5);
  const double lagrangian = perStep("heavy_top", "SLGI"); // and one for the velocities at the end
  EXPECT_GE(lagrangian, 5);
  EXPECT_LE(lagrangian, 6);
}

TEST(Kinds, AMethodThatIsNotUsedNeedNotFitTheModel) {
  const Workspace w;
  const std::string model = "model P {\n  config q : S^2 velocity w;\n  lagrangian = 0.5*dot(w, w) - dot(e3, q);\n"
                            "  initial q = e1;\n  simulate { method = RKMK4; time = 0..1; step = 0.1; }\n}\n";
  const std::string turn =
      "method Turn order 1 on rigid_body {\n  next Q = Q*exp(h*Omega);\n  next Omega = Omega;\n}\n";
  const std::string file = w.write("unused.lie", turn + model).string();
  EXPECT_EQ(w.lmc({"check", file}).status, 0);
  EXPECT_EQ(w.lmc({"run", file}).status, 0);
  const Outcome used = w.lmc({"run", file, "--method", "Turn"});
  EXPECT_EQ(used.status, 1);
  EXPECT_NE(used.err.find("`q` is on S^2, which is not a group"), std::string::npos) << used.err;
  const std::string wrong =
      "method Turn order 1 on rigid_body {\n  next Q = Q*exp(h*Omega);\n}\n"; // looked into all the same
  const Outcome incomplete = w.lmc({"check", w.write("incomplete.lie", wrong + model).string()});
  EXPECT_EQ(incomplete.status, 1);
  EXPECT_NE(incomplete.err.find("never says what Omega is"), std::string::npos) << incomplete.err;
}

TEST(Kinds, RefuseAModelWithTheReason) {
  const Workspace w;
  EXPECT_NE(w.lmc({"run", example("spherical_pendulum"), "--method", "VLV"}).err.find("S^2, which is not a group"),
            std::string::npos);
  EXPECT_NE(w.lmc({"run", example("humming_top"), "--method", "SLGI"}).err.find("first-order state"),
            std::string::npos);
  EXPECT_NE(w.lmc({"run", example("humming_top"), "--method", "Newmark"}).err.find("first-order state"),
            std::string::npos);
  EXPECT_NE(w.lmc({"run", example("heavy_top_hamiltonian"), "--method", "Newmark"}).err.find("has a momentum"),
            std::string::npos);
  const std::string quartic =
      w.write("quartic.lie", "model Q {\n  config x : R velocity v;\n  lagrangian = v^2/2 + v^4;\n}\n").string();
  const Outcome o = w.lmc({"run", quartic, "--method", "SLGI", "--time", "0..1", "--step", "0.1"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.err.find("LIE0512"), std::string::npos) << o.err;
}

// A refusal stands where the user chose the method, once; the method's own line is a note.
TEST(Kinds, RefuseAtTheChoice) {
  const Workspace w;
  const std::string model = "model P {\n  config q : S^2 velocity w;\n  lagrangian = 0.5*dot(w, w);\n"
                            "  initial q = e1;\n  simulate { method = SAC; time = 0..1; step = 0.1; }\n}\n";
  const std::string file = w.write("p.lie", model).string();
  for (const Arguments& call : {Arguments{"run", file, "--json"},
                                {"run", file, "--json", "--method", "SAC"},
                                {"run", file, "--json", "--method", "VLV"}}) {
    const Outcome o = w.lmc(call);
    EXPECT_EQ(o.status, 1);
    const nlohmann::json all = parseJson(o.out)["diagnostics"];
    ASSERT_EQ(all.size(), 1U) << o.out;
    const nlohmann::json& d = all[0];
    EXPECT_EQ(d["code"], "LIE0512");
    if (call.size() == 3) {
      EXPECT_EQ(d["file"], file);
      EXPECT_EQ(d["line"], 5);
      EXPECT_EQ(d["column"], 23);
    } else {
      EXPECT_EQ(d["file"], "--method");
    }
    EXPECT_NE(d["notes"].dump().find(".lie"), std::string::npos) << d;
  }
}

// Steps of parts of the equations, each with a time of its own: x'' = cos 3t - x by a kick, a drift and a kick.
TEST(Kinds, ComposePartsOfTheEquations) {
  const Workspace w;
  const std::string text = "method Kick on cotangent {\n  next g = g;\n  next mu = mu + h*f2(t + h/2, g, mu);\n}\n"
                           "method Drift on cotangent {\n  next g = exp(h*f1(t, g, mu))*g;\n  next mu = mu;\n}\n"
                           "method Strang order 2 = compose(Kick, Drift, Kick; 1/2, 1, 1/2);\n"
                           "model F {\n  config x : R velocity v;\n  lagrangian = v^2/2 - x^2/2;\n"
                           "  force on x = cos(3*t);\n  initial x = 1;\n  initial v = 0.5;\n"
                           "  simulate { method = Strang; time = 0..1; step = 0.1; }\n}\n";
  const Trajectory run = runModel(w, w.write("f.lie", text).string(), {});
  ASSERT_EQ(run.rows.size(), 11U);
  const double h = 0.1;
  double x = 1, v = 0.5;
  for (int k = 0; k < 10; ++k) { // each kick takes the force in the middle of its own half of the step
    v += h / 2 * (std::cos(3 * (k + 0.25) * h) - x);
    x += h * v;
    v += h / 2 * (std::cos(3 * (k + 0.75) * h) - x);
  }
  EXPECT_NEAR(run.last("x"), x, 1e-13);
  EXPECT_NEAR(run.last("v"), v, 1e-13);
}

TEST(Kinds, ANoConvergenceTellsTimeAndResidual) {
  const Workspace w;
  const std::string file =
      w.write("stuck.lie", "method Stuck order 1 {\n  solve s from 1.0 : s^2 = if t > 0.25 then -1 else 1;\n"
                           "  next y = exp(s*h*f(t, y))*y;\n}\nmodel Q {\n  config x : R velocity v;\n"
                           "  lagrangian = v^2/2;\n}\n")
          .string();
  const Outcome o = w.lmc({"run", file, "--method", "Stuck", "--time", "0..1", "--step", "0.1"});
  EXPECT_EQ(o.status, 3) << o.err;
  EXPECT_NE(o.err.find("0.3"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("residual"), std::string::npos) << o.err;
}
