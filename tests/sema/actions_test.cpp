// Groups that act on vectors, and the functions of declarations.
#include "sema/Support.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace lmc;
using namespace lmc::test;

namespace {

/// A unit quaternion q, a motion X of space and a rotation R; one statement of the test.
Checked with(const std::string& statement, const std::string& before = "") {
  return check(before +
               "model M {\n"
               "config q : SU(2) velocity w;\n"
               "config X : SE(3) velocity u;\n"
               "config R : SO(3) velocity v;\n"
               "lagrangian = 0.5*dot(w, w) + 0.5*dot(u.w, u.w) + 0.5*dot(u.v, u.v) + 0.5*dot(v, v);\n"
               "initial q = SU(2).exp([0.3, -0.2, 0.5]);\n"
               "initial R = SO(3).exp([0.3, -0.2, 0.5]);\n"
               "initial X = (R = SO(3).exp([0.3, -0.2, 0.5]), x = [1, 2, 3]);\n" +
               statement + "\n}\n");
}

Numbers valueOf(const std::string& expression) {
  const Checked c = with("observe a = " + expression + ";");
  EXPECT_TRUE(c.model) << c.text();
  if (!c.model) return {};
  Evaluate values(c.model->program);
  setInitials(*c.model, values);
  return values.array(observable(*c.model, "a"));
}

void expectSame(const std::string& left, const std::string& right) {
  const Numbers a = valueOf(left);
  const Numbers b = valueOf(right);
  ASSERT_EQ(a.size(), b.size()) << left;
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-14) << left;
}

void expectMessage(const std::string& expression, const std::string& code, const std::string& part) {
  const Checked c = with("observe a = " + expression + ";");
  EXPECT_EQ(c.codes(), std::vector<std::string>{code}) << expression << "\n" << c.text();
  EXPECT_NE(c.text().find(part), std::string::npos) << c.text();
}

} // namespace

TEST(Actions, MoveVectors) {
  expectSame("q*[1, 2, 3]", "R*[1, 2, 3]");
  expectSame("SU(2).action(q, [1, 2, 3])", "R*[1, 2, 3]");
  expectSame("SU(2).inverse(q)*(q*[1, 2, 3])", "[1, 2, 3]");
  expectSame("X*[1, 2, 3]", "R*[1, 2, 3] + [1, 2, 3]");
  expectSame("X*X*[1, 2, 3]", "X*(X*[1, 2, 3])");
  expectSame("q*q*[1, 2, 3]", "q*(q*[1, 2, 3])");
  expectSame("SE_2(3).exp((w = [0.3, -0.2, 0.5], a = [5, 5, 5], v = [0, 0, 0]))*e1", "R*e1");
  expectSame("SE(2).exp((w = pi/2, v = [0, 0]))*[1, 0]", "[0, 1]");
}

TEST(Actions, HaveDerivatives) {
  // (q*c)' = q*(w x c) in body.
  const Checked c = with("initial w = [1, -2, 0.5]; observe a = (q*[1, 2, 3])'; observe b = q*cross(w, [1, 2, 3]);");
  ASSERT_TRUE(c.model) << c.text();
  Evaluate values(c.model->program);
  setInitials(*c.model, values);
  const Numbers a = values.array(observable(*c.model, "a"));
  const Numbers b = values.array(observable(*c.model, "b"));
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], 1e-14);
}

TEST(Actions, SayWhatTheyTake) {
  expectMessage("q*[1, 2]", "LIE0120", "SU(2) acts on vec(3)");
  expectMessage("X*2", "LIE0120", "SE(3) acts on vec(3)");
  expectMessage("X*q", "LIE0120", "a point of SE(3) times a point of SU(2)");
  expectMessage("SU(2).action(q, [1, 2])", "LIE0122", "a vector of length 3");
  expectMessage("Heisenberg(1).exp((a = 1, b = 0, c = 0))*e1", "LIE0120", "Heisenberg(1) gives no `action` on vectors");
}

TEST(Actions, OfTheUser) {
  const std::string angle = "group Angle { element a : real; algebra w : real; identity = 0; product(a, b) = a + b;\n"
                            "inverse(a) = -a; bracket(u, v) = 0; exp(w) = w; action(a, x) = ACTION; }\n";
  const auto declared = [&](const std::string& action) {
    std::string text = angle;
    return text.replace(text.find("ACTION"), 6, action);
  };
  const std::string turned = declared("[cos(a)*x[1] - sin(a)*x[2], sin(a)*x[1] + cos(a)*x[2]]");
  const Checked good = with("config b : Angle velocity c; observe y = b*[1, 0];", turned);
  EXPECT_TRUE(good.model) << good.text();
  const Checked none = check(declared("a*outer(x, x)"));
  EXPECT_EQ(none.codes(), std::vector<std::string>{"LIE0151"}) << none.text();
  EXPECT_NE(none.text().find("no length of vectors"), std::string::npos) << none.text();
  const Checked wrong = check(declared("rotate(a, x)"));
  EXPECT_EQ(wrong.codes(), std::vector<std::string>{"LIE0101"}) << wrong.text();
}

TEST(Functions, OfADeclarationCanBeCalled) {
  expectSame("SU(2).rotation(q)*e1", "R*e1");
  expectSame("SO(3).rotation(q)*e1", "R*e1");
  expectMessage("SU(2).rotation(q, q)", "LIE0121", "takes 1 argument, not 2");
  expectMessage("SU(2).rotatio(q)", "LIE0153", "did you mean `rotation`?");
}

/// One error at the call, not one at each place of the library's text.
TEST(Functions, OfTheLibraryReportAtTheCall) {
  expectMessage("SU(2).rotation([1, 2])", "LIE0125", "`SU(2).rotation([1, 2])`: index 3");
  const Checked c = with("observe a = SU(2).rotation([1, 2]);");
  EXPECT_NE(c.text().find("1 error"), std::string::npos);
}
