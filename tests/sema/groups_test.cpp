// Groups that give little: what is derived, what must be given, and the messages for what does not follow.
#include "sema/Support.h"
#include "sema/manifolds/groups/LinearFamily.h"

#include <gtest/gtest.h>

using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

const char* const model = "model M { config g : G velocity w; lagrangian = 0; }\n";

std::string group(const std::string& body, const std::string& head = "G") {
  return "group " + head + " { " + body + " }\n";
}

void expectMessage(const std::string& text, const std::string& code, const std::string& part) {
  const Checked c = check(text);
  EXPECT_EQ(c.codes(), (std::vector<std::string>{code})) << c.text();
  EXPECT_NE(c.text().find(part), std::string::npos) << c.text();
}

/// A family of matrices from rows of small integers.
LinearFamily family(int rows, const std::vector<std::vector<int>>& matrices) {
  std::vector<ConstantMatrix> list;
  for (const auto& m : matrices) {
    ConstantMatrix numbers;
    for (const int x : m) numbers.emplace_back(x);
    list.push_back(std::move(numbers));
  }
  return {rows, std::move(list)};
}

} // namespace

TEST(DeclaredGroups, HaveTheParametersOfAClauseMarked) {
  const Checked c =
      check("group G { element A : mat(2,2); algebra w : vec(1);\n  identity = eye(2); product(A) = A; }");
  EXPECT_EQ(c.errors().at(0), "LIE0155 2:30-30") << c.text();
}

TEST(DerivedGroups, NeedABasisOrAProductAndAnExp) {
  EXPECT_EQ(
      check(group("element R : mat(3,3); algebra w : vec(3); basis = [hat(e1), hat(e2), hat(e3)];") + model).text(),
      "");
  EXPECT_EQ(check(group("element x : real; algebra v : real; product(a, b) = a + b; exp(v) = v;") + model).text(), "");
  expectMessage(group("element x : real; algebra v : real; product(a, b) = a + b;") + model, "LIE0150", "lacks exp");
}

TEST(DerivedGroups, ABasisIsABasisOfALieAlgebra) {
  const std::string storage = "element R : mat(3,3); algebra w : vec(2); ";
  expectMessage(group(storage + "basis = [hat(e1), hat(e2)];") + model, "LIE0156",
                "commutator of its matrices 1 and 2");
  expectMessage(group(storage + "basis = [hat(e1), 2*hat(e1)];") + model, "LIE0156", "matrix 2 is a combination");
  expectMessage(group(storage + "basis = [hat(e1)];") + model, "LIE0156", "2 numbers, the basis 1 matrix");
  expectMessage(group(storage + "basis = [eye(2), hat(e1)];") + model, "LIE0151", "mat(3,3)");
  expectMessage(group("element x : vec(3); algebra w : vec(1); basis = [e1];") + model, "LIE0151", "square matrices");
}

TEST(DerivedGroups, OneMatrixMayBeWrittenByItsRows) {
  EXPECT_EQ(check(group("element R : mat(2,2); algebra w : real; basis = [[0, -1], [1, 0]];") + model).text(), "");
  EXPECT_EQ(check(group("element R : mat(2,2); algebra w : real; basis = [[[0, -1], [1, 0]]];") + model).text(), "");
}

TEST(DerivedGroups, WhatDoesNotFollowMustBeGiven) {
  const std::string odd = "element x : real; algebra v : real; product(a, b) = log(exp(a)*exp(b)); exp(v) = v; ";
  expectMessage(group(odd) + model, "LIE0157", "`inverse` of G must be given");
  EXPECT_EQ(check(group(odd + "inverse(a) = -a; bracket(u, v) = 0;") + model).text(), "");
}

TEST(DerivedGroups, AreMadeOfGroups) {
  EXPECT_EQ(
      check(group("element R : SO(3) velocity w; element x : R^3 velocity v; semidirect(R, x) = R*x;") + model).text(),
      "");
  expectMessage(group("element R : SO(3) velocity w; element x : R^3;") + model, "LIE0110", "storage");
  expectMessage(group("element R : SO(3) velocity w; algebra v : vec(3);") + model, "LIE0152",
                "consists of the velocities");
  expectMessage(group("element q : S^2 velocity w;") + model, "LIE0151", "a group is expected");
  expectMessage(group("element R : SO(3) velocity w; element x : R^3 velocity v; semidirect(R) = R;") + model,
                "LIE0155", "2 parameters");
  expectMessage(group("element R : SO(3) velocity w; element x : R^3 velocity v; semidirect(R, x) = R;") + model,
                "LIE0151", "vec(3)");
  expectMessage(
      group("element R : SO(3) velocity w; element S : SO(3) velocity v; semidirect(R, S) = R*S*transpose(R);") + model,
      "LIE0157", "`exp` of G must be given");
}

