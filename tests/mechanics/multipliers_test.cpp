// Accelerations by constraint forces satisfy the equations of motion that are derived on the manifold; which models
// are solved in this way.
#include "mechanics/Derived.h"
#include "mechanics/system/Equations.h"

#include <cmath>

using namespace lmc::mechanics;
using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

struct Text {
  const char* name;
  const char* body;
  int multipliers = 0;
};

const char* const initials = " initial q[i in 1..N] = normalize([sin(i), cos(2*i), 0.3]);"
                             " initial w[i in 1..N] = cross(normalize([sin(i), cos(2*i), 0.3]), [1, 0.2*i, -0.5]);";

std::vector<Text> models() {
  return {
      {"Chain",
       "param N : int = 4; config q[N] : S^2 velocity w; param m[i in 1..N] = 1 + 0.3*sin(i);"
       "param L[i in 1..N] = 0.5 + 1/i; let x[1] = L[1]*q[1]; let x[i in 2..N] = x[i-1] + L[i]*q[i];"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(x[i]', x[i]') - 9.81*m[i]*x[i][3]);",
       4},
      {"EveryPair",
       "param N : int = 3; config q[N] : S^2 velocity w; param m[i in 1..N] = 1 + 0.3*i; let P = sum(i in 1..N: "
       "m[i]*q[i]); lagrangian = sum(i in 1..N: m[i]*dot(q[i]', q[i]')) + 0.1*dot(P', P') "
       "- sum(i in 1..N, j in i+1..N: dot(q[i], q[j])^2);",
       3},
      {"LoadOnTwoRodsWithForces",
       "param N : int = 2; config y : R^3 velocity v; config q[N] : S^2 velocity w; param m = 0.7;"
       "let x[i in 1..N] = y - (0.5 + i)*q[i]; input u[i in 1..N] : vec(3) = [1, i, -w[i][1]];"
       "lagrangian = 0.5*dot(v, v) + sum(i in 1..N: 0.5*m*dot(x[i]', x[i]') + x[i][3]);"
       "for i in 1..N { force u[i] at x[i]; force on q[i] = [0.3, -0.2, 0.1*i]; }"
       "dissipation = 0.2*dot(v, v) + 0.1*sum(i in 1..N: dot(w[i], w[i]));"
       "initial y = [1, 2, 3]; initial v = [-1, 0.5, 0.2];",
       2},
      {"PendulumOnCart", // K has blocks of several shapes
       "param N : int = 1; config s : R velocity u; config q[N] : S^2 velocity w; let x = [s, 0, 0] + 2*q[1];"
       "lagrangian = 1.5*u^2 + 0.5*dot(x', x') - x[3] - 0.3*s^2; initial s = 0.2; initial u = -0.7;",
       1},
      {"GyroscopicAndDriven", // terms linear in q', and an explicit time
       "param N : int = 2; config q[N] : S^2 velocity w; config R : SO(3) velocity Omega; param c = 0.4;"
       "let d = q[2] - q[1]; lagrangian = dot(q[1]', q[1]') + dot(d', d') + q[1][1]*q[1]'[2] + cos(t + 1)*q[2]'[3] "
       "+ dot(R*e3, q[1]) *q[2]'[1] + dot(Omega, Omega) + sin(t)*q[2][1]; initial Omega = [0.1, 1, -0.3];",
       2},
      {"LongChain", // by elimination along the family
       "param N : int = 11; config q[N] : S^2 velocity w; param m[i in 1..N] = 1 + 0.3*sin(i);"
       "param L[i in 1..N] = 0.5 + 1/i; let x[1] = L[1]*q[1]; let x[i in 2..N] = x[i-1] + L[i]*q[i];"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(x[i]', x[i]') - 9.81*m[i]*x[i][3]);",
       11},
      {"ChainOfThree", // one member is left between the ends
       "param N : int = 3; config q[N] : S^2 velocity w; let x[1] = q[1]; let x[i in 2..N] = x[i-1] + q[i];"
       "lagrangian = sum(i in 1..N: dot(x[i]', x[i]') - x[i][3]);",
       3},
      {"LightAndHeavy", // two are left
       "param N : int = 28; config q[N] : S^2 velocity w; param m[i in 1..N] = 1 + 0.9*sin(2*i);"
       "let x[1] = q[1]; let x[i in 2..N] = x[i-1] + q[i];"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(x[i]', x[i]') - 9.81*m[i]*x[i][3]);",
       28},
      {"LongChainWithForces",
       "param N : int = 30; config q[N] : S^2 velocity w; param m[i in 1..N] = 1 + 0.3*sin(i); param c = 0.7;"
       "let x[1] = q[1]; let x[i in 2..N] = x[i-1] + q[i];"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(x[i]', x[i]') + c*dot(cross(e3, x[i]), x[i]') + sin(t + i)*x[i][1])"
       "  - sum(i in 1..N-1: dot(q[i], q[i+1])^2);"
       "for i in 1..N { force [0.1, -0.2*i, w[i][2]] at x[i]; force on q[i] = [0.3, -0.2, 0.1*i]; }"
       "dissipation = sum(i in 2..N: 0.1*dot(w[i] - w[i-1], w[i] - w[i-1]));",
       30},
      {"HigherSphere",
       "param N : int = 2; config q[N] : S^3 velocity w; let d = q[1] + 2*q[2];"
       "lagrangian = dot(q[1]', q[1]') + 0.5*dot(d', d') + q[1][1]*q[2][4];"
       "initial q[i in 1..N] = normalize([1, i, -1, 0.5]);",
       2},
  };
}

