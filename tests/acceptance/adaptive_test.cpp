// Adaptive steps as a user sees them: errors follow the tolerance, samples leave the steps alone, failures say why.
#include "acceptance/OrderProblems.h"
#include "acceptance/Trajectory.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::reference;

namespace {

std::string number(double value) {
  return nlohmann::json(value).dump();
}

Arguments arguments(const OrderProblem& p, const Arguments& more) {
  Arguments all = {"--time", "0.." + number(p.range.time)};
  all.insert(all.end(), p.set.begin(), p.set.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

nlohmann::json summaryOf(const Workspace& w, const std::string& file, Arguments more, int status = 0) {
  more.insert(more.begin(), {"run", file, "--json"});
  const Outcome outcome = w.lmc(more);
  EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
  return parseJson(outcome.out);
}

const std::string oscillator = R"(model Oscillator {
  config x : R velocity v;
  lagrangian = 0.5*v^2 - 0.5*x^2;
  initial x = 1;
  simulate { method = RKMK54; time = 0..10; tolerance = 1e-6; }
}
)";

const std::string mixed = R"(model Mixed {
  config x[3] : R^2 velocity u;
  config R : SO(3) velocity w;
  config q : S^2 velocity p;
  state z : R;
  lagrangian = 0.5*dot(w, diag(1, 2, 3)*w) + 0.5*dot(p, p) - dot(e3, q) - dot(R*e1, q)
             + sum(i in 1..3: 0.5*dot(u[i], u[i]) - 0.5*i*dot(x[i], x[i]));
  flow z = -z + dot(q, e1);
  for i in 1..3 { initial x[i] = [1, i]; }
  initial w = [0.1, 2, 0.1];
  initial q = [1, 0, 0];
  simulate { method = CF43; time = 0..5; tolerance = 1e-6; }
}
)";

} // namespace

using Case = std::tuple<const char*, const char*>;
class Tolerance : public testing::TestWithParam<Case> {};

TEST_P(Tolerance, RulesTheError) {
  const auto& [problemName, method] = GetParam();
  const OrderProblem& p = orderProblem(problemName);
  const Workspace w;
  std::vector<double> tolerances, errors;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Trajectory run =
        runModel(w, p.file,
                 arguments(p, {"--method", method, "--tolerance", number(tolerance), "--every", number(p.range.time)}));
    ASSERT_EQ(run.rows.size(), 2U);
    ASSERT_EQ(run.last("t"), p.range.time);
    tolerances.push_back(tolerance);
    errors.push_back(p.error(run));
  }
  const double slope = lmc::reference::orders::slope(tolerances, errors);
  EXPECT_GE(slope, 0.75) << testing::PrintToString(errors);
  EXPECT_LE(slope, 1.15) << testing::PrintToString(errors);
}

INSTANTIATE_TEST_SUITE_P(Pairs, Tolerance,
                         testing::Combine(testing::Values("TopInBody", "MomentumInSpace", "ChainOutOfPlane",
                                                          "BriefFlowOnSphere"),
                                          testing::Values("RKMK32", "RKMK45", "RKMK54", "RKMK78", "CG23", "CG34",
                                                          "CF32", "CF32b", "CF43", "P54", "P853")),
                         [](const auto& p) { return std::string(std::get<0>(p.param)) + "_" + std::get<1>(p.param); });

TEST(AdaptiveSamples, LeaveTheStepsAlone) {
  const Workspace w;
  const std::string file = w.write("m.lie", mixed).string();
  const Trajectory steps = runModel(w, file, {});
  const Trajectory samples = runModel(w, file, {"--every", "0.01"});
  const Trajectory ends = runModel(w, file, {"--every", "5"});
  EXPECT_EQ(samples.rows.size(), 501U);
  EXPECT_EQ(samples.rows.back(), steps.rows.back());
  EXPECT_EQ(ends.rows.back(), steps.rows.back());
  EXPECT_EQ(steps.last("t"), 5);
  const nlohmann::json a = summaryOf(w, file, {}), b = summaryOf(w, file, {"--every", "0.01", "--output", "b.csv"});
  EXPECT_EQ(a["steps"], b["steps"]);
  EXPECT_LT(a["evaluations"], b["evaluations"]);
  EXPECT_EQ(a["steps"].get<std::size_t>() + 1, steps.rows.size());
}

