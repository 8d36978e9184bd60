// Bodies without mass that constraints hold: against reduced equations in long double, and closed forms.
#include "acceptance/Trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Real = long double;

/// y' = f(y) over `time` by the classical Runge-Kutta method in steps that leave errors of about 1e-15.
template <std::size_t N>
std::array<Real, N> integrated(std::array<Real, N> y, Real time,
                               const std::function<std::array<Real, N>(const std::array<Real, N>&)>& f) {
  constexpr int steps = 20000;
  const Real h = time / steps;
  const auto moved = [](const std::array<Real, N>& a, Real s, const std::array<Real, N>& d) {
    std::array<Real, N> r = a;
    for (std::size_t k = 0; k < N; ++k) r[k] += s * d[k];
    return r;
  };
  for (int n = 0; n < steps; ++n) {
    const auto k1 = f(y), k2 = f(moved(y, h / 2, k1)), k3 = f(moved(y, h / 2, k2)), k4 = f(moved(y, h, k3));
    for (std::size_t k = 0; k < N; ++k) y[k] += h / 6 * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
  }
  return y;
}

/// A slider on a spring, driven by a crank over a rod that has no mass, in absolute coordinates. `masses`: parameters
/// of the rod's kinetic energy, or none.
std::string sliderCrank(const std::string& masses = "", const std::string& energy = "") {
  return R"(model SliderCrank {
  param J = 0.3;  param m = 2;  param r = 0.5;  param l = 1.5;  param k = 3;
)" + masses +
         R"(
  config theta : R velocity w;
  config p : R^2 velocity u;
  config phi : R velocity o;
  config s : R velocity v;
  lagrangian = 0.5*J*w^2 + 0.5*m*v^2 - 0.5*k*(s - 1.2)^2)" +
         energy + R"(;
  constraint crank : p - l/2*[cos(phi), sin(phi)] = r*[cos(theta), sin(theta)];
  constraint slider : p + l/2*[cos(phi), sin(phi)] = [s, 0];
  initial theta = 0.7;  initial w = 1;  initial phi = -0.2;  initial s = 1.8;  initial p = [1.1, 0.2];
  initial adjust p, phi, s, u, o, v;
  observe pull = multiplier(slider);
  simulate { method = RKMK4; time = 0..2; step = 0.005; }
})";
}

struct Crank {
  Real theta, w, s, pull;
};

/// The same with the angle of the crank alone: (J + m s'^2) theta'' + m s' s'' theta'^2 = -k (s - 1.2) s'.
Crank reducedCrank(Real theta, Real time) {
  const Real J = 0.3L, m = 2, r = 0.5L, l = 1.5L, k = 3;
  const auto slopes = [&](Real a) {
    const Real root = std::sqrt(l * l - r * r * std::sin(a) * std::sin(a));
    const Real s1 = -r * std::sin(a) - r * r * std::sin(a) * std::cos(a) / root;
    const Real inner = r * r * std::sin(a) * std::cos(a);
    const Real s2 = -r * std::cos(a) - r * r * std::cos(2 * a) / root - inner * inner / (root * root * root);
    return std::array<Real, 3>{r * std::cos(a) + root, s1, s2};
  };
  const auto acceleration = [&](Real a, Real w) {
    const auto [s, s1, s2] = slopes(a);
    return (-k * (s - 1.2L) * s1 - m * s1 * s2 * w * w) / (J + m * s1 * s1);
  };
  // With `initial adjust` the slider moves onto the linkage; theta and w stay.
  const auto y = integrated<2>({theta, 1}, time, [&](const std::array<Real, 2>& x) {
    return std::array<Real, 2>{x[1], acceleration(x[0], x[1])};
  });
  const auto [s, s1, s2] = slopes(y[0]);
  const Real force = m * (s1 * acceleration(y[0], y[1]) + s2 * y[1] * y[1]) + k * (s - 1.2L);
  return {y[0], y[1], s, -force}; // on the slider acts -multiplier
}

double offBy(const Trajectory& run, const Crank& wanted) {
  return std::max({std::abs(run.last("theta") - static_cast<double>(wanted.theta)),
                   std::abs(run.last("w") - static_cast<double>(wanted.w)),
                   std::abs(run.last("s") - static_cast<double>(wanted.s))});
}

