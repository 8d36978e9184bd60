// Contacts that a method steps by impulses: against closed forms, balances and other formulations; heaps of balls.
#include "acceptance/Runs.h"
#include "acceptance/Trajectory.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

constexpr double g = 9.81;

/// Height of the centre of a ball of radius 0.1 that falls from 1.1 and bounces with restitution e.
double heightOf(double t, double e) {
  double begin = std::sqrt(2 / g), speed = e * std::sqrt(2 * g);
  if (t < begin) return 1.1 - g / 2 * t * t;
  while (t - begin > 2 * speed / g) {
    begin += 2 * speed / g;
    speed *= e;
  }
  return 0.1 + speed * (t - begin) - g / 2 * (t - begin) * (t - begin);
}

const std::string bouncing = R"(model Ball {
  config x : R^3 velocity v;
  lagrangian = 0.5*dot(v, v) - 9.81*x[3];
  contact floor : x[3] >= 0.1 { restitution = 0.8; }
  initial x = [0, 0, 1.1];
  simulate { method = MoreauJean; time = 0..1.5; step = 1e-3; }
}
)";

/// Balls as in examples/heap.lie, at places and with velocities that are given.
std::string balls(const std::string& places, const std::string& run,
                  const std::string& laws = "e = 0.2; param mu = 0.3", const std::string& gravity = "9.81") {
  return R"(model Balls {
  param N : int = 10;
  param m = 1.3;  param r = 0.05;  param g = )" +
         gravity + ";  param " + laws + R"(;
  config x[N] : R^3 velocity v;
  config R[N] : SO(3) velocity W in space;
  lagrangian = sum(i in 1..N: 0.5*m*dot(v[i], v[i]) + 0.2*m*r^2*dot(W[i], W[i]) - m*g*x[i][3]);
  fn there(i, d) = v[i] - r*cross(W[i], d);
  fn across(i, j) = normalize(x[i] - x[j]);
  contact floor[i in 1..N] : x[i][3] >= r {
    restitution = e;  friction = mu;  slip = along_ground(there(i, e3), e3);
  }
  contact touch[i in 1..N, j in i+1..N] : norm(x[i] - x[j]) >= 2*r {
    restitution = e;  friction = mu;
    slip = along_ground(there(i, across(i, j)) - there(j, -across(i, j)), across(i, j));
  }
  initial R[i in 1..N] = eye(3);
  observe kinetic = sum(i in 1..N: 0.5*m*dot(v[i], v[i]) + 0.2*m*r^2*dot(W[i], W[i]));
  observe p = sum(i in 1..N: m*v[i]);
  observe l = sum(i in 1..N: m*cross(x[i], v[i]) + 0.4*m*r^2*W[i]);
  )" + places +
         "\n  simulate { " + run + " }\n}\n";
}

const std::string pile = R"(
  initial x[i in 1..N] = [0.06*mod(i, 3), 0.05*mod(i, 2), 0.06 + 0.11*i] + uniform(-0.01, 0.01, 3);
  initial v[i in 1..N] = uniform(-0.3, 0.3, 3);
)";

double largest(const Trajectory& t, std::size_t row, const std::string& name, int count) {
  double most = 0;
  for (int i = 1; i <= count; ++i)
    for (int k = 1; k <= 3; ++k)
      most = std::max(most, std::abs(t.at(row, name + "[" + std::to_string(i) + "][" + std::to_string(k) + "]")));
  return most;
}

} // namespace

TEST(SteppedContacts, ABouncingBallIsOffByTheOrderOfTheStep) {
  const Workspace w;
  const std::string file = w.write("m.lie", bouncing).string();
  double before = 0;
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    const Trajectory t = runModel(w, file, {"--step", std::to_string(h)});
    ASSERT_FALSE(t.rows.empty());
    double worst = 0;
    for (std::size_t k = 0; k < t.rows.size(); ++k)
      worst = std::max(worst, std::abs(t.at(k, "x[3]") - heightOf(t.at(k, "t"), 0.8)));
    EXPECT_LT(worst, 12 * h) << h;
    EXPECT_GT(worst, h / 10) << h; // it is of this order, and no better
    if (before > 0) EXPECT_LT(worst, 0.75 * before) << h;
    before = worst;
  }
}

