// `method = auto`: errors of whole runs are held against closed forms and against methods that were not chosen.
#include "acceptance/Diagnostics.h"
#include "acceptance/Tool.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

std::string oscillator(const std::string& settings) {
  return "model O {\n  param w = 1.7;\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 0.5*w^2*x^2;\n"
         "  initial x = 1;\n  simulate { " +
         settings + " }\n}\n";
}

/// z = cos t, which other solutions approach like exp(-rate t).
std::string relaxation(double rate, const std::string& settings) {
  return "model S {\n  param k = " + std::to_string(rate) +
         ";\n  state z : R;\n  flow z = -k*(z - cos(t)) - sin(t);\n  initial z = 1;\n  simulate { " + settings +
         " }\n}\n";
}

nlohmann::json run(const Workspace& w, const std::string& text, Arguments more = {}) {
  Arguments all = {"run", w.write("m.lie", text).string(), "--json"};
  all.insert(all.end(), more.begin(), more.end());
  const Outcome outcome = w.lmc(all);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  return parseJson(outcome.out);
}

/// The largest error of the first column of a file against a function of time.
double worst(const std::string& csv, const std::function<double(double)>& exact) {
  double most = 0;
  for (std::size_t at = csv.find('\n') + 1; at < csv.size(); at = csv.find('\n', at) + 1) {
    std::size_t used = 0;
    const double t = std::stod(csv.substr(at, 60), &used), x = std::stod(csv.substr(at + used + 1, 60));
    most = std::max(most, std::abs(x - exact(t)));
  }
  return most;
}

void expectCode(const Workspace& w, const std::string& text, const Arguments& more, const std::string& code,
                const std::string& words) {
  Arguments all = {"run", w.write("wrong.lie", text).string()};
  all.insert(all.end(), more.begin(), more.end());
  const Outcome outcome = w.lmc(all);
  EXPECT_EQ(outcome.status, 1) << text;
  EXPECT_NE(outcome.err.find("error[" + code + "]"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("error["), outcome.err.rfind("error[")) << outcome.err;
}

} // namespace

TEST(Auto, KeepsTheAccuracyOverTheWholeRun) {
  const Workspace w;
  for (const char* span : {"0..10", "-3..500"}) {
    for (const char* accuracy : {"1e-2", "1e-5", "1e-8", "1e-11"}) {
      const std::string text =
          oscillator("method = auto; time = " + std::string(span) + "; accuracy = " + accuracy + ";");
      const nlohmann::json j = run(w, text, {"--output", "o.csv"});
      ASSERT_FALSE(j["chosen"].is_null()) << j;
      const double from = span[0] == '-' ? -3 : 0, asked = std::stod(accuracy);
      const double error = worst(readFile(w.path("o.csv")), [&](double t) { return std::cos(1.7 * (t - from)); });
      EXPECT_LT(error, asked) << j;
      EXPECT_GT(error, asked / 1000) << j; // and no more work than that takes
      const double expected = j["chosen"]["expected_error"].get<double>();
      EXPECT_LT(error, 3 * expected) << j;
      EXPECT_LE(expected, asked);
      EXPECT_TRUE(j["chosen"]["growth"].is_null());
      EXPECT_FALSE(j["chosen"]["tried"].empty());
    }
  }
}

TEST(Auto, ExtrapolatesLongRuns) {
  const Workspace w;
  const std::string text = oscillator("method = auto; time = 0..1e6; accuracy = 1e-2; output every 1000.3;");
  const nlohmann::json j = run(w, text, {"--output", "o.csv"});
  EXPECT_FALSE(j["chosen"]["growth"].is_null()) << j;
  EXPECT_LT(j["chosen"]["measured_until"].get<double>(), 1e6);
  const double error = worst(readFile(w.path("o.csv")), [](double t) { return std::cos(1.7 * t); });
  EXPECT_LT(error, 1e-2) << j;
  EXPECT_LT(error, 3 * j["chosen"]["expected_error"].get<double>()) << j;
}

