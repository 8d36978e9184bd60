// Every number of threads and lanes gives the same bytes, and a sample is what `lmc run` computes.
#include "Ensembles.h"
#include "Shell.h"

#include <array>
#include <cmath>
#include <cstdio>

using namespace lmc::acceptance;

namespace {

struct Case {
  std::string model;
  Arguments arguments;
  std::string parameter, distribution; ///< a scalar parameter
  double tolerance;                    ///< of the agreement with single runs, relative
};

Arguments join(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string exactly(double x) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", x);
  return text.data();
}

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.model << (c.arguments.size() > 3 ? " " + c.arguments.back() : "");
}

class EveryModel : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(EveryModel, SameBitsAndTheValuesOfARun) {
  const Case& c = GetParam();
  const Workspace w;
  const std::string file = example(c.model);
  const Arguments some = join(c.arguments, {"--samples", "11", "--vary", c.parameter + " ~ " + c.distribution});
  const std::string alone = ensembleText(w, file, join(some, {"--lanes", "1", "--threads", "1"}));
  ASSERT_FALSE(alone.empty());
  EXPECT_EQ(ensembleText(w, file, join(some, {"--lanes", "8", "--threads", "2"})), alone);

  const auto table = parseCsv(alone);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows.size(), 11U);
  constexpr std::size_t sample = 7;
  EXPECT_EQ(table->at(sample, "sample"), sample);
  EXPECT_EQ(table->at(sample, "status"), 0);
  const std::string value = exactly(table->at(sample, "vary_" + c.parameter));
  const Trajectory run = runModel(w, file, join(c.arguments, {"--every", "1e3", "--set", c.parameter + "=" + value}));
  ASSERT_FALSE(run.rows.empty());
  for (const std::string& column : run.columns) {
    const double expected = run.last(column);
    EXPECT_NEAR(table->at(sample, column), expected, c.tolerance * std::max(1.0, std::abs(expected))) << column;
  }
}

// Round-off apart, which the operations that are fused decide, they are the same: 1e-12 is some thousand times that.
// Implicit steps stop when the last change is round-off. Adaptive ones differ by what round-off makes of their lengths.
INSTANTIATE_TEST_SUITE_P(
    Models, EveryModel,
    testing::Values(
        Case{"heavy_top", {"--time", "0..0.05"}, "m", "normal(15, 1)", 1e-12},
        Case{"spherical_pendulum", {"--time", "0..0.05"}, "m", "uniform(1, 2)", 1e-12},
        Case{"pendulum_chain", {"--time", "0..0.05"}, "g", "uniform(9, 10)", 1e-9},
        Case{"pendulum_chain",
             {"--time", "0..0.05", "--step", "0.01", "--method", "RKMK4", "--set", "N=12"},
             "g",
             "uniform(9, 10)",
             1e-12},
        Case{"pendulum_chain",
             {"--time", "0..0.005", "--step", "0.001", "--method", "RKMK4", "--set", "N=67"},
             "g",
             "uniform(9, 10)",
             1e-12},
        Case{"two_quadrotors", {"--time", "0..0.02"}, "my", "normal(0.5, 0.01)", 1e-12},
        Case{"magnetic_dipoles", {"--time", "0..0.02"}, "nu", "uniform(0.05, 0.2)", 1e-12},
        Case{"humming_top", {"--time", "0..0.05"}, "m", "linspace(0.9, 1.1)", 1e-12},
        Case{"energy_test", {"--time", "0..0.5", "--method", "RKMKGL4"}, "alpha", "normal(0.3, 0.01)", 1e-11},
        Case{"energy_test", {"--time", "0..0.5", "--method", "VIMidpoint"}, "alpha", "normal(0.3, 0.01)", 1e-11},
        Case{"heavy_top_lie_poisson", {"--time", "0..0.05"}, "m", "normal(15, 1)", 1e-12},
        Case{"heavy_top_constrained", {"--time", "0..0.05"}, "m", "normal(15, 1)", 1e-12},
        Case{"heavy_top_constrained", {"--time", "0..0.05", "--method", "VITrapezoid"}, "m", "normal(15, 1)", 1e-9},
        Case{"rolling_disk", {"--time", "0..0.05"}, "m", "normal(15, 1)", 1e-12},
        Case{"chaplygin_sleigh", {"--time", "0..0.5"}, "a", "uniform(0.3, 0.5)", 1e-12},
        Case{"heavy_top",
             {"--time", "0..0.05", "--tolerance", "1e-9", "--method", "RKMK54"},
             "m",
             "normal(15, 1)",
             1e-9},
        Case{"heavy_top",
             {"--time", "0..0.05", "--tolerance", "1e-5", "--safety", "0.4", "--method", "RKMK54"},
             "m",
             "normal(15, 1)",
             1e-9},
        Case{"two_quadrotors",
             {"--time", "0..0.05", "--tolerance", "1e-7", "--method", "RKMK54"},
             "my",
             "normal(0.5, 0.01)",
             1e-7}));

// 1 to 8 threads, 1 to 16 lanes, as each format; fixed and adaptive steps, ends, statistics and everything.
TEST(Bits, DependNeitherOnThreadsNorOnLanes) {
  for (const auto& [base, keep] :
       {std::pair{study + " --every 0.0055", "statistics"}, {study, "final"}, {adaptive, "all"}}) {
    const Workspace w;
    const Outcome o = shell(w, "set -e\nstudy() { " + base + " --keep " + keep + R"( "$@"; }
for e in csv npz h5; do study --threads 1 --lanes 1 --output one.$e; done
for threads in 1 2 3 4 5 6 7 8; do
  for lanes in 1 2 4 8 16; do
    e=$(echo csv npz h5 | cut -d' ' -f$(((threads + lanes) % 3 + 1)))
    study --threads $threads --lanes $lanes --output r.$e
    cmp r.$e one.$e || { echo "$threads threads, $lanes lanes"; exit 1; }
  done
done)");
    EXPECT_EQ(o.status, 0) << base << keep << "\n" << o.out << o.err;
  }
}

TEST(Bits, OfAdaptiveStepsToo) {
  const Workspace w;
  const Arguments some = {"--samples",   "150",  "--time",   "0..0.2", "--keep", "all",
                          "--every",     "0.05", "--method", "RKMK54", "--vary", "g ~ uniform(5, 15)",
                          "--tolerance", "1e-7"};
  const std::string file = example("spherical_pendulum");
  const std::string reference = ensembleText(w, file, join(some, {"--lanes", "1", "--threads", "1"}));
  ASSERT_FALSE(reference.empty());
  for (const char* lanes : {"4", "8"})
    EXPECT_EQ(ensembleText(w, file, join(some, {"--lanes", lanes, "--threads", "3"})), reference) << lanes << " lanes";
}

// The random numbers of the model itself: sample k has those of a run whose seed is larger by k.
TEST(Bits, RandomNumbersOfTheModel) {
  const Workspace w;
  const std::string file = example("rigid_body_orbits");
  const Trajectory all = ensemble(w, file, {"--samples", "3", "--seed", "40", "--time", "0..0.1"});
  ASSERT_EQ(all.rows.size(), 3U);
  const Trajectory run = runModel(w, file, {"--seed", "42", "--time", "0..0.1", "--every", "1e3"});
  ASSERT_FALSE(run.rows.empty());
  for (const std::string& column : run.columns)
    EXPECT_NEAR(all.at(2, column), run.last(column), 1e-12 * std::max(1.0, std::abs(run.last(column)))) << column;
}
