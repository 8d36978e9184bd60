// Runs and dense output.
#include "Support.h"

#include <algorithm>
#include <cmath>

using namespace host;
using Kind = lmc::Error::Kind;

namespace {

const char* const falling = R"(
model Ball {
  param g = 10;
  config x : R^1 velocity v;
  lagrangian = 0.5*v^2 - g*x;
  initial x = 5;
  event ground = x;
  simulate { method = RKMK4; time = 0..3; step = 0.1; }
}
)";

lmc::RunSettings until(double to) {
  lmc::RunSettings s;
  s.to = to;
  return s;
}

} // namespace

TEST(HostRun, RepeatsStepsToTheBit) {
  const lmc::Model m = compiled(rotor); // whose torque depends on time
  lmc::Workspace a = m.workspace();
  lmc::Workspace b = m.workspace();
  const lmc::RunResult r = a.run();
  EXPECT_TRUE(r);
  EXPECT_EQ(r.steps, 100);
  EXPECT_EQ(r.time, 1);
  EXPECT_EQ(a.time(), 1);
  EXPECT_LT(r.defects.at(0).value, 1e-13);
  EXPECT_TRUE(r.energyError.has_value());
  b.step(0.01, 100);
  EXPECT_EQ(a.state().copy(), b.state().copy());
  // From where it stands.
  a.run(until(2));
  b.step(0.01, 100);
  for (std::size_t k = 0; k < a.state().size(); ++k) EXPECT_NEAR(a.state()[k], b.state()[k], 1e-13);
}

TEST(HostRun, StopsAtItsLimits) {
  const lmc::Model m = compiled(rotor);
  lmc::Workspace w = m.workspace();
  lmc::RunSettings s;
  s.maxSteps = 30;
  const lmc::RunResult few = w.run(s);
  ASSERT_TRUE(few.failure);
  EXPECT_EQ(few.failure->status, lmc::Status::LimitReached);
  EXPECT_NE(few.failure->message.find("30 steps"), std::string::npos) << few.failure->message;
  EXPECT_EQ(few.steps, 30);
  EXPECT_NEAR(w.time(), 0.3, 1e-12);
  lmc::Workspace other = m.workspace(); // what was reached is what steps reach
  other.step(0.01, 30);
  EXPECT_EQ(w.state().copy(), other.state().copy());
  s = {};
  s.maxSteps = 100; // as many as there are
  w.reset();
  EXPECT_TRUE(w.run(s));
  s = until(1e6);
  s.maxSeconds = 0.05;
  const lmc::RunResult late = compiled(pendulum).workspace().run(s);
  ASSERT_TRUE(late.failure);
  EXPECT_EQ(late.failure->status, lmc::Status::LimitReached);
  EXPECT_GT(late.steps, 0);
  for (const double wrong : {-1.0, std::nan("")}) {
    s = {};
    s.maxSeconds = wrong;
    EXPECT_EQ(kindOf([&] { (void)w.run(s); }), Kind::Misuse);
  }
  s = {};
  s.maxSteps = -1;
  EXPECT_EQ(kindOf([&] { (void)w.run(s); }), Kind::Misuse);
}

TEST(HostRun, KeepsSamplesForWhichThereIsRoom) {
  const lmc::Model m = compiled(rotor);
  lmc::Workspace w = m.workspace();
  std::vector<double> rows{7}, expected{7};
  const lmc::RunResult r = w.tabulate(rows);
  EXPECT_TRUE(r);
  w.reset();
  w.run({}, [&](const lmc::Sample& s) {
    expected.push_back(s.time);
    expected.insert(expected.end(), s.values.begin(), s.values.end());
    return true;
  });
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(static_cast<std::size_t>(r.samples) * (1 + m.columns().size()) + 1, rows.size());
  w.reset();
  lmc::RunSettings s = until(1e3);
  s.every = 1e-9;
  EXPECT_EQ(kindOf([&] { (void)w.tabulate(rows, s); }), Kind::Misuse);
  EXPECT_EQ(w.time(), 0);
  EXPECT_EQ(rows, expected);
  s = until(200);
  s.step = 1e-9;
  EXPECT_EQ(kindOf([&] { (void)w.record(s); }), Kind::Misuse);
  s.maxSteps = 200; // no more than these
  EXPECT_EQ(w.record(s).times().size(), 201U);
  s.every = 2.5e-10;
  w.reset();
  rows.clear();
  const lmc::RunResult limited = w.tabulate(rows, s);
  ASSERT_TRUE(limited.failure);
  EXPECT_EQ(limited.failure->status, lmc::Status::LimitReached);
  EXPECT_EQ(rows.size(), 801 * (1 + m.columns().size()));
}

