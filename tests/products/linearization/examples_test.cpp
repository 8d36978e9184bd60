// Derivatives of f, of steps and of outputs: of examples, and of models with every kind of phase variable.
#include "Differences.h"

#include <gtest/gtest.h>

using namespace lmc::runtime;
using namespace lmc::test;
using namespace lmc;

namespace {

struct Case {
  const char* name;
  const char* method;
  const char* text = nullptr; ///< of the model; null: it is an example
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name << " with " << c.method;
}

/// A homogeneous manifold, a group in body and a vector space, coupled; an input with a law, dissipation.
const char* const product = R"(model Product {
  param k = 0.3;
  input u : vec(3) = [0.1, 0, 0.2]*t - 0.3*W;
  config q : S^2 velocity w;
  config R : SO(3) velocity W;
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(w, w) + 0.5*dot(W, diag(1, 2, 3)*W) + 0.5*dot(v, v) + dot(q', R*[0.1, 0.2, 0.1])
    - dot(e3, R*[0.5, 1, 0.3]) - k*dot(x, x)*dot(e1, q);
  force on R = u;
  dissipation = 0.1*dot(v, v);
  initial q = [0.6, 0, 0.8];  initial w = [0.4, 1, -0.3];
  initial W = [0.4, 1, -0.7];
  initial x = [1, 2];  initial v = [0, 1];
  observe tip = R*q;
  simulate { step = 0.02; }
})";

const char* const momenta = R"(model Momenta {
  param k = 0.7;
  config q : S^2 momentum p;
  config R : SO(3) momentum M;
  hamiltonian = 0.5*dot(p, p) + dot(p, [0.3, 0.1, 0.5]) + k*dot(e3, q) + 0.5*dot(M, diag(1, 0.5, 2)*M) + dot(R*q, e1);
  initial q = [0.6, 0, 0.8];  initial p = [0.4, 1, -0.3];
  initial M = [0.4, 1, -0.7];
  simulate { step = 0.02; }
})";

const char* const states = R"(model States {
  param k = 0.7;
  state q : S^2;
  state mu : dual(SO(3)) in space;
  state R : SO(3);
  state P : Grassmann(4, 2);
  hamiltonian = 0.5*dot(mu, diag(1, 2, 3)*mu);
  flow q = k*[0.3, 1, 2] + cross(q, e1) + R*e2;
  flow R = [1, q[1], dot(q, mu)];
  flow P = [0.1*k, 0.2, 0.3, P[1,1], 0.5, 0.6*P[2,3]];
  initial q = [0.6, 0, 0.8];
  initial mu = [1, 2, 0.3];
  simulate { step = 0.02; }
})";

/// A group in space, and a family of elements with two parts.
const char* const motions = R"(model Motions {
  param k = 0.7;
  param J : mat(3,3) = diag(1, 2, 3);
  config R : SO(3) velocity w in space;
  config X[3] : SE(3) velocity V;
  lagrangian = 0.5*dot(transpose(R)*w, J*(transpose(R)*w)) - k*dot(R*e3, e1)
    + sum(i in 1..3: 0.5*dot(V[i].w, J*V[i].w) + 0.5*dot(V[i].v, V[i].v) - dot(X[i].x, e3) + dot(R*e2, X[i].R*e1));
  initial w = [0.4, 1, -0.7];
  simulate { step = 0.02; }
})";

/// Sixty numbers of velocities: implicit steps iterate by products with their Jacobian.
const char* const family = R"(model Family {
  param N : int = 10;
  param k = 0.9;
  config q[N] : S^2 velocity w;
  lagrangian = sum(i in 1..N: 0.5*dot(w[i], w[i])) + k*sum(i in 1..N, j in i+1..N: dot(q[i], q[j])^2/N);
  initial q[i in 1..N] = normalize([1, 0.1*i, 0.02*i^2]);
  initial w[1] = cross([1, 0.1, 0.02], [0.3, 0.2, 0.1]);
  simulate { step = 0.02; }
})";