TEST(AdaptiveSamples, AreAsAccurateAsTheSteps) {
  const Workspace w;
  const Trajectory run = runModel(w, w.write("o.lie", oscillator).string(), {"--tolerance", "1e-9", "--every", "0.37"});
  ASSERT_EQ(run.rows.size(), 29U);
  for (std::size_t k = 0; k < run.rows.size(); ++k) EXPECT_NEAR(run.at(k, "x"), std::cos(run.at(k, "t")), 1e-7);
}

TEST(AdaptiveSamples, CountSteps) {
  const Workspace w;
  const std::string file = w.write("m.lie", mixed).string();
  const std::string third =
      w.write("n.lie", std::string(mixed).replace(mixed.find("tolerance ="), 0, "output steps 3; ")).string();
  const Trajectory all = runModel(w, file, {}), some = runModel(w, third, {});
  ASSERT_GT(some.rows.size(), 3U);
  EXPECT_EQ(some.rows[1], all.rows[3]);
  EXPECT_EQ(some.rows[2], all.rows[6]);
  EXPECT_EQ(some.rows.back(), all.rows.back());
}

TEST(AdaptiveSummary, TellsStepsAndEvaluations) {
  const Workspace w;
  const std::string file = w.write("o.lie", oscillator).string();
  const nlohmann::json j = summaryOf(w, file, {"--tolerance", "1e-8", "--steps-output", "steps.csv"});
  const auto table = parseCsv(readFile(w.path("steps.csv")));
  ASSERT_TRUE(table);
  double t = 0;
  std::int64_t accepted = 0, rejected = 0;
  for (std::size_t k = 0; k < table->rows.size(); ++k) {
    EXPECT_EQ(table->at(k, "t"), t);
    const bool good = table->at(k, "accepted") == 1;
    EXPECT_EQ(good, table->at(k, "error") <= 1);
    (good ? accepted : rejected) += 1;
    if (good) t += table->at(k, "h");
  }
  EXPECT_NEAR(t, 10, 1e-12);
  EXPECT_TRUE(j["step"].is_null());
  EXPECT_EQ(j["steps"], accepted);
  EXPECT_EQ(j["rejected"], rejected);
  EXPECT_EQ(j["evaluations"], 7 * (accepted + rejected) + 4); // four for the first step
  EXPECT_LE(j["smallest_step"], j["largest_step"]);
  EXPECT_EQ(j["first_step"], table->at(0, "h"));
}

/// Where f is more work than to hand it on, trials evaluate it once at their ends, and the first one at its begin.
TEST(AdaptiveSummary, CountsWhatIsHandedOn) {
  const Workspace w;
  const nlohmann::json j = summaryOf(w, example("heavy_top"), {"--tolerance", "1e-8", "--method", "RKMK54"});
  const std::int64_t trials = j["steps"].get<std::int64_t>() + j["rejected"].get<std::int64_t>();
  EXPECT_EQ(j["evaluations"], 6 * trials + 1);
}

TEST(AdaptiveRun, TakesFewerStepsOfFewerEvaluationsWithoutAnEstimate) {
  const Workspace w;
  const std::string file = w.write("o.lie", oscillator).string();
  const nlohmann::json j = summaryOf(w, file, {"--tolerance", "none", "--step", "0.1"});
  EXPECT_EQ(j["steps"], 100);
  EXPECT_EQ(j["evaluations"], 600); // the seventh stage serves the estimate alone
  EXPECT_TRUE(j["diagnostics"].empty());
}

TEST(AdaptiveRun, NeverCompilesForAnotherTolerance) {
  Workspace w;
  w.freshCache();
  const std::string file = w.write("m.lie", mixed).string();
  EXPECT_FALSE(summaryOf(w, file, {})["from_cache"]);
  EXPECT_TRUE(
      summaryOf(w, file, {"--tolerance", "(relative = 1e-5, q = 1e-9)", "--controller", "clamped"})["from_cache"]);
}

