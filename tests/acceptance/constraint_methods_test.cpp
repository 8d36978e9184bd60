// Methods whose steps hold the constraints of a model themselves: errors and orders against reference values that were
// computed without this project, what they keep from step to step, what they refuse.
#include "acceptance/Trajectory.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Wanted = std::vector<std::pair<std::string, double>>;

double worst(const Trajectory& run, const Wanted& wanted) {
  if (run.rows.empty()) return NAN;
  double most = 0;
  for (const auto& [column, value] : wanted) most = std::max(most, std::abs(run.last(column) - value));
  return most;
}

Wanted vec(const std::string& name, const std::vector<double>& values) {
  Wanted list;
  for (std::size_t k = 0; k < values.size(); ++k)
    list.emplace_back(name + "[" + std::to_string(k + 1) + "]", values[k]);
  return list;
}

Wanted operator+(Wanted a, const Wanted& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Wanted topPosition = vec("x", {-0.15041682274565, -0.72416559163691, -0.67302226956044});
const Wanted topRates = vec("Omega", {0.1222332194974, 150, -5.8556245892055});

/// The heavy top of the examples, with the rates of its constraint as an output.
const char* const topModel = R"(
model Top {
  param J : mat(3,3) = diag(0.234375, 0.46875, 0.234375);
  param chi : vec(3) = [0, 1, 0];
  config R : SO(3) velocity Omega;
  config x : R^3 velocity v;
  lagrangian = 0.5*dot(Omega, J*Omega) + 7.5*dot(v, v) - 15*9.81*x[3];
  constraint pin : R*chi = x;
  initial R = eye(3);
  initial Omega = [0, 150, -4.61538];
  initial x = chi;
  initial v = cross(Omega, chi);
  observe off = R*chi - x;
  observe slip = R*cross(Omega, chi) - v;
  simulate { method = GenAlpha; time = 0..2; step = 1e-3; }
}
)";

double largest(const Trajectory& run, const std::string& name) {
  double most = 0;
  for (int k = 1; k <= 3; ++k) most = std::max(most, std::abs(run.last(name + "[" + std::to_string(k) + "]")));
  return most;
}

/// Chaplygin's sleigh in the coordinates of its centre of mass.
const char* const sleigh = R"(
model Sleigh {
  config x : R^2 velocity v;
  config theta : R velocity w;
  lagrangian = 0.5*dot(v, v) + 0.25*w^2;
  constraint blade : dot(v, [-sin(theta), cos(theta)]) = 0.4*w;
  initial x = [0.4, 0];
  initial v = [0.2, 0.6];
  initial w = 1.5;
  observe at = x - 0.4*[cos(theta), sin(theta)];
  simulate { method = NonholonomicRATTLE; time = 0..5; step = 0.1; }
}
)";
const Wanted sleighEnd = vec("at", {-2.8084395635690717, 3.3823272628985989}) + Wanted{{"theta", 2.7781569640997067}};

const char* const doublePendulum = R"(
model Double {
  config x[2] : R^3 velocity v;
  lagrangian = 0.5*dot(v[1], v[1]) + 0.25*dot(v[2], v[2]) - 9.81*(x[1][3] + 0.5*x[2][3]);
  constraint upper : dot(x[1], x[1]) = 1;
  constraint lower : dot(x[2] - x[1], x[2] - x[1]) = 0.49;
  initial x[1] = [0.6, 0, -0.8];
  initial x[2] = [0.6, 0.42, -1.36];
  initial v[1] = [0, 2, 0];
  initial v[2] = [0, 2.56, 0.42];
  simulate { method = VILobatto4; time = 0..3; step = 0.01; }
}
)";
const Wanted doubleEnd = {{"x[1][1]", -0.334366251405276}, {"x[1][2]", 0.00351402411769521},
                          {"x[1][3]", -0.942436661827034}, {"x[2][1]", -0.882301219416870},
                          {"x[2][2]", 0.427324187680075},  {"x[2][3]", -1.04319486790159}};

