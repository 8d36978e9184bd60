// `lmc orbit`: periodic motions against closed forms and integrations of their own.
#include "acceptance/Tool.h"

#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using nlohmann::json;

constexpr double g = 9.81;
const double pi = std::acos(-1.0);

/// As exactly as doubles allow: period and multipliers change by less than 1e-12 when steps are halved.
json orbit(const Workspace& w, const std::string& text, Arguments more = {}) {
  more.insert(more.begin(), {"orbit", w.write("model.lie", text).string(), "--json", "--accuracy", "1e-12"});
  const Outcome outcome = w.lmc(more);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const json all = parseJson(outcome.out);
  EXPECT_LE(all["found"]["closing"].get<double>(), 1e-12);
  EXPECT_EQ(all["found"]["accurate"], true);
  return all["found"];
}

std::string exactly(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

std::complex<double> multiplier(const json& o, std::size_t k) {
  return {o["multipliers"][k]["re"].get<double>(), o["multipliers"][k]["im"].get<double>()};
}

/// Classical Runge-Kutta steps of any equation, in long double.
template <std::size_t n, class F>
std::array<long double, n> integrated(std::array<long double, n> y, long double t, long double to, int steps, F f) {
  const long double h = (to - t) / steps;
  const auto plus = [](const std::array<long double, n>& a, long double c, const std::array<long double, n>& b) {
    std::array<long double, n> r = a;
    for (std::size_t i = 0; i < n; ++i) r[i] += c * b[i];
    return r;
  };
  for (int k = 0; k < steps; ++k) {
    const long double s = t + k * h;
    const auto k1 = f(s, y), k2 = f(s + h / 2, plus(y, h / 2, k1)), k3 = f(s + h / 2, plus(y, h / 2, k2)),
               k4 = f(s + h, plus(y, h, k3));
    for (std::size_t i = 0; i < n; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y;
}

const char* const vanDerPol = R"(model VanDerPol {
  param mu = 1;
  state x : R^2;
  flow x = [x[2], mu*(1 - x[1]^2)*x[2] - x[1]];
  initial x = [0.2, 0.3];
  simulate { method = RKMK4; time = 0..60; step = 0.01; }
}
)";

const char* const duffing = R"(model Duffing {
  config x : R velocity v;
  lagrangian = 0.5*v^2 + 0.5*x^2 - 0.25*x^4;
  force on x = -0.3*v + 0.2*cos(1.2*t);
  initial x = 1;
  simulate { method = RKMK4; time = 0..40; step = 0.01; }
}
)";

const char* const rod = R"(model Rod {
  param g = 9.81;
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v) - g*x[2];
  constraint rod : dot(x, x) = 1;
  initial x = [0.6, -0.8];
  event lowest = x[1];
  simulate { method = RKMK4; time = 0..4; step = 0.01; }
}
)";

} // namespace

/// The period is known to 15 digits; the multiplier is exp of the integral of the divergence 1 - x^2.
TEST(Orbit, OfVanDerPol) {
  const Workspace w;
  const json o = orbit(w, vanDerPol);
  const double period = o["period"];
  EXPECT_NEAR(period, 6.663286859323130190, 1e-12); // by its power series in 30 digits
  EXPECT_LE(o["period_error"].get<double>(), 1e-8);
  const auto end =
      integrated<3>({o["state"]["x"][0].get<double>(), o["state"]["x"][1].get<double>(), 0}, 0, period, 40'000,
                    [](long double, const std::array<long double, 3>& y) {
                      return std::array<long double, 3>{y[1], (1 - y[0] * y[0]) * y[1] - y[0], 1 - y[0] * y[0]};
                    });
  for (const std::size_t k : {0U, 1U})
    EXPECT_NEAR(static_cast<double>(end[k]), o["state"]["x"][k].get<double>(), 1e-12) << k;
  ASSERT_EQ(o["multipliers"].size(), 1U);
  EXPECT_NEAR(multiplier(o, 0).real(), static_cast<double>(std::exp(end[2])), 1e-12);
  EXPECT_EQ(o["ones"], 1);
  EXPECT_EQ(o["reasons"], json({"along the motion"}));
  EXPECT_EQ(o["stability"], "asymptotically stable");
}