TEST(ToleranceOfAVariable, RulesItsError) {
  const Workspace w;
  const std::string file = w.write("m.lie", mixed).string();
  const auto steps = [&](const std::string& tolerance) {
    return summaryOf(w, file, {"--tolerance", tolerance})["steps"].get<int>();
  };
  const int plain = steps("1e-4");
  EXPECT_EQ(steps("(relative = 1e-4, absolute = 1e-4)"), plain);
  EXPECT_EQ(steps("(absolute = 1e-4)"), plain);
  EXPECT_GT(steps("(relative = 1e-4, R = 1e-7)"), 2 * plain);
  EXPECT_GT(steps("(relative = 1e-4, w = (absolute = 1e-7, relative = 1e-7))"), 2 * plain);
  EXPECT_EQ(steps("(x = 1e-4, R = 1e-4, q = 1e-4, z = 1e-4)"), plain);
  EXPECT_GT(steps("(relative = 1e-7, absolute = 1e-4)"), plain);
}

TEST(ToleranceOfAVariable, MayBeAbsoluteAlone) {
  const Workspace w;
  const std::string file = w.write("o.lie", oscillator).string();
  const nlohmann::json both = summaryOf(w, file, {"--tolerance", "(absolute = 1e-6, relative = 0)"});
  EXPECT_GT(both["steps"], summaryOf(w, file, {"--tolerance", "1e-6"})["steps"].get<int>());
  EXPECT_EQ(summaryOf(w, file, {"--tolerance", "(absolute = 0, relative = 0)"}, 1)["diagnostics"][0]["code"],
            "LIE0613");
  EXPECT_EQ(summaryOf(w, file, {"--tolerance", "(absolute = -1e-6, relative = 0)"}, 1)["diagnostics"][0]["code"],
            "LIE0169");
}

// The error of a trial step against the two results of the pair, each run as a method of its own.
TEST(NormOfTheEmbedding, IsTheDifferenceOfStates) {
  const Workspace w;
  const std::string middle = "  k1 = h*f(t, y);\n  k2 = h*f(t + h/2, exp(k1/2)*y);\n  next y = exp(k2)*y;\n";
  const std::string pair = "method Pair order 2(1) {\n" + middle + "  embedded y = exp(k1)*y;\n}\n" +
                           "method Second order 2 {\n" + middle + "}\n";
  const std::string file = w.write("m.lie", pair + mixed).string();
  const Arguments one = {"--time", "0..0.01", "--step", "0.01"};
  const auto run = [&](const Arguments& more) {
    Arguments all = one;
    all.insert(all.end(), more.begin(), more.end());
    return runModel(w, file, all);
  };
  const Trajectory second = run({"--method", "Second", "--tolerance", "none"});
  const Trajectory first = run({"--method", "LieEuler", "--tolerance", "none"});
  ASSERT_EQ(second.rows.size(), 2U);
  double difference = 0, before = 0, after = 0; // squares; the first column is the time
  for (std::size_t k = 1; k < second.columns.size(); ++k) {
    if (second.columns[k].starts_with("energy")) continue;
    difference += std::pow(second.rows[1][k] - first.rows[1][k], 2);
    before += std::pow(second.rows[0][k], 2);
    after += std::pow(second.rows[1][k], 2);
  }
  for (const auto& [tolerance, scale] :
       {std::pair{"(absolute = 1, relative = 0)", 1.0},
        {"(absolute = 2, relative = 3)", 2 + 3 * std::sqrt(std::max(before, after))}}) {
    run({"--method", "Pair", "--tolerance", tolerance, "--norm", "embedding", "--steps-output", "steps.csv"});
    const auto table = parseCsv(readFile(w.path("steps.csv")));
    ASSERT_TRUE(table);
    EXPECT_NEAR(table->at(0, "error") * scale / std::sqrt(difference), 1, 1e-9) << tolerance;
  }
}

TEST(NormOfTheEmbedding, HasOneTolerance) {
  const Workspace w;
  const std::string file = w.write("m.lie", mixed).string();
  const nlohmann::json refused =
      summaryOf(w, file, {"--norm", "embedding", "--tolerance", "(relative = 1e-5, q = 1e-9)"}, 1);
  EXPECT_EQ(refused["diagnostics"][0]["code"], "LIE0169");
  EXPECT_EQ(summaryOf(w, file, {"--norm", "embeding"}, 1)["diagnostics"][0]["suggestion"], "embedding");
}