TEST(DerivedGroups, FamiliesSayWhichSizesThereAre) {
  const std::string body = "element x : vec(n); algebra v : vec(n); product(a, b) = a + b; exp(v) = v;";
  const std::string text = group(body, "Shift(n) where n >= 2");
  EXPECT_EQ(check(text + "model M { config g : Shift(2) velocity w; lagrangian = 0; }").text(), "");
  expectMessage(text + "model M { config g : Shift(1) velocity w; lagrangian = 0; }", "LIE0158",
                "there is no Shift(1): Shift(n) needs n >= 2");
}

TEST(DerivedGroups, AreParametersOfFamilies) {
  const std::string text = group("element a : G velocity u; element b : G velocity v;", "Pair(G)");
  EXPECT_EQ(check(text + "model M { config g : Pair(SO(3)) velocity w; lagrangian = g.a[1,1] - w.u[1]; }").text(), "");
  EXPECT_EQ(check(text + "model M { config g : Pair(SE(3)) velocity w; lagrangian = g.a.R[1,1] - w.v.w[1]; }").text(),
            "");
  expectMessage(text + "model M { config g : Pair(S^2) velocity w; lagrangian = 0; }", "LIE0151",
                "a group is expected");
}

TEST(DerivedOperations, AreReachedByName) {
  const std::string text =
      "model M { config g : SE(3) velocity w; lagrangian = 0; "
      "observe a = SE(3).hat(w); observe b = SE(3).Ad(g, w); observe c = SE(3).vee(SE(3).hat(w)); }";
  const Checked c = check(text);
  EXPECT_EQ(c.text().find("gives no"), std::string::npos) << c.text();
}

TEST(DerivedGroups, MayUseThemselvesButNotForTheSameThing) {
  const std::string plane = "element A : mat(2,2); algebra w : real; basis = [[0, -1], [1, 0]]; ";
  EXPECT_EQ(
      check(group(plane + "inverse(A) = transpose(A); Ad(A, v) = G.vee(A*G.hat(v)*G.inverse(A));") + model).text(), "");
  expectMessage(group(plane + "inverse(A) = G.inverse(A);"), "LIE0108", "`inverse` is defined by itself");
  expectMessage(group(plane + "inverse(A) = G.exp(-G.log(A)); log(A) = G.vee(G.inverse(A));"), "LIE0108",
                "`inverse` is defined by itself");
}

TEST(DerivedGroups, AWrongClauseIsReportedForItself) {
  const std::string storage = "element A : vec(2); algebra w : vec(2); ";
  expectMessage(group(storage + "product(a, b) = a + k*b; exp(w) = w;"), "LIE0100", "nothing named `k`");
  expectMessage(group(storage + "product(a, b) = a + b; exp(w) = w[1];"), "LIE0151", "`w[1]` is real");
}

TEST(DerivedGroups, SemidirectStandsInGroupsOfGroups) {
  const std::string body = "element R : SO(3) velocity w; element x : R^3 velocity v; semidirect(R, x) = ";
  expectMessage(group("element A : mat(2,2); algebra w : real; basis = [[0, -1], [1, 0]]; semidirect(A, x) = A*x;"),
                "LIE0152", "where elements are made of elements of groups");
  expectMessage(group(body + "(x = R*x, z = x);"), "LIE0151", "has no part `z`; its parts are x : vec(3)");
  expectMessage(group(body + "R*x; semidirect(R, x) = x;"), "LIE0103", "given twice");
  expectMessage(group("element a : SO(3); algebra w : vec(3); product(x, y) = x; exp(w) = w;"), "LIE0110",
                "names its velocity");
}

TEST(DerivedGroups, MayBeMadeOfSmallerMembersOfTheirFamily) {
  const std::string text = group("element a : R velocity v;", "K(1)") +
                           group("element a : K(n-1) velocity v; element b : R^n velocity u;", "K(n) where n >= 2");
  EXPECT_EQ(check(text + "model M { config X : K(3) velocity w; lagrangian = w.v.v^2 - X.a.a; }").text(), "");
  expectMessage(group("element a : K(n+1) velocity v;", "K(n)") +
                    "model M { config X : K(1) velocity w; lagrangian = 0; }",
                "LIE0108", "needs itself");
}

