// `lmc symplecticity`: symplectic methods show round-off, others the power of the step that their order makes.
#include "acceptance/Tool.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace lmc::acceptance;

namespace {

nlohmann::json defectsOf(const Workspace& w, Arguments arguments) {
  arguments.insert(arguments.begin(), "symplecticity");
  arguments.emplace_back("--json");
  const Outcome outcome = w.lmc(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return parseJson(outcome.out);
}

void expectSymplectic(const Workspace& w, Arguments arguments) {
  const std::string file = arguments.front();
  const nlohmann::json answer = defectsOf(w, std::move(arguments));
  for (const nlohmann::json& r : answer.at("results")) EXPECT_LT(r.at("defect").get<double>(), 1e-14) << file << r;
  for (const auto& [method, o] : answer.at("overall").items()) {
    EXPECT_EQ(o.at("verdict"), "SYMPLECTIC") << file << " " << method;
    EXPECT_TRUE(o.at("power").is_null());
  }
}

/// The powers that all methods in `methods` show, in the order of their names.
void expectPowers(const Workspace& w, const std::string& file, const std::string& methods, const std::string& steps,
                  const std::vector<double>& powers) {
  const nlohmann::json answer = defectsOf(w, {file, "--methods", methods, "--steps", steps});
  ASSERT_EQ(answer.at("overall").size(), powers.size()) << file;
  std::size_t k = 0;
  for (const auto& [method, o] : answer.at("overall").items()) {
    EXPECT_EQ(o.at("verdict"), "NOT SYMPLECTIC") << file << " " << method;
    ASSERT_TRUE(o.at("power").is_number()) << file << " " << method;
    EXPECT_NEAR(o.at("power").get<double>(), powers[k++], 0.15) << file << " " << method;
  }
}

const char* const symplecticGroupMethods = "SLGI(theta=0),SLGI,SLGI(theta=0.3),LSV,SLGI4";
const std::string oscillators = "model Oscillators {\n  config x[3] : R^2 velocity v;\n"
                                "  lagrangian = sum(i in 1..3: 0.5*i*dot(v[i], v[i]) - 0.25*dot(x[i], x[i])^2)"
                                " - dot(x[1], x[2]) + dot(v[2], [x[3][2], x[1][1]]);\n"
                                "  initial x[i in 1..3] = [1, 0.3*i];\n  initial v[2] = [0.2, -0.4];\n"
                                "  simulate { method = RKMK4; time = 0..1; step = 0.05; }\n}\n";

} // namespace

TEST(Symplecticity, SymplecticMethodsShowRoundOff) {
  const Workspace w;
  for (const char* model : {"heavy_top", "heavy_top_hamiltonian", "energy_test"})
    expectSymplectic(w, {example(model), "--methods", symplecticGroupMethods, "--steps", "0.004,0.001"});
  expectSymplectic(w, {testModel("heavy_top_space"), "--methods", symplecticGroupMethods, "--steps", "0.004,0.001"});
  expectSymplectic(w, {w.write("oscillators.lie", oscillators).string(), "--methods", symplecticGroupMethods});
  for (const std::string& model : {example("spherical_pendulum"), example("pendulum_chain"), testModel("body_on_link")})
    expectSymplectic(w, {model, "--methods", symplecticGroupMethods, "--steps", "0.004,0.001"});
}

TEST(Symplecticity, VariationalMethodsShowRoundOff) {
  const Workspace w;
  const std::string anywhere = "VIMidpoint,VITrapezoid,VIGauss4,VI4,VI6";
  for (const std::string& model : {example("energy_test"), example("heavy_top")})
    expectSymplectic(w, {model, "--methods", anywhere + ",DMV,VLV,VLVexp,SAC", "--steps", "0.004,0.001"});
  for (const std::string& model : {example("spherical_pendulum"), w.write("oscillators.lie", oscillators).string()})
    expectSymplectic(w, {model, "--methods", anywhere, "--steps", "0.004,0.001"});
  for (const std::string& model : {example("pendulum_chain"), testModel("body_on_link")})
    expectSymplectic(w, {model, "--methods", "VIMidpoint,VIGauss4,VI4", "--steps", "0.004,0.001"});
}

TEST(Symplecticity, RattleShowsRoundOff) {
  const Workspace w;
  for (const std::string& model : {example("heavy_top"), example("spherical_pendulum"), example("pendulum_chain")})
    expectSymplectic(w, {model, "--methods", "RATTLE", "--steps", "0.001,0.0005"});
  // 24 unknowns: by products with the Jacobian
  expectSymplectic(w, {example("pendulum_chain"), "--set", "N=6", "--methods", "RATTLE", "--steps", "0.01,0.005"});
}

// On tangent vectors of {c = 0, dc/dt = 0}: elsewhere the form is not kept.
TEST(Symplecticity, OfConstrainedMotions) {
  const Workspace w;
  const std::string anywhere = "VITrapezoid,VIMidpoint,VI4";
  expectSymplectic(w, {example("heavy_top_constrained"), "--methods", anywhere, "--steps", "0.004,0.001"});
  const auto rods = w.write("rods.lie", "model Rods {\n  param N : int = 4;\n  config x[N] : R^3 velocity v;\n"
                                        "  lagrangian = sum(i in 1..N: 0.5*i*dot(v[i], v[i]) - i*x[i][3]);\n"
                                        "  constraint first : dot(x[1], x[1]) = 1;\n"
                                        "  constraint rod[i in 2..N] : dot(x[i] - x[i-1], x[i] - x[i-1]) = 1;\n"
                                        "  initial x[i in 1..N] = [0.6*i, 0, -0.8*i];\n"
                                        "  initial v[i in 1..N] = [0, 0.3*i, 0];\n"
                                        "  simulate { time = 0..1; step = 0.01; }\n}\n");
  expectSymplectic(w, {rods.string(), "--methods", anywhere, "--steps", "0.02,0.01"});
  expectPowers(w, example("heavy_top_constrained"), "CF4,RKMK4", "1e-3,5e-4,2.5e-4", {5, 5});
  const Outcome refused = w.lmc({"symplecticity", example("chaplygin_sleigh"), "--methods", "RKMK4"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("LIE0620"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("`blade` is a constraint on velocities"), std::string::npos) << refused.err;
}

TEST(Symplecticity, OtherRigidBodyMethodsHaveADefectOfOrderThree) {
  const Workspace w;
  expectPowers(w, example("energy_test"), "AKW,ELN,LIEMID,MCG,NEW3,PRK,TLN", "0.125,0.0625,0.03125",
               std::vector<double>(7, 3.0));
}

TEST(Symplecticity, OtherMethodsShowTheirOrder) {
  const Workspace w;
  const std::string methods = "CF4,LieEuler,RKMK3,RKMK4,RKMKGL2";
  const std::vector<double> powers = {5, 2, 4, 5, 3};
  expectPowers(w, example("heavy_top"), methods, "5e-4,2.5e-4,1.25e-4", powers);
  expectPowers(w, testModel("heavy_top_space"), "LieEuler,RKMK3,RKMK4,RKMKGL2", "5e-4,2.5e-4,1.25e-4", {2, 4, 5, 3});
  expectPowers(w, example("heavy_top_hamiltonian"), methods, "5e-4,2.5e-4,1.25e-4", powers);
  expectPowers(w, example("spherical_pendulum"), methods, "0.01,0.005,0.0025", powers);
  const auto sphere = w.write("sphere.lie", "model Sphere {\n  config q : S^2 momentum p;\n"
                                            "  hamiltonian = 0.5*dot(p, p) + 0.3*q[3] + 0.2*dot(q, [0.1, 0.5, 1])^2"
                                            " + 0.1*p[1]^2;\n  initial q = [0.6, 0, 0.8];\n"
                                            "  initial p = cross([0.6, 0, 0.8], [0.3, 0.5, 0.2]);\n}\n");
  expectPowers(w, sphere.string(), methods, "0.1,0.05,0.025", powers);
}

TEST(Symplecticity, OfProductsAndFamilies) {
  const Workspace w;
  expectPowers(w, testModel("body_on_link"), "RKMK3,RKMK4,RKMKGL4", "0.01,0.005,0.0025", {4, 5, 5});
  expectPowers(w, example("pendulum_chain"), "RKMK3,RKMKGL4", "0.01,0.005", {4, 5}); // solved with a matrix
  const nlohmann::json chain = defectsOf( // 24 numbers a stage: by products with the Jacobian
      w, {example("pendulum_chain"), "--set", "N=4", "--methods", "RKMKGL4", "--steps", "0.01,0.005"});
  EXPECT_NEAR(chain.at("overall").at("RKMKGL4").at("power").get<double>(), 5, 0.15);
}

TEST(Symplecticity, GaussMethodsAreSymplecticOnVectorSpaces) {
  // b_i a_ij + b_j a_ji = b_i b_j, in momenta.
  const Workspace w;
  const auto file = w.write("duffing.lie", "model Duffing {\n  config x : R^2 momentum p;\n"
                                           "  hamiltonian = 0.5*dot(p, p) + 0.25*dot(x, x)^2 + 0.3*p[1]*x[2];\n"
                                           "  initial x = [1, 0.5];\n  initial p = [0, 0.7];\n"
                                           "  simulate { method = RKMK4; time = 0..1; step = 0.1; }\n}\n");
  expectSymplectic(w, {file.string(), "--methods", "RKMKGL2,RKMKGL4,RKMKGL6"});
  expectPowers(w, file.string(), "CG3,RK4", "0.01,0.005", {4, 5});
}

TEST(Symplecticity, OfLiePoissonSystemsIsThatOfTheBrackets) {
  const Workspace w;
  expectPowers(w, example("heavy_top_lie_poisson"), "RKMK3,RKMKGL2", "5e-4,2.5e-4,1.25e-4", {4, 3});
  // The flow of a linear Hamiltonian is a coadjoint action, which every method gives exactly.
  const auto linear = w.write("linear.lie", "model Linear {\n  state mu : dual(SE(3));\n"
                                            "  hamiltonian = dot([0.3, -1, 2], mu.w) + dot([1, 0.4, -0.2], mu.v);\n"
                                            "  initial mu = (w = [1, 2, 3], v = [0.5, -1, 2]);\n"
                                            "  simulate { method = LieEuler; time = 0..1; step = 0.1; }\n}\n");
  expectSymplectic(w, {linear.string(), "--methods", "LieEuler,RKMK4"});
  const Outcome text = w.lmc({"symplecticity", example("rigid_body_orbits"), "--methods", "RKMKGL2"});
  EXPECT_NE(text.out.find("not a Poisson map"), std::string::npos) << text.out << text.err;
}

TEST(Symplecticity, HighPowersShowAtLargerSteps) {
  const Workspace w;
  const nlohmann::json answer = defectsOf(w, {example("spherical_pendulum"), "--methods", "RKMK6", "--steps", "1e-3"});
  EXPECT_LT(answer.at("results")[0].at("defect").get<double>(), 1e-14);
  EXPECT_EQ(answer.at("overall").at("RKMK6").at("verdict"), "NOT SYMPLECTIC");
}

TEST(Symplecticity, StepsAreThoseOfTheModelItsHalfAndItsQuarter) {
  const Workspace w;
  const nlohmann::json answer = defectsOf(w, {example("heavy_top")});
  ASSERT_EQ(answer.at("results").size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(answer.at("results")[k].at("method"), "RKMK4");
    EXPECT_EQ(answer.at("results")[k].at("step").get<double>(), 1e-3 / std::pow(2, k));
  }
}

TEST(Symplecticity, ShowsATable) {
  const Workspace w;
  const Outcome outcome = w.lmc({"symplecticity", example("heavy_top"), "--methods", "SLGI,RKMK4"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("SLGI   order 2 declared, symplectic to round-off"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("RKMK4   order 4 declared, not symplectic; the defect is of order h^"), std::string::npos);
}

TEST(Symplecticity, NeedsAFormToKeep) {
  const Workspace w;
  const Outcome flow = w.lmc({"symplecticity", example("humming_top"), "--methods", "RKMK4"});
  EXPECT_EQ(flow.status, 1);
  EXPECT_NE(flow.err.find("error[LIE0620]: `HummingTop` has no symplectic form: `B` is a first-order state"),
            std::string::npos)
      << flow.err;
}

TEST(Symplecticity, WarnsOfForces) {
  const Workspace w;
  const Outcome outcome = w.lmc({"symplecticity", testModel("damped"), "--methods", "RKMK4", "--steps", "0.01"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("warning[LIE0621]"), std::string::npos) << outcome.err;
}

TEST(Symplecticity, FailsWhereNoStepSucceeds) {
  const Workspace w;
  const Outcome outcome =
      w.lmc({"symplecticity", example("heavy_top_hamiltonian"), "--methods", "LSV", "--steps", "0.32"});
  EXPECT_EQ(outcome.status, 3) << outcome.out;
  EXPECT_NE(outcome.out.find("failed"), std::string::npos);
  EXPECT_NE(outcome.err.find("no step of any method succeeds"), std::string::npos) << outcome.err;
}

// A step so small that every method looks symplectic; a method of high order leaves round-off within two doublings, and
// not by an even power.
TEST(Symplecticity, SmallStepsDoNotHideMethodsOfHighOrder) {
  const Workspace w;
  const std::string top = example("heavy_top_hamiltonian");
  for (const char* step : {"1e-6", "1e-5", "1e-4"}) {
    const nlohmann::json all = defectsOf(w, {top, "--methods", "RKMK78,CF4,RKMK4", "--steps", step});
    for (const auto& [method, o] : all.at("overall").items())
      EXPECT_EQ(o.at("verdict"), "NOT SYMPLECTIC") << method << " " << step << o;
    expectSymplectic(w, {top, "--methods", "SLGI", "--steps", step});
  }
}
