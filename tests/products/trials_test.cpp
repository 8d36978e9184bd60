// Trials that are handed f at their begins by the ones before: the bits of those that evaluate it, whatever the model
// and the form of the code, and runs in which something changes the state between two steps.
#include "products/Pipeline.h"

#include "diagnostics/Diagnostics.h"
#include "mechanics/system/System.h"
#include "runtime/run/Run.h"
#include "runtime/run/Workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <sstream>

namespace lmc {
namespace {

/// The same pair twice. `Padded` has a stage that nobody needs: its trials are not seen to end with f of the next ones.
const char* const pairs = R"(
tableau Pair32 {
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
method Own32 = rkmk(Pair32);
method Padded32 = rkmk(PaddedPair32);
method OwnProjected32 = projected(Pair32);
method PaddedProjected32 = projected(PaddedPair32);
)";

/// Families on spheres, a body, an element of a dual, a number, and a law of time.
std::string mixture(int members) {
  return std::string("model Mixture {\n  param N : int = ") + std::to_string(members) + R"(;
  param m[N] = 1; param J : mat(3,3) = diag(2, 3, 4); param k = 2;
  config q[N] : S^2 velocity w;
  config R : SO(3) velocity W;
  state z : R^1;
  flow z = cos(3*t) - z + q[1][3];
  lagrangian = sum(i in 1..N: 0.5*m[i]*dot(q[i]', q[i]')) + 0.5*dot(W, J*W)
    - sum(i in 2..N: k*dot(q[i], q[i-1])) - dot(R*e1, q[1])*(1 + 0.5*sin(2*t));
  initial q[i in 1..N] = [cos(i), 0, sin(i)];
  initial w[i in 1..N] = [0.1*i*sin(i), 1, -0.1*i*cos(i)];
  initial R = eye(3);
  initial W = [1, 2, 0.5];
  initial z = 0.2;
  simulate { method = RKMK54; time = 0..2; tolerance = 1e-7; }
}
)";
}

/// A momentum on a homogeneous manifold.
const char* const onSphere = R"(
model OnSphere {
  config q : S^2 momentum p;
  hamiltonian = 0.5*dot(p, p) + 2*q[3] + q[1]*q[2];
  initial q = [0.6, 0, 0.8];
  initial p = [0.8, 1, -0.6];
  simulate { method = RKMK54; time = 0..2; tolerance = 1e-7; }
}
)";

std::string example(const std::string& name) {
  std::ifstream file(std::string(LMC_SOURCE_DIR) + "/examples/" + name + ".lie");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Of an example, with another number of members.
std::string withMembers(std::string text, int members) {
  const std::string declared = "param N : int = 2;";
  return text.replace(text.find(declared), declared.size(), "param N : int = " + std::to_string(members) + ";");
}

/// Problems may ask for what their pipelines have.
struct Built {
  std::unique_ptr<products::Pipeline> pipeline;
  std::unique_ptr<runtime::Problem> problem;
  runtime::Problem* operator->() const { return problem.get(); }
  runtime::Problem& operator*() const { return *problem; }
  explicit operator bool() const { return problem != nullptr; }
};

Built problemOf(const std::string& model, const std::string& method) {
  products::PipelineOptions o;
  o.compilation.libraryRoot = LMC_SOURCE_DIR;
  o.codeForAnyParameters = false;
  o.method = method;
  auto pipeline = std::make_unique<products::Pipeline>(std::move(o));
  std::string text = model;
  const std::string settings = "simulate { ";
  if (text.find("tolerance = ") == std::string::npos)
    text.insert(text.find(settings) + settings.size(), "tolerance = 1e-7; ");
  EXPECT_TRUE(pipeline->loadText("model.lie", text));
  auto problem = pipeline->build();
  EXPECT_TRUE(problem) << (pipeline->diagnostics().hasErrors() ? pipeline->diagnostics().sorted().front().message : "");
  return {std::move(pipeline), std::move(problem)};
}

std::vector<double> all(std::span<const double> numbers) {
  return {numbers.begin(), numbers.end()};
}

/// The numbers of the first place that differs in a bit; empty: none.
std::string difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return "the sizes differ";
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::bit_cast<std::uint64_t>(a[k]) != std::bit_cast<std::uint64_t>(b[k]))
      return std::to_string(k) + ": " + std::to_string(a[k]) + " and " + std::to_string(b[k]);
  return {};
}

} // namespace

