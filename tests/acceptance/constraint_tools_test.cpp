// verify, linearize, ensemble of models with constraints (symplecticity: symplecticity_test.cpp).
#include "acceptance/Trajectory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace lmc::acceptance;

namespace {

using nlohmann::json;

json verified(const Workspace& w, const std::string& file, Arguments more = {}) {
  more.insert(more.begin(), {"verify", file, "--json"});
  const Outcome outcome = w.lmc(more);
  EXPECT_EQ(outcome.status, 0) << file << outcome.out << outcome.err;
  return parseJson(outcome.out)["model"];
}

/// Equations of all variables, all constraints and the energy were compared, and agree.
void expectRight(const json& model, const std::vector<std::string>& constraints) {
  std::vector<std::string> names;
  for (const json& d : model["derivatives"]) {
    names.push_back(d["variable"]);
    EXPECT_EQ(d["verdict"], "PASS") << d;
    EXPECT_LE(d["error"].get<double>(), 2e-7) << d;
  }
  for (const std::string& name : constraints)
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  EXPECT_LE(model["compiled"].get<double>(), 1e-10);
  EXPECT_LE(model["plain"].get<double>(), 1e-10);
}

std::vector<std::string> conserved(const json& model) {
  std::vector<std::string> names;
  for (const json& c : model["conserved"]) names.push_back(c["name"]);
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

/// A point on a rod whose pivot swings, in a plane that is tilted.
const char* const hamiltonian = R"(model Swung {
  param l = 0.9;
  config x : R^3 momentum p;
  config R : SO(3) momentum M in space;
  hamiltonian = 0.5*dot(p, p)/1.2 + 9.81*x[3] + 0.5*dot(M, R*diag(1, 0.7, 0.4)*transpose(R)*M) + 0.3*dot(R*e1, x);
  constraint rod : dot(x - [0.1*sin(2*t), 0, 0], x - [0.1*sin(2*t), 0, 0]) = l^2;
  constraint tie : dot(R*e3, x) = 0.1;
  constraint blade : dot(x', R*[0.2, 1, 0.1]) = 0.05;
  initial x = [0.5, 0.3, -0.6];  initial p = [0.1, 0.4, 0.2];  initial M = [0.3, 0.5, -0.2];
  initial adjust x, R, p, M;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
})";

} // namespace

TEST(VerifyConstraints, ExamplesAreRight) {
  const Workspace w;
  const json top = verified(w, example("heavy_top_constrained"));
  expectRight(top, {"pin"});
  EXPECT_EQ(conserved(top), (Names{"rotation of R about e2 (body)", "rotation of R, x about e3 (space)"}));
  EXPECT_EQ(top["energy"]["conserved"], true);
  EXPECT_EQ(top["order"]["verdict"], "PASS");
  EXPECT_NEAR(top["order"]["measured"].get<double>(), 4, 0.2);
  EXPECT_EQ(top["reversible"]["verdict"], true);
  const json crank = verified(w, example("slider_crank"));
  expectRight(crank, {"loop", "drive"});
  EXPECT_EQ(crank["energy"]["conserved"], false); // the drive works
  EXPECT_EQ(crank["reversible"]["verdict"], false);
  const json sleigh = verified(w, example("chaplygin_sleigh"));
  expectRight(sleigh, {"blade"});
  EXPECT_EQ(conserved(sleigh), Names{}); // rotation about the blade is a symmetry, and yet its momentum is not kept
  EXPECT_EQ(sleigh["energy"]["conserved"], true);
  expectRight(verified(w, example("rolling_disk")), {"touch", "roll"});
  expectRight(verified(w, example("four_bars")), {"crank", "coupler"});
  const json top2 = verified(w, example("heavy_top_constrained"), {"--method", "VITrapezoid"});
  expectRight(top2, {"pin"});
  EXPECT_NEAR(top2["order"]["measured"].get<double>(), 2, 0.2);
  EXPECT_EQ(top2["time_symmetric"]["verdict"], true);
}

