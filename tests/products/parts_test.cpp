// Compositions whose parts share code: a step is what the steps of their methods are, taken one after the other by code
// of their own, and what the written-out equations are, which are differentiated. Bodies that are calls of functions
// likewise: a composition of one of them alone is written out.
#include "products/Pipeline.h"

#include "diagnostics/Diagnostics.h"
#include "mechanics/system/System.h"
#include "methods/derivatives/LinearizationRequest.h"
#include "runtime/derivatives/LinearizedWorkspace.h"
#include "runtime/run/Workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace lmc {
namespace {

/// Bodies, points of spheres, a force that depends on time: steps that are long enough to be shared.
const char* const driven = R"(
model Driven {
  param N : int = 3;
  param J : mat(3,3) = [[1, 0.2, 0], [0.2, 2, 0.1], [0, 0.1, 2.5]];
  config R : SO(3) velocity W;
  config q[N] : S^2 velocity w;
  let x[1] = R*[0.3, 0.1, -0.4] + q[1];
  let x[i in 2..N] = x[i-1] + q[i];
  lagrangian = 0.5*dot(W, J*W) + sum(i in 1..N: 0.5*dot(x[i]', x[i]') - 9.81*dot(e3, x[i]));
  force on R = [sin(3*t), 0.2, cos(5*t)];
  initial R = SO(3).exp([0.3, -0.2, 0.5]);
  initial W = [0.4, 1, -0.7];
  initial q[i in 1..N] = normalize([0.4, 0.1*i, -0.8]);
  initial w[i in 1..N] = cross(q[i], [0.3, -0.2*i, 0.5]);
)";

/// A body whose configuration is held by a constraint.
const char* const held = R"(
model Held {
  param J : mat(3,3) = diag(0.5, 1.2, 0.8);
  config X[2] : SE(3) velocity u;
  lagrangian = sum(i in 1..2: 0.5*dot(u[i].w, J*u[i].w) + 0.7*dot(u[i].v, u[i].v) - 9.81*X[i].x[3]);
  constraint pin : X[1]*[0.2, 0.3, 0.5] = [0, 0, 0];
  constraint joint : X[2]*[0.1, 0, 0.4] = X[1]*[0.2, -0.3, -0.5];
  initial adjust X, u;
  initial X[1] = (R = SO(3).exp([0.4, -0.3, 0.2]), x = [0, 0, -0.5]);
  initial X[2] = (R = SO(3).exp([0.1, 0.6, -0.2]), x = [0, 0, -1.2]);
  initial u[1].w = [0.3, 0.5, -0.2];
)";

struct Made {
  Made(const std::string& model, const std::string& method, const std::string& methods = "", int optimization = 2) {
    products::PipelineOptions o;
    o.compilation.libraryRoot = LMC_SOURCE_DIR;
    o.codeForAnyParameters = false;
    o.compile.optimization = optimization;
    o.method = method;
    pipeline = std::make_unique<products::Pipeline>(std::move(o));
    EXPECT_TRUE(pipeline->loadText(
        "model.lie", methods + model + "  simulate { method = VIMidpoint; time = 0..1; step = 0.01; }\n}\n"));
    problem = pipeline->build();
    EXPECT_TRUE(problem) << (pipeline->diagnostics().hasErrors() ? pipeline->diagnostics().sorted().front().message
                                                                 : "");
  }
  std::unique_ptr<products::Pipeline> pipeline;
  std::unique_ptr<runtime::Problem> problem;
};

std::vector<double> stateOf(runtime::Workspace& w) {
  const auto y = w.state();
  return {y.begin(), y.end()};
}

/// A step of a method from a state.
std::vector<double> after(const Made& made, const std::vector<double>& state, double t, double h) {
  runtime::Workspace w(*made.problem);
  EXPECT_EQ(w.start(), runtime::Ok);
  std::copy(state.begin(), state.end(), w.state().begin());
  std::int64_t done = 0;
  EXPECT_EQ(w.advance(t, h, 0, 1, done), runtime::Ok);
  EXPECT_EQ(done, 1);
  return stateOf(w);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double d = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) d = std::max(d, std::abs(a[k] - b[k]));
  return d;
}

struct Part {
  std::string method;
  double length;
};

