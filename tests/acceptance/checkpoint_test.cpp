// A run that is interrupted and resumed gives the same trajectory, to the bit.
#include "acceptance/Trajectory.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// Not autonomous, with a family and a group, so that times and all parts of the state count.
const std::string model = R"(model Driven {
  param k = 1;
  param J : mat(3,3) = diag(1, 2, 3);
  config R : SO(3) velocity w;
  config x[2] : R velocity v;
  lagrangian = 0.5*dot(w, J*w) - cos(3*t)*dot(e3, R*e1) + sum(i in 1..2: 0.5*v[i]^2 - 0.5*k*i*x[i]^2) + x[1]*sin(t)*w[2];
  initial w = [1, 2, 0.5];
  initial x[1] = 1;
  simulate { method = RKMK54; time = 0..4; }
}
)";

using Rows = std::vector<std::vector<double>>;

Rows after(const Rows& rows, double t) {
  Rows list;
  for (const auto& row : rows)
    if (row[0] > t) list.push_back(row);
  return list;
}

class Resumed : public testing::TestWithParam<Arguments> {
protected:
  Resumed() : file(w.write("m.lie", model).string()) {}

  Arguments with(const Arguments& more) {
    Arguments all = GetParam();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Workspace w;
  std::string file;
};

} // namespace

TEST_P(Resumed, GoesOnToTheBit) {
  const Trajectory whole = runModel(w, file, with({"--time", "0..4"}));
  const Trajectory first = runModel(w, file, with({"--time", "0..1.73", "--checkpoint", "c.json"}));
  const Trajectory second = runModel(w, file, with({"--time", "0..4", "--resume", w.path("c.json").string()}));
  ASSERT_FALSE(second.rows.empty());
  const double from = second.rows.front()[0];
  EXPECT_LE(from, 2.5);
  const Rows wanted = after(whole.rows, std::nextafter(from, 0));
  EXPECT_EQ(second.rows, wanted);
  for (const auto& row : first.rows) {
    if (row[0] < from && row[0] < 1.73) {
      EXPECT_NE(std::find(whole.rows.begin(), whole.rows.end(), row), whole.rows.end()) << row[0];
    }
  }
}

TEST_P(Resumed, CountsTheWholeRun) {
  const auto json = [&](const Arguments& more) {
    Arguments all = with(more);
    all.insert(all.begin(), {"run", file, "--json"});
    const Outcome outcome = w.lmc(all);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return parseJson(outcome.out);
  };
  // Output, so that the samples, and the energy error with them, are those of the steps.
  const nlohmann::json whole = json({"--time", "0..4", "--output", "a.csv"});
  (void)json({"--time", "0..1.73", "--checkpoint", "c.json", "--output", "b.csv"});
  const nlohmann::json second = json({"--time", "0..4", "--resume", w.path("c.json").string(), "--output", "c.csv"});
  for (const char* key : {"steps", "rejected", "evaluations", "samples", "final_time", "energy_error", "defects",
                          "first_step", "smallest_step", "largest_step"}) {
    EXPECT_EQ(second.value(key, nlohmann::json()), whole.value(key, nlohmann::json())) << key;
  }
}

