// Taylor methods in everything that a method is used for: runs, ensembles, exported C, events; what they refuse.
#include "acceptance/Trajectory.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sstream>

using namespace lmc::acceptance;

namespace {

/// A family with loops, states of its own, an input and forces.
const std::string several =
    "model M {\n  param k = 2;\n  param m[i in 1..10] = 1 + 0.1*i;\n  input u = 0.3*sin(2*t);\n  config q[10] : S^2 "
    "velocity w;\n"
    "  config x : R velocity v;\n  state z : R;\n"
    "  lagrangian = 0.5*sum(i in 1..10: m[i]*dot(w[i], w[i])) + 0.5*v^2 - 0.5*k*x^2\n"
    "    - sum(i in 1..10: dot(q[i], e3)) - 0.1*sum(i in 1..9: dot(q[i], q[i+1])^3) - x*q[1][1];\n"
    "  force on x = u - 0.1*v*abs(z);\n  flow z = exp(-z) - x;\n"
    "  for i in 1..10 { initial q[i] = normalize([1, i, 0.5]);\n"
    "    initial w[i] = cross(normalize([1, i, 0.5]), [0.3, -0.2, 0.5]); }\n  initial x = 0.4;  initial z = 0.3;\n"
    "  observe s = q[3][2]*v;\n"
    "  simulate { method = Taylor(p = 9); time = 0..2; step = 0.05; output every 0.5; }\n}\n";

struct TaylorRuns : testing::Test {
  Workspace w;
  std::string file = w.write("m.lie", several).string();
};

} // namespace

TEST_F(TaylorRuns, AgreeWithAnotherMethod) {
  const Trajectory own = runModel(w, file, {}), other = runModel(w, file, {"--method", "P853", "--step", "0.01"});
  ASSERT_FALSE(own.rows.empty() || other.rows.empty());
  for (const char* column : {"q[1][1]", "q[10][3]", "w[7][2]", "x", "v", "z", "s"})
    EXPECT_NEAR(own.last(column), other.last(column), 1e-11) << column;
}

TEST_F(TaylorRuns, LanesGiveTheSameBitsInAnyNumberAndAgreeWithARunAlone) {
  const Trajectory alone = runModel(w, file, {});
  std::string first;
  for (const char* lanes : {"1", "2", "8"}) {
    const std::string out = w.path(std::string("e") + lanes + ".csv").string();
    const Outcome o =
        w.lmc({"ensemble", file, "--samples", "11", "--vary", "k ~ linspace(2, 3)", "--lanes", lanes, "--output", out});
    ASSERT_EQ(o.status, 0) << o.err;
    const std::string text = readFile(out);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << lanes;
  }
  const auto samples = parseCsv(first);
  ASSERT_TRUE(samples && !alone.rows.empty());
  for (const char* column : {"q[10][3]", "x", "s"}) EXPECT_NEAR(samples->at(0, column), alone.last(column), 1e-13);
}

TEST_F(TaylorRuns, AdaptiveLanesReachTheTolerance) {
  const Trajectory fine = runModel(w, file, {"--method", "P853", "--tolerance", "1e-12"});
  const std::string out = w.path("a.csv").string();
  const Outcome o = w.lmc({"ensemble", file, "--method", "Taylor", "--tolerance", "1e-10", "--samples", "3", "--vary",
                           "k ~ linspace(2, 3)", "--output", out});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto samples = parseCsv(readFile(out));
  ASSERT_TRUE(samples && !fine.rows.empty());
  for (const char* column : {"q[10][3]", "x", "s"}) EXPECT_NEAR(samples->at(0, column), fine.last(column), 2e-9);
}