/// x'' = x - x^3 - c x' + a cos(w t): the motion that was found, and its multipliers, by the variational equations.
void expectDuffing(const json& o, double c, double a, double w, double period) {
  const auto f = [&](long double t, const std::array<long double, 6>& y) {
    const long double slope = 1 - 3 * y[0] * y[0];
    return std::array<long double, 6>{y[1], y[0] - y[0] * y[0] * y[0] - c * y[1] + a * std::cos(w * t),
                                      y[3], slope * y[2] - c * y[3],
                                      y[5], slope * y[4] - c * y[5]};
  };
  const long double x = o["state"]["x"].get<double>(), v = o["state"]["v"].get<double>();
  const auto end = integrated<6>({x, v, 1, 0, 0, 1}, 0, period, 20'000, f);
  ASSERT_EQ(o["multipliers"].size(), 2U);
  const std::complex<double> first = multiplier(o, 0), second = multiplier(o, 1);
  const double size = std::max({1.0, std::abs(first), std::abs(second)}); // rounding of the state grows by so much
  EXPECT_NEAR(static_cast<double>(end[0] - x), 0, 1e-12 * size);
  EXPECT_NEAR(static_cast<double>(end[1] - v), 0, 1e-12 * size);
  EXPECT_NEAR((first * second).real(), std::exp(-c * period), 1e-10 * size);
  EXPECT_NEAR((first + second).real(), static_cast<double>(end[2] + end[5]), 1e-10 * size);
  EXPECT_EQ(o["ones"], 0);
}

/// The product of the multipliers is exp(-c T); both against the variational equations.
TEST(Orbit, OfAForcedOscillator) {
  const Workspace w;
  const json o = orbit(w, duffing, {"--period", "5.235987755982989"});
  expectDuffing(o, 0.3, 0.2, 1.2, 2 * pi / 1.2);
  EXPECT_EQ(o["stability"], "asymptotically stable");
}

/// Where the motion never settles there are periodic ones that are not stable: they are found from states that nearly
/// return, where Newton's method stalls from the initial one and from where the motion is after a long time.
TEST(Orbit, OfAnOscillatorThatDoesNotSettle) {
  const Workspace w;
  const std::string model = R"(model Duffing {
  param w = 1;
  config x : R velocity v;
  lagrangian = 0.5*v^2 + 0.5*x^2 - 0.25*x^4;
  force on x = -0.2*v + 0.3*cos(w*t);
  simulate { method = RKMK4; time = 0..40; step = 0.01; }
}
)";
  struct Case {
    std::string begin, rate, period;
  };
  for (const Case& c : {Case{"1", "1", "6.283185307179586"}, Case{"2", "1.2", "10.471975511965978"}}) {
    SCOPED_TRACE(c.begin + " " + c.rate);
    const json o = orbit(w, model, {"--period", c.period, "--set", "x=" + c.begin, "--set", "w=" + c.rate});
    expectDuffing(o, 0.2, 0.3, std::stod(c.rate), std::stod(c.period));
    EXPECT_EQ(o["stability"], "unstable");
  }
}

/// T = 4 K(k)/w0 with k the sine of half the amplitude, of a point on a rod; the family by its energy.
TEST(Orbit, OfAMechanismAtGivenEnergy) {
  const Workspace w;
  for (const double energy : {-9.0, -8.0, -2.0, 6.0}) {
    const double k = std::sqrt((1 + energy / g) / 2);
    const json o = orbit(w, rod, {"--energy", std::to_string(energy)});
    EXPECT_NEAR(o["period"].get<double>(), 4 * std::comp_ellint_1(k) / std::sqrt(g), 1e-12) << energy;
    EXPECT_NEAR(o["outputs"]["energy"].get<double>(), energy, 1e-12);
    EXPECT_EQ(o["ones"], 2);
    EXPECT_EQ(o["reasons"], json({"along the motion", "energy"}));
  }
}

