// Limits of runs: steps, seconds, and the warning before a large output.
#include "Files.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::files;
using lmc::acceptance::parseJson;
using lmc::acceptance::Workspace;
namespace fs = std::filesystem;

TEST(Limits, OfStepsStopTheRunAndKeepIt) {
  for (const char* method : {"--step 1e-3", "--method RKMK54 --tolerance 1e-13", "--step 1e-3 --every 0.0123"}) {
    const Workspace w;
    w.write("m.lie", topModel);
    const std::string run = std::string("$LMC run m.lie --quiet --time 0..1 ") + method + " ";
    ASSERT_EQ(shell(w, run + "--output whole.csv").status, 0);
    const auto whole = rowsOf(w.path("whole.csv"));
    Rows both;
    std::string resume;
    int pieces = 0;
    for (int status = 3; status == 3 && pieces < 100; ++pieces) {
      const Said said = shell(w, run + "--max-steps 97 --output a.csv --checkpoint c.json " + resume);
      status = said.status;
      const auto rows = rowsOf(w.path("a.csv"));
      ASSERT_TRUE(rows.has_value());
      both.insert(both.end(), rows->begin(), rows->end());
      resume = "--resume c.json";
      if (status == 0) break;
      ASSERT_EQ(status, 3) << said.err;
      EXPECT_NE(said.err.find("the limit of 97 steps is reached; --resume c.json goes on"), std::string::npos)
          << said.err;
    }
    EXPECT_GE(pieces, 1);
    EXPECT_EQ(both, *whole) << method;
  }
}

TEST(Limits, AreNoFailureAtTheEnd) {
  const Workspace w;
  w.write("m.lie", topModel);
  EXPECT_EQ(shell(w, "$LMC run m.lie --quiet --time 0..1 --step 0.01 --max-steps 100").status, 0);
  EXPECT_EQ(shell(w, "$LMC run m.lie --quiet --time 0..1 --step 0.01 --max-steps 99").status, 3);
  const Said said = shell(w, "$LMC run m.lie --json --time 0..1 --step 0.01 --max-steps 99");
  const auto j = parseJson(said.out);
  EXPECT_EQ(j["steps"], 99);
  EXPECT_NEAR(j["failure"]["time"].get<double>(), 0.99, 1e-12);
  EXPECT_EQ(j["interrupted"], false);
  for (const char* wrong : {"--max-steps 0", "--max-steps x", "--max-steps 1e3", "--max-seconds 0", "--max-seconds -1",
                            "--max-seconds nan", "--max-seconds"})
    EXPECT_EQ(shell(w, std::string("$LMC run m.lie --quiet ") + wrong).status, 2) << wrong;
}

TEST(Limits, OfRejectedSteps) {
  const Workspace w; // a wall that no step passes: every trial is rejected, and counts
  w.write("m.lie", topModel);
  const Said said = shell(w, "$LMC run m.lie --json --time 0..1e6 --method RKMK54 --tolerance 1e-9 --max-steps 500");
  const auto j = parseJson(said.out);
  EXPECT_EQ(said.status, 3);
  EXPECT_LE(j["steps"].get<int>() + j["rejected"].get<int>(), 501);
  EXPECT_GE(j["steps"].get<int>() + j["rejected"].get<int>(), 500);
}

TEST(Limits, OfSeconds) {
  const Workspace w;
  w.write("m.lie", topModel);
  const Said said = shell(w, "$LMC run m.lie --json --time 0..1e7 --every 1 --max-seconds 0.2 --output a.csv");
  EXPECT_EQ(said.status, 3);
  EXPECT_NE(said.err.find("the limit of 0.2 seconds is reached"), std::string::npos) << said.err;
  EXPECT_LT(parseJson(said.out)["run_seconds"].get<double>(), 5);
  EXPECT_TRUE(rowsOf(w.path("a.csv")).has_value());
  const std::string ensemble = "$LMC ensemble m.lie --quiet --samples 200000 --time 0..1 --vary 'm ~ normal(2, 0.1)' ";
  const Said many = shell(w, ensemble + "--max-seconds 0.3 --checkpoint c.bin");
  EXPECT_EQ(many.status, 3) << many.err;
  EXPECT_NE(many.err.find("the limit of 0.3 seconds is reached"), std::string::npos) << many.err;
}

