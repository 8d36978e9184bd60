// Resets and discrete variables, against closed forms and programs of their own.
#include "acceptance/Runs.h"
#include "acceptance/Trajectory.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// Of all kinds, each exact for a ball in flight (order 2 and more), with samples on and off the grid of steps.
const std::vector<std::string> settings = {"method = RKMK4; step = 0.01;",
                                           "method = RKMK4; step = 0.07; output every 0.02;",
                                           "method = CF4; step = 0.013; output steps 7;",
                                           "method = RKMK54; tolerance = 1e-9;",
                                           "method = P54; tolerance = 1e-6; output every 0.1;",
                                           "method = RKMK78; step = 0.3;",
                                           "method = VITrapezoid; step = 0.05;",
                                           "method = VIMidpoint; step = 0.02; output every 0.05;",
                                           "method = VI4; step = 0.1;",
                                           "method = GenAlpha; step = 0.01;"};

std::string ball(const std::string& run, const std::string& time = "0..2.5") {
  return R"(model Ball {
  param e = 0.8;
  config z : R velocity v;
  lagrangian = 0.5*v^2 - 9.81*z;
  discrete hits : int = 0;
  event floor = falling(z) {
    reset v = -e*v;
    reset hits = hits + 1;
  }
  initial z = 1;
  simulate { time = )" +
         time + "; " + run + " }\n}\n";
}

const std::array<double, 3> impacts{0.4515236409857309, 1.1739614665629004, 1.7519117270246359};

} // namespace

TEST(Reset, BouncesTheBallOfTheReferences) {
  const Workspace w;
  for (const std::string& s : settings) {
    SCOPED_TRACE(s);
    const nlohmann::json run = runOf(w, ball(s), {"--output", w.path("o.csv").string()});
    ASSERT_EQ(run["events"].size(), 4U) << run;
    for (std::size_t k = 0; k < impacts.size(); ++k)
      EXPECT_NEAR(run["events"][k]["time"].get<double>(), impacts[k], 5e-14);
    EXPECT_EQ(run["jumps"][0]["name"], "floor");
    EXPECT_EQ(run["jumps"][0]["count"], 4);
    const auto o = parseCsv(readFile(w.path("o.csv")));
    ASSERT_TRUE(o);
    EXPECT_NEAR(o->last("z"), 0.11795005964214797, 1e-12);
    EXPECT_NEAR(o->last("v"), -0.98869085614314081, 1e-12);
    EXPECT_EQ(o->last("hits"), 4);
    std::size_t doubled = 0;
    for (std::size_t k = 1; k < o->rows.size(); ++k) {
      EXPECT_LE(o->at(k - 1, "t"), o->at(k, "t"));
      if (o->at(k - 1, "t") != o->at(k, "t")) continue;
      ++doubled;
      EXPECT_NEAR(o->at(k, "v"), -0.8 * o->at(k - 1, "v"), 1e-15 * 5);
      EXPECT_EQ(o->at(k, "hits"), o->at(k - 1, "hits") + 1);
    }
    EXPECT_EQ(doubled, 4U);
  }
}

TEST(Reset, SeesAllImpactsOfOneStep) {
  const Workspace w;
  const nlohmann::json run = runOf(w, ball("method = RKMK4; step = 2.5;"));
  ASSERT_EQ(run["events"].size(), 4U) << run;
  for (std::size_t k = 0; k < impacts.size(); ++k)
    EXPECT_NEAR(run["events"][k]["time"].get<double>(), impacts[k], 5e-14);
}

TEST(Reset, AccumulationIsTold) {
  const Workspace w;
  for (const char* s : {"method = RKMK4; step = 0.01;", "method = RKMK54; tolerance = 1e-9;"}) {
    const std::string text = failure(w, ball(s, "0..5"));
    EXPECT_NE(text.find("t = 4.06371"), std::string::npos) << text;
    EXPECT_NE(text.find("floor"), std::string::npos) << text;
    EXPECT_NE(text.find("LIE0533"), std::string::npos) << text;
  }
}

TEST(Reset, OfAFamilyConcernsItsMembers) {
  const Workspace w;
  const std::string model = R"(model Balls {
  param N : int = 12;
  config z[N] : R velocity v;
  lagrangian = sum(i in 1..N: 0.5*v[i]^2 - 10*z[i]);
  discrete hits[N] : int = 0;
  discrete last : real = 0;
  initial z[i in 1..N] = 1 + 0.1*i;
  event floor[i in 1..N] = falling(z[i]) {
    reset v[i] = -v[i];
    reset hits[i] = hits[i] + 1;
    reset last = i;
  }
  simulate { method = VIMidpoint; step = 0.01; time = 0..3; }
}
)";
  const Trajectory run = runModel(w, w.write("m.lie", model).string(), {});
  ASSERT_FALSE(run.rows.empty());
  for (int i = 1; i <= 12; ++i) {
    const std::string at = "[" + std::to_string(i) + "]";
    const double h = 1 + 0.1 * i, fall = std::sqrt(h / 5), period = 2 * fall;
    const double hits = std::floor((3 + fall) / period);
    const double s = 3 - hits * period; // since the last apex
    EXPECT_NEAR(run.last("z" + at), h - 5 * s * s, 5e-13) << i;
    EXPECT_NEAR(run.last("v" + at), -10 * s, 5e-12) << i;
    EXPECT_EQ(run.last("hits" + at), hits) << i;
  }
}