/// A chain of rods that is cut into segments (mechanics/mass/Tridiagonal.h).
const char* const rods = R"(model Rods {
  param N : int = 67;
  param g = 9.81;
  config q[N] : S^2 velocity w;
  let x[1] = q[1];
  let x[i in 2..N] = x[i-1] + q[i];
  lagrangian = sum(i in 1..N: 0.5*(1 + 0.3*sin(i))*dot(x[i]', x[i]') - g*x[i][3]);
  initial q[i in 1..N] = normalize([sin(i), cos(2*i), 0.3]);
  initial w[i in 1..N] = cross(normalize([sin(i), cos(2*i), 0.3]), [1, 0.2, -0.5]);
  simulate { step = 0.001; }
})";

class Linearization : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(Linearization, AgreesWithDifferences) {
  const Case& c = GetParam();
  LinearizedModel m =
      c.text != nullptr ? LinearizedModel::ofText(c.text, c.method) : LinearizedModel::ofExample(c.name, c.method);
  ASSERT_TRUE(m.good()) << m.errors();
  m.advance(3); // a state that is not special
  for (const LinearizedMap map : {LinearizedMap::Field, LinearizedMap::Step, LinearizedMap::Outputs}) {
    if (m.problem().of(map).size == 0) continue;
    SCOPED_TRACE(static_cast<int>(map));
    EXPECT_LT(m.forwardError(map), 1e-12);
    EXPECT_LT(m.adjointError(map), 1e-12);
    const double size = m.value(map).lpNorm<Eigen::Infinity>();
    const Matrix expected = map == LinearizedMap::Field ? m.motionDifferences() : m.stateDifferences(map);
    EXPECT_LT(relativeError(m.stateMatrix(map), expected, size), 1e-7);
    const Matrix sizes = m.parameterSizes().asDiagonal();
    EXPECT_LT(relativeError(m.parameterMatrix(map) * sizes, m.parameterDifferences(map) * sizes, size), 1e-7);
    const Matrix inputs = m.inputDifferences(map); // gives the inputs values, at which the matrix is wanted
    EXPECT_LT(relativeError(m.inputMatrix(map), inputs, size), 1e-7);
    m.at().releaseInputs();
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfExamples, Linearization,
    testing::Values(Case{"heavy_top.lie", "RKMK4"}, Case{"heavy_top.lie", "RKMKGL4"}, Case{"heavy_top.lie", "RATTLE"},
                    Case{"heavy_top_basis.lie", "CF4"}, Case{"heavy_top_hamiltonian.lie", "SLGI"},
                    Case{"heavy_top_lie_poisson.lie", "RKMK4"}, Case{"heavy_top_quadratic.lie", "CF4"},
                    Case{"humming_top.lie", "CG4"}, Case{"spherical_pendulum.lie", "RKMK4"},
                    Case{"spherical_pendulum.lie", "VIMidpoint"}, Case{"pendulum_chain.lie", "CF4"},
                    Case{"two_quadrotors.lie", "RKMK4"}, Case{"satellite.lie", "VIMidpoint"},
                    Case{"energy_test.lie", "VLV"}, Case{"rigid_body_orbits.lie", "RKMK4"},
                    Case{"magnetic_dipoles.lie", "CF4"}, Case{"planar_dipoles.lie", "SLGI"}));

INSTANTIATE_TEST_SUITE_P(OfModels, Linearization,
                         testing::Values(Case{"product", "RKMK54", product}, Case{"product", "VIMidpoint", product},
                                         Case{"momenta", "RKMK4", momenta}, Case{"states", "RKMK4", states},
                                         Case{"motions", "CF4", motions}, Case{"family", "RKMK2", family},
                                         Case{"family", "RKMKGL2", family}, Case{"rods", "RKMK2", rods}));