TEST(SteppedContacts, AFlightIsExact) {
  const Workspace w;
  const Trajectory t = runModel(w, w.write("m.lie", bouncing).string(), {"--time", "0..0.4", "--step", "0.037"});
  ASSERT_FALSE(t.rows.empty());
  for (std::size_t k = 0; k < t.rows.size(); ++k)
    EXPECT_NEAR(t.at(k, "x[3]"), 1.1 - g / 2 * std::pow(t.at(k, "t"), 2), 1e-14);
}

TEST(SteppedContacts, ASlidingBlockStopsWhereItMust) {
  const Workspace w;
  const std::string model = R"(model Block {
  config x : R^3 velocity v;
  lagrangian = 0.5*2.5*dot(v, v) - 2.5*9.81*x[3];
  contact floor : x[3] >= 0 { friction = 0.25; slip = [v[1], v[2]]; }
  initial v = [1.2, -0.7, 0];
  simulate { method = MoreauJean; time = 0..1; step = 1e-3; }
}
)";
  for (const double h : {1e-2, 1e-3}) {
    const Trajectory t = runModel(w, w.write("m.lie", model).string(), {"--step", std::to_string(h)});
    ASSERT_FALSE(t.rows.empty());
    const double speed = std::hypot(1.2, 0.7), way = speed * speed / (2 * 0.25 * g);
    EXPECT_NEAR(std::hypot(t.last("x[1]"), t.last("x[2]")), way, 2e-1 * h * speed);
    EXPECT_NEAR(t.last("x[2]") / t.last("x[1]"), -0.7 / 1.2, 1e-12);
    EXPECT_EQ(std::abs(t.last("x[3]")), 0);
    EXPECT_LT(std::abs(t.last("v[1]")) + std::abs(t.last("v[2]")), 1e-15);
  }
}

TEST(SteppedContacts, ACradleOfThreeTakesPartTogether) {
  const Workspace w;
  const std::string places = "initial x[i in 1..N] = [0.1*i + (if i > 1 then 0.05 else 0), 0, 5];\n"
                             "  initial v[1] = [1, 0, 0];";
  for (const auto& [e, wanted] :
       {std::pair{1.0, std::array{-1.0 / 3, 2.0 / 3, 2.0 / 3}}, {0.5, std::array{0.0, 0.5, 0.5}}}) {
    const Trajectory t =
        runModel(w,
                 w.write("m.lie", balls(places, "method = MoreauJean(eps = 1e-12); time = 0..0.2; step = 1e-3;",
                                        "e = 1; param mu = 0", "0"))
                     .string(),
                 {"--set", "N=3", "--set", "e=" + std::to_string(e)});
    ASSERT_FALSE(t.rows.empty());
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(t.last("v[" + std::to_string(i + 1) + "][1]"), wanted[i], 1e-10) << e << ' ' << i;
  }
}

TEST(SteppedContacts, AStackAtRestStaysAtRest) {
  const Workspace w;
  const std::string model = balls("initial x[i in 1..N] = [0, 0, r*(2*i - 1)];",
                                  "method = MoreauJean(eps = 1e-13); time = 0..1; step = 1e-3; output every 0.1;");
  const Trajectory t = runModel(w, w.write("m.lie", model).string(), {});
  ASSERT_FALSE(t.rows.empty());
  const std::size_t last = t.rows.size() - 1;
  for (int i = 1; i <= 10; ++i) {
    const std::string x = "x[" + std::to_string(i) + "]";
    EXPECT_NEAR(t.at(last, x + "[1]"), 0, 1e-13);
    EXPECT_NEAR(t.at(last, x + "[3]"), 0.05 * (2 * i - 1), 1e-12);
  }
  EXPECT_LT(largest(t, last, "v", 10), 1e-11);
}

TEST(SteppedContacts, ImpulsesBetweenBallsKeepMomentum) {
  const Workspace w;
  const std::string places = R"(
  initial x[i in 1..N] = [0.12*mod(i, 3), 0.12*mod(div(i, 3), 3), 0.5 + 0.12*div(i, 9)];
  initial v[i in 1..N] = uniform(-1, 1, 3);
  initial W[i in 1..N] = uniform(-20, 20, 3);
)";
  const std::string model =
      balls(places, "method = MoreauJean; time = 0..0.4; step = 1e-3; seed = 5;", "e = 0.6; param mu = 0.4", "0");
  const Trajectory t = runModel(w, w.write("m.lie", model).string(), {"--set", "N=27"});
  ASSERT_FALSE(t.rows.empty());
  const std::size_t last = t.rows.size() - 1;
  for (const char* k : {"[1]", "[2]", "[3]"}) {
    EXPECT_NEAR(t.at(last, std::string("p") + k), t.at(0, std::string("p") + k), 1e-12);
    // Balls that overlap by the order of the step have no common point of contact: the impulse acts at both of theirs.
    EXPECT_NEAR(t.at(last, std::string("l") + k), t.at(0, std::string("l") + k), 2e-3);
  }
  EXPECT_LT(t.at(last, "kinetic"), 0.9 * t.at(0, "kinetic")); // there were impacts
}

