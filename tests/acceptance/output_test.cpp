// The files that a run writes: columns, precision, times of the samples, both formats.
#include "acceptance/Archive.h"
#include "acceptance/Trajectory.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Names = std::vector<std::string>;

Names header(const std::string& file, const Arguments& arguments = {}) {
  const Workspace w;
  Arguments all{"--method", "RKMK4", "--time", "0..0.01", "--step", "0.01"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return runModel(w, file, all).columns;
}

std::vector<double> times(const Trajectory& run) {
  std::vector<double> t;
  for (const auto& row : run.rows) t.push_back(row.front());
  return t;
}

} // namespace

TEST(Columns, OfASingleFactorWithAMatrix) {
  EXPECT_EQ(header(example("heavy_top")),
            (Names{"t", "R[1][1]", "R[1][2]", "R[1][3]", "R[2][1]", "R[2][2]", "R[2][3]", "R[3][1]", "R[3][2]",
                   "R[3][3]", "Omega[1]", "Omega[2]", "Omega[3]", "energy", "tip[1]", "tip[2]", "tip[3]"}));
}

TEST(Columns, OfAFamily) {
  EXPECT_EQ(header(example("pendulum_chain")),
            (Names{"t", "q[1][1]", "q[1][2]", "q[1][3]", "q[2][1]", "q[2][2]", "q[2][3]", "w[1][1]", "w[1][2]",
                   "w[1][3]", "w[2][1]", "w[2][2]", "w[2][3]", "energy", "tip[1]", "tip[2]", "tip[3]"}));
}

TEST(Columns, FamiliesComeWholeInTheOrderOfDeclaration) {
  const Names names = header(example("two_quadrotors"));
  ASSERT_EQ(names.size(), 1U + 42 + 1 + 6);
  EXPECT_EQ(names[1], "y[1]");
  EXPECT_EQ(names[4], "v[1]");
  EXPECT_EQ(names[7], "R[1][1][1]");
  EXPECT_EQ(names[16 + 3], "R[2][2][1]");
  EXPECT_EQ(names[25], "Omega[1][1]");
  EXPECT_EQ(names[31], "q[1][1]");
  EXPECT_EQ(names[37], "w[1][1]");
  EXPECT_EQ(names[43], "energy");
  EXPECT_EQ(names[44], "left[1]");
  EXPECT_EQ(names[49], "right[3]");
}

/// Columns are those of all indices; pairs that are missing are zero, and their values are not computed: of a point
/// with itself there is no direction.
TEST(Columns, OfPairs) {
  const Workspace w;
  const Trajectory run = runModel(w,
                                  w.write("m.lie", R"(model Pairs {
  param N : int = 3;
  config x[N] : R^2 velocity v;
  lagrangian = sum(i in 1..N : 0.5*dot(v[i], v[i]));
  initial x[i in 1..N] = [i^2, 0];
  initial v[i in 1..N] = [0, i];
  observe to[i in 1..N, j in i+1..N] = (x[j] - x[i])/norm(x[j] - x[i]);
  observe back[i in 2..N, j in 1..i-1] = norm(x[i] - x[j]);
  simulate { method = RKMK4; time = 0..2; step = 0.5; }
})")
                                      .string(),
                                  {});
  const Names names(run.columns.end() - 16, run.columns.end());
  EXPECT_EQ(names, (Names{"to[1][2][1]", "to[1][2][2]", "to[1][3][1]", "to[1][3][2]", "to[2][2][1]", "to[2][2][2]",
                          "to[2][3][1]", "to[2][3][2]", "to[3][2][1]", "to[3][2][2]", "to[3][3][1]", "to[3][3][2]",
                          "back[2][1]", "back[2][2]", "back[3][1]", "back[3][2]"}));
  const double t = 2; // x[i] = (i^2, i t)
  for (int i = 1; i <= 3; ++i)
    for (int j = 2; j <= 3; ++j) {
      const double dx = j * j - i * i, dy = (j - i) * t, d = std::hypot(dx, dy);
      const std::string at = "[" + std::to_string(i) + "][" + std::to_string(j) + "]";
      EXPECT_NEAR(run.last("to" + at + "[1]"), j > i ? dx / d : 0, 1e-14) << at;
      EXPECT_NEAR(run.last("to" + at + "[2]"), j > i ? dy / d : 0, 1e-14) << at;
      if (j > i) EXPECT_NEAR(run.last("back[" + std::to_string(j) + "][" + std::to_string(i) + "]"), d, 1e-13) << at;
    }
  EXPECT_EQ(run.last("back[2][2]"), 0);
}

TEST(Columns, WithoutAnEnergy) {
  EXPECT_EQ(header(example("humming_top")),
            (Names{"t", "B[1][1]", "B[1][2]", "B[1][3]", "B[2][1]", "B[2][2]", "B[2][3]", "B[3][1]", "B[3][2]",
                   "B[3][3]", "w[1]", "w[2]", "w[3]", "Lz", "L3", "E"}));
}