const double yoshida = 1 / (2 - std::cbrt(2.0));
const std::vector<Part> threeSteps = {
    {"VIMidpoint", yoshida}, {"VIMidpoint", 1 - 2 * yoshida}, {"VIMidpoint", yoshida}};

struct Composition {
  std::string name, text;
  std::vector<Part> parts; ///< each goes on from the one before
};

std::vector<Composition> compositions() {
  std::vector<Part> nested;
  for (const double half : {0.5, 0.5})
    for (const Part& p : threeSteps) nested.push_back({p.method, half * p.length});
  return {
      {"VI4", "", threeSteps},
      {"Nested", "method Nested order 4 = compose(VI4; 1/2, 1/2);\n", nested},
      {"ThereAndBack",
       "method ThereAndBack order 2 = compose(VITrapezoid; 1, -1, 1);\n",
       {{"VITrapezoid", 1}, {"VITrapezoid", -1}, {"VITrapezoid", 1}}},
      {"Mixed",
       "method Mixed order 2 = compose(VIMidpoint, VITrapezoid, VIMidpoint; 1/4, 1/2, 1/4);\n",
       {{"VIMidpoint", 0.25}, {"VITrapezoid", 0.5}, {"VIMidpoint", 0.25}}},
      {"WithAdjoint",
       "method WithAdjoint order 2 = compose(VITrapezoid, adjoint(VIMidpoint), VITrapezoid; 1/4, 1/2, 1/4);\n",
       {{"VITrapezoid", 0.25}, {"VIMidpoint", 0.5}, {"VITrapezoid", 0.25}}}, // which is its own adjoint
  };
}

std::vector<std::pair<const char*, Composition>> cases() {
  std::vector<std::pair<const char*, Composition>> all;
  for (const char* const model : {driven, held})
    for (const Composition& c : compositions())
      if (model == driven || c.name != "WithAdjoint") all.emplace_back(model, c); // multipliers have no adjoint step
  return all;
}

class Shared : public testing::TestWithParam<std::pair<const char*, Composition>> {};

} // namespace

TEST_P(Shared, IsTheStepsOneAfterTheOther) {
  const auto& [model, c] = GetParam();
  const Made whole(model, c.name, c.text);
  ASSERT_TRUE(whole.problem);
  EXPECT_NE(whole.pipeline->dump("step").find("\nstep 1 from t + "), std::string::npos);
  runtime::Workspace start(*whole.problem);
  ASSERT_EQ(start.start(), runtime::Ok);
  const double t = 0.35, h = 0.02;
  std::vector<double> wanted = stateOf(start);
  const std::vector<double> begin = wanted;
  std::map<std::string, std::unique_ptr<Made>> inner;
  double at = t;
  for (const Part& p : c.parts) {
    auto& method = inner[p.method];
    if (!method) method = std::make_unique<Made>(model, p.method);
    ASSERT_TRUE(method->problem);
    wanted = after(*method, wanted, at, p.length * h);
    at += p.length * h;
  }
  EXPECT_GT(distance(begin, wanted), 1e-3);
  EXPECT_LT(distance(after(whole, begin, t, h), wanted), 2e-13);
}

INSTANTIATE_TEST_SUITE_P(Parts, Shared, testing::ValuesIn(cases()));

