// Single steps carry out events, resets, samplings and contacts, with the bits of a run.
#include "Support.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using host::compiled;

/// Steps of a workspace, one by one and in groups, against a run of the same steps.
void expectRun(const lmc::Model& m, double h, std::int64_t n) {
  lmc::Workspace w = m.workspace(), together = m.workspace(), single = m.workspace();
  lmc::RunSettings settings;
  settings.to = static_cast<double>(n) * h;
  settings.step = h;
  settings.fixedSteps = true;
  const lmc::RunResult r = w.run(settings);
  ASSERT_TRUE(r) << (r.failure ? r.failure->message : "");
  together.step(h, n);
  std::vector<lmc::EventHit> met;
  for (std::int64_t k = 0; k < n; ++k) {
    single.step(h);
    for (const lmc::EventHit& e : single.happened()) met.push_back(e);
  }
  EXPECT_EQ(together.state().copy(), w.state().copy());
  EXPECT_EQ(single.state().copy(), w.state().copy());
  EXPECT_EQ(single.time(), together.time());
  EXPECT_NEAR(single.time(), w.time(), 1e-12);
  ASSERT_EQ(met.size(), r.events.size());
  ASSERT_EQ(together.happened().size(), r.events.size());
  for (std::size_t k = 0; k < met.size(); ++k) {
    EXPECT_EQ(met[k].name, r.events[k].name);
    EXPECT_EQ(met[k].time, r.events[k].time);
    EXPECT_EQ(together.happened()[k].time, r.events[k].time);
  }
}

const char* const controlled = R"(
model Controlled {
  param T = 0.07;
  config x : R velocity v;
  lagrangian = 0.5*v^2 - 0.5*x^2;
  discrete u = 0;
  discrete hits : int = 0;
  every T { reset u = -2*x - v; }
  every 0.25 from 0.1 { reset hits = hits + 1; }
  event wall = falling(x + 0.1) { reset v = -0.8*v; reset hits = hits + 10; }
  force on x = u + cos(t);
  initial x = 1;
  simulate { method = RKMK4; time = 0..4; step = 0.02; }
}
)";

} // namespace

TEST(JumpSteps, AreThoseOfARun) {
  expectRun(compiled(controlled), 0.02, 200);
  expectRun(host::ofExample("bouncing_ball"), 0.01, 500);
  expectRun(host::ofExample("billiard_ball"), 0.01, 120);
  expectRun(host::ofExample("rimless_wheel"), 0.01, 400);
  expectRun(host::ofExample("sampled_quadrotor"), 2e-3, 300);
}

/// A step that has no length among the times is refused: it was taken for done, and nothing moved.
TEST(JumpSteps, ThatDoNotChangeTheTimeAreRefused) {
  lmc::Workspace w = compiled("model Ball { config x : R velocity v; lagrangian = 0.5*v^2 - x; initial x = 1;"
                              "  event floor = falling(x) { reset v = -v; } simulate { method = RKMK4; } }")
                         .workspace();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const double far : {infinite, -infinite, std::numeric_limits<double>::quiet_NaN(), 1e300, 1e16}) {
    w.reset();
    w.setTime(far);
    EXPECT_EQ(host::kindOf([&] { w.step(1e-3); }),
              std::isfinite(far) ? lmc::Error::Kind::Misuse : lmc::Error::Kind::RunFailed)
        << far;
    EXPECT_EQ(w.view("x")[0], 1) << far;
  }
  w.reset();
  w.setTime(1e16);
  w.step(2); // the next number there
  EXPECT_EQ(w.time(), 1e16 + 2);
  // So are samplings that would have no time between them.
  lmc::Options far;
  far.timeFrom = 1e16;
  far.timeTo = 1e16 + 8;
  std::string message;
  EXPECT_EQ(host::kindOf([&] { compiled(controlled, far).workspace().step(2); }, &message),
            lmc::Error::Kind::RunFailed);
  EXPECT_NE(message.find("too short"), std::string::npos) << message;
}