struct TopErrors {
  std::string method, step;
  double position, rates, slip; ///< of an independent program of the same formulas; slip 0: round-off
};

} // namespace

TEST(Index3AndStabilized, HaveTheErrorsOfTheReference) {
  const Workspace w;
  const std::string file = w.write("top.lie", topModel).string();
  for (const TopErrors& e : std::vector<TopErrors>{{"GenAlpha(stabilized = 0)", "2e-3", 4.76e-2, 0.770, 6.0e-2},
                                                   {"GenAlpha(stabilized = 0)", "1e-3", 1.16e-2, 0.190, 1.47e-2},
                                                   {"GenAlpha(stabilized = 0)", "5e-4", 2.90e-3, 0.0474, 3.7e-3},
                                                   {"GenAlpha", "2e-3", 2.24e-2, 8.95e-2, 0},
                                                   {"GenAlpha", "1e-3", 5.51e-3, 2.20e-2, 0},
                                                   {"GenAlpha", "5e-4", 1.36e-3, 5.47e-3, 0}}) {
    const Trajectory run = runModel(w, file, {"--method", e.method, "--step", e.step});
    ASSERT_FALSE(run.rows.empty()) << e.method;
    EXPECT_NEAR(worst(run, topPosition) / e.position, 1, 0.02) << e.method << " " << e.step;
    EXPECT_NEAR(worst(run, topRates) / e.rates, 1, 0.02) << e.method << " " << e.step;
    EXPECT_LT(largest(run, "off"), 1e-12) << e.method << " " << e.step;
    if (e.slip > 0)
      EXPECT_NEAR(largest(run, "slip") / e.slip, 1, 0.02) << e.method << " " << e.step;
    else
      EXPECT_LT(largest(run, "slip"), 1e-11) << e.method << " " << e.step;
  }
}

TEST(Index3AndStabilized, HaveOrderTwoWithAnyDamping) {
  const Workspace w;
  const std::string file = w.write("double.lie", doublePendulum).string();
  for (const char* method : {"GenAlpha(rho = 0.5)", "GenAlpha(rho = 0.5, stabilized = 0)", "GenAlpha(rho = 1)",
                             "HHT(alpha = 0.1)", "HHT(alpha = 0)", "NonholonomicRATTLE", "DLA"}) {
    const double coarse = worst(runModel(w, file, {"--method", method, "--step", "2e-3"}), doubleEnd);
    const double fine = worst(runModel(w, file, {"--method", method, "--step", "1e-3"}), doubleEnd);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.25) << method << " " << coarse << " " << fine;
  }
}

TEST(Rolling, NonholonomicMethodsHaveTheErrorsOfTheReference) {
  const Workspace w;
  const std::string file = w.write("sleigh.lie", sleigh).string();
  const struct {
    const char* method;
    std::vector<double> errors; ///< of 50, 100, 200, 400 steps
  } cases[] = {{"NonholonomicRATTLE", {9.32e-4, 2.26e-4, 5.61e-5, 1.40e-5}},
               {"DLA", {2.83e-3, 7.07e-4, 1.77e-4, 4.42e-5}},
               {"RKMK4", {6.25e-6, 3.94e-7, 2.47e-8, 1.55e-9}}};
  const char* const steps[] = {"0.1", "0.05", "0.025", "0.0125"};
  for (const auto& c : cases) {
    for (std::size_t k = 0; k < c.errors.size(); ++k) {
      const double error = worst(runModel(w, file, {"--method", c.method, "--step", steps[k]}), sleighEnd);
      EXPECT_NEAR(error / c.errors[k], 1, 0.02) << c.method << " " << steps[k];
    }
  }
}

