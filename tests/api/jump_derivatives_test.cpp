// Derivatives across events, resets and samplings, against closed forms and differences of runs.
#include "JumpDifferences.h"

#include <cmath>

namespace {

using host::compiled;
using host::expectDifferences;
using host::Matrix;
using host::propagated;
using host::relative;
using host::Sensitivities;

const char* const ball = R"(
model Ball {
  param g = 9.81;  param e = 0.8;
  config z : R velocity v;
  lagrangian = 0.5*v^2 - g*z;
  event hit = falling(z) { reset v = -e*v; }
  initial z = 1;
  initial v = 0.3;
  observe height = z;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";

const char* const contactBall = R"(
model Ball {
  param g = 9.81;  param e = 0.8;
  config z : R velocity v;
  lagrangian = 0.5*v^2 - g*z;
  contact floor : z >= 0 { restitution = e; }
  initial z = 1;
  initial v = 0.3;
  observe height = z;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";

} // namespace

/// With the time of flight t1 = (v + sqrt(v^2 + 2 g z))/g and w = sqrt(v^2 + 2 g z): behind the impact v+ = e w, and
/// z(t) = e w (t - t1) - g (t - t1)^2/2.
TEST(JumpDerivatives, OfABouncingBallAreThoseOfItsTimeOfFlight) {
  for (const char* const text : {ball, contactBall}) {
    const lmc::Model m = compiled(text);
    const double g = 9.81, e = 0.8, z = 1, v = 0.3, h = 0.01, t = 0.7;
    const Sensitivities got = propagated(m, h, 70);
    ASSERT_EQ(got.byState.rows(), 2);
    const double w = std::sqrt(v * v + 2 * g * z), t1 = (v + w) / g, s = t - t1;
    // Derivatives by z, v, g, e.
    const double dw[] = {g / w, v / w, z / w, 0};
    const double dt1[] = {dw[0] / g, (1 + dw[1]) / g, dw[2] / g - t1 / g, 0};
    Matrix expected(2, 4);
    for (int k = 0; k < 4; ++k) {
      const double de = k == 3 ? 1 : 0, dg = k == 2 ? 1 : 0;
      expected(0, k) = (de * w + e * dw[k]) * s - e * w * dt1[k] - dg * s * s / 2 + g * s * dt1[k];
      expected(1, k) = de * w + e * dw[k] - dg * s + g * dt1[k];
    }
    Matrix all(2, 4);
    all << got.byState, got.byParameters;
    EXPECT_LT(relative(all, expected), 1e-12) << all << "\n\n" << expected;
  }
}

TEST(JumpDerivatives, GoThroughManyImpacts) {
  expectDifferences(ball, 0.01, 250, 1e-5, 1e-6);
  expectDifferences(contactBall, 0.01, 250, 1e-5, 1e-6);
}

/// x'' = -x with v -> -e v + c at x = a falling: the time of the event, and with it the state behind, in closed form.
TEST(JumpDerivatives, OfAnOscillatorWithAResetThatDependsOnTheTime) {
  expectDifferences(R"(
model Oscillator {
  param k = 1.3;  param e = 0.7;  param a = 0.2;  param c = 0.05;
  config x : R velocity v;
  lagrangian = 0.5*v^2 - 0.5*k*x^2;
  event hit = falling(x - a - 0.1*sin(2*t)) { reset v = -e*v + c*cos(t) + 0.1*x^2; }
  initial x = 1;
  observe there = x*v;
  simulate { method = RKMK4; time = 0..4; step = 0.02; }
}
)",
                    0.02, 200);
}

TEST(JumpDerivatives, InTangentSpacesOfRotationsAndSpheres) {
  expectDifferences(R"(
model Body {
  param J : mat(3,3) = diag(1, 2, 2.5);
  param e = 0.6;
  config R : SO(3) velocity W;
  config q : S^2 velocity w;
  lagrangian = 0.5*dot(W, J*W) + 0.5*dot(q', q') - dot(e3, R*e1) - 2*dot(e3, q) + 0.3*dot(q, R*e2);
  event turn = rising(dot(e1, R*e2) - 0.1) { reset W = [-e*W[1], W[2], W[3] + 0.2*W[1]]; }
  event low = rising(dot(q, e1)) { reset w = -e*w; reset R = R*SO(3).exp(0.1*[W[2], 1, 0]); }
  initial W = [0.9, 0.4, -1.2];
  initial q = [-0.8, 0.6, 0];
  initial w = [0.3, 0.4, 1.5];
  observe height = dot(e3, R*e1) + q[3];
  simulate { method = RKMK4; time = 0..3; step = 0.01; }
}
)",
                    0.01, 300, 1e-4, 2e-7);
}