TEST(Auto, TakesImplicitMethodsForStiffEquations) {
  const Workspace w;
  const std::string settings = "method = auto; time = 0..3; accuracy = 1e-6;";
  const auto error = [&](const nlohmann::json&) {
    return worst(readFile(w.path("o.csv")), [](double t) { return std::cos(t); });
  };
  const nlohmann::json stiff = run(w, relaxation(1e5, settings), {"--output", "o.csv"});
  EXPECT_EQ(stiff["method"], "SDIRK43");
  EXPECT_LT(error(stiff), 1e-6);
  EXPECT_LT(stiff["steps"].get<int>(), 2000);
  // Behind the trial interval only: a run over the whole span shows it.
  std::string late = relaxation(1, settings);
  const std::string rate = "-k*(z";
  late.replace(late.find(rate), rate.size(), "-(k + 1e5/(1 + exp(-20*(t - 2))))*(z");
  const nlohmann::json later = run(w, late, {"--output", "o.csv"});
  EXPECT_EQ(later["method"], "SDIRK43");
  EXPECT_LT(error(later), 1e-6);
  const nlohmann::json mild = run(w, relaxation(1, settings), {"--output", "o.csv"});
  EXPECT_NE(mild["method"], "SDIRK43");
  EXPECT_LT(error(mild), 1e-6);
}

/// An explicit method that gets on in the trial interval, where the motion is on its slow part, may not behind it.
TEST(Auto, TakesImplicitMethodsWhereExplicitOnesFailOverTheSpan) {
  const Workspace w;
  for (const char* accuracy : {"1e-7", "1e-8", "1e-9"}) {
    const nlohmann::json stiff =
        run(w,
            "model M { state z : R^2; param k = 1e5; flow z = [-k*(z[1] - cos(t)) - sin(t), z[1] - z[2]]; "
            "initial z = [1, 0]; simulate { method = auto; time = 0..10; output every 0.5; accuracy = " +
                std::string(accuracy) + "; } }",
            {"--output", "o.csv"});
    EXPECT_EQ(stiff["method"], "SDIRK43");
    const auto table = parseCsv(readFile(w.path("o.csv")));
    ASSERT_TRUE(table);
    for (std::size_t i = 0; i < table->rows.size(); ++i) {
      const double t = table->at(i, "t");
      EXPECT_NEAR(table->at(i, "z[1]"), std::cos(t), std::stod(accuracy));
      EXPECT_NEAR(table->at(i, "z[2]"), (std::cos(t) + std::sin(t) - std::exp(-t)) / 2, std::stod(accuracy));
    }
  }
}

/// An oscillator at rest that is pushed for a short time: x = F (cos(t - b) - cos(t - a)) behind it.
TEST(Auto, PulsesBehindARestAreSeenOrNothingIsChosen) {
  const Workspace w;
  int seen = 0;
  for (const double begin : {3.217, 7.31, 13.7004}) {
    for (const double width : {1.0, 0.06, 0.02, 0.011}) {
      for (const char* accuracy : {"1e-2", "1e-4", "1e-7"}) {
        const std::string from = std::to_string(begin), to = std::to_string(begin + width);
        const Outcome o = w.lmc({"run", "--json", "--output", w.path("p.csv").string(),
                                 w.write("p.lie", "model P { config x : R velocity v;\n"
                                                  "lagrangian = 0.5*v^2 - 0.5*x^2;\n"
                                                  "force on x = if t > " +
                                                      from + " and t < " + to +
                                                      " then 10 else 0;\n"
                                                      "simulate { method = auto; accuracy = " +
                                                      accuracy + "; time = 0..20; } }\n")
                                     .string()});
        if (o.status != 0) {
          EXPECT_NE((o.out + o.err).find("LIE0619"), std::string::npos) << o.out << o.err;
          continue;
        }
        ++seen;
        const double expected = 10 * (std::cos(20 - begin - width) - std::cos(20 - begin));
        const auto table = parseCsv(readFile(w.path("p.csv").string()));
        ASSERT_TRUE(table);
        EXPECT_NEAR(table->at(table->rows.size() - 1, "x"), expected,
                    std::stod(accuracy) * std::max(1.0, std::abs(expected)))
            << from << ".." << to << " " << accuracy << o.out;
      }
    }
  }
  EXPECT_GT(seen, 0); // the others are refused, with a cure
}

