// `lmc verify` of a model: equations against differences, momentum maps that are found and how well they are kept,
// reversibility.
#include "acceptance/Tool.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;
using nlohmann::json;

namespace {

using Names = std::vector<std::string>;

/// The object "model" of a verification that finds nothing wrong.
json verify(const Workspace& w, const std::string& file, Arguments options = {}) {
  options.insert(options.begin(), {"verify", file, "--json"});
  const Outcome outcome = w.lmc(options);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const json object = parseJson(outcome.out);
  return object.is_object() ? object["model"] : json::object();
}

json verifyText(const std::string& text) {
  const Workspace w;
  return verify(w, w.write("model.lie", text).string());
}

Names conserved(const json& model) {
  Names names;
  for (const json& one : model["conserved"]) names.push_back(one["name"]);
  std::sort(names.begin(), names.end());
  return names;
}

void expectDerivatives(const json& model) {
  ASSERT_FALSE(model["derivatives"].empty());
  for (const json& d : model["derivatives"]) {
    EXPECT_EQ(d["verdict"], "PASS") << d;
    EXPECT_LE(d["error"].get<double>(), 1e-6) << d;
  }
  EXPECT_LE(model["compiled"].get<double>(), 1e-11);
  EXPECT_LE(model["plain"].get<double>(), 1e-11);
  const json& field = model["field_derivatives"];
  if (field.is_null()) return; // of very many numbers
  EXPECT_EQ(field["verdict"], "PASS");
  EXPECT_LE(field["forward"].get<double>(), 1e-8);
  EXPECT_LE(field["backward"].get<double>(), 1e-8);
}

std::string problem(const std::string& name) {
  return (std::filesystem::path(LMC_SOURCE_DIR) / "runtime" / "problems" / (name + ".lie")).string();
}

} // namespace

TEST(Verify, SymmetriesOfTheHeavyTop) {
  const Workspace w;
  const json top = verify(w, example("heavy_top"));
  expectDerivatives(top);
  EXPECT_EQ(conserved(top), (Names{"rotation of R about e2 (body)", "rotation of R about e3 (space)"}));
  EXPECT_EQ(top["energy"]["conserved"], true);
  EXPECT_EQ(top["reversible"]["verdict"], true);
  EXPECT_EQ(top["time_symmetric"]["verdict"], false);
  EXPECT_EQ(top["run"]["steps"], 1000);
  EXPECT_EQ(top["run"]["whole"], true);
  EXPECT_LT(top["run"]["defects"]["R"].get<double>(), 1e-13);
  // The vertical momentum at the start is e3 · R J Omega = 0.234375 · (-4.61538).
  for (const json& one : top["conserved"]) {
    if (one["name"] == "rotation of R about e3 (space)") {
      EXPECT_NEAR(one["start"], -0.234375 * 4.61538, 1e-12);
      EXPECT_LT(one["deviation"].get<double>(), 1e-3); // RKMK4 does not keep it exactly
      EXPECT_GT(one["deviation"].get<double>(), 1e-9);
    }
  }
  // With three different inertias the axis of the body is no symmetry any more.
  EXPECT_EQ(conserved(verify(w, example("heavy_top"), {"--set", "J=diag(0.2,0.4,0.3)"})),
            Names{"rotation of R about e3 (space)"});
}

TEST(Verify, ASymplecticMethodKeepsMomentumAndIsTimeSymmetric) {
  const Workspace w;
  const json top = verify(w, example("heavy_top_hamiltonian"));
  expectDerivatives(top);
  EXPECT_EQ(conserved(top), (Names{"rotation of R about e2 (body)", "rotation of R about e3 (space)"}));
  for (const json& one : top["conserved"]) EXPECT_LT(one["deviation"].get<double>(), 1e-11) << one;
  EXPECT_EQ(top["time_symmetric"]["verdict"], true);
  EXPECT_EQ(verify(w, example("heavy_top_hamiltonian"), {"--method", "SLGI(theta=1/3)"})["time_symmetric"]["verdict"],
            false);
}

TEST(Verify, SymmetriesOfTheExamples) {
  const Workspace w;
  const std::vector<std::pair<Arguments, Names>> expected = {
      {{"spherical_pendulum"}, {"rotation of q about e3 (space)"}},
      {{"pendulum_chain"}, {"rotation of q about e3 (space)"}},
      {{"pendulum_chain", "--set", "N=12"}, {"rotation of q about e3 (space)"}}, // too many for one candidate a member
      {{"energy_test", "--method", "RKMK4"}, {}},
      {{"two_quadrotors"}, {}},
      {{"magnetic_dipoles"}, {}},
      {{"heavy_top_lie_poisson"}, {"mu.w[2]"}},
      {{"dipolar_spheres"},
       {"rotation of q, Q about e1 (space)", "rotation of q, Q about e2 (space)", "rotation of q, Q about e3 (space)",
        "translation of q along e1", "translation of q along e2", "translation of q along e3"}}};
  for (const auto& [arguments, names] : expected) {
    const json model = verify(w, example(arguments[0]), {arguments.begin() + 1, arguments.end()});
    expectDerivatives(model);
    EXPECT_EQ(conserved(model), names) << arguments[0];
    EXPECT_EQ(model["energy"]["conserved"], arguments[0] != "two_quadrotors") << arguments[0];
  }
}

