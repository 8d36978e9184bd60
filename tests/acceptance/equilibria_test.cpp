// `lmc equilibrium`: equilibria and relative equilibria against closed forms.
#include "acceptance/Tool.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using nlohmann::json;

constexpr double g = 9.81;
const double pi = std::acos(-1.0);

/// Everything that was found; the call succeeds.
json equilibria(const Workspace& w, const std::string& file, Arguments more) {
  more.insert(more.begin(), {"equilibrium", file, "--json"});
  const Outcome outcome = w.lmc(more);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  return parseJson(outcome.out);
}

/// The only one, or the first.
json equilibrium(const Workspace& w, const std::string& file, Arguments more = {}) {
  json all = equilibria(w, file, std::move(more));
  EXPECT_FALSE(all["found"].empty());
  return all["found"].empty() ? json() : all["found"][0];
}

/// The imaginary parts of eigenvalues above zero, ascending.
std::vector<double> frequencies(const json& values) {
  std::vector<double> list;
  for (const json& v : values)
    if (v["im"].get<double>() > 1e-3) list.push_back(v["im"]);
  std::sort(list.begin(), list.end());
  return list;
}

void expectVector(const json& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(found[k].get<double>(), expected[k], tolerance) << "entry " << k + 1;
}

const char* const conical = R"(model Conical {
  param m = 2;  param l = 2;  param g = 9.81;
  config q : S^2 velocity w;
  lagrangian = 0.5*m*l^2*dot(q', q') - m*g*l*dot(e3, q);
  initial q = [0.6, 0, -0.8];
  initial w = [0.08, 1.2, 0.06];
  simulate { method = RKMK4; time = 0..20; step = 0.01; }
}
)";

/// Three rods between two pins at equal heights; the middle one, or not, said twice.
std::string hangingChain(bool twice) {
  return std::string(R"(model Hanging {
  param g = 9.81;  param d = 2.2;
  config x[2] : R^2 velocity v;
  lagrangian = sum(i in 1..2: 0.5*dot(v[i], v[i]) - g*x[i][2]);
  constraint left : dot(x[1], x[1]) = 1;
  constraint right : dot(x[2] - [d, 0], x[2] - [d, 0]) = 1;
  constraint middle : dot(x[2] - x[1], x[2] - x[1]) = 1;
)") + (twice ? "  constraint again : dot(x[2] - x[1], x[2] - x[1]) = 1;\n" : "") +
         R"(  initial x[1] = [0.5, -0.7];  initial x[2] = [1.5, -0.9];
  initial adjust x, v;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";
}

const char* const quadrotor = R"(model Quadrotor {
  param m = 1.2;  param g = 9.81;  param J : mat(3,3) = diag(0.02, 0.021, 0.04);
  config x : R^3 velocity v;
  config R : SO(3) velocity Omega;
  input T : real = 3*m;
  input M : vec(3) = [0.1, 0, 0] - 0.1*Omega;
  lagrangian = 0.5*m*dot(v, v) + 0.5*dot(Omega, J*Omega) - m*g*x[3];
  force on x = T*(R*e3);
  force on R = M;
  initial x = [1, 2, 3];
  initial R = SO(3).exp([0.2, -0.1, 0.3]);
  initial v = [0.1, 0, 0.3];
  initial Omega = [0.2, 0.1, 0];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";

const char* const top = R"(model Top {
  param m = 0.5;  param l = 0.2;  param g = 9.81;  param I1 = 0.03;  param I3 = 0.01;
  config R : SO(3) velocity Omega;
  lagrangian = 0.5*(I1*(Omega[1]^2 + Omega[2]^2) + I3*Omega[3]^2) - m*g*l*dot(e3, R*e3);
  initial R = SO(3).exp([0.7, 0, 0]);
  initial Omega = [0, 0.5, 40];
  simulate { method = RKMK4; time = 0..4; step = 0.002; }
}
)";

} // namespace

/// Two masses on three rods between pins: symmetric, and forces of the rods by statics.
TEST(Equilibrium, OfAHangingChain) {
  const Workspace w;
  const double a = 0.6, s = 0.8; // (d - 1)/2, and down
  for (const bool twice : {false, true}) {
    const json e = equilibrium(w, w.write("hanging.lie", hangingChain(twice)).string());
    expectVector(e["state"]["x"][0], {a, -s}, 1e-12);
    expectVector(e["state"]["x"][1], {1 + a, -s}, 1e-12);
    expectVector(e["state"]["v"][0], {0, 0}, 1e-12);
    // The force of |x|^2 = 1 is 2 lambda x: rods pull with g/s at the ends, and with its horizontal part between.
    EXPECT_NEAR(e["multipliers"]["left"][0].get<double>(), -g / s / 2, 1e-11);
    EXPECT_NEAR(e["multipliers"]["right"][0].get<double>(), -g / s / 2, 1e-11);
    const double middle = e["multipliers"]["middle"][0].get<double>();
    EXPECT_NEAR(middle, -g * a / s / 2 / (twice ? 2 : 1), 1e-11); // the shortest multipliers share the force
    if (twice) {
      EXPECT_NEAR(e["multipliers"]["again"][0].get<double>(), middle, 1e-11);
    }
    ASSERT_EQ(e["eigenvalues"].size(), 2U);
    EXPECT_EQ(e["stability"], "undecided");
    EXPECT_LE(e["residual"].get<double>(), 1e-12);
  }
}

