// Runs that meet a singular configuration: those that stop there name the equations that became dependent, with the
// time; those that fail for another reason do not.
#include "acceptance/Runs.h"
#include "acceptance/Trajectory.h"

#include <cmath>
#include <fmt/format.h>

using namespace lmc::acceptance;

namespace {

constexpr double crank = 1, rod = 0.8, rate = 2;
/// When a crank that is longer than its rod has turned the rod upright: a sin(theta) = l.
const double upright = std::asin(rod / crank) / rate;

/// Cranks that turn at a given rate, with rods of lengths l; the last crank is the one with the shortest rod.
std::string sliderCranks(int n, const std::string& more = "") {
  return fmt::format(R"(model SliderCranks {{
  param N : int = {};  param a = {};  param rate = {};
  fn l(i) = if i == N then {} else 3;
  config theta[N] : R velocity w;
  config phi[N] : R velocity u;
  config s[N] : R velocity v;
  lagrangian = sum(i in 1..N : 0.5*w[i]^2 + 0.5*u[i]^2 + 0.5*v[i]^2);
  constraint loop[i in 1..N] : a*[cos(theta[i]), sin(theta[i])] + l(i)*[cos(phi[i]), sin(phi[i])] = [s[i], 0];
  constraint drive[i in 1..N] : theta[i] = rate*t;
  {}
  initial s[i in 1..N] = a + l(i);
  initial w[i in 1..N] = rate;
  initial u[i in 1..N] = -a/l(i)*rate;
  simulate {{ method = RKMK4; time = 0..1; step = 1e-3; }}
}})",
                     n, crank, rate, rod, more);
}

/// The time that stands behind a text.
double timeBehind(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? NAN : std::stod(text.substr(at + mark.size()));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SingularConfiguration, IsNamedWithTimeAndEquations) {
  const Workspace w;
  for (const char* method : {"RKMK4", "VITrapezoid", "VILobatto4", "HEM4", "DLA", "GenAlpha", "SymmetricGL2"}) {
    const std::string text = failure(w, sliderCranks(1), {"--method", method});
    EXPECT_NEAR(timeBehind(text, "failed at t = "), upright, 0.01) << method;
    EXPECT_NEAR(timeBehind(text, "near t = "), upright, 0.002) << text;
    // The rod pulls the joint upwards, as the crank does; the equation along the rail has the slider for itself.
    EXPECT_TRUE(has(text, "the constraints `loop[1][2]`, `drive[1]` become dependent")) << method << text;
  }
}

/// x = t^2 and x = t^2 + t^5/100 agree at the begin, with rates and accelerations: the second follows from the first
/// there, and is off by t^5/100 later. Of what stays redundant nothing is said.
TEST(SingularConfiguration, EquationsThatFollowFromOthersAtTheBeginAloneEndTheRun) {
  const Workspace w;
  const auto drives = [](const std::string& second) {
    return R"(model Drives {
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v) - x[2];
  constraint first : x[1] = t^2;
  constraint second : )" +
           second + R"(;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
})";
  };
  for (const char* method : {"RKMK4", "RKMK54", "P4", "HEM4", "GenAlpha"}) {
    const std::string text = failure(w, drives("x[1] = t^2 + t^5/100"), {"--method", method});
    EXPECT_TRUE(has(text, "` is off by ")) << method << text;
    const double t = timeBehind(text, "failed at t = ");
    EXPECT_GE(t, std::pow(1e-4, 0.2) - 1e-9) << method; // where t^5/100 is a millionth
    EXPECT_LE(t, 0.25) << method;                       // and a step, or what numbers above 1 allow
    (void)runOf(w, drives("x[1] = t^2"), {"--method", method});
  }
}

