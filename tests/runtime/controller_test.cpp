// The laws by which steps are chosen, with numbers of their formulas.
#include "runtime/run/StepController.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using lmc::runtime::ControllerKind;
using lmc::runtime::StepController;

namespace {
/// Errors are handed about as squares.
double squared(double error) {
  return error * error;
}
/// Steps follow their laws to this part of them.
constexpr double digits = 1e-8;
} // namespace

TEST(Controllers, HaveNames) {
  EXPECT_EQ(lmc::runtime::controllerNames(), (std::vector<std::string>{"PI", "elementary", "clamped"}));
}

TEST(ElementaryController, FollowsItsLaw) {
  StepController c(ControllerKind::Elementary, 3);
  EXPECT_TRUE(c.accepts(squared(1)));
  EXPECT_FALSE(c.accepts(squared(1.01)));
  EXPECT_NEAR(c.afterAccepted(0.1, squared(1.0 / 16)), 0.1 * 0.85 * 2, 0.17 * digits);
  EXPECT_NEAR(c.afterAccepted(0.1, squared(1e-8)), 0.1 * 0.85 * 100, 8.5 * digits); // no bounds
  EXPECT_NEAR(c.afterRejected(0.1, squared(81)), 0.1 * 0.85 / 3, 0.03 * digits);
}

TEST(ClampedController, StaysBetweenHalfAndTwice) {
  StepController c(ControllerKind::Clamped, 1);
  EXPECT_TRUE(c.accepts(squared(1.2)));
  EXPECT_FALSE(c.accepts(squared(1.21)));
  EXPECT_EQ(c.afterAccepted(0.1, squared(1e-8)), 0.2);
  EXPECT_NEAR(c.afterAccepted(0.1, squared(0.25)), 0.17, 0.17 * digits);
  EXPECT_EQ(c.afterRejected(0.1, squared(1e8)), 0.05);
}

TEST(PIController, UsesTheErrorBefore) {
  StepController c(ControllerKind::PI, 4);
  const double h = c.afterAccepted(0.1, squared(0.5));
  EXPECT_NEAR(h, 0.1 * 0.85 * std::pow(0.5, -1.0 / 5), 0.1 * digits);
  EXPECT_NEAR(c.afterAccepted(h, squared(0.25)), h * 0.85 * std::pow(0.25, -0.17) * std::pow(0.5, 0.04), 0.1 * digits);
  EXPECT_EQ(c.afterAccepted(1, squared(0)), 5);
}

TEST(PIController, DoesNotGrowAfterARejection) {
  StepController c(ControllerKind::PI, 4);
  EXPECT_LT(c.afterRejected(0.1, squared(2)), 0.1);
  EXPECT_TRUE(c.memory().rejected);
  EXPECT_EQ(c.afterAccepted(0.05, squared(1e-6)), 0.05);
  EXPECT_GT(c.afterAccepted(0.05, squared(1e-6)), 0.05);
}

TEST(Controller, RetreatsFromWhatIsNoNumber) {
  for (const ControllerKind kind : {ControllerKind::PI, ControllerKind::Elementary, ControllerKind::Clamped}) {
    StepController c(kind, 4);
    EXPECT_EQ(c.afterRejected(1, squared(INFINITY)), 0.2);
    EXPECT_FALSE(c.accepts(squared(INFINITY)));
    EXPECT_FALSE(c.accepts(squared(NAN)));
  }
}

TEST(Controller, TakesRoundingForNoReasonToShortenSteps) {
  for (const ControllerKind kind : {ControllerKind::PI, ControllerKind::Elementary, ControllerKind::Clamped}) {
    StepController c(kind, 18, 0, 0.5);
    EXPECT_EQ(c.afterAccepted(0.1, squared(0.4)), 0.1);
    EXPECT_LT(c.afterAccepted(0.1, squared(0.9)), 0.1);
    EXPECT_GT(c.afterAccepted(0.1, squared(1e-9)), 0.1);
    EXPECT_FALSE(c.accepts(squared(1.3)));
    StepController below(kind, 18, 0, 3);
    EXPECT_TRUE(below.accepts(squared(2.9)));
    EXPECT_FALSE(below.accepts(squared(3.1)));
  }
}

TEST(Controller, KnowsTheRoundingOfStates) {
  const double eps = std::numeric_limits<double>::epsilon();
  EXPECT_EQ(lmc::runtime::roundingOf(std::vector<double>{1e-6, 1e-6}, std::vector<double>{0, 0}), 0);
  EXPECT_DOUBLE_EQ(lmc::runtime::roundingOf(std::vector<double>{0, 1e-15}, std::vector<double>{-3, 1}),
                   4 * eps / 1e-15);
  EXPECT_DOUBLE_EQ(lmc::runtime::roundingOf(std::vector<double>{1, 2e-12, 1, 0}, std::vector<double>{1e3, 1}),
                   4 * eps * 1e3 / 2e-12);
}

