// The symplectic form on tangent vectors of the constraint manifold, before and after a step: of a double pendulum of
// two points, with angles as coordinates of that manifold, by differences of order four.
#include "products/Pipeline.h"

#include "diagnostics/Diagnostics.h"
#include "mechanics/system/System.h"
#include "runtime/run/Workspace.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <cmath>

namespace lmc {
namespace {

const char* const pendulum = R"(
model Double {
  config x[2] : R^3 velocity v;
  lagrangian = 0.5*dot(v[1], v[1]) + 0.25*dot(v[2], v[2]) - 9.81*(x[1][3] + 0.5*x[2][3]);
  constraint upper : dot(x[1], x[1]) = 1;
  constraint lower : dot(x[2] - x[1], x[2] - x[1]) = 0.49;
  initial x[1] = [1, 0, 0];
  initial x[2] = [1, 0.7, 0];
  simulate { method = VITrapezoid; time = 0..1; step = 0.05; }
}
)";

using Vector8 = Eigen::Matrix<double, 8, 1>;
using State = Eigen::Matrix<double, 12, 1>;

/// Positions and velocities of angles (theta, phi) of both rods and their rates.
State stateOf(const Vector8& a) {
  State y;
  Eigen::Vector3d x = Eigen::Vector3d::Zero(), v = Eigen::Vector3d::Zero();
  for (int k = 0; k < 2; ++k) {
    const double l = k == 0 ? 1 : 0.7, s = a(2 * k), p = a(2 * k + 1), ds = a(4 + 2 * k), dp = a(5 + 2 * k);
    x += l * Eigen::Vector3d(std::sin(s) * std::cos(p), std::sin(s) * std::sin(p), std::cos(s));
    v += l * (ds * Eigen::Vector3d(std::cos(s) * std::cos(p), std::cos(s) * std::sin(p), -std::sin(s)) +
              dp * Eigen::Vector3d(-std::sin(s) * std::sin(p), std::sin(s) * std::cos(p), 0));
    y.segment<3>(3 * k) = x;
    y.segment<3>(6 + 3 * k) = v;
  }
  return y;
}

class Map {
public:
  explicit Map(const std::string& method) {
    products::PipelineOptions o;
    o.compilation.libraryRoot = LMC_SOURCE_DIR;
    o.codeForAnyParameters = false;
    o.method = method;
    products::Pipeline pipeline(std::move(o));
    EXPECT_TRUE(pipeline.loadText("double.lie", pendulum));
    problem = pipeline.build();
    EXPECT_TRUE(problem);
    workspace = std::make_unique<runtime::Workspace>(*problem);
    EXPECT_EQ(workspace->start(), runtime::Ok);
  }
  State operator()(const Vector8& a, double h) {
    const State y = stateOf(a);
    if (h == 0) return y;
    const auto memory = workspace->state();
    std::fill(memory.begin(), memory.end(), 0.0); // nothing is kept
    std::copy(y.begin(), y.end(), memory.begin());
    std::int64_t done = 0;
    EXPECT_EQ(workspace->advance(0, h, 0, 1, done), runtime::Ok);
    State next;
    std::copy(memory.begin(), memory.begin() + 12, next.begin());
    return next;
  }
  /// sum m (dx ^ dv) of all pairs of coordinates.
  Eigen::Matrix<double, 8, 8> form(const Vector8& a, double h) {
    Eigen::Matrix<double, 12, 8> j;
    const double d = 1e-3;
    for (int k = 0; k < 8; ++k) {
      const auto at = [&](double s) {
        Vector8 moved = a;
        moved(k) += s;
        return (*this)(moved, h);
      };
      j.col(k) = (8 * (at(d) - at(-d)) - (at(2 * d) - at(-2 * d))) / (12 * d);
    }
    Eigen::Matrix<double, 6, 1> m;
    m << 1, 1, 1, 0.5, 0.5, 0.5;
    const Eigen::Matrix<double, 8, 8> half = j.topRows<6>().transpose() * m.asDiagonal() * j.bottomRows<6>();
    return half - half.transpose();
  }

  std::unique_ptr<runtime::Problem> problem;
  std::unique_ptr<runtime::Workspace> workspace;
};

} // namespace

TEST(ConstraintManifold, VariationalStepsKeepItsSymplecticForm) {
  Vector8 a;
  a << 2.2, 0.3, 1.7, 1.1, 0.8, -1.2, 0.5, 1.4;
  const double h = 0.05;
  const auto defect = [&](const char* method) {
    Map map(method);
    return (map.form(a, h) - map.form(a, 0)).cwiseAbs().maxCoeff();
  };
  for (const char* method : {"VITrapezoid", "VIMidpoint", "VI4", "VILobatto4", "NonholonomicRATTLE"})
    EXPECT_LT(defect(method), 1e-9) << method;
  for (const char* method : {"RKMK2", "RKMK4"}) EXPECT_GT(defect(method), 1e-6) << method;
}

} // namespace lmc
