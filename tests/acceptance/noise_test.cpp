// Noise of samplings: the same numbers however a model is stepped.
#include "acceptance/Tool.h"
#include "acceptance/Trajectory.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

using namespace lmc::acceptance;

namespace {

/// A walk whose steps are drawn at 100 Hz, and what a regulator makes of it that sees it with noise.
const char* const noisy = R"(model Noisy {
  param m = 1;
  config x : R^2 velocity v;
  lagrangian = 0.5*m*dot(v, v) - 0.5*dot(x, x);
  discrete u : vec(2) = [0, 0];
  discrete seen[i in 1..3] : vec(2) = [0, 0];
  discrete wind = 0;
  discrete pose : SO(3) = eye(3);
  every 0.01 {
    reset seen[i in 1..3] = x + normal(0, 0.1*i, 2);
    reset u = -0.5*seen[1] - 0.1*normal(v[1], 0.01)*[1, 0];
    reset pose = random(SO(3));
  }
  every 0.04 from 0.02 { reset wind = uniform(-1, 2); }
  force on x = u + [wind, pose[1, 2]];
  initial x = [1, 0];
  simulate { method = RKMK4; time = 0..1; step = 0.004; output every 0.1; }
}
)";

} // namespace

TEST(Noise, DependsOnTheSeedAlone) {
  const Workspace w;
  const std::string file = w.write("m.lie", noisy).string();
  const Trajectory run = runModel(w, file, {}), again = runModel(w, file, {"--every", "0.013"});
  EXPECT_EQ(run.rows.back(), again.rows.back());
  const Trajectory other = runModel(w, file, {"--seed", "2"});
  EXPECT_NE(run.last("x[1]"), other.last("x[1]"));
  EXPECT_EQ(other.rows.back(), runModel(w, file, {"--seed", "2"}).rows.back());
  EXPECT_NE(run.last("wind"), other.last("wind"));
  // A run that goes on from a checkpoint repeats the bits.
  (void)runModel(w, file, {"--time", "0..0.533", "--checkpoint", "c.json"});
  EXPECT_EQ(runModel(w, file, {"--resume", w.path("c.json").string()}).rows.back(), run.rows.back());
}

TEST(Noise, OfSamplesOfAnEnsembleIsThatOfTheirSeeds) {
  const Workspace w;
  const std::string file = w.write("m.lie", noisy).string();
  std::string first;
  for (const char* const threads : {"1", "2"}) {
    const Outcome o = w.lmc({"ensemble", file, "--samples", "11", "--vary", "m ~ linspace(1, 2)", "--seed", "5",
                             "--threads", threads, "--output", "e.csv"});
    ASSERT_EQ(o.status, 0) << o.err;
    const std::string text = readFile(w.path("e.csv"));
    if (first.empty()) first = text;
    EXPECT_EQ(text, first);
  }
  const auto all = parseCsv(first);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->rows.size(), 11U);
  for (const std::size_t k : {0U, 3U, 10U}) {
    char mass[40];
    std::snprintf(mass, sizeof mass, "m=%.17g", all->at(k, "vary_m"));
    const Trajectory alone = runModel(w, file, {"--set", mass, "--seed", std::to_string(5 + k)});
    for (const char* column : {"x[1]", "x[2]", "wind", "seen[3][1]"})
      EXPECT_NEAR(all->at(k, column), alone.last(column), 1e-13) << mass;
  }
}

TEST(Noise, OfExportedCodeIsThatOfARun) {
  const Workspace w;
  const std::string file = w.write("m.lie", noisy).string();
  const Outcome exported = w.lmc({"export", file, "--c", "--prefix", "noisy", "-o", w.path("noisy.c").string()});
  ASSERT_EQ(exported.status, 0) << exported.err;
  w.write("main.c", R"(#include "noisy.h"
#include <stdio.h>
int main(void) {
  static noisy q;
  if (noisy_init(&q) != NOISY_OK) return 1;
  double t = 0;
  for (int k = 0; k <= 50; ++k) { /* every 0.02 a block of the first kind and one of both */
    if (noisy_every_1(&q, 0.02*k) != NOISY_OK) return 1;
    if (k % 2 == 1 && noisy_every_2(&q, 0.02*k) != NOISY_OK) return 1;
    if (k == 50) break;
    for (int i = 0; i < 2; ++i) {
      t = 0.02*k + 0.01*i;
      if (i == 1 && noisy_every_1(&q, t) != NOISY_OK) return 1;
      for (int s = 0; s < 5; ++s)
        if (noisy_step(&q, t + 0.002*s, 0.002) != NOISY_OK) return 1;
    }
  }
  printf("%.17g %.17g %.17g\n", q.state.x[0], q.state.x[1], q.state.wind);
  return 0;
}
)");
  const std::string folder = w.path("").string();
  const std::string command = "cd '" + folder + "' && cc -O2 -o noisy main.c noisy.c -lm && ./noisy > out.txt";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::array<double, 3> numbers{};
  ASSERT_EQ(std::sscanf(readFile(w.path("out.txt")).c_str(), "%lf %lf %lf", &numbers[0], &numbers[1], &numbers[2]), 3);
  const Trajectory run = runModel(w, file, {"--step", "0.002"});
  EXPECT_NEAR(numbers[0], run.last("x[1]"), 1e-12);
  EXPECT_NEAR(numbers[1], run.last("x[2]"), 1e-12);
  EXPECT_NEAR(numbers[2], run.last("wind"), 1e-14);
}

TEST(Noise, HasItsPlaces) {
  const Workspace w;
  const auto failure = [&](const std::string& block) {
    const Outcome o =
        w.lmc({"check", w.write("m.lie", "model M {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2;\n"
                                         "  discrete u = 0;\n  " +
                                             block + "\n}\n")
                            .string()});
    return o.status == 0 ? std::string() : o.err;
  };
  EXPECT_EQ(failure("every 0.1 { reset u = normal(0, 1); }"), "");
  EXPECT_NE(failure("event e = x - 1 { reset u = normal(0, 1); }").find("LIE0136"), std::string::npos);
  EXPECT_NE(failure("every normal(1, 0) { reset u = 1; }").find("LIE0136"), std::string::npos);
  EXPECT_NE(failure("observe o = normal(0, 1);").find("blocks of `every`"), std::string::npos);
}