/// Two wheels and their sum. Where the kinetic energy has a negative part along the constraints, forces of smallest
/// norm are not found, and the run says so; else they are those of the two wheels alone.
TEST(SingularConfiguration, EquationsThatFollowFromOthersNeedAPositiveKineticEnergy) {
  const Workspace w;
  const auto sled = [](const std::string& inertia, const std::string& more) {
    return R"(model Sled {
  config x : R^2 velocity v;  config th : R velocity w;  config ph : R velocity u;
  lagrangian = dot(v, v) + 0.5*)" +
           inertia + R"(*w^2 + 0.01*u^2 + 0.1*w*u - 0.4*x[1]^2;
  constraint blade : -sin(th)*v[1] + cos(th)*v[2] = 0.15*w;
  constraint wheel : cos(th)*v[1] + sin(th)*v[2] = 0.1*u;
  )" + more +
           R"(
  initial v = [1, 0.135];  initial w = 0.9;  initial u = 10;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
})";
  };
  const std::string sum = "constraint both : (cos(th) - sin(th))*v[1] + (sin(th) + cos(th))*v[2] = 0.1*u + 0.15*w;";
  const std::string refused = failure(w, sled("0.3", sum));
  EXPECT_TRUE(has(refused, "must not follow from others")) << refused;
  (void)runOf(w, sled("0.3", "")); // which is well without the third
  const std::string two = w.write("two.lie", sled("0.9", "")).string(),
                    three = w.write("m.lie", sled("0.9", sum)).string();
  const Trajectory a = runModel(w, two, {}), b = runModel(w, three, {});
  for (const char* name : {"x[1]", "x[2]", "th", "ph", "v[1]", "v[2]", "w", "u"})
    EXPECT_NEAR(a.last(name), b.last(name), 1e-12) << name;
}

/// The same in lanes with fixed and with adaptive steps, and in runs one by one.
TEST(SingularConfiguration, EquationsThatFollowFromOthersAtTheBeginAloneFailSamples) {
  const Workspace w;
  const std::string model = R"(model Drives {
  param a = 0;
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v) - x[2];
  constraint first : x[1] = t^2;
  constraint second : x[1] = t^2 + a*t^5;
  EVENT
  simulate { method = P54; time = 0..1; step = 0.01; }
})";
  for (const char* event : {"", "event late = t - 2;"}) {
    std::string text = model;
    const std::string file = w.write("drives.lie", text.replace(text.find("EVENT"), 5, event)).string();
    for (const char* tolerance : {"none", "1e-8"})
      for (const char* keep : {"final", "all"}) {
        const std::string of = fmt::format("{} {} {}", event, tolerance, keep);
        const Outcome o = w.lmc({"ensemble", file, "--vary", "a ~ grid(0, 1e-3, 3)", "--output", "d.csv", "--tolerance",
                                 tolerance, "--keep", keep});
        EXPECT_TRUE(has(o.out + o.err, "a constraint does not hold")) << of << o.out << o.err;
        const auto table = parseCsv(readFile(w.path("d.csv")));
        ASSERT_TRUE(table) << of;
        for (std::size_t k = 0; k < table->rows.size(); ++k) {
          const bool holds = table->at(k, "vary_a") == 0;
          EXPECT_EQ(table->at(k, "status"), holds ? 0 : 106) << of << k;
        }
      }
  }
}

TEST(SingularConfiguration, OfOneOfManyMembersIsFound) {
  const Workspace w;
  for (const char* method : {"RKMK4", "VITrapezoid", "GenAlpha"}) {
    const std::string text = failure(w, sliderCranks(40), {"--method", method});
    EXPECT_NEAR(timeBehind(text, "near t = "), upright, 0.002) << text;
    EXPECT_TRUE(has(text, "the constraints `loop[40][2]`, `drive[40]` become dependent")) << method << text;
  }
}

/// What follows from other equations from the begin on is not what happened at the end.
TEST(SingularConfiguration, RedundantEquationsAreLeftOut) {
  const Workspace w;
  const std::string text =
      failure(w, sliderCranks(1, "constraint twice[i in 1..N] : a*cos(theta[i]) + l(i)*cos(phi[i]) = s[i];"));
  EXPECT_NEAR(timeBehind(text, "near t = "), upright, 0.002) << text;
  EXPECT_TRUE(has(text, "the constraints `loop[1][2]`, `drive[1]` become dependent")) << text;
}

