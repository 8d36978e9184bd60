// Sampled controllers, against recursions of their own.
#include "acceptance/Runs.h"
#include "acceptance/Trajectory.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// A saturated regulator with a delay of one block, on a double integrator: between blocks the motion is a polynomial.
std::string regulator(const std::string& run) {
  return R"(model Regulator {
  param T = 0.05;
  config x : R velocity v;
  lagrangian = 0.5*v^2;
  discrete u = 0;
  discrete next = 0;
  force on x = u;
  initial x = 1;
  every T from 0.02 {
    reset u = next;
    reset next = max(-2, min(2, -4*x - 3*v));
  }
  simulate { time = 0..3; )" +
         run + " }\n}\n";
}

struct Plant {
  double x = 1, v = 0, u = 0, next = 0;
  void flow(double t) {
    x += v * t + u * t * t / 2;
    v += u * t;
  }
};

Plant regulated(double end) {
  Plant p;
  double t = 0;
  for (int k = 0;; ++k) {
    const double due = 0.02 + k * 0.05;
    if (due > end) break;
    p.flow(due - t);
    t = due;
    p.u = p.next;
    p.next = std::max(-2.0, std::min(2.0, -4 * p.x - 3 * p.v));
  }
  p.flow(end - t);
  return p;
}

} // namespace

TEST(Every, IsARecursionBetweenPolynomials) {
  const Workspace w;
  const Plant p = regulated(3);
  for (const char* s : {"method = RKMK4; step = 0.01;", "method = RKMK4; step = 0.07; output every 0.03;",
                        "method = RKMK54; tolerance = 1e-6;", "method = VITrapezoid; step = 0.013;",
                        "method = RKMK78; step = 1;", "method = P54; tolerance = 1e-8; output every 0.11;"}) {
    SCOPED_TRACE(s);
    const Trajectory run = runModel(w, w.write("m.lie", regulator(s)).string(), {});
    ASSERT_FALSE(run.rows.empty());
    EXPECT_NEAR(run.last("x"), p.x, 3e-13);
    EXPECT_NEAR(run.last("v"), p.v, 3e-13);
    EXPECT_NEAR(run.last("u"), p.u, 3e-13);
    const std::string file = w.path("m.lie").string();
    (void)runModel(w, file, {"--time", "0..1.234", "--checkpoint", "c.json"});
    EXPECT_EQ(runModel(w, file, {"--resume", w.path("c.json").string()}).rows.back(), run.rows.back());
  }
}

TEST(Every, HasItsTimes) {
  const Workspace w;
  const nlohmann::json run = runOf(w, R"(model Rates {
  state z : R;
  flow z = 1;
  discrete fast : int = 0;
  discrete slow : int = 0;
  discrete seen : int = 0;
  discrete odd : bool = false;
  every 0.1 { reset fast = fast + 1; reset odd = not odd; }
  every 0.3 from -0.3 { reset slow = slow + 1; reset seen = fast; }
  event many = rising(fast - 7.5) { reset slow = slow + 100; }
  simulate { method = RKMK4; step = 0.25; time = 0..1; }
}
)",
                                   {"--output", w.path("o.csv").string()});
  EXPECT_EQ(run["jumps"][0]["name"], "every 0.1");
  EXPECT_EQ(run["jumps"][0]["count"], 11); // 0, 0.1, …, 1
  EXPECT_EQ(run["jumps"][1]["count"], 4);  // 0, 0.3, 0.6, 0.9
  const auto o = parseCsv(readFile(w.path("o.csv")));
  ASSERT_TRUE(o);
  EXPECT_EQ(o->last("slow"), 104);
  EXPECT_EQ(o->last("seen"), 10); // at 0.9 the first block came first
  EXPECT_EQ(o->last("odd"), 1);
  EXPECT_EQ(run["events"][0]["name"], "many");
  EXPECT_NEAR(run["events"][0]["time"].get<double>(), 0.7, 1e-15);
}