TEST_F(TaylorRuns, ExportedCGivesTheSameNumbers) {
  const Trajectory alone = runModel(w, file, {});
  ASSERT_FALSE(alone.rows.empty());
  ASSERT_EQ(w.lmc({"export", "--c", file, "-o", w.path("model").string(), "--prefix", "m"}).status, 0);
  w.write("main.c", "#include <stdio.h>\n#include \"model.h\"\nint main(void) {\n  static m m_;\n  double t = 0;\n"
                    "  if (m_init(&m_) != 0 || m_steps(&m_, &t, 0.05, 40) != 0) return 1;\n"
                    "  printf(\"%.17g\\n\", m_.state.x);\n  return 0;\n}\n");
  const std::string build = "cd " + w.path("").string() +
                            " && cc -std=c99 -O1 -ffp-contract=off -Wall -Wextra -Werror main.c model.c -lm -o main "
                            "> log 2>&1 && ./main > out";
  ASSERT_EQ(std::system(build.c_str()), 0) << readFile(w.path("log"));
  EXPECT_NEAR(std::strtod(readFile(w.path("out")).c_str(), nullptr), alone.last("x"), 1e-13);
}

/// The point where a run stops is found by partial steps.
TEST_F(TaylorRuns, StopAtEventsWhereOtherMethodsDo) {
  const std::string text =
      "model P {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 9.81*x;\n  force on x = -0.1*v^3;\n"
      "  initial x = 1;  initial v = 2;\n  event ground = x;\n"
      "  simulate { method = Taylor; time = 0..5; tolerance = 1e-12; }\n}\n";
  const std::string falling = w.write("p.lie", text).string();
  const Trajectory own = runModel(w, falling, {}), other = runModel(w, falling, {"--method", "P853"});
  ASSERT_FALSE(own.rows.empty() || other.rows.empty());
  EXPECT_NEAR(own.last("t"), other.last("t"), 1e-11);
  EXPECT_NEAR(own.last("v"), other.last("v"), 1e-10);
  EXPECT_NEAR(own.last("x"), 0, 1e-14);
}

/// R stays a rotation and the energy what it was, over many steps.
TEST_F(TaylorRuns, FreeBodyIsAtRoundOff) {
  const std::string body =
      w.write("b.lie", "model B {\n  config R : SO(3) velocity w;\n"
                       "  lagrangian = 0.5*dot(w, diag(1, 2, 2.5)*w);\n  initial w = [0.4, 3, -0.6];\n"
                       "  simulate { method = Taylor(p = 16); time = 0..5000; step = 0.05; output steps 5000; }\n}\n")
          .string();
  const Trajectory t = runModel(w, body, {});
  ASSERT_GE(t.rows.size(), 20U);
  const double eps = 2.220446049250313e-16;
  const auto name = [](int i, int j) { return "R[" + std::to_string(i) + "][" + std::to_string(j) + "]"; };
  const auto energy = [&](std::size_t k) {
    const double a = t.at(k, "w[1]"), b = t.at(k, "w[2]"), c = t.at(k, "w[3]");
    return 0.5 * (a * a + 2 * b * b + 2.5 * c * c);
  };
  for (std::size_t k = 0; k < t.rows.size(); ++k) {
    for (int i = 1; i <= 3; ++i) {
      for (int j = 1; j <= 3; ++j) {
        double sum = i == j ? -1 : 0;
        for (int l = 1; l <= 3; ++l) sum += t.at(k, name(l, i)) * t.at(k, name(l, j));
        EXPECT_LE(std::abs(sum), 4 * eps);
      }
    }
    // 1e5 roundings of the energy, as a random walk and with room.
    EXPECT_NEAR(energy(k) / energy(0), 1, 3e-13);
  }
}

TEST_F(TaylorRuns, HaveNoDerivativesOfSteps) {
  const std::string one = w.write("o.lie", "model O {\n  config x : R^2 velocity v;\n"
                                           "  lagrangian = 0.5*dot(v, v) - 0.5*dot(x, x);\n  initial x = [1, 0];\n"
                                           "  simulate { method = Taylor; time = 0..1; step = 0.01; }\n}\n")
                              .string();
  const Outcome form = w.lmc({"symplecticity", one});
  EXPECT_NE(form.err.find("LIE0437"), std::string::npos) << form.err;
  EXPECT_NE(form.err.find("projected"), std::string::npos) << form.err;
  const Outcome step = w.lmc({"linearize", one, "--discrete"});
  EXPECT_NE((step.err + step.out).find("LIE0437"), std::string::npos) << step.err << step.out;
}