TEST(Auto, IsTheSameInEveryRun) {
  const Workspace w;
  std::string text = readFile(example("heavy_top"));
  const std::string settings = "method = RKMK4; time = 0..1; step = 1e-3;";
  ASSERT_NE(text.find(settings), std::string::npos);
  text.replace(text.find(settings), settings.size(), "time = 0..1;");
  const std::string top = w.write("top.lie", text).string();
  const Arguments command = {"run", top, "--method", "auto", "--accuracy", "1e-9", "--json", "--output"};
  std::vector<nlohmann::json> runs;
  for (const Arguments& more : {Arguments{"a.csv"}, Arguments{"b.csv", "--no-cache"}, Arguments{"c.csv"}}) {
    Arguments all = command;
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = w.lmc(all);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    runs.push_back(parseJson(outcome.out));
    EXPECT_EQ(runs.back()["chosen"], runs.front()["chosen"]);
    EXPECT_TRUE(readFile(w.path(more[0])) == readFile(w.path("a.csv")));
  }
  // It is the run with the method and the tolerance that it names.
  const std::string tolerance = runs[0]["chosen"]["tolerance"].dump();
  const Outcome named = w.lmc({"run", top, "--method", runs[0]["method"].get<std::string>(), "--tolerance", tolerance,
                               "--output", "d.csv", "--quiet"});
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_TRUE(readFile(w.path("d.csv")) == readFile(w.path("a.csv")));
}

TEST(Auto, StepsAllKindsOfModels) {
  const Workspace w;
  for (const char* name : {"heavy_top_constrained", "four_bars", "pendulum_chain", "bouncing_ball", "humming_top",
                           "heavy_top_hamiltonian", "heavy_top_lie_poisson", "chaplygin_sleigh"}) {
    Arguments command = {"run",    example(name), "--method", "auto",   "--accuracy", "1e-6",
                         "--json", "--certify",   "--time",   "0..0.5", "--every",    "0.01"};
    const Outcome outcome = w.lmc(command);
    ASSERT_EQ(outcome.status, 0) << name << outcome.err;
    const nlohmann::json j = parseJson(outcome.out);
    EXPECT_EQ(j["certificate"]["verdict"], "decided") << name << j;
    EXPECT_TRUE(j["certificate"]["independent"].get<bool>()) << name << j;
  }
}

TEST(Auto, SettingsOfTheCommandLineReplaceThoseOfTheFile) {
  const Workspace w;
  const std::string automatic = oscillator("method = auto; time = 0..1; accuracy = 1e-6;");
  EXPECT_TRUE(run(w, automatic, {"--method", "RKMK4", "--step", "0.01"})["chosen"].is_null());
  EXPECT_EQ(run(w, automatic, {"--accuracy", "1e-3"})["chosen"]["accuracy"], 1e-3);
  const std::string given = oscillator("method = RKMK54; time = 0..1; step = 0.1; tolerance = 1e-3;");
  EXPECT_EQ(run(w, given, {"--method", "auto", "--accuracy", "1e-7"})["chosen"]["accuracy"], 1e-7);
}