TEST_P(Resumed, TwiceToTheSameEndIsTheSame) {
  const Trajectory first = runModel(w, file, with({"--time", "0..1.73", "--checkpoint", "c.json"}));
  const Trajectory again = runModel(w, file, with({"--time", "0..1.73", "--resume", w.path("c.json").string()}));
  if (!again.rows.empty()) {
    EXPECT_EQ(again.rows.back(), first.rows.back());
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, Resumed,
                         testing::Values(Arguments{"--tolerance", "1e-6"},
                                         Arguments{"--tolerance", "1e-6", "--every", "0.1"},
                                         Arguments{"--tolerance", "1e-4", "--controller", "elementary"},
                                         Arguments{"--method", "Taylor", "--tolerance", "1e-8"},
                                         Arguments{"--method", "Taylor", "--tolerance", "1e-6", "--every", "0.1"},
                                         Arguments{"--tolerance", "none", "--step", "0.01"},
                                         Arguments{"--tolerance", "none", "--step", "0.03", "--every", "0.05"},
                                         Arguments{"--method", "RKMK4", "--step", "0.004", "--every", "0.02"}),
                         [](const auto& p) { return "Case" + std::to_string(p.index); });

TEST(CheckpointFile, IsWrittenDuringTheRun) {
  const Workspace w;
  const std::string file = w.write("m.lie", model).string();
  const Outcome outcome = w.lmc({"run", file, "--step", "1e-6", "--method", "RKMK4", "--time", "0..0.5", "--checkpoint",
                                 "c.json", "--checkpoint-every", "0"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json c = parseJson(readFile(w.path("c.json")));
  EXPECT_EQ(c["lmc_checkpoint"], 6);
  EXPECT_EQ(c["steps"], 500000);
  EXPECT_EQ(c["model"], "Driven");
}

TEST(CheckpointOfAnotherRun, IsRefusedWithTheDifference) {
  const Workspace w;
  const std::string file = w.write("m.lie", model).string();
  (void)runModel(w, file, {"--tolerance", "1e-6", "--checkpoint", "c.json", "--time", "0..1"});
  const std::string checkpoint = w.path("c.json").string();
  const auto refused = [&](const std::string& text, Arguments more, const std::string& reason) {
    const std::string other = w.write("n.lie", text).string();
    more.insert(more.begin(), {"run", other, "--resume", checkpoint});
    const Outcome outcome = w.lmc(more);
    EXPECT_EQ(outcome.status, 1) << reason;
    EXPECT_NE(outcome.err.find("LIE0616"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
  };
  const auto replaced = [](const std::string& from, const std::string& to) {
    return std::string(model).replace(model.find(from), from.size(), to);
  };
  refused(model, {"--tolerance", "1e-7"}, "tolerances");
  refused(model, {"--tolerance", "1e-6", "--method", "CF43"}, "method is RKMK54");
  refused(model, {"--tolerance", "1e-6", "--set", "k=2"}, "parameter k is 1, here it is 2");
  refused(model, {"--tolerance", "1e-6", "--controller", "clamped"}, "controller is PI");
  refused(model, {"--step", "0.1"}, "adaptive");
  refused(model, {"--tolerance", "1e-6", "--time", "0.5..4"}, "begin is 0");
  refused(model, {"--tolerance", "1e-6", "--time", "0..0.5"}, "reached");
  refused(replaced("Driven", "Other"), {"--tolerance", "1e-6"}, "model is Driven");
  refused(replaced("cos(3*t)", "cos(2*t)"), {"--tolerance", "1e-6"}, "compiled step");
}

TEST(CheckpointThatIsNone, IsWrongUsage) {
  const Workspace w;
  const std::string file = w.write("m.lie", model).string();
  for (const char* text : {"", "{}", "not json", "{\"lmc_checkpoint\": 99}", "{\"lmc_checkpoint\": 6}"}) {
    const Outcome outcome = w.lmc({"run", file, "--tolerance", "1e-6", "--resume", w.write("c.json", text).string()});
    EXPECT_EQ(outcome.status, 2) << text;
    EXPECT_NE(outcome.err.find("c.json"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("exception"), std::string::npos) << outcome.err; // no words of a library
  }
  EXPECT_EQ(w.lmc({"run", file, "--tolerance", "1e-6", "--resume", "nosuch.json"}).status, 2);
  EXPECT_EQ(w.lmc({"run", file, "--tolerance", "1e-6", "--checkpoint-every", "1"}).status, 2);
  EXPECT_EQ(w.lmc({"run", file, "--tolerance", "1e-6", "--checkpoint", "nosuch/c.json"}).status, 2);
}
