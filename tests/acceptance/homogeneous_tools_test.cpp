// Linearization, symplecticity, verification and refusals on homogeneous manifolds whose horizontal spaces are not
// orthogonal to the isotropy in the coordinates of the algebra.
#include "acceptance/Trajectory.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Values = std::vector<std::complex<double>>;

std::string modelOf(const std::string& body) {
  return "import \"" + testModel("homogeneous") + "\";\nmodel M {\n" + body +
         "\n  simulate { method = RKMK4; time = 0..1; step = 0.05; }\n}\n";
}

nlohmann::json answer(const Workspace& w, const std::string& command, const std::string& body, Arguments more = {}) {
  Arguments arguments{command, w.write("model.lie", modelOf(body)).string(), "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = w.lmc(arguments);
  EXPECT_EQ(outcome.status, 0) << body << outcome.out << outcome.err;
  return parseJson(outcome.out);
}

void expectEigenvalues(const std::string& body, const Values& expected) {
  const Workspace w;
  const nlohmann::json found = answer(w, "linearize", body).at("at").at(0).at("eigenvalues");
  ASSERT_EQ(found.size(), expected.size()) << body;
  std::vector<bool> used(expected.size(), false);
  for (const nlohmann::json& f : found) {
    const std::complex<double> value(f[0].get<double>(), f[1].get<double>());
    bool met = false;
    for (std::size_t k = 0; k < expected.size() && !met; ++k) {
      met = !used[k] && std::abs(value - expected[k]) < 1e-7; // double ones split by the root of the round-off
      if (met) used[k] = true;
    }
    EXPECT_TRUE(met) << body << value;
  }
}

const char* const heavyHalfPlane = "  config q : HalfPlane velocity w;\n"
                                   "  lagrangian = 0.5*dot(q', q')/q[2]^2 - 0.6*q[1] - 0.3*q[1]*q[2];\n"
                                   "  initial q = [0, 1];\n  initial w = [0.3, 0.4, 0.4];";
const char* const projectedHalfPlane = "  config q : ProjectedHalfPlane momentum p;\n"
                                       "  hamiltonian = 0.5*q[2]^2*p[2]^2 + 0.5*(p[1]/2 - q[1]*p[2])^2 + 0.6*q[1];\n"
                                       "  force on q = [0.3, -0.2*t, 0.1];\n"
                                       "  initial q = [0, 1];\n  initial p = [1.2, 0.8, 0.8];";
const char* const heavySphere =
    "  config q[2] : SkewedSphere velocity w;\n"
    "  lagrangian = sum(i in 1..2: 0.5*i*dot(q[i]', q[i]') - 2*q[i][1]) - dot(q[1], q[2]);\n"
    "  dissipation = D*dot(q[1]', q[1]');\n  param D = 0;\n"
    "  initial q[1] = [0.48, 0.6, 0.64];\n  initial q[2] = [0.6, 0, -0.8];";
const char* const screws = "  config q : Space velocity w;\n  lagrangian = 0.5*dot(q', q') - dot(q, q)^2 - q[1];\n"
                           "  initial q = [0.3, -1, 0.4];";
const char* const pushed = "  config q : ProjectedPlane velocity w;\n  param D = 0.2;\n"
                           "  lagrangian = 0.5*dot(q', q') - dot(q, q)^2;\n  dissipation = D*dot(q', q');\n"
                           "  force [1, 2*t] at q;\n  initial q = [0.3, -1];";
const char* const momenta = "  config q : Space momentum p;\n"
                            "  hamiltonian = 0.5*dot(p.v, p.v) + dot(q, q)^2 + dot([0.4, 0.1, -0.3], p.w);\n"
                            "  dissipation = 0.1*dot(q', q');\n  initial q = [0.3, -1, 0.4];";

} // namespace

TEST(HomogeneousTools, EigenvaluesOfFlows) {
  // A spiral about (1, -0.5): a turn and a translation.
  expectEigenvalues("  state z : Plane;\n  let c = [1, -0.5];\n"
                    "  flow z = (w = 2, v = -0.5*(z - c) - 2*[-c[2], c[1]]);\n  initial z = [1, -0.5];",
                    {{-0.5, 2}, {-0.5, -2}});
  // The turns about a point of the half plane, f z^2 - 2 h z - e = 0.
  const double d = 0.31;
  expectEigenvalues("  state z : HalfPlane;\n  flow z = [0.3, 0.5, -0.8];\n  initial z = [-0.375, sqrt(0.31)/0.8];",
                    {{0, 2 * std::sqrt(d)}, {0, -2 * std::sqrt(d)}});
}

