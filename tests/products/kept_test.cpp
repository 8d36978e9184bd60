// What a method keeps from step to step, as it stands in memory: multipliers of generalized-alpha against those of the
// accelerations, and that nothing of another motion stays behind.
#include "products/Pipeline.h"

#include "diagnostics/Diagnostics.h"
#include "mechanics/system/System.h"
#include "runtime/run/Workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace lmc {
namespace {

const char* const top = R"(
model Top {
  param J : mat(3,3) = diag(0.234375, 0.46875, 0.234375);
  param chi : vec(3) = [0, 1, 0];
  config R : SO(3) velocity Omega;
  config x : R^3 velocity v;
  lagrangian = 0.5*dot(Omega, J*Omega) + 7.5*dot(v, v) - 15*9.81*x[3];
  constraint pin : R*chi = x;
  initial R = eye(3);
  initial Omega = [0, 150, -4.61538];
  initial x = chi;
  initial v = cross(Omega, chi);
  observe force = multiplier(pin);
  simulate { method = GenAlpha; time = 0..2; step = 1e-3; }
}
)";

class Steps {
public:
  explicit Steps(const std::string& method, const char* model = top) {
    products::PipelineOptions o;
    o.compilation.libraryRoot = LMC_SOURCE_DIR;
    o.codeForAnyParameters = false;
    o.method = method;
    products::Pipeline pipeline(std::move(o));
    EXPECT_TRUE(pipeline.loadText("model.lie", model));
    problem = pipeline.build();
    EXPECT_TRUE(problem) << (pipeline.diagnostics().hasErrors() ? pipeline.diagnostics().sorted().front().message : "");
    if (!problem) return;
    workspace = std::make_unique<runtime::Workspace>(*problem);
    EXPECT_EQ(workspace->start(), runtime::Ok);
  }

  void step(double t, double h) {
    std::int64_t done = 0;
    ASSERT_EQ(workspace->advance(t, h, 0, 1, done), runtime::Ok);
  }
  std::vector<double> numbers(const std::string& name) {
    for (const runtime::Field& f : problem->fields) {
      if (f.name != name) continue;
      const auto all = workspace->numbers(f);
      return {all.begin(), all.end()};
    }
    ADD_FAILURE() << "there is no field " << name;
    return {0, 0, 0};
  }
  std::vector<double> state() {
    const auto y = workspace->state();
    return {y.begin(), y.begin() + static_cast<std::ptrdiff_t>(problem->initialState.size())};
  }

  std::unique_ptr<runtime::Problem> problem;
  std::unique_ptr<runtime::Workspace> workspace;
};

/// The largest distance of the multipliers of the method from those of the accelerations at its state.
double transient(const std::string& method, double h) {
  Steps s(method);
  if (!s.problem) return NAN;
  double most = 0;
  for (int k = 0; k < 60; ++k) {
    s.step(k * h, h);
    (void)s.workspace->observe((k + 1) * h);
    const auto own = s.numbers("kept lam.lambda"), wanted = s.numbers("force");
    for (std::size_t i = 0; i < 3; ++i) most = std::max(most, std::abs(own[i] - wanted[i]));
  }
  return most;
}

} // namespace

TEST(Kept, MultipliersOfTheFirstStepsHaveTheErrorsOfTheReference) {
  const struct { double h, index3, stabilized; } cases[] = {{1e-3, 114, 1.12}, {5e-4, 57.2, 0.280}};
  for (const auto& c : cases) {
    EXPECT_NEAR(transient("GenAlpha(stabilized = 0)", c.h) / c.index3, 1, 0.02) << c.h;
    EXPECT_NEAR(transient("GenAlpha", c.h) / c.stabilized, 1, 0.02) << c.h;
  }
  EXPECT_NEAR(transient("GenAlpha(stabilized = 0)", 2.5e-4) / 26.0, 1, 0.02);
  EXPECT_NEAR(transient("GenAlpha", 2.5e-4) / 0.070, 1, 0.02); // with the extrapolated a(0)
}

TEST(Kept, MultipliersAtTheEndHaveTheErrorsOfTheReference) {
  const double wanted[] = {260.7352113111, -613.6126989826, -309.7166313909};
  const struct {
    const char* method;
    double errors[2]; ///< of 1000 and 2000 steps
  } cases[] = {{"GenAlpha(stabilized = 0)", {48.0, 11.8}}, {"GenAlpha", {28.2, 6.87}}};
  for (const auto& c : cases) {
    for (int k = 0; k < 2; ++k) {
      Steps s(c.method);
      ASSERT_TRUE(s.problem);
      const int n = 1000 << k;
      for (int i = 0; i < n; ++i) s.step(i * 2.0 / n, 2.0 / n);
      const auto own = s.numbers("kept lam.lambda");
      double most = 0;
      for (std::size_t i = 0; i < 3; ++i) most = std::max(most, std::abs(own[i] - wanted[i]));
      EXPECT_NEAR(most / c.errors[k], 1, 0.02) << c.method << " " << n;
    }
  }
}

TEST(Kept, NothingStaysOfAnotherStateTimeOrStep) {
  for (const char* method : {"GenAlpha", "NonholonomicRATTLE", "DLA"}) {
    Steps used(method), fresh(method);
    ASSERT_TRUE(used.problem && fresh.problem);
    const double h = 1e-3;
    for (int k = 0; k < 5; ++k) used.step(k * h, h);
    const std::vector<double> y = used.state();
    const auto fromNow = [&](double t, double step, const std::vector<double>& state) {
      const std::vector<double> memory(used.workspace->state().begin(), used.workspace->state().end());
      std::copy(state.begin(), state.end(), used.workspace->state().begin());
      used.step(t, step);
      const std::vector<double> a = used.state();
      std::copy(memory.begin(), memory.end(), used.workspace->state().begin());
      std::fill(fresh.workspace->state().begin(), fresh.workspace->state().end(), 0.0);
      std::copy(state.begin(), state.end(), fresh.workspace->state().begin());
      fresh.step(t, step);
      return std::pair{a, fresh.state()};
    };
    const auto [going, anew] = fromNow(5 * h, h, y);
    const bool matters = std::string(method) != "NonholonomicRATTLE"; // which keeps forces of rolling only
    EXPECT_EQ(going != anew, matters) << method;
    const auto [shorter, shorterAnew] = fromNow(5 * h, h / 3, y);
    EXPECT_EQ(shorter, shorterAnew) << method;
    const auto [later, laterAnew] = fromNow(7 * h, h, y);
    EXPECT_EQ(later, laterAnew) << method;
    std::vector<double> other = y;
    other[12] += 1e-3; // of Omega or v
    const auto [moved, movedAnew] = fromNow(5 * h, h, other);
    EXPECT_EQ(moved, movedAnew) << method;
  }
}

} // namespace lmc
