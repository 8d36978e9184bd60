// The checks of a model see what is wrong: equations that were tampered with, null spaces up to round-off.
#include "driver/Pipeline.h"
#include "mechanics/Equations.h"
#include "study/DerivativeCheck.h"
#include "study/NullSpace.h"
#include "study/StepOrder.h"

#include <gtest/gtest.h>

using namespace lmc;
using namespace lmc::study;

namespace {

constexpr const char* top = R"(model Top {
  param c = 1;
  config R : SO(3) velocity W;
  config x : R velocity v;
  lagrangian = 0.5*dot(W, diag(1, 2, 3)*W) + 0.5*v^2 - dot(e3, R*[0.3, 0.2, 1]) - x^2*dot(e1, R*e2);
  dissipation = 0.1*v^2;
  initial W = [1, 2, 3];
  initial x = 1;
}
)";

/// Starts at rest in an equilibrium, up to round-off.
constexpr const char* resting = R"(model Resting {
  config R : SO(3) velocity W;
  lagrangian = 0.5*dot(W, diag(1, 2, 3)*W) + 0.7*dot(SO(3).exp([0.3, 0.4, 0.1])*e3, R*e3);
  initial R = SO(3).exp([0.3, 0.4, 0.1]);
}
)";

/// The errors by variable when the acceleration of factor k of the model is multiplied by `factor`.
std::vector<Disagreement> errors(const char* model, std::size_t k, double factor) {
  PipelineOptions options;
  options.compilation.libraryRoot = libraryRoot();
  Pipeline pipeline(options);
  EXPECT_TRUE(pipeline.loadText("model.lie", model));
  const auto problem = pipeline.build(false);
  if (!problem) return {};
  System& system = *pipeline.system();
  sym::Program& p = system.model->program;
  sym::Graph& g = p.graph();
  ArrayTuple& acceleration = system.factors[k].acceleration;
  acceleration = defineParts(p, "tampered", system.model->factors[k].manifold->algebra(), 0, {},
                             scale(g, sym::Number::real(factor), loads(g, acceleration, {})));
  StateSpace space(system, *problem);
  DerivativeCheck check(space);
  space.prepare();
  std::mt19937_64 engine(1);
  return check.run({{problem->initialState, 0.0}, {space.near(problem->initialState, 0, engine), 0.0}}, engine);
}

} // namespace

TEST(DerivativeCheck, SeesWhichEquationIsWrong) {
  const auto right = errors(top, 0, 1);
  ASSERT_EQ(right.size(), 3U);
  for (const Disagreement& d : right) EXPECT_TRUE(d.holds()) << d.variable << " " << d.error;
  const auto wrong = errors(top, 1, 1.001);
  ASSERT_EQ(wrong.size(), 3U);
  EXPECT_TRUE(wrong[0].holds());
  EXPECT_FALSE(wrong[1].holds()) << wrong[1].error;
  EXPECT_FALSE(wrong[2].holds()) << wrong[2].error; // the energy
  EXPECT_GT(wrong[1].error, 1e-5);
}

TEST(DerivativeCheck, InAnEquilibriumRoundOffIsNoError) {
  for (const Disagreement& d : errors(resting, 0, 1)) EXPECT_TRUE(d.holds()) << d.variable << " " << d.error;
  for (const Disagreement& d : errors(resting, 0, 1.001)) EXPECT_FALSE(d.holds()) << d.variable << " " << d.error;
}

/// Steps show their order against a motion that knows nothing of the method; a claim of one more is seen.
TEST(StepOrder, IsMeasuredOnTheModel) {
  for (const auto& [method, order] : {std::pair<const char*, int>{"RKMK3", 3}, {"CF4", 4}, {"VIMidpoint", 2}}) {
    PipelineOptions options;
    options.compilation.libraryRoot = libraryRoot();
    options.compilation.simulate = {{"time.from", "0"}, {"time.to", "1"}, {"step", "0.01"}};
    options.method = method;
    Pipeline pipeline(options);
    ASSERT_TRUE(pipeline.loadText("model.lie", top));
    const auto data = pipeline.build(false);
    const auto problem = pipeline.build();
    ASSERT_TRUE(data && problem);
    StateSpace space(*pipeline.system(), *data);
    space.prepare();
    const auto right = measureStepOrder(space, *problem, problem->initialState, 0);
    ASSERT_TRUE(right && right->measured) << method;
    EXPECT_NEAR(*right->measured, order, 0.4) << method;
    EXPECT_TRUE(right->holds()) << method;
    Problem claim = *problem;
    claim.order = order + 1;
    const auto wrong = measureStepOrder(space, claim, problem->initialState, 0);
    ASSERT_TRUE(wrong) << method;
    EXPECT_FALSE(wrong->holds()) << method << ' ' << wrong->measured.value_or(0);
  }
}

TEST(NullSpace, OfAMatrixWithRoundOff) {
  Eigen::MatrixXd a(6, 4);
  for (int i = 0; i < 6; ++i) a.row(i) << i + 1.0, 2.0 * (i + 1) + 1e-14, std::sin(i), 1e-13 * std::cos(i);
  const auto basis = readableBasis(nullSpace(a, 1e-10));
  ASSERT_EQ(basis.size(), 2U);
  EXPECT_EQ(basis[0], Eigen::Vector4d(1, -0.5, 0, 0));
  EXPECT_EQ(basis[1], Eigen::Vector4d(0, 0, 0, 1));
}

TEST(NullSpace, IndependentFunctionsLeaveOutWhatIsConstant) {
  Eigen::MatrixXd values(5, 4);
  for (int i = 0; i < 5; ++i) values.row(i) << 7, i, 2.0 * i + 3, i * i;
  EXPECT_EQ(independentFunctions(values, 1e-10), (std::vector<Eigen::Index>{1, 3}));
}
