// What is wrong with a method is said once, at its place.
#include "mechanics/Derived.h"

using namespace lmc;
using namespace lmc::test;

namespace {

struct Case {
  const char* name;
  const char* declaration; ///< begins at line 1, column 1
  const char* reference;   ///< of the method; empty: M
  std::vector<std::string> errors;
};

const char* const model = "\nmodel A {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2;\n}\n";

std::vector<Case> statements() {
  return {
      {"DefinedTwice",
       "method M order 1 {\n  k = h*f(t, y);\n  k = 2*k;\n  next y = exp(k)*y;\n}",
       "",
       {"LIE0503 3:3-3"}},
      {"Reserved", "method M order 1 {\n  h = 2;\n  next y = exp(h*f(t, y))*y;\n}", "", {"LIE0503 2:3-3"}},
      {"NextTwice", "method M order 1 {\n  next y = y;\n  next y = y;\n}", "", {"LIE0503 3:3-6"}},
      {"NextOfAnother", "method M order 1 {\n  next z = y;\n}", "", {"LIE0503 2:8-8"}},
      {"NoNext", "method M order 1 {\n  k = h*f(t, y);\n}", "", {"LIE0504 1:8-8"}},
      {"NextIsNoPoint", "method M order 1 {\n  next y = h*f(t, y);\n}", "", {"LIE0505 2:12-20"}},
      {"PointPlusAlgebra", "method M order 1 {\n  next y = y + h*f(t, y);\n}", "", {"LIE0505 2:12-24"}},
      {"FOfOneArgument", "method M order 1 {\n  next y = exp(h*f(y))*y;\n}", "", {"LIE0505 2:18-21"}},
      {"FOfAnAlgebraElement",
       "method M order 1 {\n  k = h*f(t, y);\n  next y = exp(h*f(t, k))*y;\n}",
       "",
       {"LIE0505 3:18-24"}},
      {"NextOfTheWrongThing", "method M order 1 {\n  next y = exp(h*f(t, next y))*y;\n}", "", {"LIE0136 2:23-28"}},
      {"FunctionWithTooFewArguments",
       "method M order 1 {\n  fn g(a, b) = a + b;\n  next y = exp(g(h*f(t, y)))*y;\n}",
       "",
       {"LIE0121 3:16-27"}},
      {"FunctionThatCallsItself",
       "method M order 1 {\n  fn g(a) = g(a);\n  next y = exp(g(h*f(t, y)))*y;\n}",
       "",
       {"LIE0111 2:13-16"}},
  };
}

std::vector<Case> solves() {
  return {
      {"TooFewEquations",
       "method M order 1 {\n  solve k, l : k = h*f(t, exp(l)*y);\n  next y = exp(k)*y;\n}",
       "",
       {"LIE0511 2:3-7"}},
      {"TooFewStarts",
       "method M order 1 {\n  solve k, l from h*f(t, y) : k = l, l = k;\n  next y = exp(k)*y;\n}",
       "",
       {"LIE0511 2:3-7"}},
      {"SidesOfTwoKinds", "method M order 1 {\n  solve k : k = 2;\n  next y = exp(k)*y;\n}", "", {"LIE0511 2:13-17"}},
      {"StartIsNoNumber",
       "method M order 1 {\n  solve k from exp(h*f(t, y)) : k = h*f(t, exp(k)*y);\n  next y = exp(k)*y;\n}",
       "",
       {"LIE0511 2:16-29"}},
      {"Limit",
       "method M order 1 {\n  solve k limit 0 : k = h*f(t, exp(k)*y);\n  next y = exp(k)*y;\n}",
       "",
       {"LIE0511 2:17-17"}},
      {"Tolerance",
       "method M order 1 {\n  solve k tolerance -1 : k = h*f(t, exp(k)*y);\n  next y = exp(k)*y;\n}",
       "",
       {"LIE0511 2:21-22"}},
      {"UnknownIsGiven",
       "method M order 1 {\n  solve y : y = exp(h*f(t, y))*y;\n  next y = y;\n}",
       "",
       {"LIE0503 2:9-9"}},
  };
}

std::vector<Case> compositions() {
  return {
      {"UnknownPart", "method M order 1 = compose(Lie_Euler; 1/2, 1/2);", "", {"LIE0500 1:28-36"}},
      {"DoNotAddUp", "method M order 1 = compose(LieEuler; 1/2, 1/3);", "", {"LIE0506 1:20-46"}},
      {"WithoutParts", "method M order 1 = compose(LieEuler);", "", {"LIE0506 1:20-36"}},
      // Two whole steps, not the steps of two parts.
      {"EachIsWhole", "method M order 1 = compose(LieEuler, CF2; 1, 1);", "", {"LIE0506 1:20-47"}},
  };
}

std::vector<Case> embeddings() {
  const auto method = [](const char* line) {
    static std::deque<std::string> texts;
    texts.push_back("method M order 1 on embedding {\n  " + std::string(line) + "\n  next q = q;\n  next v = v;\n}");
    return texts.back().c_str();
  };
  return {
      {"MomentumOfOneArgument", method("p = momentum(v);"), "", {"LIE0505 2:7-17"}},
      {"ForceOfMultipliers", method("p = force(t, q, holds(q));"), "", {"LIE0505 2:7-27"}},
      {"HoldsOfTheTime", method("c = holds(t, q);"), "", {"LIE0505 2:7-17"}},
      {"TransposeOfAVector", method("c = holdsT(q, v);"), "", {"LIE0505 2:7-18"}},
      {"MultipliersAreNoCoordinates", method("c = q + holds(q);"), "", {"LIE0120 2:7-18"}},
  };
}

std::vector<Case> references() {
  return {
      {"UnknownMethod", "", "RKMK44", {"LIE0500 1:1-6"}},
      {"UnknownConstructor", "method M = rkm(Kutta3);", "", {"LIE0506 1:12-22"}},
      {"UnknownTableau", "method M = rkmk(Kuta3);", "", {"LIE0507 1:17-21"}},
      {"ConstructorOfANumber", "method M = rkmk(3);", "", {"LIE0506 1:12-18"}},
      {"UnknownArgument", "method M = rkmk(Kutta3, cut = 2);", "", {"LIE0506 1:25-27"}},
      {"TruncationInCoordinates", "method M = projected(Kutta3, truncate = 2);", "", {"LIE0506 1:30-37"}},
      {"ImplicitInCoordinates", "method M = projected(GaussLegendre4);", "", {"LIE0530 1:22-35"}},
      {"TruncationOfProducts", "method M = crouch_grossman(Kutta3, truncate = 2);", "", {"LIE0506 1:36-43"}},
      {"TruncationIsNoWholeNumber", "method M = rkmk(Kutta3, truncate = 1.5);", "", {"LIE0506 1:36-38"}},
      {"TruncationTooHigh", "method M = rkmk(Kutta3, truncate = 12);", "", {"LIE0506 1:36-37"}},
      {"UnknownParameter",
       "method M(a = 1) order 1 {\n  next y = exp(a*h*f(t, y))*y;\n}",
       "M(b = 2)",
       {"LIE0502 1:3-3"}},
      {"ArgumentWithoutName",
       "method M(a = 1) order 1 {\n  next y = exp(a*h*f(t, y))*y;\n}",
       "M(2)",
       {"LIE0013 1:1-4"}},
      {"ParameterWithoutValue", "method M(a) order 1 {\n  next y = exp(a*h*f(t, y))*y;\n}", "M", {"LIE0502 1:10-10"}},
  };
}

std::vector<Case> tableaux() {
  const auto tableau = [](const char* rows) {
    static std::deque<std::string> texts;
    texts.push_back("tableau T {\n" + std::string(rows) + "\n  order 2;\n}\nmethod M = rkmk(T);");
    return texts.back().c_str();
  };
  return {
      {"Weights", tableau("  a = [[0, 0], [1/2, 0]];\n  b = [0, 1/2];"), "", {"LIE0510 3:7-14"}},
      {"Nodes", tableau("  a = [[0, 0], [1/2, 0]];\n  b = [0, 1];\n  c = [0, 1/3];"), "", {"LIE0510 4:7-14"}},
      {"NumberOfNodes",
       tableau("  a = [[0, 0], [1/2, 0]];\n  b = [0, 1];\n  c = [0, 1/2, 1];"),
       "",
       {"LIE0510 4:7-17"}},
      {"NotSquare", tableau("  a = [[0], [1/2]];\n  b = [0, 1];"), "", {"LIE0510 2:7-18"}},
      {"NoWeights", tableau("  a = [[0, 0], [1/2, 0]];"), "", {"LIE0510 1:9-9"}},
      {"SecondWeights", tableau("  a = [[0, 0], [1/2, 0]];\n  b = [0, 1];\n  bhat = [1];"), "", {"LIE0510 4:10-12"}},
      {"LowerWeightsAlone",
       tableau("  a = [[0, 0], [1/2, 0]];\n  b = [0, 1];\n  bhat2 = [1, 0];"),
       "",
       {"LIE0510 4:11-16"}},
      {"GivenTwice", tableau("  a = [[0, 0], [1/2, 0]];\n  b = [0, 1];\n  b = [0, 1];"), "", {"LIE0510 4:3-3"}},
  };
}

class Errors : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(Errors, StandAtTheirPlace) {
  const Case& c = GetParam();
  Derived d(c.declaration + std::string(model));
  ASSERT_TRUE(d.good) << d.c.text();
  const auto step = d.step(*c.reference == '\0' ? "M" : c.reference);
  EXPECT_FALSE(step.has_value());
  EXPECT_EQ(d.c.errors(), c.errors) << d.c.text();
}

INSTANTIATE_TEST_SUITE_P(Statements, Errors, testing::ValuesIn(statements()),
                         [](const auto& p) { return p.param.name; });
INSTANTIATE_TEST_SUITE_P(Solves, Errors, testing::ValuesIn(solves()), [](const auto& p) { return p.param.name; });
INSTANTIATE_TEST_SUITE_P(Compositions, Errors, testing::ValuesIn(compositions()),
                         [](const auto& p) { return p.param.name; });
INSTANTIATE_TEST_SUITE_P(Embeddings, Errors, testing::ValuesIn(embeddings()),
                         [](const auto& p) { return p.param.name; });
INSTANTIATE_TEST_SUITE_P(References, Errors, testing::ValuesIn(references()),
                         [](const auto& p) { return p.param.name; });
INSTANTIATE_TEST_SUITE_P(Tableaux, Errors, testing::ValuesIn(tableaux()), [](const auto& p) { return p.param.name; });