/// Two rods in a plane, up or down: four equilibria, of known energies, of which one is no saddle.
TEST(Equilibrium, AreFoundFromManyStarts) {
  const Workspace w;
  const std::string file = w.write("double.lie", R"(model Double {
  param g = 9.81;
  config x[2] : R^2 velocity v;
  lagrangian = sum(i in 1..2: 0.5*dot(v[i], v[i]) - g*x[i][2]);
  constraint upper : dot(x[1], x[1]) = 1;
  constraint lower : dot(x[2] - x[1], x[2] - x[1]) = 1;
  initial x[1] = [0.6, -0.8];  initial x[2] = [1.2, -1.6];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)")
                               .string();
  const json all = equilibria(w, file, {"--starts", "40"});
  std::vector<double> energies;
  for (const json& e : all["found"]) {
    energies.push_back(e["outputs"]["energy"]);
    EXPECT_EQ(e["stability"], energies.back() < -2.5 * g ? "undecided" : "unstable");
  }
  std::sort(energies.begin(), energies.end());
  expectVector(energies, {-3 * g, -g, g, 3 * g}, 1e-11);
  for (const json& e : all["found"])
    if (e["outputs"]["energy"].get<double>() < -2.5 * g) {
      const std::vector<double> f = frequencies(e["eigenvalues"]);
      expectVector(f, {std::sqrt((2 - std::sqrt(2)) * g), std::sqrt((2 + std::sqrt(2)) * g)}, 1e-10);
    }
  EXPECT_EQ(all, equilibria(w, file, {"--starts", "40"})) << "the seed decides";
}

/// An angle that is small at the begin says nothing of how far the upper equilibrium is: cos(q) = -1 a half turn away.
TEST(Equilibrium, AreFoundFarFromSmallNumbers) {
  const Workspace w;
  const json all = equilibria(w,
                              w.write("angle.lie", R"(model Angle {
  config q : R velocity w;
  lagrangian = 0.5*w^2 + 9.81*cos(q);
  initial q = 0.2;
}
)")
                                  .string(),
                              {"--starts", "60"});
  bool lower = false, upper = false;
  for (const json& e : all["found"]) {
    const double q = e["state"]["q"], turns = std::round(q / pi);
    EXPECT_NEAR(q, turns * pi, 1e-10);
    const bool up = std::fmod(std::abs(turns), 2) == 1;
    EXPECT_NEAR(e["outputs"]["energy"].get<double>(), up ? g : -g, 1e-10);
    (up ? upper : lower) = true;
  }
  EXPECT_TRUE(lower && upper);
}

/// Opposite points, whose difference has no part along the manifold, are two: of a circle, of spheres and of rotations
/// by half a turn.
TEST(Equilibrium, AtOppositePointsAreDifferent) {
  const Workspace w;
  const auto energies = [&](const std::string& text) {
    const json all = equilibria(w, w.write("opposite.lie", text).string(), {"--starts", "40"});
    std::vector<double> list;
    for (const json& e : all["found"]) list.push_back(e["outputs"]["energy"]);
    std::sort(list.begin(), list.end());
    return list;
  };
  expectVector(energies(R"(model Circle {
  config q : S^1 velocity w;
  lagrangian = 0.5*w^2 - 9.81*q[2];
  initial q = [0.6, -0.8];
}
)"),
               {-g, g}, 1e-12);
  expectVector(energies(R"(model Spheres {
  config q[2] : S^2 velocity w;
  let p = q[1] + q[2];
  lagrangian = 0.5*dot(q[1]', q[1]') + 0.5*dot(p', p') - 9.81*(q[1][3] + p[3]);
  initial q[i in 1..2] = [0.6, 0, -0.8];
}
)"),
               {-3 * g, -g, g, 3 * g}, 1e-11);
  expectVector(energies(R"(model Rotations {
  param K : mat(3,3) = diag(1, 2, 4);
  config R : SO(3) velocity W;
  lagrangian = 0.5*dot(W, [W[1], 2*W[2], 2.5*W[3]]) - attitude_spring_energy(K, R);
  initial R = SO(3).exp([0.3, 0.2, 0.1]);
}
)"),
               {0, 3, 5, 6}, 1e-11);
}

