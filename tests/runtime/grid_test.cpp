#include "runtime/run/Grid.h"

#include <gtest/gtest.h>

#include <vector>

using namespace lmc::runtime;
using namespace lmc;

namespace {

std::vector<double> timesOf(SampleTimes times) {
  std::vector<double> result;
  SamplePoint point;
  while (times.next(point)) result.push_back(point.time);
  return result;
}

} // namespace

TEST(Grid, CountsWholeSteps) {
  for (const auto& [end, step, count] :
       {std::tuple{1.0, 0.1, 10}, {1.0, 1e-3, 1000}, {0.3, 0.1, 3}, {10.0, 1e-4, 100000}}) {
    const Grid grid(0, end, step);
    EXPECT_EQ(grid.steps(), count);
    EXPECT_EQ(grid.time(grid.steps()), end);
    EXPECT_EQ(grid.lastStep(), step);
  }
}

TEST(Grid, CountsWholeStepsFarFromZero) {
  const Grid grid(1e6, 1e6 + 1, 0.1);
  EXPECT_EQ(grid.steps(), 10);
}

TEST(Grid, ShortensTheLastStep) {
  const Grid grid(0, 1, 0.3);
  EXPECT_EQ(grid.steps(), 4);
  EXPECT_EQ(grid.time(4), 1.0);
  EXPECT_NEAR(grid.lastStep(), 0.1, 1e-15);
  EXPECT_EQ(grid.time(3) + grid.lastStep(), 1.0);
}

TEST(Grid, TakesALongStepAsTheInterval) {
  const Grid grid(2, 3, 10);
  EXPECT_EQ(grid.steps(), 1);
  EXPECT_EQ(grid.lastStep(), 1);
}

TEST(Grid, MakesNoStepOfASliver) {
  const Grid grid(0, 1, 0.333333333333);
  EXPECT_EQ(grid.steps(), 3);
  EXPECT_EQ(grid.time(2) + grid.lastStep(), 1.0);
}

TEST(Grid, FindsTheStepBelowATime) {
  const Grid grid(0, 1, 0.1);
  EXPECT_EQ(grid.leftOf(0), 0);
  EXPECT_EQ(grid.leftOf(0.05), 0);
  EXPECT_EQ(grid.leftOf(0.25), 2);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(grid.leftOf(grid.time(k)), k);
  EXPECT_EQ(grid.leftOf(1), 9);
}

TEST(SampleTimes, EveryStep) {
  const Grid grid(0, 1, 0.25);
  EXPECT_EQ(timesOf(SampleTimes::everySteps(grid, 1)), (std::vector<double>{0.25, 0.5, 0.75, 1}));
}

TEST(SampleTimes, EveryFewStepsAndTheEnd) {
  const Grid grid(0, 1, 0.125);
  EXPECT_EQ(timesOf(SampleTimes::everySteps(grid, 3)), (std::vector<double>{0.375, 0.75, 1}));
  EXPECT_EQ(timesOf(SampleTimes::everySteps(grid, 4)), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(timesOf(SampleTimes::everySteps(grid, 100)), (std::vector<double>{1}));
}

TEST(SampleTimes, AMultipleOfTheStepIsWholeSteps) {
  const Grid grid(0, 1, 1e-3);
  SampleTimes times = SampleTimes::every(grid, 0.1);
  SamplePoint point;
  for (int k = 1; k <= 10; ++k) {
    ASSERT_TRUE(times.next(point));
    EXPECT_EQ(point.index, 100 * k);
    EXPECT_EQ(point.partial, 0);
    EXPECT_EQ(point.time, grid.time(100 * k));
  }
  EXPECT_FALSE(times.next(point));
}

TEST(SampleTimes, OtherIntervalsTakePartialSteps) {
  const Grid grid(0, 1, 0.25);
  SampleTimes times = SampleTimes::every(grid, 0.375);
  SamplePoint point;
  ASSERT_TRUE(times.next(point));
  EXPECT_EQ(point.index, 1);
  EXPECT_EQ(point.partial, 0.125);
  EXPECT_EQ(point.time, 0.375);
  ASSERT_TRUE(times.next(point));
  EXPECT_EQ(point.index, 3);
  EXPECT_EQ(point.partial, 0);
  ASSERT_TRUE(times.next(point));
  EXPECT_EQ(point.index, 4);
  EXPECT_EQ(point.time, 1);
  EXPECT_FALSE(times.next(point));
}

TEST(SampleTimes, DenserThanTheSteps) {
  const Grid grid(0, 1, 0.5);
  EXPECT_EQ(timesOf(SampleTimes::every(grid, 0.125)).size(), 8U);
}

TEST(SampleTimes, TheEndIsNotSampledTwice) {
  // Ten times 0.1 is not 1 in binary, by some orders of summation.
  const Grid grid(0, 1, 0.03);
  const std::vector<double> times = timesOf(SampleTimes::every(grid, 0.1));
  ASSERT_EQ(times.size(), 10U);
  EXPECT_EQ(times.back(), 1.0);
}

TEST(SampleTimes, LongerThanTheRun) {
  const Grid grid(0, 1, 0.25);
  EXPECT_EQ(timesOf(SampleTimes::every(grid, 5)), (std::vector<double>{1}));
  EXPECT_EQ(timesOf(SampleTimes::every(grid, 1)), (std::vector<double>{1}));
}