TEST(SteppedContacts, AHeapComesToRestAndStays) {
  const Workspace w;
  const std::string model = balls(pile, "method = MoreauJean; time = 0..2.5; step = 1e-3; seed = 2; output every 0.1;");
  const std::string file = w.write("m.lie", model).string();
  const nlohmann::json run = runOf(w, model, {"--set", "N=12"});
  const nlohmann::json& c = run["contacts"];
  EXPECT_EQ(c["stalled"], 0);
  EXPECT_EQ(c["gains"], 0);
  EXPECT_LE(c["residual"], 1e-4);
  EXPECT_LT(c["penetration"], 5e-3); // speeds of 2 to 4 m/s, steps of 1 ms
  EXPECT_GE(c["most"], 12);
  const Trajectory t = runModel(w, file, {"--set", "N=12"});
  ASSERT_FALSE(t.rows.empty());
  for (std::size_t k = 1; k < t.rows.size(); ++k) EXPECT_LE(t.at(k, "energy"), t.at(k - 1, "energy") + 1e-6) << k;
}

/// 300 balls in the pockets of each other, layer on layer in a box: they touch, and stay where they are.
TEST(SteppedContacts, AHeapOfManyBallsAtRestStaysAtRest) {
  const Workspace w;
  constexpr double r = 0.05;
  constexpr int base = 10, count = 300;
  std::string places;
  int next = 0;
  for (int layer = 0; next < count; ++layer)
    for (int k = 0; k < (base - layer) * (base - layer) && next < count; ++k, ++next) {
      const int n = base - layer;
      places += fmt::format("{:.17g},{:.17g},{:.17g}\n", r * (2 * (k % n) - n + 1), r * (2 * (k / n) - n + 1),
                            r * (1 + layer * std::sqrt(2)));
    }
  (void)w.write("places.csv", places);
  std::string model = readFile(example("heap"));
  const std::size_t from = model.find("  // Layers, a little"), to = model.find("  initial R[");
  model.replace(from, to - from, "  initial x = read(\"places.csv\");\n");
  model.replace(model.find("eps = 1e-3"), 10, "eps = 1e-4");
  const std::string file = w.write("m.lie", model).string();
  const Trajectory run = runModel(w, file, {"--set", "a=0.5", "--time", "0..0.3", "--every", "0.1"});
  ASSERT_GE(run.rows.size(), 4U);
  // The first steps press the layers together by some micrometres; then nothing moves.
  const auto moved = [&](std::size_t from, std::size_t to) {
    double most = 0;
    for (int i = 1; i <= count; ++i)
      for (int e = 1; e <= 3; ++e) {
        const std::string name = fmt::format("x[{}][{}]", i, e);
        most = std::max(most, std::abs(run.at(to, name) - run.at(from, name)));
      }
    return most;
  };
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    EXPECT_LT(moved(0, k), 2e-5) << k;
    EXPECT_LT(moved(1, k), 2e-7) << k;
    EXPECT_LT(run.at(k, "kinetic"), 1e-9) << k;
  }
}

