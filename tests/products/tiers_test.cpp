// Runs of the examples have the same bits with code that is made quickly, with code that is made well, and with code
// that is replaced while they go on.
#include "diagnostics/Diagnostics.h"
#include "products/Pipeline.h"
#include "runtime/contract/Problem.h"
#include "runtime/run/Run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace lmc {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& e : fs::directory_iterator(std::string(LMC_SOURCE_DIR) + "/examples"))
    if (e.path().extension() == ".lie") names.push_back(e.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// All that a run tells, bit by bit.
class Numbers final : public runtime::Sink {
public:
  void begin(const std::vector<runtime::Entry>& columns) override { add(static_cast<double>(columns.size())); }
  void sample(double t, std::span<const double> row) override {
    add(t);
    for (const double x : row) add(x);
  }
  void finish() override {}
  void sync() override {}
  std::vector<std::uint64_t> bits;

private:
  void add(double x) {
    std::uint64_t b = 0;
    std::memcpy(&b, &x, sizeof b);
    bits.push_back(b);
  }
};

/// A problem, and what it was made from: resets work on the model itself.
struct Made {
  std::unique_ptr<products::Pipeline> pipeline;
  std::unique_ptr<runtime::Problem> problem; ///< null: the model cannot be stepped by this method
};

Made make(const std::string& example, const std::string& method, jit::Tiers tiers, const std::string& tolerance = "") {
  products::PipelineOptions o;
  o.compilation.libraryRoot = LMC_SOURCE_DIR;
  o.codeForAnyParameters = false;
  o.fixedSteps = !method.empty() && tolerance.empty();
  if (!tolerance.empty()) o.compilation.simulate.emplace_back("tolerance", tolerance);
  o.compile.useCache = false;
  o.compile.tiers = tiers;
  if (!method.empty()) o.method = method;
  Made made{std::make_unique<products::Pipeline>(o), nullptr};
  if (!made.pipeline->load(std::string(LMC_SOURCE_DIR) + "/examples/" + example + ".lie")) return made;
  made.problem = made.pipeline->build();
  if (made.problem != nullptr && !method.empty()) made.problem->step = 1e-3;
  return made;
}

std::vector<std::uint64_t> run(runtime::Problem& p, std::int64_t steps) {
  Numbers numbers;
  p.outputEvery = std::numeric_limits<double>::quiet_NaN();
  p.outputSteps = 1;
  runtime::RunBounds bounds;
  bounds.steps = steps;
  (void)runtime::run(p, {&numbers, nullptr, nullptr, nullptr, nullptr, bounds});
  return numbers.bits;
}

class TiersOfExamples : public testing::TestWithParam<std::string> {};

TEST_P(TiersOfExamples, HaveTheSameBits) {
  int compared = 0;
  for (const char* method : {"", "RKMK4", "P853", "PL14", "VIMidpoint"}) {
    SCOPED_TRACE(std::string("method ") + method);
    const Made quick = make(GetParam(), method, jit::Tiers::Quick);
    if (quick.problem == nullptr) continue; // not one for this model
    ++compared;
    const Made best = make(GetParam(), method, jit::Tiers::Optimised);
    ASSERT_NE(best.problem, nullptr);
    const std::vector<std::uint64_t> wanted = run(*best.problem, 40);
    EXPECT_GT(wanted.size(), 40U);
    EXPECT_EQ(run(*quick.problem, 40), wanted);
  }
  EXPECT_GE(compared, 1);
}

/// Steps that become long turn far: with rare branches, across which vectors live.
TEST_P(TiersOfExamples, HaveTheSameBitsWithStepsOfAnyLength) {
  for (const char* method : {"RKMK54", "SDIRK43"})
    for (const char* tolerance : {"1e-5", "1e-9"}) {
      SCOPED_TRACE(std::string(method) + ", tolerance " + tolerance);
      const Made quick = make(GetParam(), method, jit::Tiers::Quick, tolerance);
      if (quick.problem == nullptr) continue;
      const Made best = make(GetParam(), method, jit::Tiers::Optimised, tolerance);
      ASSERT_NE(best.problem, nullptr);
      EXPECT_EQ(run(*quick.problem, 40), run(*best.problem, 40));
    }
}

INSTANTIATE_TEST_SUITE_P(Examples, TiersOfExamples, testing::ValuesIn(examples()),
                         [](const auto& test) { return test.param; });

TEST(TiersOfRuns, TheSwapDoesNotShow) {
  for (const char* example : {"two_quadrotors", "pendulum_chain", "heavy_top_constrained"}) {
    const Made best = make(example, "RKMK4", jit::Tiers::Optimised);
    ASSERT_NE(best.problem, nullptr);
    const std::vector<std::uint64_t> wanted = run(*best.problem, 3000);
    const Made swapped = make(example, "RKMK4", jit::Tiers::QuickFirst);
    EXPECT_EQ(run(*swapped.problem, 3000), wanted);
    const auto settled = swapped.problem->code->settle();
    EXPECT_EQ(settled.trouble, "");
    EXPECT_GT(settled.seconds, 0) << "nothing was swapped";
    EXPECT_EQ(run(*swapped.problem, 3000), wanted);
  }
}

} // namespace
} // namespace lmc