TEST(Every, IsCarriedOutInEnsembles) {
  const Workspace w;
  const std::string file = w.write("m.lie", regulator("method = RKMK4; step = 0.01;")).string();
  const Outcome o =
      w.lmc({"ensemble", file, "--samples", "5", "--vary", "T ~ linspace(0.04, 0.08)", "--output", "e.csv"});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto all = parseCsv(readFile(w.path("e.csv")));
  ASSERT_TRUE(all);
  ASSERT_EQ(all->rows.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    char period[40];
    std::snprintf(period, sizeof period, "T=%.17g", all->at(k, "vary_T"));
    const Trajectory alone = runModel(w, file, {"--set", period});
    for (const char* column : {"x", "v", "u", "next"}) EXPECT_EQ(all->at(k, column), alone.last(column)) << period;
    EXPECT_NE(alone.last("u"), 0);
  }
}

/// Noise of a sensor: numbers of the seed, chosen by a count of the blocks; whole numbers in conditions and indices.
TEST(Every, ReadsNoiseOfTheSeed) {
  const Workspace w;
  const std::string model = R"(model Noise {
  param noise[i in 1..40] = normal(0, 0.05);
  state x : R;
  flow x = u;
  discrete u = 0;
  discrete k : int = 0;
  discrete sum = 0;
  discrete odd : int = 0;
  every 0.1 {
    reset sum = sum + noise[k + 1];
    reset k = k + 1;
    reset odd = if mod(k, 2) == 1 then odd + k else odd;
  }
  observe all = sum(i in 1..31: noise[i]);
  simulate { method = RKMK4; step = 0.05; time = 0..3; seed = 5; }
}
)";
  const Trajectory run = runModel(w, w.write("m.lie", model).string(), {});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_EQ(run.last("k"), 31);
  EXPECT_NE(run.last("sum"), 0);
  EXPECT_NEAR(run.last("sum"), run.last("all"), 1e-15);
  EXPECT_EQ(run.last("odd"), 1 + 3 + 5 + 7 + 9 + 11 + 13 + 15 + 17 + 19 + 21 + 23 + 25 + 27 + 29);
}

TEST(Every, IntervalOfAParameterIsLookedAtWhenItRuns) {
  const Workspace w;
  const std::string text = failure(w, regulator("method = RKMK4; step = 0.01;"), {"--set", "T=0"});
  EXPECT_NE(text.find("every T"), std::string::npos) << text;
  EXPECT_NE(text.find("above zero"), std::string::npos) << text;
}

/// Where an event falls on the time of a block: it comes first, has its two samples, and the third one is behind the
/// block. So the last line of a run has the state in which it ends.
TEST(Every, IsSampledBehindEventsOfTheSameTime) {
  Workspace w;
  for (const char* run :
       {"method = RKMK4; step = 0.125;", "method = RKMK4; step = 0.07; output every 0.25;",
        "method = RKMK54; tolerance = 1e-6;", "method = Taylor; tolerance = 1e-6; output every 0.5;"}) {
    const std::string file =
        w.write("e.lie", std::string("model E {\n  config x : R velocity v;\n  discrete n = 0;\n  discrete s = 0;\n"
                                     "  lagrangian = 0.5*v^2 - 2*x^2;\n  initial x = 1;\n"
                                     "  event half = t - 0.5 { reset n = n + s; }\n"
                                     "  event whole = t - 1 { reset n = n + s; }\n"
                                     "  every 0.25 { reset s = s + 100; }\n  simulate { time = 0..1; ") +
                             run + " }\n}\n")
            .string();
    const Trajectory t = runModel(w, file, {});
    std::vector<std::array<double, 2>> half, whole;
    for (std::size_t k = 0; k < t.rows.size(); ++k) {
      if (t.at(k, "t") == 0.5) half.push_back({t.at(k, "n"), t.at(k, "s")});
      if (t.at(k, "t") == 1) whole.push_back({t.at(k, "n"), t.at(k, "s")});
    }
    EXPECT_EQ(half, (std::vector<std::array<double, 2>>{{0, 200}, {200, 200}, {200, 300}})) << run;
    EXPECT_EQ(whole, (std::vector<std::array<double, 2>>{{200, 400}, {600, 400}, {600, 500}})) << run;
  }
}
