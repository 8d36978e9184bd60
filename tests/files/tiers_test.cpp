// Runs that begin with code that is made quickly: nothing of it shows in what they write, and the cache holds the
// optimised code, however they end.
#include "Files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace lmc::acceptance;
using namespace lmc::files;
using lmc::acceptance::readFile;
using lmc::acceptance::Workspace;
namespace fs = std::filesystem;

namespace {

/// Long code, whose optimisation takes some tenths of a second: a line of bash with a run of it, to be continued.
const std::string longCode =
    std::string("$LMC run ") + LMC_SOURCE_DIR + "/examples/two_quadrotors.lie --method RKMK78 --tolerance none ";
const std::string fewSteps = "--step 1e-3 --time 0..0.02 --every 1e-3 ";

std::string written(const Workspace& w, const std::string& line, const std::string& file = "out.csv") {
  const Said said = shell(w, line);
  EXPECT_EQ(said.status, 0) << line << ": " << said.err;
  return readFile(w.path(file));
}

nlohmann::json summary(const Workspace& w, const std::string& line) {
  const Said said = shell(w, line + " --json");
  EXPECT_EQ(said.status, 0) << said.err;
  return nlohmann::json::parse(said.out);
}

} // namespace

TEST(TiersOfTheTool, DoNotShowInWhatIsWritten) {
  const std::string run = longCode + "--quiet ";
  const Workspace w;
  const std::string few = run + fewSteps + "--output out.csv ";
  const std::string cold = written(w, few);
  EXPECT_GT(cold.size(), 1000U);
  EXPECT_EQ(written(w, few), cold) << "warm";
  EXPECT_EQ(written(w, few + "--no-cache"), cold);
  EXPECT_EQ(written(w, "rm cache/*; chmod 500 cache; " + few), cold);
  // Long enough for the swap, and in two parts, of which each begins cold.
  const std::string steps = "--step 1e-3 --every 10 ";
  const std::string whole = written(w, run + steps + "--time 0..400 --output out.csv");
  const Workspace other;
  (void)written(other, run + steps + "--time 0..100 --checkpoint c.json --output a.csv", "a.csv");
  const std::string second =
      written(other, "rm -r cache; " + run + steps + "--time 0..400 --resume c.json --output b.csv", "b.csv");
  const std::string tail = second.substr(second.find('\n') + 1);
  EXPECT_GT(tail.size(), 1000U);
  EXPECT_EQ(whole.substr(whole.size() - std::min(whole.size(), tail.size())), tail);
}

TEST(TiersOfTheTool, TheCacheHoldsOptimisedCode) {
  const Workspace w;
  const nlohmann::json cold = summary(w, longCode + fewSteps);
  const nlohmann::json warm = summary(w, longCode + fewSteps);
  EXPECT_FALSE(cold.at("from_cache").get<bool>());
  EXPECT_TRUE(warm.at("from_cache").get<bool>()) << "a run ends when its code is in the cache";
  EXPECT_NE(warm.at("code_bytes"), cold.at("code_bytes"));
  EXPECT_EQ(warm.at("energy_error"), cold.at("energy_error"));
}

TEST(TiersOfTheTool, TwoProcessesOptimiseTheSameCode) {
  const Workspace w;
  const std::string run = longCode + fewSteps + "--quiet --output ";
  const Said said = shell(w, run + "a.csv & " + run + "b.csv & wait");
  EXPECT_EQ(said.err, "");
  const std::string a = readFile(w.path("a.csv"));
  EXPECT_GT(a.size(), 1000U);
  EXPECT_EQ(readFile(w.path("b.csv")), a);
  EXPECT_TRUE(summary(w, longCode + fewSteps).at("from_cache").get<bool>());
  for (const auto& e : fs::directory_iterator(w.path("cache"))) EXPECT_EQ(e.path().extension(), ".lmco") << e.path();
}

TEST(TiersOfTheTool, ARunThatIsStoppedMeanwhileEndsWell) {
  for (const char* signal : {"INT", "TERM"}) {
    const Workspace w;
    const Said said = shell(w, longCode +
                                   "--step 1e-3 --time 0..1e6 --quiet --output out.csv & pid=$!; "
                                   "until [ -s out.csv ]; do sleep 0.01; done; kill -" +
                                   std::string(signal) + " $pid; wait $pid");
    EXPECT_EQ(said.status, 128 + (std::string(signal) == "INT" ? 2 : 15)) << said.err;
    EXPECT_TRUE(rowsOf(w.path("out.csv")).has_value());
    EXPECT_EQ(shell(w, longCode + fewSteps + "--quiet").status, 0);
  }
  const Workspace w;
  const Said limited = shell(w, longCode + "--step 1e-3 --time 0..1e6 --quiet --max-seconds 0.01");
  EXPECT_EQ(limited.status, 3) << limited.err;
  EXPECT_NE(limited.err.find("the run was stopped"), std::string::npos) << limited.err;
  EXPECT_TRUE(summary(w, longCode + fewSteps).at("from_cache").get<bool>());
}

TEST(TiersOfTheTool, TimingsTellOfBoth) {
  const Workspace w;
  const Said cold = shell(w, longCode + fewSteps + "--quiet --timings");
  EXPECT_NE(cold.err.find("optimise the code, while the run goes on"), std::string::npos) << cold.err;
  const Said warm = shell(w, longCode + fewSteps + "--quiet --timings");
  EXPECT_EQ(warm.err.find("optimise"), std::string::npos) << warm.err;
}
