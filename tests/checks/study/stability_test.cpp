// The criterion of the energy test on series whose answer is known.
#include "checks/study/Stability.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>

using namespace lmc::runtime;
using namespace lmc::study;
using namespace lmc;

namespace {

constexpr double length = 1000;
constexpr std::int64_t steps = 40'000;
constexpr double period = 2 * std::numbers::pi;

/// The energy is 2 at the begin and 2 + e(t) afterwards.
Evidence evidenceOf(const std::function<double(double)>& e, std::int64_t n = steps, double begin = 0) {
  EnergyRecord record(begin, 2, n);
  for (std::int64_t k = 1; k <= n; ++k) {
    const double t = length * static_cast<double>(k) / static_cast<double>(n);
    record.add(begin + t, 2 + e(t));
  }
  return record.evidence();
}

EnergyRun runOf(double step, Trend trend, double slope) {
  EnergyRun run;
  run.method = "M";
  run.step = step;
  run.evidence.trend = trend;
  run.evidence.slope = slope;
  return run;
}

Judgement judgementOf(const std::vector<EnergyRun>& runs) {
  std::vector<const EnergyRun*> list;
  for (const EnergyRun& r : runs) list.push_back(&r);
  return judge(list);
}

} // namespace

TEST(Stability, ALineUnderAnOscillationDrifts) {
  const double slope = -3e-6, amplitude = 1e-4;
  const Evidence e = evidenceOf([&](double t) { return slope * t + amplitude * std::sin(period * t); });
  EXPECT_EQ(e.trend, Trend::Drift);
  EXPECT_EQ(e.sign(), -1);
  // The oscillation adds a slope of at most 6 amplitude/(pi n length) for n periods.
  EXPECT_NEAR(e.slope, slope, 1e-9);
  EXPECT_NEAR(e.halfSlopes[0], slope, 1e-9);
  EXPECT_NEAR(e.halfSlopes[1], slope, 1e-9);
  EXPECT_EQ(e.monotone, 9);
  // D = |slope| T / (amplitude/sqrt 2), up to the same order.
  EXPECT_NEAR(e.drift, 3e-3 / (amplitude / std::sqrt(2)), 0.1);
  // Window means are 3e-4 apart. Within a window of 100 the line has the rms 3e-4/sqrt(12), and over each period it has
  // the correlation -slope amplitude/(2 pi) with the oscillation.
  const double within =
      std::sqrt(std::pow(3e-4, 2) / 12 + amplitude * amplitude / 2 - 2 * slope * amplitude / (2 * std::numbers::pi));
  EXPECT_NEAR(e.spread, 9 * 3e-4 / within, 1e-3);
  EXPECT_NEAR(e.smallestError, slope * length - amplitude, 1e-6);
  EXPECT_LE(e.largestError, amplitude);
}

TEST(Stability, AnOscillationIsBounded) {
  const Evidence e =
      evidenceOf([](double t) { return 1e-3 * (1 - std::cos(period * t)) + 4e-4 * std::sin(3.7 * period * t); });
  EXPECT_EQ(e.trend, Trend::Bounded);
  EXPECT_LT(e.spread, 0.01);
  EXPECT_LT(e.drift, 0.01);
  EXPECT_GE(e.smallestError, -4e-4);
  EXPECT_NEAR(e.largestError, 2.4e-3, 2e-5);
}

TEST(Stability, RoundOffIsExact) {
  std::int64_t k = 0;
  const Evidence e = evidenceOf([&](double) { return 1e-16 * static_cast<double>(k++ % 7); });
  EXPECT_EQ(e.trend, Trend::Exact);
  EXPECT_EQ(evidenceOf([](double) { return 0.0; }).trend, Trend::Exact);
  // 1e-15 N max(1, |E0|) with E0 = 2 is 8e-11 here.
  EXPECT_EQ(evidenceOf([](double) { return 7e-11; }).trend, Trend::Exact);
  EXPECT_NE(evidenceOf([](double) { return 9e-11; }).trend, Trend::Exact);
}

TEST(Stability, ASlowOscillationOrARandomWalkIsNeither) {
  // Half a period: the halves have slopes of one sign, but a walk up and down does not drift.
  EXPECT_EQ(evidenceOf([](double t) { return 1e-3 * std::sin(period * t / length); }).trend, Trend::Inconclusive);
  std::uint64_t seed = 7;
  double walk = 0;
  const Evidence e = evidenceOf([&](double) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return walk += (seed >> 63) != 0 ? 1e-5 : -1e-5;
  });
  EXPECT_EQ(e.trend, Trend::Inconclusive);
}

TEST(Stability, ADriftThatTurnsIsInconclusive) {
  const Evidence e = evidenceOf([](double t) { return 1e-6 * (t < 600 ? t : 1200 - t) + 1e-5 * std::sin(period * t); });
  EXPECT_EQ(e.trend, Trend::Inconclusive);
  EXPECT_GT(e.halfSlopes[0], 0);
  EXPECT_LT(e.halfSlopes[1], 0);
}

// Times far from zero and errors far below the energy do not spoil the sums.
TEST(Stability, IsNotSpoiledByCancellation) {
  const auto e = [](double t) { return 1e-9 * t / length + 1e-10 * std::sin(period * t); };
  const Evidence here = evidenceOf(e), there = evidenceOf(e, steps, 1e6);
  EXPECT_EQ(there.trend, Trend::Drift);
  EXPECT_NEAR(there.slope, here.slope, 1e-6 * here.slope);
  EXPECT_NEAR(there.spread, here.spread, 1e-4 * here.spread);
}

TEST(Stability, JudgesOverTwoSteps) {
  const auto drift = [](double h) { return runOf(h, Trend::Drift, 2e-6 * h * h); };
  const Judgement fails = judgementOf({drift(0.25), drift(0.125)});
  EXPECT_EQ(fails.outcome, Outcome::Fail);
  EXPECT_EQ(fails.sign, 1);
  EXPECT_NEAR(fails.order.value(), 2, 1e-12);
  EXPECT_EQ(judgementOf({runOf(0.25, Trend::Inconclusive, 0), drift(0.125)}).outcome, Outcome::Fail);
  EXPECT_EQ(judgementOf({runOf(0.25, Trend::Bounded, 0), drift(0.125)}).outcome, Outcome::Inconclusive);
  EXPECT_EQ(judgementOf({drift(0.25), runOf(0.125, Trend::Inconclusive, 0)}).outcome, Outcome::Inconclusive);
  EXPECT_EQ(judgementOf({runOf(0.25, Trend::Exact, 0), runOf(0.125, Trend::Bounded, 0)}).outcome, Outcome::Pass);
  EXPECT_EQ(judgementOf({runOf(0.25, Trend::Bounded, 0), runOf(0.125, Trend::Inconclusive, 0)}).outcome,
            Outcome::Inconclusive);
  EXPECT_FALSE(judgementOf({runOf(0.25, Trend::Bounded, 0)}).order.has_value());

  std::vector<EnergyRun> broken{drift(0.25), drift(0.125)};
  broken[0].result.failure = RunFailure{};
  EXPECT_EQ(judgementOf(broken).outcome, Outcome::Inconclusive);
}

TEST(Stability, OutcomesHaveNames) {
  for (const Outcome o : {Outcome::Pass, Outcome::Fail, Outcome::Inconclusive}) EXPECT_EQ(outcomeOf(name(o)), o);
  EXPECT_FALSE(outcomeOf("pass").has_value());
}
