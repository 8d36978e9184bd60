// Chains: which families count as one, and that two sweeps along them solve the same equations as the dense matrix.
#include "mechanics/Derived.h"

#include <cmath>

using namespace lmc::mechanics;
using namespace lmc::test;
using namespace lmc;

namespace {

struct Text {
  const char* name;
  const char* body; ///< with N for the number of members
};

std::string text(const Text& m, int members) {
  return "model M { param N : int = " + std::to_string(members) + "; " + m.body + " }";
}

std::vector<Text> chains() {
  return {
      {"SphericalPendulums",
       "config q[N] : S^2 velocity w; param m[i in 1..N] = 1 + 0.3*sin(i); param L[i in 1..N] = 0.5 + 1/i;"
       "let x[1] = L[1]*q[1]; let x[i in 2..N] = x[i-1] + L[i]*q[i];"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(x[i]', x[i]') + 0.05*dot(w[i], w[i]) - 9.81*m[i]*x[i][3]);"
       "initial q[i in 1..N] = normalize([sin(i), cos(2*i), 0.3]);"
       "initial w[i in 1..N] = cross(normalize([sin(i), cos(2*i), 0.3]), [1, 0.2*i, -0.5]);"},
      {"AnglesOfLinks", "config a[N] : R velocity b; let x[1] = [sin(a[1]), -cos(a[1])];"
                        "let x[i in 2..N] = x[i-1] + [sin(a[i]), -cos(a[i])];"
                        "lagrangian = sum(i in 1..N: 0.5*dot(x[i]', x[i]') - x[i][2]);"
                        "initial a[i in 1..N] = 0.3*i; initial b[i in 1..N] = cos(i);"},
      {"RelativeAngles", // positions and directions are both handed on
       "config a[N] : R velocity b; let th[1] = a[1]; let th[i in 2..N] = th[i-1] + a[i];"
       "let x[1] = [sin(th[1]), -cos(th[1])]; let x[i in 2..N] = x[i-1] + [sin(th[i]), -cos(th[i])];"
       "lagrangian = sum(i in 1..N: 0.5*dot(x[i]', x[i]') + 0.05*(th[i]')^2 - x[i][2]);"
       "initial a[i in 1..N] = 0.1*sin(i); initial b[i in 1..N] = 0.5*cos(i);"},
      {"BodiesOnBallJoints",
       "config R[N] : SO(3) velocity w; param J : mat(3,3) = diag(1, 2, 2.5); param c : vec(3) = [0.2, 0.1, -1];"
       "let p[1] = R[1]*c; let p[i in 2..N] = p[i-1] + R[i]*c;"
       "lagrangian = sum(i in 1..N: 0.5*dot(w[i], J*w[i]) + 0.5*dot(p[i]', p[i]') - p[i][3]);"
       "initial R[i in 1..N] = SO(3).exp([0.1*i, -0.2, 0.05*i]); initial w[i in 1..N] = [sin(i), 0.5, cos(i)];"},
      {"CoupledNeighbours",
       "config x[N] : R velocity v;"
       "lagrangian = sum(i in 1..N: (1 + x[i]^2)*v[i]^2) + sum(i in 1..N-1: 0.3*cos(x[i])*v[i]*v[i+1]);"
       "initial x[i in 1..N] = sin(i); initial v[i in 1..N] = cos(3*i);"},
      {"DifferencesOfNeighbours", "config q[N] : R^2 velocity v;"
                                  "lagrangian = sum(i in 1..N: dot(v[i], v[i]))"
                                  "           + sum(i in 1..N-1: (1 + q[i][1]^2)*dot(v[i+1] - v[i], v[i+1] - v[i]));"
                                  "initial q[i in 1..N] = [sin(i), 1]; initial v[i in 1..N] = [cos(3*i), 0.2*i];"},
      {"FromTheLast", "config x[N] : R velocity v; let y[1] = v[N]; let y[i in 2..N] = y[i-1] + v[N+1-i];"
                      "lagrangian = sum(i in 1..N: (1 + x[i]^2)*v[i]^2 + (2 + x[i])*y[N+1-i]^2);"
                      "initial x[i in 1..N] = sin(i); initial v[i in 1..N] = cos(3*i);"},
      {"RelativeRotations", // three times as many numbers as the rotations have
       "config R[N] : SO(3) velocity w; param a : vec(3) = [0.2, 0.1, -1]; let Q[1] = R[1];"
       "let Q[i in 2..N] = Q[i-1]*R[i]; let x[1] = Q[1]*a; let x[i in 2..N] = x[i-1] + Q[i]*a;"
       "lagrangian = sum(i in 1..N: 0.5*dot(x[i]', x[i]') + 0.05*trace(transpose(Q[i]')*Q[i]') - x[i][3]);"
       "initial R[i in 1..N] = SO(3).exp([0.1*i, -0.2, 0.05*i]); initial w[i in 1..N] = [sin(i), 0.5, cos(i)];"},
      {"BranchesAtEveryMember", // two points besides each joint, one of them handed on
       "config R[N] : SO(3) velocity w; param c : vec(3) = [0.2, 0.1, -1]; let p[1] = R[1]*c;"
       "let p[i in 2..N] = p[i-1] + R[i]*c; let l[i in 1..N] = p[i] + R[i]*e1; let r[i in 1..N] = p[i] - R[i]*e2;"
       "lagrangian = sum(i in 1..N: 0.5*dot(l[i]', l[i]') + i*dot(r[i]', r[i]') + 0.1*dot(w[i], w[i]) - l[i][3]);"
       "initial R[i in 1..N] = SO(3).exp([0.1*i, -0.2, 0.05*i]); initial w[i in 1..N] = [sin(i), 0.5, cos(i)];"},
      {"JointsAndVelocitiesOfNeighbours", // a recursion that needs the link before, and its velocity in the energy
       "config R[N] : SO(3) velocity w; let j[1] = zeros(3); let j[i in 2..N] = j[i-1] + R[i-1]*e3;"
       "lagrangian = sum(i in 1..N: 0.5*dot(j[i]', j[i]') + 0.5*dot(w[i], w[i]))"
       "  + sum(i in 2..N: 0.1*dot(w[i], w[i-1]) + 0.2*dot(j[i]', R[i-1]*w[i-1]));"
       "initial R[i in 1..N] = SO(3).exp([0.1*i, -0.2, 0.05*i]); initial w[i in 1..N] = [sin(i), 0.5, cos(i)];"},
  };
}

