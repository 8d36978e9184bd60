// One look-up in every sort of code: lanes, C, objects, resumed runs, every method.
#include "Curves.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::acceptance::tables;

namespace {

const std::string settings = "method = RKMK4; time = 0..2; step = 0.01; output every 0.5;";
/// Rows are chosen by the time, by the state, and by an index.
const std::string body =
    "  param k = 2;\n  lagrangian = 0.5*v^2 - 0.5*k*q^2 + interpolate(d.z, q, cubic, extend);\n"
    "  force on q = interpolate(d.y, t, cubic, hold) + 0.1*d.z[floor(5*t) + 1];\n  initial q = 1;\n"
    "  observe s = interpolate(d.y, q, extend);\n";

struct BackEnds : testing::Test {
  BackEnds() {
    w.write("d.csv", csv(someData(40, false)));
    file = w.write("m.lie", model(body, settings)).string();
  }
  Workspace w;
  std::string file;
};

} // namespace

TEST_F(BackEnds, LanesGiveTheSameBitsInAnyNumber) {
  std::string first;
  for (const char* lanes : {"1", "2", "4", "8", "16"}) {
    const std::string out = w.path(std::string("e") + lanes + ".csv").string();
    const Outcome o = w.lmc({"ensemble", file, "--samples", "21", "--vary", "k ~ uniform(1.5, 2.5)", "--vary",
                             "q ~ normal(0.2)", "--lanes", lanes, "--output", out});
    ASSERT_EQ(o.status, 0) << o.err;
    const std::string text = readFile(out);
    EXPECT_FALSE(text.empty());
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << lanes;
  }
}

TEST_F(BackEnds, LanesAgreeWithARunAlone) {
  const Trajectory alone = runModel(w, file, {});
  const std::string out = w.path("e.csv").string();
  const Outcome o = w.lmc({"ensemble", file, "--samples", "3", "--vary", "k ~ linspace(2, 3)", "--output", out});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto samples = parseCsv(readFile(out));
  ASSERT_TRUE(samples && !alone.rows.empty());
  EXPECT_NEAR(samples->at(0, "q"), alone.last("q"), 1e-14);
  EXPECT_NEAR(samples->at(0, "s"), alone.last("s"), 1e-14);
}

TEST_F(BackEnds, ASampleThatLeavesItsTableFailsAlone) {
  w.write("n.lie",
          model("  lagrangian = 0.5*v^2;\n  force on q = 0.001*interpolate(d.y, q);\n  initial v = 1;\n", settings));
  const std::string out = w.path("n.csv").string();
  const Outcome o = w.lmc(
      {"ensemble", w.path("n.lie").string(), "--samples", "4", "--vary", "v ~ linspace(0.1, 8)", "--output", out});
  const auto samples = parseCsv(readFile(out));
  ASSERT_TRUE(samples) << o.err;
  EXPECT_EQ(samples->at(0, "status"), 0);
  EXPECT_NE(samples->at(samples->rows.size() - 1, "status"), 0);
}

TEST_F(BackEnds, ExportedCGivesTheSameNumbers) {
  const Trajectory alone = runModel(w, file, {});
  ASSERT_FALSE(alone.rows.empty());
  ASSERT_EQ(w.lmc({"export", "--c", file, "-o", w.path("model").string(), "--prefix", "m"}).status, 0);
  w.write("main.c", "#include <stdio.h>\n#include \"model.h\"\nint main(void) {\n  static m m_;\n  double t = 0;\n"
                    "  if (m_init(&m_) != 0 || m_steps(&m_, &t, 0.01, 200) != 0) return 1;\n"
                    "  printf(\"%.17g\\n\", m_.state.q);\n  return 0;\n}\n");
  const std::string folder = w.path("").string();
  const std::string build = "cd " + folder +
                            " && cc -std=c99 -O1 -ffp-contract=off -Wall -Wextra -Werror main.c model.c -lm -o main "
                            "> log 2>&1 && ./main > out";
  ASSERT_EQ(std::system(build.c_str()), 0) << readFile(w.path("log")) << readFile(w.path("model.h")).substr(0, 3000);
  EXPECT_NEAR(std::strtod(readFile(w.path("out")).c_str(), nullptr), alone.last("q"), 1e-13);
}

TEST_F(BackEnds, EveryMethodTakesThem) {
  const double reference = runModel(w, file, {"--step", "1e-3"}).last("q");
  for (const char* method : {"RKMK54", "RKMKGL4", "VIMidpoint", "P4", "LSV", "SDIRK43"}) {
    const Trajectory run = runModel(w, file, {"--method", method, "--step", "1e-3"});
    ASSERT_FALSE(run.rows.empty()) << method;
    EXPECT_NEAR(run.last("q"), reference, 3e-4) << method; // a row changes within a step
  }
}

