// L-stable methods: what they make of fast damped parts, against closed forms.
#include "methods/Stepper.h"

#include <Eigen/Dense>
#include <fmt/format.h>

using namespace lmc;
using namespace lmc::test;

namespace {

/// The error of the rotation after steps of length h up to time 2, where the solution is rz(t)*rx(sin(t)/2) whatever
/// lambda is: the problem of A. Prothero and A. Robinson, Mathematics of Computation 28 (1974) 145-162, on a group.
double errorOnRotations(double lambda, int n) {
  Derived d(
      fmt::format("fn rz(a) = [[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]];\n"
                  "fn rx(a) = [[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]];\n"
                  "model P {{\n  param lambda = {};\n  fn phi(t) = rz(t)*rx(sin(t)/2);\n  state R : SO(3) in space;\n"
                  "  flow R = -lambda/2*vee(R*transpose(phi(t)) - phi(t)*transpose(R)) + e3 + rz(t)*(cos(t)/2*e1);\n"
                  "}}\n",
                  lambda));
  EXPECT_TRUE(d.good) << d.c.text();
  const auto step = d.step("SDIRK43");
  EXPECT_TRUE(step) << d.c.text();
  if (!step) return INFINITY;
  Stepper stepper(d, *step);
  const double t = 2;
  const Numbers y = stepper.run(t / n, n);
  EXPECT_EQ(stepper.status, runtime::Ok);
  const Eigen::Matrix3d exact =
      (Eigen::AngleAxisd(t, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(std::sin(t) / 2, Eigen::Vector3d::UnitX()))
          .toRotationMatrix();
  double error = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      error = std::max(error, std::abs(y.at(static_cast<std::size_t>(3 * i + j)) - exact(i, j)));
  return error;
}

/// What is left of 1 after a step over z' = -x z/h.
double decay(double x) {
  Derived d(fmt::format("model D {{\n  state z : R;\n  flow z = -{}*z;\n  initial z = 1;\n}}\n", x));
  EXPECT_TRUE(d.good) << d.c.text();
  const auto step = d.step("SDIRK43");
  EXPECT_TRUE(step) << d.c.text();
  return step ? Stepper(d, *step).run(1, 1).at(0) : INFINITY;
}

} // namespace

TEST(Stiff, AStepOfAnyLengthDamps) {
  EXPECT_NEAR(decay(0.01), std::exp(-0.01), 1e-11);
  EXPECT_NEAR(decay(0.1), std::exp(-0.1), 1e-7);
  double last = 1;
  for (const double x : {1e1, 1e2, 1e3, 1e5, 1e7}) {
    const double left = std::abs(decay(x));
    EXPECT_LT(left, last) << x;
    last = left;
  }
  EXPECT_LT(last, 1e-5) << "L-stable: nothing is left in the limit";
}

TEST(Stiff, TheErrorDoesNotGrowWithTheFastPart) {
  const double slow = errorOnRotations(1, 20);
  EXPECT_NEAR(std::log2(slow / errorOnRotations(1, 40)), 4, 0.2);
  for (const double lambda : {1e2, 1e4, 1e6})
    EXPECT_LT(errorOnRotations(lambda, 20), 20 * slow) << lambda << ": the order is lower between";
  EXPECT_LT(errorOnRotations(1e6, 20), 1e-9) << "h^2/lambda, the stage order";
}
