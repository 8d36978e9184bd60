// How the accelerations are found: which structure of the mass matrix, constant or not; singular ones are refused.
#include "mechanics/Derived.h"

using namespace lmc::mechanics;
using namespace lmc::test;
using namespace lmc;

namespace {

struct Case {
  const char* name;
  const char* body;
  std::vector<std::string> groups; ///< "factors: structure size constant"
};

std::string describe(const System& s, const MassGroup& group) {
  std::string text;
  for (const std::size_t k : group.factors) text += (text.empty() ? "" : ", ") + s.model->factors[k].name;
  static const char* const names[] = {"scalar", "block", "members", "chain", "dense", "multipliers"};
  text += ": " + std::string(names[static_cast<int>(group.structure)]) + " " + std::to_string(group.size);
  return text + (group.constant ? " constant" : "");
}

std::vector<Case> cases() {
  return {
      {"Number", "config x : R velocity v; param m = 2; lagrangian = 0.5*m*v^2;", {"x: scalar 1 constant"}},
      {"NumberThatVaries", "config x : R velocity v; lagrangian = 0.5*(1 + x^2)*v^2;", {"x: scalar 1"}},
      {"Isotropic", "config x : R^3 velocity v; lagrangian = dot(v, v);", {"x: scalar 3 constant"}},
      {"Matrix",
       "config x : R^3 velocity v; param A : mat(3,3) = diag(1, 2, 3); lagrangian = dot(v, A*v);",
       {"x: block 3 constant"}},
      {"MatrixThatVaries", "config x : R^2 velocity v; lagrangian = dot(v, v) + (x[1]*v[2])^2;", {"x: block 2"}},
      {"Sphere", "config q : S^2 velocity w; initial q = e3; lagrangian = 0.5*dot(w, w);", {"q: scalar 3 constant"}},
      {"TwoApart",
       "config x : R velocity v; config q : S^2 velocity w; initial q = e3; lagrangian = v^2 + dot(w, w) + x*q[1];",
       {"x: scalar 1 constant", "q: scalar 3 constant"}},
      {"TwoCoupled",
       "config x : R velocity v; config y : R velocity u; lagrangian = v^2 + u^2 + 0.5*v*u;",
       {"x, y: block 2 constant"}},
      {"TwoCoupledThatVary",
       "config x : R velocity v; config y : R velocity u; lagrangian = v^2 + u^2 + 0.5*v*u*cos(y);",
       {"x, y: block 2"}},
      {"Members",
       "config R[5] : SO(3) velocity w; param J[5] : mat(3,3) = diag(1, 2, 3);"
       "lagrangian = sum(i in 1..5: dot(w[i], J[i]*w[i])) + sum(i in 1..4: R[i][1,1]*R[i+1][2,2]);",
       {"R: members 3 constant"}},
      {"MembersThatVary",
       "config x[5] : R velocity v; lagrangian = sum(i in 1..5: (1 + x[i]^2)*v[i]^2);",
       {"x: scalar 1"}},
      {"Chain",
       "config x[5] : R velocity v; lagrangian = sum(i in 1..5: v[i]^2) + sum(i in 1..4: 0.3*v[i]*v[i+1]);",
       {"x: dense 5 constant"}},
      {"FamilyWithASingleFactor",
       "config y : R^3 velocity u; config x[4] : R^3 velocity v;"
       "lagrangian = dot(u, u) + sum(i in 1..4: dot(u + v[i], u + v[i])*(1 + y[1]^2));",
       {"y, x: dense 15"}},
  };
}

class Mass : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(Mass, Structure) {
  const Derived d("model M { " + std::string(GetParam().body) + " }");
  ASSERT_TRUE(d.good) << d.c.text();
  std::vector<std::string> groups;
  for (const MassGroup& group : d.system.groups) {
    groups.push_back(describe(d.system, group));
    EXPECT_FALSE(group.reason.empty());
  }
  EXPECT_EQ(groups, GetParam().groups);
}

INSTANTIATE_TEST_SUITE_P(Models, Mass, testing::ValuesIn(cases()), [](const auto& p) { return p.param.name; });

TEST(SingularMass, NamesTheVelocityAndItsFactor) {
  const Derived d(
      "model M {\n  config x : R velocity v;\n  config y : R velocity u;\n  lagrangian = 0.5*v^2 - y^2;\n}\n");
  EXPECT_FALSE(d.good);
  EXPECT_EQ(d.c.errors(), (std::vector<std::string>{"LIE0400 3:10-10"}));
  EXPECT_NE(d.c.text().find("the Lagrangian does not depend on u of `y`"), std::string::npos) << d.c.text();
}

TEST(SingularMass, NamesTheComponentsThatAreMissing) {
  const Derived d("model M {\n  config x : R^3 velocity v;\n  lagrangian = 0.5*v[2]^2;\n}\n");
  EXPECT_EQ(d.c.errors(), (std::vector<std::string>{"LIE0400 2:10-10"}));
  EXPECT_NE(d.c.text().find("does not depend on v[1], v[3] of `x`"), std::string::npos) << d.c.text();
}

TEST(SingularMass, AVelocityThatOccursLinearlyIsNotEnough) {
  const Derived d("model M {\n  config x : R velocity v;\n  lagrangian = x^2*v - x^2;\n}\n");
  EXPECT_EQ(d.c.codes(), (std::vector<std::string>{"LIE0400"}));
}