namespace {

struct KnownError : testing::Test {
  Workspace w;

  nlohmann::json summary(const std::string& file, Arguments more, int status = 0) {
    more.insert(more.begin(), {"run", file, "--json"});
    const Outcome o = w.lmc(more);
    EXPECT_EQ(o.status, status) << o.out << o.err;
    return parseJson(o.out);
  }
};

/// Evaluations for the guess of the first step.
constexpr int ofStart = 4;

/// One oscillation takes 2 pi `unit`.
std::string oscillator(const std::string& unit, const std::string& more = "") {
  return "model O {\n  param s = " + unit + ";\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 0.5*(x/s)^2;\n" +
         "  initial x = 1;\n  initial v = 0.3/s;\n" + more +
         "  simulate { method = Taylor; time = 0..20*s; tolerance = (relative = 1e-10, absolute = 0); }\n}\n";
}

} // namespace

/// The terms of high orders are far below or above the numbers of the machine where lengths are not.
TEST_F(KnownError, KnowsNoUnitOfTime) {
  const nlohmann::json one = summary(w.write("o.lie", oscillator("1")).string(), {});
  EXPECT_EQ(one["rejected"], 0);
  for (const char* unit : {"1e-15", "1e-9", "1e9", "1e15"}) {
    const std::string file = w.write("u.lie", oscillator(unit)).string();
    const nlohmann::json other = summary(file, {});
    // The guess of the first step does know one: it may be shorter by 5^20.
    EXPECT_NEAR(other["steps"].get<double>(), one["steps"].get<double>(), 20) << unit;
    EXPECT_EQ(other["rejected"], 0) << unit;
    EXPECT_NEAR(runModel(w, file, {}).last("x"), std::cos(20) + 0.3 * std::sin(20), 1e-8) << unit;
  }
}

/// Samples and events are sums of the series that is there.
TEST_F(KnownError, OneSeriesServesAStepAndAllInIt) {
  const std::string file = w.write("o.lie", oscillator("1", "  event middle = falling(x);\n")).string();
  const std::string plain = w.write("p.lie", oscillator("1")).string();
  const nlohmann::json steps = summary(plain, {});
  EXPECT_EQ(steps["evaluations"].get<int>(), steps["steps"].get<int>() + ofStart);
  const nlohmann::json samples = summary(plain, {"--every", "0.001", "--output", w.path("s.csv").string()});
  EXPECT_EQ(samples["samples"], 20001);
  EXPECT_EQ(samples["evaluations"], steps["evaluations"]);
  EXPECT_EQ(samples["steps"], steps["steps"]);
  const Trajectory run = runModel(w, plain, {"--every", "0.01"});
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    const double t = run.at(k, "t");
    EXPECT_NEAR(run.at(k, "x"), std::cos(t) + 0.3 * std::sin(t), 1e-9);
  }
  const nlohmann::json stopped = summary(file, {});
  EXPECT_NEAR(stopped["final_time"].get<double>(), std::acos(-1) - std::atan(1 / 0.3), 1e-10);
  EXPECT_EQ(stopped["evaluations"].get<int>(), stopped["steps"].get<int>() + ofStart);
}

/// x'' = -t^3 x is a series in t^5: all terms that are looked at may vanish at the begin, and the next ones do not.
TEST_F(KnownError, BeginsWithShortStepsWhereTheLastTermsVanish) {
  const std::string file =
      w.write("l.lie", "model L {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 0.5*t^3*x^2;\n"
                       "  initial x = 1;\n  simulate { method = P853; time = 0..3; tolerance = 1e-13; }\n}\n")
          .string();
  const double exact = runModel(w, file, {}).last("x");
  for (const char* method : {"Taylor(p = 8)", "Taylor(p = 12)", "Taylor(p = 13)", "Taylor(p = 17)", "Taylor(p = 22)"}) {
    const double x = runModel(w, file, {"--method", method, "--tolerance", "1e-8"}).last("x");
    EXPECT_NEAR(x, exact, 1e-7) << method;
  }
}