/// A point at the end of a rod that does not twist, on SO(3) x R^3.
std::string rod(const std::string& parameters, const std::string& energy, const std::string& twist) {
  return R"(model Rod {
  param m = 2;  param g = 9.81;
)" + parameters +
         R"(
  config R : SO(3) velocity Omega;
  config x : R^3 velocity v;
  lagrangian = 0.5*m*dot(v, v) - m*g*x[3])" +
         energy + R"(;
  constraint tip : R*[0, 0, -1.5] = x;
)" + twist +
         R"(
  initial x = [0, 0, -1.5];  initial v = [1.5, 0.75, 0];  initial Omega = [0.5, -1, 0];
  observe pull = multiplier(tip);
  simulate { method = RKMK4; time = 0..2; step = 0.005; }
})";
}
const char* const untwisted = "  constraint twist : dot(R*e1, e2) = 0;";

} // namespace

TEST(MasslessBodies, RodOfASliderCrankMovesAsTheReducedLinkage) {
  const Workspace w;
  const std::string file = w.write("crank.lie", sliderCrank()).string();
  const Crank wanted = reducedCrank(0.7L, 2);
  const Trajectory run = runModel(w, file, {"--method", "RKMK6", "--step", "0.005"});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.at(0, "theta"), 0.7, 1e-15);
  EXPECT_LT(offBy(run, wanted), 1e-11);
  EXPECT_NEAR(run.last("pull[1]"), static_cast<double>(wanted.pull), 1e-10);
  // On a rod without mass forces act along it.
  EXPECT_NEAR(run.last("pull[2]"), run.last("pull[1]") * std::tan(run.last("phi")), 1e-11);
}

/// Near its dead points a row of the loop acts on the rod alone, whichever way it is scaled.
TEST(MasslessBodies, BeginAtDeadPoints) {
  const Workspace w;
  const std::string file = w.write("crank.lie", sliderCrank()).string();
  for (const char* angle : {"1e-12", "1e-8", "1e-5", "3.14159265"}) {
    const Trajectory run =
        runModel(w, file, {"--method", "RKMK6", "--set", std::string("theta=") + angle, "--set", "phi=0"});
    ASSERT_FALSE(run.rows.empty()) << angle;
    EXPECT_LT(offBy(run, reducedCrank(std::strtold(angle, nullptr), 2)), 1e-10) << angle;
  }
  const Outcome o = w.lmc({"ensemble", file, "--samples", "64", "--vary", "theta ~ uniform(-3, 3)"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("failed         none"), std::string::npos) << o.out;
}

TEST(MasslessBodies, MethodsKeepTheirOrders) {
  const Workspace w;
  const std::string file = w.write("crank.lie", sliderCrank()).string();
  const Crank wanted = reducedCrank(0.7L, 2);
  for (const auto& [method, order] : std::vector<std::pair<std::string, double>>{{"RKMK4", 4},
                                                                                 {"VITrapezoid", 2},
                                                                                 {"VIMidpoint", 2},
                                                                                 {"DMV", 2},
                                                                                 {"VI4", 4},
                                                                                 {"VILobatto4", 4},
                                                                                 {"SymmetricGL2", 2},
                                                                                 {"GenAlpha", 2},
                                                                                 {"GenAlpha(stabilized = 0)", 2},
                                                                                 {"HHT", 2},
                                                                                 {"NonholonomicRATTLE", 2},
                                                                                 {"DLA", 2}}) {
    const double coarse = offBy(runModel(w, file, {"--method", method, "--step", "0.02"}), wanted);
    const double fine = offBy(runModel(w, file, {"--method", method, "--step", "0.01"}), wanted);
    EXPECT_GT(std::log2(coarse / fine), order - 0.3) << method << " " << coarse << " " << fine;
    EXPECT_LT(fine, order > 2 ? 1e-7 : 1e-3) << method;
  }
}

/// Masses that are parameters, which are zero: the matrix is found to be singular at the begin of a run.
TEST(MasslessBodies, ParametersMayBeZero) {
  const Workspace w;
  const std::string masses = "  param mr = 0;  param jr = 0;", energy = " + 0.5*mr*dot(u, u) + 0.5*jr*o^2";
  const std::string file = w.write("crank.lie", sliderCrank(masses, energy)).string();
  const Crank wanted = reducedCrank(0.7L, 2);
  EXPECT_LT(offBy(runModel(w, file, {"--method", "RKMK6"}), wanted), 1e-11);
  // Nothing jumps where a mass vanishes.
  const Trajectory light = runModel(w, file, {"--method", "RKMK6", "--set", "mr=1e-9", "--set", "jr=1e-9"});
  EXPECT_LT(offBy(light, wanted), 1e-7);
  EXPECT_GT(offBy(light, wanted), 1e-11);
  // A kinetic energy of sums of velocities, singular without a zero on the diagonal.
  const std::string sum = w.write("sum.lie", R"(model Sum {
  config x : R velocity a;  config y : R velocity b;
  lagrangian = 0.5*(a + b)^2 - 0.5*x^2 - 0.5*y^2;
  constraint gear : 2*x - y = 0;
  initial x = 0.3;  initial y = 0.6;
  simulate { method = RKMK6; time = 0..2; step = 0.01; }
})")
                              .string();
  // y = 2 x: 9/2 x'^2 - 5/2 x^2
  EXPECT_NEAR(runModel(w, sum, {}).last("x"), 0.3 * std::cos(2 * std::sqrt(5.0 / 9)), 1e-12);
}

