// Checkpoints that were changed are refused, and equal runs make equal files.
#include "Files.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

using namespace lmc::acceptance;
using namespace lmc::files;
using lmc::acceptance::readFile;
using lmc::acceptance::Workspace;

namespace {

const std::string resume = "$LMC run m.lie --quiet --time 0..1 --resume t.json";

/// The checksum of the format, computed anew: to see that values are looked at, too.
std::string summed(nlohmann::ordered_json j) {
  j.erase("checksum");
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : j.dump()) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  j["checksum"] = text;
  return j.dump(1);
}

class Tampered : public testing::Test {
protected:
  Tampered() {
    w.write("m.lie", topModel);
    EXPECT_EQ(shell(w, "$LMC run m.lie --quiet --time 0..0.5 --checkpoint c.json").status, 0);
    good = nlohmann::ordered_json::parse(readFile(w.path("c.json")));
  }
  void refused(const std::string& text) {
    w.write("t.json", text);
    const Said said = shell(w, resume);
    EXPECT_TRUE(said.status == 2 || said.status == 1) << said.status << text.substr(0, 300);
    EXPECT_NE(said.err.find("t.json"), std::string::npos) << said.err;
  }
  Workspace w;
  nlohmann::ordered_json good;
};

} // namespace

TEST_F(Tampered, AnyNumberThatWasChanged) {
  w.write("t.json", good.dump());
  ASSERT_EQ(shell(w, resume).status, 0) << "other spaces are no change";
  const std::vector<std::pair<const char*, nlohmann::ordered_json>> changes = {{"time", "nan"},
                                                                               {"time", "0x1p+0"},
                                                                               {"steps", 1e30},
                                                                               {"steps", 7},
                                                                               {"steps", "5"},
                                                                               {"samples", -1},
                                                                               {"step", "0x0p+0"},
                                                                               {"time", "-inf"},
                                                                               {"sampled", "nan"},
                                                                               {"evaluations", -5},
                                                                               {"state", good["state"].size()},
                                                                               {"checksum", "0"},
                                                                               {"next_step", "0x1p+3"}};
  for (const auto& [key, value] : changes) {
    nlohmann::ordered_json bad = good;
    bad[key] = value;
    refused(bad.dump(1));
  }
  for (std::size_t k = 0; k < good["state"].size(); ++k) {
    nlohmann::ordered_json bad = good;
    bad["state"][k] = "0x1.8p+1"; // off the rotations, or another velocity
    refused(bad.dump(1));
  }
  nlohmann::ordered_json bad = good;
  bad.erase("checksum");
  refused(bad.dump(1));
}

TEST_F(Tampered, ValuesThatNoRunHasEvenWithTheRightSum) {
  w.write("t.json", summed(good));
  ASSERT_EQ(shell(w, resume).status, 0);
  const std::vector<std::pair<const char*, nlohmann::ordered_json>> changes = {
      {"time", "nan"}, {"time", "0x1p+9"}, {"steps", 1e30},    {"steps", -3},        {"steps", 12345},
      {"samples", -1}, {"step", "nan"},    {"sampled", "inf"}, {"evaluations", 1.5}, {"time_from", "nan"}};
  for (const auto& [key, value] : changes) {
    nlohmann::ordered_json bad = good;
    bad[key] = value;
    refused(summed(bad));
  }
  for (const char* entry : {"nan", "inf"}) {
    nlohmann::ordered_json bad = good;
    bad["state"][3] = entry;
    refused(summed(bad));
  }
}

TEST_F(Tampered, AnyByte) {
  const std::string text = good.dump(1);
  std::mt19937 random(3);
  for (int k = 0; k < 60; ++k) {
    std::string bad = text;
    char& c = bad[random() % bad.size()];
    if (c == ' ' || c == '\n') continue; // between numbers and names: means nothing
    c = static_cast<char>(c ^ (1 << random() % 7));
    if (nlohmann::ordered_json::parse(bad, nullptr, false) == good) continue;
    refused(bad);
    refused(text.substr(0, random() % text.size()));
  }
}

TEST(TamperedEnsembles, AreMadeAgainOrRefused) {
  const Workspace w;
  w.write("m.lie", topModel);
  const std::string run = "$LMC ensemble m.lie --quiet --samples 300 --time 0..0.01 --vary 'm ~ normal(2, 0.1)' ";
  ASSERT_EQ(shell(w, run + "--output whole.csv --checkpoint c.bin").status, 0);
  const std::string good = readFile(w.path("c.bin")), whole = readFile(w.path("whole.csv"));
  std::mt19937 random(5);
  for (int k = 0; k < 25; ++k) {
    std::string bad = good;
    char& c = bad[random() % bad.size()];
    c = static_cast<char>(c ^ (1 << random() % 8));
    w.write("t.bin", bad);
    const Said said = shell(w, run + "--output again.csv --resume t.bin");
    EXPECT_LT(said.status, 3) << said.err;
    if (said.status == 0) {
      EXPECT_EQ(readFile(w.path("again.csv")), whole);
    }
  }
}

TEST(EqualRuns, MakeEqualBytes) {
  const Workspace w;
  w.write("m.lie", topModel);
  for (const char* ending : {".csv", ".npz", ".h5"}) {
    const auto run = [&](const std::string& name, const std::string& more) {
      const Said said = shell(w, "$LMC run m.lie --quiet --time 0..4 --output " + name + ending + " " + more);
      EXPECT_EQ(said.status, 0) << said.err;
      return readFile(w.path(name + ending));
    };
    const std::string first = run("a", "");
    ASSERT_GT(first.size(), 100000U);
    (void)shell(w, "sleep 2.1"); // the clock of zip archives counts two seconds
    EXPECT_TRUE(run("b", "") == first) << ending;
    EXPECT_TRUE(run("c", "--checkpoint k.json --checkpoint-every 0.01") == first)
        << ending << ", brought to the disk on the way";
    EXPECT_TRUE(run("a", "") == first) << ending << ", over an older one";
  }
}