/// Impulses of a heap are found in single steps, in runs and for dense output.
TEST(JumpSteps, HaveTheImpulsesOfAHeap) {
  const lmc::Model m = compiled(R"(
model Pile {
  param N : int = 5;
  param r = 0.05;
  config x[N] : R^3 velocity v;
  config W[N] : SO(3) velocity w in space;
  discrete low : int = 0;
  lagrangian = sum(i in 1..N : 0.5*dot(v[i], v[i]) + 0.2*r^2*dot(w[i], w[i]) - 9.81*x[i][3]);
  fn there(i, d) = v[i] - r*cross(w[i], d);
  fn across(i, j) = normalize(x[i] - x[j]);
  contact floor[i in 1..N] : x[i][3] >= r { restitution = 0.2; friction = 0.3; slip = along_ground(there(i, e3), e3); }
  contact touch[i in 1..N, j in i+1..N] : norm(x[i] - x[j]) >= 2*r {
    restitution = 0.2; friction = 0.3;
    slip = along_ground(there(i, across(i, j)) - there(j, -across(i, j)), across(i, j));
  }
  event falls[i in 1..N] = falling(x[i][3] - 0.1) { reset low = low + 1; }
  initial x[i in 1..N] = [0.021*sin(7*i), 0.013*cos(5*i), 0.06 + 0.11*(i - 1)];
  initial v[i in 1..N] = [0.1*i, -0.2, 0];
  simulate { method = MoreauJean; time = 0..0.4; step = 1e-3; }
}
)");
  expectRun(m, 1e-3, 400);
  lmc::Workspace w = m.workspace();
  lmc::Trajectory path = w.record();
  EXPECT_EQ(path.state(0.4).copy(), w.state().copy());
  const std::vector<double> left = path.state(0.2).copy(), middle = path.state(0.2005).copy(),
                            right = path.state(0.201).copy();
  for (std::size_t k = 0; k < 15; ++k)
    EXPECT_NEAR(middle[k], (left[k] + right[k]) / 2, 1e-3 * 0.5) << k; // of positions, with speeds of about 1
  EXPECT_EQ(host::kindOf([&] { (void)w.stepFunction(); }), lmc::Error::Kind::Unavailable);
  // Bodies that overlap at the begin are told.
  w.reset();
  w.view("x")[2] = 0.01;
  std::string why;
  EXPECT_EQ(host::kindOf([&] { w.step(1e-3); }, &why), lmc::Error::Kind::RunFailed);
  EXPECT_NE(why.find("floor[1]"), std::string::npos) << why;
}

/// Between steps a host may do what it wants; what has been carried out is not carried out again.
TEST(JumpSteps, GoOnWhereTheHostHasChangedSomething) {
  const lmc::Model m = compiled(R"(
model Counter {
  input push = 0;
  config x : R velocity v;
  lagrangian = 0.5*v^2;
  discrete n : int = 0;
  every 0.1 { reset n = n + 1; }
  force on x = push;
  event ahead = rising(push - 1) { reset n = n + 100; }
  event far = rising(x - 1);
  initial v = 1;
  simulate { method = RKMK4; time = 0..1; step = 0.1; }
}
)");
  lmc::Workspace w = m.workspace();
  w.step(0.1, 3);
  EXPECT_EQ(w.view("n")[0], 4); // 0, 0.1, 0.2, 0.3
  w.setInput("push", 0.5);      // nothing happens by that
  w.step(0.1);
  EXPECT_EQ(w.view("n")[0], 5);
  EXPECT_EQ(w.happened().size(), 0U);
  w.view("v")[0] = 2; // the sampling of this time is over
  w.step(0.1);
  EXPECT_EQ(w.view("n")[0], 6);
  w.setInput("push", 3); // an event that the host has caused happens at once
  w.step(0.1);
  EXPECT_EQ(w.view("n")[0], 107);
  ASSERT_EQ(w.happened().size(), 1U);
  EXPECT_EQ(w.happened()[0].name, "ahead");
  EXPECT_NEAR(w.happened()[0].time, 0.5, 1e-15);
  w.step(0.1, 3); // an event without a block is told, and ends nothing
  ASSERT_EQ(w.happened().size(), 1U);
  EXPECT_EQ(w.happened()[0].name, "far");
  w.reset(); // another time: all begins anew
  w.step(0.1);
  EXPECT_EQ(w.view("n")[0], 2);
  EXPECT_EQ(w.happened().size(), 0U);
}

TEST(JumpSteps, OfAnotherLengthLandOnEventsAsWell) {
  lmc::Workspace w = host::ofExample("bouncing_ball").workspace();
  const double first = std::sqrt(2 / 9.81); // the time of the first impact
  w.step(0.3);
  EXPECT_EQ(w.happened().size(), 0U);
  w.step(0.25);
  ASSERT_EQ(w.happened().size(), 1U);
  EXPECT_EQ(w.happened()[0].name, "table");
  EXPECT_NEAR(w.happened()[0].time, first, 1e-14);
  const double s = 0.55 - first, up = 0.8 * std::sqrt(2 * 9.81);
  EXPECT_NEAR(w.view("z")[0], up * s - 9.81 * s * s / 2, 1e-13);
  EXPECT_NEAR(w.view("v")[0], up - 9.81 * s, 1e-13);
}

/// What brings states behind resets back to constraints outlives the equations.
TEST(JumpSteps, GoOnBehindARelease) {
  const lmc::Model m = compiled(host::kickedPendulum);
  lmc::Workspace before = m.workspace();
  before.step(0.01, 90);
  m.release();
  lmc::Workspace w = m.workspace();
  w.step(0.01, 90);
  EXPECT_EQ(w.happened().size(), 1U);
  EXPECT_EQ(w.state().copy(), before.state().copy());
}