TEST(HostRun, CountsTurnsOfNewtonsMethod) {
  lmc::Options options;
  options.method = "VIMidpoint";
  lmc::Workspace w = compiled(pendulum, options).workspace();
  const lmc::RunResult r = w.run(until(0.5));
  ASSERT_TRUE(r);
  EXPECT_GE(r.iterations, r.steps);
  EXPECT_LE(r.iterations, 10 * r.steps);
  EXPECT_EQ(compiled(rotor).workspace().run().iterations, 0);
}

TEST(HostRun, SamplesWhereItIsTold) {
  lmc::Workspace w = compiled(pendulum).workspace();
  std::vector<double> times;
  const auto keep = [&](const lmc::Sample& s) {
    times.push_back(s.time);
    return true;
  };
  lmc::RunSettings s = until(0.1);
  w.run(s, keep);
  EXPECT_EQ(times.size(), 11U);
  w.reset();
  times.clear();
  s.every = 0.04;
  w.run(s, keep);
  EXPECT_EQ(times, (std::vector<double>{0, 0.04, 0.08, 0.1}));
  w.reset();
  times.clear();
  s.every = 0;
  s.everySteps = 4;
  w.run(s, keep);
  EXPECT_EQ(times, (std::vector<double>{0, 0.04, 0.08, 0.1}));
  w.reset();
  times.clear();
  s.everySteps = 0;
  s.times = {0.005, 0.05, 0.0999};
  w.run(s, keep);
  EXPECT_EQ(times, (std::vector<double>{0, 0.005, 0.05, 0.0999, 0.1}));
  w.reset();
  times.clear();
  s.times = {0.1};
  w.run(s, keep);
  EXPECT_EQ(times, (std::vector<double>{0, 0.1}));
}

TEST(HostRun, SamplesOfAdaptiveStepsComeWhereTheyAreTold) {
  lmc::Options options;
  options.method = "RKMK54";
  options.tolerance = 1e-8;
  lmc::Workspace w = compiled(pendulum, options).workspace();
  std::vector<double> times;
  lmc::RunSettings s = until(1);
  s.times = {0.3, 0.30001, 0.7};
  const lmc::RunResult r = w.run(s, [&](const lmc::Sample& x) {
    times.push_back(x.time);
    return true;
  });
  EXPECT_TRUE(r);
  EXPECT_EQ(times, (std::vector<double>{0, 0.3, 0.30001, 0.7, 1}));
}

TEST(HostRun, CallbacksEndIt) {
  lmc::Workspace w = compiled(pendulum).workspace();
  lmc::RunSettings s = until(1);
  s.times = {0.105, 0.5};
  std::vector<double> last;
  const lmc::RunResult r = w.run(s, [&](const lmc::Sample& x) {
    last = x.state.copy();
    return x.time < 0.1;
  });
  EXPECT_TRUE(r.stopped);
  EXPECT_FALSE(r);
  EXPECT_EQ(r.time, 0.105);
  EXPECT_EQ(w.time(), 0.105);
  EXPECT_EQ(w.state().copy(), last);
  EXPECT_EQ(r.samples, 2);
  w.reset();
  EXPECT_EQ(w.run(s, [](const lmc::Sample&) { return false; }).samples, 1);
  EXPECT_EQ(w.time(), 0);
}

