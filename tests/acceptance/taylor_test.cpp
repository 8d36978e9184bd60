// Taylor methods in everything that a method is used for: runs, ensembles, exported C, events; what they refuse.
#include "acceptance/Trajectory.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// A family with loops, states of its own, an input and forces.
const std::string several =
    "model M {\n  param k = 2;\n  param m[i in 1..10] = 1 + 0.1*i;\n  input u = 0.3*sin(2*t);\n  config q[10] : S^2 "
    "velocity w;\n"
    "  config x : R velocity v;\n  state z : R;\n"
    "  lagrangian = 0.5*sum(i in 1..10: m[i]*dot(w[i], w[i])) + 0.5*v^2 - 0.5*k*x^2\n"
    "    - sum(i in 1..10: dot(q[i], e3)) - 0.1*sum(i in 1..9: dot(q[i], q[i+1])^3) - x*q[1][1];\n"
    "  force on x = u - 0.1*v*abs(z);\n  flow z = exp(-z) - x;\n"
    "  for i in 1..10 { initial q[i] = normalize([1, i, 0.5]);\n"
    "    initial w[i] = cross(normalize([1, i, 0.5]), [0.3, -0.2, 0.5]); }\n  initial x = 0.4;  initial z = 0.3;\n"
    "  observe s = q[3][2]*v;\n"
    "  simulate { method = Taylor(p = 9); time = 0..2; step = 0.05; output every 0.5; }\n}\n";

struct TaylorRuns : testing::Test {
  Workspace w;
  std::string file = w.write("m.lie", several).string();
};

} // namespace

TEST_F(TaylorRuns, AgreeWithAnotherMethod) {
  const Trajectory own = runModel(w, file, {}), other = runModel(w, file, {"--method", "P853", "--step", "0.01"});
  ASSERT_FALSE(own.rows.empty() || other.rows.empty());
  for (const char* column : {"q[1][1]", "q[10][3]", "w[7][2]", "x", "v", "z", "s"})
    EXPECT_NEAR(own.last(column), other.last(column), 1e-11) << column;
}

TEST_F(TaylorRuns, LanesGiveTheSameBitsInAnyNumberAndAgreeWithARunAlone) {
  const Trajectory alone = runModel(w, file, {});
  std::string first;
  for (const char* lanes : {"1", "2", "8"}) {
    const std::string out = w.path(std::string("e") + lanes + ".csv").string();
    const Outcome o =
        w.lmc({"ensemble", file, "--samples", "11", "--vary", "k ~ linspace(2, 3)", "--lanes", lanes, "--output", out});
    ASSERT_EQ(o.status, 0) << o.err;
    const std::string text = readFile(out);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << lanes;
  }
  const auto samples = parseCsv(first);
  ASSERT_TRUE(samples && !alone.rows.empty());
  for (const char* column : {"q[10][3]", "x", "s"}) EXPECT_NEAR(samples->at(0, column), alone.last(column), 1e-13);
}

TEST_F(TaylorRuns, AdaptiveLanesReachTheTolerance) {
  const Trajectory fine = runModel(w, file, {"--method", "P853", "--tolerance", "1e-12"});
  const std::string out = w.path("a.csv").string();
  const Outcome o = w.lmc({"ensemble", file, "--method", "Taylor", "--tolerance", "1e-10", "--samples", "3", "--vary",
                           "k ~ linspace(2, 3)", "--output", out});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto samples = parseCsv(readFile(out));
  ASSERT_TRUE(samples && !fine.rows.empty());
  for (const char* column : {"q[10][3]", "x", "s"}) EXPECT_NEAR(samples->at(0, column), fine.last(column), 2e-9);
}