TEST(Verify, EquationsOfTheProblemsOfOrders) {
  const Workspace w;
  for (const char* name : {"body_on_link", "chain_out_of_plane", "top_in_body", "top_in_space"}) {
    const json model = verify(w, problem(name), {"--method", "RKMK4"});
    expectDerivatives(model);
  }
  const json flow = verify(w, problem("flow_on_sphere"), {"--method", "RKMK4"});
  EXPECT_TRUE(flow["derivatives"].empty());
  EXPECT_TRUE(flow["energy"].is_null());
  EXPECT_TRUE(flow["reversible"].is_null());
}

TEST(Verify, EquationsOfManyKindsOfModels) {
  const Workspace w;
  for (const char* name : {"actuator", "coupled_all", "damped", "double_pendulum_angles", "forced", "gyroscopic",
                           "momentum_forces", "moving_pivot", "pendulum_angles", "pendulum_rotation", "plane_body",
                           "rotor_chain", "sphere_momentum", "spin_chain", "top_on_quaternions"}) {
    const json model = verify(w, testModel(name));
    expectDerivatives(model);
    for (const json& d : model["derivatives"]) EXPECT_LE(d["error"].get<double>(), 1e-8) << name << " " << d;
  }
}

TEST(Verify, NamesCombinationsOfMotions) {
  const Workspace w;
  EXPECT_EQ(conserved(verify(w, testModel("gyroscopic"))),
            (Names{"rotation of R about (0.4, 1, -0.6) (space)", "rotation of x, Q about e3 (space)"}));
  EXPECT_EQ(conserved(verify(w, testModel("plane_coordinates"))),
            (Names{"translation of p along e1 - 0.339789 rotation of p (space)", "translation of phi"}));
  EXPECT_EQ(conserved(verify(w, testModel("top_on_quaternions"))),
            (Names{"rotation of q about e2 (body)", "rotation of q about e3 (space)"}));
}

// A quantity that is zero on a run is measured by what it is at states near by, not by its own round-off.
TEST(Verify, DeviationsOfWhatIsZero) {
  const json falling = verifyText(R"(model Falling {
  config x : R^3 velocity v;
  lagrangian = 0.5*dot(v, v) - 9.81*x[3];
  initial x = [1, 0.3, 0.7];
  initial v = [0, 0, 1];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)");
  ASSERT_EQ(falling["conserved"].size(), 3U);
  for (const json& one : falling["conserved"]) EXPECT_LT(one["deviation"].get<double>(), 1e-13) << one;
}

TEST(Verify, MotionsOfSeveralFactorsTogether) {
  // A rigid body with an eccentric mass, free in space.
  const json body = verifyText(R"(model Body {
  config R : SO(3) velocity Omega;
  config x : R^3 velocity v;
  let p = x + R*[0.3, 0.1, -0.2];
  lagrangian = 0.5*dot(Omega, diag(1, 2, 3)*Omega) + dot(v, v) + 0.4*dot(p', p');
  initial Omega = [0.3, 1, 2];
  initial v = [1, 0, -1];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)");
  expectDerivatives(body);
  EXPECT_EQ(conserved(body), (Names{"rotation of R, x about e1 (space)", "rotation of R, x about e2 (space)",
                                    "rotation of R, x about e3 (space)", "translation of x along e1",
                                    "translation of x along e2", "translation of x along e3"}));
  // The double pendulum from two factors: neither link alone has a symmetry.
  const json pendulum = verifyText(R"(model Double {
  config q1 : S^2 velocity w1;
  config q2 : S^2 velocity w2;
  let x = q1 + 0.5*q2;
  lagrangian = 0.5*dot(q1', q1') + 0.5*dot(x', x') - 9.81*(dot(e3, q1) + dot(e3, x));
  initial q1 = e1;
  initial q2 = e2;
  initial w1 = [0, 1, 1];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)");
  expectDerivatives(pendulum);
  EXPECT_EQ(conserved(pendulum), Names{"rotation of q1, q2 about e3 (space)"});
}

