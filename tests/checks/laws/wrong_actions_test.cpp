// Manifolds with one mistake each: every law of actions and of horizontal velocities is caught.
#include "Laws.h"

using namespace lmc::test;

namespace {

const Clauses sphere("manifold Sphere", {
                                            {"point", "point q : vec(3);"},
                                            {"group", "group SO(3);"},
                                            {"action", "action(A, q) = A*q;"},
                                            {"horizontal", "horizontal(q, w) = dot(q, w);"},
                                            {"random", "random = normalize(normal(0, 1, 3));"},
                                            {"holds", "holds dot(q, q) = 1;"},
                                        });

std::vector<Mistake> actions() {
  return {
      {"RandomHolds",
       {{"random", "random = normal(0, 1, 3);"}},
       "LIE0571",
       "random",
       {"Sphere: random points do not satisfy `holds`: left - right of `holds` at q is"}},
      {"NoPoints",
       {{"random", ""}, {"holds", "holds dot(q, q) = -1;"}},
       "LIE0571",
       "holds dot(q, q) = -1;",
       {"the manifold has no points to test with", "a clause `random = …;`"}},
      {"Smooth",
       {{"action", "action(A, q) = A*q + norm(q - A*q)*zeros(3) + 1e-30*norm(A*q - q)*q;"}},
       "LIE0573",
       "action",
       {"the action is not smooth: its derivative is not a number"}},
      {"Identity",
       {{"action", "action(A, q) = -A*q;"}},
       "LIE0577",
       "action",
       {"the identity moves points: action(e, q) and q differ by"}},
      {"RightAction",
       {{"action", "action(A, q) = transpose(A)*q;"}},
       "LIE0577",
       "action",
       {"it is not a left action of the group: action(A B, q) and action(A, action(B, q)) differ by",
        "it is a right action, action(A B, q) = action(B, action(A, q))"}},
      {"NoAction",
       {{"action", "action(A, q) = normalize(A*A*q);"}},
       "LIE0577",
       "action",
       {"it is not a left action of the group"}},
      {"ActionHolds",
       {{"group", "group R;"}, {"action", "action(s, q) = exp(s)*q;"}, {"horizontal", ""}},
       "LIE0571",
       "action",
       {"the action leaves the manifold: moved points do not satisfy `holds`", "at A = ", "at action(A, q) = ["}},
      {"TooFewEquations",
       {{"holds", "holds 0 = 0;"}},
       "LIE0579",
       "holds 0 = 0;",
       {"warning[LIE0579]", "it leaves 3 directions, and the group moves points in 2"}},
  };
}

std::vector<Mistake> velocities() {
  return {
      {"Missing",
       {{"horizontal", ""}},
       "LIE0578",
       "Sphere",
       {"the action has an isotropy, and nothing says which velocities to use: the isotropy has 1 dimensions",
        "`horizontal(q, w) = …;` is zero for the velocities to be used"}},
      {"Linear",
       {{"horizontal", "horizontal(q, w) = dot(q, w) + dot(w, w);"}},
       "LIE0578",
       "horizontal",
       {"horizontal is not linear in the velocity"}},
      {"Smooth",
       {{"horizontal", "horizontal(q, w) = dot(q, w)/q[1];"}},
       "LIE0573",
       "horizontal",
       {"horizontal is not smooth: its value is not a number"}},
      {"Unique",
       {{"horizontal", "horizontal(q, w) = 0*dot(q, w);"}},
       "LIE0578",
       "horizontal",
       {"the conditions of horizontal are not independent"}},
      {"MovesNothing",
       {{"horizontal", "horizontal(q, w) = dot(cross(q, [q[2], q[3], q[1]]), w);"}},
       "LIE0578",
       "horizontal",
       {"horizontal admits velocities that move nothing: w is horizontal and does not move q"}},
      {"ForbidsMotions",
       {{"horizontal", "horizontal(q, w) = [dot(q, w), dot([2 - q[2], 2 - q[3], 2 - q[1]], w)];"}},
       "LIE0578",
       "horizontal",
       {"horizontal forbids motions: the group moves q in 2 directions, horizontal velocities in 1"}},
      {"Redundant",
       {{"horizontal", "horizontal(q, w) = [dot(q, w), 2*dot(q, w)];"}},
       "LIE0578",
       "horizontal",
       {"of 2 conditions only 1 are independent", "`project(q, w) = …;`"}},
      {"Equivariant",
       {{"horizontal", "horizontal(q, w) = dot(q, w) + 0.1*q[3]*dot([1, 2, 3], cross(q, w));"}},
       "LIE0578",
       "horizontal",
       {"horizontal is not equivariant", "horizontal(action(A, q), Ad_A w) is"}},
  };
}

class WrongManifold : public testing::TestWithParam<Mistake> {};

} // namespace