/// A blade at the centre of mass, hinges through the centres: equations whose numbers are all kept at zero by
/// themselves.
TEST(VerifyConstraints, OfNumbersThatStayZero) {
  const Workspace w;
  const std::string sleighs = w.write("sleighs.lie", R"(model Sleighs {
  config X[3] : SE(2) velocity u;
  lagrangian = sum(k in 1..3: 0.5*dot(u[k].v, u[k].v) + 0.025*u[k].w^2)
             + sum(k in 2..3: 0.2*dot(X[k].R*[1, 0], X[k-1].R*[1, 0]));
  joint blade[k in 1..3] = knife_edge(X[k], zeros(2), [1, 0]);
  joint pin[k in 2..3] = plane_revolute(X[k-1], [-0.25, 0], X[k], [0.25, 0]);
  initial X[k in 1..3] = (R = eye(2), x = [-0.5*(k - 1), 0]);
  initial u[k in 1..3] = (w = 0.3*mod(k, 2), v = [1, 0]);
  initial adjust u;
  simulate { method = RKMK4; time = 0..1; step = 5e-3; }
})")
                                  .string();
  expectRight(verified(w, sleighs), {"blade.side", "pin.at"});
  const std::string gimbals = w.write("gimbals.lie", R"(model Gimbals {
  let o = zeros(3);
  config A : SE(3) velocity a;
  config B : SE(3) velocity b;
  config C : SE(3) velocity c;
  lagrangian = 0.5*dot(a.w, diag(0.02, 0.02, 0.03)*a.w) + 0.5*dot(b.w, diag(0.01, 0.012, 0.014)*b.w)
             + 0.5*dot(c.w, diag(0.004, 0.004, 0.007)*c.w) + 0.5*(dot(a.v, a.v) + dot(b.v, b.v) + dot(c.v, c.v))
             - 0.5*dot(C.R*e3, e1)^2;
  joint outer = revolute(world, o, e3, A, o, e3);
  joint inner = revolute(A, o, e1, B, o, e1);
  joint rotor = revolute(B, o, e2, C, o, e3);
  initial C = (R = SO(3).exp([-pi/2, 0, 0]), x = o);
  initial c = (w = [0.3, 0, 100], v = o);
  initial a = (w = [0, 0, 0.5], v = o);
  initial adjust a, b, c;
  simulate { method = RKMK4; time = 0..0.1; step = 1e-3; }
})")
                                  .string();
  expectRight(verified(w, gimbals), {"outer.at", "outer.along", "inner.at", "inner.along", "rotor.along"});
}

TEST(VerifyConstraints, SayWhereBracketsLead) {
  const Workspace w;
  const auto velocities = [&](const std::string& file) { return verified(w, file)["velocities"]; };
  EXPECT_TRUE(velocities(example("slider_crank")).is_null());
  const json sleigh = velocities(example("chaplygin_sleigh")); // Heisenberg's case: one bracket reaches all
  EXPECT_EQ(sleigh["positions"], 3);
  EXPECT_EQ(sleigh["brackets"], (std::vector<int>{2, 3}));
  // The disk: rolling and turning, 3 of 5; brackets of two give one more, of three the last.
  const json disk = velocities(example("rolling_disk"));
  EXPECT_EQ(disk["positions"], 5);
  EXPECT_EQ(disk["brackets"], (std::vector<int>{3, 4, 5}));
  // The rate of a position, as an equation on velocities.
  const auto rate = w.write("rate.lie", "model Rate {\n  config x : R^3 velocity v;\n"
                                        "  lagrangian = 0.5*dot(v, v) - x[3];\n"
                                        "  constraint slope : v[3] = cos(x[1])*v[1] + x[2]*v[2];\n"
                                        "  initial v = [1, 0, 1];\n"
                                        "  simulate { method = RKMK4; time = 0..1; step = 0.01; }\n}\n");
  const json integrable = velocities(rate.string());
  EXPECT_EQ(integrable["integrable"], true);
  EXPECT_EQ(integrable["brackets"], (std::vector<int>{2}));
  const Outcome text = w.lmc({"verify", rate.string()});
  EXPECT_NE(text.out.find("brackets add nothing"), std::string::npos) << text.out;
}