namespace {

/// Bodies with all that stands in some: brackets, derivatives of exponentials, other retractions, products of several
/// elements, times, values that are used far behind, points that are not named, and estimates of their own stages.
const std::vector<std::pair<std::string, std::string>> bodies = {
    {"Brackets", R"(method Brackets order 1 {
  k1 = h*f(t, y);
  k2 = h*f(t + h/2, exp(k1/2)*y);
  k3 = h*f(t + h/2, exp(k2/2 - [k1, k2]/8)*y);
  k4 = h*f(t + h, exp(k3)*y);
  k5 = h*f(t + h/3, exp(k1/3)*y);
  k6 = h*f(t + 2*h/3, exp(k5/3 - k4/8)*exp(k2/7)*y);
  next y = exp((k1 + 2*k2 + 2*k3 + k4 - [k1, k4]/2)/6 + (k5 - k6)/9)*y;
})"},
    {"Derivatives", R"(method Derivatives order 1 {
  k1 = h*f(t, y);
  u2 = k1/2;
  k2 = dexpinv(u2, h*f(t + h/2, exp(u2)*y));
  k3 = dexp(k2/3, h*f(t + h/4, cay(k2/2)*y));
  Y4 = exp(k3 - k1/5)*cay(k2/4)*y;
  k4 = Ad(exp(k1/2), h*f(t + h, Y4));
  k5 = h*f(t + h/5, exp(k1/9)*Y4);
  k6 = h*f(t + h/5, exp(k4/9)*exp(k5/8)*y);
  next y = exp((k1 + 2*k2 + 2*k3 + k4)/6 + k6/20)*exp(k5/20)*y;
})"},
    {"Pair", R"(method Pair order 2(1) {
  k1 = h*f(t, y);
  k2 = h*f(t + h/2, exp(k1/2)*y);
  e3 = h*f(t + h/2, exp(k2/2)*y);
  e4 = h*f(t + h, exp(e3)*y);
  k5 = h*f(t + h/2, exp(k1/2)*y);
  k6 = h*f(t + h/3, exp(k5/3)*y);
  k7 = h*f(t + h/3, exp(k6/3)*y);
  next y = exp(k2 + k7 - k6)*y;
  embedded y = exp((k1 + 2*k2 + 2*e3 + e4)/6)*y;
})"},
    {"Coordinates", R"(method Coordinates order 1 on embedding {
  k1 = h*ydot(t, y);
  k2 = h*ydot(t + h/2, y + k1/2);
  Y3 = onto(y + k2/2);
  k3 = h*ydot(t + h/2, Y3);
  k4 = h*ydot(t + h, y + k3);
  k5 = h*ydot(t + h/3, Y3 + k4/9);
  next y = onto(y + (k1 + 2*k2 + 2*k3 + k4)/6 + (k5 - k4)/20);
})"},
    {"Rates", R"(method Rates order 1 on embedding {
  a1 = vdot(t, q, v);
  v2 = v + h/2*a1;
  q2 = q + h/2*v;
  a2 = vdot(t + h/2, q2, v2);
  v3 = v + h/2*a2;
  a3 = vdot(t + h/2, q + h/2*v2, v3);
  a4 = vdot(t + h, q + h*v3, v + h*a3);
  a5 = vdot(t, q2, v);
  next q = q + h*(v + 2*v2 + 2*v3 + v + h*a3)/6;
  next v = v + h*(a1 + 2*a2 + 2*a3 + a4)/6 + h*(a5 - a1)/20;
})"},
    {"Grossman", R"(tableau Mixed {
  a = [[0, 0, 0, 0, 0], [3/4, 0, 0, 0, 0], [119/216, 17/108, 0, 0, 0], [1/3, 0, 1/5, 0, 0], [0, 1/7, 0, 1/2, 0]];
  b = [13/51, -2/3, 1/9, 24/17, -1/9];
  order 1;
}
method Grossman = crouch_grossman(Mixed);)"},
    // Stages that are equations, with two numbers on the diagonal; the first one needs none before it, or is explicit.
    {"Equations", R"(tableau Triangular {
  a = [[1/4, 0, 0, 0], [1/3, 1/4, 0, 0], [1/5, -1/7, 1/3, 0], [1/8, 1/2, -1/9, 1/4]];
  b = [1/2, 1/3, -1/4, 5/12];
  bhat = [1/3, 1/3, 0, 1/3];
  order 1(1);
}
method Equations = rkmk(Triangular);)"},
    {"ExplicitFirst", R"(tableau Singly {
  a = [[0, 0, 0, 0], [1/6, 1/6, 0, 0], [1/5, 1/7, 0, 0], [1/8, 1/2, -1/9, 1/6]];
  b = [1/2, 1/3, -1/4, 5/12];
  order 1;
}
method ExplicitFirst = rkmk(Singly);)"},
    {"GrossmanEquations", R"(tableau Mixture {
  a = [[1/3, 0, 0], [-1/4, 1/5, 0], [1/6, 1/7, 1/3]];
  b = [1/2, 3/4, -1/4];
  order 1;
}
method GrossmanEquations = crouch_grossman(Mixture);)"},
};

