// Derivatives of models with constraints: of f along tangent vectors, of steps and outputs in all directions, of
// trajectories; the tangent space.
#include "Differences.h"

#include "runtime/derivatives/TrajectoryDerivatives.h"

#include <gtest/gtest.h>

#include <string_view>

using namespace lmc::runtime;
using namespace lmc::test;

namespace {

struct Case {
  const char* name;
  const char* method;
  Eigen::Index dimension; ///< of the tangent space of the phase manifold
  const char* text = nullptr;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name << " with " << c.method;
}

/// A bead on a circle that moves, and a point of a sphere tied to it, by momenta.
const char* const momenta = R"(model Tied {
  param r = 0.8;  param k = 0.3;  param l2 = 1.3;
  config x : R^2 momentum p;
  config q : S^2 momentum m;
  hamiltonian = 0.5*dot(p, p)/1.5 + 0.5*dot(m, m) + k*x[1] + dot(q, [0.1, 0.3, 0.8]);
  constraint circle : dot(x - [0.1*sin(t), 0], x - [0.1*sin(t), 0]) = r^2;
  constraint tie : dot(q - [x[1], x[2], 0.2], q - [x[1], x[2], 0.2]) = l2;
  initial x = [0, 0.8];
  initial q = normalize([0.3, 0.4, 0.9]);
  initial p = [0.3, 0];  initial m = cross(normalize([0.3, 0.4, 0.9]), [0.3, -0.2, 0.4]);
  initial adjust q, p, m;
  observe force = multiplier(tie);
  simulate { step = 0.02; }
})";

/// A plane double pendulum of points on rods below its pivot, at rest or swinging.
std::string pendulum(const std::string& motion) {
  return R"(model Double {
  param l = 0.7;  param g = 9.81;  param m = 1.3;
  config a : R^2 velocity u;
  config b : R^2 velocity w;
  lagrangian = 0.5*m*(dot(u, u) + dot(w, w)) - m*g*(a[2] + b[2]);
  constraint upper : dot(a, a) = l^2;
  constraint lower : dot(b - a, b - a) = l^2;
  initial a = [0, -0.7];  initial b = [0, -1.4];
  )" + motion +
         R"(
  simulate { step = 0.01; }
})";
}
const std::string swinging = pendulum("initial u = [0.3, 0];  initial w = [0.8, 0];");

Matrix basisOf(LinearizedModel& m) {
  std::vector<double> list;
  EXPECT_EQ(m.at().basis(m.t, list), Ok);
  const Eigen::Index n = m.problem().coordinates;
  return Eigen::Map<const Matrix>(list.data(), n, static_cast<Eigen::Index>(list.size()) / n);
}

