// What is kept of an ensemble: ends, statistics, trajectories; samples that fail; events.
#include "Ensembles.h"

#include "acceptance/Archive.h"

#include <algorithm>
#include <cmath>

using namespace lmc::acceptance;

namespace {

const Arguments top = {"--samples", "70", "--time", "0..0.02", "--every", "0.005", "--vary", "m ~ normal(15, 1)"};

Arguments with(Arguments a, const Arguments& more) {
  a.insert(a.end(), more.begin(), more.end());
  return a;
}

} // namespace

TEST(Kept, StatisticsAreThoseOfTheTrajectories) {
  const Workspace w;
  const std::string file = example("heavy_top");
  const Trajectory all = ensemble(w, file, with(top, {"--keep", "all"}));
  const Trajectory statistics = ensemble(w, file, with(top, {"--keep", "statistics"}));
  ASSERT_EQ(statistics.rows.size(), 5U);
  ASSERT_EQ(all.rows.size(), 70U * 5U);
  for (std::size_t t = 0; t < 5; ++t) {
    EXPECT_EQ(statistics.at(t, "count"), 70);
    EXPECT_EQ(statistics.at(t, "t"), all.at(t, "t"));
    for (const char* column : {"Omega[1]", "energy", "tip[3]"}) {
      long double mean = 0, squares = 0;
      double least = INFINITY, most = -INFINITY;
      for (std::size_t k = 0; k < 70; ++k) {
        const double x = all.at(5 * k + t, column);
        mean += x / 70.0L;
        least = std::min(least, x);
        most = std::max(most, x);
      }
      for (std::size_t k = 0; k < 70; ++k) squares += std::pow(all.at(5 * k + t, column) - mean, 2);
      const std::string name = column;
      const std::size_t at = std::min(name.find('['), name.size());
      const auto of = [&](const char* suffix) {
        return statistics.at(t, name.substr(0, at) + suffix + name.substr(at));
      };
      const double scale = 1e-13 * std::max({1.0, std::abs(least), std::abs(most)}); // round-off of seventy terms
      EXPECT_NEAR(of("_mean"), static_cast<double>(mean), scale) << column;
      EXPECT_NEAR(of("_deviation"), std::sqrt(static_cast<double>(squares) / 69), 10 * scale) << column;
      EXPECT_EQ(of("_min"), least) << column;
      EXPECT_EQ(of("_max"), most) << column;
    }
  }
}

TEST(Kept, EndsAreTheLastRowsOfTheTrajectories) {
  const Workspace w;
  const std::string file = example("heavy_top");
  const Trajectory all = ensemble(w, file, with(top, {"--keep", "all"}));
  const Trajectory ends = ensemble(w, file, top);
  ASSERT_EQ(ends.rows.size(), 70U);
  ASSERT_EQ(all.rows.size(), 350U);
  ASSERT_EQ(ends.columns, all.columns);
  for (std::size_t k = 0; k < 70; ++k) EXPECT_EQ(ends.rows[k], all.rows[5 * k + 4]) << k;
}

TEST(Kept, ArraysInArchives) {
  const Workspace w;
  const Outcome outcome = w.lmc(with({"ensemble", example("heavy_top"), "--output", "e.npz", "--quiet"}, top));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto arrays = readNpz(readFile(w.path("e.npz")));
  EXPECT_EQ(arrays.at("R").shape, (std::vector<std::size_t>{70, 3, 3}));
  EXPECT_EQ(arrays.at("vary_m").shape, std::vector<std::size_t>{70});
  EXPECT_EQ(w.lmc(with({"ensemble", example("heavy_top"), "--output", "e.h5", "--quiet"}, top)).status, 0);
}

// A step that the end cuts, and rows inside of steps, are those of a run.
TEST(Kept, RowsInsideSteps) {
  const Workspace w;
  const std::string file = example("spherical_pendulum");
  const Arguments times = {"--time", "0..0.1", "--step", "0.03", "--every", "0.04"};
  const Trajectory run = runModel(w, file, times);
  const Trajectory all = ensemble(w, file, with(times, {"--samples", "2", "--keep", "all"}));
  ASSERT_EQ(run.rows.size(), 4U);
  ASSERT_EQ(all.rows.size(), 8U);
  for (std::size_t k = 0; k < 8; ++k)
    for (const std::string& column : run.columns)
      EXPECT_NEAR(all.at(k, column), run.at(k % 4, column), 1e-14) << column;
}

