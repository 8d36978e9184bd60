// Runs of host programs look at their mass equations by compiled code.
#include "Cancelling.h"

#include "products/Pipeline.h"
#include "runtime/contract/Problem.h"
#include "runtime/mass/MassCheck.h"
#include "runtime/run/Run.h"
#include "runtime/run/Workspace.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lmc {
namespace {

std::unique_ptr<runtime::Problem> hostProblem(products::Pipeline& pipeline, const std::string& text,
                                              products::HostSteps steps) {
  EXPECT_TRUE(pipeline.loadText("test.lie", text));
  return pipeline.buildHost(steps);
}

products::PipelineOptions options(const std::string& method) {
  products::PipelineOptions o;
  o.compilation.libraryRoot = LMC_SOURCE_DIR;
  o.compile.useCache = false;
  o.codeForAnyParameters = false;
  o.liveInputs = true;
  o.method = method;
  return o;
}

TEST(HostLooks, FindAccelerationsThatDoNotSolve) {
  products::Pipeline pipeline(options("RKMK4"));
  const auto problem = hostProblem(pipeline, cancelling, products::HostSteps::Default);
  ASSERT_NE(problem, nullptr);
  ASSERT_NE(problem->mass, nullptr);
  EXPECT_GE(problem->mass->compiled.function, 0);
  const runtime::RunResult r = runtime::run(*problem, {});
  ASSERT_TRUE(r.failure);
  EXPECT_NE(r.failure->cause.find("do not solve the mass equation"), std::string::npos) << r.failure->cause;
}

/// The two sides that the code computes, of two coupled bodies: M xi' = r with forces known in closed form.
TEST(HostLooks, HaveBothSidesOfTheEquation) {
  products::Pipeline pipeline(options("RKMK4"));
  const auto problem = hostProblem(pipeline, R"(
model Coupled {
  config x : R^1 velocity v;
  config y : R^1 velocity w;
  lagrangian = v^2 + v*w*cos(x) + w^2 - 3*x - 5*y;
  initial x = 0.5;
  initial v = 2;
  simulate { method = RKMK4; time = 0..1e-9; step = 1e-9; }
}
)",
                                   products::HostSteps::Default);
  ASSERT_NE(problem, nullptr);
  ASSERT_NE(problem->mass, nullptr);
  const runtime::MassLook& look = problem->mass->compiled;
  ASSERT_GE(look.function, 0);
  runtime::Workspace w(*problem);
  ASSERT_EQ(w.start(), runtime::Ok);
  ASSERT_EQ(w.call(look.function, 0.0), runtime::Ok);
  // d/dt (2 v + w cos x) = -v w sin x - 3 and d/dt (2 w + v cos x) = -5 with w = 0, so that the second has v^2 sin x.
  const double second = -5 + 4 * std::sin(0.5);
  ASSERT_EQ(w.numbers(look.rhs).size(), 2U);
  EXPECT_NEAR(w.numbers(look.rhs)[0], -3, 1e-13);
  EXPECT_NEAR(w.numbers(look.rhs)[1], second, 1e-13);
  EXPECT_NEAR(w.numbers(look.product)[0], -3, 1e-12);
  EXPECT_NEAR(w.numbers(look.product)[1], second, 1e-12);
  EXPECT_FALSE(runtime::run(*problem, {}).failure);
}

} // namespace
} // namespace lmc