class Constrained : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(Constrained, DerivativesAgreeWithDifferences) {
  const Case& c = GetParam();
  LinearizedModel m =
      c.text != nullptr ? LinearizedModel::ofText(c.text, c.method) : LinearizedModel::ofExample(c.name, c.method);
  ASSERT_TRUE(m.good()) << m.errors();
  m.advance(3);
  const Matrix z = basisOf(m);
  EXPECT_EQ(z.cols(), c.dimension);
  EXPECT_LT((z.transpose() * z - Matrix::Identity(z.cols(), z.cols())).norm(), 1e-13);
  // By differences of the constraints themselves: nothing changes along the basis, something along all that is across.
  const Matrix changes = m.stateDifferences(LinearizedMap::Constraints);
  EXPECT_LT((changes * z).norm(), 1e-8 * changes.norm());
  EXPECT_LT(relativeError(m.stateMatrix(LinearizedMap::Constraints), changes, 1), 1e-7);
  for (const LinearizedMap map : {LinearizedMap::Field, LinearizedMap::Step, LinearizedMap::Outputs}) {
    if (m.problem().of(map).size == 0) continue;
    SCOPED_TRACE(static_cast<int>(map));
    EXPECT_LT(m.forwardError(map), 1e-11);
    EXPECT_LT(m.adjointError(map), 1e-11);
    const double size = m.value(map).lpNorm<Eigen::Infinity>();
    if (map == LinearizedMap::Field && std::string_view(c.method).starts_with("VI"))
      continue;                        // f is that of all methods; steps of nearly no length are no affair of these
    if (map == LinearizedMap::Field) { // steps project: along the constraints alone their differences are those of f
      EXPECT_LT(relativeError(m.stateMatrix(map) * z, m.motionDifferences() * z, size), 1e-6);
      continue;
    }
    EXPECT_LT(relativeError(m.stateMatrix(map), m.stateDifferences(map), size), 1e-7);
    const Matrix sizes = m.parameterSizes().asDiagonal();
    EXPECT_LT(relativeError(m.parameterMatrix(map) * sizes, m.parameterDifferences(map) * sizes, size), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Constrained,
    testing::Values(Case{"heavy_top_constrained.lie", "RKMK4", 6}, Case{"heavy_top_constrained.lie", "VITrapezoid", 6},
                    Case{"chaplygin_sleigh.lie", "RKMK4", 5}, Case{"rolling_disk.lie", "RKMK4", 8},
                    Case{"four_bars.lie", "RKMK4", 2}, Case{"double", "VIMidpoint", 4, swinging.c_str()},
                    Case{"double", "CG4", 4, swinging.c_str()}, Case{"momenta", "RKMK4", 4, momenta}));

/// A mechanism that is driven has no freedom left.
TEST(ConstrainedTangents, MayBeNone) {
  LinearizedModel m = LinearizedModel::ofExample("slider_crank.lie", "RKMK4");
  ASSERT_TRUE(m.good()) << m.errors();
  EXPECT_EQ(basisOf(m).cols(), 0);
}

/// (omega^2 l/g)^2 - 4 omega^2 l/g + 2 = 0 for equal points on equal rods (Landau, Lifshitz, Mechanics, § 23).
TEST(ConstrainedEigenvalues, AreThoseOfTheDoublePendulum) {
  LinearizedModel m = LinearizedModel::ofText(pendulum(""), "RKMK4");
  ASSERT_TRUE(m.good()) << m.errors();
  const Matrix z = basisOf(m);
  const Matrix a = z.transpose() * m.stateMatrix(LinearizedMap::Field) * z;
  std::vector<double> found;
  for (const auto& x : a.eigenvalues()) {
    EXPECT_NEAR(x.real(), 0, 1e-12);
    found.push_back(x.imag());
  }
  std::sort(found.begin(), found.end());
  const double slow = std::sqrt(9.81 / 0.7 * (2 - std::sqrt(2))), fast = std::sqrt(9.81 / 0.7 * (2 + std::sqrt(2)));
  const std::vector<double> expected = {-fast, -slow, slow, fast};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-12);
}

/// Sensitivities and the adjoint of 30 steps against differences of trajectories.
TEST(ConstrainedTrajectories, AreDifferentiatedExactly) {
  LinearizedModel m = LinearizedModel::ofText(pendulum(""), "RKMK4");
  ASSERT_TRUE(m.good()) << m.errors();
  constexpr int steps = 30;
  Vector begin = m.state();
  const Matrix z = basisOf(m);
  const auto moved = [&](const Vector& y, const Vector& direction) {
    m.setState(y);
    Vector next(y.size());
    EXPECT_EQ(m.at().moved({direction.data(), static_cast<std::size_t>(direction.size())},
                           {next.data(), static_cast<std::size_t>(next.size())}),
              Ok);
    return next;
  };
  const auto end = [&](const Vector& y) {
    m.setState(y);
    m.t = 0;
    m.advance(steps);
    return m.state();
  };
  begin = end(moved(begin, 0.4 * z.col(1) + 0.2 * z.col(2))); // in motion, on the constraints
  const Eigen::Index n = m.problem().coordinates;
  Vector lambda = Vector::LinSpaced(n, -1, 1.3);
  m.setState(begin);
  const CostDerivative terminal = [&](LinearizedWorkspace&, std::int64_t k, double, const CostCovectors& add) {
    if (k == steps) std::copy(lambda.begin(), lambda.end(), add.state.begin());
    return std::int32_t{Ok};
  };
  TrajectoryGradient gradient;
  ASSERT_EQ(trajectoryGradient(m.at(), {0, m.h, steps, {}}, terminal, gradient), Ok);
  m.setState(begin);
  const Matrix along = basisOf(m);
  for (Eigen::Index k = 0; k < along.cols(); ++k) {
    const Vector direction = along.col(k);
    constexpr double e = 1e-4;
    const Vector difference = (8 * (end(moved(begin, e * direction)) - end(moved(begin, -e * direction))) -
                               (end(moved(begin, 2 * e * direction)) - end(moved(begin, -2 * e * direction)))) /
                              (12 * e);
    Vector carried = direction;
    m.setState(begin);
    ASSERT_EQ(propagate(m.at(), {0, m.h, steps, {}}, {carried.data(), static_cast<std::size_t>(n)}), Ok);
    EXPECT_LT((carried - difference).norm(), 1e-7 * difference.norm()); // of vectors coordinates are the storage
    EXPECT_NEAR(Eigen::Map<const Vector>(gradient.state.data(), n).dot(direction), lambda.dot(carried),
                1e-10 * carried.norm());
  }
}
