// Accuracy of the Stumpff functions of the runtime.
#include "StumpffReference.h"
#include "runtime/kernels/Kernels.h"

#include <gtest/gtest.h>

#include <limits>

namespace lmc {
namespace {

double factorial(int k) {
  return std::tgamma(k + 1.0);
}

TEST(Stumpff, RelativeErrorOfLowOrders) {
  test::forStumpffArguments([](double s) {
    const test::QuadOrders exact = test::stumpffReference(s);
    for (int k = 0; k <= 3; ++k) {
      const test::Quad r = exact[static_cast<std::size_t>(k)];
      const double error = static_cast<double>(static_cast<test::Quad>(lmc_stumpff_value(k, s)) - r);
      EXPECT_LT(std::fabs(error), 4 * 0x1p-52 * std::fabs(static_cast<double>(r)) + 1e-30)
          << "c_" << k << "(" << s << ")";
    }
  });
}

TEST(Stumpff, AbsoluteErrorOfHighOrders) {
  test::forStumpffArguments([](double s) {
    const test::QuadOrders exact = test::stumpffReference(s);
    for (int k = 4; k < test::referenceOrders; ++k) {
      const test::Quad r = exact[static_cast<std::size_t>(k)];
      const double error = static_cast<double>(static_cast<test::Quad>(lmc_stumpff_value(k, s)) - r);
      const double scale = s < 0 ? static_cast<double>(r) : 1 / factorial(k);
      EXPECT_LT(std::fabs(error), 1e-15 * scale) << "c_" << k << "(" << s << ")";
    }
  });
}

TEST(Stumpff, Values) {
  EXPECT_EQ(lmc_stumpff_value(0, 0), 1);
  EXPECT_EQ(lmc_stumpff_value(1, 0), 1);
  EXPECT_EQ(lmc_stumpff_value(2, 0), 0.5);
  EXPECT_EQ(lmc_stumpff_value(3, 0), 1.0 / 6);
  EXPECT_EQ(lmc_stumpff_value(0, 4), std::cos(2.0));
  EXPECT_EQ(lmc_stumpff_value(1, 4), std::sin(2.0) / 2);
  EXPECT_EQ(lmc_stumpff_value(0, -4), std::cosh(2.0));
}

TEST(Stumpff, HugeAndUndefinedArguments) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= 60; ++k) {
    for (const double s : {1e6, 1e18, 1e200, 1.7e308}) {
      const double x = lmc_stumpff_value(k, s);
      EXPECT_TRUE(std::isfinite(x)) << k << " " << s;
      EXPECT_LE(std::fabs(x), 1 / factorial(k) * 1.0000001) << k << " " << s;
    }
    EXPECT_TRUE(std::isnan(lmc_stumpff_value(k, NAN)));
    EXPECT_FALSE(std::isfinite(lmc_stumpff_value(k, -1e300)));
    EXPECT_FALSE(std::isfinite(lmc_stumpff_value(k, -infinity)));
  }
}

TEST(Stumpff, ManyAtOnce) {
  double out[7] = {};
  lmc_stumpff(2.5, 6, 0x7F, out);
  for (int k = 0; k < 7; ++k) EXPECT_EQ(out[k], lmc_stumpff_value(k, 2.5));
}

} // namespace
} // namespace lmc
