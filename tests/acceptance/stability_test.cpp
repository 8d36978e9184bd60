// lmc stability: what it says of methods whose long-time behaviour is known, and how it is told.
#include "acceptance/Tool.h"
#include "acceptance/Trajectory.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace lmc::acceptance;

namespace {

nlohmann::json stability(const Workspace& w, Arguments arguments, int status = 0) {
  arguments.insert(arguments.begin(), "stability");
  arguments.emplace_back("--json");
  const Outcome outcome = w.lmc(arguments);
  EXPECT_EQ(outcome.status, status) << outcome.err;
  return parseJson(outcome.out);
}

const char* const oscillator = "model Oscillator {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 0.5*x^2;\n"
                               "  initial x = 1;\n"
                               "  simulate { method = RKMK4; time = 0..1000; step = 0.25; }\n}\n";

} // namespace

// Runge-Kutta of order 4 on the harmonic oscillator: the amplification of one step is |R(ih)|^2 = 1 - h^6/72 + h^8/576.
TEST(StabilityCommand, MeasuresTheDriftOfAKnownMethod) {
  const Workspace w;
  const std::string file = w.write("oscillator.lie", oscillator).string();
  const nlohmann::json answer = stability(w, {file});
  EXPECT_EQ(answer.at("model"), "Oscillator");
  ASSERT_EQ(answer.at("results").size(), 2U);
  double h = 0.25; // the model's step, then half of it
  for (const nlohmann::json& r : answer.at("results")) {
    EXPECT_EQ(r.at("method"), "RKMK4");
    EXPECT_EQ(r.at("step"), h);
    EXPECT_EQ(r.at("verdict"), "DRIFT");
    const double gain = 1 - std::pow(h, 6) / 72 + std::pow(h, 8) / 576;
    const double lost = 0.5 * (std::pow(gain, 1000 / h) - 1);
    EXPECT_NEAR(r.at("min_energy_error").get<double>(), lost, 1e-9 * std::abs(lost) + 1e-12);
    EXPECT_NEAR(r.at("slope").get<double>(), lost / 1000, 0.02 * std::abs(lost) / 1000);
    EXPECT_EQ(r.at("mono"), 9);
    h /= 2;
  }
  EXPECT_EQ(answer.at("overall").at("RKMK4"), "FAIL");
  EXPECT_EQ(answer.at("drift").at("RKMK4").at("sign"), -1);
  EXPECT_NEAR(answer.at("drift").at("RKMK4").at("order").get<double>(), 5, 0.15);
}

TEST(StabilityCommand, TellsSymplecticMethodsFromOthers) {
  const Workspace w;
  const nlohmann::json answer =
      stability(w, {example("energy_test"), "--methods", "RKMK4,LSV,SLGI(theta = 0.5)", "--steps", "0.25,0.125"});
  EXPECT_EQ(answer.at("overall"), nlohmann::json({{"RKMK4", "FAIL"}, {"LSV", "PASS"}, {"SLGI(theta=0.5)", "PASS"}}));
  ASSERT_EQ(answer.at("results").size(), 6U);
  for (const nlohmann::json& r : answer.at("results")) {
    EXPECT_LT(r.at("defect").get<double>(), 1e-12);
    EXPECT_EQ(r.at("steps"), r.at("step") == 0.25 ? 40'000 : 80'000);
  }
}

// Ortolan and Saccon (2012), section 6: six methods that the literature had called stable drift, with these signs;
// variational ones do not. T = 10,000 is the model's.
TEST(StabilityCommand, ReproducesThePublishedVerdicts) {
  const Workspace w;
  const std::vector<std::pair<const char*, int>> drifting = {{"ELN", -1}, {"TLN", -1}, {"PRK", -1},
                                                             {"MCG", 1},  {"NEW3", 1}, {"LIEMID", 1}};
  const std::vector<const char*> stable = {"VLV",        "VLVexp",      "DMV",      "SAC",
                                           "VIMidpoint", "VITrapezoid", "VIGauss4", "VI4"};
  std::string methods;
  for (const auto& [name, sign] : drifting) methods += std::string(name) + ",";
  for (const char* name : stable) methods += std::string(name) + ",";
  methods.pop_back();
  const nlohmann::json answer = stability(w, {example("energy_test"), "--methods", methods, "--steps", "0.25,0.125"});
  std::map<std::string, double> slope; // at the smaller step
  for (const nlohmann::json& r : answer.at("results"))
    if (r.at("step") == 0.125) slope[r.at("method")] = r.at("slope");
  for (const auto& [name, sign] : drifting) {
    EXPECT_EQ(answer.at("overall").at(name), "FAIL") << name;
    EXPECT_EQ(answer.at("drift").at(name).at("sign"), sign) << name;
    EXPECT_LE(std::abs(slope.at("LIEMID")), std::abs(slope.at(name))) << name;
    EXPECT_GE(std::abs(slope.at("PRK")), std::abs(slope.at(name))) << name;
    if (std::string(name) != "TLN") { // at the larger step it does not drift steadily
      EXPECT_NEAR(answer.at("drift").at(name).at("order").get<double>(), 2, 0.1) << name;
    }
  }
  for (const char* name : stable) EXPECT_EQ(answer.at("overall").at(name), "PASS") << name;
  // Slopes of independent programs, to the digits that they are known to. Two steps of a quarter have a quarter of the
  // drift.
  EXPECT_NEAR(slope.at("MCG"), 5.688e-7, 0.002e-7);
  EXPECT_NEAR(slope.at("NEW3"), 5.686e-7, 0.002e-7);
  EXPECT_NEAR(slope.at("LIEMID") / slope.at("MCG"), 0.2501, 0.0005);
}

