// Values of all ways to interpolate, and rows that data choose.
#include "Curves.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::acceptance::tables;

namespace {

const std::string still = "  lagrangian = 0.5*v^2;\n";

struct Way {
  const char* words;
  Kind kind;
};

} // namespace

TEST(TableValues, AreThoseOfADenseSpline) {
  for (const int n : {2, 3, 4, 9, 16, 17, 64, 150})
    for (const Way& way : {Way{"extend", Kind::Linear}, Way{"cubic, extend", Kind::Natural},
                           Way{"cubic, periodic", Kind::Periodic}, Way{"periodic", Kind::Linear}}) {
      const bool periodic = std::string(way.words).find("periodic") != std::string::npos;
      if (way.kind == Kind::Natural && n < 3) continue;
      if (way.kind == Kind::Periodic && n < 4) continue;
      const Workspace w;
      const Data data = someData(n, periodic);
      w.write("d.csv", csv(data));
      const double from = static_cast<double>(data.x.front()) - 0.3, to = static_cast<double>(data.x.back()) + 0.3;
      const std::string file =
          w.write("m.lie", model(still + fmt::format("  observe y = interpolate(d.y, t, {0});\n"
                                                     "  observe both = interpolate([d.y, d.z], t, {0});\n"
                                                     "  observe rate = interpolate(d.y, t, {0})';\n",
                                                     way.words),
                                 fmt::format("method = RKMK4; time = {}..{}; step = {};", from, to, (to - from) / 300)))
              .string();
      const Trajectory run = runModel(w, file, {});
      ASSERT_FALSE(run.rows.empty()) << n << way.words;
      const Curve y(way.kind, data.x, data.y), z(way.kind, data.x, data.z);
      for (std::size_t k = 0; k < run.rows.size(); ++k) {
        Real t = run.at(k, "t");
        const Real period = data.x.back() - data.x.front();
        if (periodic) t -= period * std::floor((t - data.x.front()) / period);
        const double size = 1 + std::abs(static_cast<double>(y(t))); // beyond the ends a cubic grows
        EXPECT_NEAR(run.at(k, "y"), static_cast<double>(y(t)), 1e-12 * size)
            << n << way.words << " at " << run.at(k, "t");
        EXPECT_NEAR(run.at(k, "both[1]"), static_cast<double>(y(t)), 1e-12 * size);
        EXPECT_NEAR(run.at(k, "both[2]"), static_cast<double>(z(t)), 1e-12 * (1 + std::abs(static_cast<double>(z(t)))));
        bool atNode = false; // there the rate of straight pieces jumps
        for (const Real x : data.x) atNode = atNode || std::abs(t - x) < 1e-9L;
        if (way.kind == Kind::Linear && atNode) continue;
        EXPECT_NEAR(run.at(k, "rate"), static_cast<double>(y(t, 1)),
                    1e-10 * (1 + std::abs(static_cast<double>(y(t, 1)))))
            << n << way.words;
      }
    }
}

TEST(TableValues, AreHeldBeyondTheEnds) {
  const Workspace w;
  const Data data = someData(12, false);
  w.write("d.csv", csv(data));
  const std::string file = w.write("m.lie", model(still + "  observe y = interpolate(d.y, t, cubic, hold);\n",
                                                  "method = RKMK4; time = -2..6; step = 0.01;"))
                               .string();
  const Trajectory run = runModel(w, file, {});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_EQ(run.at(0, "y"), static_cast<double>(data.y.front()));
  EXPECT_NEAR(run.last("y"), static_cast<double>(data.y.back()), 1e-15);
}