class Multipliers : public testing::TestWithParam<Text> {};

/// Entries of arrays of all factors of a group, one factor after the other.
Numbers stacked(Evaluate& values, const std::vector<const sym::Array*>& arrays) {
  Numbers all;
  for (const sym::Array* a : arrays) {
    const Numbers own = values.array(a);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

const sym::Array* rightHandSide(Derived& d, std::size_t k) {
  const Factor& f = d.factor(k);
  const FactorEquations& e = d.system.factors[k];
  return defineParts(d.program(), "rhs", f.manifold->algebra(), f.extent, e.index, e.rhs)[0];
}

} // namespace

TEST_P(Multipliers, SolveTheEquationsOfTheManifold) {
  std::string body = GetParam().body;
  if (body.find("initial q") == std::string::npos) body += initials;
  Derived d("model M { " + body + " }");
  ASSERT_TRUE(d.good) << d.c.text();
  const MassGroup& group = d.system.groups[0];
  ASSERT_EQ(group.structure, MassStructure::Multipliers);
  EXPECT_EQ(group.multipliers, GetParam().multipliers);
  ASSERT_NE(group.dense, nullptr);
  std::vector<const sym::Array*> rhs;
  std::vector<const sym::Array*> acceleration;
  for (const std::size_t k : group.factors) {
    rhs.push_back(rightHandSide(d, k));
    acceleration.push_back(d.system.factors[k].acceleration[0]);
  }
  Evaluate values = d.at({}, 0.37);
  const Numbers a = stacked(values, acceleration);
  const Numbers r = stacked(values, rhs);
  const Numbers m = values.array(group.dense);
  const auto n = static_cast<std::size_t>(group.size);
  expectSolves(m, a, r, n);
  double largest = 0;
  for (const double x : r) largest = std::max(largest, std::abs(x));
  EXPECT_GT(largest, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Models, Multipliers, testing::ValuesIn(models()), [](const auto& p) { return p.param.name; });

TEST(MultipliersNot, WhereTheEnergyIsNoConstantFormInTheSpaceAround) {
  const std::vector<Text> others{
      {"a velocity that is no q'",
       "param N : int = 2; config q[N] : S^2 velocity w; lagrangian = dot(w[1], w[1]) + dot(w[2], w[2]) + "
       "0.1*dot(w[1], w[2]);"},
      {"a mass that varies",
       "param N : int = 2; config q[N] : S^2 velocity w; let d = q[2] - q[1]; lagrangian = dot(q[1]', q[1]') + "
       "(2 + q[1][3])*dot(d', d');"},
      {"a body", "param N : int = 2; config q[N] : S^2 velocity w; config R : SO(3) velocity Omega; "
                 "let x = R*e1 + q[1] + q[2]; lagrangian = dot(Omega, Omega) + dot(q[1]', q[1]') + dot(q[2]', q[2]') + "
                 "dot(x', x');"},
      {"rods with inertia in a long chain",
       "param N : int = 12; config q[N] : S^2 velocity w; let x[1] = q[1]; let x[i in 2..N] = x[i-1] + q[i];"
       "lagrangian = sum(i in 1..N: dot(x[i]', x[i]') + 0.1*dot(q[i]', q[i]'));"},
      {"a long chain that reads angular velocities",
       "param N : int = 12; config q[N] : S^2 velocity w; let x[1] = q[1]; let x[i in 2..N] = x[i-1] + q[i];"
       "lagrangian = sum(i in 1..N: dot(x[i]', x[i]') + 0.1*w[i][3]);"},
      {"no energy across", "param N : int = 2; config q[N] : S^2 velocity w; lagrangian = q[1]'[1]^2 + "
                           "(q[1]'[1] + q[2]'[1])^2 + q[1]'[2]^2 + q[2]'[2]^2;"}};
  for (const Text& m : others) {
    const Derived d(std::string("model M { ") + m.body + initials + " }");
    ASSERT_TRUE(d.good) << m.name << d.c.text();
    for (const MassGroup& group : d.system.groups) EXPECT_NE(group.structure, MassStructure::Multipliers) << m.name;
  }
}
