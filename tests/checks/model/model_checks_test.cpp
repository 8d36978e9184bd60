// The checks of a model see what is wrong: equations that were tampered with, null spaces up to round-off.
#include "checks/model/DerivativeCheck.h"
#include "checks/model/Symmetries.h"
#include "checks/states/NullSpace.h"
#include "checks/states/StepOrder.h"
#include "mechanics/system/Equations.h"
#include "products/Pipeline.h"

#include <functional>
#include <gtest/gtest.h>

using namespace lmc::checks;
using namespace lmc::mechanics;
using namespace lmc::products;
using namespace lmc::runtime;
using namespace lmc::sema;
using namespace lmc;

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

/// A geodesic of the half plane, whose horizontal velocities are not orthogonal to the isotropy (z1, -z1^2 - z2^2, 1)
/// in the coordinates of the algebra.
std::string halfPlane(const std::string& model) {
  return R"(manifold HalfPlane {
  point z : vec(2);
  group SL(2);
  fn den(A, z) = (A[2,1]*z[1] + A[2,2])^2 + (A[2,1]*z[2])^2;
  action(A, z) = [(A[1,1]*z[1] + A[1,2])*(A[2,1]*z[1] + A[2,2]) + A[1,1]*A[2,1]*z[2]^2, z[2]]/den(A, z);
  horizontal(z, w) = 2*w[1]*z[1] + w[2] - w[3]*(z[1]^2 + z[2]^2);
}
model M {
  config z : HalfPlane )" +
         model + "\n  initial z = [0, 1];\n}\n";
}

using Tamper = std::function<Tuple(sym::Graph&, const Tuple& point, const Tuple& acceleration)>;

/// The errors by variable when the acceleration of factor k of the model is tampered with.
std::vector<Disagreement> errors(const std::string& model, std::size_t k, const Tamper& tamper) {
  PipelineOptions options;
  options.compilation.libraryRoot = libraryRoot();
  Pipeline pipeline(options);
  EXPECT_TRUE(pipeline.loadText("model.lie", model));
  const auto problem = pipeline.build(false);
  if (!problem) return {};
  System system = *pipeline.system();
  Layer layer(*pipeline.system());
  {
    const sym::Graph::Work work = layer.work();
    sym::Program& p = layer.program();
    sym::Graph& g = p.graph();
    ArrayTuple& acceleration = system.factors[k].acceleration;
    acceleration = defineParts(p, "tampered", system.model->factors[k].manifold->algebra(), 0, {},
                               tamper(g, loads(g, system.model->factors[k].point, {}), loads(g, acceleration, {})));
  }
  system.program = layer.equations();
  StateSpace space(system, *problem);
  DerivativeCheck check(space);
  space.prepare();
  std::mt19937_64 engine(1);
  return check.run({{problem->initialState, 0.0}, {space.near(problem->initialState, 0, engine), 0.0}}, engine);
}

std::vector<Disagreement> errors(const std::string& model, std::size_t k, double factor) {
  return errors(model, k, [factor](sym::Graph& g, const Tuple&, const Tuple& acceleration) {
    return scale(g, sym::Number::real(factor), acceleration);
  });
}

} // namespace

// What P takes away, what the wrong projection leaves, and an error of the motion itself.
TEST(DerivativeCheck, SeesProjectionsThatAreNotAlongTheIsotropy) {
  const std::string velocity = halfPlane("velocity w; lagrangian = 0.5*dot(z', z')/z[2]^2 - 0.3*z[1];\n"
                                         "  initial w = [0.3, 0.4, 0.4];");
  const std::string momentum =
      halfPlane("momentum p; hamiltonian = 0.5*z[2]^2*p[2]^2 + 0.5*(p[1]/2 - z[1]*p[2])^2 + 0.3*z[1];\n"
                "  initial p = [1.2, 0.8, 0.8];");
  for (const std::string& model : {velocity, momentum}) {
    for (const Disagreement& d : errors(model, 0, 1)) EXPECT_TRUE(d.holds()) << d.variable << " " << d.error;
    EXPECT_FALSE(errors(model, 0, 1.001)[0].holds());
    const auto along = [](sym::Graph& g, const Tuple& point, const Tuple& a) {
      const sym::Expr x = g.entry(point[0], 0), y = g.entry(point[0], 1);
      const sym::Expr square = g.add(g.mul(x, x), g.mul(y, y));
      const Tuple still = {g.vector({x, g.neg(square), g.number(1)})};
      return add(g, a, scale(g, sym::Number::real(1e-3), still));
    };
    EXPECT_FALSE(errors(model, 0, along)[0].holds());
    const auto across = [](sym::Graph& g, const Tuple& point, const Tuple& a) { // seen as P in the place of P^T
      const sym::Expr x = g.entry(point[0], 0), y = g.entry(point[0], 1);
      const sym::Expr square = g.add(g.mul(x, x), g.mul(y, y));
      const Tuple normal = {g.vector({g.mul(g.number(2), x), g.number(1), g.neg(square)})};
      return add(g, a, scale(g, sym::Number::real(1e-3), normal));
    };
    EXPECT_FALSE(errors(model, 0, across)[0].holds());
  }
}

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