TEST_F(TaylorRuns, ExportedCGivesTheSameNumbers) {
  const Trajectory alone = runModel(w, file, {});
  ASSERT_FALSE(alone.rows.empty());
  ASSERT_EQ(w.lmc({"export", "--c", file, "-o", w.path("model").string(), "--prefix", "m"}).status, 0);
  w.write("main.c", "#include <stdio.h>\n#include \"model.h\"\nint main(void) {\n  static m m_;\n  double t = 0;\n"
                    "  if (m_init(&m_) != 0 || m_steps(&m_, &t, 0.05, 40) != 0) return 1;\n"
                    "  printf(\"%.17g\\n\", m_.state.x);\n  return 0;\n}\n");
  const std::string build = "cd " + w.path("").string() +
                            " && cc -std=c99 -O1 -ffp-contract=off -Wall -Wextra -Werror main.c model.c -lm -o main "
                            "> log 2>&1 && ./main > out";
  ASSERT_EQ(std::system(build.c_str()), 0) << readFile(w.path("log"));
  EXPECT_NEAR(std::strtod(readFile(w.path("out")).c_str(), nullptr), alone.last("x"), 1e-13);
}

/// The point where a run stops is found by partial steps.
TEST_F(TaylorRuns, StopAtEventsWhereOtherMethodsDo) {
  const std::string text =
      "model P {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 9.81*x;\n  force on x = -0.1*v^3;\n"
      "  initial x = 1;  initial v = 2;\n  event ground = x;\n"
      "  simulate { method = Taylor; time = 0..5; tolerance = 1e-12; }\n}\n";
  const std::string falling = w.write("p.lie", text).string();
  const Trajectory own = runModel(w, falling, {}), other = runModel(w, falling, {"--method", "P853"});
  ASSERT_FALSE(own.rows.empty() || other.rows.empty());
  EXPECT_NEAR(own.last("t"), other.last("t"), 1e-11);
  EXPECT_NEAR(own.last("v"), other.last("v"), 1e-10);
  EXPECT_NEAR(own.last("x"), 0, 1e-14);
}

/// R stays a rotation and the energy what it was, over many steps.
TEST_F(TaylorRuns, FreeBodyIsAtRoundOff) {
  const std::string body =
      w.write("b.lie", "model B {\n  config R : SO(3) velocity w;\n"
                       "  lagrangian = 0.5*dot(w, diag(1, 2, 2.5)*w);\n  initial w = [0.4, 3, -0.6];\n"
                       "  simulate { method = Taylor(p = 16); time = 0..5000; step = 0.05; output steps 5000; }\n}\n")
          .string();
  const Trajectory t = runModel(w, body, {});
  ASSERT_GE(t.rows.size(), 20U);
  const double eps = 2.220446049250313e-16;
  const auto name = [](int i, int j) { return "R[" + std::to_string(i) + "][" + std::to_string(j) + "]"; };
  const auto energy = [&](std::size_t k) {
    const double a = t.at(k, "w[1]"), b = t.at(k, "w[2]"), c = t.at(k, "w[3]");
    return 0.5 * (a * a + 2 * b * b + 2.5 * c * c);
  };
  for (std::size_t k = 0; k < t.rows.size(); ++k) {
    for (int i = 1; i <= 3; ++i) {
      for (int j = 1; j <= 3; ++j) {
        double sum = i == j ? -1 : 0;
        for (int l = 1; l <= 3; ++l) sum += t.at(k, name(l, i)) * t.at(k, name(l, j));
        EXPECT_LE(std::abs(sum), 4 * eps);
      }
    }
    // 1e5 roundings of the energy, as a random walk and with room.
    EXPECT_NEAR(energy(k) / energy(0), 1, 3e-13);
  }
}

TEST_F(TaylorRuns, HaveNoDerivativesOfSteps) {
  const std::string one = w.write("o.lie", "model O {\n  config x : R^2 velocity v;\n"
                                           "  lagrangian = 0.5*dot(v, v) - 0.5*dot(x, x);\n  initial x = [1, 0];\n"
                                           "  simulate { method = Taylor; time = 0..1; step = 0.01; }\n}\n")
                              .string();
  const Outcome form = w.lmc({"symplecticity", one});
  EXPECT_NE(form.err.find("LIE0437"), std::string::npos) << form.err;
  EXPECT_NE(form.err.find("projected"), std::string::npos) << form.err;
  const Outcome step = w.lmc({"linearize", one, "--discrete"});
  EXPECT_NE((step.err + step.out).find("LIE0437"), std::string::npos) << step.err << step.out;
}