/// Conical motions: multipliers exp(+-i k T) with k = w sqrt(1 + 3 cos^2 a), beside two ones.
TEST(Orbit, OfAConicalPendulum) {
  const Workspace w;
  const json o = orbit(w, R"(model Conical {
  config q : S^2 velocity w;
  lagrangian = 0.5*dot(q', q') - 9.81*dot(e3, q);
  initial q = [0.6, 0, -0.8];
  initial w = [0.8, 0, 0.6]*0.6*3.6;
  simulate { method = RKMK4; time = 0..10; step = 0.01; }
}
)");
  const double down = -o["state"]["q"][2].get<double>(), rate = std::sqrt(g / down);
  EXPECT_NEAR(o["period"].get<double>(), 2 * pi / rate, 1e-12);
  ASSERT_EQ(o["multipliers"].size(), 2U);
  const double angle = 2 * pi * std::sqrt(1 + 3 * down * down);
  EXPECT_NEAR(multiplier(o, 0).real(), std::cos(angle), 1e-8);
  EXPECT_NEAR(std::abs(multiplier(o, 0).imag()), std::abs(std::sin(angle)), 1e-8);
  EXPECT_EQ(o["stability"], "undecided");
}

/// Eight turns in a period: the states at the begins of its eight sections are one. One turn is found.
TEST(Orbit, OfEightTurnsIsNoEquilibrium) {
  const Workspace w;
  const json o = orbit(w,
                       "model Rotor { config q : S^1 velocity w; lagrangian = 0.5*w^2; initial q = [1, 0];"
                       "initial w = 2; simulate { time = 0..15; step = 0.01; } }",
                       {"--period", "25.13"});
  EXPECT_NEAR(o["period"].get<double>() * std::abs(o["state"]["w"].get<double>()), 2 * pi, 1e-10);
  const auto at = w.write("forced.lie", "model Forced { config x : R velocity v; lagrangian = 0.5*v^2 - x^2;"
                                        "force on x = cos(t) - v; initial x = 1;"
                                        "simulate { time = 0..15; step = 0.01; } }")
                      .string();
  const Outcome forced = w.lmc({"orbit", at, "--json", "--period", exactly(16 * pi)});
  EXPECT_EQ(forced.status, 0) << forced.out << forced.err; // x'' + x' + 2 x = cos t: x = (cos t + sin t)/2
  EXPECT_NEAR(parseJson(forced.out)["found"]["state"]["x"].get<double>(), 0.5, 1e-9);
}

/// Half a turn leads to the opposite point with the same velocity, which is not where the motion began.
TEST(Orbit, OfARotorIsAWholeTurn) {
  const Workspace w;
  for (const std::string manifold : {"S^1", "SO(2)"}) {
    const json o = orbit(w, "model Rotor {\n  config q : " + manifold + " velocity w;\n  lagrangian = 0.5*w^2;\n" +
                                (manifold == "S^1" ? "  initial q = [1, 0];\n" : "") +
                                "  initial w = 2;\n  simulate { time = 0..15; step = 0.01; }\n}\n");
    EXPECT_NEAR(o["period"].get<double>() * std::abs(o["state"]["w"].get<double>()), 2 * pi, 1e-11) << manifold;
    EXPECT_EQ(o["ones"], 2) << manifold;
  }
}

TEST(Orbit, SaysWhyThereIsNone) {
  const Workspace w;
  const auto refused = [&](const std::string& text, Arguments more, const std::string& code) {
    more.insert(more.begin(), {"orbit", w.write("model.lie", text).string()});
    const Outcome outcome = w.lmc(more);
    EXPECT_NE(outcome.status, 0) << outcome.out;
    EXPECT_NE(outcome.err.find("[" + code + "]"), std::string::npos) << outcome.err << outcome.out;
  };
  refused(duffing, {}, "LIE0674");
  refused(duffing, {"--period", "5", "--energy", "1"}, "LIE0674");
  refused(vanDerPol, {"--energy", "1"}, "LIE0674");
  refused("model Fall {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - x;\n"
          "  simulate { method = RKMK4; time = 0..2; step = 0.01; }\n}\n",
          {}, "LIE0674");
  refused(vanDerPol, {"--set", "x=[0, 0]", "--period", "6"}, "LIE0675");
  const Outcome event = w.lmc({"orbit", w.write("rod.lie", rod).string()});
  EXPECT_EQ(event.status, 0) << event.err;
  EXPECT_NE(event.err.find("[LIE0676]"), std::string::npos) << event.err;
  EXPECT_NE(event.err.find("`lowest`"), std::string::npos) << event.err;
}