/// In the middle between two members the forces on a third cancel: terms of all odd or even orders may vanish.
TEST_F(KnownError, SeesMotionsThatAreEvenInTime) {
  const std::string file =
      w.write("e.lie", "model E {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - x^4;\n  initial x = 1;\n"
                       "  simulate { method = Taylor; time = 0..10; }\n}\n")
          .string();
  const double exact = runModel(w, file, {"--method", "P853", "--tolerance", "1e-13"}).last("x");
  double before = 1;
  for (const char* tolerance : {"1e-4", "1e-7", "1e-10"}) {
    const double error = std::abs(runModel(w, file, {"--tolerance", tolerance}).last("x") - exact);
    EXPECT_LT(error, 20 * std::stod(tolerance));
    EXPECT_LT(error, before / 50);
    before = error;
  }
}

/// Series with an end: no step has an error, and each is five times as long as the one before.
TEST_F(KnownError, StepsOverAllOfAMotionWithAnEnd) {
  const std::string file =
      w.write("f.lie", "model F {\n  config x : R^3 velocity v;\n  lagrangian = 0.5*dot(v, v) - 9.81*x[3];\n"
                       "  initial v = [1, 2, 3];\n"
                       "  simulate { method = Taylor; time = 0..100; tolerance = 1e-8; }\n}\n")
          .string();
  const nlohmann::json j = summary(file, {});
  EXPECT_LE(j["steps"], 12);
  EXPECT_EQ(j["evaluations"].get<int>(), j["steps"].get<int>() + ofStart);
  EXPECT_NEAR(runModel(w, file, {}).last("x[3]"), 300 - 9.81 * 5000, 1e-8);
  // A given first step is the first one.
  const nlohmann::json given = summary(file, {"--step", "0.8"});
  EXPECT_EQ(given["first_step"], 0.8);
  EXPECT_EQ(given["steps"], 4); // 0.8, 4, 20, the rest
}

/// A series knows the branch at its begin alone: that another one comes is met by trials.
TEST_F(KnownError, IsNotKnownWhereTheMotionComesToAnotherBranch) {
  const auto model = [](const std::string& body) {
    return "model B {\n  config x : R velocity v;\n" + body +
           "  simulate { method = Taylor; time = 0..3; tolerance = 1e-9; }\n}\n";
  };
  // A force for half of a second: a free motion before and behind it, whose series end.
  const std::string push = w.write("p.lie", model("  lagrangian = 0.5*v^2;\n"
                                                  "  force on x = if t > 1 and t < 1.5 then 10 else 0;\n"))
                               .string();
  EXPECT_NEAR(runModel(w, push, {}).last("x"), 8.75, 1e-7);
  EXPECT_GT(summary(push, {})["rejected"], 0);
  // A fall of 1 onto a spring, up to the third fall.
  const double k = 1e5, m = 2, g = 10, down = std::sqrt(2 / g), omega = std::sqrt(k / m), v = g * down;
  const double touching = (2 * std::acos(-1) - 2 * std::atan(v * omega / g)) / omega;
  const std::string fall =
      w.write("f.lie", model("  lagrangian = 1*v^2 - 20*x - 0.5e5*min(x, 0)^2;\n  initial x = 1;\n")).string();
  const double left = 3 - 2 * (2 * down + touching) - down; // to the end, from the third touch on
  ASSERT_TRUE(left > touching && left < touching + 2 * down);
  const double s = left - touching;
  EXPECT_NEAR(runModel(w, fall, {}).last("x"), v * s - g * s * s / 2, 1e-6);
  // A spline, whose third derivative jumps; a mass; a flow.
  w.write("t.csv", "s,f\n0,0\n0.8,0.3\n1.3,-0.4\n2.2,0.1\n3,0.2\n");
  const std::string mixed =
      w.write("s.lie", "model S {\n  param r = read(\"t.csv\");\n  config x : R velocity v;\n  state z : R;\n"
                       "  lagrangian = 0.5*(1 + max(0, x))*v^2 - 0.5*x^2;\n"
                       "  force on x = interpolate(r.f, t, cubic);\n  flow z = -0.5 - 0.1*z + 0.3*abs(z - 0.3) + x;\n"
                       "  initial x = -0.5;\n  initial z = 1;\n"
                       "  simulate { method = Taylor; time = 0..3; tolerance = 1e-10; }\n}\n")
          .string();
  const Trajectory own = runModel(w, mixed, {}), other = runModel(w, mixed, {"--method", "P853"});
  for (const char* column : {"x", "v", "z"}) EXPECT_NEAR(own.last(column), other.last(column), 1e-8) << column;
}