TEST(Rolling, EnergyIsBoundedWhereTheMotionCanBeReversed) {
  const Workspace w;
  const auto verdicts = [&](const char* model) {
    const Outcome o = w.lmc({"stability", testModel(model), "--methods", "NonholonomicRATTLE,DLA,SymmetricGL2",
                             "--time", "0..5000", "--json"});
    std::vector<std::string> list;
    const nlohmann::json all = parseJson(o.out);
    for (const auto& r : all.at("results")) list.push_back(r.at("verdict"));
    return list;
  };
  EXPECT_EQ(verdicts("reversible_rolling"), std::vector<std::string>(6, "BOUNDED"));
  EXPECT_EQ(verdicts("irreversible_rolling"), std::vector<std::string>(6, "DRIFT"));
}

TEST(Rattle, KeepsConstraintsToRoundOffOverManySteps) {
  const Workspace w;
  const std::string file = w.write("top.lie", topModel).string();
  for (const char* method : {"VITrapezoid", "GenAlpha", "NonholonomicRATTLE"}) {
    const Outcome o = w.lmc({"run", file, "--method", method, "--time", "0..100", "--every", "1", "--json"});
    ASSERT_EQ(o.status, 0) << o.err;
    const nlohmann::json summary = parseJson(o.out);
    for (const auto& [name, value] : summary.at("defects").items())
      EXPECT_LT(value.get<double>(), name == "R" ? 1e-11 : 1e-12) << method << " " << name;
  }
}

TEST(Conditions, TurnEquationsOffInAllMethods) {
  const Workspace w;
  std::string text = doublePendulum;
  const std::string always = "constraint lower :";
  text.replace(text.find(always), always.size(), "param tied = 0;\n  constraint lower when tied == 1 :");
  const std::string file = w.write("m.lie", text).string();
  const Trajectory wanted = runModel(w, file, {"--method", "RKMK5", "--step", "1e-3", "--time", "0..1"});
  for (const char* method : {"GenAlpha", "GenAlpha(stabilized = 0)", "HHT", "NonholonomicRATTLE", "DLA", "VILobatto4",
                             "VITrapezoid", "SymmetricGL2", "HEM4"}) {
    const Trajectory run = runModel(w, file, {"--method", method, "--step", "1e-3", "--time", "0..1"});
    ASSERT_FALSE(run.rows.empty()) << method;
    for (const auto& [column, value] : doubleEnd)
      EXPECT_NEAR(run.last(column), wanted.last(column), 1e-4) << method << " " << column;
    const Trajectory tied = runModel(w, file, {"--method", method, "--step", "1e-3", "--set", "tied=1"});
    EXPECT_LT(worst(tied, doubleEnd), 1e-3) << method;
  }
}

/// Constraints on positions, moving ones, and rolling, against values that were computed without this project.
TEST(HalfExplicit, HasOrderFour) {
  const Workspace w;
  struct Problem {
    std::string file, time, coarse, fine;
    Wanted end;
    double error; ///< with the finer step
  };
  const std::string top = w.write("top.lie", topModel).string();
  const std::string pivot = w.write("pivot.lie", R"(model Pivot {
  config x : R^3 velocity v;
  lagrangian = dot(v, v) - 2*9.81*x[3];
  let p = [0.3*sin(4*t), 0, 0];
  constraint rod : dot(x - p, x - p) = 1;
  initial x = [0.6, 0, -0.8];  initial v = [1.2, 0.5, 0];
  simulate { method = HEM4; time = 0..5; step = 0.01; }
})")
                                .string();
  for (const Problem& x :
       std::vector<Problem>{{top, "0..2", "1e-3", "5e-4", topPosition + topRates, 2e-6},
                            {w.write("double.lie", doublePendulum).string(), "0..3", "5e-3", "2.5e-3", doubleEnd, 1e-7},
                            {pivot, "0..5", "1e-2", "5e-3",
                             vec("x", {0.687669934352776, -0.213791194532958, -0.884914783543815}) +
                                 vec("v", {-0.484252231771035, 0.256787352877226, -0.517458177915301}),
                             1e-6},
                            {example("rolling_disk"), "0..2", "2e-2", "1e-2",
                             vec("x", {-8.37420311282841, 4.61849782749976, 0.88313701470999}) +
                                 vec("Omega", {1.57882414453293, -0.504501101980285, 5.01823277067183}),
                             1e-5},
                            {example("chaplygin_sleigh"),
                             "0..5",
                             "5e-2",
                             "2.5e-2",
                             {{"speed", 1.2339084932538667}, {"w", 0.061173254652720186}},
                             1e-6}}) {
    const auto error = [&](const std::string& step) {
      return worst(runModel(w, x.file, {"--method", "HEM4", "--time", x.time, "--step", step}), x.end);
    };
    const double coarse = error(x.coarse), fine = error(x.fine);
    EXPECT_GT(std::log2(coarse / fine), 3.7) << x.file << " " << coarse << " " << fine;
    EXPECT_LT(fine, x.error) << x.file;
  }
  // Positions and their rates hold after every step.
  const Outcome o = w.lmc({"run", top, "--method", "HEM4", "--json"});
  for (const auto& [name, value] : parseJson(o.out).at("defects").items())
    EXPECT_LT(value.get<double>(), 1e-12) << name;
  // A model without constraints is stepped by the explicit method, of order 4.
  const Outcome free = w.lmc({"order", example("heavy_top"), "--methods", "HEM4", "--json"});
  EXPECT_EQ(free.status, 0) << free.err;
}