TEST(JumpDerivatives, OfASampledController) {
  expectDifferences(R"(
model Sampled {
  param k = 3;  param d = 1.5;  param T = 0.0625;
  config x : R velocity v;
  lagrangian = 0.5*v^2 - 0.5*x^2;
  discrete u = 0;
  discrete last : vec(2) = [0, 0];
  discrete count : int = 0;
  every T { reset u = -k*x - d*last[1]; reset last = [v, x]; reset count = count + 1; }
  force on x = u + 0.1*count;
  initial x = 1;
  observe there = x + u;
  simulate { method = RKMK4; time = 0..2; step = 0.02; }
}
)",
                    0.02, 99);
}

/// Values that inputs hold during single steps, against steps of a host.
TEST(JumpDerivatives, ByTheInputsOfSteps) {
  const lmc::Model m = compiled(R"(
model Pushed {
  input push = 0;
  config x : R velocity v;
  lagrangian = 0.5*v^2 - 9.81*x;
  discrete seen = 0;
  every 0.05 { reset seen = v + push; }
  event hit = falling(x + 0.01*push) { reset v = -0.8*v + 0.1*push; }
  event kick = rising(push - 0.28) { reset v = v + 0.3*push*x; } // by the input alone
  force on x = push - 0.2*seen;
  initial x = 0.2;
  observe there = x + 0.5*v;
  simulate { method = RKMK4; time = 0..1; step = 0.02; }
}
)");
  const double h = 0.02;
  constexpr std::int64_t n = 30;
  std::vector<double> inputs;
  for (std::int64_t k = 0; k < n; ++k) inputs.push_back(0.3 * std::sin(static_cast<double>(k)));
  const auto end = [&](const std::vector<double>& u) {
    lmc::Workspace w = m.workspace();
    for (std::int64_t k = 0; k < n; ++k) {
      w.setInput("push", u[static_cast<std::size_t>(k)]);
      w.step(h);
    }
    return w.observable("there")[0];
  };
  lmc::Linearization l(m);
  const auto weights = [&](std::int64_t k, lmc::Span<const double>) {
    return k == n ? std::vector<double>{0, 1} : std::vector<double>();
  };
  ASSERT_EQ(l.outputs().size(), 2U); // the energy, too
  const lmc::CostGradient g = l.gradient(h, n, inputs, weights);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    constexpr double e = 1e-4;
    std::vector<double> up = inputs, down = inputs;
    up[k] += e;
    down[k] -= e;
    EXPECT_NEAR(g.inputs[k], (end(up) - end(down)) / (2 * e), 1e-7) << k;
  }
}

TEST(JumpDerivatives, OfAVariationalMethod) {
  expectDifferences(R"(
model Pendulum {
  param g = 9.81;  param e = 0.9;
  config q : S^2 velocity w;
  lagrangian = 0.5*dot(q', q') - g*q[3];
  event wall = falling(q[1] - 0.1) { reset w = -e*w; }
  initial q = [0.8, 0, -0.6];
  initial w = [0, 1, 0];
  observe there = q[1] + w[2];
  simulate { method = VITrapezoid; time = 0..1; step = 0.005; }
}
)",
                    0.005, 200);
}

TEST(JumpDerivatives, OfOneStepGoThroughItsJumps) {
  const lmc::Model m = compiled(ball);
  lmc::Linearization l(m);
  const std::vector<double> y{0.002, -1};
  std::copy(y.begin(), y.end(), l.state().begin());
  const double h = 0.01;
  const lmc::Jacobians j = l.jacobians(lmc::Linearized::Step, h);
  // As in the first test, from z = 0.002, v = -1 at time 0.
  const double g = 9.81, e = 0.8, w = std::sqrt(1 + 2 * g * 0.002), t1 = (-1 + w) / g, s = h - t1;
  EXPECT_NEAR(j.value[0], e * w * s - g * s * s / 2, 1e-15);
  EXPECT_NEAR(j.value[1], e * w - g * s, 1e-14);
  const double dw[] = {g / w, -1 / w}, dt[] = {1 / w, (1 - 1 / w) / g};
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(j.state[2 * k], e * dw[k] * s - (e * w - g * s) * dt[k], 1e-12);
    EXPECT_NEAR(j.state[2 * k + 1], e * dw[k] + g * dt[k], 1e-11);
  }
  EXPECT_EQ(l.state().copy(), y);
  const std::vector<double> z{0.3, -0.2}, lambda{1.5, 0.25};
  const std::vector<double> image = l.forward(lmc::Linearized::Step, h, z).copy();
  const lmc::Covectors back = l.adjoint(lmc::Linearized::Step, h, lambda);
  EXPECT_NEAR(image[0] * lambda[0] + image[1] * lambda[1], back.state[0] * z[0] + back.state[1] * z[1], 1e-12);
}

