// State, parameters, inputs, steps.
#include "Support.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>

using namespace host;
using Kind = lmc::Error::Kind;

TEST(HostWorkspace, ViewsAreMapsOfTheState) {
  const lmc::Model m = ofExample("two_quadrotors");
  lmc::Workspace w = m.workspace();
  using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const lmc::View R = w.view("R");
  EXPECT_EQ(R.members, 2);
  EXPECT_EQ(R.rows, 3);
  EXPECT_EQ(R.columns, 3);
  Eigen::Map<Matrix> second(R.member(1).data);
  EXPECT_TRUE(second.isIdentity(0));
  second = Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  EXPECT_DOUBLE_EQ(w.view("R[2]")(1, 0), std::sin(0.5));
  EXPECT_EQ(w.view("R[2]").data, R.member(1).data);
  // Columns count from 1, as in files.
  EXPECT_EQ(m.columns()[static_cast<std::size_t>(&R.member(1)(1, 0) - w.state().data())], "R[2][2][1]");
  const Eigen::Map<Eigen::Vector3d> omega(w.view("Omega[1]").data);
  EXPECT_TRUE(omega.isApprox(Eigen::Vector3d(0.1, -0.2, 0.3)));
  const lmc::Workspace& constant = w;
  EXPECT_EQ(constant.view("y").data, w.state().data());
}

TEST(HostWorkspace, PartsHaveNames) {
  lmc::Workspace w = ofExample("heavy_top_lie_poisson").workspace();
  EXPECT_EQ(w.view("mu.v")[2], -9.81);
  EXPECT_EQ(w.view("mu.w").size(), 3);
  std::string message;
  EXPECT_EQ(kindOf([&] { (void)w.view("mu"); }, &message), Kind::Misuse);
}

