// Events: a run stops where an expression crosses zero, at a time that is right to round-off.
#include "acceptance/Runs.h"
#include "acceptance/Trajectory.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// A thrown ball: any method of order 2 is exact, so the times of events are known to round-off.
std::string ball(const std::string& events, const std::string& settings = "method = RKMK4; step = 0.1;") {
  return "model Ball {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 10*x;\n  initial x = 1;\n  initial v = "
         "3;\n" +
         events + "\n  simulate { time = 0..5; " + settings + " }\n}\n";
}

const double ground = (3 + std::sqrt(9 + 20.0)) / 10; // 1 + 3 t - 5 t^2 = 0

void expectEvent(const nlohmann::json& run, const std::string& name, double time) {
  ASSERT_FALSE(run["event"].is_null()) << run;
  EXPECT_EQ(run["event"]["name"], name);
  EXPECT_NEAR(run["event"]["time"].get<double>(), time, 4e-15 * std::max(1.0, time));
  EXPECT_EQ(run["final_time"], run["event"]["time"]);
}

const std::vector<std::string> settings = {
    "method = RKMK4; step = 0.1;", "method = RKMK4; step = 0.07; output every 0.02;", "method = RKMK2; step = 7;",
    "method = RKMK54; tolerance = 1e-6;", "method = CF43; tolerance = 1e-3; output every 0.05;"};

} // namespace

TEST(Event, IsFoundToRoundOff) {
  const Workspace w;
  for (const std::string& s : settings) {
    expectEvent(runOf(w, ball("  event hit = x;", s)), "hit", ground);
    expectEvent(runOf(w, ball("  event top = v;", s)), "top", 0.3);
    expectEvent(runOf(w, ball("  event late = t - 1.5;", s)), "late", 1.5);
  }
}

TEST(Event, HasADirection) {
  const Workspace w;
  for (const std::string& s : settings) {
    if (s.find("step = 7") != std::string::npos) continue; // both crossings are within one step
    // x passes 1.2 upwards and downwards
    const double up = (3 - std::sqrt(9 - 4.0)) / 10, down = (3 + std::sqrt(9 - 4.0)) / 10;
    expectEvent(runOf(w, ball("  event pass = x - 1.2;", s)), "pass", up);
    expectEvent(runOf(w, ball("  event pass = rising(x - 1.2);", s)), "pass", up);
    expectEvent(runOf(w, ball("  event pass = falling(x - 1.2);", s)), "pass", down);
    EXPECT_TRUE(runOf(w, ball("  event never = rising(x);", s))["event"].is_null());
  }
}

TEST(Event, IsTheFirstOfSeveral) {
  const Workspace w;
  for (const std::string& s : settings) {
    expectEvent(runOf(w, ball("  event hit = x;\n  event late = t - 0.85;\n  event later = t - 0.86;", s)), "hit",
                ground);
    expectEvent(runOf(w, ball("  event hit = x;\n  event late = t - 0.83;\n  event later = t - 0.86;", s)), "late",
                0.83);
  }
}

TEST(Event, DoesNotHappenAtTheBegin) {
  const Workspace w;
  expectEvent(runOf(w, ball("  event back = x - 1;")), "back", 0.6); // zero at the begin: counts when it comes back
  EXPECT_TRUE(runOf(w, ball("  event nothing = t + 1;"))["event"].is_null());
}

TEST(Event, OfAFamilyTellsItsMember) {
  const Workspace w;
  const std::string family = R"(model Balls {
  config x[3] : R velocity v;
  lagrangian = sum(i in 1..3: 0.5*v[i]^2 - 10*x[i]);
  initial x[i in 1..3] = mod(i, 3) + 1;
  event hit[i in 1..3] = falling(x[i]);
  for i in 2..3 { event apart[i] = x[i] - x[i-1] - 5; }
  simulate { method = RKMK4; time = 0..5; step = 0.25; }
}
)";
  expectEvent(runOf(w, family), "hit[3]", std::sqrt(0.2));
}

