// Models with constraints against reference values that were computed without this project (saddle point or reduced
// equations written by hand, extrapolation in extended precision): motion, multipliers, orders, drift, messages.
#include "acceptance/Trajectory.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Wanted = std::vector<std::pair<std::string, double>>;

double worst(const Trajectory& run, const Wanted& wanted) {
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

/// Largest of the defects that a run reports of its constraints.
double largestDefect(const Workspace& w, Arguments arguments) {
  arguments.insert(arguments.begin(), "run");
  arguments.emplace_back("--json");
  const Outcome o = w.lmc(arguments);
  EXPECT_EQ(o.status, 0) << o.err;
  const nlohmann::json summary = parseJson(o.out);
  double most = -1;
  for (const auto& [name, value] : summary.at("defects").items()) most = std::max(most, value.get<double>());
  return most;
}

const Wanted topPosition = vec("x", {-0.15041682274565, -0.72416559163691, -0.67302226956044});
const Wanted topRates = vec("v", {-2.7491863125819, -3.2027186355748, 4.0605231497568}) +
                        vec("Omega", {0.1222332194974, 150, -5.8556245892055});
const Wanted topForce = vec("force", {260.7352113111, -613.6126989826, -309.7166313909});

Trajectory top(const Workspace& w, const std::string& method, const std::string& step) {
  return runModel(w, example("heavy_top_constrained"), {"--method", method, "--step", step});
}

TEST(HeavyTop, HasTheReferenceMotionAndForce) {
  const Workspace w;
  for (const auto& [method, step] :
       std::vector<std::pair<std::string, std::string>>{{"RKMK6", "2.5e-4"}, {"RKMK78", "5e-4"}}) {
    const Trajectory run = top(w, method, step);
    ASSERT_FALSE(run.rows.empty());
    EXPECT_LT(worst(run, topPosition + topRates), 1e-9) << method;
    EXPECT_LT(worst(run, topForce), 1e-7) << method;
    EXPECT_NEAR(run.at(0, "force[2]"), 319.525988166, 1e-8);
    EXPECT_NEAR(run.at(0, "force[3]"), 317.2624615384615, 1e-8);
    EXPECT_NEAR(run.last("energy"), 5435.69679086555, 1e-7);
  }
}

TEST(HeavyTop, MethodsKeepTheirOrders) {
  const Workspace w;
  for (const auto& [method, order] : std::vector<std::pair<std::string, double>>{
           {"RKMK2", 2}, {"CF3", 3}, {"RKMK4", 4}, {"CF4", 4}, {"CG4", 4}, {"RKMK5", 5}}) {
    const double coarse = worst(top(w, method, "1e-3"), topPosition + topRates);
    const double fine = worst(top(w, method, "5e-4"), topPosition + topRates);
    EXPECT_GT(std::log2(coarse / fine), order - 0.35) << method << " " << coarse << " " << fine;
  }
}

TEST(HeavyTop, VariationalStepsAreThoseOfTheReference) {
  const Workspace w;
  // Largest errors of x and Omega at t = 2 of an independent program of the same formulas.
  for (const auto& [step, position, velocity] : std::vector<std::tuple<std::string, double, double>>{
           {"2e-3", 2.34e-3, 8.37e-3}, {"1e-3", 5.84e-4, 2.07e-3}, {"5e-4", 1.46e-4, 5.18e-4}}) {
    const Trajectory run = top(w, "VITrapezoid", step);
    ASSERT_FALSE(run.rows.empty());
    EXPECT_NEAR(worst(run, topPosition) / position, 1, 0.02) << step;
    EXPECT_NEAR(worst(run, vec("Omega", {0.1222332194974, 150, -5.8556245892055})) / velocity, 1, 0.02) << step;
  }
}

TEST(HeavyTop, VariationalMethodsKeepTheirOrders) {
  const Workspace w;
  for (const auto& [method, order] :
       std::vector<std::pair<std::string, double>>{{"VIMidpoint", 2}, {"DMV", 2}, {"VI4", 4}}) {
    const double coarse = worst(top(w, method, "1e-3"), topPosition);
    const double fine = worst(top(w, method, "5e-4"), topPosition);
    EXPECT_GT(std::log2(coarse / fine), order - 0.3) << method << " " << coarse << " " << fine;
  }
}

TEST(HeavyTop, ConstraintsHoldToRoundOff) {
  const Workspace w;
  for (const char* method : {"RKMK4", "VITrapezoid"})
    EXPECT_LT(largestDefect(w, {example("heavy_top_constrained"), "--method", method, "--time", "0..50", "--step",
                                "1e-3", "--every", "1"}),
              1e-12)
        << method;
}

TEST(HeavyTop, AdaptiveStepsReachTheirTolerance) {
  const Workspace w;
  const Trajectory run = runModel(w, example("heavy_top_constrained"), {"--method", "RKMK54", "--tolerance", "1e-10"});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_LT(worst(run, topPosition + topRates), 1e-6);
}

TEST(SliderCrank, HasTheTorqueOfTheClosedForm) {
  const Workspace w;
  const struct {
    const char* t;
    double s, v, torque;
  } cases[] = {{"0..0.1", 1.9195133305660858, -1.5537414881479663, 23.853322467493264},
               {"0..0.4", 1.2213651244389333, -1.9423433251623126, -16.316372165141795},
               {"0..1.3", 1.9844324587392109, -0.71332140250166155, 16.719517522157962}};
  for (const auto& c : cases) {
    const Trajectory run = runModel(w, example("slider_crank"), {"--time", c.t, "--step", "1e-3"});
    ASSERT_FALSE(run.rows.empty());
    EXPECT_LT(worst(run, {{"s", c.s}, {"v", c.v}}), 1e-11);
    EXPECT_NEAR(run.last("torque"), c.torque, 1e-9);
  }
}

TEST(AndrewsSqueezer, HasTheReferenceMotionAndMultipliers) {
  const Workspace w;
  const Trajectory run = runModel(w, example("andrews_squeezer"), {"--step", "5e-6"});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_LT(worst(run, {{"beta", 15.81077119515371},
                        {"Theta", -15.75637105841184},
                        {"gamma", 0.0408222401196449},
                        {"phi", -0.534730116342081},
                        {"delta", 0.524409965879954},
                        {"Omega", 0.534730116342081},
                        {"epsilon", 1.048080741041938}}),
            1e-9);
  EXPECT_LT(worst(run, {{"wbeta", 1139.920302259106}, {"wTheta", -1424.37929517754}, {"wepsilon", 0.323179149249130}}),
            1e-6);
  // The source has M q'' = f - G^T lambda: its multipliers are the negatives.
  const Wanted forces = vec("force_left", {-199.1753481045384, 29.75530997497}) +
                        vec("force_upper", {-23.06654361162, -31.45272527577}) +
                        vec("force_lower", {-22.64249478639, -11.61739235261});
  EXPECT_LT(worst(run, forces), 1e-5);
  EXPECT_NEAR(run.at(0, "force_left[1]"), -98.56687039624109, 1e-9);
  EXPECT_NEAR(run.at(0, "force_left[2]"), 6.122688344255663, 1e-9);
}

TEST(FourBars, CrossTheirSingularConfigurations) {
  const Workspace w;
  const Trajectory run = runModel(w, example("four_bars"), {"--method", "RKMK6", "--step", "1e-3"});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_LT(worst(run, {{"p[1][1]", 0.057815795768011},
                        {"p[1][2]", 0.998327267863455},
                        {"v[1][1]", 1.01726013662043},
                        {"v[1][2]", -0.05891224871345}}),
            1e-6);
}

TEST(ChaplyginSleigh, HasTheClosedForm) {
  const Workspace w;
  const struct {
    const char* t;
    double speed, rate, theta, x, y, force;
  } cases[] = {{"0..1", 0.89161210978652482, 1.0517142180687262, 1.3080231195137567, 0.37356237224452835,
                0.40596038763049051, 0.7103947976248047},
               {"0..5", 1.2339084932538667, 0.061173254652720186, 2.7781569640997067, -2.8084395635690717,
                3.3823272628985989, 0.057183483693918983},
               {"0..10", 1.2349083412263606, 0.0014505848133820756, 2.8579763497751203, -8.6997715703249122,
                5.2241422140320639, 0.0013570752164407642}};
  for (const auto& c : cases) {
    const Trajectory run =
        runModel(w, example("chaplygin_sleigh"), {"--method", "RKMK6", "--time", c.t, "--step", "5e-3"});
    ASSERT_FALSE(run.rows.empty());
    EXPECT_LT(worst(run, {{"speed", c.speed}, {"w", c.rate}, {"theta", c.theta}, {"x[1]", c.x}, {"x[2]", c.y}}), 1e-9);
    EXPECT_NEAR(std::abs(run.last("force")), c.force, 1e-8);
  }
}

TEST(RollingDisk, HasTheReferenceMotion) {
  const Workspace w;
  const Trajectory run = runModel(w, example("rolling_disk"), {"--method", "RKMK6"});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_LT(worst(run, vec("x", {-8.37420311282841, 4.61849782749976, 0.88313701470999}) +
                           vec("axis", {-0.678644386876270, -0.565130766205669, 0.469115138584468}) +
                           vec("Omega", {1.57882414453293, -0.504501101980285, 5.01823277067183})),
            1e-9);
  EXPECT_LT(worst(run, vec("friction", {39.3698494093886, 24.0087845228384}) + Wanted{{"normal", 161.874836867610}}),
            1e-7);
}

// --- other formulations and manifolds -------------------------------------------------------------------------------

/// A pendulum in three ways: with momenta, with velocities, on a chain of points as a family.
TEST(Constraints, HoldInHamiltonianModels) {
  const Workspace w;
  const auto body = [](const std::string& formulation) {
    return "model Double {\n  param g = 9.81;\n" + formulation +
           "  constraint rod1 : dot(x1, x1) = 1;\n  constraint rod2 : dot(x2 - x1, x2 - x1) = 0.49;\n"
           "  initial x1 = [0.6, 0, -0.8];\n  initial x2 = [0.6, 0.42, -1.36];\n"
           "  observe f1 = -2*multiplier(rod1);\n  observe f2 = -2*0.7*multiplier(rod2);\n"
           "  simulate { method = RKMK6; time = 0..3; step = 1e-3; }\n}\n";
  };
  const auto velocities =
      w.write("v.lie", body("  config x1 : R^3 velocity v1;  config x2 : R^3 velocity v2;\n"
                            "  lagrangian = 0.5*dot(v1, v1) + 0.25*dot(v2, v2) - g*x1[3] - 0.5*g*x2[3];\n"
                            "  initial v1 = [0, 2, 0];  initial v2 = [0, 2.56, 0.42];\n"));
  const auto momenta = w.write("p.lie", body("  config x1 : R^3 momentum p1;  config x2 : R^3 momentum p2;\n"
                                             "  hamiltonian = 0.5*dot(p1, p1) + dot(p2, p2) + g*x1[3] + 0.5*g*x2[3];\n"
                                             "  initial p1 = [0, 2, 0];  initial p2 = 0.5*[0, 2.56, 0.42];\n"));
  const Wanted wanted = vec("x1", {-0.334366251405276, 0.00351402411769521, -0.942436661827034}) +
                        vec("x2", {-0.882301219416870, 0.427324187680075, -1.04319486790159});
  for (const auto& file : {velocities, momenta}) {
    const Trajectory run = runModel(w, file.string(), {});
    ASSERT_FALSE(run.rows.empty());
    EXPECT_LT(worst(run, wanted), 1e-9) << file;
    EXPECT_NEAR(run.last("f1"), 12.7363471110288, 1e-7);
    EXPECT_NEAR(run.last("f2"), 3.81985876435454, 1e-7);
    EXPECT_NEAR(run.at(0, "f1"), 13.8943792464484, 1e-9);
  }
}

TEST(Constraints, InFamiliesHoldAChain) {
  const Workspace w;
  const auto file = w.write(
      "chain.lie",
      "model Chain {\n  param g = 9.81;\n  config x[11] : R^3 velocity v;\n"
      "  lagrangian = sum(j in 1..11: 0.5*dot(v[j], v[j]) - g*x[j][3]);\n"
      "  constraint first : dot(x[1], x[1]) = 1;\n"
      "  constraint rod[j in 2..11] : dot(x[j] - x[j-1], x[j] - x[j-1]) = 1;\n"
      "  constraint last : dot(x[11] - [7.2, 0, 0], x[11] - [7.2, 0, 0]) = 1;\n"
      "  initial x[j in 1..11] = [0.6*j, 0, -0.8*min(j, 12 - j)];\n  initial v[j in 1..11] = sin(j*pi/4)*e2;\n"
      "  observe f1 = -2*multiplier(first);  observe f6 = -2*multiplier(rod[6]);  observe f12 = -2*multiplier(last);\n"
      "  simulate { method = RKMK6; time = 0..1; step = 1e-3; }\n}\n");
  const Trajectory run = runModel(w, file.string(), {});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_LT(worst(run, vec("x[1]", {0.111616636420964, -0.147182311348239, -0.982791480274560}) +
                           vec("x[6]", {3.6, 0.356810388595739, -3.69119473428507}) +
                           vec("v[6]", {0, 0.450686287959747, -0.572861188547699})),
            1e-9);
  EXPECT_LT(worst(run, {{"f1", 38.9270935685160}, {"f6", 14.3168600596505}, {"f12", 38.9270935685160}}), 1e-7);
}

TEST(Constraints, MayDependOnTime) {
  const Workspace w;
  const auto file = w.write("driven.lie", "model Driven {\n  config x : R^3 velocity v;\n"
                                          "  lagrangian = dot(v, v) - 2*9.81*x[3];\n  let p = [0.3*sin(4*t), 0, 0];\n"
                                          "  constraint rod : dot(x - p, x - p) = 1;\n"
                                          "  initial x = [0.6, 0, -0.8];  initial v = [1.2, 0.5, 0];\n"
                                          "  observe tension = -2*multiplier(rod);\n"
                                          "  simulate { method = RKMK6; time = 0..5; step = 1e-3; }\n}\n");
  const Trajectory run = runModel(w, file.string(), {});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_LT(worst(run, vec("x", {0.687669934352776, -0.213791194532958, -0.884914783543815}) +
                           vec("v", {-0.484252231771035, 0.256787352877226, -0.517458177915301})),
            1e-9);
  EXPECT_NEAR(run.last("tension"), 23.5531306266596, 1e-7);
}

TEST(Constraints, OnVelocitiesOfARotation) { // Suslov's problem
  const Workspace w;
  const auto file =
      w.write("suslov.lie", "model Suslov {\n  param J : mat(3,3) = [[1, 0, 0.3], [0, 2, 0.4], [0.3, 0.4, 2.5]];\n"
                            "  config R : SO(3) velocity Omega;\n  lagrangian = 0.5*dot(Omega, J*Omega);\n"
                            "  constraint still : Omega[3] = 0;\n  initial Omega = [1, -0.5, 0];\n"
                            "  observe lambda = multiplier(still);  observe torque = reaction(still, R);\n"
                            "  simulate { method = RKMK6; time = 0..10; step = 5e-3; }\n}\n");
  const Trajectory run = runModel(w, file.string(), {});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_LT(worst(run, vec("Omega", {-0.25226844609012659, 0.84745519973249114, 0}) +
                           Wanted{{"R[1][1]", -0.380989745113441}, {"R[2][3]", 0.544903741152658}}),
            1e-9);
  EXPECT_NEAR(run.last("lambda"), -0.294011620036711, 1e-8);
  EXPECT_NEAR(run.last("torque[3]"), run.last("lambda"), 1e-14);
}

/// Two points on a sphere, in space frame and homogeneous, against the same in R^3.
TEST(Constraints, OnHomogeneousManifolds) {
  const Workspace w;
  const char* const rest =
      "  constraint bar : dot(q - p, q - p) = 1;\n  initial p = e1;  initial q = [0.5, sqrt(0.75), 0];\n";
  const auto sphere =
      w.write("s.lie", std::string("model S {\n  config p : S^2 velocity u;  config q : S^2 velocity w;\n"
                                   "  lagrangian = 0.5*dot(p', p') + dot(q', q') - 9.81*(p[3] + 2*q[3]);\n") +
                           rest +
                           "  initial u = [0, 0, 1];  initial w = [0, 0, 1];\n"
                           "  observe f = multiplier(bar);\n"
                           "  simulate { method = RKMK6; time = 0..1; step = 1e-3; }\n}\n");
  const auto space =
      w.write("r.lie", std::string("model P {\n  config p : R^3 velocity u;  config q : R^3 velocity w;\n"
                                   "  lagrangian = 0.5*dot(u, u) + dot(w, w) - 9.81*(p[3] + 2*q[3]);\n") +
                           rest +
                           "  constraint onp : dot(p, p) = 1;  constraint onq : dot(q, q) = 1;\n"
                           "  initial u = cross(e3, p);  initial w = cross(e3, q);\n"
                           "  observe f = multiplier(bar);\n"
                           "  simulate { method = RKMK6; time = 0..1; step = 1e-3; }\n}\n");
  const Trajectory a = runModel(w, sphere.string(), {});
  const Trajectory b = runModel(w, space.string(), {});
  ASSERT_FALSE(a.rows.empty() || b.rows.empty());
  for (const std::string name : {"p[1]", "p[2]", "p[3]", "q[1]", "q[2]", "q[3]"})
    EXPECT_NEAR(a.last(name), b.last(name), 1e-10) << name;
  EXPECT_NEAR(a.last("f"), b.last("f"), 1e-8);
}

// --- what is wrong is said ------------------------------------------------------------------------------------------

Outcome runText(const Workspace& w, const std::string& constraints, const Arguments& more = {}) {
  const auto file = w.write("m.lie", "model M {\n  param tied = 0;\n  config x : R^3 velocity v;\n"
                                     "  lagrangian = 0.5*dot(v, v) - 9.81*x[3];\n" +
                                         constraints + "  simulate { method = RKMK4; time = 0..1; step = 0.01; }\n}\n");
  Arguments arguments = {"run", file.string(), "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return w.lmc(arguments);
}

TEST(Messages, NameWhatIsWrongWithConstraints) {
  const Workspace w;
  const std::string at = "  initial x = [1, 0, 0];\n";
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"constraint a : dot(x, x) = 1.5;\n" + at, "LIE0425", "left - right is -0.5"},
      {"constraint a : dot(x, x) = 1;\n" + at + "  initial v = [1, 0, 0];\n", "LIE0425", "the rate of `a`"},
      {"constraint a : dot(x, x) = 1;\n  constraint b : 2*dot(x, x) = 3;\n" + at, "LIE0424", "cannot hold together"},
      {"constraint a : dot(x, x) = -1;\n" + at, "LIE0425", "were found"},
      {"constraint a : (norm(x) - 1)^2 = 0;\n" + at, "LIE0426", "no gradient"},
      {"constraint a : x[2] = 0;\n  constraint b : norm(x - e1) = 0;\n" + at, "LIE0425", "have no derivative at 0"},
      {"constraint a : x[2] = 0;\n  constraint b : norm(x - e1) = 0;\n" + at, "LIE0425", "the constraint `b`"},
      {"constraint a : x[2] = 0;\n  constraint b : log(x[1] - 2) = 0;\n" + at, "LIE0425", "the constraint `b`"},
      {"constraint a : dot(v, v) = 1;\n" + at, "LIE0421", "not affine"},
      {"constraint a : 1 = 1;\n" + at, "LIE0420", "contains none"},
      {"constraint a when x[1] > 0 : dot(x, x) = 1;\n" + at, "LIE0429", "parameters"},
      {"constraint x : dot(x, x) = 1;\n" + at, "LIE0103", "needs one of its own"},
      {"constraint a : dot(x, x) = 1;\n  observe o = multiplier(b);\n" + at, "LIE0122", "no constraint `b`"},
      {"constraint a : dot(x, x) = 1;\n  force on x = [multiplier(a), 0, 0];\n" + at, "LIE0136", "cannot depend"},
      {"constraint a : x = e1*e2;\n" + at, "LIE", ""},
      {"initial adjust x;\n" + at, "LIE0164", "this model has none"},
      {"constraint a : dot(x, x) = 1;\n  initial adjust y;\n" + at, "LIE0100", "`y`"},
  };
  for (const auto& [text, code, words] : cases) {
    const Outcome o = runText(w, "  " + text);
    EXPECT_NE(o.status, 0) << text;
    EXPECT_NE(o.err.find(code), std::string::npos) << text << o.err;
    EXPECT_NE(o.err.find(words), std::string::npos) << text << o.err;
  }
}