TEST(HostRun, ExceptionsOfCallbacksPassThrough) {
  lmc::Workspace w = compiled(pendulum).workspace();
  EXPECT_THROW(w.run(until(1),
                     [](const lmc::Sample& s) -> bool {
                       if (s.time > 0.05) throw std::out_of_range("mine");
                       return true;
                     }),
               std::out_of_range);
  EXPECT_NEAR(w.time(), 0.06, 1e-15);
}

TEST(HostRun, EventsEndIt) {
  lmc::Workspace w = compiled(falling).workspace();
  ASSERT_EQ(w.model().events().size(), 1U);
  EXPECT_EQ(w.events()[0], 5);
  const lmc::RunResult r = w.run();
  EXPECT_TRUE(r);
  ASSERT_TRUE(r.event);
  EXPECT_EQ(r.event->name, "ground");
  EXPECT_NEAR(r.time, 1, 1e-14);
  EXPECT_NEAR(w.view("x")[0], 0, 1e-14);
  EXPECT_NEAR(w.view("v")[0], -10, 1e-13);
}

TEST(HostRun, ResetsAreTold) {
  // Thrown from height h a ball falls for sqrt(2 h/g); each flight between impacts is e times the one before.
  const lmc::Model m = compiled(R"(
model Ball {
  param g = 10;  param e = 0.5;
  config x : R velocity v;
  discrete hits : int = 0;
  lagrangian = 0.5*v^2 - g*x;
  initial x = 5;  initial v = 0;
  event ground = falling(x) { reset v = -e*v; reset hits = hits + 1; }
  every 0.25 from 0.1 { reset hits = hits; }
  simulate { method = RKMK4; time = 0..2.6; step = 0.01; }
}
)");
  lmc::Workspace w = m.workspace();
  const lmc::RunResult r = w.run();
  ASSERT_TRUE(r);
  ASSERT_EQ(r.events.size(), 3U);
  EXPECT_EQ(r.events[0].name, "ground");
  EXPECT_NEAR(r.events[0].time, 1, 1e-12);
  EXPECT_NEAR(r.events[1].time, 2, 1e-12);
  EXPECT_NEAR(r.events[2].time, 2.5, 1e-12);
  ASSERT_EQ(r.jumps.size(), 2U);
  EXPECT_EQ(r.jumps[0].count, 11); // 0.1, 0.35, ... 2.6
  EXPECT_NEAR(r.jumps[0].first, 0.1, 1e-12);
  EXPECT_NEAR(r.jumps[0].last, 2.6, 1e-12);
  EXPECT_EQ(r.jumps[1].name, "ground");
  EXPECT_EQ(r.jumps[1].count, 3);
  EXPECT_EQ(r.jumps[1].last, r.events[2].time);
  EXPECT_FALSE(r.event); // none has ended it
  EXPECT_TRUE(compiled(falling).workspace().run().events.empty());
  // Discrete variables are parts of the state.
  ASSERT_EQ(m.discretes().size(), 1U);
  EXPECT_EQ(m.discretes()[0].name, "hits");
  EXPECT_EQ(m.discretes()[0].value, std::vector<double>{0});
  EXPECT_EQ(w.view("hits")[0], 3);
  w.view("hits")[0] = 8;
  w.run(until(2.8));
  EXPECT_EQ(w.view("hits")[0], 9); // at 2.75
  // Those of a run alone, also of a recorded one.
  w.reset();
  EXPECT_EQ(w.record(until(1.5)).result().events.size(), 1U);
}