TEST(HomogeneousTools, FrequenciesOfOscillators) {
  const Values two = {{0, 2}, {0, -2}, {0, 2}, {0, -2}};
  Values three = two;
  three.insert(three.end(), {{0, 2}, {0, -2}});
  for (const std::string manifold : {"Plane", "ProjectedPlane"}) {
    const std::string c = "  let d = q - [1, -0.5];\n  initial q = [1, -0.5];\n";
    expectEigenvalues(
        "  config q : " + manifold + " velocity w;\n" + c + "  lagrangian = 0.5*dot(q', q') - 2*dot(d, d);", two);
    expectEigenvalues("  config q : " + manifold + " momentum p;\n" + c +
                          "  hamiltonian = 0.5*dot(p.v, p.v) + 2*dot(d, d) + 0.3*(p.w + q[2]*p.v[1] - q[1]*p.v[2]);",
                      two);
  }
  expectEigenvalues("  config q : Space velocity w;\n  let d = q - [1, -0.5, 2];\n  initial q = [1, -0.5, 2];\n"
                    "  lagrangian = 0.5*dot(q', q') - 2*dot(d, d);",
                    three);
}

TEST(HomogeneousTools, VariationalMethodsAreSymplectic) {
  for (const char* body : {heavyHalfPlane, heavySphere, screws}) {
    const Workspace w;
    const nlohmann::json all =
        answer(w, "symplecticity", body, {"--methods", "VIMidpoint,RKMK4", "--steps", "0.1,0.05"});
    EXPECT_EQ(all.at("overall").at("VIMidpoint").at("verdict"), "SYMPLECTIC") << body << all;
    EXPECT_EQ(all.at("overall").at("RKMK4").at("verdict"), "NOT SYMPLECTIC") << body << all;
  }
}

TEST(HomogeneousTools, EquationsAgreeWithDifferences) {
  for (const char* body : {heavyHalfPlane, projectedHalfPlane, heavySphere, screws, pushed, momenta}) {
    const Workspace w;
    const nlohmann::json all = answer(w, "verify", body);
    for (const nlohmann::json& d : all.at("model").at("derivatives")) {
      EXPECT_EQ(d.at("verdict"), "PASS") << body << d;
      EXPECT_LE(d.at("error").get<double>(), 1e-7) << body << d;
    }
  }
}

TEST(HomogeneousTools, ConditionsThatTheGroupDoesNotCarryAreRefused) {
  const Workspace w;
  const std::string text = "manifold Ball {\n  point q : vec(3);\n  group SO(3);\n  action(A, q) = A*q;\n"
                           "  horizontal(q, w) = dot(q, w) + 0.1*q[3]*dot([1, 2, 3], cross(q, w));\n"
                           "  holds dot(q, q) = 1;\n}\n"
                           "model M {\n  config q : Ball velocity w;\n  lagrangian = 0.5*dot(q', q');\n"
                           "  initial q = e3;\n  simulate { method = RKMK4; time = 0..1; step = 0.1; }\n}\n";
  const Outcome outcome = w.lmc({"run", w.write("model.lie", text).string()});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("model.lie:9:10: error[LIE0578]"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("is not equivariant"), std::string::npos) << outcome.err;
}

// A velocity or momentum off by a little goes to where it moves the point, or acts on horizontal velocities, alike.
TEST(HomogeneousTools, MomentaAlongTheIsotropyAreErrors) {
  const Workspace w;
  const std::string body = "  config q : Plane momentum p;\n  hamiltonian = 0.5*dot(p.v, p.v);\n"
                           "  initial q = [0.7, -0.4];\n  initial p = (w = W, v = [0.5, 1.2]);\n";
  const auto run = [&](const std::string& turn) {
    return w.lmc({"run", w.write("model.lie", modelOf("  param W = " + turn + ";\n" + body)).string(), "--quiet"});
  };
  EXPECT_EQ(run("1.04").status, 0);
  const Outcome wrong = run("0");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("LIE0403"), std::string::npos) << wrong.err;
}