TEST(Controller, GoesOnFromItsMemory) {
  StepController a(ControllerKind::PI, 4), b(ControllerKind::PI, 4);
  (void)a.afterAccepted(0.1, squared(0.3));
  b.restore(a.memory());
  EXPECT_EQ(a.afterAccepted(0.1, squared(0.2)), b.afterAccepted(0.1, squared(0.2)));
}

TEST(Controller, HasPowersToEightDigits) {
  for (double x = 1e-20; x < 1e20; x *= 1.0173) EXPECT_NEAR(lmc::runtime::binaryLogarithm(x), std::log2(x), 2e-8) << x;
  EXPECT_EQ(lmc::runtime::binaryLogarithm(1), 0);
  EXPECT_EQ(lmc::runtime::binaryLogarithm(0.25), -2);
  for (double x = -60; x < 60; x += 0.00731) EXPECT_NEAR(lmc::runtime::binaryPower(x) / std::exp2(x), 1, 3e-9) << x;
  EXPECT_EQ(lmc::runtime::binaryPower(0), 1);
  EXPECT_EQ(lmc::runtime::binaryPower(-3), 0.125);
}

TEST(ShortestStep, ChangesTheTime) {
  for (const double t : {1e-3, 1.0, 1e6}) {
    const double h = lmc::runtime::shortestStep(t, 10);
    EXPECT_GT(t + h, t);
    EXPECT_LT(h, 1e-14 * t);
  }
  EXPECT_GT(lmc::runtime::shortestStep(0, 10), 0);
}

TEST(ShortestStep, IsTooShortWhereTheLawWantsLess) {
  const double least = lmc::runtime::shortestStep(1, 10);
  EXPECT_TRUE(lmc::runtime::tooShort(least, 0.9 * least, least));
  EXPECT_FALSE(lmc::runtime::tooShort(least, 1.1 * least, least)); // it grows
  EXPECT_FALSE(lmc::runtime::tooShort(1e-3, 0.9 * least, least));  // it has been long, and the next one is tried
}

TEST(KnownErrors, PermitStepsWhoseSumOfPowersIsTheTolerance) {
  constexpr int lowest = 7, highest = 8;
  const StepController c(ControllerKind::PI, lowest - 1), halved(ControllerKind::PI, lowest - 1, 0.5);
  for (double a = 1e-6; a < 1e7; a *= 10) {
    for (const double b : {0.0, 1e-3 * a, a, 1e3 * a}) {
      const auto error = [&](double h) { return a * std::pow(h, lowest) + b * std::pow(h, highest); };
      double h = 1;
      for (int step = 0; step < 12; ++step) {
        const double before = h;
        h = c.reach(before, squared(error(before)), highest);
        EXPECT_LE(error(h / 0.8), 1 + 1e-7) << a << " " << b;
        EXPECT_LE(h, 5 * before);
        EXPECT_NEAR(halved.reach(before, squared(error(before)), highest), h < 5 * before ? h * 0.5 / 0.8 : h,
                    h < 5 * before ? 1e-7 * h : 4.5 * before);
      }
      EXPECT_GE(error(h / 0.8), 0.8 - 1e-6) << a << " " << b; // by one power at most shorter than they need to be
    }
  }
  EXPECT_EQ(c.reach(2, 0, highest), 10); // the series has an end
}

TEST(KnownErrors, AreNotMadeSmallerThanRounding) {
  const StepController c(ControllerKind::PI, 7, 0, 16);
  EXPECT_NEAR(c.reach(0.1, squared(16.0 * 256), 8), 0.1 * 0.8 / 2, 0.1 * digits);
}

TEST(KnownErrors, AreAtMostSoLargeOverOtherLengths) {
  for (const double h : {0.3, 0.9, 1.0, 1.1, 4.0}) {
    for (const double part : {0.0, 0.5, 1.0}) {
      const double error = part * std::pow(h, 7) + (1 - part) * std::pow(h, 9);
      EXPECT_LE(squared(error), lmc::runtime::squareAt(h, 1, 1, 7, 9) * (1 + 1e-14));
    }
    EXPECT_NEAR(lmc::runtime::squareAt(h, 1, 1, 7, 9), squared(std::pow(h, h < 1 ? 7 : 9)), 1e-13 * std::pow(h, 18));
  }
}
