// What a host program does at sample times: the bits of the same controller in the language, in steps and in runs.
#include "Support.h"

#include <cmath>
#include <string>

namespace {

using host::compiled;
using host::kindOf;

/// The controller in the model, and the same model with an input in its place.
struct Pair {
  std::string inside, outside;
};

/// A body that a controller of the rate turns; each number of it is exact, whatever the compiler makes of it.
Pair bodyWith(const std::string& settings, const std::string& more = "") {
  const auto text = [&](const std::string& control) {
    return "model Body {\n  param J : mat(3,3) = diag(1, 2, 2.5);\n  config R : SO(3) velocity W;\n" + control + R"(
  lagrangian = 0.5*dot(W, J*W) - 0.7*dot(e3, R*e1);
  force on R = u;
  initial W = [0.3, 0.7, -0.4];
)" + more + "  simulate { time = 0..1; " +
           settings + " }\n}\n";
  };
  return {
      text("  discrete u : vec(3) = zeros(3);\n  discrete n : int = 0;\n  every 0.013 from 0.004 { reset u = -0.5*W; "
           "reset n = n + 1; }\n"),
      text("  input u : vec(3) = zeros(3);\n  discrete n : int = 0;\n  event never = rising(norm(W) - 1e6) { reset n "
           "= 0; }\n")};
}

void control(lmc::Workspace& w) {
  const lmc::View rate = w.view("W");
  w.setInput("u", {-0.5 * rate[0], -0.5 * rate[1], -0.5 * rate[2]});
  w.view("n")[0] += 1;
}

std::vector<double> motionOf(lmc::Workspace& w) {
  std::vector<double> all = w.view("R").numbers().copy();
  for (const double x : w.view("W").numbers()) all.push_back(x);
  all.push_back(w.view("n")[0]);
  return all;
}

} // namespace

TEST(Samplings, HaveTheBitsOfTheSameControllerInTheModel) {
  const std::string held = "  config x : R^3 velocity v;\n  constraint pin : R*e1 = x;\n  initial adjust x, v;\n"
                           "  initial x = e1;\n  initial v = R*cross(W, e1);\n  force on x = -v;\n";
  for (const std::string settings : {"method = RKMK4; step = 0.01;", "method = CF4; step = 7e-3; output every 0.05;",
                                     "method = RKMK54; tolerance = 1e-7;", "method = VITrapezoid; step = 0.01;"})
    for (const bool constrained : {false, true}) {
      if (constrained && settings.find("VI") != std::string::npos) continue;
      SCOPED_TRACE(settings + (constrained ? " constrained" : ""));
      Pair texts = bodyWith(settings);
      if (constrained) {
        const auto with = [&](std::string text) {
          text.insert(text.find("  lagrangian"), held);
          text.replace(text.find("0.5*dot(W, J*W)"), 15, "0.5*dot(W, J*W) + 0.5*dot(v, v)");
          return text;
        };
        texts = {with(texts.inside), with(texts.outside)};
      }
      const lmc::Model inside = compiled(texts.inside), outside = compiled(texts.outside);
      lmc::Workspace a = inside.workspace(), b = outside.workspace();
      b.every(0.013, control, 0.004);
      std::vector<double> times, other;
      const lmc::RunResult one = a.run({}, [&](const lmc::Sample& s) { return times.push_back(s.time), true; });
      const lmc::RunResult two = b.run({}, [&](const lmc::Sample& s) { return other.push_back(s.time), true; });
      ASSERT_TRUE(one && two) << (two.failure ? two.failure->message : "");
      EXPECT_EQ(motionOf(a), motionOf(b));
      EXPECT_EQ(times, other);
      EXPECT_EQ(one.steps, two.steps);
      ASSERT_EQ(two.jumps.size(), 1U);
      EXPECT_EQ(two.jumps[0].name, "every 0.013 (host)");
      EXPECT_EQ(two.jumps[0].count, one.jumps[0].count);
      EXPECT_EQ(b.view("n")[0], 77);
      if (settings.find("tolerance") != std::string::npos) continue;
      // Single steps and groups of them.
      a.reset();
      b.reset();
      b.resetInputs();
      for (int k = 0; k < 20; ++k) {
        a.step(0.01);
        b.step(0.01);
      }
      a.step(0.01, 30);
      b.step(0.01, 30);
      EXPECT_EQ(motionOf(a), motionOf(b));
    }
}

