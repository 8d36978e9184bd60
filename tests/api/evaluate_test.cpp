// Values at a state, on models of every kind.
#include "Support.h"

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace host;
using Kind = lmc::Error::Kind;

namespace {

std::vector<std::string> examples() {
  std::vector<std::string> list;
  for (const auto& f : std::filesystem::directory_iterator(LMC_SOURCE_DIR "/examples"))
    // The mass matrix of the heap alone has three million numbers.
    if (f.path().extension() == ".lie" && f.path().stem() != "heap") list.push_back(f.path().stem());
  std::sort(list.begin(), list.end());
  return list;
}

using Map = Eigen::Map<const Eigen::VectorXd>;
Map map(const lmc::Span<const double>& s) {
  return {s.data(), static_cast<Eigen::Index>(s.size())};
}

} // namespace

TEST(HostEvaluate, AgreesWithAPaper) {
  lmc::Workspace w = compiled(pendulum).workspace();
  const double m = 2, l = 0.5, g = 9.81;
  const Eigen::Vector3d q = Eigen::Vector3d(1, 2, -2) / 3;
  const Eigen::Vector3d omega = q.cross(Eigen::Vector3d(0.3, -1, 0.4));
  Eigen::Map<Eigen::Vector3d>(w.view("q").data) = q;
  Eigen::Map<Eigen::Vector3d>(w.view("w").data) = omega;
  EXPECT_NEAR(w.energy(), 0.5 * m * l * l * omega.squaredNorm() + m * g * l * q.z(), 1e-13);
  EXPECT_NEAR(w.observable("height")[0], l * q.z(), 1e-15);
  EXPECT_TRUE(map(w.momenta()).isApprox(m * l * l * omega, 1e-13));
  EXPECT_TRUE(map(w.velocities()).isApprox(omega, 1e-14));
  const Eigen::Vector3d a = -q.cross(Eigen::Vector3d(0, 0, m * g * l)) / (m * l * l);
  EXPECT_TRUE(map(w.accelerations()).isApprox(a, 1e-13));
  EXPECT_TRUE(map(w.field()).tail(3).isApprox(a, 1e-13));
  // Horizontal velocities only.
  const Eigen::Matrix3d expected = m * l * l * (Eigen::Matrix3d::Identity() - q * q.transpose());
  const std::vector<double> M = w.massMatrix();
  EXPECT_TRUE(Eigen::Map<const Eigen::Matrix3d>(M.data()).isApprox(expected, 1e-13));
  EXPECT_LT(w.massDefect(), 1e-14);
  ASSERT_EQ(w.defects().size(), 1U);
  EXPECT_LT(w.defects()[0].value, 1e-15);
  w.view("q")[0] += 1e-3;
  EXPECT_GT(w.defects()[0].value, 1e-4);
}

TEST(HostEvaluate, TellsHowWellAccelerationsSolveTheirEquation) {
  lmc::Workspace top = compiled(rotor).workspace();
  EXPECT_LT(top.massDefect(), 1e-14);
  EXPECT_EQ(kindOf([] {
              (void)compiled("model M { state z : R^2; flow z = -z; initial z = [1, 2]; }").workspace().massDefect();
            }),
            Kind::Unavailable);
}

class HostExamples : public testing::TestWithParam<std::string> {};

/// Velocities, accelerations and flows are what a small step does.
TEST_P(HostExamples, FieldIsTheDerivativeOfASmallStep) {
  lmc::Options options;
  if (GetParam() == "dipolar_spheres") options.set = {{"N", "6"}};
  // Methods that keep f need not agree with it beyond their order in a step this small: a method of high order.
  options.method = "RKMK4";
  options.fixedSteps = true;
  const lmc::Model m = ofExample(GetParam(), options);
  lmc::Workspace w = m.workspace();
  w.step(1e-4, 10);
  const std::vector<double> y = w.state().copy();
  const double t = w.time();
  const Eigen::VectorXd f = map(w.field());
  const double h = 1e-6; // of the fastest example, with accelerations of 1e4 within 1e-3
  // The step function alone, which goes back in time, too.
  const lmc::StepFunction smooth = w.stepFunction();
  const auto stepped = [&](double by) {
    std::copy(y.begin(), y.end(), w.state().begin());
    double from = t;
    std::int64_t done = 0;
    EXPECT_EQ(smooth.function(smooth.memory, &from, by, 1, &done), 0);
    return w.state().copy();
  };
  const std::vector<double> after = stepped(h), before = stepped(-h);
  for (const lmc::Variable& v : m.variables()) {
    const bool dual = v.kind == lmc::VariableKind::Dual;
    std::int64_t next = v.tangentOffset + (v.fiber.empty() ? 0 : v.tangentSize / 2);
    // Coordinates that f gives derivatives of; points have other coordinates than the algebra.
    for (const lmc::Storage& s : dual ? v.point : v.fiberParts) {
      for (std::int64_t k = 0; k < s.size(); ++k, ++next) {
        const auto i = static_cast<std::size_t>(s.offset + k);
        EXPECT_NEAR((after[i] - before[i]) / (2 * h), f[next], 1e-6 * std::max(1.0, f.lpNorm<Eigen::Infinity>()))
            << m.columns()[i];
      }
    }
  }
}