// From rest a state grows with the step: errors relative to it would show an order less, where forces are strong.
TEST(StepOrder, FromRestUnderStrongForces) {
  for (const char* const strength : {"1", "1e6", "1e100"}) {
    PipelineOptions options;
    options.compilation.libraryRoot = libraryRoot();
    Pipeline pipeline(options);
    ASSERT_TRUE(pipeline.loadText(
        "model.lie",
        "model Top { param s = " + std::string(strength) +
            "; config R : SO(3) velocity w; lagrangian = 0.5*dot(w, w) + s*dot([0.3, 0, -9.81], R*[1, 0.5, 0]);"
            " simulate { method = RKMK4; time = 0..1; step = 0.01; } }"));
    const auto data = pipeline.build(false);
    const auto problem = pipeline.build();
    ASSERT_TRUE(data && problem);
    StateSpace space(*pipeline.system(), *data);
    space.prepare();
    const auto order = measureStepOrder(space, *problem, problem->initialState, 0);
    ASSERT_TRUE(order && order->measured) << strength;
    EXPECT_NEAR(*order->measured, 4, 0.3) << strength;
    EXPECT_TRUE(order->holds()) << strength;
  }
}

// A force that is zero but for its rounding, of about s*1e-16: what it does to the momentum is no finding.
TEST(Symmetries, RoundOffIsNoViolation) {
  const auto verdict = [](const std::string& strength, const std::string& more) {
    PipelineOptions options;
    options.compilation.libraryRoot = libraryRoot();
    Pipeline pipeline(options);
    EXPECT_TRUE(pipeline.loadText("model.lie", "model M { param s = " + strength +
                                                   "; config x : R velocity v; lagrangian = 0.5*v^2;"
                                                   " force on x = s*(sin(x)^2 + cos(x)^2 - 1)" +
                                                   more + "; initial v = 1; initial x = 0.3; }"));
    const auto data = pipeline.build(false);
    EXPECT_TRUE(data) << more;
    if (!data) return std::string();
    StateSpace space(*pipeline.system(), *data);
    Symmetries symmetries(space);
    space.prepare();
    std::mt19937_64 engine(1);
    std::vector<std::string> undecided;
    const auto found = symmetries.find(data->initialState, 0, 1, engine, undecided);
    EXPECT_LE(found.size() + undecided.size(), 1U);
    return std::string(!found.empty() ? "conserved" : !undecided.empty() ? "undecided" : "changes");
  };
  for (const char* const s : {"0", "1", "1e4", "1e8"}) EXPECT_EQ(verdict(s, ""), "conserved") << s;
  for (const char* const s : {"1e12", "1e14"}) EXPECT_EQ(verdict(s, ""), "undecided") << s;
  for (const char* const s : {"0", "1", "1e4"}) EXPECT_EQ(verdict(s, " + 1e-4*x"), "changes") << s;
}

