// Long chains of random links solve their equations of motion to rounding, whatever the links are: against sums that
// are written out in long double, and against dense elimination of these.
#include "mechanics/Derived.h"
#include "mechanics/RandomChainCases.h"

#include <cmath>

using namespace lmc::mechanics;
using namespace lmc::sema;
using namespace lmc::test::chains;
using namespace lmc::test;
using namespace lmc;

namespace {

struct Kind {
  const char* name;
  const char* body; ///< with N members
  Case (*make)(RandomState&, int);
  int largest = 100;   ///< members that are solved for densely, too
  bool turned = false; ///< the last member is the first link
  MassStructure structure = MassStructure::Chain;
};

const char* const loaded = "param m[N] = 1; param L[N] = 1; config q[N] : S^2 velocity w; let x[1] = L[1]*q[1];"
                           "let x[i in 2..N] = x[i-1] + L[i]*q[i]; lagrangian = sum(i in 1..N: "
                           "0.5*m[i]*dot(x[i]', x[i]') - 9.81*m[i]*x[i][3]); initial q[i in 1..N] = e3;";

const char* const clamped = "param j[N] = 1; param m[N] = 1; param k[N] = 1; config R[N] : SO(3) velocity w;"
                            "config y[N] : R^3 velocity u; param p : vec(3) = [-0.1, -0.6, -0.2]; param q : vec(3) = "
                            "[0.3, 0.1, 0.2]; lagrangian = "
                            "sum(i in 1..N: 0.5*j[i]*dot(w[i], w[i]) + 0.5*m[i]*dot(u[i], u[i])) + ";

const char* const rotating = "param m[N] = 1; param J[N] : mat(3,3) = eye(3); config R[N] : SO(3) velocity w; "
                             "param a : vec(3) = [0.2, -0.1, -1]; param b : vec(3) = [0.1, 0.2, -0.6];";
const char* const energies = "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(c[i]', c[i]') + 0.5*dot(w[i], J[i]*w[i]) "
                             "- 9.81*m[i]*c[i][3]);";

std::vector<Kind> kinds() {
  static const std::string rotation = rotating;
  static const std::string energy = energies;
  static const std::string before = rotation +
                                    "let j[1] = zeros(3); let j[i in 2..N] = j[i-1] + R[i-1]*a;"
                                    "let c[i in 1..N] = j[i] + R[i]*b;" +
                                    energy;
  static const std::string vectors = rotation +
                                     "let d[i in 1..N] = R[i]*a; let j[1] = zeros(3);"
                                     "let j[i in 2..N] = j[i-1] + d[i-1]; let c[i in 1..N] = j[i] + R[i]*b;" +
                                     energy;
  static const std::string behind = rotation +
                                    "let x[1] = R[1]*a; let x[i in 2..N] = x[i-1] + R[i]*a;"
                                    "let c[i in 1..N] = x[i] + R[i]*(b - a);" +
                                    energy;
  static const std::string turned = rotation +
                                    "let x[1] = R[N]*a; let x[k in 2..N] = x[k-1] + R[N+1-k]*a;"
                                    "let c[i in 1..N] = x[N+1-i] + R[i]*(b - a);" +
                                    energy;
  static const std::string turnedBefore = rotation +
                                          "let j[1] = zeros(3); let j[k in 2..N] = j[k-1] + R[N+2-k]*a;"
                                          "let c[i in 1..N] = j[N+1-i] + R[i]*b;" +
                                          energy;
  static const std::string mixed =
      rotation + "config y[N] : R^3 velocity u; let x[1] = R[1]*a + y[1];"
                 "let x[i in 2..N] = x[i-1] + R[i]*a + y[i]; let c[i in 1..N] = x[i] + R[i]*(b - a) - 0.5*y[i];"
                 "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(c[i]', c[i]') + 0.5*dot(w[i], J[i]*w[i]) "
                 "+ 0.1*m[i]*dot(u[i], u[i]) - 9.81*m[i]*c[i][3]);";
  static const std::string clampedBehind =
      std::string(clamped) +
      "sum(i in 1..N-1: 0.5*k[i]*dot((R[i+1]*p - y[i] - R[i]*q)', (R[i+1]*p - y[i] - R[i]*q)'));";
  static const std::string clampedBefore =
      std::string(clamped) +
      "sum(i in 1..N-1: 0.5*k[i]*dot((R[i]*p - y[i+1] - R[i+1]*q)', (R[i]*p - y[i+1] - R[i+1]*q)'));";
  return {
      {"ClampsBehind", clampedBehind.c_str(), clampsBehind},
      {"ClampsBefore", clampedBefore.c_str(), clampsBefore},
      {"Rotations", before.c_str(), rotations, 300},
      {"RotationsByVectors", vectors.c_str(), rotations},
      {"RotationsBehind", behind.c_str(), rotations},
      {"RotationsFromTheLast", turned.c_str(), rotations, 40, true},
      {"RotationsFromTheLastBefore", turnedBefore.c_str(), rotations, 40, true},
      {"Spheres",
       "param m[N] = 1; config q[N] : S^2 velocity w; let x[1] = q[1]; let x[i in 2..N] = x[i-1] + q[i];"
       "let c[i in 1..N] = x[i] - 0.7*q[i]; lagrangian = sum(i in 1..N: 0.5*m[i]*dot(c[i]', c[i]') "
       "+ 0.005*m[i]*dot(w[i], w[i]) - 9.81*m[i]*c[i][3]); initial q[i in 1..N] = e3;",
       spheres, 300},
      {"Motions",
       "param m[N] = 1; param J[N] : mat(3,3) = eye(3); config X[N] : SE(3) velocity V;"
       "param a : vec(3) = [0.2, -0.1, -1]; param b : vec(3) = [0.1, 0.2, -0.6];"
       "let j[1] = zeros(3); let j[i in 2..N] = j[i-1] + X[i-1].x + X[i-1].R*a;"
       "let c[i in 1..N] = j[i] + 0.5*X[i].x + X[i].R*b;"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(c[i]', c[i]') + 0.5*dot(V[i].w, J[i]*V[i].w) "
       "+ 0.1*m[i]*dot(V[i].v, V[i].v) - 9.81*m[i]*c[i][3]);",
       motions},
      {"TwoFamilies", mixed.c_str(), mixture},
      {"Angles",
       "param m[N] = 1; config a[N] : T^1 velocity b; let x[1] = [sin(a[1][1]), 0, -cos(a[1][1])];"
       "let x[i in 2..N] = x[i-1] + [sin(a[i][1]), 0, -cos(a[i][1])];"
       "let c[i in 1..N] = x[i] - 0.5*[sin(a[i][1]), 0, -cos(a[i][1])];"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(c[i]', c[i]') + 0.005*m[i]*b[i][1]^2 - 9.81*m[i]*c[i][3]);",
       angles, 300},
      {"Joints",
       "param m[N] = 1; config a[N] : R velocity b; let th[1] = a[1]; let th[i in 2..N] = th[i-1] + a[i];"
       "let x[1] = [sin(th[1]), -cos(th[1])]; let x[i in 2..N] = x[i-1] + [sin(th[i]), -cos(th[i])];"
       "let c[i in 1..N] = x[i] - 0.5*[sin(th[i]), -cos(th[i])];"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*(dot(c[i]', c[i]') + 0.01*(th[i]')^2) - 9.81*m[i]*c[i][2]);",
       joints, 300},
      {"Neighbours",
       "param m[N] = 1; param k[N] = 1; param T[N] : mat(3,3) = eye(3); config y[N] : R^3 velocity u;"
       "let d[i in 1..N-1] = u[i+1] - T[i]*u[i];"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(u[i], u[i]) - 9.81*m[i]*y[i][3])"
       "  + sum(i in 1..N-1: 0.5*k[i]*dot(d[i], d[i]));",
       neighbours, 300},
      {"Loads", loaded, loadsAnyhow, 300, false, MassStructure::Multipliers},
      {"LoadsInLine", loaded, loadsInLine, 300, false, MassStructure::Multipliers},
  };
}

/// The arrays of points, velocities and parameters that a case gives, under the names it uses.
std::vector<std::pair<const sym::Array*, Numbers>> assigned(const Derived& d, Contents contents, bool turned) {
  std::vector<std::pair<const sym::Array*, Numbers>> list;
  const auto give = [&](const sym::Array* a, const std::string& name) {
    const auto it = contents.find(name);
    if (it == contents.end()) return;
    Numbers numbers = it->second;
    if (turned) {
      const auto size = static_cast<std::size_t>(a->shape.size());
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = it->second[(numbers.size() / size - 1 - i / size) * size + i % size];
    }
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(a->size())) << name;
    list.emplace_back(a, numbers);
  };
  for (const Parameter& p : d.c.model->parameters) give(p.array, p.name);
  for (const Factor& f : d.c.model->factors) {
    for (std::size_t k = 0; k < f.point.size(); ++k)
      give(f.point[k], f.point.size() > 1 ? f.manifold->point()[k].name : f.name);
    for (std::size_t k = 0; k < f.velocity.size(); ++k)
      give(f.velocity[k], f.velocity.size() > 1 ? f.manifold->algebra()[k].name : f.velocityName);
  }
  return list;
}