TEST(Columns, OfStatesBesideConfigurations) {
  const Names names = header(testModel("actuator"));
  ASSERT_EQ(names.size(), 1U + 12 + 4 + 1);
  EXPECT_EQ(names[13], "u[1]");
  EXPECT_EQ(names[16], "s");
  EXPECT_EQ(names[17], "energy");
}

TEST(Columns, OfFamiliesOfObservables) {
  EXPECT_EQ(header(testModel("lattice")),
            (Names{"t", "x[1][1]", "x[1][2]", "x[2][1]", "x[2][2]", "x[3][1]", "x[3][2]", "v[1][1]", "v[1][2]",
                   "v[2][1]", "v[2][2]", "v[3][1]", "v[3][2]", "energy", "height[1]", "height[2]", "height[3]",
                   "centre[1]", "centre[2]"}));
  const Names chain = header(testModel("spin_chain"));
  EXPECT_EQ(chain.back(), "neighbour[5]");
  EXPECT_EQ(chain[chain.size() - 4], "neighbour[2]"); // the family starts at 2
}

TEST(Numbers, AreWrittenInFull) {
  const Workspace w;
  const Trajectory run = runModel(w, example("spherical_pendulum"), {"--time", "0..1"});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.at(0, "q[1]"), 1 / std::sqrt(3.0), 2e-16);
  double rest = 0; // digits beyond the twelfth are there
  for (const auto& row : run.rows) {
    for (const double value : row) rest = std::max(rest, std::abs(value * 1e12 - std::round(value * 1e12)));
  }
  EXPECT_GT(rest, 0.1);
}

TEST(Times, TheLastLineIsTheFinalTime) {
  const Workspace w;
  const Trajectory run = runModel(w, testModel("moving_pivot"), {"--time", "0..1", "--step", "0.3"});
  ASSERT_EQ(run.rows.size(), 5U);
  EXPECT_EQ(run.at(0, "t"), 0);
  EXPECT_NEAR(run.at(3, "t"), 0.9, 1e-15);
  EXPECT_EQ(run.last("t"), 1);
  for (const std::string end : {"0.7", "2.2", "0.1", "1e-5", "0.123456789"}) {
    const Trajectory other = runModel(w, example("heavy_top"), {"--time", "0.." + end, "--step", "1e-3"});
    ASSERT_FALSE(other.rows.empty());
    EXPECT_EQ(other.last("t"), std::stod(end));
  }
}

TEST(Times, AStepThatDividesTheIntervalIsNotSplitByRoundOff) {
  const Workspace w;
  const auto samples = [&](const char* time, const char* step, const char* every) {
    return runModel(w, testModel("moving_pivot"), {"--time", time, "--step", step, "--every", every}).rows.size();
  };
  EXPECT_EQ(samples("0..1", "0.1", "0.1"), 11U);
  EXPECT_EQ(samples("0..0.3", "0.1", "0.1"), 4U);
  EXPECT_EQ(samples("0..0.7", "0.07", "0.07"), 11U);
  EXPECT_EQ(samples("0..10", "1e-3", "0.1"), 101U);
  EXPECT_EQ(samples("1..2", "0.01", "0.05"), 21U);
}

TEST(Times, AnIntervalMayStartAnywhere) {
  const Workspace w;
  const Trajectory late = runModel(w, testModel("moving_pivot"), {"--time", "1..2"});
  const Trajectory early = runModel(w, testModel("moving_pivot"), {"--time", "0..1"});
  ASSERT_FALSE(late.rows.empty() || early.rows.empty());
  EXPECT_EQ(late.at(0, "t"), 1);
  EXPECT_EQ(late.last("t"), 2);
  EXPECT_EQ(late.at(0, "q[1]"), early.at(0, "q[1]"));
  EXPECT_GT(std::abs(late.last("q[1]") - early.last("q[1]")), 1e-3) << "the pivot knows no time";
  EXPECT_NEAR(late.at(0, "mass[1]"), 0.3 * std::sin(2.0) + 0.8 * 0.6, 1e-15);
  const Trajectory negative = runModel(w, testModel("moving_pivot"), {"--time", "-1..-0.5"});
  ASSERT_FALSE(negative.rows.empty());
  EXPECT_EQ(negative.last("t"), -0.5);
}

TEST(Sampling, AMultipleOfTheStepIsExact) {
  const Workspace w;
  const Trajectory all = runModel(w, example("heavy_top"), {"--time", "0..0.1"});
  const Trajectory some = runModel(w, example("heavy_top"), {"--time", "0..0.1", "--every", "0.01"});
  ASSERT_EQ(all.rows.size(), 101U);
  ASSERT_EQ(some.rows.size(), 11U);
  for (std::size_t i = 0; i < some.rows.size(); ++i) EXPECT_EQ(some.rows[i], all.rows[10 * i]);
}