TEST(SteppedContacts, StepsThatStallAreCountedAndToldOf) {
  const Workspace w;
  const std::string model =
      balls(pile, "method = MoreauJean(eps = 1e-17); time = 0..0.6; step = 1e-3; seed = 2; output every 0.1;");
  const Outcome run = w.lmc({"run", w.write("m.lie", model).string(), "--json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.err.find("LIE0539"), std::string::npos) << run.err;
  const nlohmann::json c = parseJson(run.out)["contacts"];
  EXPECT_GT(c["stalled"], 0);
  EXPECT_GT(c["residual"], 1e-17);
  EXPECT_LT(c["residual"], 1e-6);
}

TEST(SteppedContacts, ARunThatGoesOnRepeatsTheBits) {
  const Workspace w;
  const std::string file =
      w.write("m.lie", balls(pile, "method = MoreauJean; time = 0..1; step = 1e-3; seed = 2; output every 0.05;"))
          .string();
  const Trajectory whole = runModel(w, file, {});
  (void)runModel(w, file, {"--time", "0..0.5", "--checkpoint", "c.json"});
  const Trajectory rest = runModel(w, file, {"--resume", w.path("c.json").string()});
  ASSERT_FALSE(whole.rows.empty());
  ASSERT_FALSE(rest.rows.empty());
  EXPECT_EQ(rest.rows.back(), whole.rows.back());
}

TEST(SteppedContacts, DoNotDependOnWhoLooks) {
  const Workspace w;
  const std::string file =
      w.write("m.lie", balls(pile, "method = MoreauJean; time = 0..0.6; step = 1e-3; seed = 2;")).string();
  const Trajectory often = runModel(w, file, {"--every", "0.0017"}), seldom = runModel(w, file, {"--every", "0.3"});
  ASSERT_FALSE(often.rows.empty());
  ASSERT_FALSE(seldom.rows.empty());
  EXPECT_EQ(often.rows.back(), seldom.rows.back());
}

TEST(SteppedContacts, PairsThatAreNotSeenAsDistancesAreTheSame) {
  const Workspace w;
  std::string model = balls(pile, "method = MoreauJean; time = 0..0.8; step = 1e-3; seed = 2; output every 0.1;");
  const Trajectory near = runModel(w, w.write("m.lie", model).string(), {});
  // A factor that is 1 hides the distance: all pairs are looked at.
  const std::string from = "norm(x[i] - x[j]) >= 2*r";
  model.replace(model.find(from), from.size(), "one*norm(x[i] - x[j]) >= one*2*r");
  model.insert(model.find("  config x[N]"), "  param one = 1;\n");
  const Trajectory all = runModel(w, w.write("n.lie", model).string(), {});
  ASSERT_FALSE(near.rows.empty());
  ASSERT_EQ(near.rows.size(), all.rows.size());
  for (std::size_t k = 0; k < near.rows.size(); ++k)
    EXPECT_NEAR(near.at(k, "x[1][3]"), all.at(k, "x[1][3]"), 1e-9) << k; // the code rounds otherwise
}

TEST(SteppedContacts, CodeDoesNotGrowWithTheNumberOfBodies) {
  Workspace w;
  w.freshCache(); // code that is kept there was made with more time
  const std::string model = balls(pile, "method = MoreauJean; time = 0..0.01; step = 1e-3; seed = 2;");
  const double few = runOf(w, model, {"--set", "N=20"})["code_bytes"];
  const double many = runOf(w, model, {"--set", "N=150"})["code_bytes"];
  EXPECT_LT(std::abs(many - few), 0.05 * few);
}

TEST(SteppedContacts, EventsAndSamplesBetweenStepsSeeThem) {
  const Workspace w;
  std::string model = bouncing;
  model.insert(model.find("  initial"), "  event low = falling(x[3] - 0.2);\n");
  const nlohmann::json run = runOf(w, model);
  EXPECT_EQ(run["event"]["name"], "low");
  EXPECT_NEAR(double(run["event"]["time"]), std::sqrt(2 * 0.9 / g), 1e-9);
}

TEST(SteppedContacts, WhatCannotBeIsSaid) {
  const Workspace w;
  const auto says = [&](const std::string& model, const std::string& code, const std::string& words,
                        Arguments more = {}) {
    const std::string err = failure(w, model, std::move(more));
    EXPECT_NE(err.find(code), std::string::npos) << err;
    EXPECT_NE(err.find(words), std::string::npos) << err;
  };
  const auto changed = [](std::string model, const std::string& from, const std::string& to) {
    return model.replace(model.find(from), from.size(), to);
  };
  says(changed(bouncing, "x[3] >= 0.1", "x[3] >= 1.5"), "LIE0449", "does not hold");
  says(changed(bouncing, "restitution = 0.8", "restitution = 1 + x[3]"), "LIE0536", "restitution");
  says(changed(bouncing, "restitution = 0.8", "friction = 0.1; slip = v[1]*v[2]"), "LIE0421", "affine");
  says(changed(bouncing, "  initial", "  constraint rail : x[1] = 0;\n  initial"), "LIE0512",
       "`rail`, for which the method has no equations; methods on `manifold` and projected ones");
  says(changed(bouncing, "  initial", "  observe f = multiplier(floor);\n  initial"), "LIE0420", "impulses");
  says(changed(bouncing, "MoreauJean", "adjoint(MoreauJean)"), "LIE0512", "adjoint");
  says(changed(bouncing, "step = 1e-3", "step = 1e-3; simultaneous = sequential"), "LIE0512", "sequential");
  says(changed(bouncing, "MoreauJean", "MoreauJean(eps = 2)"), "LIE0536", "tolerance");
  const std::string coupled = R"(model Coupled {
  config x[3] : R velocity v;
  lagrangian = 0.5*sum(i in 1..3: v[i]^2) + 0.5*(v[1] + v[2] + v[3])^2;
  contact wall[i in 1..3] : x[i] >= 0;
  simulate { method = MoreauJean; time = 0..1; step = 0.01; }
}
)";
  says(coupled, "LIE0455", "couples");
  const std::string heap = example("heap");
  for (const char* method : {"RKMK4", "auto"}) {
    const Outcome other = w.lmc({"run", heap, "--method", method, "--accuracy", "1e-4"});
    EXPECT_NE(other.status, 0) << method;
    EXPECT_NE(other.err.find("LIE0141"), std::string::npos) << other.err;
    EXPECT_NE(other.err.find("methods on `contacts`"), std::string::npos) << other.err;
  }
  const Outcome exported = w.lmc({"export", w.write("m.lie", bouncing).string(), "--c", "-o", w.path("x").string()});
  EXPECT_NE(exported.status, 0);
  EXPECT_NE(exported.err.find("LIE0654"), std::string::npos) << exported.err;
}

