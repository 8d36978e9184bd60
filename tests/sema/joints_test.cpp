// Joints: what their bodies see, how they are found, what an instance makes of them.
#include "sema/Support.h"
#include "sema/model/Model.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

const std::string body = "  config X : SE(3) velocity xi;\n"
                         "  lagrangian = 0.5*dot(xi.w, xi.w) + 0.5*dot(xi.v, xi.v);\n";

std::vector<std::string> names(const Model& model) {
  std::vector<std::string> list;
  for (const Constraint& c : model.constraints) list.push_back(c.name);
  return list;
}

} // namespace

TEST(Joints, MakeConstraintsWithTheNamesOfTheInstance) {
  const Checked c =
      check("model M {\n" + body + "  joint nut = screw(world, zeros(3), e3, X, zeros(3), e3, 0.1);\n}\n");
  ASSERT_TRUE(c.model) << c.text();
  EXPECT_EQ(names(*c.model), (std::vector<std::string>{"nut.sleeve.along", "nut.sleeve.across", "nut.thread"}));
  for (const Constraint& one : c.model->constraints) {
    EXPECT_EQ(one.joint, "nut");
    EXPECT_EQ(one.name, one.joint + "." + one.part);
    EXPECT_FALSE(one.velocities);
  }
}

TEST(Joints, TakeArgumentsByName) {
  const auto with = [](const std::string& arguments) {
    return check("model M {\n" + body + "  joint j = weld(" + arguments + ");\n}\n");
  };
  for (const char* good :
       {"world, e1, b = e2, B = X", "A = world, a = e1, B = X, b = e2, Q = eye(3)", "world, e1, X, e2, Q = eye(3)"})
    EXPECT_TRUE(with(good).model) << with(good).text();
  for (const char* bad :
       {"world, e1, X, b = e2, A = X", "world, e1, B = X, b = e2, b = e1", "world, e1, B = X", "world, e1, X, c = e2"})
    EXPECT_EQ(with(bad).codes(), (std::vector<std::string>{"LIE0441"})) << with(bad).text();
}

TEST(Joints, SeeTheirParametersAndNotTheModel) {
  const std::string joint = "joint tie(A : SE(3), l : real) {\n  let d = dot(A.x, A.x);\n  constraint at : d = l;\n}\n";
  EXPECT_TRUE(
      check(joint + "model M {\n  param d = 3;\n  param A = 2;\n" + body + "  joint j = tie(X, A);\n}\n").model);
  const Checked unknown =
      check("joint tie(A : SE(3)) {\n  constraint at : dot(A.x, A.x) = m;\n}\nmodel M {\n  param m = 3;\n" + body +
            "  joint j = tie(X);\n}\n");
  EXPECT_EQ(unknown.codes(), (std::vector<std::string>{"LIE0100"})) << unknown.text();
}

TEST(Joints, OfTheUserComeBeforeThoseOfTheLibraryWhichDoesNotSeeThem) {
  const std::string own = "joint cylindrical(A : SE(3)) {\n  constraint own : A.x[1] = 0;\n}\nfn perp1(u) = 0*u;\n";
  const Checked mine = check(own + "model M {\n" + body + "  joint j = cylindrical(X);\n}\n");
  ASSERT_TRUE(mine.model) << mine.text();
  EXPECT_EQ(names(*mine.model), (std::vector<std::string>{"j.own"}));
  const Checked library =
      check(own + "model M {\n" + body + "  joint j = screw(world, zeros(3), e3, X, zeros(3), e3, 1);\n}\n");
  ASSERT_TRUE(library.model) << library.text();
  EXPECT_EQ(library.model->constraints.size(), 3U);
}

TEST(Joints, MayBeImported) {
  const Checked c =
      check("import \"own.lie\";\nmodel M {\n" + body + "  joint j = tie(X);\n}\n",
            {{}, {{"own.lie", "fn f(x) = 2*x;\njoint tie(A : SE(3)) {\n  constraint at : f(A.x[1]) = 0;\n}\n"}}, {}});
  ASSERT_TRUE(c.model) << c.text();
  EXPECT_EQ(names(*c.model), (std::vector<std::string>{"j.at"}));
}

TEST(Joints, WithErrorsAreToldOnce) {
  const Checked c = check("model M {\n" + body +
                          "  joint j = revolute(world, q, e3, X, zeros(3), e3);\n"
                          "  observe f = multiplier(j.at);\n  observe g = reaction(j, X);\n}\n");
  EXPECT_EQ(c.codes(), (std::vector<std::string>{"LIE0100"})) << c.text();
}

/// An axis without a direction, a rotation where a body stands.
TEST(Joints, OfWrongArgumentsSayWhatIsMissing) {
  const Checked axis = check("model M {\n" + body + "  joint j = revolute(world, e1, zeros(3), X, e1, e3);\n}\n");
  EXPECT_EQ(axis.codes(), (std::vector<std::string>{"LIE0124"})) << axis.text();
  EXPECT_NE(axis.text().find("`u` is zero: it has no direction"), std::string::npos) << axis.text();
  const Checked rotation = check("model M {\n" + body +
                                 "  config R : SO(3) velocity w;\n"
                                 "  joint j = revolute(world, e1, e3, R, e1, e3);\n}\n");
  EXPECT_EQ(rotation.codes(), (std::vector<std::string>{"LIE0131"})) << rotation.text();
  EXPECT_NE(rotation.text().find("write all its parts: `(R = R, x = …)`"), std::string::npos) << rotation.text();
  const Checked untaken = check("model M {\n" + body + "  observe a = if 1 > 2 then normalize(zeros(3)) else e1;\n}\n");
  EXPECT_TRUE(untaken.model) << untaken.text();
}

TEST(Joints, AreWordsOfTheirOwnElsewhere) {
  EXPECT_TRUE(check("model M {\n  param joint = 2;\n  config x : R velocity v;\n  lagrangian = joint*v^2;\n}\n").model);
  EXPECT_TRUE(
      check("fn joint(x) = 2*x;\nmodel M {\n  config x : R velocity v;\n  lagrangian = joint(v)*v;\n}\n").model);
  EXPECT_TRUE(check("model M {\n  param world = 2;\n" + body + "  constraint c : X.x[1] = world*0;\n}\n").model);
}