/// What contacts keep between steps (speeds, directions) is in no file, and all the same in the state of a sample.
TEST(HostRun, SamplesHaveTheWholeStateOfContacts) {
  for (const char* name : {"bouncing_ball", "newtons_cradle", "blocks"}) {
    const lmc::Model m = ofExample(name);
    ASSERT_LE(m.stateSize(), m.columns().size()) << name;
    lmc::Workspace w = m.workspace();
    lmc::Workspace there = m.workspace();
    lmc::RunSettings s = until(w.time() + 0.6);
    s.every = 0.05;
    std::vector<double> last;
    std::size_t samples = 0;
    w.run(s, [&](const lmc::Sample& x) {
      ++samples;
      last = x.state.copy();
      EXPECT_EQ(x.state.size(), m.stateSize());
      std::copy(x.state.begin(), x.state.end(), there.state().begin());
      there.setTime(x.time);
      if (x.energy) EXPECT_NEAR(*x.energy, there.energy(), 1e-12 * std::max(1.0, std::abs(*x.energy))) << name;
      EXPECT_EQ(x.observables.size(), m.observablesSize());
      return samples < 9;
    });
    EXPECT_EQ(samples, 9U) << name;
    EXPECT_EQ(w.state().copy(), last) << name;
    // It goes on from there as a run without a stop does, through impacts.
    w.run(until(w.time() + 0.5));
    lmc::Workspace other = m.workspace();
    other.run(until(w.time()));
    for (std::size_t k = 0; k < last.size(); ++k) EXPECT_NEAR(w.state()[k], other.state()[k], 1e-6) << name << " " << k;
    other.reset();
    lmc::Trajectory path = other.record(until(other.time() + 0.6));
    EXPECT_EQ(path.stateAtStep(path.times().size() - 1).copy(), other.state().copy()) << name;
    EXPECT_EQ(path.state(path.times()[path.times().size() - 1]).copy(), other.state().copy()) << name;
  }
}

TEST(HostRun, TheHostMayCancel) {
  const lmc::Model m = compiled(rotor);
  lmc::Workspace w = m.workspace();
  lmc::RunSettings s = until(1e7);
  int asked = 0;
  s.cancel = [&] { return ++asked > 3; };
  const lmc::RunResult r = w.run(s);
  EXPECT_TRUE(r.stopped && !r.failure && asked == 4);
  EXPECT_GT(r.time, 0);
  EXPECT_LT(r.time, 1e7);
  EXPECT_EQ(w.time(), r.time);
  // The state is that of the time.
  lmc::Workspace other = m.workspace();
  other.run(until(r.time));
  EXPECT_EQ(other.state().copy(), w.state().copy());
  s.cancel = []() -> bool { throw std::string("the host's own"); };
  EXPECT_THROW((void)w.run(s), std::string);
  s.cancel = [] { return false; };
  s.to = w.time() + 1;
  EXPECT_TRUE(w.run(s)); // it goes on from there
}

TEST(HostRun, StepsByErrorEstimate) {
  lmc::Options options;
  options.method = "RKMK54";
  options.step = 0.01;
  const lmc::Model m = compiled(pendulum, options);
  EXPECT_FALSE(m.settings().adaptive);
  lmc::Workspace fine = m.workspace();
  fine.step(1e-4, 10000);
  lmc::Workspace w = m.workspace();
  lmc::RunSettings s;
  s.tolerance = 1e-9;
  const lmc::RunResult r = w.run(s);
  EXPECT_TRUE(r);
  EXPECT_LT(r.steps, 300);
  for (std::size_t k = 0; k < w.state().size(); ++k) EXPECT_NEAR(w.state()[k], fine.state()[k], 1e-7);
  // And the other way round: a model with a tolerance, stepped with a fixed step.
  options.tolerance = 1e-6;
  options.step.reset();
  lmc::Workspace adaptive = compiled(pendulum, options).workspace();
  EXPECT_TRUE(adaptive.model().settings().adaptive);
  adaptive.step(1e-4, 10000);
  EXPECT_EQ(adaptive.state().copy(), fine.state().copy());
  adaptive.reset();
  s = {};
  s.fixedSteps = true;
  s.step = 0.1;
  EXPECT_EQ(adaptive.run(s).steps, 10);
  adaptive.reset();
  adaptive.set("g", 0.0);
  EXPECT_TRUE(adaptive.run());
  const lmc::View q = adaptive.view("q");
  EXPECT_NEAR(q[0], std::cos(0.5), 1e-5); // a great circle
}

