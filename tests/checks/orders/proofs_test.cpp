// Proved orders: what the literature says about methods, and about their misprints.
#include "checks/orders/Prove.h"
#include "sema/Support.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace lmc::orders;
using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;
using orders::OrderProof;

namespace {

constexpr int highest = 7;

OrderProof proofOf(const std::string& text, const std::string& method = "M", int limit = highest) {
  const Checked c = check(text);
  const Found found = c.compilation->findMethod(method);
  EXPECT_TRUE(bool(found)) << text;
  return found ? orders::proveOrder(*c.compilation, found, limit) : OrderProof{"there is no such method", {}, {}};
}

std::string steppers(const std::string& file) {
  std::ifstream in(std::string(LMC_SOURCE_DIR) + "/runtime/steppers/" + file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A declaration of the library under the name M, with one piece of its text replaced.
std::string misprinted(const std::string& file, const std::string& name, const std::string& from,
                       const std::string& to) {
  const std::string text = steppers(file);
  const std::size_t begin = text.find("\nmethod " + name + " ") + 1;
  std::string method = text.substr(begin, text.find("\n}", begin) + 3 - begin);
  method.replace(method.find(name), name.size(), "M");
  const std::size_t at = method.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << method;
  return method.replace(at, from.size(), to);
}

struct Claim {
  const char* name;
  std::string text;
  int order;
  const char* tree = ""; ///< of the first condition that fails; empty: not looked at
  friend std::ostream& operator<<(std::ostream& out, const Claim& c) { return out << c.name; }
};

std::string body(const std::string& statements) {
  return "method M order 1 {\n" + statements + "\n}\n";
}

std::vector<Claim> constructed() {
  return {
      {"ClassicalAsMuntheKaas", "method M = rkmk(ClassicalRK4);", 4},
      {"ClassicalAsProducts", "method M = crouch_grossman(ClassicalRK4);", 2},
      {"MidpointAsProducts", "method M = crouch_grossman(Midpoint);", 2},
      {"ClassicalWithTwoBrackets", "method M = rkmk(ClassicalRK4, truncate = 2);", 4},
      {"ClassicalWithOneBracket", "method M = rkmk(ClassicalRK4, truncate = 1);", 3},
      {"ClassicalWithoutBrackets", "method M = rkmk(ClassicalRK4, truncate = 0);", 2},
      {"KuttaWithOneBracket", "method M = rkmk(Kutta3, truncate = 1);", 3},
      {"HeunWithoutBrackets", "method M = rkmk(Heun2, truncate = 0);", 2},
      {"FifthWithTwoBrackets", "method M = rkmk(Butcher5, truncate = 2);", 5},
      {"FifthWithOneBracket", "method M = rkmk(Butcher5, truncate = 1);", 3},
      {"SixthWithFourBrackets", "method M = rkmk(Butcher6, truncate = 4);", 6},
      {"SixthWithThreeBrackets", "method M = rkmk(Butcher6, truncate = 3);", 5},
  };
}

std::vector<Claim> misprints() {
  return {
      {"FirstCommutator", misprinted("rkmk.lie", "RKMK4", "- [k1,k2]/8", "+ [k1,k2]/8"), 3},
      {"SecondCommutator", misprinted("rkmk.lie", "RKMK4", "- [k1,k4]/2", "+ [k1,k4]/2"), 2},
      {"ExchangedFactorsOfCF4",
       misprinted("commutator_free.lie", "CF4", "exp((-k1 + 2*k2 + 2*k3 + 3*k4)/12)*exp((3*k1 + 2*k2 + 2*k3 - k4)/12)",
                  "exp((3*k1 + 2*k2 + 2*k3 - k4)/12)*exp((-k1 + 2*k2 + 2*k3 + 3*k4)/12)"),
       2},
      {"OtherStageOfCF4",
       misprinted("commutator_free.lie", "CF4", "k4 = h*f(t + h, exp(k3 - k1/2)*Y2)",
                  "k4 = h*f(t + h, exp(k3 - k1/2)*exp(k2/2)*y)"),
       2},
      {"ExchangedFactorsOfCF3",
       misprinted("commutator_free.lie", "CF3", "exp(3*k3/4 - k1/12)*Y2", "exp(k1/3)*exp(3*k3/4 - k1/12)*y"), 2},
      {"SignOfDexpinv",
       body("k1 = h*f(t, y); u2 = k1/2; k2 = dexpinv(-u2, h*f(t + h/2, exp(u2)*y));"
            "u3 = k2/2; k3 = dexpinv(-u3, h*f(t + h/2, exp(u3)*y)); k4 = dexpinv(-k3, h*f(t + h, exp(k3)*y));"
            "next y = exp((k1 + 2*k2 + 2*k3 + k4)/6)*y;"),
       2},
      {"LastDigits", misprinted("two_register.lie", "CF5", "0.9527424907241015412", "0.9527424907491015412"), 0, "f"},
  };
}

std::vector<Claim> written() {
  return {
      {"OneCommutatorKutta",
       body("k1 = h*f(t, y); k2 = h*f(t + h/2, exp(k1/2)*y); k3 = h*f(t + h, exp(2*k2 - k1)*y);"
            "next y = exp((k1 + 4*k2 + k3)/6 - [k1,k3]/12)*y;"),
       3},
      {"OneCommutatorHeun",
       body("k1 = h*f(t, y); k2 = h*f(t + h/3, exp(k1/3)*y); k3 = h*f(t + 2*h/3, exp(2*k2/3)*y);"
            "next y = exp(k1/4 + 3*k3/4 - [k1,k3]/8)*y;"),
       3},
      {"WithoutItsCommutator",
       body("k1 = h*f(t, y); k2 = h*f(t + h/3, exp(k1/3)*y); k3 = h*f(t + 2*h/3, exp(2*k2/3)*y);"
            "next y = exp(k1/4 + 3*k3/4)*y;"),
       2},
      {"StepSizeInTheExponential", body("k = f(t, y); l = f(t + h/2, exp(h*k/2)*y); next y = exp(h*l)*y;"), 2},
      {"HalfStepsByPowers", body("k = h^2*f(t, y)/h; l = f(t + h/2, exp(k*2^(-1))*y); next y = exp(h*l)*y;"), 2},
      {"Function", body("fn half(a) = a/2; k = h*f(t, y); next y = exp(h*f(t + half(h), exp(half(k))*y))*y;"), 2},
      {"TwoHalfSteps", "method M order 4 = compose(RKMK4; 1/2, 1/2);", 4},
      {"TripleJump", "method M order 4 = compose(CF2; 1/(2 - 2^(1/3)), -2^(1/3)/(2 - 2^(1/3)), 1/(2 - 2^(1/3)));", 3},
      {"TableauTwice", "method M order 3 = compose(RKMK3; 1/3, 2/3);", 3},
      {"ComposedParameter",
       "method E(theta) order 1 { next y = exp(theta*h*f(t, y))*y; }\n"
       "method M order 1 = compose(E(theta = 1); 1/4, 3/4);",
       1},
      {"Roots", body("c = sqrt(2)/2; k = h*f(t, y); next y = exp((1 - c)*k + c*h*f(t + h/(2*c), exp(k/(2*c))*y))*y;"),
       2},
      {"NoStep", body("next y = y;"), 0, "f"},
      {"TimeForgotten", body("k = h*f(t, y); next y = exp(h*f(t, exp(k/2)*y))*y;"), 1, "f'(t)"},
      // the times of the stages are not those of their points, but the sum of b c is 1/2 all the same
      {"TimesOfTheirOwn",
       body("k = h*f(t, y); l = h*f(t, exp(k/2)*y); m = h*f(t + h, exp(l/2)*y); next y = exp((l + m)/2)*y;"), 2},
      {"Parameter",
       "method M(theta = 1/2) order 2 {\n k = h*f(t, y);\n"
       " next y = exp((1 - 1/(2*theta))*k + h*f(t + theta*h, exp(theta*k)*y)/(2*theta))*y;\n}\n",
       2},
  };
}

class Proof : public testing::TestWithParam<Claim> {};

} // namespace

TEST_P(Proof, GivesTheOrder) {
  const Claim& claim = GetParam();
  const OrderProof proof = proofOf(claim.text);
  ASSERT_TRUE(proof.proved()) << proof.reason;
  EXPECT_EQ(proof.next.order, claim.order);
  ASSERT_TRUE(proof.next.failure);
  EXPECT_NE(proof.next.failure->value, proof.next.failure->condition);
  if (*claim.tree != '\0') {
    EXPECT_EQ(proof.next.failure->tree, claim.tree);
  }
}

const auto nameOf = [](const auto& p) { return p.param.name; };
INSTANTIATE_TEST_SUITE_P(Constructed, Proof, testing::ValuesIn(constructed()), nameOf);
INSTANTIATE_TEST_SUITE_P(Misprints, Proof, testing::ValuesIn(misprints()), nameOf);
INSTANTIATE_TEST_SUITE_P(Written, Proof, testing::ValuesIn(written()), nameOf);

TEST(ProofOfTheLibrary, IsTheDeclaredOrder) {
  const std::set<std::string> orderGivenByDecimals = {"CG4", "CG34", "CF4N", "CF5", "CF6", "P853", "PL14", "PL16"};
  const Checked c = check("");
  int proved = 0;
  for (const std::string& name : c.compilation->methodNames()) {
    const Found found = c.compilation->findMethod(name);
    const OrderProof proof = orders::proveOrder(*c.compilation, found, 6);
    if (!proof.proved()) continue;
    ++proved;
    if (found.declaration->order && found.declaration->order->kind == syntax::ExprKind::Number) {
      EXPECT_EQ(proof.next.order, found.declaration->order->number) << name;
    }
    EXPECT_LT(proof.next.residual, 1e-15) << name;
    if (orderGivenByDecimals.contains(name)) {
      EXPECT_TRUE(proof.next.numerical) << name;
      continue;
    }
    EXPECT_FALSE(proof.next.numerical) << name;
  }
  EXPECT_GE(proved, 17);
}

TEST(ProofOfAPair, HasBothOrders) {
  const OrderProof pair = proofOf("method M = rkmk(DormandPrince);");
  EXPECT_EQ(pair.next.order, 5);
  ASSERT_TRUE(pair.embedded);
  EXPECT_EQ(pair.embedded->order, 4);
  const OrderProof products = proofOf("tableau T {\n  a = [[0, 0, 0], [3/4, 0, 0], [119/216, 17/108, 0]];\n"
                                      "  b = [3/4, 31/4, -15/2];\n  bhat = [13/51, -2/3, 24/17];\n  order 2(3);\n}\n"
                                      "method M = crouch_grossman(T);");
  EXPECT_EQ(products.next.order, 2);
  ASSERT_TRUE(products.embedded);
  EXPECT_EQ(products.embedded->order, 3);
  const OrderProof written =
      proofOf(body("k1 = h*f(t, y); Y2 = exp(k1/3)*y; k2 = h*f(t + h/3, Y2); k3 = h*f(t + 2*h/3, exp(2*k2/3)*y);"
                   "embedded y = exp((k2 + k3)/2)*y; next y = exp(3*k3/4 - k1/12)*Y2;"));
  EXPECT_EQ(written.next.order, 3);
  ASSERT_TRUE(written.embedded);
  EXPECT_EQ(written.embedded->order, 2);
}

TEST(ProofOfALimit, StopsThere) {
  const OrderProof proof = proofOf("method M = rkmk(Butcher6);", "M", 4);
  EXPECT_EQ(proof.next.order, 4);
  EXPECT_FALSE(proof.next.failure);
}

TEST(ConditionThatFails, IsShownWithBothValues) {
  const OrderProof proof = proofOf("method M order 2 { next y = exp(h*f(t, y))*y; }");
  ASSERT_TRUE(proof.next.failure);
  EXPECT_EQ(proof.next.failure->tree, "f'(f)");
  EXPECT_EQ(proof.next.failure->value, "0");
  EXPECT_EQ(proof.next.failure->condition, "1/2");
}

TEST(NoProof, HasAReason) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {body("solve k : k = h*f(t, exp(k)*y); next y = exp(k)*y;"), "implicit"},
      {"method M order 2 on cotangent { next g = g; next mu = mu; }", "on `cotangent`"},
      {body("next y = exp((h + h^2)*f(t, y))*y;"), "powers of h"},
      {body("next y = exp(f(t, y))*y;"), "not proportional to h"},
      {body("next y = exp(t*h*f(t, y))*y;"), "no fixed number"},
      {body("next y = exp(sqrt(h)*f(t, y))*y;"), "no fixed number"},
      {body("next y = exp(h*f(t + 1, y))*y;"), "time that is not"},
      {body("next y = exp(h*f(2*t, y))*y;"), "time that is not"},
      {body("k = h*f(t, y); next y = exp(if t > 1 then k else 2*k)*y;"), "no fixed number"},
      {"method M(theta) order 1 { next y = exp(theta*h*f(t, y))*y; }", "errors"}, // LIE0502
  };
  for (const auto& [text, reason] : cases) {
    const OrderProof proof = proofOf(text);
    EXPECT_NE(proof.reason.find(reason), std::string::npos) << text << "\n" << proof.reason;
  }
}

TEST(PairsOfTheLibrary, HaveBothOrders) {
  const std::vector<std::tuple<const char*, int, int>> pairs = {{"RKMK32", 3, 2}, {"RKMK45", 5, 4}, {"RKMK54", 5, 4},
                                                                {"CG23", 3, 2},   {"CG34", 4, 3},   {"CF32", 3, 2},
                                                                {"CF32b", 3, 2},  {"CF43", 4, 3}};
  for (const auto& [name, order, embedded] : pairs) {
    const OrderProof proof = proofOf("", name, 6);
    ASSERT_TRUE(proof.proved() && proof.embedded) << name;
    EXPECT_EQ(proof.next.order, order) << name;
    EXPECT_EQ(proof.embedded->order, embedded) << name;
  }
  const OrderProof eighth = proofOf("", "RKMK78", highest);
  ASSERT_TRUE(eighth.proved() && eighth.embedded);
  EXPECT_EQ(eighth.next.order, highest);
  EXPECT_EQ(eighth.embedded->order, highest);
  EXPECT_FALSE(eighth.next.failure || eighth.next.numerical);
}