// x' = x^2 from x0 goes to infinity at t = 1/x0.
TEST(Failures, LeaveTheOthersAlone) {
  const Workspace w;
  const std::string file = w.write("blowup.lie", "model Blowup { state x : R; flow x = x^2*x; initial x = 1;\n"
                                                 "simulate { method = RKMK4; time = 0..1; step = 0.01; } }\n")
                               .string();
  const Arguments some = {"--samples", "20", "--vary", "x ~ linspace(0.1, 4)"};
  const Trajectory ends = ensemble(w, file, some);
  ASSERT_EQ(ends.rows.size(), 20U);
  std::size_t failed = 0;
  for (std::size_t k = 0; k < 20; ++k) {
    const double x0 = ends.at(k, "vary_x");
    const bool blows = ends.at(k, "status") != 0;
    failed += blows ? 1 : 0;
    if (2 * x0 * x0 < 0.9) { // x(t) = x0/sqrt(1 - 2 x0^2 t)
      EXPECT_FALSE(blows) << x0;
      EXPECT_NEAR(ends.at(k, "x"), x0 / std::sqrt(1 - 2 * x0 * x0), 1e-4) << x0;
    }
    if (x0 > 1.5) {
      EXPECT_TRUE(blows) << x0;
      EXPECT_TRUE(std::isnan(ends.at(k, "x")));
      EXPECT_GT(ends.at(k, "t"), 0.2 / (x0 * x0)) << x0;
      EXPECT_LT(ends.at(k, "t"), 1) << x0;
    }
  }
  EXPECT_GT(failed, 5U);
  const Trajectory rows = ensemble(w, file, with(some, {"--keep", "statistics", "--every", "0.5"}));
  EXPECT_EQ(rows.at(0, "count"), 20);
  EXPECT_EQ(rows.at(2, "count"), 20 - static_cast<double>(failed));

  Arguments json = {"ensemble", file, "--json"};
  const Outcome some20 = w.lmc(with(json, some));
  EXPECT_EQ(some20.status, 0);
  EXPECT_EQ(parseJson(some20.out)["failed"], failed);
  const Outcome all = w.lmc(with(json, {"--samples", "3", "--vary", "x ~ linspace(3, 4)"}));
  EXPECT_EQ(all.status, 3);
  EXPECT_NE(all.err.find("all samples failed"), std::string::npos) << all.err;
}

// x = x0 at all times: the root is a number in four samples of seven, the inverse is infinite in one, and no sample
// fails. Means and extremes are held against the closed forms.
TEST(Kept, StatisticsSayOfHowManySamplesTheyAre) {
  const Workspace w;
  const std::string file =
      w.write("root.lie", "model Root { config x : R velocity v; lagrangian = v^2/2;\n"
                          "observe root = sqrt(x); observe inverse = 1/abs(x); observe twice = 2*x;\n"
                          "simulate { method = RKMK4; time = 0..1; step = 1; undefined = root; } }\n")
          .string();
  const Trajectory rows =
      ensemble(w, file, {"--keep", "statistics", "--samples", "7", "--vary", "x ~ linspace(-3, 3)"});
  ASSERT_EQ(rows.rows.size(), 2U);
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(rows.at(t, "count"), 7);
    EXPECT_EQ(rows.at(t, "root_count"), 4);
    EXPECT_NEAR(rows.at(t, "root_mean"), (1 + std::sqrt(2.0) + std::sqrt(3.0)) / 4, 1e-15);
    EXPECT_EQ(rows.at(t, "inverse_mean"), INFINITY);
    EXPECT_EQ(rows.at(t, "inverse_max"), INFINITY);
    EXPECT_TRUE(std::isnan(rows.at(t, "inverse_deviation")));
    EXPECT_NEAR(rows.at(t, "inverse_min"), 1.0 / 3, 1e-15);
    EXPECT_NEAR(rows.at(t, "twice_deviation"), 2 * std::sqrt(28.0 / 6), 1e-14);
  }
  EXPECT_EQ(rows.find("twice_count"), -1); // of all samples
}

TEST(Failures, OfAdaptiveStepsAndOfInitialValues) {
  const Workspace w;
  const std::string file =
      w.write("two.lie", "model Two { state x : R; state q : S^2; flow x = x^3; flow q = [0,0,1]; param n = 1;\n"
                         "initial q = [0,0,n]; initial x = 0.1;\n"
                         "simulate { method = RKMK54; time = 0..1; tolerance = 1e-6; } }\n")
          .string();
  const Trajectory blown = ensemble(w, file, {"--samples", "12", "--vary", "x ~ linspace(0.1, 4)"});
  ASSERT_EQ(blown.rows.size(), 12U);
  EXPECT_EQ(blown.at(0, "status"), 0);
  EXPECT_NEAR(blown.at(0, "x"), 0.1 / std::sqrt(1 - 0.02), 1e-6);
  EXPECT_NE(blown.at(11, "status"), 0);
  EXPECT_NEAR(blown.at(11, "t"), 1.0 / 32, 1e-3); // where it goes to infinity
  const Trajectory off = ensemble(w, file, {"--samples", "3", "--vary", "n ~ linspace(1, 1.1)"});
  ASSERT_EQ(off.rows.size(), 3U);
  EXPECT_EQ(off.at(0, "status"), 0);
  EXPECT_EQ(off.at(1, "status"), 101);
  EXPECT_EQ(off.at(2, "status"), 101);
}

// A ball that is thrown up with v from height 1 hits the ground at (v + sqrt(v^2 + 2 g))/g.
TEST(Events, StopEverySampleAtItsTime) {
  const Workspace w;
  const std::string file = w.write("ball.lie", "model Ball { config x : R velocity v; lagrangian = 0.5*v^2 - 9.81*x;\n"
                                               "initial x = 1; event ground = falling(x);\n"
                                               "simulate { method = RKMK4; time = 0..5; step = 0.01; } }\n")
                               .string();
  const Trajectory ends = ensemble(w, file, {"--samples", "5", "--vary", "v ~ linspace(0, 4)"});
  ASSERT_EQ(ends.rows.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    const double v = static_cast<double>(k);
    EXPECT_EQ(ends.at(k, "status"), 102);
    EXPECT_NEAR(ends.at(k, "t"), (v + std::sqrt(v * v + 2 * 9.81)) / 9.81, 1e-12);
    EXPECT_NEAR(ends.at(k, "x"), 0, 1e-12);
  }
}
