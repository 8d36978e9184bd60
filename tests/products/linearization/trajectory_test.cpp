// Derivatives along trajectories, geometry of the tangent spaces, and what the matrices of symplectic steps keep.
#include "Differences.h"

#include "runtime/derivatives/TrajectoryDerivatives.h"

#include <gtest/gtest.h>

using namespace lmc::methods;
using namespace lmc::products;
using namespace lmc::runtime;
using namespace lmc::test;
using namespace lmc;

namespace {

std::span<double> spanOf(Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
std::span<const double> spanOf(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
Vector vectorOf(std::span<const double> x) {
  return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// The product of the matrices of some steps, and the sum of what parameters add.
struct Product {
  Matrix state, parameters;
};

Product productOf(LinearizedModel& m, int steps) {
  const Vector begin = m.state();
  Product p{Matrix::Identity(m.problem().coordinates, m.problem().coordinates),
            Matrix::Zero(m.problem().coordinates, m.problem().parameters)};
  for (int k = 0; k < steps; ++k) {
    const Matrix phi = m.stateMatrix(LinearizedMap::Step);
    p.parameters = phi * p.parameters + m.parameterMatrix(LinearizedMap::Step);
    p.state = phi * p.state;
    m.setState(vectorOf(m.at().value(LinearizedMap::Step)));
  }
  m.setState(begin);
  return p;
}

double error(const Vector& got, const Vector& expected) {
  return (got - expected).lpNorm<Eigen::Infinity>() / expected.lpNorm<Eigen::Infinity>();
}

} // namespace

TEST(Trajectories, SensitivitiesAreProductsOfStepMatrices) {
  LinearizedModel m = LinearizedModel::ofExample("spherical_pendulum.lie", "VIMidpoint");
  ASSERT_TRUE(m.good()) << m.errors();
  constexpr int steps = 20;
  const Vector begin = m.state();
  const Product product = productOf(m, steps);
  for (const Eigen::Index count : {1, 5}) { // by images, and by matrices
    Vector z = Vector::Random(count * m.problem().coordinates), p = Vector::Random(count * m.problem().parameters);
    Vector expected(z.size());
    for (Eigen::Index k = 0; k < count; ++k)
      expected.segment(k * product.state.rows(), product.state.rows()) =
          product.state * z.segment(k * product.state.rows(), product.state.rows()) +
          product.parameters * p.segment(k * product.parameters.cols(), product.parameters.cols());
    m.setState(begin);
    ASSERT_EQ(propagate(m.at(), {0, m.h, steps, {}}, spanOf(z), {}, spanOf(std::as_const(p))), runtime::Ok);
    EXPECT_LT(error(z, expected), 1e-12);
  }
}

TEST(Trajectories, TheAdjointIsTheTransposeForAnySections) {
  LinearizedModel m = LinearizedModel::ofExample("spherical_pendulum.lie", "RKMK4");
  ASSERT_TRUE(m.good()) << m.errors();
  constexpr int steps = 17;
  const Vector begin = m.state();
  const Product product = productOf(m, steps);
  const Vector lambda = Vector::Random(m.problem().coordinates);
  const CostDerivative terminal = [&](LinearizedWorkspace&, std::int64_t k, double, const CostCovectors& add) {
    if (k == steps) std::copy(lambda.begin(), lambda.end(), add.state.begin());
    return std::int32_t{runtime::Ok};
  };
  for (const int section : {0, 1, 4, 17, 100}) {
    TrajectoryGradient g;
    ASSERT_EQ(trajectoryGradient(m.at(), {0, m.h, steps, {}}, terminal, g, section), runtime::Ok);
    EXPECT_LT(error(vectorOf(g.state), product.state.transpose() * lambda), 1e-12) << section;
    EXPECT_LT(error(vectorOf(g.parameters), product.parameters.transpose() * lambda), 1e-12) << section;
    EXPECT_EQ(m.state(), begin);
  }
}

TEST(Trajectories, GradientsOfCostsAgreeWithDifferences) {
  LinearizedModel m = LinearizedModel::ofText(R"(model Controlled {
  param J : mat(3,3) = diag(1, 2, 3);
  input u : vec(3) = [0, 0, 0];
  config R : SO(3) velocity W;
  lagrangian = 0.5*dot(W, J*W);
  force on R = u;
  initial W = [0.3, 0.2, 0.5];
  observe miss = 3 - trace(R);
  observe effort = dot(u, u);
  simulate { step = 0.05; }
})",
                                              "CF4");
  ASSERT_TRUE(m.good()) << m.errors();
  constexpr int steps = 12;
  const Vector begin = m.state();
  Vector u = Vector::LinSpaced(3 * steps, -0.4, 0.7);
  // Outputs: energy, miss, effort. Effort in every step but the last, energy squared on the way, the miss at the end.
  const auto cost = [](std::int64_t k, std::span<const double> y) {
    return k == steps ? y[1] : 0.1 * y[2] + 0.5 * y[0] * y[0];
  };
  const auto weights = [](std::int64_t k, std::span<const double> y) {
    return k == steps ? std::vector<double>{0, 1, 0} : std::vector<double>{y[0], 0, 0.1};
  };
  const auto total = [&](const Vector& first, const Vector& inputs) {
    double sum = 0;
    m.setState(first);
    for (int k = 0; k <= steps; ++k) {
      if (k < steps) m.at().setInputs(spanOf(inputs).subspan(static_cast<std::size_t>(3 * k), 3));
      m.t = k * m.h;
      const Vector y = m.value(LinearizedMap::Outputs);
      sum += cost(k, spanOf(y));
      if (k < steps) m.setState(m.value(LinearizedMap::Step));
    }
    return sum;
  };
  TrajectoryGradient g;
  ASSERT_EQ(trajectoryGradient(m.at(), {0, m.h, steps, spanOf(std::as_const(u))}, costOfOutputs(weights), g),
            runtime::Ok);
  const auto difference = [](const auto& at) {
    constexpr double e = 1e-3;
    return (8 * (at(e) - at(-e)) - (at(2 * e) - at(-2 * e))) / (12 * e);
  };
  Vector byInputs(u.size()), byState(m.problem().coordinates);
  for (Eigen::Index j = 0; j < u.size(); ++j)
    byInputs[j] = difference([&](double e) { return total(begin, u + e * Vector::Unit(u.size(), j)); });
  for (Eigen::Index j = 0; j < byState.size(); ++j) {
    byState[j] = difference([&](double e) {
      Vector z = e * Vector::Unit(byState.size(), j), near(begin.size());
      m.setState(begin);
      EXPECT_EQ(m.at().moved(spanOf(std::as_const(z)), spanOf(near)), runtime::Ok);
      return total(near, u);
    });
  }
  EXPECT_LT(error(vectorOf(g.inputs), byInputs), 1e-9);
  EXPECT_LT(error(vectorOf(g.state), byState), 1e-9);
}

/// omega((eta1, dp1), (eta2, dp2)) = dp2·eta1 - dp1·eta2 - p·[eta1, eta2] of T*SO(3) in space.
Matrix formOf(const Vector& p) {
  Matrix omega = Matrix::Zero(6, 6);
  omega.topRightCorner(3, 3).setIdentity();
  omega.bottomLeftCorner(3, 3) = -Matrix::Identity(3, 3);
  omega.topLeftCorner(3, 3) << 0, -p[2], p[1], p[2], 0, -p[0], -p[1], p[0], 0;
  return omega;
}

TEST(Matrices, OfSymplecticStepsKeepTheForm) {
  LinearizedModel m = LinearizedModel::ofExample("heavy_top_hamiltonian.lie", "SLGI");
  ASSERT_TRUE(m.good()) << m.errors();
  m.advance(2);
  const Matrix phi = m.stateMatrix(LinearizedMap::Step);
  const Matrix before = formOf(m.state().tail(3)), after = formOf(vectorOf(m.at().value(LinearizedMap::Step)).tail(3));
  EXPECT_LT((phi.transpose() * after * phi - before).cwiseAbs().maxCoeff(), 1e-11 * before.cwiseAbs().maxCoeff());
}

/// Geometry alone, at a state near the initial one.
LinearizedModel quadrotors() {
  LinearizationRequest request;
  request.step = request.adjoint = request.matrices = request.outputs = false;
  LinearizedModel m = LinearizedModel::ofExample("two_quadrotors.lie", "RKMK4", request);
  EXPECT_TRUE(m.good()) << m.errors();
  const Vector z = 0.3 * Vector::Random(m.problem().coordinates);
  Vector near(m.state().size());
  EXPECT_EQ(m.at().moved(spanOf(z), spanOf(near)), runtime::Ok);
  m.setState(near);
  return m;
}

TEST(TangentSpaces, HaveOrthonormalBasesOfTheirDimension) {
  LinearizedModel m = quadrotors();
  std::vector<double> list;
  ASSERT_EQ(m.at().basis(0, list), runtime::Ok);
  const Eigen::Index n = m.problem().coordinates;
  EXPECT_EQ(n, 30);
  ASSERT_EQ(list.size(), static_cast<std::size_t>(26 * n)); // two numbers less for each direction on a sphere
  const Matrix z = Eigen::Map<const Matrix>(list.data(), n, 26);
  EXPECT_LT((z.transpose() * z - Matrix::Identity(26, 26)).norm(), 1e-13);
  EXPECT_LT((m.projection() * z - z).norm(), 1e-13);
  EXPECT_LT((m.projection() - z * z.transpose()).norm(), 1e-13);
}

TEST(TangentSpaces, DifferencesInvertMotions) {
  LinearizedModel m = quadrotors();
  const Vector z = m.projection() * (0.5 * Vector::Random(m.problem().coordinates));
  Vector other(m.state().size()), found(z.size());
  ASSERT_EQ(m.at().moved(spanOf(z), spanOf(other)), runtime::Ok);
  ASSERT_EQ(m.at().difference(spanOf(std::as_const(other)), spanOf(found)), runtime::Ok);
  EXPECT_LT(error(found, z), 1e-12);
}

/// Between opposite points there is no shortest way, and the chord has no part along the sphere.
TEST(TangentSpaces, HaveNoDifferenceOfOppositePoints) {
  LinearizedModel m = quadrotors();
  Vector other = m.state(), found(m.problem().coordinates);
  const std::vector<Field>& fields = m.problem().problem.fields;
  const auto cable = std::find_if(fields.begin(), fields.end(), [](const Field& f) { return f.name == "q"; });
  ASSERT_NE(cable, fields.end());
  other.segment(cable->offset, cable->count()) *= -1;
  EXPECT_EQ(m.at().difference(spanOf(std::as_const(other)), spanOf(found)), runtime::NoConvergence);
}

TEST(Matrices, OfLargeSystemsAreTheSame) {
  PipelineOptions o;
  o.compilation.libraryRoot = libraryRoot();
  o.compile.optimization = 0;
  o.compile.useCache = false;
  o.method = "RKMK4";
  std::vector<std::vector<double>> found;
  for (const std::int64_t largest : {1000, 5}) { // at once, and column by column
    Pipeline pipeline(o);
    ASSERT_TRUE(pipeline.load(LMC_SOURCE_DIR "/examples/two_quadrotors.lie"));
    LinearizationRequest request;
    request.largestMatrix = largest;
    request.adjoint = false;
    const auto problem = pipeline.buildLinearization(request);
    ASSERT_TRUE(problem);
    LinearizedWorkspace w(*problem);
    ASSERT_EQ(w.start(), runtime::Ok);
    std::vector<double> all;
    for (const LinearizedMap map : {LinearizedMap::Field, LinearizedMap::Step, LinearizedMap::Outputs}) {
      ASSERT_EQ(w.matrices(map, 0, 0.01), runtime::Ok);
      for (const auto& m : {w.stateMatrix(map), w.inputMatrix(map), w.parameterMatrix(map)})
        all.insert(all.end(), m.begin(), m.end());
    }
    all.insert(all.end(), w.fieldMatrix().begin(), w.fieldMatrix().end());
    found.push_back(all);
  }
  ASSERT_EQ(found[0].size(), found[1].size());
  EXPECT_LT(error(vectorOf(found[0]), vectorOf(found[1])), 1e-13);
}
