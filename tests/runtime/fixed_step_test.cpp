#include "Oscillator.h"
#include "runtime/run/FixedStep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace lmc::runtime;
using namespace lmc::test;
using namespace lmc;

namespace {

/// Stops the run when a time is reached.
class StopAt final : public Monitor {
public:
  explicit StopAt(double time) : time_(time) {}
  bool reached(double t) override { return t < time_; }

private:
  double time_;
};

void expectExact(const Recorder& record) {
  for (std::size_t i = 0; i < record.rows.size(); ++i) {
    const double t = record.times[i];
    EXPECT_NEAR(record.rows[i][0], std::cos(t), 1e-13) << "t = " << t;
    EXPECT_NEAR(record.rows[i][1], -std::sin(t), 1e-13) << "t = " << t;
    EXPECT_NEAR(record.rows[i][2], t, 1e-13) << "the clock";
    EXPECT_EQ(record.rows[i][5], t) << "the time that observe got";
  }
}

std::vector<SettingFault> faultsOf(double from, double to, double step, double every = 0) {
  Problem p = oscillator();
  p.timeFrom = from;
  p.timeTo = to;
  p.step = step;
  p.outputEvery = every;
  return checkSettings(p);
}

constexpr double notGiven = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST(FixedStep, TheTapeIsValid) {
  EXPECT_EQ(oscillator().columnCount(), 6U);
}

TEST(FixedStep, SamplesEveryStepByDefault) {
  Recorder record;
  const RunResult result = runFixedStep(oscillator(), {&record});
  EXPECT_EQ(result.steps, 8);
  EXPECT_EQ(result.evaluations, 32);
  EXPECT_EQ(result.samples, 9);
  EXPECT_EQ(result.time, 1.0);
  EXPECT_FALSE(result.failure);
  EXPECT_EQ(record.columns, (std::vector<std::string>{"x", "v", "clock", "z", "energy", "time"}));
  ASSERT_EQ(record.times.size(), 9U);
  EXPECT_EQ(record.times.front(), 0);
  EXPECT_EQ(record.times.back(), 1.0);
  EXPECT_EQ(record.finished, 1);
  expectExact(record);
}

TEST(FixedStep, ShortensTheLastStep) {
  Recorder record;
  const RunResult result = runFixedStep(oscillator({.from = 0.5, .to = 2, .step = 0.4}), {&record});
  EXPECT_EQ(result.steps, 4);
  EXPECT_EQ(record.times.back(), 2.0);
  EXPECT_NEAR(record.rows.back()[2], 2.0, 1e-15);
  EXPECT_NEAR(record.rows.back()[0], std::cos(1.5), 1e-14);
}

TEST(FixedStep, SamplesByWholeSteps) {
  Recorder record;
  const RunResult result = runFixedStep(oscillator({.step = 1e-3, .every = 0.1}), {&record});
  EXPECT_EQ(result.steps, 1000);
  EXPECT_EQ(result.evaluations, 4000);
  ASSERT_EQ(record.times.size(), 11U);
  EXPECT_EQ(record.times[3], 0.3);
  expectExact(record);
}

TEST(FixedStep, SamplesByPartialSteps) {
  Recorder dense, plain;
  const RunResult result = runFixedStep(oscillator({.step = 0.25, .every = 0.1}), {&dense});
  EXPECT_EQ(result.steps, 4);
  EXPECT_EQ(result.evaluations, 4 * (4 + 8)) << "all samples but 0, 0.5 and 1 are partial steps";
  ASSERT_EQ(dense.times.size(), 11U);
  expectExact(dense);
  (void)runFixedStep(oscillator({.step = 0.25}), {&plain});
  EXPECT_EQ(plain.rows.back(), dense.rows.back()) << "samples do not disturb the run";
}

TEST(FixedStep, SamplesEveryFewSteps) {
  Recorder record;
  (void)runFixedStep(oscillator({.outputSteps = 3}), {&record});
  EXPECT_EQ(record.times, (std::vector<double>{0, 0.375, 0.75, 1}));
  expectExact(record);
}

TEST(FixedStep, NeedsNoSink) {
  const RunResult result = runFixedStep(oscillator({.to = 5, .step = 1e-4}), {nullptr});
  EXPECT_EQ(result.steps, 50000);
  EXPECT_GE(result.samples, 10'000);
  EXPECT_LE(result.samples, 10'002);
  ASSERT_TRUE(result.energyError);
  EXPECT_LT(*result.energyError, 1e-11);
  ASSERT_EQ(result.defects.size(), 1U);
  EXPECT_EQ(result.defects[0].name, "clock");
  EXPECT_LT(result.defects[0].value, 1e-9);
  EXPECT_GT(result.defects[0].value, 0);
}

TEST(FixedStep, StopsBetweenTheSamplesOfOneStep) {
  Recorder record;
  StopAt stop(1e-4);
  // 1e9 samples in a step, of which those up to the time are made, and as many as it takes until it is looked at.
  const RunResult result = runFixedStep(oscillator({.step = 1, .every = 1e-9}), {&record, &stop});
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.steps, 0);
  EXPECT_EQ(result.time, 0);
  EXPECT_EQ(result.state[2], 0) << "the clock at that time";
  EXPECT_GE(record.times.back(), 1e-4);
  EXPECT_LT(record.times.back(), 1e-2);
  EXPECT_EQ(static_cast<std::size_t>(result.samples), record.times.size());

  Recorder limited;
  const RunResult late = runFixedStep(oscillator({.step = 1, .every = 1e-9}),
                                      {&limited, nullptr, nullptr, nullptr, nullptr, {.seconds = 0.05}});
  EXPECT_TRUE(late.limited);
  ASSERT_TRUE(late.failure);
  EXPECT_EQ(late.failure->time, limited.times.back());
  EXPECT_LT(late.seconds, 5);
}

TEST(FixedStep, StopsWhenTheStateIsNoLongerFinite) {
  Recorder record;
  const RunResult result = runFixedStep(oscillator({.gain = 1e100}), {&record});
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->status, runtime::NonFinite);
  EXPECT_EQ(result.failure->time, 0.375);
  EXPECT_NE(result.failure->cause.find("no longer finite"), std::string::npos);
  EXPECT_NE(result.failure->cause.find("z = 1e+300"), std::string::npos) << result.failure->cause;
  EXPECT_EQ(result.steps, 3);
  EXPECT_EQ(record.times.size(), 4U) << "the valid samples are kept";
  EXPECT_EQ(record.finished, 1);
}

TEST(FixedStep, StopsWhenAPartialStepFails) {
  Recorder record;
  const RunResult result = runFixedStep(oscillator({.every = 0.1, .gain = 1e100}), {&record});
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(record.finished, 1);
  for (const auto& row : record.rows)
    for (const double x : row) EXPECT_TRUE(std::isfinite(x));
}

TEST(FixedStep, StopsOnAStatus) {
  Recorder record;
  const RunResult result = runFixedStep(oscillator({.limit = 0.6}), {&record});
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->status, runtime::SingularMass);
  EXPECT_EQ(result.failure->time, 0.625);
  EXPECT_NE(result.failure->cause.find("mass matrix"), std::string::npos);
  EXPECT_EQ(record.times.back(), 0.625);
}