/// McGeer's wheel: from strike to strike w^2 becomes cos(2 alpha)^2 (w^2 + 4 g/l sin(alpha) sin(gamma)).
TEST(Orbit, OfARimlessWheel) {
  const Workspace w;
  const json o = orbit(w, readFile(example("rimless_wheel")));
  const double alpha = pi / 8, gamma = 0.08, c = std::cos(2 * alpha);
  ASSERT_EQ(o["multipliers"].size(), 1U);
  EXPECT_NEAR(multiplier(o, 0).real(), c * c, 1e-8);
  EXPECT_EQ(multiplier(o, 0).imag(), 0);
  EXPECT_EQ(o["ones"], 1);
  EXPECT_EQ(o["stability"], "asymptotically stable");
  // The time of a step by quadrature: dtheta/w with w^2 = w0^2 + 2 g (cos(gamma - alpha) - cos(theta)).
  const double w0 = c * std::sqrt(4 * g * std::sin(alpha) * std::sin(gamma) / (1 - c * c));
  const double from = gamma - alpha, to = gamma + alpha;
  const int n = 2000; // intervals of Simpson's rule
  double sum = 0;
  for (int k = 0; k <= n; ++k) {
    const double theta = from + (to - from) * k / n;
    const double rate = std::sqrt(w0 * w0 + 2 * g * (std::cos(from) - std::cos(theta)));
    sum += (k == 0 || k == n ? 1 : k % 2 == 1 ? 4 : 2) / rate;
  }
  EXPECT_NEAR(o["period"].get<double>(), sum * (to - from) / n / 3, 1e-12);
  const double theta = o["state"]["theta"];
  EXPECT_NEAR(o["state"]["w"].get<double>(), std::sqrt(w0 * w0 + 2 * g * (std::cos(from) - std::cos(theta))), 1e-12);
  // The wheel goes on: the number of its steps does not come back, and nothing depends on it.
  ASSERT_EQ(o["carried"].size(), 1U);
  EXPECT_EQ(o["carried"]["steps"][1].get<double>() - o["carried"]["steps"][0].get<double>(), 1);
  EXPECT_LE(o["again"].get<double>(), 1e-10);
}

/// A motion that closes, of which the second period is another one: a number counts, and a force waits for it.
TEST(Orbit, LooksAtNumbersThatDoNotComeBack) {
  const Workspace w;
  const auto text = [](const std::string& least) {
    return R"(model Waits {
  config x : R velocity v;
  lagrangian = 0.5*v^2 - 0.5*x^2;
  dissipation = 0.2*v^2;
  discrete n : int = 0;
  discrete odd : bool = false;
  discrete held : vec(3) = zeros(3);
  every 2*pi from pi { reset n = n + 1; reset odd = not odd; reset held = [1, x, v]; }
  force on x = cos(t) + (if n >= )" +
           least + R"( then 0.01 else 0);
  initial v = 0.5;
  simulate { method = RKMK4; time = 0..60; step = 0.02; }
}
)";
  };
  const Arguments period = {"--period", "6.283185307179586476"};
  const json same = orbit(w, text("1000"), period);
  EXPECT_EQ(same["carried"]["n"], json::array({0.0, 1.0}));
  EXPECT_EQ(same["carried"]["odd"], json::array({0.0, 1.0}));
  EXPECT_LE(same["again"].get<double>(), 1e-10);
  Arguments call = {"orbit", w.write("other.lie", text("2")).string()};
  call.insert(call.end(), period.begin(), period.end());
  const Outcome other = w.lmc(call);
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_NE((other.out + other.err).find("LIE0676"), std::string::npos) << other.err;
  EXPECT_NE((other.out + other.err).find("next period is another one"), std::string::npos) << other.err;
  EXPECT_NE(other.out.find("n: 0 -> 1"), std::string::npos) << other.out;
}