TEST(MasslessBodies, PointsOnRotationsWithoutInertiaAreSphericalPendulums) {
  const Workspace w;
  // x'' = -g e3 - lambda/m with a force along the rod: lambda/m = (|v|^2 - g x3) x/l^2.
  const auto force = [](const std::array<Real, 6>& y) {
    return (y[3] * y[3] + y[4] * y[4] + y[5] * y[5] - 9.81L * y[2]) / 2.25L;
  };
  const auto y = integrated<6>({0, 0, -1.5L, 1.5L, 0.75L, 0}, 2, [&](const std::array<Real, 6>& x) {
    const Real f = force(x);
    return std::array<Real, 6>{x[3], x[4], x[5], -f * x[0], -f * x[1], -9.81L - f * x[2]};
  });
  for (const std::string& text : {rod("", "", untwisted), rod("  param J : mat(3,3) = diag([0, 0, 0]);",
                                                              " + 0.5*dot(Omega, J*Omega)", untwisted)}) {
    const std::string file = w.write("rod.lie", text).string();
    const Trajectory run = runModel(w, file, {"--method", "RKMK6"});
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string index = "[" + std::to_string(k + 1) + "]";
      EXPECT_NEAR(run.last("x" + index), static_cast<double>(y[k]), 1e-10);
      EXPECT_NEAR(run.last("v" + index), static_cast<double>(y[k + 3]), 1e-10);
      EXPECT_NEAR(run.last("pull" + index), static_cast<double>(2 * force(y) * y[k]), 1e-8);
    }
  }
}

/// Fork, cross and fork of a Cardan joint, of which the output alone has an inertia, and that about its axis; the drive
/// leaves no freedom. tan(out) = tan(2 t)/cos(1/2); the power of the drive is that of the output.
TEST(MasslessBodies, CardanJointOfWeightlessPartsHasTheTorqueOfItsOutput) {
  const Workspace w;
  const std::string file = w.write("cardan.lie", R"(model Cardan {
  let b = [0, sin(0.5), cos(0.5)];
  let c = cross(b, e1);
  config A : SO(3) velocity alpha;
  config C : SO(3) velocity gamma;
  config B : SO(3) velocity beta;
  lagrangian = 0.5*0.7*dot(beta, b)^2;
  constraint input : [dot(A*e3, e1), dot(A*e3, e2)] = 0;
  constraint first : [dot(C*e1, A*e2), dot(C*e3, A*e2)] = 0;
  constraint second : [dot(C*e2, B*e1), dot(C*e3, B*e1)] = 0;
  constraint output : [dot(B*b, e1), dot(B*b, c)] = 0;
  constraint drive : dot(A*e1, [-sin(2*t), cos(2*t), 0]) = 0;
  initial alpha = [0, 0, 2];
  initial adjust beta, gamma;
  observe torque = multiplier(drive);
  observe speed = dot(beta, b);
  simulate { method = RKMK6; time = 0..1; step = 0.005; }
})")
                               .string();
  struct Case {
    const char* t;
    double speed, torque;
  };
  for (const Case& x : {Case{"0..0.3", 2.0809804435697449, -0.76994643229539699},
                        Case{"0..1", 1.8279253395128941, 0.4237213079422046}}) {
    const Trajectory run = runModel(w, file, {"--time", x.t});
    ASSERT_FALSE(run.rows.empty());
    EXPECT_NEAR(run.last("speed"), x.speed, 1e-10);
    EXPECT_NEAR(run.last("torque"), x.torque, 1e-9);
  }
}