/// Two masses on a line that exchange their velocities: the right sides see the state before the block.
TEST(Reset, ReadsTheStateBeforeTheBlock) {
  const Workspace w;
  const std::string model = R"(model Line {
  config x[3] : R velocity v;
  lagrangian = sum(i in 1..3: 0.5*v[i]^2);
  initial x = [0, 1, 3];
  initial v = [1, 0, 0];
  event meet[i in 2..3] = falling(x[i] - x[i-1]) {
    reset v[i] = v[i-1];
    reset v[i-1] = v[i];
  }
  simulate { method = RKMK4; step = 0.3; time = 0..4; }
}
)";
  const nlohmann::json run = runOf(w, model, {"--output", w.path("o.csv").string()});
  ASSERT_EQ(run["events"].size(), 2U) << run;
  EXPECT_EQ(run["events"][0]["name"], "meet[2]");
  EXPECT_NEAR(run["events"][0]["time"].get<double>(), 1, 1e-14);
  EXPECT_NEAR(run["events"][1]["time"].get<double>(), 3, 1e-14);
  const auto o = parseCsv(readFile(w.path("o.csv")));
  ASSERT_TRUE(o);
  EXPECT_EQ(o->last("v[1]"), 0);
  EXPECT_EQ(o->last("v[2]"), 0);
  EXPECT_EQ(o->last("v[3]"), 1);
  EXPECT_NEAR(o->last("x[3]"), 4, 1e-14);
}

TEST(Reset, SimultaneousEventsFollowTheirDeclaration) {
  const Workspace w;
  const std::string model = R"(model Order {
  state z : R;
  flow z = 1;
  discrete a = 1;
  discrete n : int = 0;
  event twice = rising(z - 0.5) { reset a = 2*a; }
  event more = rising(2*z - 1) { reset a = a + 3; }
  event enough = rising(a - 4.5) { reset n = n + 1; reset a = 10*a; }
  simulate { method = RKMK4; step = 0.1; time = 0..1; }
}
)";
  const nlohmann::json run = runOf(w, model, {"--output", w.path("o.csv").string()});
  ASSERT_EQ(run["events"].size(), 3U) << run;
  EXPECT_EQ(run["events"][0]["name"], "twice");
  EXPECT_EQ(run["events"][1]["name"], "more");
  EXPECT_EQ(run["events"][2]["name"], "enough"); // caused by the others
  EXPECT_EQ(run["events"][0]["time"], run["events"][2]["time"]);
  const auto o = parseCsv(readFile(w.path("o.csv")));
  ASSERT_TRUE(o);
  EXPECT_EQ(o->last("a"), 50);
  EXPECT_EQ(o->last("n"), 1);
}

TEST(Reset, CrowdsOfEventsAreToldByName) {
  const Workspace w;
  const std::string text = failure(w, R"(model Flip {
  state z : R;
  flow z = 1;
  discrete a = -1;
  event up = rising(a) { reset a = -1; }
  event down = falling(a) { reset a = 1; }
  event begin = rising(z - 0.5) { reset a = 1; }
  simulate { method = RKMK4; step = 0.1; time = 0..1; }
}
)");
  EXPECT_NE(text.find("up"), std::string::npos) << text;
  EXPECT_NE(text.find("down"), std::string::npos) << text;
  EXPECT_NE(text.find("100 events"), std::string::npos) << text;
}

