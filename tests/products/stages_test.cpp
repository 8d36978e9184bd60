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
