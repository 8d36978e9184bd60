// Steps whose stages call one f, or whose sums are those of rows: their order, what a trial gives, and the length of
// their code.
#include "products/Pipeline.h"
#include "runtime/contract/Problem.h"
#include "runtime/run/Run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace lmc {
namespace {

/// An example with a method, of whose steps one with an estimate has this tolerance.
struct SharedExample {
  explicit SharedExample(const std::string& method, bool fixed, const std::string& tolerance = "",
                         const std::string& example = "two_quadrotors") {
    products::PipelineOptions o;
    o.compilation.libraryRoot = LMC_SOURCE_DIR;
    o.compile.useCache = false;
    o.fixedSteps = fixed;
    o.method = method;
    pipeline = std::make_unique<products::Pipeline>(o);
    std::ifstream file(std::string(LMC_SOURCE_DIR) + "/examples/" + example + ".lie");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string settings = "simulate { ";
    if (!tolerance.empty()) text.insert(text.find(settings) + settings.size(), "tolerance = " + tolerance + "; ");
    EXPECT_TRUE(pipeline->loadText(example + ".lie", text));
    problem = pipeline->build();
  }
  runtime::RunResult run(double h, double to) const {
    problem->step = h;
    problem->timeTo = to;
    problem->outputEvery = std::numeric_limits<double>::quiet_NaN();
    problem->outputSteps = 0;
    return runtime::run(*problem, {});
  }
  std::unique_ptr<products::Pipeline> pipeline;
  std::unique_ptr<runtime::Problem> problem;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

TEST(SharedStages, HaveTheOrderOfTheirTableau) {
  const SharedExample method("P853", true), other("RKMK78", true);
  ASSERT_NE(method.problem, nullptr);
  ASSERT_NE(other.problem, nullptr);
  EXPECT_EQ(method.problem->evaluationsPerStep, 12);
  EXPECT_LT(method.problem->code->codeBytes(), 80'000U);
  const std::vector<double> end = other.run(1.0 / 400, 1).state;
  const auto error = [&](int n) {
    const runtime::RunResult r = method.run(1.0 / n, 1);
    EXPECT_FALSE(r.failure);
    EXPECT_EQ(r.steps, n);
    EXPECT_EQ(r.evaluations, 12 * n);
    return distance(r.state, end);
  };
  const double rough = error(8), fine = error(16);
  EXPECT_GT(rough, 1e-10); // far above rounding
  EXPECT_NEAR(std::log2(rough / fine), 8, 1.2);
}

struct OrderCase {
  const char* name;
  int order, evaluations, n; ///< evaluations of a step; n: steps of the rougher run
};

/// Errors at t = 1 against `end`, with n and with 2 n steps.
void expectOrder(const SharedExample& method, const OrderCase& c, const std::vector<double>& end) {
  const auto error = [&](int steps) {
    const runtime::RunResult r = method.run(1.0 / steps, 1);
    EXPECT_FALSE(r.failure);
    EXPECT_EQ(r.evaluations, c.evaluations * steps) << c.name;
    return distance(r.state, end);
  };
  const double rough = error(c.n), fine = error(2 * c.n);
  EXPECT_GT(fine, 1e-13) << c.name; // above rounding
  EXPECT_NEAR(std::log2(rough / fine), c.order, 1.2) << c.name;
}

// Elements of the algebra, put together in rows; what they shall be comes from a projected method in storage
// coordinates.
TEST(SharedStages, OfMuntheKaasHaveTheOrderOfTheirTableau) {
  const SharedExample other("P853", true);
  ASSERT_NE(other.problem, nullptr);
  const std::vector<double> end = other.run(1.0 / 400, 1).state;
  for (const OrderCase& c :
       {OrderCase{"RKMK78", 8, 12, 8}, OrderCase{"RKMK54", 5, 6, 32}, OrderCase{"RKMK6", 6, 7, 16}}) {
    const SharedExample method(c.name, true);
    ASSERT_NE(method.problem, nullptr);
    EXPECT_LT(method.problem->code->codeBytes(), 60'000U) << c.name;
    expectOrder(method, c, end);
  }
}

/// Adaptive steps of two_quadrotors: errors, against a fine projected method, follow the tolerance.
void expectErrorsToFollowTheTolerance(const char* name) {
  const SharedExample other("P853", true);
  const std::vector<double> end = other.run(1.0 / 400, 1).state;
  const auto errorAt = [&](const char* tolerance) {
    const SharedExample method(name, false, tolerance);
    EXPECT_LT(method.problem->code->codeBytes(), 80'000U);
    const runtime::RunResult r = method.run(1e-2, 1);
    EXPECT_FALSE(r.failure);
    return distance(r.state, end);
  };
  const double rough = errorAt("1e-5"), fine = errorAt("1e-9");
  EXPECT_LT(rough, 1e-3);
  EXPECT_LT(fine, 1e-7);
  EXPECT_LT(fine, rough / 100);
}

TEST(SharedStages, OfMuntheKaasEstimateTheirError) {
  expectErrorsToFollowTheTolerance("RKMK78");
}

// Bodies and Crouch–Grossman methods, whose calls are held against a projected method, too.
TEST(SharedCalls, HaveTheOrderOfTheirMethod) {
  const SharedExample other("P853", true);
  ASSERT_NE(other.problem, nullptr);
  const std::vector<double> end = other.run(1.0 / 400, 1).state;
  for (const OrderCase& c : {OrderCase{"CF5", 5, 9, 32}, OrderCase{"CF6", 6, 15, 16}, OrderCase{"CG4", 4, 5, 64},
                             OrderCase{"CG34", 4, 5, 64}}) {
    const SharedExample method(c.name, true);
    ASSERT_NE(method.problem, nullptr);
    EXPECT_NE(method.pipeline->dump("step").find("\ncall of function 2"), std::string::npos) << c.name;
    EXPECT_LT(method.problem->code->codeBytes(), 60'000U) << c.name;
    expectOrder(method, c, end);
  }
}

TEST(SharedCalls, EstimateTheirError) {
  expectErrorsToFollowTheTolerance("CG34");
}

// Stages of a turn side by side.
TEST(Turns, HaveTheOrderOfTheirNumber) {
  const SharedExample method("PL14", true), other("RKMK78", true);
  ASSERT_NE(method.problem, nullptr);
  EXPECT_EQ(method.problem->evaluationsPerStep, 1 + 13 * 8);
  EXPECT_LT(method.problem->code->codeBytes(), 60'000U);
  const std::vector<double> end = other.run(1.0 / 400, 5).state;
  const auto error = [&](int n) { return distance(method.run(5.0 / n, 5).state, end); };
  const double rough = error(8), fine = error(16);
  EXPECT_GT(fine, 1e-12); // above rounding
  EXPECT_NEAR(std::log2(rough / fine), 14, 1.5);
}

TEST(Turns, EstimateTheirError) {
  for (const char* method : {"PL14", "PL16"}) expectErrorsToFollowTheTolerance(method);
}

/// f of dipoles and of the closed chain has loops, and is called for each stage; of the constrained top it ends with a
/// system, and leaves multipliers.
TEST(Turns, OfAnyModelAgreeWithOtherMethods) {
  for (const char* example : {"heavy_top_constrained", "closed_chain", "magnetic_dipoles"}) {
    const SharedExample method("PL14", false, "1e-10", example), other("RKMK78", false, "1e-11", example);
    ASSERT_NE(method.problem, nullptr) << example;
    const runtime::RunResult r = method.run(1e-3, 0.2), o = other.run(1e-3, 0.2);
    EXPECT_FALSE(r.failure) << example;
    EXPECT_LT(distance(r.state, o.state), 1e-6) << example;
  }
}

std::unique_ptr<products::Pipeline> pipelineOf(const std::string& text, const std::string& method) {
  products::PipelineOptions o;
  o.compilation.libraryRoot = LMC_SOURCE_DIR;
  o.compile.useCache = false;
  o.method = method;
  auto pipeline = std::make_unique<products::Pipeline>(o);
  EXPECT_TRUE(pipeline->loadText("model.lie", text));
  return pipeline;
}

/// What has no rate stands behind what has, and stays.
TEST(Turns, NumbersThatRestStay) {
  const auto pipeline = pipelineOf("model F {\n  state x : R^2;\n  state y : R^3;\n  flow x = [y[2], x[1]];\n"
                                   "  flow y = [0, 0, 0];\n  initial x = [1, 2];\n  initial y = [3, 4, 5];\n"
                                   "  simulate { method = RKMK4; time = 0..1; step = 0.1; }\n}\n",
                                   "PL14");
  const auto problem = pipeline->build();
  ASSERT_NE(problem, nullptr);
  const std::vector<double> end = runtime::run(*problem, {}).state;
  const std::vector<double> wanted = {1 + 4.0, 2 + 1 + 2.0, 3, 4, 5};
  ASSERT_EQ(end.size(), wanted.size());
  for (std::size_t k = 0; k < end.size(); ++k) EXPECT_NEAR(end[k], wanted[k], 1e-14) << k;
}

/// No stage stands where a slip ends and has no direction: what comes of the step there is what P853 gives.
TEST(Turns, EndWhereRatesAreNotDefined) {
  for (const double h : {0.05, 0.1}) {
    const SharedExample method("PL14", true, "", "billiard_ball"), other("P853", true, "", "billiard_ball");
    ASSERT_NE(method.problem, nullptr);
    const runtime::RunResult r = method.run(h, 0.5), o = other.run(0.005, 0.5);
    EXPECT_FALSE(r.failure);
    EXPECT_LT(distance(r.state, o.state), 1e-12) << h;
  }
}

/// Through nodes that coincide there is no polynomial: nothing is asked at the ends of a step.
TEST(Turns, OfNodesThatCoincide) {
  const auto pipeline = pipelineOf("tableau Twice {\n  a = [[1/2, 0, 0], [0, 1/2, 0], [1/2, 1/2, 0]];\n"
                                   "  b = [1/2, 1/2, 0];\n  bhat = [1/4, 1/4, 1/2];\n  order 2(1);\n}\n"
                                   "method M = projected(Twice, turns = 3);\n"
                                   "model F {\n  state x : R;\n  flow x = if x < 5 then -x else 0;\n  initial x = 1;\n"
                                   "  simulate { method = RKMK54; time = 0..1; tolerance = 1e-8; }\n}\n",
                                   "M");
  const auto problem = pipeline->build();
  ASSERT_NE(problem, nullptr);
  const runtime::RunResult r = runtime::run(*problem, {});
  EXPECT_FALSE(r.failure);
  EXPECT_NEAR(r.state[0], std::exp(-1), 1e-6);
}

/// Rates that jump or bend at any time are seen.
TEST(Turns, SeeWhatDependsOnTheTimeAlone) {
  for (const double at : {0.2, 0.37, 0.901}) {
    const std::string place = std::to_string(at);
    const auto pipeline = pipelineOf("model F {\n  state x : R;\n  state y : R;\n  flow x = if t < " + place +
                                         " then 1 else 3;\n  flow y = abs(t - " + place +
                                         ");\n  initial x = 0;\n  initial y = 0;\n"
                                         "  simulate { method = RKMK54; time = 0..1; tolerance = 1e-7; }\n}\n",
                                     "PL14");
    const auto problem = pipeline->build();
    ASSERT_NE(problem, nullptr);
    const std::vector<double> end = runtime::run(*problem, {}).state;
    EXPECT_NEAR(end[0], at + 3 * (1 - at), 2e-6);
    EXPECT_NEAR(end[1], (at * at + (1 - at) * (1 - at)) / 2, 2e-6);
  }
}

/// The top is turned by a radian in 1/150.
TEST(SumsOfRows, HaveTheOrderOfTheirTableau) {
  const SharedExample method("P853", true, "", "heavy_top"), other("RKMK78", true, "", "heavy_top");
  ASSERT_NE(method.problem, nullptr);
  ASSERT_NE(other.problem, nullptr);
  const std::string step = method.pipeline->dump("step");
  EXPECT_NE(step.find("row"), std::string::npos);
  const std::vector<double> end = other.run(0.1 / 400, 0.1).state;
  const auto error = [&](int n) {
    const runtime::RunResult r = method.run(0.1 / n, 0.1);
    EXPECT_FALSE(r.failure);
    EXPECT_EQ(r.evaluations, 12 * n);
    return distance(r.state, end);
  };
  const double rough = error(24), fine = error(48);
  EXPECT_GT(fine, 1e-11); // above rounding
  EXPECT_NEAR(std::log2(rough / fine), 8, 1.2);
}

TEST(SumsOfRows, EstimateTheirError) {
  const SharedExample other("RKMK78", true, "", "heavy_top");
  const std::vector<double> end = other.run(0.1 / 400, 0.1).state;
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    const SharedExample method("P853", false, std::to_string(tolerance * 1e9) + "e-9", "heavy_top");
    ASSERT_TRUE(method.problem->control);
    const runtime::RunResult r = method.run(1e-3, 0.1);
    EXPECT_FALSE(r.failure);
    const double error = distance(r.state, end);
    EXPECT_LT(error, 300 * tolerance); // numbers up to 150
    EXPECT_GT(error, 1e-3 * tolerance);
  }
}

} // namespace
} // namespace lmc