TEST(Sampling, BetweenStepsByAPartialStep) {
  const Workspace w;
  const Trajectory run = runModel(w, example("heavy_top"), {"--time", "0..0.01", "--every", "0.0015"});
  ASSERT_EQ(run.rows.size(), 8U); // 0, 0.0015, …, 0.009, and the end
  EXPECT_NEAR(run.at(1, "t"), 0.0015, 1e-17);
  EXPECT_EQ(run.last("t"), 0.01);
  const Trajectory until = runModel(w, example("heavy_top"), {"--time", "0..0.0015"});
  ASSERT_FALSE(until.rows.empty());
  for (std::size_t k = 1; k < run.columns.size(); ++k) {
    EXPECT_NEAR(run.rows[1][k], until.rows.back()[k], 1e-12 * std::max(1.0, std::abs(run.rows[1][k])))
        << run.columns[k];
  }
  // Sampling does not change the motion.
  const Trajectory whole = runModel(w, example("heavy_top"), {"--time", "0..0.01"});
  ASSERT_FALSE(whole.rows.empty());
  EXPECT_EQ(run.rows.back(), whole.rows.back());
}

TEST(Sampling, AsTheModelSays) {
  const Workspace w;
  const Trajectory every = runModel(w, example("spherical_pendulum"), {"--time", "0..10"});
  ASSERT_EQ(every.rows.size(), 101U); // output every 0.1
  const std::string text =
      "model M {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 0.5*x^2;\n  initial x = 1;\n"
      "  simulate { method = RKMK4; time = 0..1; step = 0.01; output steps 25; }\n}\n";
  const Trajectory steps = runModel(w, w.write("steps.lie", text).string(), {});
  EXPECT_EQ(times(steps), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
}

TEST(Archive, HoldsTheSameNumbers) {
  const Workspace w;
  const Arguments settings{"--method", "RKMK4", "--time", "0..0.05", "--step", "0.01", "--quiet"};
  for (const char* name : {"heavy_top", "pendulum_chain", "two_quadrotors", "humming_top"}) {
    const Trajectory csv = runModel(w, example(name), settings);
    ASSERT_FALSE(csv.rows.empty());
    const std::string file = w.path("out.npz").string();
    Arguments arguments{"run", example(name), "--output", file};
    arguments.insert(arguments.end(), settings.begin(), settings.end());
    ASSERT_EQ(w.lmc(arguments).status, 0) << name;
    std::map<std::string, Array> arrays;
    ASSERT_NO_THROW(arrays = readNpz(readFile(file))) << name;
    std::size_t column = 0;
    std::map<std::string, std::size_t> used;
    for (; column < csv.columns.size(); ++column) {
      const std::string variable = csv.columns[column].substr(0, csv.columns[column].find('['));
      ASSERT_TRUE(arrays.contains(variable)) << variable;
      const Array& a = arrays[variable];
      ASSERT_FALSE(a.shape.empty());
      ASSERT_EQ(a.shape[0], csv.rows.size());
      const std::size_t width = a.values.size() / a.shape[0], k = used[variable]++;
      ASSERT_LT(k, width) << variable;
      for (std::size_t i = 0; i < csv.rows.size(); ++i) ASSERT_EQ(a.values[i * width + k], csv.rows[i][column]);
    }
    for (const auto& [variable, a] : arrays) EXPECT_EQ(used[variable], a.values.size() / a.shape[0]) << variable;
  }
}

TEST(Archive, HasTheShapesOfTheVariables) {
  const Workspace w;
  const std::string file = w.path("out.npz").string();
  ASSERT_EQ(w.lmc({"run", example("two_quadrotors"), "--output", file, "--time", "0..0.01", "--quiet"}).status, 0);
  std::map<std::string, Array> arrays;
  ASSERT_NO_THROW(arrays = readNpz(readFile(file)));
  using Shape = std::vector<std::size_t>;
  EXPECT_EQ(arrays["t"].shape, (Shape{11}));
  EXPECT_EQ(arrays["y"].shape, (Shape{11, 3}));
  EXPECT_EQ(arrays["R"].shape, (Shape{11, 2, 3, 3}));
  EXPECT_EQ(arrays["w"].shape, (Shape{11, 2, 3}));
  EXPECT_EQ(arrays["energy"].shape, (Shape{11}));
  EXPECT_EQ(arrays["left"].shape, (Shape{11, 3}));
}

TEST(Files, ThatCannotBeWrittenAreRefused) {
  const Workspace w;
  const auto run = [&](const std::string& file) { return w.lmc({"run", example("heavy_top"), "--output", file}); };
  EXPECT_EQ(run(w.path("out.txt").string()).status, 2);
  EXPECT_EQ(run((w.path("no") / "such" / "folder.csv").string()).status, 2);
}