TEST(Auto, WrongSettingsAreTold) {
  const Workspace w;
  expectCode(w, oscillator("method = RKMK54; time = 0..1; accuracy = 1e-6;"), {}, "LIE0617", "whole run");
  expectCode(w, oscillator("method = auto; time = 0..1;"), {}, "LIE0617", "there is none");
  expectCode(w, oscillator("method = RKMK4; step = 0.1; time = 0..1;"), {"--accuracy", "1e-3"}, "LIE0617",
             "--accuracy");
  expectCode(w, "method auto order 1 { k = f(t, y); next y = exp(h*k)*y; }\n" + oscillator("time = 0..1;"),
             {"--method", "RKMK4", "--step", "0.1"}, "LIE0617", "another name");
  expectCode(w, oscillator("method = auto; time = 0..1; accuracy = 1e-6; step = 0.1;"), {}, "LIE0618", "a step");
  expectCode(w, oscillator("method = auto; time = 0..1; accuracy = 1e-6; tolerance = 0.1;"), {}, "LIE0618",
             "a tolerance");
  expectCode(w, oscillator("method = auto; time = 0..1; accuracy = 1e-6;"), {"--step", "0.1"}, "LIE0618", "--step");
  expectCode(w, oscillator("method = auto; time = 0..1; accuracy = 0;"), {}, "LIE0169", "must be positive");
  expectCode(w, oscillator("method = auto; time = 0..1; accuracy = 1 - w;"), {}, "LIE0613", "not a positive number");
  expectCode(w, oscillator("method = auto; accuracy = 1e-6;"), {}, "LIE0601", "interval of time");
  expectCode(w, oscillator("method = auto; time = 0..1; accuracy = 1e-17;"), {}, "LIE0619", "doubles");
  // Digits that tell the two apart.
  expectCode(w, oscillator("method = auto; time = 0..1; accuracy = 1.234e-17;"), {}, "LIE0619", "accuracy 1.23e-17");
}

/// A formula whose value is no number is not left out.
TEST(Settings, AreNumbers) {
  const Workspace w;
  for (const std::string setting : {"step = sqrt(0.5 - w);", "step = 0.1; output every log(0.5 - w);",
                                    "step = 0.1; tolerance = 1e-6; safety = sqrt(0.5 - w);"})
    expectCode(w, oscillator("method = RKMK54; time = 0..1; " + setting), {}, "LIE0169", "is not a number");
  expectCode(w, oscillator("method = RKMK54; step = 0.1; time = 0..sqrt(0.5 - w);"), {}, "LIE0169",
             "`time` is not a number");
}

TEST(Auto, WhereNothingFitsItSaysWhy) {
  const Workspace w;
  // z = 1/(1 - t)
  expectCode(w,
             "model B { state z : R; flow z = z^2; initial z = 1;\n simulate { method = auto; time = 0..2; accuracy = "
             "1e-6; } }\n",
             {}, "LIE0619", "no method was found");
}

TEST(Auto, WhatWantsOneMethodSaysSo) {
  const Workspace w;
  const std::string file = w.write("m.lie", oscillator("method = auto; time = 0..1; accuracy = 1e-6;")).string();
  for (const Arguments& command : {Arguments{"stability", file}, Arguments{"symplecticity", file, "--steps", "0.1"},
                                   Arguments{"linearize", file, "--discrete"}}) {
    const Outcome outcome = w.lmc(command);
    EXPECT_EQ(outcome.status, 1) << command[0] << outcome.out;
    EXPECT_NE(outcome.err.find("LIE0622"), std::string::npos) << command[0] << outcome.err;
  }
  EXPECT_EQ(w.lmc({"check", file}).status, 0);
  EXPECT_EQ(w.lmc({"derive", file}).status, 0);
  EXPECT_EQ(w.lmc({"export", "--c", file, "-o", "m.c"}).status, 0);
  const Outcome ensemble = w.lmc({"ensemble", file, "--vary", "w ~ uniform(1, 2)", "--samples", "8", "--quiet"});
  EXPECT_EQ(ensemble.status, 0) << ensemble.err;
}