/// The accelerations of all factors, member after member, as those of the reference.
RealVector accelerations(Derived& d, const Case& c, bool turned) {
  Evaluate values = d.at(assigned(d, c.contents, turned));
  const auto members = static_cast<Eigen::Index>(c.reference.links.size());
  RealMatrix all(0, members); // a column for each member
  for (const FactorEquations& e : d.system.factors) {
    for (const sym::Array* a : e.acceleration) {
      const Numbers numbers = values.array(a);
      const Eigen::Index n = a->shape.size();
      all.conservativeResize(all.rows() + n, Eigen::NoChange);
      for (Eigen::Index i = 0; i < members; ++i) {
        const Eigen::Index from = turned ? members - 1 - i : i;
        for (Eigen::Index k = 0; k < n; ++k)
          all(all.rows() - n + k, i) = numbers[static_cast<std::size_t>(from * n + k)];
      }
    }
  }
  const Eigen::Index n = c.reference.width();
  RealVector y(n * members);
  for (Eigen::Index i = 0; i < members; ++i)
    y.segment(i * n, n) = c.bases.empty() ? RealVector(all.col(i))
                                          : RealVector(c.bases[static_cast<std::size_t>(i)].transpose() * all.col(i));
  return y;
}

/// The equations hold to rounding; `dense`: and the accelerations are those of dense elimination.
void expectSolved(Derived& d, const Case& c, bool turned, bool dense) {
  const RealVector y = accelerations(d, c, turned);
  const RealVector r = -c.reference.residual(RealVector::Zero(y.size()));
  const Real norm = c.reference.norm();
  EXPECT_LT(c.reference.residual(y).norm(), 1e-12L * (norm * y.norm() + r.norm()));
  if (!dense) return;
  const Eigen::LLT<RealMatrix> factored(c.reference.mass());
  ASSERT_EQ(factored.info(), Eigen::Success);
  const RealVector wanted = factored.solve(r);
  RealVector x = RealVector::Ones(y.size());
  Real least = 0; // 1/|M^-1|
  for (int k = 0; k < 20; ++k) {
    x = factored.solve(x / x.norm());
    least = 1 / x.norm();
  }
  EXPECT_LT((y - wanted).norm(), 1e-15L * norm / least * wanted.norm()) << "condition " << norm / least;
}