TEST(HomogeneousManifolds, AreSteppedWithConstraintsAtTheSameOrder) {
  const Workspace w;
  const std::string file =
      w.write("s.lie",
              "model S {\n  config p : S^2 velocity u;  config q : S^2 velocity w;\n"
              "  lagrangian = 0.5*dot(p', p') + dot(q', q') - 9.81*(p[3] + 2*q[3]);\n"
              "  constraint bar : dot(q - p, q - p) = 1;\n  initial p = e1;  initial q = [0.5, sqrt(0.75), 0];\n"
              "  initial u = [0, 0, 1];  initial w = [0, 0, 1];\n"
              "  simulate { method = RKMK6; time = 0..1; step = 1e-3; }\n}\n")
          .string();
  const Trajectory reference = runModel(w, file, {}); // against points in space: Constraints.OnHomogeneousManifolds
  ASSERT_FALSE(reference.rows.empty());
  Wanted end;
  for (const char* name : {"p[1]", "p[2]", "p[3]", "q[1]", "q[2]", "q[3]"})
    end.emplace_back(name, reference.last(name));
  for (const auto& [method, order] : std::vector<std::pair<std::string, double>>{{"GenAlpha", 2},
                                                                                 {"GenAlpha(stabilized = 0)", 2},
                                                                                 {"HHT", 2},
                                                                                 {"VILobatto4", 4},
                                                                                 {"HEM4", 4},
                                                                                 {"SymmetricGL2", 2}}) {
    const std::string coarse = order > 2 ? "1e-2" : "2e-3", fine = order > 2 ? "5e-3" : "1e-3";
    const double a = worst(runModel(w, file, {"--method", method, "--step", coarse}), end);
    const double b = worst(runModel(w, file, {"--method", method, "--step", fine}), end);
    EXPECT_NEAR(std::log2(a / b), order, 0.3) << method << " " << a << " " << b;
    const nlohmann::json summary = parseJson(w.lmc({"run", file, "--method", method, "--json"}).out);
    EXPECT_LT(summary.at("defects").at("p").get<double>(), 1e-12) << method; // velocities are horizontal
  }
  const Outcome rolling = w.lmc({"run", file, "--method", "DLA"});
  EXPECT_NE(rolling.err.find("not a group"), std::string::npos) << rolling.err;
}

