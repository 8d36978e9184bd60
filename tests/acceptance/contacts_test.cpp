// Contacts against closed forms (the references of impacts and friction), and what a run says where it cannot go on.
#include "acceptance/Runs.h"
#include "acceptance/Trajectory.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// Methods on `manifold` and projected ones, fixed and adaptive; all are exact for a ball in flight.
const std::vector<std::string> settings = {"method = RKMK4; step = 0.01;",
                                           "method = RKMK4; step = 0.07; output every 0.02;",
                                           "method = CF4; step = 0.013; output steps 7;",
                                           "method = CG4; step = 0.3;",
                                           "method = RKMK54; tolerance = 1e-9;",
                                           "method = P54; tolerance = 1e-6; output every 0.1;",
                                           "method = RKMK78; step = 2.5;"};

std::string ball(const std::string& run, const std::string& time = "0..5",
                 const std::string& law = "restitution = e;") {
  return R"(model Ball {
  param e = 0.8;
  config z : R velocity v;
  lagrangian = 0.5*v^2 - 9.81*z;
  contact floor : z >= 0 { )" +
         law + R"( }
  initial z = 1;
  observe force = multiplier(floor);
  simulate { time = )" +
         time + "; " + run + " }\n}\n";
}

std::vector<double> timesOf(const nlohmann::json& run, const std::string& name) {
  std::vector<double> times;
  for (const auto& e : run["events"])
    if (e["name"] == name) times.push_back(e["time"]);
  return times;
}

/// Every sample's largest rise of the energy behind the sample before.
double largestRise(const Trajectory& run) {
  double most = 0;
  for (std::size_t k = 1; k < run.rows.size(); ++k)
    most = std::max(most, run.at(k, "energy") - run.at(k - 1, "energy"));
  return most;
}

} // namespace

TEST(Contact, LetsTheBallOfTheReferencesComeToRest) {
  const Workspace w;
  for (const std::string& s : settings) {
    SCOPED_TRACE(s);
    const nlohmann::json run = runOf(w, ball(s), {"--output", w.path("o.csv").string()});
    const std::vector<double> hits = timesOf(run, "floor");
    ASSERT_GT(hits.size(), 50U) << run;
    EXPECT_LE(run["events"].size(), 100U);
    EXPECT_NEAR(hits[0], 0.4515236409857309, 5e-14);
    EXPECT_NEAR(hits[1], 1.1739614665629004, 1e-13);
    EXPECT_NEAR(hits[2], 1.7519117270246359, 1e-13);
    EXPECT_NEAR(hits.back(), 4.0637127688715781, 1e-5); // within the last bounces, a millionth of the first
    const auto o = parseCsv(readFile(w.path("o.csv")));
    ASSERT_TRUE(o);
    EXPECT_NEAR(o->last("z"), 0, 1e-15);
    EXPECT_NEAR(o->last("v"), 0, 1e-15);
    EXPECT_NEAR(o->last("force"), 9.81, 1e-14);
    EXPECT_EQ(o->last("floor.mode"), 1);
    for (std::size_t k = 0; k < o->rows.size(); ++k) ASSERT_GE(o->at(k, "z"), -1e-14);
    EXPECT_LT(largestRise(*o), 1e-12);
  }
  const Trajectory half = runModel(w, w.write("m.lie", ball(settings[0], "0..2.5")).string(), {});
  EXPECT_NEAR(half.last("z"), 0.11795005964214797, 1e-12);
  EXPECT_NEAR(half.last("v"), -0.98869085614314081, 1e-12);
}

TEST(Contact, HasTwoSamplesAtAnImpact) {
  const Workspace w;
  const Trajectory run = runModel(w, w.write("m.lie", ball("method = RKMK4; step = 0.1;", "0..1.5")).string(), {});
  int doubled = 0;
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    if (run.at(k, "t") != run.at(k - 1, "t")) continue;
    ++doubled;
    EXPECT_NEAR(run.at(k, "v"), -0.8 * run.at(k - 1, "v"), 1e-14);
    EXPECT_NEAR(run.at(k, "floor.impulse"), 1.8 * -run.at(k - 1, "v"), 1e-13);
  }
  EXPECT_EQ(doubled, 2);
}