/// A rimless wheel of eight spokes: the speed behind an impact is the fixed point of a map with a closed form
/// (McGeer 1990): w+^2 (1 - cos^2(2a)) = cos^2(2a) 4 g/l sin(a) sin(gamma).
TEST(Reset, RimlessWheelWalks) {
  const Workspace w;
  const std::string model = R"(model Wheel {
  param alpha = pi/8;  param gamma = 0.08;
  config theta : R velocity w;
  lagrangian = 0.5*w^2 - 9.81*cos(theta);
  discrete steps : int = 0;
  event strike = rising(theta - gamma - alpha) {
    reset theta = gamma - alpha;
    reset w = cos(2*alpha)*w;
    reset steps = steps + 1;
  }
  initial theta = gamma - alpha;
  initial w = 1.5;
  simulate { method = RKMK78; step = 0.01; time = 0..60; }
}
)";
  const nlohmann::json run = runOf(w, model, {"--output", w.path("o.csv").string()});
  const auto o = parseCsv(readFile(w.path("o.csv")));
  ASSERT_TRUE(o);
  const double alpha = std::acos(-1) / 8, gamma = 0.08, c2 = std::pow(std::cos(2 * alpha), 2);
  const double behind = std::sqrt(c2 * 4 * 9.81 * std::sin(alpha) * std::sin(gamma) / (1 - c2));
  double seen = 0;
  for (std::size_t k = 1; k < o->rows.size(); ++k)
    if (o->at(k, "steps") > o->at(k - 1, "steps")) seen = o->at(k, "w");
  EXPECT_NEAR(seen, behind, 1e-11);
  EXPECT_GT(o->last("steps"), 20);
}

/// A blow on a pendulum of two coordinates: the rod carries its share, which `initial adjust v` takes away.
TEST(Reset, ConstraintsHoldBehindIt) {
  const Workspace w;
  const auto model = [](const std::string& adjust) {
    return R"(model Blow {
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v) - 9.81*x[2];
  constraint rod : dot(x, x) = 1;
  initial x = [0.6, -0.8];
  initial v = [0.8, 0.6];
  )" + adjust +
           R"(
  event blow = rising(t - 0.3) { reset v = v + [2, 0]; }
  simulate { method = RKMK4; step = 0.001; time = 0..0.5; }
}
)";
  };
  const Trajectory run = runModel(w, w.write("m.lie", model("initial adjust v;")).string(), {});
  ASSERT_FALSE(run.rows.empty());
  std::size_t k = 1;
  while (k < run.rows.size() && run.at(k, "t") != run.at(k - 1, "t")) ++k;
  ASSERT_LT(k, run.rows.size());
  const double x1 = run.at(k, "x[1]"), x2 = run.at(k, "x[2]");
  // Equal masses: what is left of the blow is its part along the circle.
  const double along = 2 * -x2;
  EXPECT_NEAR(run.at(k, "v[1]"), run.at(k - 1, "v[1]") + along * -x2, 1e-12);
  EXPECT_NEAR(run.at(k, "v[2]"), run.at(k - 1, "v[2]") + along * x1, 1e-12);
  const std::string text = failure(w, model(""));
  EXPECT_NE(text.find("blow"), std::string::npos) << text;
}

TEST(Reset, ManifoldsHoldBehindIt) {
  const Workspace w;
  const auto model = [](const std::string& point) {
    return "model Sphere {\n  config q : S^2 velocity w;\n  lagrangian = 0.5*dot(w, w) - q[3];\n  initial q = [1, 0, "
           "0];\n  initial w = [0, 0, 1];\n  discrete mark : S^2 = [0, 0, 1];\n  event late = rising(t - 0.5) { reset "
           "q = " +
           point +
           "; reset w = [0, 0, 0]; reset mark = q; }\n  simulate { method = RKMK4; step = 0.01; time = 0..1; }\n}\n";
  };
  const Trajectory run = runModel(w, w.write("m.lie", model("[0, 0.6, 0.8]")).string(), {});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(std::hypot(run.last("mark[1]"), run.last("mark[2]"), run.last("mark[3]")), 1, 1e-15);
  EXPECT_NE(run.last("mark[2]"), 0.6); // the point before the block
  const std::string text = failure(w, model("[0, 0.6, 0.9]"));
  EXPECT_NE(text.find("late"), std::string::npos) << text;
  EXPECT_NE(text.find("manifold"), std::string::npos) << text;
  EXPECT_NE(text.find("LIE0533"), std::string::npos) << text;
}

/// 1e5 elastic impacts. On a sphere the walls turn the velocity about the vertical through them; pieces of all lengths
/// occur, down to those in which the change of a position is rounding.
TEST(Reset, EnergyIsBoundedOverManyElasticImpacts) {
  const Workspace w;
  const std::string sphere = R"(model Box {
  config q : S^2 velocity w;
  lagrangian = 0.5*dot(w, w) - 9.81*q[3];
  event wall = q[1]^2 - 0.09 { reset w = w - 2*dot(cross(w, q), e1)*cross(q, e1)/(1 - q[1]^2); }
  initial q = normalize([-0.2, 0.1, -0.8]);
  initial w = [0.459420289855072, 2.02028985507246, 0.13768115942029];
  simulate { method = VIMidpoint; step = 0.02; time = 0..30000; output every 30; }
}
)";
  const std::string flat = R"(model Flat {
  config z : R velocity v;
  lagrangian = 0.5*v^2 - 9.81*z;
  event floor = falling(z) { reset v = -v; }
  initial z = 1;
  simulate { method = VIMidpoint; step = 0.02; time = 0..91000; output every 91; }
}
)";
  for (const char* method : {"VIMidpoint", "VITrapezoid"}) {
    const nlohmann::json curved = runOf(w, sphere, {"--method", method});
    EXPECT_GT(curved["jumps"][0]["count"], 100000) << method;
    EXPECT_LT(curved["energy_error"].get<double>(), 1e-4) << method;
    const nlohmann::json ball = runOf(w, flat, {"--method", method});
    EXPECT_GT(ball["jumps"][0]["count"], 100000) << method;
    EXPECT_LT(ball["energy_error"].get<double>(), 1e-10) << method;
  }
}