class RandomChains : public testing::TestWithParam<Kind> {
protected:
  static void check(int members, bool dense) {
    const Kind kind = GetParam();
    SCOPED_TRACE(members);
    Derived d("model M { param N : int = " + std::to_string(members) + "; " + kind.body + " }");
    ASSERT_TRUE(d.good) << d.c.text();
    ASSERT_EQ(d.system.groups.size(), 1U);
    ASSERT_EQ(d.system.groups[0].structure, kind.structure);
    RandomState random(static_cast<unsigned>(members));
    expectSolved(d, kind.make(random, members), kind.turned, dense);
  }
};

} // namespace

TEST_P(RandomChains, AgreeWithDenseElimination) {
  for (const int members : {10, 40, 100, 300}) {
    if (members <= GetParam().largest) check(members, true);
  }
}

TEST_P(RandomChains, SolveTheirEquationsForAThousandLinks) {
  check(1000, false);
}

/// Few links in rods are solved for all at once.
TEST(FewLoads, SolveTheirEquations) {
  for (const int members : {2, 3, 4, 5, 6, 7, 8}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(std::to_string(members) + " links, seed " + std::to_string(seed));
      Derived d("model M { param N : int = " + std::to_string(members) + "; " + loaded + " }");
      ASSERT_TRUE(d.good) << d.c.text();
      RandomState random(seed);
      expectSolved(d, loads(random, members, seed % 2 == 0 ? 10 : 0.05), false, false);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomChains, testing::ValuesIn(kinds()), [](const auto& p) { return p.param.name; });

TEST(StudiedChains, AreSolvedForAnyNumberOfLinksAndAnyInertia) {
  struct Study {
    std::string file;
    Case (*make)(RandomState&, int, double);
    int members;
    double J;
  };
  for (const Study& study :
       {Study{"rods", rods, 40, 0.08}, Study{"rods", rods, 100, 0.004}, Study{"rods", rods, 300, 0.08},
        Study{"rods_on_spheres", rodsOnSpheres, 40, 0.08}, Study{"rods_on_spheres", rodsOnSpheres, 100, 0.004}}) {
    SCOPED_TRACE(study.file + ", " + std::to_string(study.members));
    Inputs inputs;
    inputs.set = {{"N", std::to_string(study.members)}};
    Derived d(checkFile(std::string(LMC_SOURCE_DIR) + "/docs/studies/" + study.file + ".lie", inputs));
    ASSERT_TRUE(d.good) << d.c.text();
    RandomState random(7);
    Case c = study.make(random, study.members, study.J);
    c.contents["J"] = {study.J};
    c.contents["W"] = c.contents["w"];
    expectSolved(d, c, false, study.members <= 100);
  }
}