TEST_P(HostExamples, MomentaBelongToVelocities) {
  lmc::Options options;
  if (GetParam() == "dipolar_spheres") options.set = {{"N", "6"}};
  const lmc::Model m = ofExample(GetParam(), options);
  lmc::Workspace w = m.workspace();
  const Eigen::VectorXd xi = map(w.velocities());
  const Eigen::VectorXd mu = map(w.momenta());
  ASSERT_EQ(xi.size(), static_cast<Eigen::Index>(m.algebraSize()));
  for (const lmc::Variable& v : m.variables()) {
    if (v.fiber.empty()) continue;
    const Eigen::VectorXd& stored = v.kind == lmc::VariableKind::Momentum ? mu : xi;
    std::int64_t next = v.algebraOffset;
    for (const lmc::Storage& s : v.fiberParts)
      for (std::int64_t k = 0; k < s.size(); ++k, ++next)
        EXPECT_NEAR(stored[next], w.state()[static_cast<std::size_t>(s.offset + k)], 1e-12 * (1 + stored.norm()));
  }
  if (!m.hasMass()) {
    EXPECT_EQ(kindOf([&] { (void)w.massMatrix(); }), Kind::Unavailable);
    return;
  }
  // These Lagrangians are quadratic in the velocities, without gyroscopic terms.
  EXPECT_LT((map(w.massTimes(w.velocities().copy())) - mu).norm(), 1e-12 * (1 + mu.norm()));
  const auto n = static_cast<Eigen::Index>(m.algebraSize());
  const std::vector<double> numbers = w.massMatrix();
  const Eigen::Map<const Eigen::MatrixXd> M(numbers.data(), n, n);
  EXPECT_LT((M - M.transpose()).norm(), 1e-13 * M.norm());
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).eigenvalues().minCoeff(), -1e-12 * M.norm());
}

/// What contacts remember between impacts is part of the state, but no column.
bool hasColumns(const lmc::Model& m, const lmc::Quantity& d) {
  return std::any_of(m.columns().begin(), m.columns().end(), [&d](const std::string& column) {
    return column == d.name || column.rfind(d.name + "[", 0) == 0;
  });
}

TEST_P(HostExamples, SamplesAgreeWithValues) {
  lmc::Options options;
  if (GetParam() == "dipolar_spheres") options.set = {{"N", "6"}};
  if (GetParam() == "energy_test") options.method = "RKMK4";
  const lmc::Model m = ofExample(GetParam(), options);
  lmc::Workspace w = m.workspace();
  lmc::RunSettings settings;
  settings.to = w.time() + (m.settings().adaptive ? 0.05 : 3 * m.settings().step);
  std::vector<double> last;
  const lmc::RunResult r = w.run(settings, [&](const lmc::Sample& s) {
    last = s.values.copy();
    EXPECT_EQ(s.energy.has_value(), m.hasEnergy());
    return true;
  });
  ASSERT_TRUE(r) << r.failure->message;
  std::vector<double> expected = w.state().copy();
  for (auto d = m.discretes().rbegin(); d != m.discretes().rend(); ++d) {
    const auto at = expected.begin() + d->storage.offset;
    if (!hasColumns(m, *d)) expected.erase(at, at + d->storage.size());
  }
  if (m.hasEnergy()) expected.push_back(w.energy());
  for (const double x : w.observables()) expected.push_back(x);
  EXPECT_EQ(last, expected);
  EXPECT_EQ(last.size(), m.columns().size());
}

INSTANTIATE_TEST_SUITE_P(All, HostExamples, testing::ValuesIn(examples()), [](const auto& test) { return test.param; });

TEST(HostEvaluate, SaysWhatAModelDoesNotHave) {
  lmc::Workspace w = ofExample("humming_top").workspace();
  EXPECT_EQ(kindOf([&] { (void)w.energy(); }), Kind::Unavailable);
  EXPECT_EQ(kindOf([&] { (void)w.massTimes({}); }), Kind::Unavailable);
  EXPECT_EQ(w.momenta().size(), 0U);
  lmc::Workspace p = compiled(pendulum).workspace();
  EXPECT_EQ(kindOf([&] { (void)p.massTimes({1, 2}); }), Kind::Misuse);
}

TEST(HostEvaluate, FailuresAreErrors) {
  lmc::Workspace w = compiled("model M { config x : R^2 velocity v; param a = 1; "
                              "lagrangian = 0.5*(v[1]^2*x[1]^2 + v[2]^2) ; initial x = [1, 0]; "
                              "simulate { method = RKMK4; time = 0..1; step = 0.1; } }")
                         .workspace();
  (void)w.accelerations();
  w.view("x")[0] = 0;
  try {
    (void)w.accelerations();
    FAIL();
  } catch (const lmc::Error& e) {
    EXPECT_EQ(e.kind(), Kind::RunFailed);
    EXPECT_EQ(e.status(), lmc::Status::SingularMass);
  }
  EXPECT_EQ(w.tryStep(0.1), lmc::Status::SingularMass);
}