/// A ball on a vibrating table, one impact a period: with u the speed of the table, a its acceleration at the impact,
/// and v -> u - e (v - u), the saltation matrix is [[-e, 0], [-(1 + e)(g + a)/(v - u), -e]].
TEST(Orbit, OfABallOnAVibratingTable) {
  const Workspace w;
  const double e = 0.5, size = 0.03, omega = 20, period = 2 * pi / omega;
  const double u = g * period / 2 * (1 - e) / (1 + e), before = -g * period / 2;
  const double phase = std::acos(u / (size * omega)), a = -size * omega * omega * std::sin(phase);
  const double at = phase / omega, v0 = before + g * at, z0 = size * std::sin(phase) - v0 * at + g * at * at / 2;
  char values[200];
  std::snprintf(values, sizeof values, "  initial z = %.6f;\n  initial v = %.6f;\n", z0, v0);
  const json o = orbit(w,
                       std::string("model Table {\n  config z : R velocity v;\n  lagrangian = 0.5*v^2 - 9.81*z;\n"
                                   "  contact table : z >= 0.03*sin(20*t) { restitution = 0.5; }\n") +
                           values + "  simulate { method = RKMK4; time = 0..10; step = 0.01; }\n}\n",
                       {"--period", "0.31415926535897931"});
  EXPECT_NEAR(o["state"]["z"].get<double>(), z0, 1e-12);
  EXPECT_NEAR(o["state"]["v"].get<double>(), v0, 1e-12);
  const double bend = -(1 + e) * (g + a) / (before - u);
  ASSERT_EQ(o["multipliers"].size(), 2U);
  const std::complex<double> first = multiplier(o, 0), second = multiplier(o, 1);
  EXPECT_NEAR((first * second).real(), e * e, 1e-9);
  EXPECT_NEAR((first + second).real(), -2 * e + bend * period, 1e-8);
  EXPECT_EQ(o["stability"], "asymptotically stable");
}

/// x' = u - x + cos(2 pi t) with u = -x/2 from every quarter on: from sampling to sampling x becomes
/// (a - (1 - a)/2) x + …, a = exp(-1/4), and u follows it.
TEST(Orbit, OfASampledController) {
  const Workspace w;
  const json o = orbit(w, R"(model Sampled {
  state x : R;
  flow x = u - x + cos(2*pi*t);
  discrete u = 0;
  discrete count : int = 0;
  every 0.25 { reset u = -0.5*x; reset count = count + 1; }
  initial x = 0.3;
  simulate { method = RKMK4; time = 0..10; step = 0.01; }
}
)",
                       {"--period", "1"});
  ASSERT_EQ(o["multipliers"].size(), 2U);
  const double a = std::exp(-0.25), once = a - (1 - a) / 2;
  EXPECT_NEAR(std::max(std::abs(multiplier(o, 0)), std::abs(multiplier(o, 1))), std::pow(once, 4), 1e-10);
  EXPECT_NEAR(std::min(std::abs(multiplier(o, 0)), std::abs(multiplier(o, 1))), 0, 1e-10);
  // Over a quarter x becomes a x + (1 - a) u and what the cosine adds, with u = -x/2 at its begin: four times a map of
  // one number, whose fixed point is the state. It stands behind the sampling of its time.
  const auto forced = [](double t) { // a motion of x' = -x + cos(2 pi t)
    return (std::cos(2 * pi * t) + 2 * pi * std::sin(2 * pi * t)) / (1 + 4 * pi * pi);
  };
  double slope = 1, shift = 0;
  for (int k = 0; k < 4; ++k) {
    slope *= once;
    shift = once * shift + forced((k + 1) / 4.0) - a * forced(k / 4.0);
  }
  const double x0 = shift / (1 - slope);
  EXPECT_NEAR(o["state"]["x"].get<double>(), x0, 1e-12);
  EXPECT_NEAR(o["state"]["u"].get<double>(), -x0 / 2, 1e-12);
  EXPECT_EQ(o["carried"]["count"][1].get<double>() - o["carried"]["count"][0].get<double>(), 4);
  EXPECT_LE(o["again"].get<double>(), 1e-10);
}

TEST(Orbit, SaysWhereThereIsNoDerivative) {
  const Workspace w;
  const std::string file = w.write("model.lie", R"(model Corner {
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v) - 0.5*dot(x, x);
  event right = rising(x[1] - 0.5) { reset v = [-v[1], v[2]]; }
  event up = rising(x[2] - 0.5) { reset v = [v[1], -v[2]]; }
  initial v = [1, 1];
  simulate { method = RKMK4; time = 0..20; step = 0.01; }
}
)")
                               .string();
  const Outcome outcome = w.lmc({"orbit", file});
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.err.find("LIE0675"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("happen at one time"), std::string::npos) << outcome.err;
}
