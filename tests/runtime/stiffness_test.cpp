// When looks at the steps of a run are a sign of stiffness.
#include "runtime/run/Stiffness.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::runtime;

TEST(Stiffness, IsASignOnlyWhereShortStepsTakeTheErrorAway) {
  const auto sign = [](double before, double after) {
    StiffnessMemory m;
    lookAtStiffness(m, before, after, 4);
    EXPECT_EQ(m.looks, 1);
    return m.signs == 1;
  };
  EXPECT_TRUE(sign(0.5, 1e-6));
  EXPECT_TRUE(sign(0.5, std::pow(3.0, -5) * 0.999));
  EXPECT_FALSE(sign(0.5, std::pow(3.0, -5) * 1.001)) << "steps three times as long would not be accepted";
  EXPECT_FALSE(sign(1e-6, 0.5e-6)) << "what limits the steps is not their error";
  EXPECT_FALSE(sign(0, 0));
  EXPECT_FALSE(sign(INFINITY, 1e-9));
  EXPECT_FALSE(sign(0.5, INFINITY));
  EXPECT_FALSE(sign(0.5, NAN));
  EXPECT_FALSE(sign(NAN, 1e-9));
}

TEST(Stiffness, TakesMoreThanAnAccident) {
  StiffnessMemory m;
  for (int k = 0; k < 100; ++k) lookAtStiffness(m, 0.5, k % 2 == 0 ? 1e-6 : 0.4, 4);
  EXPECT_FALSE(looksStiff(m)) << "every other look";
  for (int k = 0; k < 4; ++k) lookAtStiffness(m, 0.5, 1e-6, 4);
  EXPECT_FALSE(looksStiff(m));
  lookAtStiffness(m, 0.5, 1e-6, 4);
  EXPECT_TRUE(looksStiff(m));
  for (int k = 0; k < 100; ++k) lookAtStiffness(m, 0.5, 0.4, 4);
  EXPECT_TRUE(looksStiff(m)) << "part of the run was";
}