/// A step that ends where the equations cannot be evaluated is made again of the same series.
TEST_F(KnownError, RetreatsFromStepsThatFail) {
  // Rotations so fast that a step of a rough tolerance ends too far from them to be put back.
  const std::string file =
      w.write("r.lie", "model R {\n  config R : SO(3) velocity w;\n  lagrangian = 0.5*dot(w, diag(1, 2, 3)*w);\n"
                       "  initial w = [0.1, 5, 0.2];\n"
                       "  simulate { method = Taylor(p = 8); time = 0..10; tolerance = 1e6; }\n}\n")
          .string();
  const nlohmann::json j = summary(file, {});
  EXPECT_GT(j["rejected"], 0);
  EXPECT_EQ(j["evaluations"].get<int>(), j["steps"].get<int>() + ofStart);
  EXPECT_EQ(j["final_time"], 10);
}

TEST_F(KnownError, SaysWhereThereIsNoStep) {
  const std::string file = w.write("b.lie", "model B {\n  state z : R;\n  flow z = z^2;\n  initial z = 1;\n"
                                            "  simulate { method = Taylor; time = 0..2; tolerance = 1e-8; }\n}\n")
                               .string();
  const nlohmann::json j = summary(file, {}, 3);
  EXPECT_NEAR(j["failure"]["time"].get<double>(), 1, 1e-8);
  EXPECT_NE(j["failure"]["cause"].get<std::string>().find("step size underflow"), std::string::npos) << j["failure"];
}

TEST_F(KnownError, RulesTheErrorOfTheRun) {
  const std::string file = w.write("m.lie", several).string();
  const Trajectory fine = runModel(w, file, {"--method", "P853", "--tolerance", "1e-13"});
  const auto error = [&](const char* tolerance) {
    const Trajectory run = runModel(w, file, {"--method", "Taylor(p = 11)", "--tolerance", tolerance});
    double largest = 0;
    for (const char* column : {"q[1][1]", "q[10][3]", "w[7][2]", "x", "v", "z"})
      largest = std::max(largest, std::abs(run.last(column) - fine.last(column)));
    EXPECT_LT(largest, 10 * std::stod(tolerance));
    return largest;
  };
  const double slope = std::log10(error("1e-4") / error("1e-9")) / 5;
  EXPECT_GT(slope, 0.8);
  EXPECT_LT(slope, 1.2);
}

TEST_F(KnownError, IsToldOfEachStep) {
  const std::string file = w.write("o.lie", oscillator("1")).string();
  const std::string table = w.path("steps.csv").string();
  const nlohmann::json j = summary(file, {"--steps-output", table});
  const auto steps = parseCsv(readFile(table));
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->rows.size(), j["steps"].get<std::size_t>());
  for (std::size_t k = 0; k < steps->rows.size(); ++k) {
    EXPECT_GT(steps->at(k, "error"), 0);
    EXPECT_LT(steps->at(k, "error"), std::pow(0.8, 15) * (1 + 1e-6));
    EXPECT_EQ(steps->at(k, "accepted"), 1);
  }
}