TEST(TableValues, OfRowsAreChosenByData) {
  for (const int n : {7, 16, 17, 40}) { // short families are chosen from by comparisons
    const Workspace w;
    const Data data = someData(n, false);
    w.write("d.csv", csv(data));
    const std::string file =
        w.write("m.lie", model("  param c[20] = 1;\n  let twice[i in 1..d.rows] = 2*d.y[i];\n" + still +
                                   "  observe y = d.y[floor(t/0.5) + 1];\n  observe row = d[floor(t/0.5) + 1];\n"
                                   "  observe named = d[\"x [m]\"][floor(t/0.5) + 1];\n"
                                   "  observe twiceAt = twice[floor(t/0.5) + 1];\n  observe rows = d.rows;\n"
                                   "  observe all = sum(i in 1..d.rows: d.y[i]);\n",
                               fmt::format("method = RKMK4; time = 0..{}; step = 0.25;", 0.5 * n - 0.26)))
            .string();
    const Trajectory run = runModel(w, file, {});
    ASSERT_FALSE(run.rows.empty());
    Real all = 0;
    for (const Real y : data.y) all += y;
    for (std::size_t k = 0; k < run.rows.size(); ++k) {
      const auto row = static_cast<std::size_t>(std::floor(run.at(k, "t") / 0.5));
      EXPECT_EQ(run.at(k, "y"), static_cast<double>(data.y[row]));
      EXPECT_EQ(run.at(k, "row[3]"), static_cast<double>(data.z[row]));
      EXPECT_EQ(run.at(k, "named"), static_cast<double>(data.x[row]));
      EXPECT_EQ(run.at(k, "twiceAt"), 2 * static_cast<double>(data.y[row]));
      EXPECT_EQ(run.at(k, "rows"), n);
      EXPECT_NEAR(run.at(k, "all"), static_cast<double>(all), 1e-13);
    }
  }
}

TEST(TableValues, StopARunThatLeavesThem) {
  const Workspace w;
  w.write("d.csv", csv(someData(12, false)));
  const auto run = [&](const std::string& body, const std::string& settings) {
    return w.lmc({"run", w.write("m.lie", model(body, settings)).string()});
  };
  const std::string fixed = "method = RKMK4; time = 0..9; step = 0.01;";
  const std::string adaptive = "method = RKMK54; time = 0..9; step = 0.01; tolerance = 1e-8;";
  for (const std::string& settings : {fixed, adaptive}) {
    const Outcome byTime = run("  lagrangian = 0.5*v^2;\n  force on q = interpolate(d.y, t);\n", settings);
    EXPECT_NE(byTime.status, 0);
    EXPECT_NE(byTime.err.find("warning[LIE0660]"), std::string::npos) << byTime.err; // it is known before
    EXPECT_NE(byTime.err.find("the run failed at t = 1.87"), std::string::npos) << byTime.err;
    EXPECT_NE(byTime.err.find("`interpolate(d.y, t)`"), std::string::npos) << byTime.err;
    const Outcome byState =
        run("  lagrangian = 0.5*v^2;\n  force on q = 0.001*interpolate(d.y, q, cubic);\n  initial v = 1;\n", settings);
    EXPECT_NE(byState.status, 0);
    EXPECT_EQ(byState.err.find("warning[LIE0660]"), std::string::npos) << byState.err;
    EXPECT_NE(byState.err.find("`interpolate(d.y, q, cubic)` left its table"), std::string::npos) << byState.err;
    const Outcome byRow = run("  lagrangian = 0.5*v^2;\n  force on q = d.y[floor(10*t) + 1];\n", settings);
    EXPECT_NE(byRow.status, 0);
    EXPECT_NE(byRow.err.find("`d.y[floor(10*t) + 1]` is looked up at 13"), std::string::npos) << byRow.err;
  }
  const Outcome observed = run("  lagrangian = 0.5*v^2;\n  observe y = interpolate(d.y, t);\n", fixed);
  EXPECT_NE(observed.err.find("beyond its table"), std::string::npos) << observed.err;
  // A branch that is not taken has no effect.
  const Outcome branch =
      run("  lagrangian = 0.5*v^2;\n  force on q = if t < 1 then interpolate(d.y, t) else 0;\n", fixed);
  EXPECT_EQ(branch.status, 0) << branch.err;
}