/// A rod of length 2 at 30 degrees hits the floor with its left end: Moreau's law in closed form.
TEST(Contact, FrictionActsInImpacts) {
  const Workspace w;
  struct Wanted {
    std::string mu;
    double normal, tangential, vx, vy, omega, energy;
  };
  for (const Wanted& x : std::vector<Wanted>{
           {"0", 0.98461538461538462, 0, 0.5, -1.0153846153846154, -2.5581058081017265, 1.7311538461538462},
           {"0.1", 1.025609406158149, 0.1025609406158149, 0.6025609406158149, -0.97439059384185095, -2.5107699893559657,
            1.7069193481700713},
           {"10", 1.2376202367904178, 0.63298048454132638, 1.1329804845413264, -0.76237976320958225,
            -2.2659609690826528, 1.7881970264191645}}) {
    SCOPED_TRACE(x.mu);
    const std::string model = R"(model Rod {
  config x : R^2 velocity v;
  config phi : R velocity w;
  lagrangian = 0.5*dot(v, v) + w^2/6;
  contact tip : x[2] - sin(phi) >= 0 { restitution = 0.6; friction = )" +
                              x.mu + R"(; slip = v[1] + sin(phi)*w; }
  initial x = [0, 2.5];  initial v = [0.5, -2];  initial phi = pi/6;
  simulate { method = RKMK4; time = 0..1.0000001; step = 0.1; }
}
)";
    const Trajectory run = runModel(w, w.write("m.lie", model).string(), {});
    ASSERT_FALSE(run.rows.empty());
    EXPECT_NEAR(run.last("tip.impulse"), x.normal, 1e-12);
    EXPECT_NEAR(run.last("tip.slip.impulse"), x.tangential, 1e-12);
    EXPECT_NEAR(run.last("v[1]"), x.vx, 1e-12);
    EXPECT_NEAR(run.last("v[2]"), x.vy, 1e-12);
    EXPECT_NEAR(run.last("w"), x.omega, 1e-12);
    EXPECT_NEAR(run.last("energy"), x.energy, 1e-12);
    EXPECT_NEAR(run.at(0, "energy"), 2.125, 1e-14);
  }
}

/// Newton's cradle: at the begin, touching, and on the way; together and one after the other.
TEST(Contact, SolvesTouchingContactsTogetherOrInTurn) {
  const Workspace w;
  const auto cradle = [&](const std::string& first, const std::string& run) {
    const std::string model = R"(model Cradle {
  config x[3] : R velocity v;
  lagrangian = sum(i in 1..3 : 0.5*v[i]^2);
  contact pair[i in 2..3] : x[i] - x[i-1] >= 1 { restitution = 1; }
  initial x = [)" + first + R"(, 2, 3];
  initial v = [1, 0, 0];
  simulate { method = RKMK4; time = 0..2; step = 0.1; )" +
                              run + " }\n}\n";
    return runModel(w, w.write("m.lie", model).string(), {});
  };
  for (const std::string first : {"1", "0.3"}) {
    const Trajectory together = cradle(first, "");
    EXPECT_NEAR(together.last("v[1]"), -1.0 / 3, 1e-14);
    EXPECT_NEAR(together.last("v[2]"), 2.0 / 3, 1e-14);
    EXPECT_NEAR(together.last("v[3]"), 2.0 / 3, 1e-14);
    EXPECT_NEAR(together.last("energy"), 0.5, 1e-14);
    const Trajectory inTurn = cradle(first, "simultaneous = sequential;");
    EXPECT_NEAR(inTurn.last("v[1]"), 0, 1e-14);
    EXPECT_NEAR(inTurn.last("v[2]"), 0, 1e-14);
    EXPECT_NEAR(inTurn.last("v[3]"), 1, 1e-14);
    EXPECT_NEAR(inTurn.last("energy"), 0.5, 1e-14);
    const std::size_t behind = first == "1" ? 0 : 1;
    EXPECT_EQ(inTurn.at(behind, "v[1]"), 1); // the first of two samples at the impact
  }
}

