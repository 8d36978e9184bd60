// What a host does by mistake is told, not done.
#include "Support.h"

#include <cmath>
#include <limits>

using namespace host;
using Kind = lmc::Error::Kind;

namespace {
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

const char* const flow = R"(
model Flow {
  state z : R^2;
  flow z = [z[2], -z[1]];
  initial z = [1, 0];
  simulate { method = RKMK4; time = 0..1; step = 0.1; }
}
)";

/// The error that `body` throws.
template <class Body> lmc::Error errorOf(Body body) {
  try {
    body();
  } catch (const lmc::Error& e) {
    return e;
  }
  throw std::runtime_error("nothing was thrown");
}
} // namespace

TEST(HostMisuse, StepsThatCannotBeTakenLeaveTheTime) {
  lmc::Workspace w = compiled(pendulum).workspace();
  for (const double h : {notANumber, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(kindOf([&] { w.step(h); }), Kind::Misuse);
    EXPECT_EQ(kindOf([&] { (void)w.tryStep(h); }), Kind::Misuse);
  }
  EXPECT_EQ(kindOf([&] { w.step(0.1, -5); }), Kind::Misuse);
  EXPECT_EQ(w.time(), 0);
  w.step(-0.1); // backwards is fine
  EXPECT_EQ(w.time(), -0.1);
}

TEST(HostMisuse, WhatIsNotFiniteIsNamed) {
  lmc::Workspace w = compiled(pendulum).workspace();
  w.set("m", notANumber);
  const lmc::Error parameter = errorOf([&] { w.step(0.01); });
  EXPECT_EQ(parameter.status(), lmc::Status::NonFinite);
  EXPECT_STREQ(parameter.what(), "the parameter `m` is not finite");
  w.resetParameters();
  w.setTime(notANumber);
  lmc::Workspace r = compiled(rotor).workspace();
  r.setInput(0, {1, notANumber, 0});
  EXPECT_STREQ(errorOf([&] { r.step(0.01); }).what(), "the input `torque` is not finite");
}

TEST(HostMisuse, ACallbackCannotChangeItsRun) {
  lmc::Workspace w = compiled(rotor).workspace();
  lmc::RunSettings settings;
  settings.to = 0.5;
  settings.step = 0.1;
  for (const auto& change :
       std::vector<std::function<void()>>{[&] {
                                            w.setInput("torque", {1, 0, 0});
                                          },
                                          [&] {
                                            w.set("J", {1, 0, 0, 0, 1, 0, 0, 0, 1});
                                          },
                                          [&] { w.step(0.1); }, [&] { (void)w.run(settings); },
                                          [&] { w.setState(w.state().copy()); }, [&] { w.releaseInput("torque"); }}) {
    w.reset();
    const lmc::Error e = errorOf([&] {
      w.run(settings, [&](const lmc::Sample&) {
        change();
        return true;
      });
    });
    EXPECT_EQ(e.kind(), Kind::Misuse);
    EXPECT_NE(std::string(e.what()).find("a callback cannot change it"), std::string::npos) << e.what();
  }
  w.reset();
  EXPECT_TRUE(w.run(settings)); // and afterwards all is well
}

TEST(HostMisuse, InputsByNumber) {
  const lmc::Model m =
      compiled("model M { config x : R velocity v; input u : real = 0; lagrangian = v^2/2; force on x = u; "
               "initial x = 0; simulate { method = RKMK4; } }");
  lmc::Workspace w = m.workspace();
  w.setInput(0, 0.5);
  w.step(1);
  EXPECT_NEAR(w.view("v")[0], 0.5, 1e-15);
  w.setInput(0, double{1.5});
  w.step(1);
  EXPECT_NEAR(w.view("v")[0], 2, 1e-15);
}

TEST(HostMisuse, NamesOfPartsAndMembers) {
  lmc::Workspace w = ofExample("heavy_top_lie_poisson").workspace();
  EXPECT_STREQ(errorOf([&] { (void)w.view("mu"); }).what(), "`mu` has the parts `mu.v`, `mu.w`");
  lmc::Workspace q = ofExample("two_quadrotors").workspace();
  EXPECT_STREQ(errorOf([&] { (void)q.view("q[2][1]"); }).what(),
               "`q[2][1]` has too many indices: a name may have that of a member");
}

TEST(HostMisuse, DerivativesOfWhatIsNotThere) {
  const lmc::Model m = compiled(flow);
  lmc::Linearization l(m);
  EXPECT_EQ(l.jacobians(lmc::Linearized::Motion, 0).rows, 2U);
  EXPECT_EQ(kindOf([&] { (void)l.jacobians(lmc::Linearized::Outputs, 0); }), Kind::Unavailable);
  EXPECT_EQ(kindOf([&] { (void)l.forward(lmc::Linearized::Outputs, 0, {1, 0}); }), Kind::Unavailable);
  EXPECT_EQ(kindOf([&] { (void)l.gradient(0.1, 3, {}, [](std::int64_t, auto) { return std::vector<double>{}; }); }),
            Kind::Unavailable);
  EXPECT_EQ(kindOf([&] { (void)l.jacobians(static_cast<lmc::Linearized>(7), 0.1); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { (void)l.jacobians(lmc::Linearized::Step, notANumber); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { (void)l.propagate(0.1, -1, {1, 0}); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { (void)l.propagate(0.1, 1, {1, 0, 0}); }), Kind::Misuse);
  lmc::Linearization top(compiled(pendulum));
  EXPECT_EQ(kindOf([&] { (void)top.gradient(0.1, 3, {}, lmc::OutputWeights{}); }), Kind::Misuse);
  EXPECT_EQ(kindOf([&] { (void)top.gradient(0.1, -3, {}, [](std::int64_t, auto) { return std::vector<double>{}; }); }),
            Kind::Misuse);
  EXPECT_EQ(kindOf([&] { (void)m.equations(static_cast<lmc::Format>(9)); }), Kind::Misuse);
}

TEST(HostMisuse, ArraysAreSpans) {
  lmc::Workspace w = compiled(rotor).workspace();
  const double torque[3] = {1, 2, 3};
  w.setInput("torque", torque);
  EXPECT_TRUE(w.inputIsSet("torque"));
}