TEST(Equilibrium, OfAHoveringQuadrotor) {
  const Workspace w;
  const json e = equilibrium(w, w.write("quadrotor.lie", quadrotor).string(), {"--free", "T", "--free", "M"});
  EXPECT_NEAR(e["free"]["T"].get<double>(), 1.2 * g, 1e-12);
  expectVector(e["free"]["M"], {0, 0, 0}, 1e-12);
  expectVector(e["state"]["R"][2], {0, 0, 1}, 1e-12);
  expectVector(e["state"]["v"], {0, 0, 0}, 1e-12);
  EXPECT_EQ(e["stability"], "undecided");
}

/// The input that holds a given state.
TEST(Equilibrium, OfAGivenState) {
  const Workspace w;
  const std::string file = w.write("arm.lie", R"(model Arm {
  param m = 2;  param l = 0.7;
  config a : R velocity w;
  input u : real = 0;
  lagrangian = 0.5*m*l^2*w^2 + m*9.81*l*cos(a);
  force on a = u - 0.1*w;
  initial a = 0.5;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)")
                               .string();
  const json held = equilibrium(w, file, {"--fix", "a", "--free", "u"});
  EXPECT_NEAR(held["free"]["u"].get<double>(), 2 * g * 0.7 * std::sin(0.5), 1e-12);
  EXPECT_EQ(held["stability"], "asymptotically stable");
  const json heavy = equilibrium(w, file, {"--fix", "a", "--free", "m", "--set", "u=3"});
  EXPECT_NEAR(heavy["free"]["m"].get<double>(), 3 / (g * 0.7 * std::sin(0.5)), 1e-12);
}

/// w^2 = g/(l cos a); small changes turn with w sqrt(1 + 3 cos^2 a).
TEST(RelativeEquilibrium, OfAConicalPendulum) {
  const Workspace w;
  const std::string file = w.write("conical.lie", conical).string();
  const json all = equilibria(w, file, {"--relative", "--fix", "q"});
  EXPECT_EQ(all["symmetries"], json({"rotation of q about e3 (space)"}));
  const json& e = all["found"][0];
  const double rate = std::sqrt(g / (2 * 0.8));
  EXPECT_NEAR(e["velocities"]["rotation of q about e3 (space)"].get<double>(), rate, 1e-12);
  expectVector(e["state"]["w"], {0.6 * 0.8 * rate, 0, 0.36 * rate}, 1e-12);
  const std::vector<double> f = frequencies(e["eigenvalues_modulo_symmetries"]);
  ASSERT_EQ(f.size(), 1U);
  EXPECT_NEAR(f[0], rate * std::sqrt(1 + 3 * 0.64), 1e-10);
  const json rest = equilibrium(w, file);
  expectVector(rest["state"]["q"], {0, 0, -1}, 1e-12);
  expectVector(frequencies(rest["eigenvalues"]), {std::sqrt(g / 2), std::sqrt(g / 2)}, 1e-12);
}

/// I1 p^2 cos a - I3 s p + m g l = 0 for the slow precession p and the spin s = Omega3; nutation by the second
/// derivative of the effective potential.
TEST(RelativeEquilibrium, OfASteadyTop) {
  const Workspace w;
  const json e = equilibrium(w, w.write("top.lie", top).string(), {"--relative", "--fix", "R", "--fix", "Omega[3]"});
  const long double a = 0.7L, I1 = 0.03L, I3 = 0.01L, s = 40, mgl = 0.5L * 9.81L * 0.2L;
  const long double b = I3 * s, p = (b - std::sqrt(b * b - 4 * I1 * std::cos(a) * mgl)) / (2 * I1 * std::cos(a));
  EXPECT_NEAR(e["velocities"]["rotation of R about e3 (space)"].get<double>(), static_cast<double>(p), 1e-12);
  expectVector(e["state"]["Omega"], {0, static_cast<double>(p * std::sin(a)), 40}, 1e-12);
  const long double momentum = I1 * p * std::sin(a) * std::sin(a) + b * std::cos(a);
  const auto slope = [&](long double x) { // of the effective potential
    const long double u = (momentum - b * std::cos(x)) / std::sin(x);
    return u * (b - u * std::cos(x) / std::sin(x)) / I1 - mgl * std::sin(x);
  };
  EXPECT_NEAR(static_cast<double>(slope(a)), 0, 1e-15);
  const long double h = 1e-4L;
  const long double curvature = (8 * (slope(a + h) - slope(a - h)) - (slope(a + 2 * h) - slope(a - 2 * h))) / (12 * h);
  const std::vector<double> f = frequencies(e["eigenvalues_modulo_symmetries"]);
  ASSERT_EQ(f.size(), 1U);
  EXPECT_NEAR(f[0], static_cast<double>(std::sqrt(curvature / I1)), 1e-9);
}