/// Balls of unequal masses on each other stay at rest; a push from below opens the contacts.
TEST(Contact, AStackStaysAtRest) {
  const Workspace w;
  const std::string model = R"(model Stack {
  param r = 0.13;
  param m[3] = [1, 2.5, 0.3];
  config z[3] : R velocity v;
  lagrangian = sum(i in 1..3 : 0.5*m[i]*v[i]^2 - 9.81*m[i]*z[i]);
  contact floor : z[1] >= r { restitution = 0.9; }
  contact pair[i in 2..3] : z[i] - z[i-1] >= 2*r { restitution = 0.9; }
  initial z[i in 1..3] = (2*i - 1)*r;
  observe force = multiplier(floor);
  observe between[i in 2..3] = multiplier(pair[i]);
  simulate { method = RKMK4; time = 0..10; step = 0.01; }
}
)";
  const nlohmann::json run = runOf(w, model, {"--output", w.path("o.csv").string()});
  EXPECT_TRUE(run["events"].empty()) << run["events"];
  const auto o = parseCsv(readFile(w.path("o.csv")));
  ASSERT_TRUE(o);
  for (std::size_t k = 0; k < o->rows.size(); ++k) {
    for (int i = 1; i <= 3; ++i) ASSERT_NEAR(o->at(k, "z[" + std::to_string(i) + "]"), (2 * i - 1) * 0.13, 1e-14);
    ASSERT_NEAR(o->at(k, "force"), 3.8 * 9.81, 1e-12);
    ASSERT_NEAR(o->at(k, "between[2]"), 2.8 * 9.81, 1e-12);
    ASSERT_NEAR(o->at(k, "between[3]"), 0.3 * 9.81, 1e-12);
  }
}

/// A block on two corners: with friction more forces than motions. It rests on an incline.
TEST(Contact, ABlockRestsOnItsCorners) {
  const Workspace w;
  const std::string model = R"(model Block {
  param h = 0.5;  param b = 0.7;  param slope = 0.2;  param mu = 0.3;
  config x : R^2 velocity v;
  config phi : R velocity w;
  let corner[k in 1..2] = x + [(2*k - 3)*b*cos(phi) + h*sin(phi), (2*k-3)*b*sin(phi) - h*cos(phi)];
  lagrangian = 0.5*dot(v, v) + 0.5*(h^2 + b^2)/3*w^2 - 9.81*(x[2]*cos(slope) + x[1]*sin(slope));
  contact ground[k in 1..2] : corner[k][2] >= 0 { friction = mu; slip = corner[k]'[1]; }
  initial x = [0, 0.5];
  observe N1 = multiplier(ground[1]) + multiplier(ground[2]);
  observe T1 = multiplier(ground.slip[1]) + multiplier(ground.slip[2]);
  simulate { method = RKMK4; time = 0..1; step = 0.05; }
}
)";
  const Trajectory run = runModel(w, w.write("m.lie", model).string(), {});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.last("x[1]"), 0, 1e-12);
  EXPECT_NEAR(run.last("x[2]"), 0.5, 1e-12);
  EXPECT_NEAR(run.last("phi"), 0, 1e-12);
  EXPECT_NEAR(run.last("N1"), 9.81 * std::cos(0.2), 1e-11);
  EXPECT_NEAR(run.last("T1"), 9.81 * std::sin(0.2), 1e-11);
}

