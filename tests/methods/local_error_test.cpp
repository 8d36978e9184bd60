// The local error of a step: the algebra element between two results, by hand.
#include "methods/derivatives/LocalError.h"

#include "mechanics/Derived.h"

#include <cmath>

using namespace lmc::methods;
using namespace lmc::test;
using namespace lmc;

namespace {

constexpr double absolute = 1e-3, relative = 1e-2;

/// Two results that differ by something small of known size.
const std::string pair = "method Pair order 2(1) {\n  k = h*f(t, y);\n  next y = exp(k/2)*y;\n"
                         "  embedded y = exp(k/2 + k/1000)*y;\n}\n";

/// The errors of one step, in units of the tolerances above.
struct Errors {
  std::vector<std::string> names;
  std::vector<double> values;
  std::vector<Numbers> next, embedded;
  double at(const std::string& name) const {
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k] == name) return values[k];
    }
    ADD_FAILURE() << name;
    return -1;
  }
};

Errors errorsOf(const std::string& model, const std::string& method = "Pair") {
  Derived d(pair + model);
  EXPECT_TRUE(d.good) << model;
  Errors e;
  const auto step = d.step(method);
  if (!step) return e;
  const ErrorEstimate estimate = errorEstimate(d.layer(), *step);
  Evaluate values = d.at();
  setParameters(*d.c.model, values);
  values.set(step->stepSize, {0.01});
  const std::size_t n = estimate.pieces.size();
  values.set(estimate.tolerances.absolute, Numbers(n, absolute));
  values.set(estimate.tolerances.relative, Numbers(n, relative));
  for (std::size_t k = 0; k < n; ++k) {
    e.names.push_back(estimate.pieces[k].name);
    e.values.push_back(std::sqrt(values.array(estimate.squares[k]).at(0)));
  }
  for (const sym::Array* a : step->next) e.next.push_back(values.array(a));
  for (const sym::Array* a : step->embedded) e.embedded.push_back(values.array(a));
  return e;
}

double norm(const Numbers& a, std::size_t from = 0, std::size_t count = 1000) {
  double sum = 0;
  for (std::size_t k = from; k < std::min(a.size(), from + count); ++k) sum += a[k] * a[k];
  return std::sqrt(sum);
}

double distance(const Numbers& a, const Numbers& b) {
  Numbers d;
  for (std::size_t k = 0; k < a.size(); ++k) d.push_back(a[k] - b[k]);
  return norm(d);
}

/// |yhat - y| of a rotation matrix is sqrt(2) times the angle, to first order.
double angle(const Numbers& a, const Numbers& b) {
  return distance(a, b) / std::sqrt(2);
}

const std::string top = "dot(w, diag(1, 2, 3)*w) - dot(e3, R*[0.5, 1, 0.3]);\n  initial w = [3, 1, -2];\n}\n";

} // namespace

TEST(LocalError, OfARotationIsItsAngle) {
  for (const char* frame : {"", " in space"}) {
    const Errors e =
        errorsOf(std::string("model T {\n  config R : SO(3) velocity w") + frame + ";\n  lagrangian = " + top);
    EXPECT_EQ(e.names, (std::vector<std::string>{"R", "w"}));
    EXPECT_NEAR(e.at("R"), angle(e.next[0], e.embedded[0]) / (absolute + relative), 1e-6 * e.at("R"));
    EXPECT_NEAR(e.at("w"), distance(e.next[1], e.embedded[1]) / (absolute + relative * norm({3, 1, -2})),
                1e-2 * e.at("w"));
  }
}

TEST(LocalError, OfAVectorIsMeasuredByItsSize) {
  const Errors e = errorsOf("model V {\n  config x : R^2 velocity v;\n  state z : R;\n  lagrangian = dot(v, v);\n"
                            "  flow z = 1;\n  initial x = [300, 400];\n  initial v = [0, 2];\n  initial z = -7;\n}\n");
  EXPECT_EQ(e.names, (std::vector<std::string>{"x", "v", "z"}));
  EXPECT_NEAR(e.at("x"), 2e-5 / (absolute + relative * 500.01), 1e-9);
  EXPECT_EQ(e.at("v"), 0);
  EXPECT_NEAR(e.at("z"), 1e-5 / (absolute + relative * 7), 1e-9);
}

TEST(LocalError, OnTheSphereIsTheAngleWithoutTheIsotropy) {
  const Errors e =
      errorsOf("model S {\n  state q : S^2;\n  flow q = [1, 2, 50*q[3]];\n  initial q = [0.6, 0, 0.8];\n}\n");
  EXPECT_NEAR(e.at("q"), distance(e.next[0], e.embedded[0]) / (absolute + relative), 1e-3 * e.at("q"));
}

