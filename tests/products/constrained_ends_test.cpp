// The end of a step is put on constraints by f itself, asked for velocities: against plain algebra, and its code.
#include "products/Pipeline.h"
#include "runtime/run/Workspace.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

namespace lmc {
namespace {

using Real = long double;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

/// Three points of masses over four decades, two of which share kinetic energy; the first rod changes its length. Small
/// forces make f as long as that of a large mechanism.
std::string rods() {
  std::string forces;
  for (int k = 1; k <= 300; ++k) {
    const std::string n = std::to_string(k), m = std::to_string(k + 1);
    forces += " + 0.00001*sin(0.1*" + n + "*a[1]*b[2] + 0.1*" + m + "*b[3]*c[1] + a[2]*c[3])";
  }
  return R"(
model Rods {
  config a : R^3 velocity u;
  config b : R^3 velocity v;
  config c : R^3 velocity w;
  lagrangian = 0.005*dot(u, u) + 0.5*dot(v, v) + 50*dot(w, w) + 0.05*dot(u, v) - 9.81*(a[3] + b[3] + 100*c[3]))" +
         forces + R"(;
  constraint first : dot(a, a) = 1 + 0.3*sin(2*t);
  constraint second : dot(b - a, b - a) = 0.49;
  constraint third : dot(c - b, c - b) = 0.25;
  initial a = [1, 0, 0];
  initial b = [1, 0.7, 0];
  initial c = [1, 0.7, 0.5];
  initial u = [0.3, 0, 0];
  initial v = [0.3, 0, 0];
  initial w = [0.3, 0, 0];
  simulate { method = CF6; time = 0..1; step = 0.01; }
}
)";
}

Matrix masses() {
  Matrix m = Matrix::Zero(9, 9);
  for (int k = 0; k < 3; ++k) {
    m(k, k) = 0.01L;
    m(3 + k, 3 + k) = 1;
    m(6 + k, 6 + k) = 100;
    m(k, 3 + k) = m(3 + k, k) = 0.05L;
  }
  return m;
}

/// Positions and velocities of all points, one after the other, as they stand in memory: a, u, b, v, c, w.
Vector positions(const Vector& y) {
  Vector x(9);
  for (int k = 0; k < 3; ++k) x.segment<3>(3 * k) = y.segment<3>(6 * k);
  return x;
}
Vector velocities(const Vector& y) {
  Vector v(9);
  for (int k = 0; k < 3; ++k) v.segment<3>(3 * k) = y.segment<3>(6 * k + 3);
  return v;
}

Vector defect(const Vector& x, Real t) {
  Vector c(3);
  const auto square = [&](int k) { return (x.segment<3>(3 * k) - x.segment<3>(3 * k - 3)).squaredNorm(); };
  c << x.segment<3>(0).squaredNorm() - 1 - 0.3L * std::sin(2 * t), square(1) - 0.49L, square(2) - 0.25L;
  return c;
}

Matrix slopes(const Vector& x) {
  Matrix b = Matrix::Zero(3, 9);
  b.block<1, 3>(0, 0) = 2 * x.segment<3>(0).transpose();
  for (int k = 1; k < 3; ++k) {
    const auto rod = (2 * (x.segment<3>(3 * k) - x.segment<3>(3 * k - 3))).eval();
    b.block<1, 3>(k, 3 * k) = rod.transpose();
    b.block<1, 3>(k, 3 * k - 3) = -rod.transpose();
  }
  return b;
}

Vector rates(const Vector& y, Real t) {
  Vector d = slopes(positions(y)) * velocities(y);
  d(0) -= 0.6L * std::cos(2 * t);
  return d;
}