/// A block of the model with what the host does behind it, and dense output between.
TEST(Samplings, FollowBlocksOfTheModelAndRecord) {
  const char* const text = R"(
model Cart {
  param T = 0.1;
  config x : R velocity v;
  input u = 0;
  discrete seen = 0;
  discrete late = 0;
  every T { reset late = seen; reset seen = x; }
  lagrangian = 0.5*v^2;
  force on x = u;
  initial x = 1;
  observe pull = u;
  simulate { method = RKMK4; time = 0..1; step = 0.03; }
}
)";
  const lmc::Model m = compiled(text);
  ASSERT_EQ(m.samplings().size(), 1U);
  EXPECT_EQ(m.samplings()[0], "every T"); // as written
  lmc::Workspace w = m.workspace();
  std::vector<double> calls, values;
  w.atEvery(0, [&](lmc::Workspace& at) {
    EXPECT_EQ(at.view("seen")[0], at.view("x")[0]); // behind the block
    at.setInput("u", -2 * at.view("late")[0]);
    EXPECT_EQ(at.observable("pull")[0], -2 * at.view("late")[0]);
    calls.push_back(at.time());
    values.push_back(-2 * at.view("late")[0]);
  });
  lmc::Trajectory path = w.record();
  ASSERT_EQ(calls.size(), 11U);
  for (std::size_t k = 0; k < calls.size(); ++k) EXPECT_NEAR(calls[k], 0.1 * static_cast<double>(k), 1e-14);
  // Between sample times the force is constant: the motion is a parabola of the input that was held then.
  for (std::size_t k = 0; k + 1 < calls.size(); ++k) {
    const double left = calls[k] + 0.02;
    const double x0 = path.state(left)[0], v0 = path.state(left)[1], t = 0.071;
    const auto pull = path.sample(left + t);
    EXPECT_EQ(pull[path.state(left).size() + 1], values[k]) << k;
    EXPECT_NEAR(path.state(left + t)[0], x0 + v0 * t + values[k] * t * t / 2, 1e-13);
  }
  const double last = w.view("x")[0];
  w.reset();
  w.resetInputs();
  calls.clear();
  w.run();
  EXPECT_EQ(w.view("x")[0], last);
  EXPECT_EQ(calls.size(), 11U);
  w.clearSamplings();
  w.reset();
  w.resetInputs();
  w.run();
  EXPECT_EQ(calls.size(), 11U);
  EXPECT_EQ(w.view("x")[0], 1);
}

TEST(Samplings, MayCauseEventsAndEndMotions) {
  const lmc::Model m = compiled(R"(
model Switch {
  input u = 0;
  config x : R velocity v;
  discrete hits : int = 0;
  lagrangian = 0.5*v^2;
  event on = rising(u - 1) { reset hits = hits + 1; reset v = v + 10; }
  initial v = 1;
  simulate { method = RKMK4; time = 0..1; step = 0.1; }
}
)");
  lmc::Workspace w = m.workspace();
  w.every(0.25, [](lmc::Workspace& at) { at.setInput("u", at.time() > 0.4 ? 2 : 0); });
  const lmc::RunResult r = w.run();
  ASSERT_TRUE(r);
  ASSERT_EQ(r.events.size(), 1U);
  EXPECT_NEAR(r.events[0].time, 0.5, 1e-14);
  EXPECT_NEAR(w.view("x")[0], 0.5 + 0.5 * 11, 1e-13);
  // An exception ends what goes on, and passes through.
  w.clearSamplings();
  w.reset();
  w.every(0.25, [](lmc::Workspace& at) {
    if (at.time() > 0.6) throw std::runtime_error("enough");
  });
  EXPECT_THROW(w.run(), std::runtime_error);
  EXPECT_NEAR(w.time(), 0.75, 1e-14);
  w.reset();
  w.step(0.1, 7);
  const std::vector<double> before = w.state().copy();
  EXPECT_THROW(w.step(0.1), std::runtime_error);
  EXPECT_EQ(w.state().copy(), before);
  EXPECT_NEAR(w.time(), 0.7, 1e-14);
  w.clearSamplings();
  w.step(0.1);
  EXPECT_NEAR(w.time(), 0.8, 1e-14);
}