/// A chain of points on rods without mass, one sparse system of 80 equations, against the points on circles.
TEST(MasslessBodies, ChainsOfThemAreSparse) {
  const Workspace w;
  const std::string rods = w.write("rods.lie", R"(model Rods {
  param N : int = 20;
  config p[N] : R^2 velocity v;
  config c[N] : R^2 velocity u;
  config a[N] : R velocity w;
  let q[k in 1..N] = if k == 1 then [0, 0] else p[k-1];
  lagrangian = sum(k in 1..N: dot(v[k], v[k])/2 - 9.81*p[k][2]);
  constraint left[k in 1..N] : c[k] - [cos(a[k]), sin(a[k])]/2 = q[k];
  constraint right[k in 1..N] : c[k] + [cos(a[k]), sin(a[k])]/2 = p[k];
  initial a[k in 1..N] = 0.3*sin(k);
  initial adjust p, c;
  observe x = p[N][1];
  observe y = p[N][2];
  simulate { method = RKMK6; time = 0..1; step = 2e-3; }
})")
                               .string();
  const std::string circles = w.write("circles.lie", R"(model Circles {
  param N : int = 20;
  config a[N] : S^1 velocity w;
  let p[1] = a[1];
  let p[k in 2..N] = p[k-1] + a[k];
  lagrangian = sum(k in 1..N: dot(p[k]', p[k]')/2 - 9.81*p[k][2]);
  initial a[k in 1..N] = [cos(0.3*sin(k)), sin(0.3*sin(k))];
  observe x = p[N][1];
  observe y = p[N][2];
  simulate { method = RKMK6; time = 0..1; step = 2e-3; }
})")
                                  .string();
  const Trajectory wanted = runModel(w, circles, {});
  const auto error = [&](const Arguments& more) {
    const Trajectory run = runModel(w, rods, more);
    return std::max(std::abs(run.last("x") - wanted.last("x")), std::abs(run.last("y") - wanted.last("y")));
  };
  EXPECT_LT(error({}), 1e-10);
  const double coarse = error({"--method", "VITrapezoid", "--step", "4e-3"});
  const double fine = error({"--method", "VITrapezoid", "--step", "2e-3"});
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2) << coarse << " " << fine;
  const Outcome derived = w.lmc({"derive", rods});
  EXPECT_NE(derived.out.find("M + BᵀWB"), std::string::npos) << derived.out;
  EXPECT_NE(derived.out.find("sparse system"), std::string::npos) << derived.out;
}

TEST(MasslessBodies, ToolsUnderstandThem) {
  const Workspace w;
  const std::string file = w.write("crank.lie", sliderCrank()).string();
  const Outcome verified = w.lmc({"verify", file, "--json"});
  ASSERT_EQ(verified.status, 0) << verified.err;
  const nlohmann::json model = parseJson(verified.out)["model"];
  for (const nlohmann::json& d : model["derivatives"]) {
    EXPECT_EQ(d["verdict"], "PASS") << d;
    EXPECT_LE(d["error"].get<double>(), 2e-7) << d;
  }
  EXPECT_EQ(model["derivatives"].size(), 7U); // four configurations, two constraints, the energy
  EXPECT_EQ(model["energy"]["conserved"], true);
  const Outcome derived = w.lmc({"derive", file});
  EXPECT_NE(derived.out.find("M + BᵀWB"), std::string::npos) << derived.out;
  const Outcome checked = w.lmc({"check", file});
  EXPECT_NE(checked.out.find("1 degree of freedom"), std::string::npos) << checked.out;
  const Outcome symplectic = w.lmc({"symplecticity", file, "--methods", "VITrapezoid"});
  EXPECT_EQ(symplectic.status, 0) << symplectic.err;
  EXPECT_NE(symplectic.out.find("symplectic"), std::string::npos);
}

