// Points, velocities and momenta of different manifolds and frames do not mix; plain vectors go with all of them.
#include "sema/Support.h"

#include <gtest/gtest.h>

using namespace lmc;
using namespace lmc::test;

namespace {

/// Two bodies, one with a velocity in space, a particle, a direction and a unit quaternion; one statement of the test.
const char* const world = "model M {\n"
                          "config R : SO(3) velocity w;\n"
                          "config B : SO(3) velocity o in space;\n"
                          "config x : R^3 velocity v;\n"
                          "config q : S^2 velocity s;\n"
                          "config p : SU(2) velocity u;\n"
                          "config r : R velocity a;\n"
                          "config f : SO(2) velocity b;\n"
                          "state z : R^3;\n"
                          "state A : SO(3);\n"
                          "lagrangian = 0.5*dot(w, w) + 0.5*dot(o, o) + 0.5*dot(v, v) + 0.5*dot(s, s) + 0.5*dot(u, u)\n"
                          "  + 0.5*a^2 + 0.5*b^2;\n"
                          "initial q = e1;\n";

Checked lagrangian(const std::string& statement, bool flows = true) {
  return check(world + std::string(flows ? "flow z = -z; flow A = w;\n" : "") + statement + "\n}\n");
}

void expectError(const std::string& statement, const std::string& part, bool flows = true) {
  const Checked c = lagrangian(statement, flows);
  EXPECT_EQ(c.codes(), std::vector<std::string>{"LIE0131"}) << statement << "\n" << c.text();
  EXPECT_NE(c.text().find(part), std::string::npos) << c.text();
}

void expectFine(const std::string& statement, bool flows = true) {
  const Checked c = lagrangian(statement, flows);
  EXPECT_TRUE(c.model) << statement << "\n" << c.text();
}

/// The same in a Hamiltonian model with momenta P of SO(3), y of R^3 and mu in the dual of SE(3).
Checked hamiltonian(const std::string& statement) {
  return check("model M {\n"
               "config R : SO(3) momentum P;\n"
               "config B : SO(3) momentum O in space;\n"
               "config x : R^3 momentum y;\n"
               "state mu : dual(SO(3));\n"
               "hamiltonian = 0.5*dot(P, P) + 0.5*dot(O, O) + 0.5*dot(y, y) + 0.5*dot(mu, mu);\n" +
               statement + "\n}\n");
}

void expectHamiltonianError(const std::string& statement, const std::string& part) {
  const Checked c = hamiltonian(statement);
  EXPECT_EQ(c.codes(), std::vector<std::string>{"LIE0131"}) << statement << "\n" << c.text();
  EXPECT_NE(c.text().find(part), std::string::npos) << c.text();
}

} // namespace

TEST(Mixing, InSums) {
  expectError("observe e = v + w;", "a velocity of R^3 and a velocity of SO(3) are elements of different spaces");
  expectError("observe e = w - momentum(R);", "an inertia makes a momentum of a velocity");
  expectError("observe e = w + o;", "a velocity of SO(3) in body and one in space cannot be added");
  expectError("observe e = w + o;", "`SO(3).Ad(g, v)` is the velocity v of the body frame in space");
  expectError("observe e = w - s;", "in body and one in space"); // the velocities of S^2 are of SO(3), in space
  expectError("observe e = q + s;", "a point of S^2 and a velocity of SO(3)");
  expectError("observe e = u + w;", "a velocity of SU(2) and a velocity of SO(3)");
  expectHamiltonianError("observe e = P + O;", "a momentum of SO(3) in body and one in space");
  expectHamiltonianError("observe e = P + velocity(R);", "a momentum of SO(3) and a velocity of SO(3)");
}

