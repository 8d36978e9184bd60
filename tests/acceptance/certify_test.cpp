// `lmc run --certify`: what it says of a run is held against motions that are known in closed form.
#include "acceptance/Trajectory.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// x = cos(w t): with steps h a method has an error that grows with t, and is known.
std::string oscillator(const std::string& settings) {
  return "model O {\n  param w = 1.7;\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 0.5*w^2*x^2;\n"
         "  initial x = 1;\n  simulate { time = 0..10; " +
         settings + " }\n}\n";
}

/// A ball that bounces, losing a tenth of its speed.
const std::string bouncing = "model B {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 10*x;\n  initial x = 1;\n"
                             "  event hit = falling(x) { reset v = -0.9*v; }\n"
                             "  simulate { time = 0..2; method = RKMK4; step = 0.01; }\n}\n";

/// Three bodies attract each other on a plane, closely.
const std::string chaos = "model C {\n  config x : R^2 velocity u;\n  config y : R^2 velocity v;\n"
                          "  config z : R^2 velocity w;\n"
                          "  lagrangian = 0.5*dot(u,u) + 0.5*dot(v,v) + 0.5*dot(w,w) + 1/sqrt(dot(x-y,x-y)+1e-2)"
                          " + 1/sqrt(dot(y-z,y-z)+1e-2) + 1/sqrt(dot(z-x,z-x)+1e-2);\n"
                          "  initial x = [1, 0];\n  initial y = [-0.4, 0.3];\n  initial z = [0.1, -0.7];\n"
                          "  simulate { time = 0..400; method = RKMK54; tolerance = 1e-6; output every 1; }\n}\n";

nlohmann::json certificateOf(const Workspace& w, const std::string& file, Arguments more, std::string& warnings) {
  more.insert(more.begin(), {"run", file, "--json", "--certify"});
  const Outcome outcome = w.lmc(more);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  warnings = outcome.err;
  const nlohmann::json j = parseJson(outcome.out);
  return j.is_discarded() ? j : j["certificate"];
}

nlohmann::json certificate(const Workspace& w, const std::string& text, Arguments more, std::string& warnings) {
  return certificateOf(w, w.write("m.lie", text).string(), std::move(more), warnings);
}

double errorOf(const nlohmann::json& c, const std::string& name) {
  for (const nlohmann::json& e : c["errors"])
    if (e["name"] == name) return e["difference"].get<double>();
  ADD_FAILURE() << name << " is not in " << c;
  return -1;
}

/// The largest error of column x of a file, against cos(w t).
double trueError(const std::string& csv) {
  double most = 0;
  std::size_t at = csv.find('\n') + 1;
  while (at < csv.size()) {
    std::size_t used = 0;
    const double t = std::stod(csv.substr(at, 60), &used), x = std::stod(csv.substr(at + used + 1, 60));
    most = std::max(most, std::abs(x - std::cos(1.7 * t)));
    at = csv.find('\n', at) + 1;
  }
  return most;
}

} // namespace

class Certified : public testing::TestWithParam<const char*> {};

TEST_P(Certified, ErrorsAreTheTrueOnes) {
  const Workspace w;
  std::string warnings;
  const nlohmann::json c = certificate(w, oscillator(GetParam()), {"--output", w.path("o.csv").string()}, warnings);
  const double error = trueError(readFile(w.path("o.csv")));
  EXPECT_EQ(c["independent"], true) << c;
  EXPECT_GT(error, 1e-10);
  EXPECT_NEAR(errorOf(c, "x") / error, 1, 1e-2) << c;
  EXPECT_EQ(c["verdict"], "decided") << c;
  EXPECT_EQ(warnings.find("LIE053"), std::string::npos) << warnings;
}

INSTANTIATE_TEST_SUITE_P(Methods, Certified,
                         testing::Values("method = RKMK4; step = 0.03;", "method = VITrapezoid; step = 0.007;",
                                         "method = RKMK54; tolerance = 1e-6;", "method = P853; tolerance = 1e-6;",
                                         "method = RKMK78; tolerance = 1e-7; output every 0.13;",
                                         "method = SDIRK43; tolerance = 1e-5;"));

TEST(Certify, CallsAChaoticMotionUndecided) {
  const Workspace w;
  std::string warnings;
  const nlohmann::json c = certificate(w, chaos, {}, warnings);
  EXPECT_EQ(c["verdict"], "undecided") << c;
  EXPECT_TRUE(c["errors"][0]["error"].is_null()) << c;
  EXPECT_NE(warnings.find("LIE0538"), std::string::npos) << warnings;
}

/// x = sqrt(2)/cosh(4t) comes ever nearer to the unstable equilibrium: errors of steps grow like e^(4t).
TEST(Certify, WarnsWhereErrorsGrow) {
  const Workspace w;
  std::string warnings;
  const nlohmann::json c =
      certificate(w,
                  "model U {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 + 8*x^2 - 4*x^4;\n"
                  "  initial x = sqrt(2);\n"
                  "  simulate { time = 0..3; method = RKMK54; tolerance = 1e-6; }\n}\n",
                  {}, warnings);
  EXPECT_EQ(c["verdict"], "missed") << c;
  EXPECT_NE(warnings.find("LIE0537"), std::string::npos) << warnings;
}

