// Variational methods over long runs: momentum maps, energy; and their order on models with forces.
#include "acceptance/Tool.h"
#include "acceptance/Trajectory.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

const char* const symmetric[] = {"symmetric_top", "symmetric_pendulum", "symmetric_chain", "symmetric_link"};

/// On SO(3), S^2, the chain of two and a body on a link, S^2 x SO(3).
class LongRuns : public testing::TestWithParam<const char*> {};

} // namespace

// 1e5 steps. Relative to the size of the momenta, since the map itself is a difference of them.
TEST_P(LongRuns, KeepMomentumMaps) {
  const Workspace w;
  for (const char* method : {"VIMidpoint", "VITrapezoid", "DMV", "VI4"}) {
    const Trajectory t = runModel(w, testModel(GetParam()), {"--method", method, "--every", "1"});
    ASSERT_GE(t.rows.size(), 1000U);
    double size = 0;
    for (std::size_t k = 0; k < t.rows.size(); ++k) size = std::max(size, t.at(k, "size"));
    for (std::size_t k = 0; k < t.rows.size(); ++k)
      ASSERT_NEAR(t.at(k, "J3"), t.at(0, "J3"), 1e-12 * size) << method << " at t = " << t.at(k, "t");
  }
}

// 1e6 steps: slope times time is below the rms of the oscillation, and the drift test does not say DRIFT.
TEST_P(LongRuns, HaveNoEnergyDrift) {
  const Workspace w;
  const bool top = std::string(GetParam()) == "symmetric_top";
  const Outcome outcome = w.lmc({"stability", testModel(GetParam()), "--methods", "VIMidpoint", "--time",
                                 top ? "0..100000" : "0..10000", "--steps", top ? "0.2,0.1" : "0.02,0.01", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto results = parseJson(outcome.out).at("results");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].at("steps"), 1'000'000);
  for (const auto& r : results) {
    EXPECT_NE(r.at("verdict"), "DRIFT") << r;
    EXPECT_LT(r.at("D").get<double>(), 1) << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, LongRuns, testing::ValuesIn(symmetric),
                         [](const auto& p) { return std::string(p.param); });

// Velocities, forces and friction are those of the model: the order against an independent reference (explicit methods
// on the derived equations).
TEST(Variational, HasItsOrderWithForcesAndFriction) {
  const Workspace w;
  const Outcome outcome = w.lmc(
      {"order", testModel("forced_product"), "--methods",
       "VIMidpoint,VIMidpoint(retract = cay),VITrapezoid,VITrapezoid(retract = cay),DMV,VIGauss4,VI4,ELNh", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto results = parseJson(outcome.out).at("results");
  ASSERT_EQ(results.size(), 8U);
  for (const auto& r : results)
    EXPECT_NEAR(r.at("order").get<double>(), r.at("declared").get<double>(), 0.15) << r.at("method");
}
