// The numbers of a run depend on the text, the options, the version and the processor: on nothing that was run before.
#include "Files.h"

#include <gtest/gtest.h>
#include <map>

using namespace lmc::acceptance;
using namespace lmc::files;
using lmc::acceptance::readFile;
using lmc::acceptance::Workspace;
namespace fs = std::filesystem;

namespace {

/// Runs whose parameters have other zeros, or the same ones given in another way, and what else compiles the model.
const std::map<std::string, std::string> commands = {
    {"plain", "run m.lie"},
    {"axis", "run m.lie --set 'chi=[0,0,1]'"},
    {"entry", "run m.lie --set 'chi=[0.25,1,0]'"},
    {"same", "run m.lie --set 'chi=[0,1,0]'"},
    {"mass", "run m.lie --set m=3"},
    {"inertia", "run m.lie --set 'J=[[1,0.1,0],[0.1,2,0],[0,0,3]]'"},
    {"initial", "run m.lie --set 'w=[1,0,0]'"},
    {"adaptive", "run m.lie --method RKMK54 --tolerance 1e-9"},
    {"zero", "run m.lie --set m=0"},
};

const std::vector<std::vector<std::string>> sequences = {
    {"plain", "axis", "entry", "same", "mass", "inertia", "initial", "adaptive", "zero"},
    {"zero", "adaptive", "initial", "inertia", "mass", "same", "entry", "axis", "plain"},
    {"axis", "plain", "plain", "axis", "mass", "same"},
    {"inertia", "mass", "entry", "plain", "initial"},
    {"same", "zero", "adaptive", "axis", "axis"},
};

std::string table(const Workspace& w, const std::string& command, const std::string& more = "") {
  const Said said = shell(w, "$LMC " + command + " --quiet --time 0..0.5 --every 0.01 --output out.csv " + more);
  EXPECT_EQ(said.status, 0) << command << ": " << said.err;
  return readFile(w.path("out.csv"));
}

} // namespace

TEST(HistoryOfTheCache, DoesNotShowInTheNumbers) {
  std::map<std::string, std::string> first; // by command
  for (const auto& sequence : sequences) {
    const Workspace w; // with an empty cache
    w.write("m.lie", topModel);
    for (const std::string& name : sequence) {
      const std::string now = table(w, commands.at(name));
      const auto [before, fresh] = first.emplace(name, now);
      EXPECT_EQ(now, before->second) << name << " depends on what was run before";
    }
  }
  const Workspace w;
  w.write("m.lie", topModel);
  for (const auto& [name, bytes] : first) EXPECT_EQ(table(w, commands.at(name), "--no-cache"), bytes) << name;
}

TEST(HistoryOfTheCache, DoesNotShowInEnsemblesAndLinearizations) {
  const std::string ensemble =
      "$LMC ensemble m.lie --quiet --samples 20 --time 0..0.1 --vary 'm ~ normal(2, 0.1)' --output e.csv";
  const std::string linear = "$LMC linearize m.lie --json";
  std::vector<std::string> seen;
  for (const char* before : {"true", "$LMC run m.lie --quiet --time 0..0.1 --set 'chi=[0,0,1]'",
                             "$LMC run m.lie --quiet --time 0..0.1; $LMC run m.lie --quiet --time 0..0.1 --set m=3"}) {
    const Workspace w;
    w.write("m.lie", topModel);
    ASSERT_EQ(shell(w, before).status, 0);
    ASSERT_EQ(shell(w, ensemble).status, 0);
    const Said said = shell(w, linear);
    ASSERT_EQ(said.status, 0) << said.err;
    seen.push_back(readFile(w.path("e.csv")) + said.out);
    EXPECT_EQ(seen.back(), seen.front()) << before;
  }
}

TEST(HistoryOfTheCache, ACheckpointStaysValid) {
  const std::string run = "$LMC run m.lie --quiet --every 0.01 ";
  for (const char* between : {"true", "$LMC run m.lie --quiet --time 0..0.1 --set 'chi=[0,0,1]'",
                              "rm -rf cache; $LMC run m.lie --quiet --time 0..0.1 --set 'chi=[0,0,1]'", "rm -rf cache",
                              "LMC_CACHE_DIR=/proc/none $LMC run m.lie --quiet --time 0..0.1"}) {
    for (const char* options : {"", "--set 'chi=[0,0,1]' ", "--set m=3 "}) {
      const Workspace w;
      w.write("m.lie", topModel);
      ASSERT_EQ(shell(w, run + options + "--time 0..0.5 --output a.csv --checkpoint c.json").status, 0);
      (void)shell(w, between);
      const Said said = shell(w, run + options + "--time 0..1 --output b.csv --resume c.json");
      EXPECT_EQ(said.status, 0) << between << " " << options << said.err;
    }
  }
}

TEST(HistoryOfTheCache, ACheckpointKnowsTheSameValuesToldInAnotherWay) {
  const Workspace w;
  w.write("m.lie", topModel);
  ASSERT_EQ(shell(w, "$LMC run m.lie --quiet --time 0..0.1 --checkpoint c.json").status, 0);
  const Said said = shell(w, "$LMC run m.lie --quiet --time 0..0.2 --resume c.json --set 'chi=[0,1,0]'");
  EXPECT_EQ(said.status, 0) << said.err;
}

TEST(TheCache, KeepsItsLimitAndLeavesNoTemporaryFiles) {
  const Workspace w;
  w.write("m.lie", topModel);
  // Killed while it writes, again and again.
  (void)shell(w, "for i in {1..25}; do timeout -s KILL 0.0$((i * 3 + 10)) $LMC run m.lie --quiet --time 0..1e-3 --set "
                 "m=$i 2>/dev/null; done; touch cache/0123.lmco.999999999.0.tmp");
  const Said said =
      shell(w, "$LMC run m.lie --quiet --time 0..0.1 --set m=77; $LMC run m.lie --quiet --time 0..0.1 --set m=78");
  EXPECT_EQ(said.status, 0) << said.err;
  // A family of many members is too large to be kept beside others: the cache does not grow without bound.
  w.write("many.lie",
          "model Many {\n  param N : int = 300000;\n  config x[N] : R velocity v;\n  lagrangian = sum(i in 1..N: "
          "0.5*v[i]^2 - 0.5*x[i]^2);\n  simulate { method = RKMK4; time = 0..1e-3; step = 1e-3; }\n}\n");
  for (const char* seed : {"1", "2"})
    EXPECT_EQ(shell(w, std::string("$LMC run many.lie --quiet --seed ") + seed).status, 0);
  for (const auto& e : fs::directory_iterator(w.path("cache"))) EXPECT_EQ(e.path().extension(), ".lmco") << e.path();
  std::uintmax_t size = 0;
  for (const auto& e : fs::directory_iterator(w.path("cache"))) size += e.file_size();
  EXPECT_LE(size, std::uintmax_t{256} << 20U);
}