TEST(Trials, HandOnTheBitsOfAnEvaluation) {
  const std::string top = example("heavy_top"), chain = example("pendulum_chain");
  const struct {
    std::string model;
    const char* method;
    double h;
  } cases[] = {{top, "RKMK54", 1e-3},
               {chain, "RKMK32", 0.02},
               {withMembers(chain, 5), "RKMK54", 0.02},
               {withMembers(chain, 20), "P54", 0.02},
               {withMembers(chain, 20), "RKMK54", 0.02},
               {mixture(2), "RKMK54", 0.02},
               {mixture(9), "RKMK54", 0.02},
               {pairs + mixture(3), "Own32", 0.02},
               {pairs + withMembers(chain, 20), "OwnProjected32", 0.02},
               {example("two_quadrotors"), "RKMK54", 0.01},
               {example("magnetic_dipoles"), "P54", 0.01},
               {example("heavy_top_hamiltonian"), "RKMK54", 1e-3},
               {example("heavy_top_lie_poisson"), "RKMK32", 1e-3},
               {example("satellite"), "RKMK32", 0.01}};
  for (const auto& c : cases) {
    const auto problem = problemOf(c.model, c.method);
    ASSERT_TRUE(problem);
    EXPECT_GE(problem->functions.begin, 0) << problem->model << " " << c.method;
    runtime::Workspace handed(*problem), anew(*problem);
    ASSERT_EQ(handed.start(), runtime::Ok);
    ASSERT_EQ(anew.start(), runtime::Ok);
    double t = problem->timeFrom;
    ASSERT_EQ(handed.beginTrials(t), runtime::Ok);
    for (int k = 0; k < 30; ++k) {
      const double h = (t + c.h * (1 + 0.3 * std::sin(k))) - t;
      ASSERT_EQ(anew.beginTrials(t), runtime::Ok);
      ASSERT_EQ(handed.trial(t, h), runtime::Ok);
      ASSERT_EQ(anew.trial(t, h), runtime::Ok);
      t += h;
      ASSERT_EQ(difference(all(handed.state()), all(anew.state())), "")
          << problem->model << " " << c.method << " " << k;
      const auto& errors = problem->control->errors;
      ASSERT_EQ(difference(all(handed.numbers(errors)), all(anew.numbers(errors))), "") << problem->model;
    }
    EXPECT_TRUE(handed.finite());
  }
}

/// Where f is little work, trials evaluate it at their begins, and once more at their ends.
TEST(Trials, HandOnWhatIsWorthIt) {
  for (const auto& [model, method] : {std::pair{example("heavy_top"), "P54"}, {example("pendulum_chain"), "RKMK54"}}) {
    const auto problem = problemOf(model, method);
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->functions.begin, -1);
    EXPECT_EQ(problem->control->evaluationsPerTrial, 7);
    runtime::Workspace w(*problem);
    EXPECT_EQ(w.start(), runtime::Ok);
    EXPECT_EQ(w.beginTrials(0), runtime::Ok);
  }
}

/// Without the call that finds f anew the trial begins with that of another state.
TEST(Trials, NeedFWhereTheStateWasChanged) {
  const auto problem = problemOf(mixture(3), "RKMK54");
  ASSERT_TRUE(problem);
  const auto after = [&](bool begins) {
    runtime::Workspace w(*problem);
    EXPECT_EQ(w.start(), runtime::Ok);
    EXPECT_EQ(w.beginTrials(0), runtime::Ok);
    w.state()[0] += 0.1;
    if (begins) {
      EXPECT_EQ(w.beginTrials(0), runtime::Ok);
    }
    EXPECT_EQ(w.trial(0, 0.05), runtime::Ok);
    return all(w.state());
  };
  const std::vector<double> right = after(true), wrong = after(false);
  double most = 0;
  for (std::size_t k = 0; k < right.size(); ++k) most = std::max(most, std::abs(right[k] - wrong[k]));
  EXPECT_GT(most, 1e-6);
}

namespace {
/// Impacts, and a controller whose value f depends on. `Padded32` is the pair with a stage that nobody needs: its
/// trials are not seen to end with f of the next ones.
const char* const jumping = R"(
model Jumping {
  param J : mat(3,3) = diag(2, 3, 4);
  config R : SO(3) velocity W;
  config z : R^1 velocity v;
  discrete kick = 1;
  lagrangian = 0.5*dot(W, J*W) + 0.5*v*v - 9.81*z + 0.2*sin(5*t)*z + kick*dot(R*e1, [0, z, 3]);
  event floor = falling(z) { reset v = -0.8*v; reset kick = 2 - kick; }
  every 0.13 { reset kick = -kick; }
  initial R = eye(3);
  initial W = [1, 2, 0.5];
  initial z = 1;
  initial v = 0.5;
  simulate { method = Own32; time = 0..2; tolerance = 1e-7; output every 0.037; }
}
)";
} // namespace

