// Steps whose stages call one f: their order, what a trial gives, and the length of their code.
#include "products/Pipeline.h"
#include "runtime/contract/Problem.h"
#include "runtime/run/Run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace lmc {
namespace {

/// An example with a method; it must be one whose code is shared.
struct SharedExample {
  explicit SharedExample(const std::string& method, bool fixed) {
    products::PipelineOptions o;
    o.compilation.libraryRoot = LMC_SOURCE_DIR;
    o.compile.useCache = false;
    o.fixedSteps = fixed;
    o.method = method;
    pipeline = std::make_unique<products::Pipeline>(o);
    EXPECT_TRUE(pipeline->load(std::string(LMC_SOURCE_DIR) + "/examples/two_quadrotors.lie"));
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

} // namespace
} // namespace lmc