/// A thrown ball is integrated exactly by any of these methods, bounces included.
TEST(Certify, FollowsResets) {
  const Workspace w;
  std::string warnings;
  const nlohmann::json c = certificate(w, bouncing, {}, warnings);
  ASSERT_TRUE(c["event_times"].is_object()) << c;
  EXPECT_LT(c["event_times"]["difference"].get<double>(), 1e-12);
  EXPECT_LT(errorOf(c, "x"), 1e-11) << c;
}

/// The time of the end is acos(0.5)/w.
TEST(Certify, ComparesTheTimeOfAnEventThatEndsTheRun) {
  const Workspace w;
  std::string warnings;
  std::string model = oscillator("method = RKMK4; step = 0.1;");
  model.insert(model.find("  simulate"), "  event half = falling(x - 0.5);\n");
  const std::string file = w.write("m.lie", model).string();
  const nlohmann::json c = certificateOf(w, file, {}, warnings);
  const double ended = parseJson(w.lmc({"run", file, "--json"}).out)["event"]["time"];
  const double error = std::abs(ended - std::acos(0.5) / 1.7);
  ASSERT_TRUE(c["event_times"].is_object()) << c;
  EXPECT_GT(error, 1e-9);
  EXPECT_NEAR(c["event_times"]["error"].get<double>() / error, 1, 1e-2) << c;
}

/// Constraints and products of manifolds.
TEST(Certify, CertifiesExamples) {
  const Workspace w;
  std::string warnings;
  for (const char* name : {"heavy_top", "two_quadrotors", "slider_crank", "pendulum_chain"}) {
    const nlohmann::json c = certificateOf(w, example(name), {}, warnings);
    EXPECT_NE(c["verdict"], "none") << name << c;
    EXPECT_NE(c["verdict"], "undecided") << name << c;
  }
}

/// Adaptive steps at 1e-12 do not come through this motion, so its own method is all there is.
TEST(Certify, ExtrapolatesWhereNoOtherMethodSucceeds) {
  const Workspace w;
  std::string warnings;
  const nlohmann::json c = certificateOf(w, example("four_bars"), {}, warnings);
  EXPECT_EQ(c["independent"], false) << c;
  EXPECT_NE(c["against"].get<std::string>().find("extrapolated by its order 4"), std::string::npos) << c;
}

TEST(Certify, RefusesPartsOfRuns) {
  const Workspace w;
  const std::string file = w.write("m.lie", bouncing).string();
  EXPECT_NE(w.lmc({"run", file, "--certify", "--resume", "x"}).status, 0);
  EXPECT_EQ(w.lmc({"run", file, "--certify", "--every", "1e-9"}).status, 2);
}

/// The integral of 1/(s^2 + (t - 1)^2), of which a pair with the same weights at each time cannot see the error: it is
/// said. Others find it.
TEST(RatesOfTimeAlone, AreWarnedOf) {
  const Workspace w;
  const std::string file = w.write("pulse.lie", R"(model Pulse {
  state z : R;
  flow z = 1/(1e-3 + (t - 1)^2);
  initial z = 0;
  simulate { method = RKMK54; time = 0..2; tolerance = 1e-9; }
}
)")
                               .string();
  const double s = std::sqrt(1e-3), exact = 2 * std::atan(1 / s) / s;
  const auto codes = [&](const std::string& model, Arguments more) {
    more.insert(more.begin(), {"run", model, "--json"});
    const nlohmann::json summary = parseJson(w.lmc(more).out);
    std::vector<std::string> list;
    for (const auto& d : summary["diagnostics"]) list.push_back(d["code"]);
    return list;
  };
  const auto error = [&](const char* method) {
    return std::abs(runModel(w, file, {"--method", method}).last("z") - exact) / exact;
  };
  for (const char* method : {"RKMK78", "CF32b"}) {
    EXPECT_EQ(codes(file, {"--method", method}), std::vector<std::string>{"LIE0541"}) << method;
    EXPECT_GT(error(method), 0.1) << method;
    EXPECT_TRUE(codes(file, {"--method", method, "--tolerance", "none", "--step", "1e-3"}).empty()) << method;
  }
  for (const char* method : {"RKMK54", "P853"}) {
    EXPECT_TRUE(codes(file, {"--method", method}).empty()) << method;
    EXPECT_LT(error(method), 1e-7) << method;
  }
  std::string warnings; // and the certificate sees it
  EXPECT_GT(errorOf(certificateOf(w, file, {"--method", "RKMK78"}, warnings), "z"), 0.1 * exact);
  EXPECT_TRUE(codes(w.write("o.lie", oscillator("tolerance = 1e-6;")).string(), {"--method", "RKMK78"}).empty());
}