TEST(RightManifold, HasNothingToReport) {
  EXPECT_EQ(Lawful(sphere.with()).text(), "");
  EXPECT_EQ(Lawful(sphere.with({{"random", ""}})).text(), ""); // points are found on `holds`
}

TEST_P(WrongManifold, IsReportedOnceWhereItIsWrong) {
  expectOneDiagnostic(sphere.with(GetParam().changes), GetParam());
}

const auto named = [](const auto& p) { return std::string(p.param.name); };
INSTANTIATE_TEST_SUITE_P(Actions, WrongManifold, testing::ValuesIn(actions()), named);
INSTANTIATE_TEST_SUITE_P(Velocities, WrongManifold, testing::ValuesIn(velocities()), named);

/// Points of different kinds under one action.
TEST(WrongManifold, OrbitsOfDifferentDimensions) {
  const Lawful found(std::string("manifold Plane {\n  point q : vec(2);\n  group SO(2);\n  action(A, q) = A*q;\n"
                                 "  random = floor(uniform(0, 2))*normal(0, 1, 2);\n}\n"));
  EXPECT_EQ(found.codes(), std::vector<std::string>{"LIE0577"}) << found.text();
  EXPECT_EQ(found.place(), "action");
  EXPECT_NE(found.text().find("directions and q in"), std::string::npos) << found.text();
}

/// A group of another file is tested with the manifold that it acts on, and reported there.
TEST(WrongManifold, OfAWrongGroupOfAnImport) {
  const std::string turn = "group Turn {\n  element x : real;\n  algebra w : real;\n  identity = 0;\n"
                           "  product(a, b) = a + b;\n  inverse(a) = a;\n  bracket(u, v) = 0;\n  exp(w) = w;\n}\n";
  const Lawful found(
      "import \"turn.lie\";\n" +
          sphere.with({{"group", "group Turn;"}, {"action", "action(a, q) = SO(3).exp(a*e3)*q;"}, {"horizontal", ""}}),
      {{"turn.lie", turn}});
  EXPECT_EQ(found.codes(), std::vector<std::string>{"LIE0570"}) << found.text();
  EXPECT_NE(found.text().find("turn.lie:6:3: error[LIE0570]: Turn: the inverse"), std::string::npos) << found.text();
}

/// Where the group is wrong, the manifold is not tested with it.
TEST(WrongManifold, OfAWrongGroup) {
  const Lawful found(
      "group Turn {\n  element x : real;\n  algebra w : real;\n  identity = 0;\n  product(a, b) = a + b;\n"
      "  inverse(a) = a;\n  bracket(u, v) = 0;\n  exp(w) = w;\n}\n" +
      sphere.with({{"group", "group Turn;"}, {"action", "action(a, q) = SO(3).exp(a*e3)*q;"}, {"horizontal", ""}}));
  EXPECT_EQ(found.codes(), std::vector<std::string>{"LIE0570"}) << found.text();
  ASSERT_EQ(found.verifications.size(), 2U);
  EXPECT_EQ(found.verifications[1].members.at(0).obstacle, "not tested: laws of its group Turn fail");
}