/// Three bodies in a field, whose f is long.
const char* const large = R"(
model Large {
  param N : int = 5;
  param J : mat(3,3) = [[1, 0.2, 0], [0.2, 2, 0.1], [0, 0.1, 2.5]];
  config R[N] : SO(3) velocity W;
  config q[N] : S^2 velocity w;
  let x[1] = R[1]*[0.3, 0.1, -0.4] + q[1];
  let x[i in 2..N] = x[i-1] + q[i] + R[i]*[0.1, 0.2, -0.1];
  lagrangian = sum(i in 1..N: 0.5*dot(W[i], J*W[i]) + 0.5*dot(x[i]', x[i]') - 9.81*dot(e3, x[i]));
  force on R[1] = [sin(3*t), 0.2, cos(5*t)];
  initial R[i in 1..N] = SO(3).exp([0.3, -0.2*i, 0.5]);
  initial W[i in 1..N] = [0.4, 1, -0.1*i];
  initial q[i in 1..N] = normalize([0.4, 0.1*i, -0.8]);
  initial w[i in 1..N] = cross(q[i], [0.3, -0.2*i, 0.5]);
)";

class Bodies : public testing::TestWithParam<std::pair<const char*, std::pair<std::string, std::string>>> {};

std::vector<std::pair<const char*, std::pair<std::string, std::string>>> bodiesOnModels() {
  std::vector<std::pair<const char*, std::pair<std::string, std::string>>> all;
  for (const char* const model : {large, held})
    for (const auto& body : bodies)
      if (model == large || body.first != "Rates") all.emplace_back(model, body); // rates know no constraints
  return all;
}

} // namespace

TEST_P(Bodies, AreWhatTheyAreWrittenOut) {
  const auto& [model, body] = GetParam();
  const auto& [name, text] = body;
  const Made calls(model, name, text + "\n");
  const Made written(model, "Whole", text + "\nmethod Whole order 1 = compose(" + name + "; 1);\n");
  ASSERT_TRUE(calls.problem);
  ASSERT_TRUE(written.problem);
  EXPECT_NE(calls.pipeline->dump("step").find("\ncall of function 1"), std::string::npos);
  EXPECT_EQ(written.pipeline->dump("step").find("\ncall of function"), std::string::npos);
  // Calls do without stages of an estimate, and an explicit first stage is what equations start from.
  const int evaluations = name == "Pair" ? 5 : name == "ExplicitFirst" ? 2 : written.problem->evaluationsPerStep;
  EXPECT_EQ(calls.problem->evaluationsPerStep, evaluations);
  runtime::Workspace start(*written.problem);
  ASSERT_EQ(start.start(), runtime::Ok);
  const double t = 0.35, h = 0.02;
  const std::vector<double> begin = stateOf(start);
  const std::vector<double> wanted = after(written, begin, t, h);
  EXPECT_GT(distance(begin, wanted), 1e-3);
  EXPECT_LT(distance(after(calls, begin, t, h), wanted), 2e-13);
  EXPECT_LT(distance(after(calls, begin, t, -h), after(written, begin, t, -h)), 2e-13);
}

INSTANTIATE_TEST_SUITE_P(Calls, Bodies, testing::ValuesIn(bodiesOnModels()));

TEST(SharedParts, AreTheStepThatIsDifferentiated) {
  const Made whole(held, "VI4", "", 0);
  ASSERT_TRUE(whole.problem);
  methods::LinearizationRequest request;
  request.step = request.forward = true;
  const auto linear = whole.pipeline->buildLinearization(request);
  ASSERT_TRUE(linear);
  runtime::LinearizedWorkspace w(*linear);
  runtime::Workspace start(*whole.problem);
  ASSERT_EQ(start.start(), runtime::Ok);
  const std::vector<double> begin = stateOf(start);
  const double t = 0.35, h = 0.02;
  ASSERT_EQ(w.start(), runtime::Ok);
  std::copy(begin.begin(), begin.end(), w.state().begin());
  const std::vector<double> direction(static_cast<std::size_t>(linear->coordinates), 0.0);
  ASSERT_EQ(w.forward(runtime::LinearizedMap::Step, t, h, direction), runtime::Ok);
  const auto value = w.value(runtime::LinearizedMap::Step);
  EXPECT_LT(distance(after(whole, begin, t, h), {value.begin(), value.end()}), 1e-11);
}

} // namespace lmc