/// A particle is shot up an incline: it slides, stops, and stays or slides back.
TEST(Contact, SticksAndSlidesOnAnIncline) {
  const Workspace w;
  for (const double mu : {0.7, 0.35}) {
    const double slope = 0.5, g = 9.81, up = 3;
    const std::string model = R"(model Incline {
  param mu = )" + std::to_string(mu) +
                              R"(;  param slope = 0.5;
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v) - 9.81*(x[2]*cos(slope) + x[1]*sin(slope));
  contact ground : x[2] >= 0 { friction = mu;  slip = v[1]; }
  initial v = [3, 0];
  observe pull = multiplier(ground.slip);
  simulate { method = RKMK4; time = 0..2; step = 0.07; }
}
)";
    const nlohmann::json run = runOf(w, model, {"--output", w.path("o.csv").string()});
    const auto o = parseCsv(readFile(w.path("o.csv")));
    ASSERT_TRUE(o);
    const double down = g * (std::sin(slope) + mu * std::cos(slope)), stop = up / down;
    const std::vector<double> stops = timesOf(run, "ground.sticks");
    ASSERT_EQ(stops.size(), 1U) << run["events"];
    EXPECT_NEAR(stops[0], stop, 1e-13);
    const double top = up * up / (2 * down), back = std::max(0.0, g * (std::sin(slope) - mu * std::cos(slope)));
    EXPECT_NEAR(o->last("x[1]"), top - back * (2 - stop) * (2 - stop) / 2, 1e-12);
    EXPECT_NEAR(o->last("v[1]"), -back * (2 - stop), 1e-12);
    EXPECT_EQ(o->last("ground.mode"), back > 0 ? 1 : 2);
    EXPECT_NEAR(o->last("pull"), back > 0 ? mu * g * std::cos(slope) : g * std::sin(slope), 1e-12);
  }
}

/// A puck that is pushed across an incline turns downhill while it stops, against the equations of its speed and angle
/// in long double, with the angle as the independent variable near the stop.
TEST(Contact, ThePathOfASlipInSpaceIsCurved) {
  const Workspace w;
  const std::string model = R"(model Puck {
  param mu = 0.5;  param slope = 0.3;
  config x : R^3 velocity v;
  lagrangian = 0.5*dot(v, v) - 9.81*(x[3]*cos(slope) - x[1]*sin(slope));
  contact ground : x[3] >= 0.02 { friction = mu;  slip = [v[1], v[2]]; }
  initial x = [0, 0, 0.02];  initial v = [-1.2, 2.1, 0];
  simulate { method = RKMK54; time = 0..0.6; tolerance = 1e-11; output every 0.1; }
}
)";
  const nlohmann::json run = runOf(w, model, {"--output", w.path("o.csv").string()});
  const auto o = parseCsv(readFile(w.path("o.csv")));
  ASSERT_TRUE(o);
  // x1'' = g s - mu g c v1/|v|, x2'' = - mu g c v2/|v|.
  const long double a = 9.81L * std::sin(0.3L), f = 0.5L * 9.81L * std::cos(0.3L);
  using State = std::array<long double, 4>;
  const auto rate = [&](const State& y) {
    const long double speed = std::hypot(y[2], y[3]);
    return State{y[2], y[3], a - f * y[2] / speed, -f * y[3] / speed};
  };
  const auto moved = [](const State& y, const State& k, long double h) {
    State z = y;
    for (std::size_t i = 0; i < 4; ++i) z[i] += h * k[i];
    return z;
  };
  State y{0, 0, -1.2L, 2.1L};
  long double t = 0;
  State at{};
  bool seen = false;
  while (std::hypot(y[2], y[3]) > 1e-9L) { // steps are short where the speed is
    long double h = std::min(1e-4L, 1e-3L * std::hypot(y[2], y[3]));
    if (!seen && t + h >= 0.4L) h = 0.4L - t;
    const State k1 = rate(y), k2 = rate(moved(y, k1, h / 2)), k3 = rate(moved(y, k2, h / 2)),
                k4 = rate(moved(y, k3, h));
    for (std::size_t i = 0; i < 4; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    t += h;
    if (!seen && t >= 0.4L) {
      seen = true;
      at = y;
    }
  }
  for (std::size_t k = 0; k < o->rows.size(); ++k) {
    if (std::abs(o->at(k, "t") - 0.4) > 1e-12) continue;
    EXPECT_NEAR(o->at(k, "x[1]"), static_cast<double>(at[0]), 1e-10);
    EXPECT_NEAR(o->at(k, "x[2]"), static_cast<double>(at[1]), 1e-10);
  }
  ASSERT_TRUE(seen);
  const std::vector<double> stops = timesOf(run, "ground.sticks");
  ASSERT_FALSE(stops.empty());
  EXPECT_NEAR(stops.back(), static_cast<double>(t), 1e-5);
  EXPECT_NEAR(o->last("x[1]"), static_cast<double>(y[0]), 1e-7);
  EXPECT_NEAR(o->last("x[2]"), static_cast<double>(y[1]), 1e-7);
  EXPECT_EQ(o->last("ground.mode"), 2);
  EXPECT_EQ(o->last("v[1]"), 0);
}