/// Samples of an ensemble are single runs, to the bit, whatever the threads; impulses in doubt have a status.
TEST(SteppedContacts, SamplesOfAnEnsembleAreRuns) {
  const Workspace w;
  const std::string model = balls(pile, "method = MoreauJean; time = 0..0.7; step = 1e-3; seed = 2;");
  const std::string file = w.write("m.lie", model).string();
  const Arguments vary = {"ensemble", file, "--vary", "mu ~ linspace(0.1, 0.7)", "--samples", "3", "--json"};
  std::string bytes;
  for (const std::string threads : {"1", "3"}) {
    Arguments call = vary;
    call.insert(call.end(), {"--threads", threads, "--output", threads + ".csv"});
    const Outcome ensemble = w.lmc(call);
    ASSERT_EQ(ensemble.status, 0) << ensemble.err;
    EXPECT_EQ(parseJson(ensemble.out)["failed"], 0);
    const std::string now = readFile(w.path(threads + ".csv"));
    EXPECT_TRUE(bytes.empty() || now == bytes);
    bytes = now;
  }
  const auto table = parseCsv(bytes);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    const Trajectory run = runModel(
        w, file, {"--set", fmt::format("mu={:.17g}", table->at(k, "vary_mu")), "--seed", std::to_string(2 + k)});
    for (const char* name : {"x[1][1]", "x[10][3]", "v[4][2]", "W[1][1]", "kinetic"})
      EXPECT_EQ(table->at(k, name), run.last(name)) << name << " of " << k;
    EXPECT_GT(std::abs(run.last("W[1][1]")), 1e-6);
  }
}

/// Impulses that are not found to the tolerance: each sample says so, and so does the summary.
TEST(SteppedContacts, EnsemblesTellOfImpulsesInDoubt) {
  const Workspace w;
  const std::string file =
      w.write("m.lie", balls(pile, "method = MoreauJean(eps = 1e-17); time = 0..0.6; step = 1e-3; seed = 2;")).string();
  const Outcome o = w.lmc({"ensemble", file, "--samples", "2", "--vary", "m ~ linspace(1, 2)", "--output", "d.csv"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("LIE0539"), std::string::npos) << o.err;
  EXPECT_NE(o.out.find("doubtful"), std::string::npos) << o.out;
  const auto table = parseCsv(readFile(w.path("d.csv")));
  ASSERT_TRUE(table);
  for (std::size_t k = 0; k < table->rows.size(); ++k) EXPECT_EQ(table->at(k, "status"), 105);
}