TEST(VerifyConstraints, OfHamiltonianModelsToo) {
  const Workspace w;
  const json model = verified(w, w.write("swung.lie", hamiltonian).string());
  expectRight(model, {"rod", "tie", "blade"});
  EXPECT_EQ(model["energy"]["conserved"], false);
  EXPECT_EQ(model["reversible"]["verdict"], false);
}

/// Three rods where two hold the point already.
TEST(VerifyConstraints, SayWhatTheyCannotExamine) {
  const Workspace w;
  const auto file = w.write("thrice.lie", "model Thrice {\n  config x : R^2 velocity v;\n"
                                          "  lagrangian = 0.5*dot(v, v) - x[2];\n"
                                          "  constraint one : dot(x, x) = 1;\n"
                                          "  constraint two : 2*dot(x, x) = 2;\n"
                                          "  initial x = [0.6, -0.8];\n"
                                          "  simulate { method = RKMK4; time = 0..1; step = 0.01; }\n}\n");
  const json model = verified(w, file.string());
  EXPECT_EQ(model["dependent_constraints"], true);
  EXPECT_TRUE(model["field_derivatives"].is_null());
  EXPECT_TRUE(model["order"].is_null());
  expectRight(model, {"one", "two"});
  const Outcome text = w.lmc({"verify", file.string()});
  EXPECT_NE(text.out.find("not examined, since equations of constraints depend on each other"), std::string::npos);
}