// Rounding does not get smaller with the step: steps that follow it get shorter without an end.
TEST(TolerancesNearRounding, EndRunsAndWarn) {
  const Workspace w;
  const std::string top = example("heavy_top");
  const auto taken = [&](const std::string& method, const std::string& tolerance, const Arguments& more = {}) {
    Arguments all = {"--method", method, "--time", "0..1", "--every", "1", "--tolerance", tolerance};
    all.insert(all.end(), more.begin(), more.end());
    return summaryOf(w, top, all);
  };
  const auto warns = [](const nlohmann::json& summary) {
    const auto& all = summary["diagnostics"];
    return std::any_of(all.begin(), all.end(), [](const nlohmann::json& d) { return d["code"] == "LIE0613"; });
  };
  for (const std::string method : {"Taylor(p = 20)", "RKMK78", "P853"}) {
    const nlohmann::json usual = taken(method, "1e-13");
    EXPECT_FALSE(warns(usual)) << method;
    for (const std::string tolerance : {"1e-15", "1e-17"}) {
      const nlohmann::json run = taken(method, tolerance);
      EXPECT_EQ(warns(run), tolerance == "1e-17") << method;
      EXPECT_LT(run["steps"].get<int>() + run["rejected"].get<int>(), 5 * usual["steps"].get<int>()) << method;
      EXPECT_LT(run["energy_error"].get<double>(), 1e-13) << method;
    }
  }
}

TEST(Safety, IsASettingOfTheRun) {
  const Workspace w;
  const std::string file = w.write("o.lie", oscillator).string();
  // Where errors stay the same, a step is s e^(-1/k) times the last one, or s e^(-0.65/k) with PI: e^(1/k) = s or
  // s^(1/0.65), and that is how long steps are.
  for (const auto& [controller, power] : {std::pair{"PI", 1 / 0.65}, {"elementary", 1.0}, {"clamped", 1.0}}) {
    const auto steps = [&, name = controller](const char* safety) {
      const Arguments options = {"--controller", name, "--safety", safety, "--tolerance", "1e-8"};
      return summaryOf(w, file, options)["steps"].get<double>();
    };
    EXPECT_NEAR(steps("0.45") / steps("0.9"), std::pow(2, power), 0.3) << controller;
  }
  EXPECT_EQ(summaryOf(w, file, {"--safety", "1.5"}, 1)["diagnostics"][0]["code"], "LIE0169");
  EXPECT_EQ(summaryOf(w, file, {"--safety", "0"}, 1)["diagnostics"][0]["code"], "LIE0169");
}

TEST(Safety, BelongsToACheckpoint) {
  const Workspace w;
  const std::string file = w.write("o.lie", oscillator).string();
  summaryOf(w, file, {"--time", "0..5", "--safety", "0.8", "--checkpoint", "c.json"});
  const Outcome other = w.lmc({"run", file, "--resume", "c.json"});
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.err.find("safety"), std::string::npos) << other.err;
  summaryOf(w, file, {"--safety", "0.8", "--resume", "c.json"});
}

TEST(Controllers, AllReachTheEnd) {
  const Workspace w;
  const std::string file = w.write("o.lie", oscillator).string();
  for (const char* controller : {"PI", "elementary", "clamped"}) {
    const Trajectory run = runModel(w, file, {"--controller", controller, "--tolerance", "1e-8"});
    EXPECT_NEAR(run.last("x"), std::cos(10), 1e-6) << controller;
  }
}

TEST(FirstStep, IsTheGivenOne) {
  const Workspace w;
  const std::string file = w.write("o.lie", oscillator).string();
  const nlohmann::json j = summaryOf(w, file, {"--step", "1e-3"});
  EXPECT_EQ(j["first_step"], 1e-3);
  ASSERT_EQ(j["diagnostics"].size(), 1U);
  EXPECT_EQ(j["diagnostics"][0]["code"], "LIE0614");
}