TEST(Verify, MembersOfAFamilyAlone) {
  const json two = verifyText(R"(model Two {
  config q[2] : S^2 velocity w;
  config x : R^2 velocity v;
  lagrangian = sum(i in 1..2: 0.5*dot(w[i], w[i]) - dot([1, 0, 1], q[i])) + 0.5*dot(v, v) - dot(x, x)^2;
  initial q[i in 1..2] = e1;
  initial w[i in 1..2] = [0, 0.5, i];
  initial x = [1, 0];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)");
  expectDerivatives(two);
  EXPECT_EQ(conserved(two), (Names{"rotation of q[1] about (1, 0, 1) (space)",
                                   "rotation of q[2] about (1, 0, 1) (space)", "rotation of x (space)"}));
}

TEST(Verify, ForcesDissipationAndTime) {
  // Forces along e3 that depend on time leave the motion in the plane of e1 and e2 alone; the friction brakes all but
  // x.
  const json pushed = verifyText(R"(model Pushed {
  config x : R^3 velocity v;
  config y : R^3 velocity u;
  lagrangian = dot(v, v) + 0.5*dot(u, u);
  force [0, 0, sin(3*t)] at x;
  dissipation = 0.1*dot(u, u);
  initial v = [1, 2, 0];
  initial u = [1, 1, 1];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)");
  expectDerivatives(pushed);
  EXPECT_EQ(conserved(pushed),
            (Names{"rotation of x about e3 (space)", "translation of x along e1", "translation of x along e2"}));
  EXPECT_EQ(pushed["energy"]["conserved"], false);
  EXPECT_EQ(pushed["reversible"]["verdict"], false);
  // A Hamiltonian with forces and friction, on a group in space and on a sphere.
  const json momenta = verifyText(R"(model Momenta {
  config R : SO(3) momentum p in space;
  config q : S^2 momentum m;
  hamiltonian = 0.5*dot(p, p) + 0.3*dot(p, e1) + 0.5*dot(m, m) + dot(m, [0.1, 0, 0.2]) + dot(q, R*e1);
  force [sin(t), 0, 1] at R*e2 + q;
  force on R = 0.1*cross(p, e3);
  dissipation = 0.05*dot(velocity(R), velocity(R));
  initial p = [1, 0, 2];
  initial q = e1;
  initial m = [0, 1, 1];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)");
  expectDerivatives(momenta);
  EXPECT_EQ(conserved(momenta), Names{});
}

// Where nothing moves, equations and differences are both round-off.
TEST(Verify, AMotionThatStartsInEquilibrium) {
  const json frames = verifyText(R"(model Frames {
  config Q : Stiefel(4,2) momentum p;
  hamiltonian = 0.5*dot(p,p) + Q[1,1];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)");
  expectDerivatives(frames);
  EXPECT_EQ(frames["energy"]["conserved"], true);
  EXPECT_EQ(frames["reversible"]["verdict"], true);
}