TEST(DerivedGroups, OfGroupsWithoutClosedForms) {
  EXPECT_EQ(
      check(
          group("element g : SL(n) velocity u; element x : R^n velocity v; semidirect(g, x) = g*x;", "Aff(n)") +
          "model M { config X : Aff(3) velocity w; config Y : DirectProduct(SO(4), R^2) velocity u; lagrangian = 0; }")
          .text(),
      "");
}

TEST(DerivedGroups, NamesOfVariablesStayFree) {
  EXPECT_EQ(check("model M { config X : DirectProduct(SO(3), R) velocity u; config R : SO(3) velocity w; lagrangian = "
                  "R[1,1]; }")
                .text(),
            "");
  EXPECT_EQ(check("model M { config R : SO(3) velocity w; config X : DirectProduct(SO(3), R) velocity u; lagrangian = "
                  "R[1,1]; }")
                .text(),
            "");
}

TEST(DerivedGroups, TooLargeOnesAreRefused) {
  expectMessage(group("element A : mat(2,2); algebra w : vec(1); basis[i in 1..1000000000] = eye(2);"), "LIE0156",
                "more matrices than the algebra has numbers");
  expectMessage("model M { config q : SO(3000000000) velocity w; lagrangian = 0; }", "LIE0143", "3000000000");
  expectMessage("model M { config q : SO(400) velocity w; lagrangian = 0; }", "LIE0156", "too large for a basis");
}

TEST(Manifolds, GiveProjectOrHorizontal) {
  expectMessage("manifold P { point q : vec(3); group SO(3); action(A, q) = A*q; project(q, w) = w; horizontal(q, w) = "
                "dot(q, w); "
                "base = e1; }",
                "LIE0103", "give one of them");
  for (const char* clause : {"horizontal(q, w) = dot(q, w)^2;", "project(q, w) = w*dot(w, w); base = e1;"})
    expectMessage(std::string("manifold P { point q : vec(3); group SO(3); action(A, q) = A*q; ") + clause +
                      " }\nmodel M { config x : P velocity v; lagrangian = dot(x', x'); initial x = e1; }",
                  "LIE0578", "is not linear in the velocity");
  expectMessage("manifold P { point q : vec(3); group SO(3); action(A, q) = A*q; project(q, w) = w; }", "LIE0150",
                "lacks base");
}

TEST(LinearFamily, FindsTheEquationOfItsMembers) {
  const LinearFamily rotations =
      family(3, {{0, 0, 0, 0, 0, -1, 0, 1, 0}, {0, 0, 1, 0, 0, 0, -1, 0, 0}, {0, -1, 0, 1, 0, 0, 0, 0, 0}});
  const auto a = rotations.annihilator();
  ASSERT_TRUE(a); // A (A^2 + |w|^2) = 0
  EXPECT_EQ(a->zeros, 1);
  EXPECT_EQ(a->pairs, 1);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(a->form[k].value(), k % 4 == 0 ? 1 : 0);
  EXPECT_TRUE(rotations.skew());
  EXPECT_FALSE(rotations.unclosed());
  EXPECT_FALSE(rotations.dependent());

  const auto nilpotent =
      family(3, {{0, 1, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0, 0, 0}});
  ASSERT_TRUE(nilpotent.annihilator()); // A^3 = 0
  EXPECT_EQ(nilpotent.annihilator()->zeros, 3);
  EXPECT_EQ(nilpotent.annihilator()->pairs, 0);

  const auto areaPreserving = family(2, {{1, 0, 0, -1}, {0, 1, 0, 0}, {0, 0, 1, 0}});
  ASSERT_TRUE(areaPreserving.annihilator()); // A^2 + det A = 0, det A = -(h^2 + e f)
  EXPECT_EQ(areaPreserving.annihilator()->zeros, 0);
  EXPECT_EQ(areaPreserving.annihilator()->form[0].value(), -1);
  EXPECT_EQ(areaPreserving.annihilator()->form[5].value(), -0.5);

  const auto triangular = family(2, {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 1}});
  EXPECT_FALSE(triangular.annihilator());
}