TEST(StabilityCommand, FindsExactEnergies) {
  const Workspace w;
  // Without a potential the energy of this motion is constant in every method.
  const std::string file = w.write("free.lie", "model Free {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2;\n"
                                               "  initial v = 1;\n}\n")
                               .string();
  const nlohmann::json answer = stability(w, {file, "--methods", "LieEuler", "--time", "0..100", "--steps", "0.1"});
  EXPECT_EQ(answer.at("results").at(0).at("verdict"), "EXACT");
  EXPECT_EQ(answer.at("overall").at("LieEuler"), "PASS");
}

TEST(StabilityCommand, ExpectsAnOutcome) {
  const Workspace w;
  const std::string file = w.write("oscillator.lie", oscillator).string();
  EXPECT_EQ(w.lmc({"stability", file, "--expect", "FAIL"}).status, 0);
  const Outcome outcome = w.lmc({"stability", file, "--methods", "RKMK4,CF4", "--expect", "PASS"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("RKMK4 is FAIL, and PASS is expected"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("CF4 is FAIL"), std::string::npos) << outcome.err;
  const Outcome wrong = w.lmc({"stability", file, "--expect", "pass"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("PASS, FAIL or INCONCLUSIVE"), std::string::npos) << wrong.err;
}

TEST(StabilityCommand, ShowsATable) {
  const Workspace w;
  const std::string file = w.write("oscillator.lie", oscillator).string();
  const Outcome outcome = w.lmc({"stability", file, "--output", w.path("errors.csv").string()});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* text : {"Oscillator, energy errors from t = 0 to 1000", "second half", "DRIFT",
                           "FAIL, the energy falls, with the step to the power 4.98"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
  const Trajectory picture = parseCsv(readFile(w.path("errors.csv"))).value();
  EXPECT_EQ(picture.columns, (std::vector<std::string>{"t", "RKMK4 h=0.25", "RKMK4 h=0.125"}));
  ASSERT_EQ(picture.rows.size(), 4001U);
  EXPECT_EQ(picture.at(0, "RKMK4 h=0.25"), 0);
  EXPECT_EQ(picture.last("t"), 1000);
  EXPECT_LT(picture.last("RKMK4 h=0.25"), 10 * picture.last("RKMK4 h=0.125"));
}

TEST(StabilityCommand, TellsWhatIsWrong) {
  const Workspace w;
  struct Case {
    Arguments arguments;
    int status;
    const char* text;
  };
  const std::string file = w.write("oscillator.lie", oscillator).string();
  const std::string stepless =
      w.write("stepless.lie", "model A {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2;\n}\n").string();
  const std::string damped =
      w.write("damped.lie", "model D {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 0.5*x^2 + x*sin(t);\n"
                            "  dissipation = 0.01*v^2;\n  initial x = 1;\n}\n")
          .string();
  const std::string escaping = w.write("escaping.lie", "model E {\n  config x : R velocity v;\n"
                                                       "  lagrangian = 0.5*v^2 + x^4;\n  initial x = 1;\n}\n")
                                   .string();
  const std::vector<Case> cases = {
      {{}, 2, "file is missing"},
      {{testModel("sphere_flow")}, 1, "LIE0640"},
      {{file, "--time", "0..10"}, 1, "LIE0641"},
      {{file, "--steps", "0.25,0"}, 2, "--steps"},
      {{file, "--steps", "1e-13"}, 1, "LIE0606"},
      {{file, "--methods", "RKMK44"}, 1, "RKMK4"},
      {{file, "--output", "errors.txt"}, 2, ".csv, .npz or .h5"},
      {{stepless, "--methods", "RKMK4"}, 1, "LIE0601"},
      {{stepless, "--methods", "RKMK4", "--time", "0..1000"}, 1, "LIE0602"},
      {{damped, "--methods", "RKMK4", "--time", "0..1000", "--steps", "0.1"},
       0,
       "a dissipation and an explicit dependence on time"},
      {{escaping, "--methods", "RKMK4", "--time", "0..100", "--steps", "0.1"}, 3, "failed at t ="},
  };
  for (const Case& c : cases) {
    Arguments arguments = c.arguments;
    arguments.insert(arguments.begin(), "stability");
    const Outcome outcome = w.lmc(arguments);
    EXPECT_EQ(outcome.status, c.status) << outcome.err;
    EXPECT_NE(outcome.err.find(c.text), std::string::npos) << c.text << "\n" << outcome.err << outcome.out;
  }
}