/// A disk that rolls in a circle (reference 12): invariant under motions of the plane and under its own rotation,
/// though their momenta are not conserved.
TEST(RelativeEquilibrium, OfASteadyDisk) {
  const Workspace w;
  const double across = 1.5 * std::sin(pi / 3);
  const json all = equilibria(
      w, example("rolling_disk"),
      {"--relative", "--set", "tilt=pi/3", "--set", "Omega=[0, 1.5*sin(pi/3), -2]", "--fix", "R", "--fix", "Omega[2]"});
  EXPECT_EQ(all["symmetries"].size(), 4U) << all["symmetries"];
  const json& e = all["found"][0];
  expectVector(e["state"]["Omega"], {0, across, -2.3922471736667683}, 1e-12);
  const json& v = e["state"]["v"];
  EXPECT_NEAR(std::hypot(v[0].get<double>(), v[1].get<double>()), 1.5 * 1.5948314491111789, 1e-12);
  EXPECT_NEAR(v[2].get<double>(), 0, 1e-12);
  EXPECT_NEAR(e["velocities"]["rotation of R, x about e3 (space)"].get<double>(), 1.5, 1e-12);
  EXPECT_NEAR(e["outputs"]["normal"].get<double>(), 15 * g, 1e-10);
  EXPECT_NEAR(std::hypot(e["outputs"]["friction[1]"].get<double>(), e["outputs"]["friction[2]"].get<double>()),
              15 * 1.5 * 1.5 * 1.5948314491111789, 1e-10);
  EXPECT_EQ(e["eigenvalues"].size(), 8U);
}

/// What is printed may be pasted: the motion rests.
TEST(Equilibrium, IsTextForAModel) {
  const Workspace w;
  const std::string file = w.write("conical.lie", conical).string();
  const Outcome found = w.lmc({"equilibrium", file});
  ASSERT_EQ(found.status, 0) << found.err;
  std::string model = conical;
  for (const std::string name : {"q", "w"}) {
    const std::string word = "  initial " + name + " = ";
    const std::size_t at = found.out.find(word), old = model.find(word);
    ASSERT_NE(at, std::string::npos) << found.out;
    model.replace(old, model.find('\n', old) - old, found.out.substr(at, found.out.find('\n', at) - at));
  }
  const json again = equilibrium(w, w.write("pasted.lie", model).string());
  EXPECT_LE(again["turns"].get<int>(), 2);
  EXPECT_NE(found.out.find("undecided by linearization"), std::string::npos) << found.out;
}

TEST(Equilibrium, SaysWhyThereIsNone) {
  const Workspace w;
  const auto refused = [&](const std::string& text, Arguments more, const std::string& code) {
    more.insert(more.begin(), {"equilibrium", w.write("model.lie", text).string()});
    const Outcome outcome = w.lmc(more);
    EXPECT_NE(outcome.status, 0);
    EXPECT_NE(outcome.err.find("[" + code + "]"), std::string::npos) << outcome.err << outcome.out;
    return outcome.err;
  };
  const std::string fall = "model Fall {\n  config x : R^3 velocity v;\n"
                           "  lagrangian = 0.5*dot(v, v) - 9.81*x[3];\n}\n";
  EXPECT_NE(refused(fall, {}, "LIE0672").find("the rate of dv[3]"), std::string::npos);
  EXPECT_NE(refused(fall, {"--fix", "y"}, "LIE0670").find("there are: x, v"), std::string::npos);
  EXPECT_NE(refused(fall, {"--free", "x"}, "LIE0670").find("there is none"), std::string::npos);
  const std::string outside = "model Outside {\n  config x : R velocity v;\n"
                              "  lagrangian = 0.5*v^2 + sqrt(x);\n  initial x = 1;\n}\n";
  (void)refused(outside, {}, "LIE0671");
  // A force that grows has no zero: the search runs away.
  const std::string never = "model Never {\n  config x : R velocity v;\n"
                            "  lagrangian = 0.5*v^2 + exp(x);\n  initial x = 1;\n}\n";
  EXPECT_NE(refused(never, {}, "LIE0671").find("stalled"), std::string::npos);
  (void)refused(never, {"--starts", "1000000", "--max-seconds", "0.2"}, "LIE0671");
  const std::string driven = "model Driven {\n  config x : R velocity v;\n"
                             "  lagrangian = 0.5*v^2 - 0.5*(x - sin(t))^2;\n  initial x = 1;\n}\n";
  const Outcome moment = w.lmc({"equilibrium", w.write("driven.lie", driven).string(), "--time", "0.5..1"});
  EXPECT_EQ(moment.status, 0);
  EXPECT_NE(moment.err.find("[LIE0673]"), std::string::npos) << moment.err;
  EXPECT_NE(moment.out.find("initial x = 0.479425538604203"), std::string::npos) << moment.out;
}