TEST(LocalError, OfAFamilyIsTheLargestOfItsMembers) {
  const Errors e = errorsOf("model F {\n  state q[3] : S^2;\n  for i in 1..3 {\n    flow q[i] = [0, i*(2 - i), 0];\n"
                            "    initial q[i] = [0.6, 0, 0.8];\n  }\n}\n");
  ASSERT_EQ(e.values.size(), 1U);
  EXPECT_NEAR(e.at("q"), 3e-5 / (absolute + relative), 1e-7); // members turn at 1, 0, -3
}

TEST(LocalError, OfAMotionHasAPartForTheTranslation) {
  const Errors e = errorsOf("model B {\n  state X : SE(3);\n  flow X = (w = [0, 0, 3], v = [0, 4, 0]);\n"
                            "  initial X = (R = eye(3), x = [0, 0, 100]);\n}\n");
  EXPECT_EQ(e.names, (std::vector<std::string>{"X.w", "X.v"}));
  EXPECT_NEAR(e.at("X.w"), 3e-5 / (absolute + relative), 1e-8);
  EXPECT_NEAR(e.at("X.v"), 4e-5 / (absolute + relative * 100), 1e-8);
}

TEST(StartRates, AreNormsInTheSameUnits) {
  Derived d(pair + "model V {\n  config x : R^2 velocity v;\n  lagrangian = 0.5*dot(v, v) - 0.5*t*dot(x, x);\n"
                   "  initial x = [3, 4];\n  initial v = [0, 2];\n}\n");
  const auto step = d.step("Pair");
  ASSERT_TRUE(step);
  const ErrorEstimate estimate = errorEstimate(d.layer(), *step);
  const StartRates rates = startRates(d.layer(), *step, estimate.tolerances);
  Evaluate values = d.at({}, 2);
  values.set(step->stepSize, {0.5});
  values.set(estimate.tolerances.absolute, {absolute, absolute});
  values.set(estimate.tolerances.relative, {relative, relative});
  const auto value = [&](const sym::Array* a) { return std::sqrt(values.array(a).at(0)); };
  const double x = absolute + relative * 5, v = absolute + relative * 2;
  EXPECT_NEAR(value(rates.sizes[0]), 5 / x, 1e-9);
  EXPECT_NEAR(value(rates.sizes[1]), 2 / v, 1e-9);
  EXPECT_NEAR(value(rates.rates[0]), 2 / x, 1e-9);
  EXPECT_NEAR(value(rates.rates[1]), 2 * 5 / v, 1e-9);
  // half a time unit further: x = (3, 5), v = (-3, -2), t = 2.5
  EXPECT_NEAR(value(rates.changes[0]), 5 / x, 1e-9);
  EXPECT_NEAR(value(rates.changes[1]), std::hypot(7.5 - 6, 12.5 - 8) / v, 1e-9);
}

TEST(EvaluationsOfAStep, AreThoseThatItsResultNeeds) {
  Derived d("model V {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 0.5*x^2;\n  initial x = 1;\n}\n");
  const auto dormandPrince = d.step("RKMK54");
  ASSERT_TRUE(dormandPrince);
  EXPECT_EQ(dormandPrince->evaluations, 7);
  EXPECT_EQ(dormandPrince->ownEvaluations, 6);
  EXPECT_EQ(dormandPrince->order, 5);
  EXPECT_EQ(dormandPrince->embeddedOrder, 4);
  const auto commutatorFree = d.step("CF43");
  ASSERT_TRUE(commutatorFree);
  EXPECT_EQ(commutatorFree->evaluations, 5);
  EXPECT_EQ(commutatorFree->ownEvaluations, 4);
}

TEST(LocalError, OfThreeResultsIsMadeOfTwoEstimates) {
  const auto tableau = [](const std::string& name, const std::string& more) {
    return "tableau " + name + "T {\n  a = [[0, 0, 0], [1/2, 0, 0], [-1, 2, 0]];\n  b = [1/6, 2/3, 1/6];\n" + more +
           "  order 3;\n}\nmethod " + name + " = projected(" + name + "T);\n";
  };
  const std::string high = " = [0, 1, 0];\n", low = " = [1, 0, 0];\n";
  const std::string text = tableau("High", "  bhat" + high) + tableau("Low", "  bhat" + low) +
                           tableau("Both", "  bhat" + high + "  bhat2" + low) +
                           "model T {\n  config R : SO(3) velocity w;\n  lagrangian = " + top;
  const Errors first = errorsOf(text, "High"), second = errorsOf(text, "Low"), both = errorsOf(text, "Both");
  for (const char* name : {"R", "w"}) {
    const double e = first.at(name), z = second.at(name);
    EXPECT_GT(z, 2 * e);
    EXPECT_NEAR(both.at(name), e * e / std::hypot(e, z / 10), 1e-12 * e) << name;
  }
}