/// Runs that hand f on against those that do not. They would differ by far more if one trial began with the f of
/// another state: both estimates agree to first order, so that lengths of steps, and with them states, differ by
/// little.
TEST(Trials, BeginAnewBehindJumps) {
  const auto handed = problemOf(pairs + std::string(jumping), "Own32"),
             alone = problemOf(pairs + std::string(jumping), "Padded32");
  ASSERT_TRUE(handed && alone);
  ASSERT_GE(handed->functions.begin, 0);
  ASSERT_EQ(alone->functions.begin, -1);
  const runtime::RunResult a = runtime::run(*handed, {}), b = runtime::run(*alone, {});
  ASSERT_FALSE(a.failure) << a.failure->cause;
  ASSERT_FALSE(b.failure) << b.failure->cause;
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.rejected, b.rejected);
  EXPECT_GT(a.jumps.size(), 1U);
  EXPECT_LT(a.evaluations, 0.85 * static_cast<double>(b.evaluations));
  for (std::size_t k = 0; k < alone->initialState.size(); ++k) EXPECT_NEAR(a.state[k], b.state[k], 1e-8) << k;
}

/// The estimate at the end of a trial is the distance of the two results to first order, on all kinds of variables and
/// in both norms: that of trials which work out both.
TEST(Trials, EstimateTheSameErrors) {
  const std::string chain = example("pendulum_chain"), embedding = "simulate { norm = embedding; ";
  const auto inEmbedding = [&](std::string text) {
    const std::string settings = "simulate { ";
    return text.replace(text.find(settings), settings.size(), embedding);
  };
  const struct {
    std::string model;
    const char *own, *padded;
    double h;
  } cases[] = {{mixture(9), "Own32", "Padded32", 2e-3},
               {mixture(10), "Own32", "Padded32", 2e-3},
               {inEmbedding(mixture(9)), "Own32", "Padded32", 2e-3},
               {example("heavy_top"), "Own32", "Padded32", 5e-5},
               {example("heavy_top_hamiltonian"), "Own32", "Padded32", 5e-5},
               {inEmbedding(example("heavy_top_hamiltonian")), "Own32", "Padded32", 5e-5},
               {example("heavy_top_lie_poisson"), "Own32", "Padded32", 5e-5},
               {example("satellite"), "Own32", "Padded32", 2e-3},
               {example("two_quadrotors"), "Own32", "Padded32", 1e-3},
               {onSphere, "Own32", "Padded32", 2e-3},
               {inEmbedding(onSphere), "Own32", "Padded32", 2e-3},
               {inEmbedding(chain), "Own32", "Padded32", 2e-3},
               {withMembers(chain, 20), "OwnProjected32", "PaddedProjected32", 2e-3},
               {inEmbedding(withMembers(chain, 20)), "OwnProjected32", "PaddedProjected32", 2e-3}};
  for (const auto& c : cases) {
    const std::string text = pairs + c.model;
    const Built own = problemOf(text, c.own), padded = problemOf(text, c.padded);
    ASSERT_TRUE(own && padded);
    EXPECT_GE(own->functions.begin, 0) << own->model << " " << c.own;
    ASSERT_EQ(padded->functions.begin, -1);
    const auto errors = [&](const Built& b) {
      runtime::Workspace w(*b);
      EXPECT_EQ(w.start(), runtime::Ok);
      const double t = b->timeFrom;
      EXPECT_EQ(w.beginTrials(t), runtime::Ok);
      EXPECT_EQ(w.trial(t, c.h), runtime::Ok);
      return all(w.numbers(b->control->errors));
    };
    const std::vector<double> a = errors(own), b = errors(padded);
    ASSERT_EQ(a.size(), b.size());
    constexpr double rounding = 1e-7; // of errors in units of the tolerance: some 1e-14 of the state
    EXPECT_GT(std::sqrt(*std::max_element(b.begin(), b.end())), 100 * rounding);
    for (std::size_t k = 0; k < a.size(); ++k)
      EXPECT_NEAR(std::sqrt(a[k]), std::sqrt(b[k]), 0.01 * std::sqrt(b[k]) + rounding)
          << own->model << " " << c.own << " " << own->control->pieces[k];
  }
}

} // namespace lmc