// The same three bodies in their own units, in metres, kilograms and seconds, and with lengths of atoms: what is
// conserved is called the same. Coefficients of translations and of rotations are then 1e11 apart.
TEST(Symmetries, HaveTheSameNamesInAllUnits) {
  const auto namesOf = [](const std::string& length, const std::string& mass, const std::string& time) {
    PipelineOptions options;
    options.compilation.libraryRoot = libraryRoot();
    Pipeline pipeline(options);
    EXPECT_TRUE(pipeline.loadText(
        "model.lie", "model M { param a = " + length + "; param k = " + mass + "; param s = " + time +
                         "; param m[i in 1..3] = k*(if i == 1 then 1 else if i == 2 then 3e-6 else 4e-8);"
                         " config x[3] : R^3 velocity v; lagrangian = sum(i in 1..3: 0.5*m[i]*dot(v[i], v[i]))"
                         " + sum(i in 1..3, j in i+1..3: a^3/(k*s^2)*m[i]*m[j]/norm(x[i] - x[j]));"
                         " initial x[1] = zeros(3); initial x[2] = a*e1; initial x[3] = 1.0026*a*e1;"
                         " initial v[1] = zeros(3); initial v[2] = a/s*e2; initial v[3] = 1.03*a/s*e2; }"));
    const auto data = pipeline.build(false);
    EXPECT_TRUE(data) << length;
    std::vector<std::string> names;
    if (!data) return names;
    StateSpace space(*pipeline.system(), *data);
    Symmetries symmetries(space);
    space.prepare();
    std::mt19937_64 engine(1);
    std::vector<std::string> undecided;
    for (const Conserved& c : symmetries.find(data->initialState, 0, 1, engine, undecided)) names.push_back(c.name);
    EXPECT_TRUE(undecided.empty()) << length;
    return names;
  };
  const std::vector<std::string> expected = {"translation of x along e1",      "translation of x along e2",
                                             "translation of x along e3",      "rotation of x about e1 (space)",
                                             "rotation of x about e2 (space)", "rotation of x about e3 (space)"};
  EXPECT_EQ(namesOf("1", "1", "1"), expected);
  EXPECT_EQ(namesOf("1.496e11", "1.989e30", "5.02e6"), expected);
  EXPECT_EQ(namesOf("1e-10", "1.67e-27", "1e-13"), expected);
}

TEST(Deviation, IsJudgedByItsRounding) {
  const auto judged = [](double value, double doubt) { return Deviation{value, doubt}.vanishes(); };
  EXPECT_EQ(judged(1e-12, 1e-16), true);
  EXPECT_EQ(judged(1e-8, 1e-16), false);
  EXPECT_EQ(judged(1e-8, 1e-9), true);
  EXPECT_EQ(judged(1e-8, 1e-4), std::nullopt);
  EXPECT_EQ(judged(1e-1, 1e-4), false);
  Deviation d;
  d.include(1e-12, 1e-15);
  d.include(std::nan(""), 1e-15);
  EXPECT_EQ(d.vanishes(), false);
}

TEST(NullSpace, OfAMatrixWithRoundOff) {
  Eigen::MatrixXd a(6, 4);
  for (int i = 0; i < 6; ++i) a.row(i) << i + 1.0, 2.0 * (i + 1) + 1e-14, std::sin(i), 1e-13 * std::cos(i);
  const auto basis = readableBasis(nullSpace(a, 1e-10));
  ASSERT_EQ(basis.size(), 2U);
  EXPECT_EQ(basis[0], Eigen::Vector4d(1, -0.5, 0, 0));
  EXPECT_EQ(basis[1], Eigen::Vector4d(0, 0, 0, 1));
}

TEST(NullSpace, BasesHaveUnits) {
  Eigen::MatrixXd columns(4, 2); // (1, 1, 0, 3e-12), (0, 0, 1e-12, 0) in another basis
  columns << 1, 2, 1, 2, 1e-12, -1e-12, 3e-12, 6e-12;
  const auto basis = readableBasis(columns, Eigen::Vector4d(1, 1, 1e-12, 1e-12));
  ASSERT_EQ(basis.size(), 2U);
  EXPECT_EQ(basis[0].head(3), Eigen::Vector3d(1, 1, 0));
  EXPECT_NEAR(basis[0](3), 3e-12, 1e-24);
  EXPECT_EQ(basis[1], Eigen::Vector4d(0, 0, 1, 0));
}

TEST(NullSpace, IndependentFunctionsLeaveOutWhatIsConstant) {
  Eigen::MatrixXd values(5, 4);
  for (int i = 0; i < 5; ++i) values.row(i) << 7, i, 2.0 * i + 3, i * i;
  EXPECT_EQ(independentFunctions(values, 1e-10), (std::vector<Eigen::Index>{1, 3}));
}