TEST_F(KnownError, GoesOnFromACheckpointWithTheSameBits) {
  const std::string file = w.write("m.lie", several).string();
  const Arguments adaptive = {"--method", "Taylor", "--tolerance", "1e-9"};
  const auto with = [&](Arguments more) {
    more.insert(more.end(), adaptive.begin(), adaptive.end());
    return more;
  };
  const Trajectory whole = runModel(w, file, with({}));
  const std::string saved = w.path("c.json").string();
  summary(file, with({"--checkpoint", saved, "--max-steps", "7"}), 3);
  const Trajectory rest = runModel(w, file, with({"--resume", saved}));
  EXPECT_EQ(rest.rows.back(), whole.rows.back());
}

TEST_F(KnownError, LanesGiveTheSameBitsInAnyNumber) {
  const std::string file = w.write("m.lie", several).string();
  const Trajectory alone = runModel(w, file, {"--method", "Taylor", "--tolerance", "1e-10"});
  std::string first;
  for (const char* lanes : {"1", "4", "16"}) {
    const std::string out = w.path(std::string("l") + lanes + ".csv").string();
    const Outcome o =
        w.lmc({"ensemble", file, "--method", "Taylor", "--tolerance", "1e-10", "--samples", "37", "--vary",
               "k ~ linspace(2, 30)", "--lanes", lanes, "--threads", lanes[0] == '4' ? "2" : "1", "--output", out});
    ASSERT_EQ(o.status, 0) << o.err;
    const std::string text = readFile(out);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << lanes;
  }
  const auto samples = parseCsv(first);
  ASSERT_TRUE(samples);
  for (const char* column : {"q[10][3]", "x", "s"}) EXPECT_NEAR(samples->at(0, column), alone.last(column), 1e-12);
}

/// A program with steps of its own asks for the error of any step.
TEST_F(KnownError, IsThatOfATrialInExportedC) {
  const std::string file = w.write("o.lie", oscillator("1")).string();
  ASSERT_EQ(w.lmc({"export", "--c", file, "--method", "Taylor(p = 6)", "-o", w.path("model").string(), "--prefix", "m"})
                .status,
            0);
  w.write("main.c", "#include <stdio.h>\n#include \"model.h\"\nint main(void) {\n  static m m_;\n"
                    "  if (m_init(&m_) != 0) return 1;\n"
                    "  for (int k = 0; k < 3; ++k) {\n    if (m_trial(&m_, 0.1*k, 0.1) != 0) return 2;\n"
                    "    printf(\"%.17g %.17g\\n\", m_.state.x, m_error(&m_));\n  }\n  return 0;\n}\n");
  const std::string build = "cd " + w.path("").string() +
                            " && cc -std=c99 -O1 -ffp-contract=off -Wall -Wextra -Werror main.c model.c -lm -o main "
                            "> log 2>&1 && ./main > out";
  ASSERT_EQ(std::system(build.c_str()), 0) << readFile(w.path("log"));
  std::istringstream out(readFile(w.path("out")));
  for (int k = 0; k < 3; ++k) {
    double x = 0, error = 0;
    ASSERT_TRUE(out >> x >> error);
    const double t = 0.1 * k, c = std::cos(t), s = std::sin(t), h = 0.1;
    EXPECT_NEAR(x, std::cos(t + h) + 0.3 * std::sin(t + h), 1e-9);
    // x^(5) = v, x^(6) = -x in x, and -x, -v in v, whose tolerances are 1e-10 of their sizes.
    const double position = c + 0.3 * s, velocity = 0.3 * c - s;
    const double five = std::pow(h, 5) / 120, six = std::pow(h, 6) / 720;
    const double ofX = five * std::abs(velocity / position) + six, ofV = five * std::abs(position / velocity) + six;
    EXPECT_NEAR(error, std::max(ofX, ofV) / 1e-10, 1e-3 * std::max(ofX, ofV) / 1e-10);
  }
}