/// r as an array [members*dimension] of the program.
const sym::Array* rightHandSide(Derived& d, std::int64_t members, int dimension) {
  sym::Program& p = d.program();
  sym::Graph& g = p.graph();
  const FactorEquations& e = d.system.factors[0];
  const sym::Array* r = g.newArray("rhs", {members, dimension}, sym::Shape::scalar(), sym::Role::Temp);
  for (int c = 0; c < dimension; ++c) {
    sym::Equation q;
    q.array = r;
    q.loops = {{e.index[0], g.integer(1), g.integer(members), false}};
    q.index = {e.index[0], g.integer(c + 1)};
    q.value = g.entry(e.rhs[0], c);
    p.append(std::move(q));
  }
  return r;
}

class Chains : public testing::TestWithParam<Text> {};

} // namespace

TEST_P(Chains, AreSolvedLikeTheDenseMatrix) {
  for (const int members : {2, 3, 4, 30}) {
    SCOPED_TRACE(members);
    Derived d(text(GetParam(), members));
    ASSERT_TRUE(d.good) << d.c.text();
    ASSERT_EQ(d.system.groups.size(), 1U);
    const MassGroup& group = d.system.groups[0];
    ASSERT_EQ(group.structure, MassStructure::Chain);
    ASSERT_NE(group.dense, nullptr);
    const auto n = static_cast<std::size_t>(group.size);
    const sym::Array* rhs = rightHandSide(d, members, d.factor().manifold->algebraSize());
    Evaluate values = d.at();
    const Numbers a = values.array(d.system.factors[0].acceleration[0]);
    const Numbers m = values.array(group.dense);
    const Numbers r = values.array(rhs);
    expectSolves(m, a, r, n);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Chains, testing::ValuesIn(chains()), [](const auto& p) { return p.param.name; });

TEST(ChainsNot, WhatIsCoupledOtherwiseIsDense) {
  const std::vector<Text> others{
      {"second neighbours", "config x[N] : R velocity v;"
                            "lagrangian = sum(i in 1..N: (1 + x[i]^2)*v[i]^2) + sum(i in 1..N-2: 0.3*v[i]*v[i+2]);"},
      {"all with all", "config x[N] : R velocity v; let total = sum(i in 1..N: v[i]);"
                       "lagrangian = sum(i in 1..N: (1 + x[i]^2)*v[i]^2) + total^2;"},
      {"both ends", "config x[N] : R velocity v; let y[1] = v[1] + v[N]; let y[i in 2..N] = y[i-1] + v[i] + v[N+1-i];"
                    "lagrangian = sum(i in 1..N: (1 + x[i]^2)*v[i]^2 + y[i]^2);"},
      {"recursions against each other",
       "config x[N] : R velocity v; let y[1] = v[N]; let y[i in 2..N] = y[i-1] + v[N+1-i]; let z[1] = v[1];"
       "let z[i in 2..N] = z[i-1] + v[i]; lagrangian = sum(i in 1..N: (1 + x[i]^2)*v[i]^2 + (y[N+1-i] - z[i])^2);"},
      {"pairs", "config x[N] : R velocity v;"
                "lagrangian = sum(i in 1..N: v[i]^2) + sum(i in 1..N, j in i+1..N: 0.01*cos(x[i] - x[j])*v[i]*v[j]);"}};
  for (const Text& m : others) {
    const Derived d(text(m, 9));
    ASSERT_TRUE(d.good) << m.name << d.c.text();
    ASSERT_EQ(d.system.groups.size(), 1U) << m.name;
    EXPECT_EQ(d.system.groups[0].structure, MassStructure::Dense) << m.name;
  }
}