TEST(Reset, ResumedRunsRepeatTheBits) {
  const Workspace w;
  for (const std::string& s : settings) {
    SCOPED_TRACE(s);
    const std::string file = w.write("m.lie", ball(s)).string();
    const Trajectory whole = runModel(w, file, {});
    for (const char* cut : {"0.3", "0.45", "1.2", "2"}) {
      (void)runModel(w, file, {"--time", std::string("0..") + cut, "--checkpoint", "c.json"});
      const Trajectory rest = runModel(w, file, {"--resume", w.path("c.json").string()});
      ASSERT_FALSE(rest.rows.empty());
      EXPECT_EQ(rest.rows.back(), whole.rows.back()) << cut;
    }
  }
}

TEST(Reset, EnsemblesHaveEventsOfTheirOwn) {
  const Workspace w;
  const std::string file = w.write("m.lie", ball("method = RKMK4; step = 0.01;")).string();
  const Outcome o =
      w.lmc({"ensemble", file, "--samples", "5", "--vary", "z ~ linspace(0.8, 1.2)", "--output", "e.csv"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string text = readFile(w.path("e.csv"));
  for (int k = 0; k < 5; ++k) {
    const std::string z = std::to_string(0.8 + 0.1 * k);
    const Trajectory alone = runModel(w, file, {"--set", "z=" + z});
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", alone.last("z"));
    EXPECT_NE(text.find(std::string(number).substr(0, 12)), std::string::npos) << z << '\n' << text;
  }
}

TEST(Reset, SeesTwoCrossingsInOneStep) {
  const Workspace w;
  for (const char* direction : {"", "rising", "falling"}) {
    const nlohmann::json run = runOf(w, std::string(R"(model Throw {
  config x : R velocity v;
  lagrangian = 0.5*v^2 - 10*x;
  initial v = 3;
  discrete n : int = 0;
  event pass = )") + direction + R"((x - 0.4) { reset n = n + 1; }
  simulate { method = RKMK4; step = 0.6; time = 0..0.6; }
}
)");
    const std::string which = direction;
    const double up = (3 - std::sqrt(9 - 8.0)) / 10, down = (3 + std::sqrt(9 - 8.0)) / 10;
    ASSERT_EQ(run["events"].size(), which.empty() ? 2U : 1U) << run;
    EXPECT_NEAR(run["events"][0]["time"].get<double>(), which == "falling" ? down : up, 1e-14);
    if (which.empty()) EXPECT_NEAR(run["events"][1]["time"].get<double>(), down, 1e-14);
  }
}

/// Events that cause each other for ever, also one whose level was passed the other way within the same step.
TEST(Reset, ThatSendsTwoEventsToAndFroIsTold) {
  const Workspace w;
  for (const char* begin : {"0.46", "0"}) {
    const std::string file = w.write("m.lie", std::string("model Crowd {\n  config x : R velocity v;\n"
                                                          "  lagrangian = 0.5*v^2;\n"
                                                          "  event a = rising(x - 0.5) { reset x = 0.4; }\n"
                                                          "  event b = falling(x - 0.45) { reset x = 0.6; }\n"
                                                          "  initial x = ") +
                                                  begin +
                                                  ";\n  initial v = 1;\n"
                                                  "  simulate { method = RKMK4; time = 0..0.8; step = 0.2; }\n}\n")
                                 .string();
    const Outcome o = w.lmc({"run", file});
    EXPECT_NE(o.status, 0);
    EXPECT_NE(o.err.find("100 events happen without time between them: a, b"), std::string::npos) << o.err;
  }
}

TEST(Reset, DerivativesOfStepsAndExportedCodeSaySo) {
  const Workspace w;
  const std::string file = w.write("m.lie", ball("method = RKMK4; step = 0.01;")).string();
  const Outcome symplectic = w.lmc({"symplecticity", file}); // a reset need not keep the form
  EXPECT_NE(symplectic.status, 0);
  EXPECT_NE(symplectic.err.find("LIE0652"), std::string::npos) << symplectic.err;
  const Outcome exported = w.lmc({"export", file, "--c", "-o", w.path("ball.c").string()});
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_NE(exported.err.find("LIE0653"), std::string::npos) << exported.err;
}
