#include "Oscillator.h"
#include "runtime/run/FixedStep.h"
#include "runtime/run/Progress.h"
#include "runtime/run/Summary.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace lmc::runtime;
using namespace lmc::test;
using namespace lmc;

namespace {

Summary summaryOf(const Problem& problem) {
  Summary s;
  s.model = problem.model;
  s.method = problem.method;
  s.timeFrom = problem.timeFrom;
  s.step = problem.step;
  s.result = runFixedStep(problem, {nullptr});
  return s;
}

} // namespace

TEST(Summary, JsonHasWhatScriptsRead) {
  const auto j = nlohmann::json::parse(summaryJson(summaryOf(oscillator())));
  EXPECT_EQ(j.at("model"), "Oscillator");
  EXPECT_EQ(j.at("method"), "exact");
  EXPECT_EQ(j.at("steps"), 8);
  EXPECT_EQ(j.at("rejected"), 0);
  EXPECT_EQ(j.at("evaluations"), 32);
  EXPECT_EQ(j.at("final_time"), 1.0);
  EXPECT_TRUE(j.at("energy_error").is_number());
  EXPECT_TRUE(j.at("defects").contains("clock"));
  EXPECT_TRUE(j.at("failure").is_null());
  for (const char* key : {"compile_seconds", "run_seconds"}) EXPECT_TRUE(j.at(key).is_number()) << key;
}

TEST(Summary, EnergyIsNullWithoutOne) {
  Problem p = oscillator();
  std::erase_if(p.fields, [](const Field& f) { return f.kind == FieldKind::Energy; });
  const auto j = nlohmann::json::parse(summaryJson(summaryOf(p)));
  EXPECT_TRUE(j.at("energy_error").is_null());
  EXPECT_EQ(summaryText(summaryOf(p)).find("energy"), std::string::npos);
}

TEST(Summary, TellsOfAFailure) {
  const Summary s = summaryOf(oscillator({.limit = 0.6}));
  const auto j = nlohmann::json::parse(summaryJson(s, "\"diagnostics\": []"));
  EXPECT_EQ(j.at("failure").at("time"), 0.625);
  EXPECT_TRUE(j.at("diagnostics").is_array());
}

TEST(Summary, NumbersThatAreNotFiniteAreNull) {
  Summary s = summaryOf(oscillator());
  s.result.energyError = NAN;
  EXPECT_TRUE(nlohmann::json::parse(summaryJson(s)).at("energy_error").is_null());
}

TEST(Progress, ShowsHowFarAndHowLong) {
  EXPECT_EQ(progressLine(0.5, 5, 60), "[###############               ]  50%  t = 5  1 min left");
  EXPECT_EQ(progressLine(1, 10, 60), "[##############################] 100%  t = 10  0 s left");
  EXPECT_EQ(progressLine(0, 0, 1), "[                              ]   0%  t = 0");
}