TEST(Samplings, RefuseWhatMakesNoSense) {
  const lmc::Model m = compiled(host::pendulum);
  lmc::Workspace w = m.workspace();
  const auto nothing = [](lmc::Workspace&) {};
  for (const double interval : {0.0, -1.0, std::nan(""), double{INFINITY}})
    EXPECT_EQ(kindOf([&] { w.every(interval, nothing); }), lmc::Error::Kind::Misuse);
  EXPECT_EQ(kindOf([&] { w.every(1, {}); }), lmc::Error::Kind::Misuse);
  EXPECT_EQ(kindOf([&] { w.every(1, nothing, INFINITY); }), lmc::Error::Kind::Misuse);
  EXPECT_EQ(kindOf([&] { w.atEvery(0, nothing); }), lmc::Error::Kind::Misuse);
  w.every(0.1, [&](lmc::Workspace& at) {
    std::string why;
    EXPECT_EQ(kindOf([&] { at.step(0.1); }, &why), lmc::Error::Kind::Misuse);
    EXPECT_EQ(kindOf([&] { at.set("m", 3); }, &why), lmc::Error::Kind::Misuse);
    EXPECT_NE(why.find("sample time"), std::string::npos) << why;
    EXPECT_EQ(kindOf([&] { at.run(); }), lmc::Error::Kind::Misuse);
    EXPECT_EQ(kindOf([&] { at.every(1, nothing); }), lmc::Error::Kind::Misuse);
    EXPECT_EQ(kindOf([&] { at.clearSamplings(); }), lmc::Error::Kind::Misuse);
  });
  ASSERT_TRUE(w.run());
  w.reset();
  w.step(0.1, 2);
  // An interval that the time cannot be told apart by.
  w.clearSamplings();
  w.reset();
  w.every(1e-18, nothing);
  EXPECT_FALSE(w.run());
}

/// A pair whose trials are handed f by the ones before, and the same one with a stage that nobody needs, whose trials
/// find it anew: an input that the host sets between two trials makes what was handed on worthless.
TEST(Samplings, ReplaceWhatTrialsHandOn) {
  const std::string text =
      "tableau Own { a = [[0, 0, 0, 0], [1/2, 0, 0, 0], [0, 3/4, 0, 0], [2/9, 1/3, 4/9, 0]];\n"
      "  b = [2/9, 1/3, 4/9, 0]; bhat = [7/24, 1/4, 1/3, 1/8]; order 3(2); }\n"
      "tableau Padded { a = [[0, 0, 0, 0, 0], [1/2, 0, 0, 0, 0], [0, 3/4, 0, 0, 0],\n"
      "  [2/9, 1/3, 4/9, 0, 0], [1, 0, 0, 0, 0]]; b = [2/9, 1/3, 4/9, 0, 0];\n"
      "  bhat = [7/24, 1/4, 1/3, 1/8, 0]; order 3(2); }\n"
      "method Handed = rkmk(Own);\nmethod Anew = rkmk(Padded);\n"
      "model M {\n  config R : SO(3) velocity W;\n  config x : R velocity v;\n  input u : real = 0;\n"
      "  lagrangian = 0.5*dot(W, diag(1, 2, 3)*W) + 0.5*v^2 - 0.5*x^2;\n  force on x = u;\n"
      "  force on R = [u, 0, sin(t)];\n  initial W = [0.1, 2, 0.3];\n  initial x = 1;\n"
      "  simulate { method = Handed; time = 0..2; tolerance = 1e-8; }\n}\n";
  std::string padded = text;
  padded.replace(padded.find("method = Handed"), 15, "method = Anew");
  const auto end = [](const lmc::Model& model, bool inPieces) {
    lmc::Workspace w = model.workspace();
    lmc::RunResult last;
    if (inPieces) {
      for (int k = 1; k <= 8; ++k) { // a run goes on where the one before has ended
        w.setInput("u", k % 2 == 0 ? 2 : -3);
        lmc::RunSettings settings;
        settings.to = 0.25 * k;
        last = w.run(settings);
      }
    } else {
      w.every(0.13, [](lmc::Workspace& at) { at.setInput("u", 3 * at.view("x")[0] - 2 * at.view("v")[0]); });
      last = w.run({});
    }
    EXPECT_TRUE(last) << (last.failure ? last.failure->message : "");
    std::vector<double> all = w.view("R").numbers().copy();
    for (const char* name : {"W", "x", "v"})
      for (const double number : w.view(name).numbers()) all.push_back(number);
    return all;
  };
  const lmc::Model handed = compiled(text), anew = compiled(padded);
  for (const bool inPieces : {false, true}) {
    const std::vector<double> a = end(handed, inPieces), b = end(anew, inPieces);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-7) << k;
  }
}
