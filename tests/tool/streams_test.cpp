// Standard output is for results, standard error for diagnostics; pipes that close, disks that are full, signals.
#include "acceptance/Tool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sys/wait.h>

using namespace lmc::acceptance;

namespace {

const std::string tool = LMC_BINARY_DIR "/bin/lmc";

const std::string model = "model Oscillator {\n"
                          "  config x : R velocity v;\n"
                          "  lagrangian = 0.5*v^2 - 0.5*x^2;\n"
                          "  initial x = 1;\n"
                          "  simulate { method = RKMK4; time = 0..1; step = 0.25; }\n"
                          "}\n";

/// Exit status of a shell command, run in the folder of the workspace.
int shell(const Workspace& w, const std::string& command) {
  const std::string line = "cd '" + w.path("").string() +
                           "' || exit 99; export LMC_CACHE_DIR='" LMC_BINARY_DIR "/acceptance_cache'; " + command;
  const int status = std::system(("bash -c \"" + line + "\"").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST(Streams, AClosedPipeIsNoDefect) {
  const Workspace w;
  EXPECT_EQ(shell(w, "set -o pipefail; " + tool + " explain 2>err | head -c 1 >/dev/null"), 0);
  EXPECT_EQ(readFile(w.path("err")), "");
}

TEST(Streams, AFullDiskIsReported) {
  const Workspace w;
  EXPECT_EQ(shell(w, tool + " explain >/dev/full 2>err"), 3);
  EXPECT_NE(readFile(w.path("err")).find("cannot write standard output"), std::string::npos);
}

TEST(Streams, WrongInputLeavesStandardOutputEmpty) {
  const Workspace w;
  w.write("bad.lie", "model M { config x : R velocity v; lagrangian = 0.5*v^2 + nosuch; }\n");
  const Outcome plain = w.lmc({"run", "bad.lie"});
  EXPECT_EQ(plain.status, 1);
  EXPECT_EQ(plain.out, "");
  EXPECT_NE(plain.err.find("1 error\n"), std::string::npos) << plain.err;
  const Outcome json = w.lmc({"run", "bad.lie", "--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(json.err, "");
  const auto object = parseJson(json.out);
  ASSERT_TRUE(object.is_object()) << json.out;
  EXPECT_EQ(object.at("diagnostics").size(), 1U);
}

TEST(Streams, ColoursOnlyWhereTheyAreWanted) {
  const Workspace w;
  w.write("bad.lie", "model M { config x : R velocity v; lagrangian = 0.5*v^2 + nosuch; }\n");
  EXPECT_EQ(w.lmc({"check", "bad.lie"}).err.find('\033'), std::string::npos);
  EXPECT_NE(w.lmc({"check", "bad.lie", "--color", "always"}).err.find('\033'), std::string::npos);
}

TEST(Streams, CheckOfSeveralFilesIsOneObject) {
  const Workspace w;
  w.write("good.lie", model);
  w.write("bad.lie", "model M { config x : R velocity v; lagrangian = 0.5*v^2 + nosuch; }\n");
  const Outcome outcome = w.lmc({"check", "bad.lie", "good.lie", "bad.lie", "--json"});
  EXPECT_EQ(outcome.status, 1);
  const auto object = parseJson(outcome.out);
  ASSERT_TRUE(object.is_object()) << outcome.out;
  EXPECT_EQ(object.at("diagnostics").size(), 2U);
}

TEST(Streams, TimingsGoToStandardError) {
  const Workspace w;
  w.write("a.lie", model);
  const Outcome outcome = w.lmc({"run", "a.lie", "--quiet", "--timings"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("from the start to the first step"), std::string::npos);
}

TEST(Signals, AnInterruptLeavesAValidFile) {
  const Workspace w;
  w.write("a.lie", model);
  const std::string run = tool + " run a.lie --time 0..1e8 --step 1e-3 --every 100 --output a.csv --quiet";
  for (const auto& [signal, status] : {std::pair{"INT", 130}, {"TERM", 143}}) {
    const int got =
        shell(w, run + " & pid=\\$!; for i in {1..500}; do [ -e a.csv ] && break; sleep 0.02; done; sleep 0.2; kill -" +
                     std::string(signal) + " \\$pid; wait \\$pid");
    EXPECT_EQ(got, status) << signal;
    const std::string text = readFile(w.path("a.csv"));
    EXPECT_TRUE(text.starts_with("t,x,v,energy\n0,1,0,0.5\n")) << text.substr(0, 100);
    EXPECT_TRUE(text.ends_with("\n"));
    std::filesystem::remove(w.path("a.csv"));
  }
}