/// A wheel without mass behind a cart, which rolls where it points: it feels no force, and its equation is rounding.
TEST(MasslessBodies, CastorsFeelNoForce) {
  const Workspace w;
  const std::string file = w.write("castor.lie", R"(model Castor {
  config x : R^2 velocity v;
  config phi : R velocity w;
  config psi : R velocity o;
  lagrangian = 0.5*dot(v, v) + 0.25*w^2;
  let p = x - 0.5*[cos(phi), sin(phi)] - 0.2*[cos(psi), sin(psi)];
  constraint side : dot(p', [-sin(psi), cos(psi)]) = 0;
  initial v = [1, 0.2];
  initial w = 0.3;
  initial psi = 0.4;
  initial adjust o;
  observe push = multiplier(side);
  simulate { method = RKMK4; time = 0..2; step = 0.01; }
})")
                               .string();
  const Outcome refused = w.lmc({"run", file, "--method", "NonholonomicRATTLE"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("LIE0512"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("`psi` has no kinetic energy"), std::string::npos) << refused.err;
  for (const char* method : {"RKMK4", "HEM4", "DLA"}) {
    const Trajectory run = runModel(w, file, {"--method", method});
    ASSERT_EQ(run.rows.size(), 201U) << method;
    EXPECT_NEAR(run.last("x[1]"), 2, 1e-12); // the cart moves as if it were alone
    EXPECT_NEAR(run.last("x[2]"), 0.4, 1e-12);
    EXPECT_NEAR(run.last("phi"), 0.6, 1e-12);
    EXPECT_NEAR(run.last("push"), 0, 1e-12);
    EXPECT_GT(std::abs(run.last("psi") - 0.4), 0.1); // and the wheel turns into its path
  }
  const Outcome verified = w.lmc({"verify", file});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
}

/// A leg whose shank has no mass, of joints: as one whose foot is the shank.
TEST(MasslessBodies, LinksBetweenJoints) {
  const Workspace w;
  const std::string begin = R"(model Leg {
  let o = zeros(3);
  config A : SE(3) velocity a;
  config C : SE(3) velocity c;
  lagrangian = 0.5*dot(a.w, diag(0.2, 0.25, 0.03)*a.w) + dot(a.v, a.v) - 2*9.81*A.x[3]
             + 0.5*dot(c.w, diag(0.02, 0.03, 0.04)*c.w) + 0.5*dot(c.v, c.v) - 9.81*C.x[3];
  joint hip = spherical(world, o, A, [0, 0, 0.3]);
  initial A = (R = eye(3), x = [0, 0, -0.3]);
  initial C = (R = eye(3), x = [0, -0.05, -1]);
  initial a = (w = [0.07, 0.5, 0.16], v = o);
  observe p = C.x;
  observe force = multiplier(hip.at);
  simulate { method = RKMK6; time = 0..1; step = 4e-3; }
)";
  const std::string shank = begin + R"(  config B : SE(3) velocity b;
  initial B = (R = eye(3), x = [0, 0, -0.8]);
  joint knee = revolute(A, [0, 0, -0.3], e2, B, [0, 0, 0.2], e2);
  joint ankle = weld(B, [0, 0, -0.2], C, [0, 0.05, 0]);
  initial adjust a, b, c;
})";
  const std::string foot = begin + R"(  joint knee = revolute(A, [0, 0, -0.3], e2, C, [0, 0.05, 0.4], e2);
  initial adjust a, c;
})";
  const Trajectory held = runModel(w, w.write("shank.lie", shank).string(), {});
  const Trajectory wanted = runModel(w, w.write("foot.lie", foot).string(), {});
  ASSERT_FALSE(held.rows.empty());
  ASSERT_FALSE(wanted.rows.empty());
  for (const char* name : {"p[1]", "p[2]", "p[3]"}) {
    EXPECT_GT(std::abs(wanted.last("p[1]") - wanted.at(0, "p[1]")), 1e-3);
    EXPECT_NEAR(held.last(name), wanted.last(name), 1e-11) << name;
  }
  for (const char* name : {"force[1]", "force[2]", "force[3]"})
    EXPECT_NEAR(held.last(name), wanted.last(name), 1e-9) << name;
}