TEST(Contact, ABilliardBallSlidesAndThenRolls) {
  const Workspace w;
  for (const char* method : {"RKMK4", "CF4", "RKMK54"}) {
    SCOPED_TRACE(method);
    const nlohmann::json run =
        runOf(w, readFile(example("billiard_ball")), {"--method", method, "--output", w.path("o.csv").string()});
    const std::vector<double> rolls = timesOf(run, "cloth.sticks");
    ASSERT_EQ(rolls.size(), 1U) << run["events"];
    EXPECT_NEAR(rolls[0], 2 * std::sqrt(2.5 * 2.5 + 2 * 2) / (7 * 0.2 * 9.81), 1e-12);
    const auto o = parseCsv(readFile(w.path("o.csv")));
    ASSERT_TRUE(o);
    bool seen = false;
    for (std::size_t k = 0; k < o->rows.size(); ++k) {
      if (o->at(k, "t") != rolls[0]) continue;
      seen = true;
      EXPECT_NEAR(o->at(k, "x[1]"), 0.76593988569013044, 1e-12);
      EXPECT_NEAR(o->at(k, "x[2]"), 0.099905202481321361, 1e-12);
    }
    EXPECT_TRUE(seen);
    EXPECT_NEAR(o->last("x[1]"), 2.7379372422307737, 1e-12);
    EXPECT_NEAR(o->last("x[2]"), -0.0096502062153810421, 1e-12);
    EXPECT_NEAR(o->last("x[3]"), 0.5, 1e-15);
    EXPECT_NEAR(o->last("v[1]"), 9.0 / 7, 1e-12);
    EXPECT_NEAR(o->last("v[2]"), -1.0 / 14, 1e-12);
    EXPECT_LT(largestRise(*o), 1e-12);
  }
}

/// A particle on a circle leaves it where the normal force vanishes, at cos a = 2/3; the energy gives its flight.
TEST(Contact, OpensWhereTheForceVanishes) {
  const Workspace w;
  const std::string model = R"(model Dome {
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v) - 9.81*x[2];
  contact dome : sqrt(dot(x, x)) >= 1;
  initial x = [0, 1];  initial v = [0.1, 0];
  simulate { method = RKMK6; time = 0..1.5; step = 0.005; }
}
)";
  const nlohmann::json run = runOf(w, model, {"--output", w.path("o.csv").string()});
  const std::vector<double> opens = timesOf(run, "dome.opens");
  ASSERT_EQ(opens.size(), 1U) << run["events"];
  const auto o = parseCsv(readFile(w.path("o.csv")));
  ASSERT_TRUE(o);
  // v^2 = g cos a there, and v^2 = v0^2 + 2 g (1 - cos a).
  const double height = (0.01 + 2 * 9.81) / (3 * 9.81);
  for (std::size_t k = 0; k < o->rows.size(); ++k)
    if (o->at(k, "t") == opens[0]) EXPECT_NEAR(o->at(k, "x[2]"), height, 1e-9);
  EXPECT_EQ(o->last("dome.mode"), 0);
}