TEST(Messages, RedundantEquationsAreNamedAndTheMotionGoesOn) {
  const Workspace w;
  const Outcome o =
      runText(w,
              "  constraint a : dot(x, x) = 1;\n  constraint b : 2*dot(x, x) = 2;\n  initial x = [0.6, 0, -0.8];\n"
              "  observe f = -2*multiplier(a) - 4*multiplier(b);\n  observe ratio = multiplier(b)/multiplier(a);\n",
              {"--output", w.path("two.csv").string()});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("LIE0423"), std::string::npos) << o.err;
  const Outcome one =
      runText(w, "  constraint a : dot(x, x) = 1;\n  initial x = [0.6, 0, -0.8];\n  observe f = -2*multiplier(a);\n",
              {"--output", w.path("one.csv").string()});
  EXPECT_EQ(one.status, 0) << one.err;
  const auto both = parseCsv(readFile(w.path("two.csv")));
  const auto single = parseCsv(readFile(w.path("one.csv")));
  ASSERT_TRUE(both && single);
  for (const char* name : {"x[1]", "x[3]", "v[1]"}) EXPECT_NEAR(both->last(name), single->last(name), 1e-12);
  EXPECT_NEAR(both->last("f"), single->last("f"), 1e-10);
  EXPECT_NEAR(both->last("ratio"), 2, 1e-10); // of smallest norm: along (1, 2)
}

