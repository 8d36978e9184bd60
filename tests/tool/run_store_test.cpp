// Runs that repeat earlier ones begin at once, and only where nothing has changed.
#include "acceptance/Tool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace lmc::acceptance;
namespace fs = std::filesystem;

namespace {

/// Runs `main.lie` with a cache of its own.
class RunStore : public testing::Test {
protected:
  RunStore() {
    w.write("main.lie", text());
    w.write("spring.lie", "fn stiffness(k) = 2*k;\n");
  }

  static std::string text(const std::string& extra = "") {
    return "import \"spring.lie\";\n"
           "model Oscillator {\n"
           "  param m = 2;\n"
           "  config x : R velocity v;\n"
           "  lagrangian = 0.5*m*v^2 - 0.5*stiffness(1)*x^2;\n"
           "  initial x = 1;\n" +
           extra +
           "  simulate { method = RKMK4; time = 0..1; step = 0.25; }\n"
           "}\n";
  }

  struct Result {
    int status = 0;
    bool repeated = false; ///< taken as it was prepared before
    std::string out, messages;
    std::string table;
  };

  Result run(std::vector<std::string> arguments = {}, const std::string& environment = "") const {
    fs::remove(w.path("out.csv"));
    arguments.insert(arguments.begin(), {"run", "main.lie", "--output", "out.csv", "--timings"});
    std::string line = "cd '" + w.path("").string() + "' && LMC_CACHE_DIR='" + cache().string() + "' " + environment +
                       " " LMC_BINARY_DIR "/bin/lmc";
    for (const std::string& a : arguments) line += " '" + a + "'";
    Result r;
    r.status = std::system((line + " >out 2>err").c_str());
    const std::string err = readFile(w.path("err"));
    r.repeated = err.find("  find\n") != std::string::npos && err.find("  check\n") == std::string::npos;
    r.messages = err.substr(0, std::min(err.find(" ms  "), err.size()));
    r.messages.erase(r.messages.find_last_of('\n') + 1); // the first time
    r.out = readFile(w.path("out"));
    if (fs::exists(w.path("out.csv"))) r.table = readFile(w.path("out.csv"));
    return r;
  }

  [[nodiscard]] fs::path cache() const { return w.path("cache"); }

  /// Prepared once, then repeated.
  Result settled(const std::vector<std::string>& arguments = {}) const {
    const Result first = run(arguments);
    EXPECT_EQ(first.status, 0) << first.messages;
    EXPECT_FALSE(first.repeated);
    const Result second = run(arguments);
    EXPECT_TRUE(second.repeated);
    EXPECT_EQ(first.table, second.table);
    EXPECT_EQ(first.messages, second.messages);
    return second;
  }

  Workspace w;
};

} // namespace

TEST_F(RunStore, ARepeatedRunGivesTheSame) {
  const Result r = settled();
  EXPECT_TRUE(r.table.starts_with("t,x,v,energy\n0,1,0,1\n")) << r.table;
  EXPECT_NE(r.out.find("cache"), std::string::npos) << r.out;
}

TEST_F(RunStore, WhatIsCalledForDecides) {
  const Result plain = settled();
  std::vector<std::string> tables{plain.table};
  for (const std::vector<std::string>& other : std::vector<std::vector<std::string>>{{"--set", "m=3"},
                                                                                     {"--set", "m=4"},
                                                                                     {"--method", "CF4"},
                                                                                     {"--step", "0.5"},
                                                                                     {"--time", "0..2"},
                                                                                     {"--every", "0.5"}}) {
    const Result r = run(other);
    EXPECT_FALSE(r.repeated) << other[1];
    const bool told = other[1] == "CF4" || std::count(tables.begin(), tables.end(), r.table) == 0;
    EXPECT_TRUE(told) << other[1];
    tables.push_back(r.table);
    EXPECT_EQ(run(other).table, r.table);
  }
  EXPECT_EQ(run().table, plain.table);
  EXPECT_FALSE(run({"--no-cache"}).repeated);
}

TEST_F(RunStore, AChangedModelIsSeen) {
  const Result before = settled();
  w.write("main.lie", text("  initial v = 1;\n"));
  const Result after = run();
  EXPECT_FALSE(after.repeated);
  EXPECT_NE(before.table, after.table);
  w.write("main.lie", text());
  EXPECT_EQ(run().table, before.table);
}