/// Bilateral constraints carry their share of an impulse: a pendulum against a wall, and a dumbbell on the floor.
TEST(Contact, KeepsConstraintsInImpacts) {
  const Workspace w;
  const std::string model = R"(model Dumbbell {
  param m = 2;
  config a : R^2 velocity va;
  config b : R^2 velocity vb;
  lagrangian = 0.5*dot(va, va) + 0.5*m*dot(vb, vb);
  constraint rod : dot(a - b, a - b) = 1;
  contact floor : a[2] >= 0 { restitution = 0.5; }
  initial a = [0, 1];  initial b = [0.6, 1.8];
  initial va = [0, -1];  initial vb = [0, -1];
  simulate { method = RKMK4; time = 0..1.0000001; step = 0.1; }
}
)";
  const Trajectory run = runModel(w, w.write("m.lie", model).string(), {});
  ASSERT_FALSE(run.rows.empty());
  // Along u = (0.6, 0.8) from a to b the rod pulls with J: va = (0, -1) + P e2 + J u, 2 vb = 2 (0, -1) - J u,
  // (va - vb) u = 0, va e2 = 0.5.
  const double u = 0.8, j = -2.0 / 3 * u, c = 1 + u * j; // J = j P
  const double push = 1.5 / c;
  EXPECT_NEAR(run.last("floor.impulse"), push, 1e-12);
  EXPECT_NEAR(run.last("va[1]"), 0.6 * j * push, 1e-6);
  EXPECT_NEAR(run.last("va[2]"), 0.5, 1e-6);
  EXPECT_NEAR(run.last("vb[1]"), -0.3 * j * push, 1e-6);
}

/// Restitution along the normal and friction along the slip may contradict each other: what adds energy is refused.
TEST(Contact, RefusesWhatItCannotDecide) {
  const Workspace w;
  const auto rod = [&](const std::string& angle, const std::string& rest) {
    return R"(model Painleve {
  param mu = 2;
  config x : R^2 velocity v;
  config phi : R velocity w;
  lagrangian = 0.5*dot(v, v) + w^2/6 - 9.81*x[2];
  contact tip : x[2] - sin(phi) >= 0 { friction = mu; slip = v[1] + sin(phi)*w; }
  initial phi = )" +
           angle + R"(;  initial x = [0, sin()" + angle + R"()];
  )" + rest +
           R"(
  simulate { method = RKMK4; time = 0..1; step = 0.001; }
}
)";
  };
  const std::string inside = failure(w, rod("1", "initial v = [-1, 0];"));
  EXPECT_NE(inside.find("LIE0535"), std::string::npos) << inside;
  EXPECT_NE(inside.find("`tip`"), std::string::npos) << inside;
  EXPECT_NE(inside.find("t = 0"), std::string::npos) << inside;
  // One that turns into it while it slides stops there, or has come off the floor before.
  const std::string turning = failure(w, rod("0.64", "initial v = [-20, 0.2*cos(0.64)];  initial w = 0.2;"));
  EXPECT_NE(turning.find("takes all resistance"), std::string::npos) << turning;
  EXPECT_NE(turning.find("LIE0535"), std::string::npos) << turning;
  const nlohmann::json off = runOf(w, rod("0.5", "initial v = [-20, cos(0.5)];  initial w = 1;"), {"--time", "0..0.2"});
  EXPECT_EQ(timesOf(off, "tip.opens").size(), 1U) << off["events"];
  // The other way it slides without trouble.
  (void)runOf(w, rod("1", "initial v = [1, 0];"), {"--time", "0..0.05"});
}

/// At 55 degrees a rod would stop slipping and bounce with more energy than it came with.
TEST(Contact, AnImpactThatAddsEnergyIsRefused) {
  const Workspace w;
  const std::string text = failure(w, R"(model Rod {
  config x : R^2 velocity v;
  config phi : R velocity w;
  lagrangian = 0.5*dot(v, v) + w^2/6;
  contact tip : x[2] - sin(phi) >= 0 { restitution = 1; friction = 0.5; slip = v[1] + sin(phi)*w; }
  initial phi = 55*pi/180;  initial x = [0, 1 + sin(55*pi/180)];  initial v = [0.75, -1];
  simulate { method = RKMK4; time = 0..2; step = 0.1; }
}
)");
  EXPECT_NE(text.find("LIE0534"), std::string::npos) << text;
  EXPECT_NE(text.find("0.12458"), std::string::npos) << text;
  EXPECT_NE(text.find("`tip`"), std::string::npos) << text;
}