// A step that has very many samples is left between them, and a resumed run makes it again.
TEST(Limits, OfSecondsWithinAStep) {
  const std::string oscillator = "model O {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 0.5*x^2;\n"
                                 "  initial x = 1;\n  discrete n = 0;\n  event hit = x - 0.3 { reset n = n + 1; }\n"
                                 "  simulate { method = RK4; time = 0..4; step = 1; }\n}\n";
  const std::string smooth = "model O {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 0.5*x^2;\n"
                             "  initial x = 1;\n  simulate { method = RK4; time = 0..4; step = 1; }\n}\n";
  for (const std::string& model : {smooth, oscillator})
    for (const char* method : {"", "--method RK54 --tolerance 1e-3", "--method Taylor --tolerance 1e-4"}) {
      const Workspace w;
      w.write("m.lie", model);
      const std::string run = std::string("$LMC run m.lie --quiet ") + method + " --every ";
      ASSERT_EQ(shell(w, run + "2e-5 --output whole.csv").status, 0);
      const Said said = shell(w, run + "2e-5 --output a.csv --checkpoint c.json --max-seconds 0.02");
      ASSERT_EQ(said.status, 3) << said.err;
      const auto whole = rowsOf(w.path("whole.csv")), first = rowsOf(w.path("a.csv"));
      ASSERT_LT(first->size(), whole->size());
      ASSERT_EQ(shell(w, run + "2e-5 --output b.csv --resume c.json").status, 0);
      const auto second = rowsOf(w.path("b.csv"));
      Rows both;
      for (const auto& row : *first)
        if (row[0] < second->front()[0]) both.push_back(row);
      both.insert(both.end(), second->begin(), second->end());
      EXPECT_TRUE(both == *whole) << method << both.size() << " " << whole->size();
      // 4e9 samples, of which those of a moment are made.
      EXPECT_EQ(shell(w, run + "1e-9 --max-seconds 0.02 --output d.csv").status, 3);
      EXPECT_GT(rowsOf(w.path("d.csv"))->size(), 10U);
    }
}

TEST(Limits, SamplesInMemoryHaveRoom) {
  const Workspace w;
  w.write("m.lie", topModel);
  const Said said = shell(w, "$LMC run m.lie --quiet --time 0..1 --step 0.1 --every 1e-12 --output a.npz");
  EXPECT_EQ(said.status, 2) << said.err;
  EXPECT_NE(said.err.find("kept in memory"), std::string::npos) << said.err;
}

TEST(Limits, ALargeOutputIsAnnounced) {
  const Workspace w;
  w.write("m.lie", topModel);
  for (const auto& [options, warned] :
       {std::pair{"--time 0..1e3 --output a.csv", true},
        {"--time 0..1e3 --output a.npz", true},
        {"--time 0..1e3 --output a.h5", true},
        {"--time 0..1e6 --every 10 --output a.csv", false},
        {"--time 0..1e6", false},
        {"--time 0..1e3 --every 1e-4 --method RKMK54 --tolerance 1e-9 --output a.csv", true}}) {
    const Said said = shell(w, std::string("$LMC run m.lie --quiet --max-seconds 0.05 ") + options);
    EXPECT_EQ(said.err.find("warning: `a.") != std::string::npos, warned) << options << "\n" << said.err;
    if (warned) {
      EXPECT_NE(said.err.find(" GB"), std::string::npos) << said.err;
    }
  }
  // 1e7 samples of 17 numbers of about 19 bytes.
  const Said said = shell(w, "$LMC run m.lie --quiet --max-seconds 0.05 --time 0..1e3 --output a.csv");
  EXPECT_NE(said.err.find("about 3.23 GB: 1e+07 samples of 17 numbers"), std::string::npos) << said.err;
  const Said ensemble =
      shell(w, "$LMC ensemble m.lie --quiet --samples 100000 --keep all --time 0..1 --every 0.001 --max-seconds 0.05 "
               "--vary 'm ~ normal(2, 0.1)' --output e.csv");
  EXPECT_NE(ensemble.err.find("warning: `e.csv`"), std::string::npos) << ensemble.err;
}

// The clock is looked at after the first step: some take minutes.
TEST(Limits, OfTimeHoldForFewSteps) {
  const Workspace w;
  w.write("m.lie", topModel);
  const Said said = shell(w, "$LMC run m.lie --json --time 0..1e-3 --step 1e-4 --max-seconds 1e-9");
  EXPECT_EQ(said.status, 3) << said.err;
  EXPECT_EQ(parseJson(said.out)["steps"], 1);
}