/// Steps of one model from any state.
class Stepped {
public:
  Stepped(const std::string& name, const std::string& text, const std::string& method) {
    products::PipelineOptions o;
    o.compilation.libraryRoot = LMC_SOURCE_DIR;
    o.compile.useCache = false;
    o.fixedSteps = true;
    o.method = method;
    pipeline = std::make_unique<products::Pipeline>(std::move(o));
    EXPECT_TRUE(pipeline->loadText(name, text));
    problem = pipeline->build();
    if (problem) workspace = std::make_unique<runtime::Workspace>(*problem);
    EXPECT_TRUE(workspace && workspace->start() == runtime::Ok);
  }
  std::int32_t step(double t, double h) {
    std::int64_t done = 0;
    return workspace->advance(t, h, 0, 1, done);
  }
  [[nodiscard]] Vector state() const {
    const auto memory = workspace->state();
    return Eigen::Map<const Eigen::VectorXd>(memory.data(), static_cast<Eigen::Index>(memory.size())).cast<Real>();
  }
  void setState(const Vector& y) {
    const auto memory = workspace->state();
    for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = static_cast<double>(y(static_cast<Eigen::Index>(k)));
  }
  std::unique_ptr<products::Pipeline> pipeline;
  std::unique_ptr<runtime::Problem> problem;
  std::unique_ptr<runtime::Workspace> workspace;
};

std::size_t countOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

} // namespace

// A step of no length is the projection alone.
TEST(ConstrainedEnds, HaveTheNearestVelocitiesInTheMetricOfTheKineticEnergy) {
  for (const char* method : {"CF6", "RKMK78"}) {
    Stepped model("rods.lie", rods(), method);
    ASSERT_TRUE(model.workspace);
    EXPECT_NE(model.pipeline->dump("step").find("= onto positions:"), std::string::npos) << method;
    const double t = 0;
    Vector y = model.state();
    for (int k = 0; k < 3; ++k) y.segment<3>(6 * k + 3) << 0.4L - k, 1.3L * k + 0.2L, -0.7L + 0.5L * k * k;
    y = y.cast<double>().cast<Real>();
    model.setState(y);
    ASSERT_EQ(model.step(t, 0), runtime::Ok);
    const Matrix m = masses(), b = slopes(positions(y)), w = m.ldlt().solve(b.transpose());
    const Vector nu = (b * w).fullPivLu().solve(rates(y, t));
    const Vector expected = velocities(y) - w * nu, got = velocities(model.state());
    EXPECT_GT((expected - velocities(y)).norm(), 0.5L) << method; // it moves them
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(static_cast<double>(got(k) - expected(k)), 0, 1e-14) << method << k;
    EXPECT_LT((positions(model.state()) - positions(y)).norm(), 1e-15L) << method;
  }
}

TEST(ConstrainedEnds, HoldConstraintsToRounding) {
  for (const char* method : {"CF6", "RKMK78"}) {
    for (const double h : {0.0005, 0.002, 0.004}) { // of 0.01 later ones do not converge: masses are light
      Stepped model("rods.lie", rods(), method);
      ASSERT_TRUE(model.workspace);
      ASSERT_NE(model.pipeline->dump("step").find("= onto positions:"), std::string::npos);
      double t = 0;
      for (int k = 0; k < 100; ++k, t += h) {
        ASSERT_EQ(model.step(t, h), runtime::Ok) << method << h << k;
        const Vector y = model.state();
        EXPECT_LT(defect(positions(y), t + h).cwiseAbs().maxCoeff(), 2e-13L) << method << h;
        const Real speed = 1 + velocities(y).cwiseAbs().maxCoeff();
        EXPECT_LT(rates(y, t + h).cwiseAbs().maxCoeff(), 1e-14L * speed) << method << h;
      }
    }
  }
}

// In f, and where positions are moved: velocities are a question to f.
TEST(ConstrainedEnds, HaveTheSystemOfTheConstraintsTwice) {
  std::ifstream file(std::string(LMC_SOURCE_DIR) + "/examples/piston_engine.lie");
  const Stepped model("piston_engine.lie", {std::istreambuf_iterator<char>(file), {}}, "RKMK4");
  const std::string step = model.pipeline->dump("step");
  EXPECT_EQ(countOf(step, "\nS@"), 2U * 18 * 18);
  EXPECT_EQ(model.problem->evaluationsPerStep, 4);
}

} // namespace lmc