TEST(Rolling, SomeMethodsServeBothSortsOfConstraints) {
  const Workspace w;
  // The rolling disk has two equations on velocities beside one on positions.
  const Wanted end = vec("x", {-8.37420311282841, 4.61849782749976, 0.88313701470999});
  for (const char* method : {"NonholonomicRATTLE", "DLA", "GenAlpha", "GenAlpha(stabilized = 0)"}) {
    const auto error = [&](const char* step) {
      return worst(runModel(w, example("rolling_disk"), {"--method", method, "--time", "0..2", "--step", step}), end);
    };
    const double coarse = error("4e-3"), fine = error("2e-3");
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.25) << method << " " << coarse << " " << fine;
  }
}

TEST(Lobatto, HasOrderFourWithConstraints) {
  const Workspace w;
  const std::string top = w.write("top.lie", topModel).string(), file = w.write("double.lie", doublePendulum).string();
  const auto order = [&](const std::string& model, const Wanted& end, const char* first, const char* second) {
    const double coarse = worst(runModel(w, model, {"--method", "VILobatto4", "--step", first}), end);
    const double fine = worst(runModel(w, model, {"--method", "VILobatto4", "--step", second}), end);
    EXPECT_LT(fine, 1e-5) << model;
    return std::log2(coarse / fine);
  };
  EXPECT_NEAR(order(top, topPosition, "1e-3", "5e-4"), 4, 0.3);
  EXPECT_NEAR(order(file, doubleEnd, "1e-2", "5e-3"), 4, 0.3);
}

TEST(Lobatto, KeepsTheEnergyBoundedAndTheConstraintsToRoundOff) {
  const Workspace w;
  const std::string file = w.write("double.lie", doublePendulum).string();
  const Trajectory run = runModel(w, file, {"--time", "0..200", "--step", "0.02", "--every", "0.5"});
  ASSERT_GT(run.rows.size(), 300U);
  const auto deviation = [&](std::size_t from, std::size_t to) {
    double most = 0;
    for (std::size_t k = from; k < to; ++k) most = std::max(most, std::abs(run.at(k, "energy") - run.at(0, "energy")));
    return most;
  };
  const double first = deviation(0, run.rows.size() / 2), second = deviation(run.rows.size() / 2, run.rows.size());
  EXPECT_LT(second, 2 * first);
  EXPECT_LT(first, 1e-2);
  for (std::size_t k = 0; k < run.rows.size(); k += 20) {
    double upper = -1, lower = -0.49;
    for (const char* i : {"[1]", "[2]", "[3]"}) {
      const double a = run.at(k, std::string("x[1]") + i), b = run.at(k, std::string("x[2]") + i);
      upper += a * a;
      lower += (b - a) * (b - a);
    }
    EXPECT_LT(std::max(std::abs(upper), std::abs(lower)), 1e-12) << k;
  }
}

TEST(Kept, NumbersGoOnToTheBitAfterACheckpoint) {
  const Workspace w;
  const std::string file = w.write("double.lie", doublePendulum).string();
  for (const char* method : {"GenAlpha", "NonholonomicRATTLE", "DLA"}) {
    const Trajectory whole = runModel(w, file, {"--method", method, "--time", "0..3"});
    (void)runModel(w, file, {"--method", method, "--time", "0..1.5", "--checkpoint", "c.json"});
    const Trajectory rest =
        runModel(w, file, {"--method", method, "--time", "0..3", "--resume", w.path("c.json").string()});
    ASSERT_FALSE(rest.rows.empty());
    EXPECT_EQ(whole.rows.back(), rest.rows.back()) << method;
  }
}

TEST(Kept, NumbersAreThoseOfWholeSteps) {
  const Workspace w;
  const std::string file = w.write("double.lie", doublePendulum).string();
  for (const char* method : {"GenAlpha", "NonholonomicRATTLE", "DLA"}) {
    const Trajectory end = runModel(w, file, {"--method", method, "--every", "3"});
    // Samples between the steps are taken by partial steps, which leave what follows as it is.
    const Trajectory dense = runModel(w, file, {"--method", method, "--every", "0.0137"});
    ASSERT_FALSE(dense.rows.empty());
    EXPECT_EQ(end.rows.back(), dense.rows.back()) << method;
  }
}