TEST_F(RunStore, AnImportIsSeen) {
  const Result before = settled();
  w.write("spring.lie", "fn stiffness(k) = 3*k;\n");
  const Result after = run();
  EXPECT_FALSE(after.repeated);
  EXPECT_NE(before.table, after.table);
  fs::remove(w.path("spring.lie"));
  EXPECT_NE(run().status, 0);
}

TEST_F(RunStore, AFileThatComesFirstIsSeen) {
  fs::create_directories(w.path("library"));
  fs::rename(w.path("spring.lie"), w.path("library") / "spring.lie");
  const Result before = settled({"--import-path", "library"});
  w.write("spring.lie", "fn stiffness(k) = 3*k;\n"); // beside the model
  const Result after = run({"--import-path", "library"});
  EXPECT_FALSE(after.repeated);
  EXPECT_NE(before.table, after.table);
}

TEST_F(RunStore, AFileOfNumbersIsSeen) {
  w.write("start.csv", "2\n");
  w.write("main.lie", text("  param start : vec(1) = read(\"start.csv\");\n  initial v = start[1];\n"));
  const Result before = settled();
  EXPECT_TRUE(before.table.starts_with("t,x,v,energy\n0,1,2,")) << before.table;
  w.write("start.csv", "3\n");
  const Result after = run();
  EXPECT_FALSE(after.repeated);
  EXPECT_TRUE(after.table.starts_with("t,x,v,energy\n0,1,3,")) << after.table;
}

TEST_F(RunStore, TheLibraryIsSeen) {
  const fs::path home = w.path("home");
  fs::create_directories(home);
  for (const char* folder : {"stdlib", "runtime"})
    fs::copy(fs::path(LMC_SOURCE_DIR) / folder, home / folder, fs::copy_options::recursive);
  const std::string environment = "LMC_HOME='" + home.string() + "'";
  EXPECT_FALSE(run({}, environment).repeated);
  EXPECT_TRUE(run({}, environment).repeated);
  EXPECT_FALSE(run().repeated); // another library
  EXPECT_TRUE(run({}, environment).repeated);
  std::ofstream(home / "stdlib" / "new.lie") << "fn nothing(x) = x;\n";
  EXPECT_FALSE(run({}, environment).repeated);
  EXPECT_TRUE(run({}, environment).repeated);
  std::ofstream(home / "stdlib" / "new.lie", std::ios::app) << "// changed\n";
  EXPECT_FALSE(run({}, environment).repeated);
}

TEST_F(RunStore, WarningsAreRepeated) {
  w.write("main.lie", text("  let unused = 1;\n"));
  const Result r = settled({"--tolerance", "1e-6"}); // which has no effect on a fixed step
  EXPECT_NE(r.messages.find("LIE0608"), std::string::npos) << r.messages;
  const Result json = run({"--tolerance", "1e-6", "--json"}); // how results are shown is another matter
  EXPECT_TRUE(json.repeated);
  const auto object = parseJson(json.out);
  ASSERT_TRUE(object.is_object()) << json.out;
  EXPECT_GE(object.at("diagnostics").size(), 1U);
}

TEST_F(RunStore, AdaptiveStepsAreRepeated) {
  const Result r = settled({"--method", "RKMK54", "--tolerance", "1e-8"});
  EXPECT_GT(std::count(r.table.begin(), r.table.end(), '\n'), 2);
}

TEST_F(RunStore, DamageIsNoticed) {
  const Result good = settled();
  std::vector<fs::path> entries;
  for (const auto& e : fs::directory_iterator(cache())) entries.push_back(e.path());
  ASSERT_GE(entries.size(), 2U); // the code and the run
  for (const fs::path& entry : entries) {
    const std::string whole = readFile(entry);
    for (const std::size_t at : {std::size_t{3}, whole.size() / 2, whole.size() - 1}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      std::ofstream(entry, std::ios::binary) << damaged;
      const Result r = run();
      EXPECT_FALSE(r.repeated) << entry << " " << at;
      EXPECT_EQ(r.table, good.table);
      EXPECT_TRUE(run().repeated);
    }
    std::ofstream(entry, std::ios::binary) << whole.substr(0, whole.size() / 2);
    EXPECT_EQ(run().table, good.table);
    fs::remove(entry);
    EXPECT_FALSE(run().repeated);
    EXPECT_EQ(run().table, good.table);
  }
}