TEST(HostWorkspace, UnknownNamesAreMisuse) {
  lmc::Workspace w = ofExample("two_quadrotors").workspace();
  std::string message;
  EXPECT_EQ(kindOf([&] { (void)w.view("Omegaa"); }, &message), Kind::Misuse);
  EXPECT_NE(message.find("`Omega`"), std::string::npos) << message;
  for (const char* name : {"R[3]", "R[0]", "R[x]", "R[1", "y[1]", "", "[1]", "R[]", "R]1["})
    EXPECT_EQ(kindOf([&] { (void)w.view(name); }), Kind::Misuse) << name;
  EXPECT_EQ(kindOf([&] { w.set("R", 1); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { w.set("T.value", 1); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { (void)w.parameter("q"); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { w.setInput("g", 1); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { w.setInput(std::size_t{2}, {1, 2}); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { w.releaseInput("g"); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { (void)w.observable("g"); }), Kind::Misuse);
}

TEST(HostWorkspace, WrongSizesAreMisuse) {
  lmc::Workspace w = ofExample("two_quadrotors").workspace();
  EXPECT_EQ(kindOf([&] { w.set("J", 1); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { w.set("g", {1, 2}); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { w.set("m[1]", {1, 2}); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { w.setInput("M", {1, 2, 3}); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { w.setState(std::vector<double>(3)); }), Kind::Misuse);
  w.set("m[1]", 2);
  EXPECT_EQ(w.parameter("m")[0], 2);
  EXPECT_EQ(w.parameter("m")[1], 0.755);
  EXPECT_EQ(w.parameter("m[2]")[0], 0.755);
}

TEST(HostWorkspace, ParametersTakeEffectAtOnce) {
  const lmc::Model m = ofExample("heavy_top");
  // As if compiled with other values, zeros of a matrix included.
  lmc::Options options;
  options.set = {{"m", "3"}, {"J", "[[0.5,0.1,0],[0.1,0.6,0.02],[0,0.02,0.7]]"}, {"chi", "[0.1,1,0.2]"}};
  lmc::Workspace expected = ofExample("heavy_top", options).workspace();
  lmc::Workspace w = m.workspace();
  w.step(1e-3, 5);
  w.reset();
  w.set("m", 3);
  w.set("J", {0.5, 0.1, 0, 0.1, 0.6, 0.02, 0, 0.02, 0.7});
  w.set("chi", {0.1, 1, 0.2});
  EXPECT_DOUBLE_EQ(w.energy(), expected.energy());
  w.step(1e-3, 100);
  expected.step(1e-3, 100);
  EXPECT_EQ(w.state().copy(), expected.state().copy());
  EXPECT_EQ(w.field().copy(), expected.field().copy());
  w.set("m", 4);
  EXPECT_NE(w.field().copy(), expected.field().copy());
  w.resetParameters();
  w.reset();
  lmc::Workspace fresh = m.workspace();
  fresh.step(1e-3, 10);
  w.step(1e-3, 10);
  EXPECT_EQ(w.state().copy(), fresh.state().copy());
}

TEST(HostWorkspace, ZerosMayBeKept) {
  lmc::Options options;
  options.keepZeros = true;
  lmc::Workspace w = ofExample("heavy_top", options).workspace();
  lmc::Workspace general = ofExample("heavy_top").workspace();
  w.set("J", {0.5, 0, 0, 0, 0.6, 0, 0, 0, 0.7});
  general.set("J", {0.5, 0, 0, 0, 0.6, 0, 0, 0, 0.7});
  w.step(1e-3, 100);
  general.step(1e-3, 100);
  for (std::size_t k = 0; k < w.state().size(); ++k) EXPECT_NEAR(w.state()[k], general.state()[k], 1e-11) << k;
  std::string message;
  EXPECT_EQ(kindOf([&] { w.set("J", {0.5, 0.1, 0, 0.1, 0.6, 0, 0, 0, 0.7}); }, &message), Kind::Misuse);
  EXPECT_NE(message.find("keepZeros"), std::string::npos);
  EXPECT_EQ(w.parameter("J")[1], 0); // nothing was changed
}

TEST(HostWorkspace, InputsHoldAndAreReleased) {
  const lmc::Model m = compiled(rotor);
  lmc::Workspace w = m.workspace();
  lmc::Workspace free = m.workspace();
  w.setTime(1);
  EXPECT_DOUBLE_EQ(w.accelerations()[2] * 3, 0.3 + 0.1 * 0.2 * (1 - 2)); // 3 w3' = (J1 - J2) w1 w2 + torque
  EXPECT_FALSE(w.inputIsSet("torque"));
  w.setInput("torque", {0, 0, 6});
  EXPECT_TRUE(w.inputIsSet("torque"));
  EXPECT_DOUBLE_EQ(w.accelerations()[2] * 3, 6 - 0.02);
  const double before = w.view("w")[2];
  w.step(1e-3);
  EXPECT_NEAR(w.view("w")[2] - before, 2e-3, 1e-5);
  w.setInput(std::size_t{0}, {0, 0, -6}); // between steps, by its index
  w.step(1e-3);
  EXPECT_NEAR(w.view("w")[2], before, 2e-5);
  w.releaseInput("torque");
  w.reset();
  w.step(0.01, 50);
  free.step(0.01, 50);
  EXPECT_EQ(w.state().copy(), free.state().copy());
  w.setInput("torque", {1, 2, 3});
  w.resetInputs();
  EXPECT_FALSE(w.inputIsSet("torque"));
  EXPECT_EQ(kindOf([&] { w.setInput("torque", 1); }), Kind::Misuse);
}

TEST(HostWorkspace, WhatAMethodKeepsIsNotThatOfAnotherInput) {
  // x'' = u - 4 x with u in steps, and k = 4, then 1: closed forms. With accelerations kept over the jumps the error is
  // of order 1, 3e-3 with the shorter steps.
  const std::string text = R"(model Pushed {
    param k = 4;
    config x : R velocity v;
    input u = 0;
    lagrangian = 0.5*v^2 - 0.5*k*x^2;
    force on x = u;
    initial x = 1;
    simulate { method = METHOD; time = 0..2; step = 0.01; }
  })";
  for (const std::string method : {"GenAlpha", "HHT"}) {
    std::string model = text;
    model.replace(model.find("METHOD"), 6, method);
    const lmc::Model m = compiled(model);
    const auto errorWith = [&](int steps) {
      lmc::Workspace w = m.workspace();
      double x = 1, v = 0, k = 4, error = 0;
      for (const double u : {3.0, -2.0, 0.0, 0.0}) {
        if (u != 0)
          w.setInput("u", u);
        else
          w.releaseInput("u");
        if (u == 0 && w.time() > 1.25) w.set("k", k = 1);
        w.step(0.5 / steps, steps);
        const double omega = std::sqrt(k), c = std::cos(omega / 2), s = std::sin(omega / 2), rest = u / k;
        const double next = rest + (x - rest) * c + v / omega * s;
        v = -(x - rest) * omega * s + v * c;
        x = next;
        error = std::max(error, std::abs(w.view("x")[0] - x));
      }
      return error;
    };
    const double coarse = errorWith(50), fine = errorWith(100);
    EXPECT_LT(fine, 1e-4) << method;
    EXPECT_NEAR(coarse / fine, 4, 0.5) << method;
  }
}

TEST(HostWorkspace, MembersOfInputsAreHeldOneByOne) {
  const lmc::Model m = ofExample("two_quadrotors");
  lmc::Workspace w = m.workspace();
  const std::vector<double> free = w.accelerations().copy();
  w.setInput("T[2]", 0);
  EXPECT_FALSE(w.inputIsSet("T"));
  EXPECT_TRUE(w.inputIsSet("T[2]"));
  const std::vector<double> one = w.accelerations().copy();
  EXPECT_NE(one, free);
  w.setInput("T", {(0.755 + 0.25) * 9.81, 0});
  const std::vector<double> both = w.accelerations().copy();
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(one[k], both[k], 1e-13);
  w.releaseInput("T");
  EXPECT_EQ(w.accelerations().copy(), free);
}

TEST(HostWorkspace, InputsWithoutALawHaveTheirValue) {
  lmc::Options options;
  const std::string text = "model M { input u : real; config x : R^1 velocity v; force on x = u; "
                           "lagrangian = 0.5*v^2; simulate { method = RKMK4; step = 0.1; } }";
  EXPECT_FALSE(lmc::compileText("m.lie", text));
  options.set = {{"u", "2"}};
  const lmc::Model m = compiled(text, options);
  EXPECT_FALSE(m.inputs()[0].hasDefault);
  EXPECT_TRUE(m.inputs()[0].isSet);
  lmc::Workspace w = m.workspace();
  EXPECT_DOUBLE_EQ(w.accelerations()[0], 2);
  w.setInput("u", 5);
  EXPECT_DOUBLE_EQ(w.accelerations()[0], 5);
  EXPECT_EQ(kindOf([&] { w.releaseInput("u"); }), Kind::Misuse);
}

TEST(HostWorkspace, InitialValuesFollowParameters) {
  const std::string text = "model M { param a = 0.3; config R : SO(3) velocity w; lagrangian = 0.5*dot(w, w); "
                           "initial R = SO(3).exp([0, 0, a]); initial w = a*random(); "
                           "simulate { method = RKMK4; time = 2..3; step = 0.1; seed = 4; } }";
  std::string fixed = text;
  fixed.replace(fixed.find("a*random()"), 10, "[a, normal(0, 1), 0]");
  const lmc::Model m = compiled(fixed);
  lmc::Workspace w = m.workspace();
  const std::vector<double> before = w.state().copy();
  w.step(0.1);
  w.resetInitial();
  EXPECT_EQ(w.time(), 2);
  EXPECT_EQ(w.state().copy(), before);
  w.set("a", 0.7);
  w.resetInitial();
  EXPECT_DOUBLE_EQ(w.view("R")(1, 0), std::sin(0.7));
  EXPECT_DOUBLE_EQ(w.view("w")[0], 0.7);
  EXPECT_DOUBLE_EQ(w.view("w")[1], before[10]); // the same random number
  w.reset();
  EXPECT_EQ(w.state().copy(), before);
}

TEST(HostWorkspace, InitialValuesOffTheManifoldAreMisuse) {
  const lmc::Model m = compiled("model M { param a = 1; config q : S^2 velocity w; lagrangian = dot(q', q'); "
                                "initial q = [a, 0, 0]; initial w = [0, 0, 1]; }");
  lmc::Workspace w = m.workspace();
  w.set("a", 2);
  std::string message;
  EXPECT_EQ(kindOf([&] { w.resetInitial(); }, &message), Kind::Misuse);
  EXPECT_NE(message.find("manifold"), std::string::npos);
}

TEST(HostWorkspace, WorkspacesAreIndependentAndMove) {
  const lmc::Model m = compiled(pendulum);
  lmc::Workspace a = m.workspace();
  lmc::Workspace b = m.workspace();
  a.set("g", 1);
  a.step(0.01, 10);
  EXPECT_EQ(b.parameter("g")[0], 9.81);
  EXPECT_EQ(b.time(), 0);
  const lmc::View q = a.view("q");
  const std::vector<double> y = a.state().copy();
  lmc::Workspace c = std::move(a);
  EXPECT_EQ(c.view("q").data, q.data);
  EXPECT_EQ(c.state().copy(), y);
  c.step(0.01);
  b = std::move(c);
  EXPECT_EQ(b.parameter("g")[0], 1);
}

TEST(HostWorkspace, OutlivesTheModel) {
  std::optional<lmc::Workspace> w;
  {
    const lmc::Compilation c = lmc::compileText("p.lie", pendulum);
    w.emplace(*c.model);
  }
  w->step(0.01, 100);
  (void)w->massMatrix();
  EXPECT_NEAR(w->time(), 1, 1e-14);
}

TEST(HostWorkspace, GivesTheCompiledFunction) {
  const lmc::Model m = compiled(rotor);
  lmc::Workspace a = m.workspace();
  lmc::Workspace b = m.workspace();
  a.set("J", {2, 0, 0, 0, 2, 0, 0, 0, 1});
  b.set("J", {2, 0, 0, 0, 2, 0, 0, 0, 1});
  const lmc::StepFunction f = a.stepFunction();
  double t = 0;
  std::int64_t k = 0;
  EXPECT_EQ(f.function(f.memory, &t, 0.01, 7, &k), 0);
  EXPECT_EQ(k, 7);
  b.step(0.01, 7);
  EXPECT_EQ(t, b.time());
  EXPECT_EQ(a.state().copy(), b.state().copy());
}

TEST(HostWorkspace, FailingStepsKeepTheState) {
  const lmc::Model m = compiled("model M { state x : R^1; flow x = x^2; initial x = 1; "
                                "simulate { method = RKMK4; time = 0..5; step = 0.1; } }");
  lmc::Workspace w = m.workspace();
  w.step(0.1);
  w.state()[0] = 1e200;
  EXPECT_EQ(w.tryStep(0.1), lmc::Status::NonFinite);
  EXPECT_EQ(w.state()[0], 1e200);
  EXPECT_EQ(w.time(), 0.1);
  try {
    w.step(0.1, 3);
    FAIL();
  } catch (const lmc::Error& e) {
    EXPECT_EQ(e.kind(), Kind::RunFailed);
    EXPECT_EQ(e.status(), lmc::Status::NonFinite);
    EXPECT_EQ(e.time(), 0.1);
  }
  w.reset();
  EXPECT_EQ(w.trySteps(0.1, 3), lmc::Status::Success);
}

// States from outside are treated like initial values: moved where they are rounded, refused where they are off. What
// holds is computed here.
TEST(HostWorkspace, SetStatesAreOnTheirManifolds) {
  using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const lmc::Model m = ofExample("heavy_top");
  lmc::Workspace w = m.workspace();
  w.step(1e-3, 7);
  const auto first = w.view("R").data - w.state().data();
  const auto defect = [&] {
    const Eigen::Map<const Matrix> R(w.state().data() + first);
    return (R.transpose() * R - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  };
  const std::vector<double> own = w.state().copy();
  w.reset();
  w.setState(own);
  EXPECT_EQ(w.state().copy(), own); // bits of a run stay
  std::vector<double> rounded = own;
  for (double& x : rounded) x = std::round(x * 1e9) / 1e9;
  w.setState(rounded);
  EXPECT_LT(defect(), 1e-14);
  for (std::size_t k = 0; k < own.size(); ++k) EXPECT_NEAR(w.state()[k], own[k], 2e-9);
  std::vector<double> off = own;
  off[static_cast<std::size_t>(first)] += 0.1;
  const std::vector<double> before = w.state().copy();
  std::string message;
  EXPECT_EQ(kindOf([&] { w.setState(off); }, &message), Kind::Misuse);
  EXPECT_NE(message.find("`R` is not on its manifold"), std::string::npos) << message;
  EXPECT_EQ(w.state().copy(), before);
}

// Columns of a table are parameters: other rows without a compilation, and what follows from them is made again.
TEST(HostWorkspace, TablesAreParameters) {
  const lmc::Model m = ofExample("measured_road");
  lmc::Workspace w = m.workspace();
  EXPECT_EQ(w.parameter("road.height").members, 401);
  EXPECT_EQ(w.parameter("road.distance[401]")[0], 100);
  w.step(1e-3, 500);
  EXPECT_NE(w.view("y")[0], 0);
  lmc::Workspace flat = m.workspace();
  const std::vector<double> zeros(401, 0.0);
  flat.set("road.height", zeros);
  flat.step(1e-3, 500);
  EXPECT_EQ(flat.view("y")[0], 0);
  flat.set("road.height[200]", 0.5); // a wall behind the car changes nothing of the straight road but the spline's tail
  flat.reset();
  flat.step(1e-3, 500);
  EXPECT_NEAR(flat.view("y")[0], 0, 1e-6);
  // Beyond the last row there is no number.
  lmc::Workspace late = m.workspace();
  EXPECT_EQ(kindOf([&] { late.step(1e-2, 600); }), Kind::RunFailed);
}

// A crank that is longer than its rod turns it upright: the error of the step says which equations depend there.
TEST(HostWorkspace, ASingularConfigurationIsNamed) {
  lmc::Workspace w = compiled(R"(model Crank {
  config theta : R velocity w;  config phi : R velocity u;  config s : R velocity v;
  lagrangian = 0.5*w^2 + 0.5*u^2 + 0.5*v^2;
  constraint loop : [cos(theta), sin(theta)] + 0.8*[cos(phi), sin(phi)] = [s, 0];
  constraint drive : theta = 2*t;
  initial s = 1.8;  initial w = 2;  initial u = -2.5;
  simulate { method = VITrapezoid; step = 1e-3; }
})")
                         .workspace();
  std::string message;
  EXPECT_EQ(kindOf([&] { w.step(1e-3, 1000); }, &message), Kind::RunFailed);
  EXPECT_NEAR(w.time(), std::asin(0.8) / 2, 0.01);
  EXPECT_NE(message.find("`loop[2]`, `drive` become dependent"), std::string::npos) << message;
  // Runs that fail in the host say so, too.
  lmc::Workspace again = w.model().workspace();
  lmc::RunSettings settings;
  settings.to = 1;
  const lmc::RunResult r = again.run(settings);
  ASSERT_TRUE(r.failure);
  EXPECT_NE(r.failure->message.find("`loop[2]`, `drive` become dependent"), std::string::npos) << r.failure->message;
}