/// The square of a height has a double root where the height is zero.
TEST(JumpDerivatives, OfGrazingEventsAreRefused) {
  lmc::Linearization l(compiled(R"(
model Grazing {
  config x : R velocity v;
  lagrangian = 0.5*v^2;
  event hit = (x - 0.51)^2 { reset v = 2*v; }
  initial v = 1;
  simulate { method = RKMK4; time = 0..2; step = 0.01; }
}
)"));
  try {
    (void)l.propagate(0.01, 100, {1.0, 0.0});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const lmc::Error& e) {
    EXPECT_EQ(e.kind(), lmc::Error::Kind::RunFailed);
    EXPECT_NE(std::string(e.what()).find("`hit` only grazes zero"), std::string::npos) << e.what();
    EXPECT_NEAR(e.time(), 0.51, 1e-6);
  }
}

TEST(JumpDerivatives, OfEventsThatEndTheMotionAreRefused) {
  lmc::Linearization l(compiled(R"(
model Ends {
  config x : R velocity v;
  lagrangian = 0.5*v^2;
  event hit = rising(x - 0.5) { reset v = 2*v; }
  event stop = rising(x - 1);
  initial v = 1;
  simulate { method = RKMK4; time = 0..2; step = 0.01; }
}
)"));
  std::string message;
  EXPECT_EQ(host::kindOf([&] { (void)l.propagate(0.01, 100, {1.0, 0.0}); }, &message), lmc::Error::Kind::RunFailed);
  EXPECT_NE(message.find("`stop`"), std::string::npos) << message;
  EXPECT_EQ(host::kindOf([&] { (void)l.propagate(-0.01, 1, {1.0, 0.0}); }), lmc::Error::Kind::Misuse);
}

TEST(JumpDerivatives, OfEventsAtOneTimeAreRefused) {
  lmc::Linearization l(compiled(R"(
model Corner {
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v);
  event right = rising(x[1] - 1) { reset v = [-v[1], v[2]]; }
  event up = rising(x[2] - 1) { reset v = [v[1], -v[2]]; }
  initial v = [1, 1];
  simulate { method = RKMK4; time = 0..2; step = 0.0625; }
}
)"));
  std::string message;
  EXPECT_EQ(host::kindOf(
                [&] {
                  (void)l.propagate(0.0625, 32, {1.0, 0.0, 0.0, 0.0});
                },
                &message),
            lmc::Error::Kind::RunFailed);
  EXPECT_NE(message.find("one after the other"), std::string::npos) << message;
}

TEST(JumpDerivatives, BehindWhatIsAdjustedAreRefused) {
  const lmc::Model m = compiled(host::kickedPendulum);
  std::string message;
  EXPECT_EQ(host::kindOf([&] { (void)lmc::Linearization(m); }, &message), lmc::Error::Kind::Unavailable);
  EXPECT_NE(message.find("`initial adjust`"), std::string::npos) << message;
  EXPECT_NE(message.find("LIE0652"), std::string::npos) << message;
  // Other things of the model work on.
  lmc::Workspace w = m.workspace();
  w.step(0.01, 90);
  EXPECT_EQ(w.happened().size(), 1U);
}

/// What one call has left is where the next one goes on: samplings are not carried out twice.
TEST(JumpDerivatives, GoOnFromCallToCall) {
  const lmc::Model m = compiled(R"(
model Sampled {
  state x : R;
  flow x = u - x;
  discrete u = 0;
  every 0.1 { reset u = 1 - 0.5*x + 0.1*u; }
  event low = rising(x - 0.3) { reset x = 0.5*x; }
  initial x = 0.2;
  simulate { method = RKMK4; time = 0..1; step = 0.05; }
}
)");
  lmc::Linearization whole(m), parts(m);
  std::vector<double> z{1, 0.5};
  const std::vector<double> once = whole.propagate(0.05, 40, z);
  for (int k = 0; k < 8; ++k) z = parts.propagate(0.05, 5, z);
  EXPECT_NEAR(parts.state()[0], whole.state()[0], 1e-13);
  EXPECT_NEAR(parts.state()[1], whole.state()[1], 1e-13);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(z[i], once[i], 1e-12);
}