/// A body that hangs from a pin: it swings as its moments about the pin say, and turns freely about the vertical.
TEST(LinearizeConstraints, EigenvaluesAreThoseOfSmallSwings) {
  const Workspace w;
  const auto file = w.write("hung.lie", "model Hung {\n  config R : SO(3) velocity W;\n  config x : R^3 velocity v;\n"
                                        "  lagrangian = 0.5*dot(W, diag(0.4, 0.6, 0.3)*W) + dot(v, v) - 20*x[3];\n"
                                        "  constraint pin : x = R*[0, 0, -0.5];\n"
                                        "  initial x = [0, 0, -0.5];\n}\n");
  const Outcome o = w.lmc({"linearize", file.string(), "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const json at = parseJson(o.out)["at"][0];
  std::vector<double> found;
  for (const json& x : at["eigenvalues"]) {
    EXPECT_NEAR(x[0].get<double>(), 0, 1e-6);
    found.push_back(x[1].get<double>());
  }
  std::sort(found.begin(), found.end());
  const double slow = std::sqrt(10 / (0.6 + 0.5)), fast = std::sqrt(10 / (0.4 + 0.5)); // m g l/(J + m l^2)
  const std::vector<double> expected = {-fast, -slow, 0, 0, slow, fast};
  ASSERT_EQ(found.size(), expected.size());
  // The zeros are double: their error is the root of round-off.
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(found[k], expected[k], expected[k] == 0 ? 1e-6 : 1e-12) << k;
}

TEST(EnsembleConstraints, SamplesFitOrAreAdjustedOrFail) {
  const Workspace w;
  const auto model = [&](const std::string& adjust) {
    return w
        .write("rod" + std::to_string(adjust.size()) + ".lie",
               "model Rod {\n  config x : R^2 velocity v;\n  lagrangian = 0.5*dot(v, v) - 9.81*x[2];\n"
               "  constraint rod : dot(x, x) = 1;\n  initial x = [0.6, -0.8];\n" +
                   adjust + "  simulate { method = RKMK4; time = 0..0.5; step = 0.01; }\n}\n")
        .string();
  };
  const auto samples = [&](const std::string& file) {
    const Outcome o = w.lmc({"ensemble", file, "--samples", "6", "--vary", "x ~ normal(0.01)", "--output", "e.csv",
                             "--quiet", "--keep", "final"});
    return std::pair(o, parseCsv(readFile(w.path("e.csv"))));
  };
  const auto [fine, adjusted] = samples(model("  initial adjust x, v;\n"));
  ASSERT_TRUE(adjusted);
  ASSERT_EQ(adjusted->rows.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(adjusted->at(k, "status"), 0);
    EXPECT_NEAR(std::hypot(adjusted->at(k, "x[1]"), adjusted->at(k, "x[2]")), 1, 1e-13);
  }
  EXPECT_NE(adjusted->at(0, "x[1]"), adjusted->at(1, "x[1]"));
  const auto [outcome, off] = samples(model(""));
  EXPECT_NE(outcome.err.find(
                "all samples failed; the first: the initial values are not on their manifolds or constraints, or"),
            std::string::npos)
      << outcome.err;
  EXPECT_FALSE(off && off->at(0, "status") == 0);
}

/// Two rolling wheels on an axle slip sideways together: one equation follows from the others. At the inner points of a
/// long step they contradict each other a little.
TEST(RedundantConstraints, StepsOfAnyLengthHaveTheirOrder) {
  const Workspace w;
  const auto file = w.write(
      "axle.lie", "model Axle {\n  param r = 0.5;  param d = 0.8;  param m = 2;\n"
                  "  config X : SE(3) velocity u;\n  config A : SE(3) velocity a;\n  config B : SE(3) velocity b;\n"
                  "  let J = turned_inertia(disk_inertia(m, r), SO(3).exp([-pi/2, 0, 0]));\n"
                  "  lagrangian = 0.5*dot(u.w, diag(0.2, 0.01, 0.2)*u.w) + 1.5*dot(u.v, u.v) + 0.5*dot(a.w, J*a.w)\n"
                  "    + 0.5*m*dot(a.v, a.v) + 0.5*dot(b.w, J*b.w) + 0.5*m*dot(b.v, b.v)\n"
                  "    - 9.81*(3*X.x[3] + m*A.x[3] + m*B.x[3]) + 3*X.x[1];\n"
                  "  joint left = revolute(X, d/2*e2, e2, A, zeros(3), e2);\n"
                  "  joint right = revolute(X, -d/2*e2, e2, B, zeros(3), e2);\n"
                  "  joint la = rolling_disk(A, r, e2);\n  joint lb = rolling_disk(B, r, e2);\n"
                  "  initial X = (R = eye(3), x = r*e3);\n  initial A = (R = eye(3), x = r*e3 + d/2*e2);\n"
                  "  initial B = (R = eye(3), x = r*e3 - d/2*e2);\n  initial a = (w = [0, 2, 0.5], v = [0.8, 0, 0]);\n"
                  "  initial b = (w = [0, 3, 0.5], v = [1.2, 0, 0]);\n  initial u = (w = [0, 1, 0.5], v = [1, 0, 0]);\n"
                  "  initial adjust u, a, b;\n  simulate { method = RKMK4; time = 0..1; step = 1e-2; }\n}\n");
  const auto end = [&](const std::string& step) {
    const Trajectory run = runModel(w, file.string(), {"--step", step});
    std::vector<double> x;
    for (const char* name : {"X.x[1]", "X.x[2]", "X.R[1][1]", "A.R[1][3]", "B.R[1][3]", "energy"})
      x.push_back(run.last(name));
    return x;
  };
  const std::vector<double> exact = end("1e-3");
  std::vector<double> errors;
  for (const char* step : {"4e-2", "2e-2", "1e-2"}) {
    const std::vector<double> x = end(step);
    double worst = 0;
    for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::abs(x[k] - exact[k]));
    errors.push_back(worst);
  }
  EXPECT_LT(errors[0], 1e-3);
  for (std::size_t k = 1; k < errors.size(); ++k) EXPECT_GT(errors[k - 1] / errors[k], 8) << errors[k];
}