TEST(SingularConfiguration, StopsAdaptiveSteps) {
  const Workspace w;
  const std::string text = failure(w, sliderCranks(1), {"--method", "RKMK54", "--tolerance", "1e-9"});
  EXPECT_NEAR(timeBehind(text, "near t = "), upright, 0.002) << text;
  EXPECT_TRUE(has(text, "`loop[1][2]`, `drive[1]` become dependent")) << text;
}

/// A knee whose lower end is pushed beyond where both links are in one line.
TEST(SingularConfiguration, OfAKneePress) {
  const Workspace w;
  const std::string model = R"(model Knee {
  param a = 0.35;  param rate = 0.5;
  config K : R^2 velocity v;
  config y : R velocity u;
  config z : R velocity o;                       // moves by itself
  lagrangian = 0.5*dot(v, v) + 0.5*u^2 + 0.5*o^2 - 0.5*z^2;
  constraint upper : dot(K, K) = a^2;
  constraint lower : dot(K - [0, y], K - [0, y]) = a^2;
  constraint push : y = -0.6 - rate*t;
  constraint apart : z = 0.1*sin(t);
  initial K = [0.18, -0.3];  initial y = -0.6;
  initial adjust K, v, u, z, o;
  simulate { method = RKMK4; time = 0..1; step = 1e-3; }
})";
  for (const char* method : {"RKMK4", "VITrapezoid", "VILobatto4", "HEM4", "DLA", "GenAlpha"}) {
    const std::string text = failure(w, model, {"--method", method});
    EXPECT_NEAR(timeBehind(text, "near t = "), 0.2, 0.002) << method << text; // y = -2 a
    EXPECT_TRUE(has(text, "the constraints `upper`, `lower`, `push` become dependent")) << method << text;
  }
}

/// An ensemble tells it of the first sample that has failed.
TEST(SingularConfiguration, OfASampleIsTold) {
  const Workspace w;
  std::string model = sliderCranks(1);
  const std::string fixed = fmt::format("if i == N then {} else 3", rod);
  model.replace(model.find(fixed), fixed.size(), "b");
  model.replace(model.find("param a"), 0, "param b = 3;  ");
  const Outcome o = w.lmc({"ensemble", w.write("m.lie", model).string(), "--samples", "5", "--vary",
                           "b ~ uniform(0.5, 0.9)", "--output", "e.csv"});
  EXPECT_TRUE(has(o.out + o.err, "`loop[1][2]`, `drive[1]` become dependent")) << o.out << o.err;
}

TEST(SingularConfiguration, IsNotBlamedForOtherFailures) {
  const Workspace w;
  // A quantity beside the mechanism leaves all bounds: y'' = 6 y^2 has the solution 1/(1 - t)^2.
  const std::string beside = R"(model Beside {
  config x : R^2 velocity v;
  config y : R velocity u;
  lagrangian = 0.5*dot(v, v) - x[2] + 0.5*u^2 + 2*y^3;
  constraint rod : dot(x, x) = 1;
  initial x = [1, 0];  initial y = 1;  initial u = 2;
  simulate { method = RKMK4; time = 0..2; step = 1e-3; }
})";
  std::string text = failure(w, beside);
  EXPECT_TRUE(has(text, "the run failed at t = ")) << text;
  EXPECT_FALSE(has(text, "dependent")) << text;
  // Steps that are much too long for the motion.
  const std::string pendulums = R"(model Double {
  config x[2] : R^2 velocity v;
  lagrangian = sum(i in 1..2 : 0.5*dot(v[i], v[i]) - 9.81*x[i][2]);
  constraint first : dot(x[1], x[1]) = 1;
  constraint second : dot(x[2] - x[1], x[2] - x[1]) = 1;
  initial x[1] = [1, 0];  initial x[2] = [2, 0];
  simulate { method = VITrapezoid; time = 0..50; step = 0.4; }
})";
  text = failure(w, pendulums);
  EXPECT_TRUE(has(text, "the run failed at t = ")) << text;
  EXPECT_FALSE(has(text, "dependent")) << text;
}

} // namespace