/// Derivatives of a step at the equilibrium with the crank along the rod: of the linkage and of its reduced model,
/// whose eigenvalues are the same to the error of a step.
TEST(MasslessBodies, DerivativesOfStepsAreThoseOfTheReducedModel) {
  const Workspace w;
  const std::string linkage = w.write("crank.lie", sliderCrank()).string();
  const std::string reduced = w.write("reduced.lie", R"(model Reduced {
  config theta : R velocity w;
  let s = 0.5*cos(theta) + sqrt(2.25 - 0.25*sin(theta)^2);
  lagrangian = 0.5*0.3*w^2 + s'^2 - 1.5*(s - 1.2)^2;
  initial theta = 0;
  initial w = 0;
  simulate { method = RKMK4; time = 0..2; step = 0.01; }
})")
                                  .string();
  const auto eigenvalues = [&](const Arguments& more, const char* method) {
    Arguments all = {"linearize"};
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), {"--discrete", "--step", "0.01", "--json", "--method", method});
    const Outcome o = w.lmc(all);
    EXPECT_EQ(o.status, 0) << o.err;
    std::vector<double> list;
    const nlohmann::json found = parseJson(o.out);
    for (const nlohmann::json& e : found["at"][0]["eigenvalues"]) list.push_back(e[0].get<double>());
    std::sort(list.begin(), list.end());
    return list;
  };
  for (const char* method : {"RKMK4", "VITrapezoid", "HEM4"}) {
    const std::vector<double> a = eigenvalues(
        {linkage, "--set", "theta=0", "--set", "w=0", "--set", "phi=0", "--set", "s=2", "--set", "p=[1.25, 0]"},
        method);
    const std::vector<double> b = eigenvalues({reduced}, method);
    ASSERT_EQ(a.size(), 2U) << method;
    ASSERT_EQ(b.size(), 2U) << method;
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(a[k], b[k], 1e-9) << method;
  }
}

TEST(MasslessBodies, DirectionsThatNothingHoldsAreNamed) {
  const Workspace w;
  const Outcome twisting = w.lmc({"check", w.write("free.lie", rod("", "", "")).string()});
  EXPECT_NE(twisting.status, 0);
  EXPECT_NE(twisting.err.find("LIE0401"), std::string::npos) << twisting.err;
  EXPECT_NE(twisting.err.find("Omega[3] has no kinetic energy, and is free to change"), std::string::npos)
      << twisting.err;
  // Of a sparse system, too: links whose middles are held at one end only.
  const Outcome loose = w.lmc({"check", w.write("loose.lie", R"(model Loose {
  param N : int = 16;
  config p[N] : R^2 velocity v;
  config a[N] : R velocity w;
  lagrangian = sum(k in 1..N: dot(v[k], v[k])/2);
  constraint left[k in 1..N] : p[k] - [cos(a[k]), sin(a[k])]/2 = (if k == 1 then [0, 0] else p[k-1]);
  config c[N] : R^2 velocity u;
  constraint middle[k in 1..N - 1] : c[k] = p[k];
  initial a[k in 1..N] = 0.3*sin(k);
  initial adjust p, c;
})")
                                            .string()});
  EXPECT_NE(loose.err.find("LIE0401"), std::string::npos) << loose.err;
  EXPECT_NE(loose.err.find("u[16]["), std::string::npos) << loose.err;
  // Without constraints, and with contacts alone, it is the mass matrix as before.
  const Outcome bare = w.lmc({"check", w.write("bare.lie", "model M {\n  config x : R velocity v;\n"
                                                           "  config y : R velocity w;\n"
                                                           "  lagrangian = 0.5*v^2 - y^2;\n}\n")
                                           .string()});
  EXPECT_NE(bare.err.find("LIE0400"), std::string::npos) << bare.err;
}