TEST(HostRun, SettingsThatMakeNoSenseAreMisuse) {
  lmc::Workspace w = compiled(pendulum).workspace();
  const auto refused = [&](auto change) {
    lmc::RunSettings s = until(1);
    change(s);
    return kindOf([&] { w.run(s); });
  };
  EXPECT_EQ(refused([](auto& s) { s.to = 0; }), Kind::Misuse);
  EXPECT_EQ(refused([](auto& s) { s.to = -1; }), Kind::Misuse);
  EXPECT_EQ(refused([](auto& s) { s.to = INFINITY; }), Kind::Misuse);
  EXPECT_EQ(refused([](auto& s) { s.step = 0; }), Kind::Misuse);
  EXPECT_EQ(refused([](auto& s) { s.step = -0.1; }), Kind::Misuse);
  EXPECT_EQ(refused([](auto& s) { s.step = 1e-300; }), Kind::Misuse);
  EXPECT_EQ(refused([](auto& s) { s.every = -1; }), Kind::Misuse);
  EXPECT_EQ(refused([](auto& s) { s.everySteps = -1; }), Kind::Misuse);
  EXPECT_EQ(refused([](auto& s) { s.times = {0.5, 0.4}; }), Kind::Misuse);
  EXPECT_EQ(refused([](auto& s) { s.times = {2}; }), Kind::Misuse);
  EXPECT_EQ(refused([](auto& s) { s.times = {0.5}, s.every = 0.1; }), Kind::Misuse);
  EXPECT_EQ(refused([](auto& s) { s.tolerance = 1e-6; }), Kind::Unavailable);
  EXPECT_EQ(w.time(), 0);
  lmc::Workspace bare = compiled("model M { config x : R^1 velocity v; lagrangian = v^2; "
                                 "simulate { method = RKMK4; } }")
                            .workspace();
  EXPECT_EQ(kindOf([&] { bare.run(); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { bare.run(until(1)); }), Kind::Misuse);
  lmc::Options options;
  options.method = "RKMK54";
  lmc::Workspace pair = compiled(pendulum, options).workspace();
  lmc::RunSettings s = until(1);
  s.tolerance = -1;
  EXPECT_EQ(kindOf([&] { pair.run(s); }), Kind::Misuse);
}

TEST(HostRun, FailuresAreData) {
  const lmc::Model m = compiled("model M { state x : R^1; flow x = x^2; initial x = 1; "
                                "simulate { method = RKMK4; time = 0..5; step = 0.1; } }");
  lmc::Workspace w = m.workspace();
  const lmc::RunResult r = w.run();
  EXPECT_FALSE(r);
  ASSERT_TRUE(r.failure);
  EXPECT_EQ(r.failure->status, lmc::Status::NonFinite);
  EXPECT_EQ(r.failure->time, w.time());
  EXPECT_GT(w.time(), 0.9);
  EXPECT_TRUE(std::isfinite(w.state()[0]));
  lmc::Options options;
  options.method = "RKMK54";
  options.tolerance = 1e-6;
  lmc::Workspace adaptive = compiled("model M { state x : R^1; flow x = x^2; initial x = 1; "
                                     "simulate { time = 0..5; } }",
                                     options)
                                .workspace();
  const lmc::RunResult underflow = adaptive.run();
  ASSERT_TRUE(underflow.failure);
  EXPECT_NEAR(adaptive.time(), 1, 1e-6);
  EXPECT_FALSE(lmc::v1::text(underflow.failure->status).empty());
}

TEST(HostTrajectory, IsAccurateBetweenSteps) {
  const lmc::Model m = compiled(pendulum);
  lmc::Workspace fine = m.workspace();
  fine.step(1e-4, 4137);
  const auto errorWith = [&](double h) {
    lmc::Workspace w = m.workspace();
    lmc::RunSettings s = until(1);
    s.step = h;
    lmc::Trajectory t = w.record(s);
    EXPECT_EQ(t.times().size(), static_cast<std::size_t>(std::lround(1 / h)) + 1);
    const lmc::Span<const double> y = t.state(0.4137);
    double error = 0;
    for (std::size_t k = 0; k < y.size(); ++k) error = std::max(error, std::abs(y[k] - fine.state()[k]));
    EXPECT_NEAR(y[0] * y[0] + y[1] * y[1] + y[2] * y[2], 1, 1e-14);
    return error;
  };
  const double coarse = errorWith(0.1), half = errorWith(0.05);
  EXPECT_GT(std::log2(coarse / half), 3.5); // of order 4
}

TEST(HostTrajectory, KeepsEveryStep) {
  lmc::Options options;
  options.method = "RKMK54";
  options.tolerance = 1e-7;
  const lmc::Model m = compiled(pendulum, options);
  lmc::Workspace w = m.workspace();
  lmc::Trajectory t = w.record();
  ASSERT_TRUE(t.result());
  EXPECT_EQ(t.times().size(), static_cast<std::size_t>(t.result().steps) + 1);
  EXPECT_EQ(t.times()[0], 0);
  EXPECT_EQ(t.stateAtStep(0).copy(), m.initialState().copy());
  EXPECT_EQ(t.state(1).copy(), w.state().copy());
  EXPECT_EQ(t.stateAtStep(t.times().size() - 1).copy(), w.state().copy());
  for (const std::size_t k : {std::size_t{1}, t.times().size() / 2})
    EXPECT_EQ(t.state(t.times()[k]).copy(), t.stateAtStep(k).copy());
  w.set("g", 0.0); // changes nothing in the trajectory
  lmc::Trajectory copy = t;
  EXPECT_EQ(copy.sample(0.321).copy(), t.sample(0.321).copy());
  EXPECT_EQ(t.sample(0.5).size(), m.columns().size());
  EXPECT_EQ(kindOf([&] { (void)t.state(1.5); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { (void)t.state(-0.1); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { (void)t.state(NAN); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { (void)t.stateAtStep(100000); }), Kind::Misuse);
  lmc::Trajectory moved = std::move(copy);
  copy = moved;
  EXPECT_EQ(copy.state(0.2).copy(), moved.state(0.2).copy());
}

TEST(HostTrajectory, EndsAtEvents) {
  lmc::Workspace w = compiled(falling).workspace();
  lmc::Trajectory t = w.record();
  ASSERT_TRUE(t.result().event);
  EXPECT_NEAR(t.times()[t.times().size() - 1], 1, 1e-14);
  EXPECT_NEAR(t.state(0.55)[0], 5 - 5 * 0.55 * 0.55, 1e-13);
}

TEST(HostRun, StepsAsTheMethodThatIsChosen) {
  const std::string model = "model O { config x : R velocity v; lagrangian = 0.5*v^2 - 0.5*x^2; initial x = 1;\n"
                            "simulate { method = auto; accuracy = 1e-9; time = 0..20; } }";
  lmc::Workspace w = compiled(model.c_str()).workspace();
  const lmc::RunResult r = w.run();
  EXPECT_TRUE(r);
  EXPECT_NEAR(w.state()[0], std::cos(20), 1e-9);
  EXPECT_NEAR(w.state()[1], -std::sin(20), 1e-9);
  EXPECT_LT(r.steps, 200); // which is adaptive
  // Without an interval there is nothing to choose for.
  const std::string without = model.substr(0, model.find(" time = 0..20;")) + " } }";
  const lmc::Compilation c = lmc::compileText("o.lie", without);
  EXPECT_FALSE(c);
  EXPECT_NE(c.format().find("LIE0601"), std::string::npos) << c.format();
}