TEST_F(BackEnds, FamiliesLookUpEachForItself) {
  w.write("f.lie",
          "model F {\n  param d = read(\"d.csv\");\n  config q[30] : R velocity v;\n"
          "  lagrangian = sum(i in 1..30: 0.5*v[i]^2 + interpolate(d.y, q[i], cubic, extend));\n"
          "  initial q[i in 1..30] = 0.1*i;\n  observe y[i in 1..30] = interpolate(d.y, q[i], cubic, extend);\n"
          "  simulate { method = RKMK4; time = 0..0.1; step = 1e-4; }\n}\n");
  const Trajectory run = runModel(w, w.path("f.lie").string(), {});
  ASSERT_FALSE(run.rows.empty());
  const Data data = someData(40, false);
  const Curve curve(Kind::Natural, data.x, data.y);
  for (int i = 1; i <= 30; ++i) {
    const Real q = run.last(fmt::format("q[{}]", i));
    EXPECT_NEAR(run.last(fmt::format("y[{}]", i)), static_cast<double>(curve(q)), 1e-12);
    // The energy of each is its own.
    const Real v = run.last(fmt::format("v[{}]", i));
    EXPECT_NEAR(static_cast<double>(v * v / 2 - curve(q)), static_cast<double>(-curve(0.1L * i)), 1e-6);
  }
}

TEST_F(BackEnds, FunctionsTakeTablesAndColumns) {
  w.write("g.lie",
          "fn ofTable(tab, x) = interpolate(tab.y, x, cubic, hold);\n"
          "fn ofColumn(y, nodes, x) = interpolate(y, x, over = nodes);\nmodel G {\n  param d = read(\"d.csv\");\n"
          "  param e = read(\"d.csv\");\n  config q[3] : R velocity v;\n  state z : R;\n"
          "  lagrangian = sum(i in 1..3: 0.5*v[i]^2) - sum(i in 1..3: ofTable(d, q[i])*ofTable(e, t));\n"
          "  flow z = ofTable(e, z);\n"
          "  for i in 1..3 { force on q[i] = interpolate(e.z, q[i], extend) + d.z[mod(floor(t), 3) + i]; }\n"
          "  input u = ofTable(d, t);\n  force on q[1] = u;\n  initial q[i in 1..3] = ofTable(d, i*0.3);\n"
          "  observe y = ofColumn(d.y, d.x, t);\n  event up = t - ofTable(d, 0.2) - 1.5;\n"
          "  simulate { method = RKMK4; time = 0..2; step = 0.01; }\n}\n");
  const Trajectory run = runModel(w, w.path("g.lie").string(), {});
  ASSERT_FALSE(run.rows.empty());
  const Data data = someData(40, false);
  const Curve natural(Kind::Natural, data.x, data.y), straight(Kind::Linear, data.x, data.y);
  const Real end = 1.5L + natural(0.2L);
  EXPECT_NEAR(run.last("t"), static_cast<double>(std::min(end, 2.0L)), 1e-12);
  EXPECT_NEAR(run.last("y"), static_cast<double>(straight(run.last("t"))), 1e-11);
  for (int i = 1; i <= 3; ++i)
    EXPECT_NEAR(run.at(0, fmt::format("q[{}]", i)), static_cast<double>(natural(0.3L * i)), 1e-12);
}

TEST_F(BackEnds, ARunGoesOnFromACheckpoint) {
  const std::string point = w.path("c.ckpt").string();
  const Trajectory whole = runModel(w, file, {});
  ASSERT_EQ(w.lmc({"run", file, "--time", "0..1", "--checkpoint", point}).status, 0);
  const std::string out = w.path("rest.csv").string();
  const Outcome rest = w.lmc({"run", file, "--resume", point, "--output", out});
  ASSERT_EQ(rest.status, 0) << rest.err;
  const auto samples = parseCsv(readFile(out));
  ASSERT_TRUE(samples && !whole.rows.empty());
  EXPECT_EQ(samples->last("q"), whole.last("q"));
}

TEST_F(BackEnds, EquationsCanBeRead) {
  const Outcome o = w.lmc({"derive", file});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.find("nan"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("v' = d.z'(q) + d.y(t) + "), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("natural cubic spline through the 40 rows of d.y over d.x, held beyond its ends\n"),
            std::string::npos)
      << o.out;
  EXPECT_EQ(o.out.find("bend of"), std::string::npos) << o.out;
  EXPECT_EQ(w.lmc({"derive", file, "--format", "latex"}).status, 0);
  EXPECT_EQ(w.lmc({"derive", file, "--format", "json"}).status, 0);
}