TEST(Contact, LawsOutsideOfTheirRangesAreTold) {
  const Workspace w;
  const std::string model = ball("method = RKMK4; step = 0.01;");
  EXPECT_NE(failure(w, model, {"--set", "e=1.5"}).find("LIE0536"), std::string::npos);
  EXPECT_NE(failure(w, model, {"--set", "z=-1"}).find("LIE0449"), std::string::npos);
  EXPECT_NE(failure(w, model, {"--method", "VITrapezoid"}).find("LIE0512"), std::string::npos);
  EXPECT_NE(failure(w, model, {"--method", "SymmetricGL2"}).find("LIE0512"), std::string::npos);
  const std::string slip = failure(w, ball(settings[0], "0..1", "friction = 0.3; slip = v^2;"));
  EXPECT_NE(slip.find("[LIE0421]: the slip of the contact `floor` is not affine"), std::string::npos) << slip;
  EXPECT_EQ(slip.find("constraint"), std::string::npos) << slip;
  const std::string negative = failure(w, ball(settings[0], "0..1", "friction = -0.3; slip = v;"));
  EXPECT_NE(negative.find("`friction` is negative here"), std::string::npos) << negative;
}

TEST(Contact, HasALimitOfFriction) {
  const Workspace w;
  const std::string model = R"(model Balls {
  param N : int = 24;
  config x[N] : R^2 velocity v;
  lagrangian = sum(i in 1..N : 0.5*dot(v[i], v[i]) - 9.81*x[i][2]);
  contact floor[i in 1..N] : x[i][2] >= 0 { friction = 0.1; slip = v[i][1]; }
  initial v[i in 1..N] = [i, 0];
  simulate { method = RKMK4; time = 0..0.1; step = 0.05; }
}
)";
  EXPECT_NE(failure(w, model, {"--set", "N=25"}).find("LIE0448"), std::string::npos);
  const Trajectory three = runModel(w, w.write("m.lie", model).string(), {"--set", "N=3"});
  for (int i = 1; i <= 3; ++i) EXPECT_NEAR(three.last("v[" + std::to_string(i) + "][1]"), i - 0.0981, 1e-13);
}

TEST(Contact, WhatDoesNotKnowImpactsIsRefused) {
  const Workspace w;
  const std::string file = w.write("m.lie", ball("method = RKMK4; step = 0.01;")).string();
  const Outcome symplectic = w.lmc({"symplecticity", file});
  EXPECT_NE(symplectic.status, 0);
  EXPECT_NE(symplectic.err.find("LIE0652"), std::string::npos) << symplectic.err;
  const Outcome exported = w.lmc({"export", file, "--c", "-o", w.path("x").string()});
  EXPECT_NE(exported.status, 0);
  EXPECT_NE(exported.err.find("LIE0653"), std::string::npos) << exported.err;
}

/// A contact is called one, and the methods that are named do step it.
TEST(Contact, AMethodThatStepsNoneIsRefusedForTheContact) {
  const Workspace w;
  for (const std::string method : {"RK4", "RATTLE", "HEM4", "VITrapezoid"}) {
    const std::string said = failure(w, ball("method = " + method + "; step = 0.01;"));
    EXPECT_NE(said.find("it has the contact `floor`"), std::string::npos) << said;
    EXPECT_EQ(said.find("constraint"), std::string::npos) << said;
    const std::string before = "methods of the library that can are ";
    const std::size_t begin = said.find(before) + before.size();
    const std::string named = said.substr(begin, said.find(',', begin) - begin);
    (void)runOf(w, ball("method = " + named + "; step = 0.01;", "0..0.1"));
  }
}

/// A run that goes on from a checkpoint repeats the bits, and samples of an ensemble are single runs.
TEST(Contact, ResumesAndVaries) {
  const Workspace w;
  const std::string file = w.write("m.lie", readFile(example("billiard_ball"))).string();
  const Trajectory whole = runModel(w, file, {"--time", "0..1"});
  for (const char* cut : {"0.2", "0.47", "0.7"}) {
    (void)runModel(w, file, {"--time", std::string("0..") + cut, "--checkpoint", "c.json"});
    const Trajectory rest = runModel(w, file, {"--time", "0..1", "--resume", w.path("c.json").string()});
    ASSERT_FALSE(rest.rows.empty());
    EXPECT_EQ(rest.rows.back(), whole.rows.back()) << cut;
  }
}
