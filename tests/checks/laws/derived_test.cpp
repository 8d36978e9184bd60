// Groups from a basis or from factors, families with conditions or of groups, projections.
#include "Laws.h"

#include <fmt/format.h>

using namespace lmc::test;

namespace {

const Clauses turns("group Turn", {{"element", "element R : mat(3,3);"},
                                   {"algebra", "algebra w : vec(3);"},
                                   {"basis", "basis = [hat(e1), hat(e2), hat(e3)];"}});

const Clauses sphere("manifold Sphere(n) where n >= 2",
                     {{"point", "point q : vec(n);"},
                      {"group", "group SO(n);"},
                      {"action", "action(A, q) = A*q;"},
                      {"project", "project(q, w) = SO(n).vee(outer(SO(n).hat(w)*q, q) - "
                                  "outer(q, SO(n).hat(w)*q));"},
                      {"base", "base = unit(n, 1);"},
                      {"random", "random = normalize(normal(0, 1, n));"},
                      {"holds", "holds dot(q, q) = 1;"}});

std::vector<Mistake> closedForms() {
  return {
      {"Exp",
       {{"exp", "exp(w) = SO(3).exp(-w);"}},
       "LIE0580",
       "exp",
       {"the closed form of exp is not what follows", "exp as given and exp as it follows differ by",
        "at u = [1, 0, 0]"}},
      {"Product", {{"product", "product(A, B) = B*A;"}}, "LIE0580", "product", {"the closed form of product"}},
      {"Inverse", {{"inverse", "inverse(A) = A;"}}, "LIE0580", "inverse", {"the closed form of inverse"}},
      {"Bracket", {{"bracket", "bracket(u, v) = cross(v, u);"}}, "LIE0580", "bracket", {"bracket as given = "}},
      {"Ad", {{"Ad", "Ad(A, v) = transpose(A)*v;"}}, "LIE0580", "Ad", {"the closed form of Ad"}},
      {"Identity", {{"identity", "identity = diag(1, -1, -1);"}}, "LIE0580", "identity", {"identity as given"}},
  };
}

std::vector<Mistake> projections() {
  return {
      {"Motion",
       {{"project", "project(q, w) = 2*w;"}},
       "LIE0578",
       "project",
       {"project changes the motion: the motion by project(q, w) and the motion by w differ by"}},
      {"KeepsIsotropy",
       {{"project", "project(q, w) = w;"}},
       "LIE0578",
       "project",
       {"project keeps velocities that move nothing"}},
      {"Linear",
       {{"project", "project(q, w) = w*dot(w, w);"}},
       "LIE0578",
       "project",
       {"project is not linear in the velocity"}},
      {"Missing", {{"project", ""}}, "LIE0578", "Sphere", {"nothing says which velocities to use"}},
      {"Base", {{"base", "base = 2*unit(n, 1);"}}, "LIE0571", "base", {"the base point does not satisfy `holds`"}},
  };
}

class WrongClosedForm : public testing::TestWithParam<Mistake> {};
class WrongProjection : public testing::TestWithParam<Mistake> {};

} // namespace

TEST(RightDerived, HasNothingToReport) {
  EXPECT_EQ(Lawful(turns.with()).text(), "");
  EXPECT_EQ(Lawful(turns.with({{"exp", "exp(w) = SO(3).exp(w);"}, {"bracket", "bracket(u, v) = cross(u, v);"}})).text(),
            "");
  const Lawful spheres(sphere.with());
  EXPECT_EQ(spheres.text(), "");
  ASSERT_EQ(spheres.verifications.size(), 1U);
  EXPECT_EQ(spheres.verifications[0].members.size(), 3U); // n = 2, 3, 4
}

/// Elements far out are so large there that conditions of degree 3 have no digits left.
TEST(RightDerived, OfLargeElements) {
  const auto group = [](const std::string& basis, int size, int dimension) {
    return fmt::format("group G {{ element A : mat({0},{0}); algebra u : vec({1}); basis = [{2}]; }}\n", size,
                       dimension, basis);
  };
  // x, y and their shear, in an algebra of numbers that grow and shrink (Sol), in a basis that is not straight.
  EXPECT_EQ(Lawful(group("[[0, 0, 1], [0, 0, -2], [0, 0, 0]], [[2, 0, -1], [0, -2, 0], [0, 0, 0]], "
                         "[[2, 0, -2], [0, -2, -1], [0, 0, 0]]",
                         3, 3))
                .text(),
            "");
  EXPECT_EQ(Lawful(group("[[100, 0, 0], [0, -100, 0], [0, 0, 0]], [[0, 0, 50], [0, 0, 0], [0, 0, 0]], "
                         "[[0, 0, 0], [0, 0, 7], [0, 0, 0]]",
                         3, 3))
                .text(),
            "");
  // All of SL(3), each twice the sum of two neighbours.
  EXPECT_EQ(Lawful(group("[[0, 2, 2], [0, 0, 0], [0, 0, 0]], [[0, 0, 2], [2, 0, 0], [0, 0, 0]], "
                         "[[0, 0, 0], [2, 0, 2], [0, 0, 0]], [[0, 0, 0], [0, 0, 2], [2, 0, 0]], "
                         "[[0, 0, 0], [0, 0, 0], [2, 2, 0]], [[2, 0, 0], [0, -2, 0], [0, 2, 0]], "
                         "[[2, 0, 0], [0, 0, 0], [0, 0, -2]], [[0, 0, 0], [0, 4, 0], [5, 0, -4]]",
                         3, 8))
                .text(),
            "");
}

TEST_P(WrongClosedForm, IsReported) {
  expectOneDiagnostic(turns.with(GetParam().changes), GetParam());
}
TEST_P(WrongProjection, IsReported) {
  expectOneDiagnostic(sphere.with(GetParam().changes), GetParam());
}

const auto named = [](const auto& p) { return std::string(p.param.name); };
INSTANTIATE_TEST_SUITE_P(Laws, WrongClosedForm, testing::ValuesIn(closedForms()), named);
INSTANTIATE_TEST_SUITE_P(Laws, WrongProjection, testing::ValuesIn(projections()), named);

/// A family of groups is tested with groups that do not commute, too.
TEST(Families, OfGroups) {
  const std::string bundle = "group Bundle(G) {\n  element g : G velocity u;\n  element x : algebra(G) velocity a;\n";
  const Lawful right(bundle + "  semidirect(g, x) = G.Ad(g, x);\n}\n");
  EXPECT_EQ(right.text(), "");
  ASSERT_EQ(right.verifications.size(), 1U);
  EXPECT_GE(right.verifications[0].members.size(), 4U);
  const Lawful wrong(bundle + "  semidirect(g, x) = G.Ad(G.inverse(g), x);\n}\n");
  ASSERT_FALSE(wrong.codes().empty());
  EXPECT_EQ(wrong.codes().front(), "LIE0570") << wrong.text();
  EXPECT_EQ(wrong.place(), "semidirect") << wrong.text();
}