TEST(FixedStep, RefusesAnInitialStateThatIsNotFinite) {
  Recorder record;
  Problem p = oscillator();
  p.initialState[1] = notGiven;
  const RunResult result = runFixedStep(p, {&record});
  ASSERT_TRUE(result.failure);
  EXPECT_NE(result.failure->cause.find("v = nan"), std::string::npos) << result.failure->cause;
  EXPECT_EQ(record.finished, 1);
}

TEST(FixedStep, StopsWhenAsked) {
  Recorder record;
  StopAt monitor(50);
  const RunResult result = runFixedStep(oscillator({.to = 1e6, .every = 1000}), {&record, &monitor});
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.failure);
  EXPECT_LT(result.time, 1e6);
  EXPECT_EQ(record.times.back(), result.time);
  EXPECT_EQ(record.finished, 1);
}

TEST(FixedStep, ProblemsRunSideBySide) {
  // One compiled problem, two workspaces.
  const Problem p = oscillator();
  Problem q = p;
  q.initialState = {0, 1, 0, 1};
  Recorder a, b;
  (void)runFixedStep(p, {&a});
  (void)runFixedStep(q, {&b});
  EXPECT_NEAR(a.rows.back()[0], std::cos(1.0), 1e-14);
  EXPECT_NEAR(b.rows.back()[0], std::sin(1.0), 1e-14);
}

TEST(Settings, AreChecked) {
  using enum SettingFault;
  using Faults = std::vector<SettingFault>;
  EXPECT_EQ(faultsOf(0, 1, 0.1), Faults{});
  EXPECT_EQ(faultsOf(0, 1, 0.1, 0.25), Faults{});
  EXPECT_EQ(faultsOf(notGiven, notGiven, 0.1), Faults{TimeMissing});
  EXPECT_EQ(faultsOf(notGiven, notGiven, notGiven), (Faults{TimeMissing, StepMissing}));
  EXPECT_EQ(faultsOf(1, 1, 0.1), Faults{TimeEmpty});
  EXPECT_EQ(faultsOf(2, 1, -0.1), (Faults{TimeEmpty, StepNotPositive}));
  EXPECT_EQ(faultsOf(0, INFINITY, 0.1), Faults{TimeEmpty});
  EXPECT_EQ(faultsOf(0, 1, 0), Faults{StepNotPositive});
  EXPECT_EQ(faultsOf(0, 1, INFINITY), Faults{StepNotPositive});
  EXPECT_EQ(faultsOf(1e9, 1e9 + 1, 1e-9), Faults{StepTooSmall});
  EXPECT_EQ(faultsOf(0, 1, 1e-13), Faults{TooManySteps});
  EXPECT_EQ(faultsOf(0, 1, 0.1, -1), Faults{EveryNotPositive});
  EXPECT_EQ(faultsOf(0, 1, 0.1, 1e-13), Faults{TooManySamples});
}