TEST(Event, GivesTheLastSample) {
  const Workspace w;
  for (const std::string& s : settings) {
    const Trajectory run = runModel(w, w.write("m.lie", ball("  event hit = falling(x);", s)).string(), {});
    EXPECT_NEAR(run.last("t"), ground, 4e-15);
    EXPECT_NEAR(run.last("x"), 0, 1e-13);
    EXPECT_LE(run.last("x"), 0); // behind the crossing, not before it
    for (std::size_t k = 1; k < run.rows.size(); ++k) {
      EXPECT_LT(run.at(k - 1, "t"), run.at(k, "t"));
      EXPECT_NEAR(run.at(k, "x"), 1 + 3 * run.at(k, "t") - 5 * std::pow(run.at(k, "t"), 2), 1e-12);
    }
    if (s.find("every 0.02") != std::string::npos) {
      EXPECT_EQ(run.rows.size(), 43U); // 0, 0.02, …, 0.82 and the event
    }
  }
}

TEST(Event, OfACurvedMotionIsThatOfTheMethod) {
  const Workspace w;
  const std::string pendulum = R"(model Pendulum {
  config q : S^2 velocity w;
  lagrangian = 0.5*dot(w, w) - q[3];
  initial q = [1, 0, 0];
  initial w = [0, 0, 0.5];
  event side = q[2] - q[1];
  simulate { method = RKMK54; time = 0..20; tolerance = 1e-9; }
}
)";
  const nlohmann::json adaptive = runOf(w, pendulum);
  const nlohmann::json fixed = runOf(w, pendulum, {"--tolerance", "none", "--step", "0.01"});
  ASSERT_FALSE(adaptive["event"].is_null() || fixed["event"].is_null());
  EXPECT_NEAR(adaptive["event"]["time"].get<double>(), fixed["event"]["time"].get<double>(), 1e-7);
}