TEST(JumpSteps, ThatFailSaySoAndKeepTheState) {
  // Impacts whose times have the limit 3.
  lmc::Workspace w = compiled(R"(
model Ball {
  config x : R velocity v;
  lagrangian = 0.5*v^2 - 10*x;
  initial x = 5;
  event ground = falling(x) { reset v = -0.5*v; }
  simulate { method = RKMK4; time = 0..4; step = 0.01; }
}
)")
                         .workspace();
  w.step(0.01, 280);
  EXPECT_EQ(w.happened().size(), 4U); // 1, 2, 2.5, 2.75
  const std::vector<double> before = w.state().copy();
  std::string message;
  EXPECT_EQ(host::kindOf([&] { w.step(0.3); }, &message), lmc::Error::Kind::RunFailed);
  EXPECT_NE(message.find("ground happens again and again"), std::string::npos) << message;
  EXPECT_EQ(w.state().copy(), before);
  EXPECT_EQ(host::kindOf([&] { w.step(-0.1); }), lmc::Error::Kind::Misuse);
  EXPECT_EQ(w.trySteps(0.3, 1), lmc::Status::ResetFailed);
}

namespace {

/// MRG32k3a in whole numbers.
struct Generator {
  std::array<std::int64_t, 6> s;
  double next() {
    constexpr std::int64_t m1 = 4294967087, m2 = 4294944443;
    const auto modulo = [](std::int64_t x, std::int64_t m) { return (x % m + m) % m; };
    const std::int64_t p = modulo(1403580 * s[1] - 810728 * s[0], m1), q = modulo(527612 * s[5] - 1370589 * s[3], m2);
    s = {s[1], s[2], p, s[4], s[5], q};
    return static_cast<double>(p > q ? p - q : p - q + m1) / 4294967088.0;
  }
};

} // namespace

/// From the seeds 12345 the generator begins with 0.1270111220, 0.3185275654, 0.3091860156 (L'Ecuyer 1999).
TEST(JumpSteps, DrawTheNumbersOfTheGenerator) {
  lmc::Workspace w = compiled(R"(
model Draws {
  config x : R velocity v;
  lagrangian = 0.5*v^2;
  discrete a = 0;
  discrete b : vec(2) = [0, 0];
  discrete c[i in 1..12] = 0;
  discrete n = 0;
  every 0.1 {
    reset a = uniform(0, 1);
    reset b = uniform(1, 3, 2);
    reset c[i in 1..12] = uniform(0, i);
    reset n = normal(2, 0.5);
  }
  simulate { method = RKMK4; time = 0..1; step = 0.1; }
}
)")
                         .workspace();
  Generator reference{{12345, 12345, 12345, 12345, 12345, 12345}};
  const lmc::View state = w.view("every.noise");
  for (std::size_t k = 0; k < 6; ++k) state[k] = 12345;
  double sum = 0, squares = 0;
  constexpr int blocks = 3000;
  for (int k = 0; k < blocks; ++k) {
    w.step(0.1); // at the begin of the first step there is a block, too
    for (int block = k == 0 ? 0 : 1; block < 2; ++block) {
      const double a = reference.next(), b1 = reference.next(), b2 = reference.next();
      std::array<double, 12> c{};
      for (int i = 0; i < 12; ++i) c[static_cast<std::size_t>(i)] = (i + 1) * reference.next();
      const double u1 = reference.next(), u2 = reference.next();
      if (k == 0 && block == 0) {
        EXPECT_NEAR(a, 0.127011122046577, 1e-15);
        EXPECT_NEAR(b1, 0.3185275654, 1e-10);
      }
      if (block == 0) continue;
      ASSERT_NEAR(w.view("a")[0], a, 1e-15);
      ASSERT_NEAR(w.view("b")[0], 1 + 2 * b1, 1e-15);
      ASSERT_NEAR(w.view("b")[1], 1 + 2 * b2, 1e-15);
      for (std::size_t i = 0; i < 12; ++i) ASSERT_NEAR(w.view("c")[i], c[i], 1e-14);
      const double z = std::sqrt(-2 * std::log(u1)) * std::cos(2 * std::acos(-1.0) * u2);
      ASSERT_NEAR(w.view("n")[0], 2 + 0.5 * z, 1e-13);
      sum += z;
      squares += z * z;
    }
    for (std::size_t i = 0; i < 6; ++i) ASSERT_EQ(state[i], static_cast<double>(reference.s[i]));
  }
  EXPECT_LT(std::abs(sum / blocks), 4 / std::sqrt(blocks));
  EXPECT_NEAR(squares / blocks, 1, 4 * std::sqrt(2.0 / blocks));
}