TEST(Kept, EquationsThatFollowFromOthersHaveTheShortestMultipliers) {
  const Workspace w;
  std::string twice = doublePendulum;
  twice.insert(twice.find("  initial x[1]"), "  constraint again : 2*dot(x[1], x[1]) = 2;\n");
  const std::string once = w.write("once.lie", doublePendulum).string(), file = w.write("twice.lie", twice).string();
  for (const char* method : {"GenAlpha", "GenAlpha(stabilized = 0)", "NonholonomicRATTLE", "DLA", "HHT"}) {
    const Trajectory a = runModel(w, once, {"--method", method}), b = runModel(w, file, {"--method", method});
    ASSERT_FALSE(b.rows.empty()) << method;
    for (const auto& [column, value] : doubleEnd) EXPECT_NEAR(a.last(column), b.last(column), 1e-8) << method;
  }
  for (const char* method : {"VITrapezoid", "VILobatto4", "VI4"}) {
    const Outcome o = w.lmc({"run", file, "--method", method});
    EXPECT_NE(o.status, 0) << method;
    EXPECT_NE(o.err.find("LIE0436"), std::string::npos) << method << o.err;
  }
}

TEST(Kept, MethodsOfTheUserAreChecked) {
  const Workspace w;
  const std::string model = "model M { config x : R^2 velocity v; lagrangian = 0.5*dot(v, v) - 0.5*dot(x, x);\n"
                            "  initial x = [1, 0]; simulate { method = A; time = 0..1; step = 0.01; } }\n";
  const std::string end = "  next q = retract(q, h*xi);\n  next xi = xi + h*xidot(q, xi, t);\n}\n";
  const struct {
    std::string method;
    std::string code; ///< empty: it is right
  } cases[] = {{"method A order 1 on lagrangian {\n  keep a from xidot(q, xi, t);\n  next a = a;\n" + end, ""},
               {"method A order 1 on lagrangian {\n  keep n from 0;\n  next n = n + 1;\n" + end, ""},
               {"method A order 1 on lagrangian {\n  keep r from q;\n  next r = q;\n" + end, "LIE0435"},
               {"method A order 1 on lagrangian {\n  keep a from xi;\n  next a = 3;\n" + end, "LIE0435"},
               {"method A order 1 on lagrangian {\n  keep a from xi;\n" + end, "LIE0504"},
               {"method A order 1 on lagrangian {\n  keep q from xi;\n" + end, "LIE0503"},
               {"method A order 2 = compose(DLA; 1/2, 1/2);\n", "LIE0435"},
               {"method A order 2 = adjoint(DLA);\n", "LIE0435"},
               {"method A order 1 on lagrangian {\n  keep a xi;\n" + end, "LIE0013"}};
  for (const auto& c : cases) {
    const Outcome o = w.lmc({"run", w.write("m.lie", model + c.method).string()});
    if (c.code.empty())
      EXPECT_EQ(o.status, 0) << c.method << o.err;
    else
      EXPECT_TRUE(o.err.find(c.code) != std::string::npos && o.err.find("\n1 error\n") != std::string::npos)
          << c.method << o.err;
  }
}

TEST(SymmetricProjection, IsOfMethodsThatStepThePhasePoint) {
  const Workspace w;
  for (const char* constructor : {"symmetric(VITrapezoid)", "symmetric(RKMKGL2, 3)", "symmetric(NoSuchMethod)"}) {
    const Outcome o =
        w.lmc({"check", w.write("m.lie", std::string("method A order 2 = ") + constructor + ";\n").string()});
    EXPECT_NE(o.status, 0) << constructor;
    EXPECT_NE(o.err.find("\n1 error\n"), std::string::npos) << o.err;
  }
  // Of a model without constraints it is the method itself.
  const std::string free =
      w.write("f.lie", "model M { config R : SO(3) velocity W; lagrangian = 0.5*dot(W, diag(1, 2, 3)*W)"
                       " - R[3,3];\n  initial R = eye(3);  initial W = [1, 2, 0.5];\n"
                       "  simulate { method = RKMKGL2; time = 0..1; step = 0.1; } }\n")
          .string();
  EXPECT_EQ(runModel(w, free, {}).rows, runModel(w, free, {"--method", "SymmetricGL2"}).rows);
}