TEST(Initial, AdjustMovesWhatItNames) {
  const Workspace w;
  const Outcome o = runText(w,
                            "  constraint a : dot(x, x) = 1;\n  initial x = [3, 0, 4];\n  initial v = [1, 1, 0];\n"
                            "  initial adjust x, v;\n",
                            {"--output", w.path("a.csv").string()});
  EXPECT_EQ(o.status, 0) << o.err;
  const auto run = parseCsv(readFile(w.path("a.csv")));
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->at(0, "x[1]"), 0.6, 1e-13); // straight to the sphere
  EXPECT_NEAR(run->at(0, "x[3]"), 0.8, 1e-13);
  EXPECT_NEAR(run->at(0, "v[1]"), 1 - 0.36, 1e-13);
  EXPECT_NEAR(run->at(0, "v[3]"), -0.48, 1e-13);
  EXPECT_NEAR(run->at(0, "v[2]"), 1, 1e-13);
}

TEST(Conditions, OfParametersTurnConstraintsOff) {
  const Workspace w;
  const std::string text = "  constraint a when tied == 1 : dot(x, x) = 1;\n  initial x = [1, 0, 0];\n";
  for (const bool tied : {false, true}) {
    const Outcome o = runText(
        w, text, {"--set", tied ? "tied=1" : "tied=0", "--output", w.path(tied ? "on.csv" : "off.csv").string()});
    EXPECT_EQ(o.status, 0) << o.err;
    const auto run = parseCsv(readFile(w.path(tied ? "on.csv" : "off.csv")));
    ASSERT_TRUE(run);
    const double length = std::hypot(run->last("x[1]"), run->last("x[3]"));
    if (tied)
      EXPECT_NEAR(length, 1, 1e-13);
    else
      EXPECT_NEAR(run->last("x[3]"), -4.905, 1e-9);
  }
}