TEST(Event, IsShownInTheSummary) {
  const Workspace w;
  const Outcome outcome = w.lmc({"run", w.write("m.lie", ball("  event hit = x;")).string()});
  EXPECT_NE(outcome.out.find("stopped"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("hit at t = 0.838"), std::string::npos) << outcome.out;
}

TEST(Event, ComesAgainInAResumedRun) {
  const Workspace w;
  for (const std::string& s : settings) {
    const std::string file = w.write("m.lie", ball("  event hit = x;", s)).string();
    const Trajectory whole = runModel(w, file, {"--checkpoint", "c.json"});
    const Trajectory again = runModel(w, file, {"--resume", w.path("c.json").string()});
    ASSERT_FALSE(again.rows.empty()) << s;
    EXPECT_EQ(again.rows.back(), whole.rows.back()) << s;
    (void)runModel(w, file, {"--time", "0..0.5", "--checkpoint", "c.json"});
    EXPECT_EQ(runModel(w, file, {"--resume", w.path("c.json").string()}).rows.back(), whole.rows.back()) << s;
  }
}

TEST(Event, TouchesZero) {
  const Workspace w;
  for (const std::string& s : settings) {
    // x has its top at t = 0.3: of the height and of the speed.
    for (const char* e : {"x - 1.45", "1.45 - x", "rising(x - 1.45)", "falling(x - 1.45)"})
      expectEvent(runOf(w, ball("  event touch = " + std::string(e) + ";", s)), "touch", 0.3);
    const nlohmann::json values = runOf(w, ball("  event touch = v*v;", s));
    ASSERT_FALSE(values["event"].is_null()) << values;
    EXPECT_NEAR(values["event"]["time"].get<double>(), 0.3, 3e-7);
  }
}

TEST(Event, GoesOnAtTheSideItTouchedFrom) {
  const Workspace w;
  for (const std::string& s : settings) {
    const std::string events = "  discrete n : int = 0;\n  event touch = x - 1.45 { reset n = n + 1; }\n"
                               "  event pass = falling(x - 1) { reset n = n + 10; }\n  event end = x + 50;";
    const nlohmann::json j = runOf(w, ball(events, s));
    ASSERT_EQ(j["jumps"].size(), 2U) << j;
    EXPECT_EQ(j["jumps"][0]["count"], 1) << j;
    EXPECT_NEAR(j["jumps"][0]["first"].get<double>(), 0.3, 4e-15);
    EXPECT_NEAR(j["jumps"][1]["first"].get<double>(), 0.6, 4e-15);
    EXPECT_EQ(j["jumps"][1]["count"], 1) << j;
  }
}

TEST(Event, IsTheFirstOfThreeCrossingsInOneStep) {
  const Workspace w;
  for (const std::string& s : settings) {
    // In the time, and in the speed, whose rate is the acceleration.
    for (const char* e : {"(t - 1)*(t - 1.9)*(t - 3)", "-(v + 7)*(v + 16)*(v + 27)/1000"}) {
      const std::string text(e);
      expectEvent(runOf(w, ball("  event pass = " + text + ";", s)), "pass", 1);
      expectEvent(runOf(w, ball("  event pass = rising(" + text + ");", s)), "pass", 1);
      expectEvent(runOf(w, ball("  event pass = falling(" + text + ");", s)), "pass", 1.9);
    }
  }
}

TEST(Event, ThatErrorsDecideIsTold) {
  const Workspace w;
  for (const char* gap : {"1e-13", "-1e-13"}) {
    const nlohmann::json j = runOf(w, ball("  event near = x - 1.45 - (" + std::string(gap) + ");"));
    ASSERT_EQ(j["undecided_events"].size(), 1U) << j;
    EXPECT_EQ(j["undecided_events"][0]["name"], "near");
    EXPECT_NEAR(j["undecided_events"][0]["time"].get<double>(), 0.3, 1e-6);
    EXPECT_EQ(j["undecided_events"][0]["happened"], gap[0] == '-');
    EXPECT_EQ(j["event"].is_null(), gap[0] != '-');
  }
  EXPECT_TRUE(runOf(w, ball("  event clear = x - 1.46;"))["undecided_events"].empty());
}

TEST(Event, ThatGoesOnFindsAllCrossingsOfAStep) {
  const Workspace w;
  // The second and the third lie within the step behind the first one, which begins at zero.
  const std::string event = "  discrete n : int = 0;\n"
                            "  event pass = (t - 0.1)*(t - 0.31)*(t - 0.35) { reset n = n + 1; }";
  for (const char* s : {"method = RKMK4; step = 0.5;", "method = RKMK54; step = 0.5; tolerance = 1e-6;"}) {
    const nlohmann::json j = runOf(w, ball(event, s));
    ASSERT_EQ(j["events"].size(), 3U) << j;
    const std::vector<double> times = {0.1, 0.31, 0.35};
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(j["events"][k]["time"].get<double>(), times[k], 4e-15) << j;
  }
}

TEST(Event, IsFoundInStepsThatAreLongerThanItsPeriod) {
  const Workspace w;
  const auto runs = [&](const std::string& event, const std::string& method, const std::string& tolerance) {
    return runOf(w, "model M { config x : R velocity v; lagrangian = 0.5*v^2 - 0.5*x^2; initial x = 1; initial v = 0; "
                    "discrete n : int = 0; event e = " +
                        event +
                        " { reset n = n + 1; } simulate { time = 0..50; "
                        "output every 10; method = " +
                        method + "; tolerance = " + tolerance + "; } }");
  };
  for (const char* method : {"P853", "RKMK78", "RKMK54", "Taylor", "SDIRK43"}) {
    // sin(20 t + 1/2) rises at (2 pi k - 1/2)/20.
    const nlohmann::json fast = runs("rising(sin(20*t + 0.5))", method, "1e-3");
    const int count = static_cast<int>((50 * 20 + 0.5) / (2 * M_PI));
    ASSERT_EQ(fast["events"].size(), static_cast<std::size_t>(count)) << method;
    for (int k = 1; k <= count; ++k)
      EXPECT_NEAR(fast["events"][static_cast<std::size_t>(k - 1)]["time"].get<double>(), (2 * M_PI * k - 0.5) / 20,
                  4e-14);
    // cos(t)^2 is 0.1 four times a turn.
    if (std::string(method) != "SDIRK43") // which damps
      EXPECT_EQ(runs("x^2 - 0.1", method, "1e-3")["events"].size(), 32U) << method;
    // Velocities: sin(t)^2 is 0.1 four times a turn, sin(2 t)/2 is -0.45, too.
    if (std::string(method) == "SDIRK43") continue;
    EXPECT_EQ(runs("v^2 - 0.1", method, "1e-3")["events"].size(), 32U) << method;
    EXPECT_EQ(runs("x*v - 0.45", method, "1e-3")["events"].size(), 32U) << method;
  }
}

/// Behind its reset an event on a velocity goes to the side that the acceleration leads to: back, here.
TEST(Event, OnAVelocityThatItsResetTurnsBackHappensOnce) {
  const Workspace w;
  for (const std::string& s : settings) {
    // v = 3 - 10 t falls through 1 at 0.2, with the acceleration 10 from there on rises through 2.
    const nlohmann::json j = runOf(
        w, "model M { config x : R velocity v; lagrangian = 0.5*v^2; discrete a = -10; force on x = a; initial v = 3;"
           "discrete n : int = 0; event low = v - 1 { reset a = -a; reset n = n + 1; } event end = rising(v - 2.5);"
           "simulate { time = 0..5; " +
               s + " } }");
    ASSERT_EQ(j["jumps"].size(), 1U) << j;
    EXPECT_EQ(j["jumps"][0]["count"], 1) << j;
    EXPECT_NEAR(j["jumps"][0]["first"].get<double>(), 0.2, 4e-15);
    EXPECT_NEAR(j["final_time"].get<double>(), 0.35, 4e-15);
  }
}

/// An event leaves zero and comes back, in a direction that does not count, before another one cuts the long step.
TEST(Event, ThatComesBackBeforeAnotherOneCountsAgain) {
  const Workspace w;
  for (const char* method : {"P853", "Taylor", "RKMK54"})
    for (const double rate : {5.3, 7.7})
      for (const double cut : {0.9, 1.3, 1.7, 2.2, 2.6}) {
        const std::string begin = std::to_string(cut), later = std::to_string(cut + 0.9);
        const nlohmann::json j = runOf(
            w, "model M { config x : R velocity v; lagrangian = 0.5*v^2 - 0.05*x^2; initial x = 1;"
               "discrete n : int = 0; event a = falling(cos(" +
                   std::to_string(rate) + "*t)) { reset n = n + 1; } event b = rising((t - " + begin + ")*(t - " +
                   later + ")*(t + 1)) { reset n = n + 100; } event c = rising(t - " + begin +
                   ") { reset n = n + 100; } simulate { time = 0..6; tolerance = 1e-6; output every 1; method = " +
                   method + "; } }");
        // It falls at (pi/2 + 2 pi k)/rate.
        const int count = static_cast<int>((6 * rate - M_PI / 2) / (2 * M_PI)) + 1;
        for (const nlohmann::json& e : j["jumps"])
          if (e["name"] == "a") EXPECT_EQ(e["count"], count) << method << " " << rate << " " << cut;
      }
}

/// A free top with J1 = J2: the part of its velocity across the axis turns evenly, as do the momenta in the body.
TEST(Event, OnVelocitiesAndMomentaIsFoundInLongSteps) {
  const Workspace w;
  const std::vector<std::string> tops = {
      "param J : mat(3,3) = diag(1, 1, 2); config R : SO(3) velocity O; lagrangian = 0.5*dot(O, J*O);"
      "initial O = [0.3, 0, 7]; event e = O[1]^2 - 0.0004",
      "param A : mat(3,3) = diag(1, 1, 0.5); config R : SO(3) momentum P; hamiltonian = 0.5*dot(P, A*P);"
      "initial P = [0.3, 0, 14]; event e = P[1]^2 - 0.0004",
      "param A : mat(3,3) = diag(1, 1, 0.5); state P : dual(SO(3)); hamiltonian = 0.5*dot(P, A*P);"
      "initial P = [0.3, 0, 14]; event e = P[1]^2 - 0.0004",
  };
  // 0.3 cos(7 t) is +-0.02
  std::vector<double> times;
  for (int k = 1; k < 100; ++k)
    for (const double side : {-1, 1}) times.push_back(((k - 0.5) * M_PI + side * std::asin(0.02 / 0.3)) / 7);
  const auto behind = std::partition_point(times.begin(), times.end(), [](double t) { return t < 20; });
  for (const std::string& top : tops)
    for (const char* tolerance : {"1e-3", "1e-10"}) {
      const nlohmann::json j = runOf(w, "model T { discrete n : int = 0; " + top +
                                            " { reset n = n + 1; } simulate { time = 0..20; output every 5; "
                                            "method = P853; tolerance = " +
                                            tolerance + "; } }");
      ASSERT_EQ(j["events"].size(), static_cast<std::size_t>(behind - times.begin())) << top << tolerance;
      if (std::string(tolerance) == "1e-10")
        for (std::size_t k = 0; k < j["events"].size(); ++k)
          EXPECT_NEAR(j["events"][k]["time"].get<double>(), times[k], 1e-8) << top;
    }
}

/// What is zero at the begin goes to the side of its rate, and may come back within the first step.
TEST(Event, ThatBeginsAtZeroComesBackInALongStep) {
  const Workspace w;
  const std::vector<std::string> all = {"method = RK4; step = 0.1;", "method = RKMKGL4; step = 0.1;",
                                        "method = Taylor; tolerance = 1e-9;", "method = PL14; tolerance = 1e-9;",
                                        "method = P853; tolerance = 1e-6;"};
  for (const std::string& s : all)
    for (const double begin : {0.0, 1e3}) {
      const std::string from = std::to_string(begin), to = std::to_string(begin + 2);
      const auto count = [&](const std::string& event) {
        return runOf(w, "model M { config x : R velocity v; lagrangian = 0.5*v^2 - 0.5*x^2; initial x = 1;"
                        "discrete n : int = 0; event e = " +
                            event + " { reset n = n + 1; } simulate { time = " + from + ".." + to + "; " + s +
                            " } }")["events"];
      };
      const nlohmann::json each = count("sin(50*(t - " + from + "))");
      ASSERT_EQ(each.size(), 31U) << s; // 100/pi = 31.8
      for (std::size_t k = 0; k < each.size(); ++k)
        EXPECT_NEAR(each[k]["time"].get<double>(), begin + static_cast<double>(k + 1) * M_PI / 50, 4e-15 * (1 + begin));
      EXPECT_EQ(count("rising(sin(50*(t - " + from + ")))").size(), 15U) << s;
      EXPECT_EQ(count("falling(sin(50*(t - " + from + ")))").size(), 16U) << s;
    }
  // Whatever the rate of |t| is said to be at 0, nothing crosses zero behind the begin.
  for (const std::string& s : settings)
    for (const char* e : {"abs(t)", "-abs(t)", "t^3", "-t*abs(t)"})
      EXPECT_TRUE(runOf(w, ball("  event e = " + std::string(e) + ";", s))["event"].is_null()) << e << s;
}

/// A root of third order may look like one of second order, where a step ends at it.
TEST(Event, OfThirdOrderHappensOnce) {
  const Workspace w;
  std::vector<std::string> all = settings;
  all.insert(all.end(),
             {"method = RK4; step = 0.1;", "method = RKMK4; step = 0.03;", "method = P853; tolerance = 1e-9;",
              "method = Taylor; step = 0.1;", "method = RKMKGL4; step = 0.1;"});
  for (const std::string& s : all)
    for (const char* e : {"(t - 0.5)^3", "(z - 0.5)^3", "rising((t - 0.5)^3)", "1e200*(t - 0.5)", "1e200*(z - 0.5)"}) {
      const nlohmann::json j =
          runOf(w, ball("  state z : R;  flow z = 1;  discrete n : int = 0;  event e = " + std::string(e) +
                            " { reset n = n + 1; }",
                        s));
      ASSERT_EQ(j["events"].size(), 1U) << e << s << j;
      EXPECT_NEAR(j["events"][0]["time"].get<double>(), 0.5, 2e-5) << e << s;
    }
}