// Of an energy that starts at 0 nothing is relative to the start.
TEST(Verify, ErrorsOfTheEnergyAreThoseOfTheSummary) {
  const Workspace w;
  const std::string file = w.write("pendulum.lie", R"(model Pendulum {
  config q : S^2 momentum p;
  hamiltonian = 0.5*dot(p,p) + q[1];
  initial q = e3;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)")
                               .string();
  const json energy = verify(w, file)["energy"];
  const Outcome run = w.lmc({"run", file, "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const double error = parseJson(run.out)["energy_error"].get<double>();
  EXPECT_EQ(energy["conserved"], true);
  EXPECT_LT(error, 1e-8);
  EXPECT_NEAR(energy["deviation"].get<double>(), error, 1e-14);
  EXPECT_LE(std::abs(energy["drift"].get<double>()), 2 * error);
}

TEST(Verify, LinearFunctionsOfStates) {
  const json epidemic = verifyText(R"(model Epidemic {
  state z : R^3;
  flow z = [-z[1]*z[2], z[1]*z[2] - 0.3*z[2], 0.3*z[2]];
  initial z = [0.9, 0.1, 0];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)");
  EXPECT_EQ(conserved(epidemic), Names{"z[1] + z[2] + z[3]"});
  EXPECT_TRUE(epidemic["derivatives"].empty());
}

TEST(Verify, AModelWithoutAMethodIsCheckedAsFarAsPossible) {
  const Workspace w;
  w.write("free.lie", "model Free {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2;\n}\n");
  const Outcome outcome = w.lmc({"verify", "free.lie"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("translation of x"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("not run: no method is chosen"), std::string::npos) << outcome.out;
}

// A library file that is given by its path is that file, not the library's copy of it.
TEST(Verify, LawsOfALibraryFile) {
  const Workspace w;
  const std::string file = (std::filesystem::path(LMC_SOURCE_DIR) / "stdlib" / "SO3.lie").string();
  const Outcome outcome = w.lmc({"verify", file, "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json all = parseJson(outcome.out)["manifolds"];
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]["verdict"], "PASS");
  EXPECT_GT(all[0]["laws"].size(), 30U);
  for (const json& law : all[0]["laws"]) EXPECT_EQ(law["verdict"], "PASS") << law;

  std::string text = readFile(file);
  const std::string right = "bracket(u, v)  = cross(u, v)";
  text.replace(text.find(right), right.size(), "bracket(u, v)  = cross(v, u)");
  w.write("SO3.lie", text);
  const Outcome wrong = w.lmc({"verify", "SO3.lie"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("SO3.lie:37:3: error[LIE0574]"), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.err.find("the bracket has the opposite sign"), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.out.find("bracket of the group        FAILS"), std::string::npos) << wrong.out;
}

TEST(Verify, ManifoldsMethodsAndModelOfOneFile) {
  const Workspace w;
  w.write("all.lie", "group Shift {\n  element x : vec(2);\n  algebra v : vec(2);\n  identity = zeros(2);\n"
                     "  product(a, b) = a + b;\n  inverse(a) = -a;\n  bracket(u, v) = zeros(2);\n  exp(v) = v;\n}\n"
                     "method M order 1 {\n  next y = exp(h*f(t, y))*y;\n}\n"
                     "model A {\n  config q : Shift velocity v;\n  lagrangian = 0.5*dot(v, v);\n"
                     "  simulate { method = M; time = 0..1; step = 0.1; }\n}\n");
  const Outcome outcome = w.lmc({"verify", "all.lie", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json all = parseJson(outcome.out);
  EXPECT_EQ(all["manifolds"][0]["name"], "Shift");
  EXPECT_EQ(all["methods"][0]["verdict"], "PASS");
  EXPECT_EQ(all["model"]["name"], "A");
}

TEST(Verify, ALagrangianThatJumpsIsReported) {
  const Workspace w;
  w.write("jump.lie", "model Jump {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - floor(1000*x);\n"
                      "  simulate { method = RKMK4; time = 0..1; step = 0.1; }\n}\n");
  const Outcome outcome = w.lmc({"verify", "jump.lie"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("jump.lie:2:10: error[LIE0561]"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("the motion of `x` does not agree with differences of the lagrangian"), std::string::npos);
  EXPECT_NE(outcome.err.find("must be smooth"), std::string::npos) << outcome.err;
}

// Values of forces are right whatever they are; what linearize would say of this one is not.
TEST(Verify, AForceWhoseDerivativesAreNotThoseOfItsValuesIsReported) {
  const Workspace w;
  w.write("steps.lie",
          "model Steps {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2;\n  force on x = -floor(1e7*x)/1e7;\n"
          "  initial x = 1;\n  simulate { method = RKMK4; time = 0..1; step = 0.1; }\n}\n");
  const Outcome outcome = w.lmc({"verify", "steps.lie"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("steps.lie:1:"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("error[LIE0561]: the derivatives of the equations do not agree"), std::string::npos)
      << outcome.err;
  const json object = parseJson(w.lmc({"verify", "steps.lie", "--json"}).out);
  EXPECT_EQ(object["model"]["field_derivatives"]["verdict"], "FAIL");
  EXPECT_EQ(object["model"]["derivatives"][0]["verdict"], "PASS");
}

/// Two moments of inertia of 1e23 whose difference, divided by one of 1e-5, is rounding of the parameters, and a cosine
/// of 2^53 t: no code is wrong where it comes out otherwise.
TEST(Verify, RoundingOfParametersAndTimeIsNoDefect) {
  const Workspace w;
  const std::string wave = w.write("wave.lie", "model Wave { config x : R velocity v; lagrangian = 0.5*v^2; "
                                               "force on x = cos(9007199254740993*t); initial v = 1; "
                                               "simulate { method = RKMK4; time = 0..1; step = 0.1; } }");
  for (const Arguments& call :
       {Arguments{"verify", example("satellite"), "--set", "J=box_inertia(m, 0.02, 0.01, 1e12)"},
        Arguments{"verify", wave}}) {
    const Outcome outcome = w.lmc(call);
    EXPECT_NE(outcome.status, 70) << outcome.err;
    EXPECT_EQ(outcome.err.find("defect of lmc"), std::string::npos) << outcome.err;
  }
}

/// A table that ends where the run does, and a mechanism without freedoms, whose states are those of their time.
TEST(Verify, ExamplesAtTheEdgeOfTheirData) {
  const Workspace w;
  for (const char* name : {"measured_road", "piston_engine"}) {
    const Outcome o = w.lmc({"verify", example(name)});
    EXPECT_EQ(o.status, 0) << name << '\n' << o.err;
  }
}
