// The laws by which steps are chosen, with numbers of their formulas.
#include "runtime/run/StepController.h"

#include <cmath>
#include <gtest/gtest.h>

using lmc::runtime::ControllerKind;
using lmc::runtime::StepController;

TEST(Controllers, HaveNames) {
  EXPECT_EQ(lmc::runtime::controllerNames(), (std::vector<std::string>{"PI", "elementary", "clamped"}));
}

TEST(ElementaryController, FollowsItsLaw) {
  StepController c(ControllerKind::Elementary, 3);
  EXPECT_TRUE(c.accepts(1));
  EXPECT_FALSE(c.accepts(1.01));
  EXPECT_NEAR(c.afterAccepted(0.1, 1.0 / 16), 0.1 * 0.85 * 2, 1e-15);
  EXPECT_NEAR(c.afterAccepted(0.1, 1e-8), 0.1 * 0.85 * 100, 1e-12); // no bounds
  EXPECT_NEAR(c.afterRejected(0.1, 81), 0.1 * 0.85 / 3, 1e-15);
}

TEST(ClampedController, StaysBetweenHalfAndTwice) {
  StepController c(ControllerKind::Clamped, 1);
  EXPECT_TRUE(c.accepts(1.2));
  EXPECT_FALSE(c.accepts(1.21));
  EXPECT_EQ(c.afterAccepted(0.1, 1e-8), 0.2);
  EXPECT_NEAR(c.afterAccepted(0.1, 0.25), 0.17, 1e-15);
  EXPECT_EQ(c.afterRejected(0.1, 1e8), 0.05);
}

TEST(PIController, UsesTheErrorBefore) {
  StepController c(ControllerKind::PI, 4);
  const double h = c.afterAccepted(0.1, 0.5);
  EXPECT_NEAR(h, 0.1 * 0.9 * std::pow(0.5, -1.0 / 5), 1e-15);
  EXPECT_NEAR(c.afterAccepted(h, 0.25), h * 0.9 * std::pow(0.25, -0.17) * std::pow(0.5, 0.04), 1e-15);
  EXPECT_EQ(c.afterAccepted(1, 0), 5);
}

TEST(PIController, DoesNotGrowAfterARejection) {
  StepController c(ControllerKind::PI, 4);
  EXPECT_LT(c.afterRejected(0.1, 2), 0.1);
  EXPECT_TRUE(c.memory().rejected);
  EXPECT_EQ(c.afterAccepted(0.05, 1e-6), 0.05);
  EXPECT_GT(c.afterAccepted(0.05, 1e-6), 0.05);
}

TEST(Controller, RetreatsFromWhatIsNoNumber) {
  for (const ControllerKind kind : {ControllerKind::PI, ControllerKind::Elementary, ControllerKind::Clamped}) {
    StepController c(kind, 4);
    EXPECT_EQ(c.afterRejected(1, INFINITY), 0.2);
    EXPECT_FALSE(c.accepts(INFINITY));
    EXPECT_FALSE(c.accepts(NAN));
  }
}

TEST(Controller, GoesOnFromItsMemory) {
  StepController a(ControllerKind::PI, 4), b(ControllerKind::PI, 4);
  (void)a.afterAccepted(0.1, 0.3);
  b.restore(a.memory());
  EXPECT_EQ(a.afterAccepted(0.1, 0.2), b.afterAccepted(0.1, 0.2));
}