TEST(StepUnderflow, SaysWhere) {
  const Workspace w;
  const std::string file = w.write("b.lie", R"(model BlowUp {
  state z : R;
  flow z = z^2;
  initial z = 1;
  simulate { method = RKMK54; time = 0..2; tolerance = 1e-6; }
}
)")
                               .string();
  const nlohmann::json j = summaryOf(w, file, {}, 3);
  EXPECT_NEAR(j["failure"]["time"].get<double>(), 1, 1e-3);
  const auto cause = j["failure"]["cause"].get<std::string>();
  EXPECT_NE(cause.find("step size underflow"), std::string::npos) << cause;
}

TEST(StepUnderflow, SaysThatARelativeToleranceOfZeroIsNone) {
  const Workspace w;
  std::string text = oscillator;
  text.replace(text.find("1e-6"), 4, "(relative = 1e-6, absolute = 0)");
  text.insert(text.find("  lagrangian"), "  config y : R velocity u;\n");
  text.replace(text.find("0.5*v^2"), 7, "0.5*v^2 + 0.5*u^2");
  const std::string file = w.write("m.lie", text).string();
  for (const char* method : {"RKMK54", "Taylor"}) {
    const std::string cause = summaryOf(w, file, {"--method", method}, 3)["failure"]["cause"];
    EXPECT_NE(cause.find("the error is largest in y, whose tolerance is relative alone"), std::string::npos) << cause;
  }
}

TEST(ErrorOfRounding, IsNoReasonForShorterSteps) {
  const Workspace w;
  // The last terms of the series of a fast rotation are rounding here, whatever the step is; the run went on with steps
  // of 2e-16, all of them accepted.
  const nlohmann::json j = summaryOf(
      w, example("heavy_top"), {"--method", "Taylor", "--tolerance", "1e-15", "--time", "0..10", "--every", "10"});
  EXPECT_EQ(j["failure"], nlohmann::json());
  EXPECT_EQ(j["final_time"], 10);
  EXPECT_LT(j["steps"].get<int>() + j["rejected"].get<int>(), 20'000);
}

TEST(TrialThatIsNotFinite, IsRejected) {
  const Workspace w;
  const std::string file = w.write("s.lie", R"(model Wall {
  state z : R;
  flow z = -sqrt(z);
  initial z = 1;
  simulate { method = RKMK54; time = 0..1.9; step = 1.8; tolerance = 1e-6; }
}
)")
                               .string();
  const nlohmann::json j = summaryOf(w, file, {}); // z = (1 - t/2)^2: a long step leaves the domain of the root
  EXPECT_GT(j["rejected"], 0);
  EXPECT_NEAR(runModel(w, file, {}).last("z"), 0.05 * 0.05, 1e-6);
}

/// A million steps, the manifolds of which are left by each and found again.
TEST(ProjectedSteps, StayOnTheManifold) {
  const Workspace w;
  constexpr double rounding = 4 * 2.220446049250313e-16;
  for (const char* method : {"P4", "P853"}) {
    for (const auto& [file, step] :
         {std::pair(example("heavy_top"), "1e-3"), std::pair(example("spherical_pendulum"), "0.01")}) {
      const std::string end = std::string("0..") + (step[0] == '1' ? "1000" : "10000");
      const auto summary =
          summaryOf(w, file, {"--method", method, "--tolerance", "none", "--step", step, "--time", end});
      EXPECT_EQ(summary["steps"], 1000000);
      for (const auto& [name, defect] : summary["defects"].items())
        EXPECT_LE(defect.get<double>(), rounding) << method << name;
    }
  }
}

/// Explicit steps are as short as the fastest part wants, L-stable ones as the motion does.
TEST(StiffEquations, TakeFewSteps) {
  const Workspace w;
  const std::string file =
      w.write("stiff.lie",
              "model PR {\n  param lambda = 1e5;\n  state z : R;\n  flow z = -lambda*(z - cos(t)) - sin(t);\n"
              "  initial z = 1;\n  observe error = abs(z - cos(t));\n"
              "  simulate { method = SDIRK43; time = 0..10; tolerance = 1e-6; }\n}\n")
          .string();
  const Trajectory run = runModel(w, file, {"--every", "10"});
  EXPECT_LT(run.last("error"), 1e-7);
  EXPECT_LT(summaryOf(w, file, {})["steps"], 300);
  EXPECT_GT(summaryOf(w, file, {"--method", "RKMK54", "--time", "0..0.1"})["steps"], 2000);
}