// A pendulum in a plane of a large sphere, against the same in its angle: constraint forces where the kinetic energy is
// constant in the space around, a mass matrix with more conormals than are written out where it is not.
TEST(HomogeneousTools, SpheresOfManyDimensions) {
  const Workspace w;
  const std::string end = "\n  simulate { method = RKMK4; time = 0..1; step = 0.02; }\n}\n";
  const auto motion = [&](int n, const std::string& mass) {
    const std::string zeros = "[" + std::string("0.6, 0, 0.8") + [&] {
      std::string rest;
      for (int k = 3; k <= n; ++k) rest += ", 0";
      return rest + "]";
    }();
    const std::string size = std::to_string(n * (n + 1) / 2);
    return runModel(w,
                    w.write("sphere.lie", "model Sphere {\n  config q : S^" + std::to_string(n) +
                                              " velocity w;\n  lagrangian = 0.5*(" + mass +
                                              ")*dot(q', q') - q[3];\n  initial q = " + zeros +
                                              ";\n  initial w = 0.3*unit(" + size + ", 2);" + end)
                        .string(),
                    {});
  };
  const auto angle = [&](const std::string& mass) {
    return runModel(w,
                    w.write("angle.lie", "model Angle {\n  config a : R velocity v;\n  lagrangian = 0.5*(" + mass +
                                             ")*v^2 - sin(a);\n  initial a = atan2(0.8, 0.6);\n  initial v = 0.3;" +
                                             end)
                        .string(),
                    {});
  };
  struct Case {
    int n;
    const char *mass, *ofAngle;
  };
  for (const Case& c : {Case{7, "1", "1"}, Case{12, "2.5", "2.5"}, Case{7, "1 + 0.3*q[3]^2", "1 + 0.3*sin(a)^2"}}) {
    const Trajectory q = motion(c.n, c.mass), a = angle(c.ofAngle);
    ASSERT_FALSE(q.rows.empty());
    ASSERT_FALSE(a.rows.empty());
    EXPECT_NEAR(q.last("q[1]"), std::cos(a.last("a")), 1e-9) << c.n << " " << c.mass;
    EXPECT_NEAR(q.last("q[3]"), std::sin(a.last("a")), 1e-9) << c.n << " " << c.mass;
    EXPECT_NEAR(q.last("w[2]"), a.last("v"), 1e-9) << c.n << " " << c.mass;
  }
}

// What costs is counted, not timed: SO(31) has 465 dimensions.
TEST(HomogeneousTools, LargeSpheresAreCheckedOrRefusedAtOnce) {
  const Workspace w;
  const auto check = [&](const std::string& mass, const std::string& nodes) {
    return w.lmc({"check",
                  w.write("large.lie", "model Large {\n  config q : S^30 velocity w;\n  lagrangian = 0.5*" + mass +
                                           "*dot(q', q') - q[3];\n  initial q = unit(31, 1);\n"
                                           "  simulate { method = RKMK4; time = 0..1; step = 0.02; }\n}\n")
                      .string(),
                  "--limit-nodes", nodes});
  };
  EXPECT_EQ(check("2", "3000000").status, 0);
  const Outcome refused = check("(1 + q[1]^2)", "3000000");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("large.lie:2:10: error[LIE0024]"), std::string::npos) << refused.err;
}

/// A condition says the same at any scale.
TEST(HomogeneousTools, ScaleOfTheHorizontalConditionMakesNoDifference) {
  const Workspace w;
  const auto end = [&](const std::string& scale, const char* method) {
    const std::string file = w.write("scaled.lie", "manifold Ball { point q : vec(3); group SO(3); action(A, q) = A*q; "
                                                   "horizontal(q, w) = " +
                                                       scale +
                                                       "*dot(q, w); base = [0, 0, 1]; random = normalize(normal(0, 1, "
                                                       "3)); holds dot(q, q) = 1; }\n"
                                                       "model P { config q : Ball velocity w; lagrangian = "
                                                       "0.5*dot(q', q') - 9.81*q[3]; initial q = [1, 0, 0]; initial w "
                                                       "= [0, 1, 0.5]; simulate { step = 0.01; time = 0..1; } }\n");
    return runModel(w, file, {"--method", method}).rows.back();
  };
  for (const char* const method : {"RKMK4", "CF4", "RATTLE", "VIMidpoint", "VITrapezoid", "VI4"}) {
    const auto wanted = end("1", method);
    for (const char* const scale : {"1e8", "1e-8", "1e30", "-3e-20"}) {
      const auto found = end(scale, method);
      ASSERT_EQ(found.size(), wanted.size()) << method << scale;
      for (std::size_t k = 0; k < wanted.size(); ++k)
        EXPECT_NEAR(found[k], wanted[k], 1e-10) << method << ' ' << scale << ' ' << k;
    }
  }
}

/// What is wrong is the value of the command line, and not the one of the file that it replaces.
TEST(InitialValuesOffTheManifold, AreToldWhereTheyAreGiven) {
  const Workspace w;
  const std::string file =
      w.write("points.lie", "model Points { config q[2] : S^2 velocity w; config R : SO(3) velocity W;"
                            "lagrangian = 0.5*sum(i in 1..2: dot(w[i], w[i])) + 0.5*dot(W, W);"
                            "initial q[i in 1..2] = [0, 0, 1]; initial R = eye(3);"
                            "simulate { method = RKMK4; time = 0..1; step = 0.1; } }")
          .string();
  for (const auto& [name, value] : {std::pair{"q", "[0, 0, 2]"},
                                    {"q[2]", "[0, 2, 0]"},
                                    {"w[1]", "[0, 0, 1]"},
                                    {"R", "2*eye(3)"},
                                    {"R[1,2]", "0.5"}}) {
    const Outcome o = w.lmc({"run", file, "--set", std::string(name) + "=" + value});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err.rfind("--set " + std::string(name) + ":1:1: error[LIE040", 0), 0U) << o.err;
  }
}
