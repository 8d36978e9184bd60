// What the fuzzers have found, reduced: each file of cases/ through the commands of the tool, which may refuse it, at a
// place and in good time, and nothing else.
#include "fuzz/Watch.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace lmc::fuzz {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> cases() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(LMC_SOURCE_DIR) / "tests" / "fuzz" / "cases"))
    if (entry.path().extension() == ".lie") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class Work {
public:
  Work() : folder_(fs::temp_directory_path() / ("lmc-cases-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Work() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  [[nodiscard]] std::string folder() const { return folder_.string(); }
  [[nodiscard]] std::string cache() const { return (folder_ / "cache").string(); }

private:
  fs::path folder_;
};

Ending lmc(const Work& work, std::vector<std::string> words, const WatchLimits& limits = {}) {
  words.insert(words.begin(), std::string(LMC_BINARY_DIR) + "/bin/lmc");
  return watch(words, work.folder(), work.cache(), limits);
}

TEST(FuzzCases, endInANormalWay) {
  const Work work;
  for (const fs::path& file : cases()) {
    for (const char* command : {"check", "derive", "run", "verify"}) {
      std::vector<std::string> words = {command, file.string(), "--limit-seconds", "6", "--limit-memory", "1500"};
      if (std::string(command) == "run") words.insert(words.end(), {"--quiet", "--output", "run.csv"});
      const Ending ending = lmc(work, words);
      EXPECT_EQ(fault(ending, {}), "") << command << " " << file << "\nstatus " << ending.status << ", "
                                       << ending.seconds << " s, " << ending.megabytes << " MB\n"
                                       << ending.err << ending.out;
    }
  }
}

TEST(FuzzCases, theWatchSeesFaults) {
  Ending e;
  EXPECT_EQ(fault(e, {}), "");
  e.status = 139;
  EXPECT_EQ(fault(e, {}), "signal 11");
  e.status = 70;
  e.err = "lmc: cannot create std::vector larger than max_size()\n";
  EXPECT_EQ(fault(e, {}), "status 70");
  e.status = 1;
  EXPECT_EQ(fault(e, {}), "internals");
  e.err = "";
  EXPECT_EQ(fault(e, {}), "silent");
  e.err = "error[LIE0100]: there is nothing named `u` here\n";
  EXPECT_EQ(fault(e, {}), "no place");
  e.err = "a.lie:3:4: error[LIE0100]: there is nothing named `u` here\n";
  EXPECT_EQ(fault(e, {}), "");
  e.seconds = 11;
  EXPECT_EQ(fault(e, {}), "slow");
}

TEST(FuzzCases, rotationsOfManyDimensionsAreCheckedAtOnce) {
  const Work work;
  const Ending ending =
      lmc(work, {"check", std::string(LMC_SOURCE_DIR) + "/tests/fuzz/cases/rotations_of_many_dimensions.lie"});
  EXPECT_LT(ending.seconds, 2);
  EXPECT_EQ(fault(ending, {}), "");
}

/// Compilation ends at a limit with an error at the place that costs.
TEST(Limits, areKeptAndSaidAtTheirPlace) {
  const Work work;
  const std::string file = std::string(LMC_SOURCE_DIR) + "/tests/fuzz/limits/powers.lie";
  const Ending few = lmc(work, {"check", file, "--limit-nodes", "20000"});
  EXPECT_EQ(few.status, 1);
  EXPECT_NE(few.err.find("powers.lie:"), std::string::npos) << few.err;
  EXPECT_NE(few.err.find("error[LIE0024]"), std::string::npos) << few.err;
  EXPECT_NE(few.err.find("--limit-nodes"), std::string::npos) << few.err;
  const Ending soon = lmc(work, {"check", file, "--limit-seconds", "0.3"});
  EXPECT_EQ(soon.status, 1);
  EXPECT_NE(soon.err.find("error[LIE0024]"), std::string::npos) << soon.err;
  EXPECT_LT(soon.seconds, 3);
  const Ending wrong = lmc(work, {"check", file, "--limit-nodes", "-3"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("--limit-nodes wants a positive number"), std::string::npos) << wrong.err;
}

} // namespace

} // namespace lmc::fuzz
