// `lmc run` as a command: summary, JSON, --set, exit statuses, runs that fail, the cache.
#include "acceptance/Archive.h"
#include "acceptance/Trajectory.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// `lmc run FILE … --json`, which must succeed.
nlohmann::json runJson(const Workspace& w, const std::string& file, const Arguments& arguments) {
  Arguments all{"run", file, "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Outcome outcome = w.lmc(all);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  nlohmann::json object = parseJson(outcome.out);
  EXPECT_TRUE(object.is_object()) << outcome.out;
  return object;
}

} // namespace

TEST(Summary, TellsWhatWasDone) {
  const Workspace w;
  const Outcome outcome = w.lmc({"run", example("heavy_top")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* word : {"HeavyTop", "RKMK4", "1000", "4000"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << "\n" << outcome.out;
  }
  EXPECT_EQ(outcome.err, "") << "progress, though standard error is no terminal";
  const Outcome quiet = w.lmc({"run", example("heavy_top"), "--quiet"});
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
}

TEST(Summary, AsJson) {
  const Workspace w;
  const nlohmann::json j = runJson(w, example("heavy_top"), {});
  EXPECT_EQ(j.at("method"), "RKMK4");
  EXPECT_EQ(j.at("steps"), 1000);
  EXPECT_EQ(j.at("rejected"), 0);
  EXPECT_EQ(j.at("evaluations"), 4000);
  EXPECT_TRUE(j.at("energy_error").is_number());
  EXPECT_GT(j.at("compile_seconds").get<double>(), 0);
  EXPECT_GT(j.at("run_seconds").get<double>(), 0);
  EXPECT_GT(j.at("code_bytes").get<long>(), 0);
  const nlohmann::json flows = runJson(w, example("humming_top"), {});
  ASSERT_TRUE(flows.contains("energy_error"));
  EXPECT_TRUE(flows.at("energy_error").is_null());
}

TEST(Summary, TheEnergyErrorIsThatOfTheTrajectory) {
  const Workspace w;
  const Trajectory run = runModel(w, example("spherical_pendulum"), {"--time", "0..20", "--every", "0.01"});
  const double stated = runJson(w, example("spherical_pendulum"), {"--time", "0..20"}).at("energy_error");
  ASSERT_FALSE(run.rows.empty());
  double worst = 0;
  const double start = run.at(0, "energy");
  for (std::size_t i = 0; i < run.rows.size(); ++i) worst = std::max(worst, std::abs(run.at(i, "energy") - start));
  // Absolute or relative, largest or last: of this size in any case.
  EXPECT_LE(stated, 1.01 * worst);
  EXPECT_GT(stated, 0);
}

TEST(Set, ParametersAndInitialValues) {
  const Workspace w;
  const auto start = [&](const std::string& file, const Arguments& set, const std::string& column) {
    Arguments arguments{"--method", "RKMK4", "--time", "0..0.001", "--step", "0.001"};
    for (const std::string& s : set) {
      arguments.emplace_back("--set");
      arguments.push_back(s);
    }
    const Trajectory run = runModel(w, file, arguments);
    return run.rows.empty() ? std::nan("") : run.at(0, column);
  };
  const std::string top = example("heavy_top"), chain = example("pendulum_chain");
  EXPECT_DOUBLE_EQ(start(top, {"Omega=[0,0,0]"}, "energy"), 0);
  EXPECT_DOUBLE_EQ(start(top, {"Omega=[0,0,0]", "chi=[0,0,1]"}, "energy"), 15 * 2 * 9.81);
  EXPECT_DOUBLE_EQ(start(top, {"Omega=[0,0,0]", "chi=[0,0,1]", "m=3"}, "energy"), 3 * 2 * 9.81);
  EXPECT_DOUBLE_EQ(start(top, {"m=2*4+1", "Omega=[0,0,0]", "chi=e3"}, "energy"), 9 * 2 * 9.81);
  EXPECT_NEAR(start(top, {"R=SO(3).exp([0,0,1])"}, "R[2][1]"), std::sin(1.0), 1e-15);
  EXPECT_DOUBLE_EQ(start(top, {"Omega=[1,0,0]", "J=diag(4,5,6)"}, "energy"), 2);
  EXPECT_DOUBLE_EQ(start(chain, {"q[2]=[0,0,-1]", "w[2]=[0,0,0]"}, "q[2][3]"), -1);
  EXPECT_DOUBLE_EQ(start(chain, {"q[2]=[0,0,-1]", "w[2]=[0,0,0]"}, "q[1][3]"), std::sqrt(2.0) / 2);
  const double two = start(chain, {"w[1]=[0,0,0]", "w[2]=[0,0,0]"}, "energy");
  const double heavier = start(chain, {"w[1]=[0,0,0]", "w[2]=[0,0,0]", "m[2]=1.5"}, "energy");
  EXPECT_NEAR(heavier - two, 0.5 * 9.81 * 2 * std::sqrt(2.0) / 2, 1e-12);
  EXPECT_NEAR(start(chain, {"N=3"}, "tip[3]"), 3 * std::sqrt(2.0) / 2, 1e-15);
}

TEST(Set, Inputs) {
  const Workspace w;
  const auto fall = [&](const Arguments& set) {
    const Trajectory run = runModel(w, testModel("lattice"), set);
    return run.rows.empty() ? std::nan("") : run.last("x[1][2]");
  };
  const double base = fall({});
  EXPECT_EQ(fall({"--set", "pull=[0,-1]"}), base);
  EXPECT_NE(fall({"--set", "pull=[0,-2]"}), base);
  EXPECT_EQ(fall({"--set", "pull=[0,-2]", "--set", "gain=[0.5, 0.25, 0.16666666666666666]"}), base);
  const Trajectory hover =
      runModel(w, example("two_quadrotors"), {"--time", "0..0.5", "--set", "T[1]=0", "--set", "T[2]=0"});
  ASSERT_FALSE(hover.rows.empty());
  EXPECT_NEAR(hover.last("v[3]"), 9.81 * 0.5, 1e-8); // free fall, e3 along gravity
}

TEST(Set, WhatIsWrongIsSaid) {
  const Workspace w;
  const auto refused = [&](const std::string& set, const std::string& word) {
    const Outcome outcome = w.lmc({"run", example("heavy_top"), "--set", set});
    EXPECT_TRUE(outcome.status == 1 || outcome.status == 2) << set << ": " << outcome.status;
    EXPECT_NE(outcome.err.find(word), std::string::npos) << set << "\n" << outcome.err;
  };
  refused("mm=3", "mm");
  refused("Omgea=[0,0,0]", "Omega");
  refused("m=[1,2]", "m");
  refused("chi=[1,2]", "vec(3)");
  refused("m", "=");
  refused("m=", "m");
  refused("m=1+", "m");
  refused("m=kk", "kk");
  refused("R=diag(1,1,2)", "R");
}

TEST(Settings, OnTheCommandLineWin) {
  const Workspace w;
  const nlohmann::json j = runJson(w, example("heavy_top"), {"--method", "CF4", "--time", "0..0.5", "--step", "0.01"});
  EXPECT_EQ(j.at("method"), "CF4");
  EXPECT_EQ(j.at("steps"), 50);
  EXPECT_EQ(j.at("evaluations"), 200);
  for (const Arguments& wrong :
       {Arguments{"--time", "1..0"}, Arguments{"--step", "0"}, Arguments{"--step", "-0.1"}, Arguments{"--step", "x"},
        Arguments{"--time", "1"}, Arguments{"--every", "0"}, Arguments{"--method", "RKMK44"}}) {
    Arguments arguments{"run", example("heavy_top")};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const Outcome outcome = w.lmc(arguments);
    EXPECT_TRUE(outcome.status == 1 || outcome.status == 2) << wrong[0] << ' ' << wrong[1] << ": " << outcome.status;
    EXPECT_NE(outcome.err, "");
  }
  const Outcome method = w.lmc({"run", example("heavy_top"), "--method", "RKMK44"});
  EXPECT_NE(method.err.find("RKMK4"), std::string::npos);
  EXPECT_NE(method.err.find("CF4"), std::string::npos);
}

TEST(Settings, OfTheExampleWithATolerance) {
  const Workspace w;
  const Outcome chain = w.lmc({"run", example("pendulum_chain"), "--json"});
  ASSERT_EQ(chain.status, 0) << chain.err;
  const nlohmann::json j = parseJson(chain.out);
  EXPECT_EQ(j["method"], "RKMK54");
  EXPECT_GT(j["rejected"], 0);
  EXPECT_LT(j["energy_error"], 1e-4);
}

TEST(Exit, UsageIsTwo) {
  const Workspace w;
  EXPECT_EQ(w.lmc({}).status, 2);
  EXPECT_EQ(w.lmc({"walk", example("heavy_top")}).status, 2);
  EXPECT_EQ(w.lmc({"run"}).status, 2);
  EXPECT_EQ(w.lmc({"run", example("heavy_top"), "--nosuch"}).status, 2);
  EXPECT_EQ(w.lmc({"dump", example("heavy_top"), "--stage", "nosuch"}).status, 2);
  const Outcome missing = w.lmc({"run", w.path("nosuch.lie").string()});
  EXPECT_TRUE(missing.status == 1 || missing.status == 2);
  EXPECT_NE(missing.err.find("nosuch.lie"), std::string::npos);
  EXPECT_EQ(w.lmc({"--help"}).status, 0);
  EXPECT_EQ(w.lmc({"--version"}).status, 0);
}

TEST(Failure, ANonFiniteRunStopsAndKeepsWhatWasWritten) {
  const Workspace w;
  const std::string csv = w.path("out.csv").string(), npz = w.path("out.npz").string();
  const Outcome outcome = w.lmc({"run", testModel("blow_up"), "--output", csv});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("t = "), std::string::npos) << outcome.err;
  const auto run = parseCsv(readFile(csv));
  ASSERT_TRUE(run);
  ASSERT_GT(run->rows.size(), 90U);
  EXPECT_LT(run->last("t"), 1.2);
  for (const auto& row : run->rows) {
    for (const double value : row) ASSERT_TRUE(std::isfinite(value));
  }
  for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(run->at(i, "x"), 1 / (1 - run->at(i, "t")), 1e-7);
  EXPECT_EQ(w.lmc({"run", testModel("blow_up"), "--output", npz, "--quiet"}).status, 3);
  std::map<std::string, Array> arrays;
  ASSERT_NO_THROW(arrays = readNpz(readFile(npz)));
  EXPECT_EQ(arrays["x"].values.size(), run->rows.size());
  EXPECT_EQ(w.lmc({"run", testModel("blow_up"), "--set", "start=-1"}).status, 0);
}

TEST(Failure, AsJson) {
  const Workspace w;
  const Outcome outcome = w.lmc({"run", testModel("blow_up"), "--json"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_TRUE(parseJson(outcome.out).is_object()) << outcome.out;
}

TEST(Cache, ASecondRunDoesNotCompile) {
  Workspace w;
  w.freshCache();
  const std::string file = testModel("coupled_all");
  const nlohmann::json cold = runJson(w, file, {"--output", w.path("cold.csv").string()});
  const nlohmann::json warm = runJson(w, file, {"--output", w.path("warm.csv").string()});
  EXPECT_FALSE(cold.at("from_cache").get<bool>());
  EXPECT_TRUE(warm.at("from_cache").get<bool>());
  EXPECT_EQ(readFile(w.path("cold.csv")), readFile(w.path("warm.csv")));
  // Parameters, initial values, step and time are data.
  const nlohmann::json changed =
      runJson(w, file, {"--set", "arm=[1,0,0]", "--set", "v=[1,2,3]", "--step", "0.002", "--time", "0..2"});
  EXPECT_TRUE(changed.at("from_cache").get<bool>());
  // Another method is other code.
  EXPECT_FALSE(runJson(w, file, {"--method", "CF4"}).at("from_cache").get<bool>());
}

TEST(Cache, DamagedEntriesAreCompiledAgain) {
  Workspace w;
  w.freshCache();
  const std::string file = testModel("sphere_flow");
  runJson(w, file, {"--output", w.path("first.csv").string()});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(w.path("cache"))) {
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
  }
  runJson(w, file, {"--output", w.path("second.csv").string()});
  EXPECT_EQ(readFile(w.path("first.csv")), readFile(w.path("second.csv")));
}

TEST(Cache, TwoCompilationsGiveTheSameNumbers) {
  Workspace a, b;
  a.freshCache();
  b.freshCache();
  const Arguments arguments{"--time", "0..0.1"};
  const Trajectory x = runModel(a, example("two_quadrotors"), arguments);
  const Trajectory y = runModel(b, example("two_quadrotors"), arguments);
  ASSERT_FALSE(x.rows.empty());
  EXPECT_EQ(x.rows, y.rows);
}

// An entry is the whole with that entry: the same bytes.
TEST(Overrides, EntriesOfVectorsAndMatrices) {
  const Workspace w;
  const auto rows = [&](const std::vector<std::string>& values) {
    Arguments arguments{"run", example("heavy_top"), "--time", "0..0.02", "--output", w.path("top.csv").string()};
    for (const std::string& v : values) arguments.insert(arguments.end(), {"--set", v});
    const Outcome outcome = w.lmc(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return readFile(w.path("top.csv"));
  };
  EXPECT_EQ(rows({"chi[1]=0.25", "J[1,2]=0.01", "J[2,1]=0.01"}),
            rows({"chi=[0.25,1,0]", "J=[[0.234375,0.01,0],[0.01,0.46875,0],[0,0,0.234375]]"}));
  EXPECT_EQ(rows({"chi=[1,2,3]", "chi[2]=m/15", "m=15"}), rows({"chi=[1,1,3]"}));
  const Outcome wrong = w.lmc({"run", example("heavy_top"), "--set", "J[4,1]=0.1"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("`J` has the entries 1 to 3 x 3"), std::string::npos) << wrong.err;
}

TEST(Seed, MayBeAParameter) {
  const Workspace w;
  const std::string head = "model M { param s = 7; param a = normal(0, 1); config x : R velocity v;\n"
                           "lagrangian = 0.5*v^2; initial x = a; simulate { method = RKMK4; time = 0..1; step = 0.5; ";
  const std::string named = w.write("named.lie", head + "seed = s; } }").string();
  const std::string plain = w.write("plain.lie", head + "seed = 7; } }").string();
  EXPECT_EQ(runModel(w, named, {}).rows, runModel(w, plain, {}).rows);
  EXPECT_EQ(runModel(w, named, {"--set", "s=8"}).rows, runModel(w, plain, {"--seed", "8"}).rows);
  EXPECT_NE(runModel(w, named, {"--set", "s=8"}).rows, runModel(w, plain, {}).rows);
  EXPECT_EQ(w.lmc({"run", named, "--set", "s=-1"}).status, 1);
  EXPECT_EQ(w.lmc({"run", named, "--set", "s=a"}).status, 1); // nothing random says what is random
}

TEST(Seed, RandomNumbersDependOnItAlone) {
  const Workspace w;
  const auto rows = [&](const Arguments& arguments) { return runModel(w, testModel("random_start"), arguments).rows; };
  const auto one = rows({});
  ASSERT_FALSE(one.empty());
  EXPECT_EQ(rows({"--seed", "1"}), one);
  EXPECT_NE(rows({"--seed", "2"}), one);
  const Trajectory run = runModel(w, testModel("random_start"), {});
  for (const char* k : {"stiffness[1]", "stiffness[2]", "stiffness[3]"}) {
    EXPECT_GE(run.at(0, k), 1);
    EXPECT_LE(run.at(0, k), 2);
  }
  EXPECT_NE(run.at(0, "stiffness[1]"), run.at(0, "stiffness[2]"));
  EXPECT_NE(run.at(0, "x[1][1]"), run.at(0, "x[2][1]"));
}
