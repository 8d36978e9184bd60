// Runs that look stiff say so, and others do not.
#include "acceptance/Tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// The problem of Prothero and Robinson on SO(3): the solution does not depend on lambda.
const std::string rotations = R"(fn rz(a) = [[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]];
fn rx(a) = [[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]];
model P {
  param lambda = 1e5;
  fn phi(t) = rz(t)*rx(sin(t)/2);
  state R : SO(3) in space;
  flow R = -lambda/2*vee(R*transpose(phi(t)) - phi(t)*transpose(R)) + e3 + rz(t)*(cos(t)/2*e1);
  simulate { method = RKMK54; time = 0..2; tolerance = 1e-6; }
}
)";

/// Of two oscillators the fast one, damped half as much as critically, is at rest soon.
const std::string oscillator = R"(model O {
  param k = 1e6;
  param d = 1000;
  config x : R velocity v;
  config y : R velocity u;
  lagrangian = 0.5*v^2 + 0.5*u^2 - 0.5*k*x^2 - 0.5*y^2;
  dissipation = 0.5*d*v^2;
  initial x = 1e-3;
  initial y = 1;
  simulate { method = RKMK54; time = 0..150; tolerance = 1e-6; }
}
)";

nlohmann::json summaryOf(const Workspace& w, const std::string& file, Arguments more) {
  more.insert(more.begin(), {"run", file, "--json"});
  const Outcome outcome = w.lmc(more);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const nlohmann::json j = parseJson(outcome.out);
  EXPECT_EQ(outcome.err.find("LIE0532") != std::string::npos, j["stiff"] == true) << outcome.err;
  return j;
}

} // namespace

class StiffRun : public testing::TestWithParam<const char*> {};

TEST_P(StiffRun, IsToldOfByEveryExplicitMethod) {
  const Workspace w;
  EXPECT_EQ(summaryOf(w, w.write("p.lie", rotations).string(), {"--method", GetParam()})["stiff"], true);
  EXPECT_EQ(summaryOf(w, w.write("o.lie", oscillator).string(), {"--method", GetParam()})["stiff"], true);
}

/// The same equations where nothing is fast, with a tolerance that takes as many steps.
TEST_P(StiffRun, IsNoneWhereAccuracyAsksForTheSteps) {
  const Workspace w;
  const nlohmann::json p = summaryOf(w, w.write("p.lie", rotations).string(),
                                     {"--method", GetParam(), "--set", "lambda=1", "--time", "0..300"});
  EXPECT_EQ(p["stiff"], false);
  const nlohmann::json o = summaryOf(w, w.write("o.lie", oscillator).string(),
                                     {"--method", GetParam(), "--set", "k=3", "--set", "d=1e-4", "--time", "0..5000"});
  EXPECT_EQ(o["stiff"], false);
}

INSTANTIATE_TEST_SUITE_P(Pairs, StiffRun, testing::Values("RKMK32", "RKMK54", "RKMK78", "CF43", "P54", "P853"),
                         [](const auto& p) { return std::string(p.param); });

TEST(StiffRuns, AreNoneOfTheMethodForThem) {
  const Workspace w;
  const nlohmann::json j = summaryOf(w, w.write("p.lie", rotations).string(), {"--method", "SDIRK43"});
  EXPECT_EQ(j["stiff"], false);
  EXPECT_LT(j["steps"], 1000);
}

TEST(StiffRuns, LooksLeaveNothingBehind) {
  const Workspace w;
  const std::string file = w.write("p.lie", rotations).string();
  const auto table = [&](const Arguments& more, const char* csv) {
    Arguments all = more;
    all.insert(all.end(), {"--every", "0.01", "--output", csv});
    nlohmann::json j = summaryOf(w, file, all);
    return std::pair(j, readFile(w.path(csv)));
  };
  const auto [whole, rows] = table({}, "a.csv");
  (void)table({"--time", "0..1.1", "--checkpoint", "c.json"}, "b.csv");
  const auto [second, later] = table({"--resume", w.path("c.json").string()}, "d.csv");
  for (const char* key : {"steps", "rejected", "evaluations", "stiff"}) EXPECT_EQ(second[key], whole[key]) << key;
  EXPECT_EQ(rows.substr(rows.rfind('\n', rows.size() - 2)), later.substr(later.rfind('\n', later.size() - 2)));
}