/// Rods between all pairs of four points, and six constraints that say the same, one by one.
TEST(Families, OfPairsAreTheirMembers) {
  const Workspace w;
  const auto text = [](const std::string& constraints) {
    return "model Tetrahedron {\n  param N : int = 4;\n  config x[N] : R^3 velocity v;\n"
           "  lagrangian = sum(i in 1..N : 0.5*i*dot(v[i], v[i]) - 9.81*i*x[i][3]);\n"
           "  fn p(k) = [cos(2*k), sin(3*k), 0.3*k*k];\n  fn d(i, j) = dot(p(i) - p(j), p(i) - p(j));\n" +
           constraints +
           "  initial x[i in 1..N] = p(i);\n  initial v[i in 1..N] = cross([1, 2, 3], p(i));\n"
           "  simulate { method = RKMK4; time = 0..0.5; step = 2e-3; }\n}\n";
  };
  std::string single;
  for (const auto& [i, j] : {std::pair{1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}) {
    const std::string a = std::to_string(i), b = std::to_string(j);
    single += "  constraint rod" + a + b + " : dot(x[" + a + "] - x[" + b + "], x[" + a + "] - x[" + b + "]) = d(" + a +
              ", " + b + ");\n  observe f" + a + b + " = multiplier(rod" + a + b + ");\n";
  }
  const std::string pairs = "  constraint rod[i in 1..N, j in i+1..N] : dot(x[i] - x[j], x[i] - x[j]) = d(i, j);\n"
                            "  observe f13 = multiplier(rod[1, 3]);\n  observe f24 = multiplier(rod[2, 4]);\n";
  for (const char* method : {"RKMK4", "VITrapezoid", "GenAlpha"}) {
    const Trajectory one = runModel(w, w.write("single.lie", text(single)).string(), {"--method", method});
    const Trajectory all = runModel(w, w.write("pairs.lie", text(pairs)).string(), {"--method", method});
    ASSERT_FALSE(one.rows.empty() || all.rows.empty()) << method;
    for (const char* column : {"x[1][1]", "x[4][3]", "v[2][2]", "f13", "f24"})
      EXPECT_NEAR(all.last(column), one.last(column), 1e-9 * std::max(1.0, std::abs(one.last(column))))
          << method << " " << column;
  }
  const Outcome check = w.lmc({"check", w.write("pairs.lie", text(pairs)).string()});
  EXPECT_NE(check.out.find("6 degrees of freedom"), std::string::npos) << check.out;
  // Of many points, sparse: a strip of triangles whose rods are the pairs of neighbours up to the second.
  const auto strip = [&](const std::string& constraint) {
    return "model Strip {\n  param N : int = 8;\n  config x[N] : R^2 velocity v;\n"
           "  lagrangian = sum(i in 1..N : 0.5*dot(v[i], v[i]) - 9.81*x[i][2]);\n"
           "  fn p(k) = [0.5*k, 0.8*mod(k, 2)];\n  fn d(i, j) = dot(p(i) - p(j), p(i) - p(j));\n" +
           constraint +
           "  constraint pin : x[1] = p(1);\n  initial x[i in 1..N] = p(i);\n"
           "  simulate { method = RKMK4; time = 0..0.5; step = 2e-3; }\n}\n";
  };
  const Trajectory a = runModel(
      w,
      w.write("strip.lie", strip("  constraint rod[i in 1..N, j in i+1..min(i+2, N)] : dot(x[i] - x[j], x[i] - x[j])"
                                 " = d(i, j);\n"))
          .string(),
      {});
  const Trajectory b = runModel(
      w,
      w.write("rods.lie", strip("  constraint near[i in 2..N] : dot(x[i] - x[i-1], x[i] - x[i-1]) = d(i, i-1);\n"
                                "  constraint far[i in 3..N] : dot(x[i] - x[i-2], x[i] - x[i-2]) = d(i, i-2);\n"))
          .string(),
      {});
  ASSERT_FALSE(a.rows.empty() || b.rows.empty());
  EXPECT_NEAR(a.last("x[8][1]"), b.last("x[8][1]"), 1e-9);
  EXPECT_NEAR(a.last("x[8][2]"), b.last("x[8][2]"), 1e-9);
}

TEST(Methods, ThatDoNotKeepConstraintsAreRefused) {
  const Workspace w;
  for (const char* method : {"SLGI", "ELNh", "RK4", "RATTLE", "Newmark", "VLV", "VIGauss4"}) {
    const Outcome o = w.lmc({"run", example("heavy_top_constrained"), "--method", method});
    EXPECT_NE(o.status, 0) << method;
    EXPECT_NE(o.err.find("LIE0512"), std::string::npos) << method << o.err;
  }
  const Outcome velocities = w.lmc({"run", example("chaplygin_sleigh"), "--method", "VITrapezoid"});
  EXPECT_NE(velocities.status, 0);
  EXPECT_NE(velocities.err.find("constraint on velocities"), std::string::npos) << velocities.err;
}

} // namespace