TEST(Mixing, InProductsAndComparisons) {
  expectError("observe e = dot(v, w);", "are elements of different spaces and have no product");
  expectError("observe e = v·w;", "have no product");
  expectError("observe e = dot(w, o);", "a velocity of SO(3) in body and a velocity of SO(3) in space");
  expectError("observe e = cross(w, o);", "in space have no product");
  expectError("observe e = w × s;", "have no product");
  expectError("observe e = if a > momentum(f) then 1 else 0;", "a velocity of R and a momentum of SO(2)");
  expectError("observe e = max(a, momentum(r));", "cannot be compared");
  expectError("observe e = if t > 1 then v else w;", "cannot be the two branches of an `if`");
}

TEST(Mixing, InClausesAndInitialValues) {
  expectError("observe e = SO(3).exp(v);", "`v` is a velocity of R^3; an element of the algebra of SO(3) is expected");
  expectError("observe e = SO(3).exp(momentum(R));", "`momentum(R)` is a momentum of SO(3)");
  expectError("observe e = SO(3).bracket(w, u);", "`u` is a velocity of SU(2)");
  expectError("observe e = SU(2).log(q);", "`q` is a point of S^2");
  expectError("initial v = w;", "`w` is a velocity of SO(3); a velocity of R^3 is expected here");
  expectError("initial w = o;", "`o` is a velocity of SO(3) in space; a velocity of SO(3) is in body");
  expectError("initial w = q;", "`q` is a point of S^2; a velocity of SO(3) is expected here");
  expectError("let k : S^2 = v;", "`v` is a velocity of R^3; a point of S^2 is expected here");
  expectHamiltonianError("initial P = O;", "in space; a momentum of SO(3) is in body");
  expectHamiltonianError("let k : dual(SO(3)) = y;", "`y` is a momentum of R^3; a momentum of SO(3) is expected here");
}

TEST(Mixing, InFlowsForcesAndOverrides) {
  expectError("flow z = -z; flow A = v;", "`v` is a velocity of R^3; the flow of `A`", false);
  expectError("flow z = -z; flow A = momentum(R);", "is a momentum of SO(3)", false);
  expectError("flow z = -z; flow A = o;", "in space; the flow of `A`", false);
  expectError("force on R = v;", "`v` is a velocity of R^3; the force on `R` is expected here");
  expectError("force on R = o;", "in space; the force on `R` is in body");
  expectError("force on R = q;", "`q` is a point of S^2");
  const Checked set = check(world + std::string("flow z = -z; flow A = w;\n}\n"), {{{"w", "v"}}, {}, {}});
  EXPECT_EQ(set.codes(), std::vector<std::string>{"LIE0131"}) << set.text();
}

TEST(Mixing, WhatGoesTogether) {
  for (const char* statement : {"observe e = w + [1, 2, 3];",
                                "observe e = 2*w - w/3;",
                                "observe e = dot(w, momentum(R));",
                                "observe e = dot(x, v);",
                                "observe e = x + 0.1*v;",
                                "observe e = x - q;",
                                "observe e = dot(R*w, o);",
                                "observe e = R*w + v;",
                                "observe e = SO(3).Ad(R, w) + o;",
                                "observe e = o - s;",
                                "observe e = a*b;",
                                "observe e = a - 2*b;",
                                "observe e = if a > b then 1 else 0;",
                                "observe e = max(a, b);",
                                "observe e = if t > 1 then a else b;",
                                "observe e = cross(o, v);",
                                "force on x = -0.1*v;",
                                "force on x = q;",
                                "force on R = -0.1*w;",
                                "force on R = x;",
                                "initial w = [1, 2, 3];",
                                "initial x = q;",
                                "observe e = if t > 1 then w else 2*w;",
                                "observe e = (if t > 1 then w else [1, 2, 3]) + w;",
                                "observe e = SO(3).exp(2*w);",
                                "observe e = SO(3).exp(x);",
                                "observe e = max(a, 1);"})
    expectFine(statement);
  expectFine("flow z = w - z; flow A = w;", false); // a state on R^n holds anything
  EXPECT_TRUE(hamiltonian("observe e = P + mu; observe k = dot(P, velocity(R)); force on R = 2*P;").model);
}