// The midpoint method is its own adjoint, which is an equation around that of the stage.
TEST(SymmetricProjection, AdjointsInsideAreWhatTheyAreAlone) {
  const Workspace w;
  const std::string file =
      w.write("m.lie", std::string("method Twice order 2 = compose(RKMKGL2, RKMKGL2; 1/2, 1/2);\n"
                                   "method There order 2 = compose(RKMKGL2, adjoint(RKMKGL2); 1/2, 1/2);\n"
                                   "method A order 2 = symmetric(adjoint(RKMKGL2));\n"
                                   "method B order 2 = symmetric(There);\n"
                                   "method C order 2 = symmetric(Twice);\n") +
                           doublePendulum)
          .string();
  const auto end = [&](const char* method) {
    return runModel(w, file, {"--method", method, "--step", "1e-3", "--time", "0..0.05", "--every", "0.05"})
        .rows.back();
  };
  for (const auto& [own, other] : {std::pair("A", "SymmetricGL2"), std::pair("B", "C")}) {
    const std::vector<double> a = end(own), b = end(other);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-12 * std::max(1.0, std::abs(b[k]))) << own;
  }
}

TEST(Kept, ThereIsNoTangentMapBetweenStates) {
  const Workspace w;
  const std::string file =
      w.write("m.lie", "model M { config x : R^2 velocity v; lagrangian = 0.5*dot(v, v) - 0.5*dot(x, x);\n"
                       "  initial x = [1, 0]; simulate { method = GenAlpha; time = 0..1; step = 0.01; } }\n")
          .string();
  const Outcome o = w.lmc({"symplecticity", file});
  EXPECT_NE(o.err.find("LIE0437"), std::string::npos) << o.err;
}

TEST(Refusals, NameMethodsThatWork) {
  const Workspace w;
  const std::string file = w.write("double.lie", doublePendulum).string();
  const Outcome gauss = w.lmc({"run", file, "--method", "VIGauss4"});
  EXPECT_NE(gauss.err.find("LIE0512"), std::string::npos) << gauss.err;
  EXPECT_NE(gauss.err.find("inner points"), std::string::npos) << gauss.err;
  for (const char* method : {"VIMidpoint", "VITrapezoid", "VILobatto4"})
    EXPECT_NE(gauss.err.find(method), std::string::npos) << gauss.err;
  const Outcome rolling = w.lmc({"run", example("chaplygin_sleigh"), "--method", "VITrapezoid"});
  EXPECT_NE(rolling.err.find("LIE0512"), std::string::npos) << rolling.err;
}

TEST(Refusals, StepsThatEndOnTheConstraintsHaveNoAdjoint) {
  const Workspace w;
  const std::string own = "method Back = adjoint(VIMidpoint);\nmethod Twice = compose(Back, VIMidpoint; 1/2, 1/2);\n";
  const std::string file = w.write("double.lie", own + doublePendulum).string();
  for (const char* method : {"Back", "Twice", "adjoint(VITrapezoid)", "adjoint(VI4)"}) {
    const Outcome o = w.lmc({"run", file, "--method", method});
    EXPECT_EQ(o.status, 1) << method << o.err;
    EXPECT_NE(o.err.find("--method:1:1: error[LIE0512]"), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("ends on the constraints wherever it begins, so it has no adjoint"), std::string::npos)
        << o.err;
    EXPECT_NE(o.err.find("1 error\n"), std::string::npos) << o.err;
  }
  const Outcome explicitOne = w.lmc({"run", file, "--method", "adjoint(CF4)"});
  EXPECT_EQ(explicitOne.status, 0) << explicitOne.err;
}