namespace {

/// One pair twice: `Anew32` has a stage that nobody needs, so that its trials do not begin with f of the ones before.
const std::string handing = R"(tableau Pair32 {
  a = [[0, 0, 0, 0], [1/2, 0, 0, 0], [0, 3/4, 0, 0], [2/9, 1/3, 4/9, 0]];
  b = [2/9, 1/3, 4/9, 0];
  bhat = [7/24, 1/4, 1/3, 1/8];
  order 3(2);
}
tableau PaddedPair32 {
  a = [[0, 0, 0, 0, 0], [1/2, 0, 0, 0, 0], [0, 3/4, 0, 0, 0], [2/9, 1/3, 4/9, 0, 0], [1, 0, 0, 0, 0]];
  b = [2/9, 1/3, 4/9, 0, 0];
  bhat = [7/24, 1/4, 1/3, 1/8, 0];
  order 3(2);
}
method Handed32 = rkmk(Pair32);
method Anew32 = rkmk(PaddedPair32);
model Pushed {
  param J : mat(3,3) = diag(2, 3, 4);
  param k = 3;
  config R : SO(3) velocity W;
  config x : R velocity v;
  discrete push = 0;
  lagrangian = 0.5*dot(W, J*W) + 0.5*v^2 - 0.5*k*x^2 - x*dot(R*e1, [sin(4*t), 1, 0.3]);
  force on x = push;
)";
const std::string jumps = "  event turn = falling(x) { reset v = -0.7*v; }\n  every 0.17 { reset push = 2*x - v; }\n";
const std::string rest = "  initial W = [1, 2, 0.5];\n  initial x = 1;\n"
                         "  simulate { method = Handed32; time = 0..2; tolerance = 1e-7; output every 0.5; }\n}\n";

/// By how much the numbers of two tables of one size differ.
double distance(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    for (std::size_t c = 0; c < std::min(a[k].size(), b[k].size()); ++c)
      most = std::max(most, std::abs(a[k][c] - b[k][c]));
  return most;
}

} // namespace

/// Both have the same errors to first order, and so nearly the same steps: f of another state, of another lane or of a
/// time before a jump would show in the third digit.
TEST(HandedRates, AreThoseFoundAnewInLanes) {
  const Workspace w;
  for (const std::string& jumping : {std::string(), jumps}) {
    const std::string file = w.write("m.lie", handing + jumping + rest).string();
    const auto table = [&](const std::string& method, const char* lanes) {
      const std::string out = w.path("e.csv").string();
      const Outcome o = w.lmc({"ensemble", file, "--method", method, "--samples", "19", "--vary", "k ~ linspace(1, 40)",
                               "--vary", "W ~ normal(1)", "--lanes", lanes, "--keep", "all", "--output", out});
      EXPECT_EQ(o.status, 0) << o.err;
      const auto samples = parseCsv(readFile(out));
      return samples ? samples->rows : std::vector<std::vector<double>>();
    };
    const auto anew = table("Anew32", "1");
    ASSERT_EQ(anew.size(), 19U * 5);
    for (const char* lanes : {"1", "4", "16"}) EXPECT_LT(distance(table("Handed32", lanes), anew), 1e-6) << lanes;
  }
}

TEST(HandedRates, AreThoseFoundAnewBehindACheckpoint) {
  const Workspace w;
  const std::string file = w.write("m.lie", handing + jumps + rest).string(), saved = w.path("c.json").string();
  const Trajectory anew = runModel(w, file, {"--method", "Anew32"});
  const std::int64_t steps = summaryOf(w, file, {})["steps"];
  for (std::int64_t k = 1; k < steps; k += 1 + steps / 7) {
    summaryOf(w, file, {"--checkpoint", saved, "--max-steps", std::to_string(k)}, 3);
    const Trajectory on = runModel(w, file, {"--resume", saved});
    ASSERT_FALSE(on.rows.empty());
    const auto first = anew.rows.end() - static_cast<std::ptrdiff_t>(on.rows.size());
    EXPECT_LT(distance(on.rows, {first, anew.rows.end()}), 1e-6) << k;
  }
}
