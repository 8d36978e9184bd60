// What `--vary` may say: parameters, initial values, points; and what it may not.
#include "Ensembles.h"

#include <cmath>

using namespace lmc::acceptance;

namespace {

/// A body on a base with a family, whose initial values depend on each other.
const std::string model = R"(model Vary {
  param m = 2;  param n : int = 2;
  param J : mat(3,3) = diag(m, 2*m, 3);
  param k[2] = 1;
  config R : SO(3) velocity w;
  config q[n] : S^2 velocity u;
  config x : R^3 velocity v;
  config X : SE(3) velocity V in space;
  lagrangian = 0.5*dot(w, J*w) + 0.5*dot(v, v) + 0.5*dot(V.w, V.w) + 0.5*dot(V.v, V.v)
             + sum(i in 1..n: 0.5*k[i]*dot(u[i], u[i]));
  initial w = [1, m, 0];
  initial x = [1, 2, 3];
  initial v = 2*x;
  initial q[1] = [0, 0, 1];
  initial q[2] = R*e1;
  observe trace = J[1,1] + J[2,2] + J[3,3];
  simulate { method = RKMK4; time = 0..1; step = 1; output every 1; }
}
)";

/// The first rows of three samples.
Trajectory begins(const Workspace& w, const Arguments& vary, const std::string& samples = "3") {
  const std::string file = w.write("vary.lie", model).string();
  Arguments all = {"--samples", samples, "--keep", "all", "--threads", "1"};
  for (const std::string& v : vary) all.insert(all.end(), {"--vary", v});
  Trajectory t = ensemble(w, file, all);
  std::vector<std::vector<double>> rows;
  for (const auto& row : t.rows)
    if (row[0] == 0) rows.push_back(row);
  t.rows = rows;
  return t;
}

} // namespace

TEST(Vary, ParametersAndWhatDependsOnThem) {
  const Workspace w;
  const Trajectory t = begins(w, {"m ~ linspace(1, 3)", "J[3][3] ~ linspace(5, 7)", "k[2] ~ linspace(0.5, 2*m)"});
  ASSERT_EQ(t.rows.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    const double m = 1 + static_cast<double>(k);
    EXPECT_EQ(t.at(k, "vary_m"), m);
    EXPECT_EQ(t.at(k, "w[2]"), m);
    EXPECT_NEAR(t.at(k, "trace"), 3 * m + 5 + static_cast<double>(k), 1e-14);
  }
  EXPECT_EQ(t.at(2, "vary_k[2]"), 4);
}

TEST(Vary, InitialValuesAndWhatDependsOnThem) {
  const Workspace w;
  const Trajectory t = begins(w, {"x[2] ~ linspace(7, 9)", "w ~ uniform([0.1, 0, 0.3])"});
  ASSERT_EQ(t.rows.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(t.at(k, "x[2]"), 7 + static_cast<double>(k));
    EXPECT_EQ(t.at(k, "v[2]"), 2 * t.at(k, "x[2]"));
    EXPECT_EQ(t.at(k, "v[1]"), 2);
    EXPECT_DOUBLE_EQ(t.at(k, "w[1]"), 1 + t.at(k, "vary_w[1]"));
    EXPECT_EQ(t.at(k, "w[2]"), 2);
    EXPECT_LE(std::abs(t.at(k, "vary_w[1]")), 0.1);
  }
  EXPECT_NE(t.at(0, "w[1]"), t.at(1, "w[1]"));
}

// A point of a group moves by exp: R = R0 exp(v) in body, and here R0 is the identity.
TEST(Vary, PointsAreMovedOnTheirManifolds) {
  const Workspace w;
  const Trajectory t = begins(w, {"R ~ normal(0.5)", "q[1] ~ normal([0.1, 0.2, 0])", "X ~ uniform(0.3)"});
  ASSERT_EQ(t.rows.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    const double a = t.at(k, "vary_R[1]"), b = t.at(k, "vary_R[2]"), c = t.at(k, "vary_R[3]");
    const double angle = std::sqrt(a * a + b * b + c * c);
    EXPECT_NEAR(t.at(k, "R[1][1]") + t.at(k, "R[2][2]") + t.at(k, "R[3][3]"), 1 + 2 * std::cos(angle), 1e-14);
    EXPECT_NEAR(t.at(k, "R[3][2]") - t.at(k, "R[2][3]"), 2 * std::sin(angle) * a / angle, 1e-14);
    // The other needle follows R; the one that is varied itself moves by its own rotation.
    for (const char* i : {"1", "2", "3"}) {
      const std::string n = i;
      EXPECT_NEAR(t.at(k, "q[2][" + n + "]"), t.at(k, "R[" + n + "][1]"), 1e-15);
    }
    const double d = t.at(k, "vary_q[1][1]"), e = t.at(k, "vary_q[1][2]");
    EXPECT_EQ(t.at(k, "vary_q[1][3]"), 0);
    EXPECT_NEAR(t.at(k, "q[1][3]"), std::cos(std::sqrt(d * d + e * e)), 1e-14);
    EXPECT_NE(t.at(k, "X.R[1][2]"), 0);
  }
}

TEST(Vary, TablesGiveALineToEverySample) {
  const Workspace w;
  w.write("values.csv", "a, b, c\n# comment\n1, 2, 3\n4; 5; 6\n\n7 8 9\n");
  const std::string table = "\"" + w.path("values.csv").string() + "\"";
  const std::string file = w.write("vary.lie", model).string();
  const Trajectory t = ensemble(w, file, {"--vary", "x ~ read(" + table + ")", "--keep", "all"});
  ASSERT_EQ(t.rows.size(), 6U);
  EXPECT_EQ(t.at(0, "x[1]"), 1);
  EXPECT_EQ(t.at(2, "v[2]"), 10);
  EXPECT_EQ(t.at(4, "x[3]"), 9);
  const Outcome many = w.lmc({"ensemble", file, "--samples", "4", "--vary", "x ~ read(" + table + ")"});
  EXPECT_EQ(many.status, 1);
  EXPECT_NE(many.err.find("LIE0651"), std::string::npos) << many.err;
}

// A sample does not depend on what else is varied, nor on the order.
TEST(Vary, InAnyOrder) {
  const Workspace w;
  const Trajectory a = begins(w, {"m ~ normal(2, 0.1)", "x ~ normal(0.1)"});
  const Trajectory b = begins(w, {"x ~ normal(0.1)", "m ~ normal(2, 0.1)"});
  const Trajectory c = begins(w, {"x ~ normal(0.1)"});
  ASSERT_TRUE(a.rows.size() == 3 && b.rows.size() == 3 && c.rows.size() == 3);
  for (std::size_t k = 0; k < 3; ++k)
    for (const char* column : {"x[1]", "x[2]", "v[3]"}) {
      EXPECT_EQ(a.at(k, column), b.at(k, column));
      EXPECT_EQ(a.at(k, column), c.at(k, column));
    }
}

// What is replaced is given, or where single entries are, the rest of the law stays; what is added is added to the law.
TEST(Vary, Inputs) {
  const Workspace w;
  const std::string file = w.write("inputs.lie", R"(model Inputs {
  config x : R velocity v;
  input u : real = 5;
  input a : vec(2) = [7, 8];
  input s[i in 1..3] : real = 10*i;
  input f : vec(2) = [cos(t), 2];
  lagrangian = 0.5*v^2;
  force on x = u;
  observe ou = u; observe oa = a; observe os[i in 1..3] = s[i]; observe of = f;
  simulate { method = RKMK4; time = 0..1; step = 0.5; }
}
)")
                               .string();
  const Trajectory t = ensemble(w, file,
                                {"--samples", "3", "--vary", "u ~ linspace(5, 7)", "--vary", "a[2] ~ linspace(1, 3)",
                                 "--vary", "s[2] ~ linspace(0.5, 2.5)", "--vary", "f ~ uniform(0.1)"});
  ASSERT_EQ(t.rows.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = static_cast<double>(k);
    EXPECT_EQ(t.at(k, "ou"), 5 + d);
    EXPECT_NEAR(t.at(k, "x"), (5 + d) / 2, 1e-14);
    EXPECT_EQ(t.at(k, "oa[1]"), 7);
    EXPECT_EQ(t.at(k, "oa[2]"), 1 + d);
    EXPECT_EQ(t.at(k, "os[1]"), 10);
    EXPECT_EQ(t.at(k, "os[2]"), 0.5 + d);
    EXPECT_EQ(t.at(k, "os[3]"), 30);
    EXPECT_NEAR(t.at(k, "of[1]"), std::cos(1.0) + t.at(k, "vary_f[1]"), 1e-15);
    EXPECT_NEAR(t.at(k, "of[2]"), 2 + t.at(k, "vary_f[2]"), 1e-15);
  }
  const Trajectory set = ensemble(
      w, file,
      {"--samples", "2", "--set", "a=[1,2]", "--vary", "a[2] ~ linspace(3, 4)", "--vary", "s ~ normal([1,2,3], 0)"});
  ASSERT_EQ(set.rows.size(), 2U);
  EXPECT_EQ(set.at(1, "oa[1]"), 1);
  EXPECT_EQ(set.at(1, "oa[2]"), 4);
  EXPECT_EQ(set.at(1, "os[3]"), 3);
  const Outcome outcome = w.lmc({"ensemble", file, "--samples", "2", "--vary", "f[1] ~ normal(1, 2)"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("not constant"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("f[1] ~ normal(1, 2)"), std::string::npos) << outcome.err;
}

// A velocity (momentum) at a point of a homogeneous manifold goes along with the point: its length and that it is
// tangent stay, and so does a velocity that is varied itself. One that follows from the point does so still.
TEST(Vary, VelocitiesGoAlongWithTheirPoints) {
  const Workspace w;
  for (const std::string fiber : {"velocity", "momentum"}) {
    const std::string energy = fiber == "velocity" ? "lagrangian" : "hamiltonian";
    const std::string text = "model Along { config q : S^2 " + fiber + " w; config p[2] : S^2 " + fiber + " u; " +
                             energy +
                             R"( = 0.5*dot(w, w) + sum(i in 1..2: 0.5*dot(u[i], u[i]));
  initial q = [0.6, 0, -0.8];
  initial w = [0, 2, 0];
  initial p[i in 1..2] = [0, 0, 1];
  initial u[1] = [1, 0, 0];
  initial u[2] = [0, 1, 0];
  simulate { method = RKMK4; time = 0..1; step = 1; output every 1; }
}
)";
    const std::string file = w.write("along.lie", text).string();
    for (const bool both : {false, true}) {
      Arguments arguments = {"--samples",         "3", "--keep", "all", "--vary", "q ~ normal(0.5)", "--vary",
                             "p[2] ~ normal(0.5)"};
      if (both) arguments.insert(arguments.end(), {"--vary", "w ~ normal(0.2)"});
      const Trajectory t = ensemble(w, file, arguments);
      ASSERT_EQ(t.rows.size(), 6U) << fiber;
      for (std::size_t k = 0; k < 6; k += 2) {
        EXPECT_EQ(t.at(k, "status"), 0) << fiber;
        double square = 0, along = 0, member = 0, distance = 0;
        for (const std::string i : {"[1]", "[2]", "[3]"}) {
          square += t.at(k, "w" + i) * t.at(k, "w" + i);
          along += t.at(k, "w" + i) * t.at(k, "q" + i);
          member += t.at(k, "u[2]" + i) * t.at(k, "p[2]" + i);
          distance += std::abs(t.at(k, "u[1]" + i) - (i == "[1]" ? 1 : 0));
        }
        EXPECT_NEAR(along, 0, 1e-14) << fiber;
        EXPECT_NEAR(member, 0, 1e-14) << fiber;
        EXPECT_EQ(distance, 0) << fiber;
        if (!both) {
          EXPECT_NEAR(square, 4, 1e-13) << fiber;
        }
      }
    }
  }
}

TEST(Vary, EntriesOfPointsWithoutConditions) {
  const Workspace w;
  const std::string file = w.write("torus.lie", R"(model Torus {
  config q : T^2 velocity v;
  lagrangian = 0.5*dot(v, v);
  initial q = [1, 2];
  simulate { method = RKMK4; time = 0..1; step = 0.5; }
}
)")
                               .string();
  const Trajectory t = ensemble(w, file, {"--samples", "3", "--vary", "q[2] ~ normal(0.1)"});
  ASSERT_EQ(t.rows.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(t.at(k, "q[1]"), 1, 1e-15);
    EXPECT_NEAR(t.at(k, "q[2]"), 2 + t.at(k, "vary_q[2]"), 1e-15);
  }
}

TEST(Vary, PartsOfDualsAreNamed) {
  const Workspace w;
  const std::string file =
      w.write("dual.lie", "model D { state mu : dual(SE(3)); hamiltonian = 0.5*dot(mu.w, mu.w) + "
                          "0.5*dot(mu.v, mu.v); simulate { method = RKMK4; time = 0..1; step = 1; } }")
          .string();
  const Outcome outcome = w.lmc({"ensemble", file, "--samples", "2", "--vary", "mu ~ normal(0.3)"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("has the parts w, v: vary each of them"), std::string::npos) << outcome.err;
}

// Zeros of a parameter that become other numbers in some samples: the code must not count on them.
TEST(Vary, ZerosThatDoNotStay) {
  const Workspace w;
  const std::string file = example("heavy_top");
  const Trajectory t =
      ensemble(w, file, {"--samples", "2", "--time", "0..0.01", "--vary", "chi[1] ~ linspace(0, 0.5)"});
  ASSERT_EQ(t.rows.size(), 2U);
  const Trajectory run = runModel(w, file, {"--time", "0..0.01", "--every", "1", "--set", "chi=[0.5,1,0]"});
  ASSERT_FALSE(run.rows.empty());
  for (const std::string& column : run.columns)
    EXPECT_NEAR(t.at(1, column), run.last(column), 1e-11 * std::max(1.0, std::abs(run.last(column)))) << column;
}

TEST(Vary, WhatCannotBeIsSaid) {
  const Workspace w;
  const std::string file = w.write("vary.lie", model).string();
  w.write("bad.csv", "1, 2\n");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"m", "form"},
      {"m ~ ", ""},
      {"m ~ 3", "distribution"},
      {"m ~ normall(1, 2)", "did you mean `normal`"},
      {"mm ~ normal(1, 2)", "did you mean"},
      {"n ~ normal(1, 2)", "int or bool"},
      {"m.w ~ normal(1)", "no parts"},
      {"J[4][1] ~ normal(1)", "outside"},
      {"J[1][1][1] ~ normal(1)", "indices"},
      {"q[3] ~ normal(1)", "outside"},
      {"m[ ~ normal(1)", "not a name"},
      {"m ~ normal(1, 2, 3)", "deviation"},
      {"m ~ normal(1, -2)", "not negative"},
      {"m ~ uniform(2, 1)", "lower bound"},
      {"m ~ linspace(1)", "first and the last"},
      {"m ~ normal(zz, 1)", "not a scalar parameter"},
      {"m ~ normal(1/0, 1)", "finite"},
      {"m ~ normal([1, 2], 1)", "the list has 2"},
      {"x ~ normal([1, 2], 1)", "the list has 2"},
      {"R ~ normal(1, 2)", "conditions to satisfy"},
      {"R[1][1] ~ uniform(1, 2)", "conditions to satisfy"},
      {"X ~ normal(1, 2)", "has the parts R, x"},
      {"m ~ cauchy(1)", "m ~ cauchy(1)"},
      {"m ~ normal(1,", "m ~ normal(1,"},
      {"X.z ~ normal(1)", "no part `z`"},
      {"m ~ read(3)", "name of one file"},
      {"m ~ read(\"missing.csv\")", "cannot read"},
      {"m ~ read(\"" + w.path("bad.csv").string() + "\")", "has 2 numbers"},
  };
  for (const auto& [vary, message] : wrong) {
    const Outcome outcome = w.lmc({"ensemble", file, "--samples", "3", "--vary", vary});
    EXPECT_EQ(outcome.status, vary.back() == ' ' ? outcome.status : 1) << vary << "\n" << outcome.err;
    EXPECT_NE(outcome.status, 0) << vary;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << vary << "\n" << outcome.err;
  }
  EXPECT_EQ(w.lmc({"ensemble", file, "--samples", "3", "--vary", "m ~ normal(1)", "--vary", "m ~ normal(2)"}).status,
            1);
  EXPECT_EQ(
      w.lmc({"ensemble", file, "--samples", "3", "--vary", "x ~ normal(1)", "--vary", "x[2] ~ normal(2, 1)"}).status,
      1);
  EXPECT_NE(w.lmc({"ensemble", file}).err.find("LIE0651"), std::string::npos);
  for (const Arguments& usage : {Arguments{"--samples", "0"}, Arguments{"--samples", "x"}, Arguments{"--lanes", "3"},
                                 Arguments{"--threads", "-1"}, Arguments{"--keep", "some"}, Arguments{"--vary"}}) {
    Arguments all = {"ensemble", file, "--samples", "3"};
    if (usage[0] == "--samples") all.resize(2);
    all.insert(all.end(), usage.begin(), usage.end());
    EXPECT_EQ(w.lmc(all).status, 2) << usage[0];
  }
}

// All pairs of the values of two grids, the last one fastest; what follows from a varied number follows. `begin` keeps
// the first row of each sample and makes no run: that of `all`.
TEST(Vary, GridsMakeAllPairs) {
  const Workspace w;
  const std::string file = w.write("vary.lie", model).string();
  const Arguments grids = {"--vary", "m ~ grid(1, 2, 3)", "--vary", "k[2] ~ grid(-m, 4, 5)", "--threads", "1"};
  Arguments begin = grids;
  begin.insert(begin.end(), {"--keep", "begin"});
  const Trajectory t = ensemble(w, file, begin);
  ASSERT_EQ(t.rows.size(), 15U);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 5; ++k) {
      const double m = 1 + 0.5 * static_cast<double>(i);
      EXPECT_EQ(t.at(5 * i + k, "t"), 0);
      EXPECT_EQ(t.at(5 * i + k, "vary_m"), m);
      EXPECT_EQ(t.at(5 * i + k, "vary_k[2]"), -2 + 1.5 * static_cast<double>(k));
      EXPECT_EQ(t.at(5 * i + k, "w[2]"), m);
      EXPECT_NEAR(t.at(5 * i + k, "trace"), 3 * m + 3, 1e-14);
    }
  Arguments all = grids;
  all.insert(all.end(), {"--keep", "all"});
  Trajectory whole = ensemble(w, file, all);
  std::erase_if(whole.rows, [](const std::vector<double>& row) { return row[0] != 0; });
  EXPECT_EQ(whole.rows, t.rows);
  // As many as are asked for, from the first one on; beside random numbers.
  const Trajectory few =
      ensemble(w, file, {"--vary", "m ~ grid(1, 2, 3)", "--vary", "x ~ normal(0.1)", "--samples", "2"});
  ASSERT_EQ(few.rows.size(), 2U);
  EXPECT_EQ(few.at(1, "vary_m"), 1.5);
}

// Models with events, which are run one at a time, and adaptive steps begin in the same way.
TEST(Vary, BeginsOfAllKinds) {
  const Workspace w;
  const std::string file =
      w.write("ball.lie", "model Ball { config x : R velocity v; lagrangian = 0.5*v^2 - 10*x; initial x "
                          "= 1; initial v = 0; event floor = x; observe twice = 2*x; simulate { "
                          "method = RKMK54; time = 0..3; step = 0.1; } }")
          .string();
  for (const std::string tolerance : {"none", "1e-6"}) {
    const Trajectory t =
        ensemble(w, file, {"--vary", "x ~ grid(1, 4, 4)", "--keep", "begin", "--tolerance", tolerance});
    ASSERT_EQ(t.rows.size(), 4U);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(t.at(k, "twice"), 2 * static_cast<double>(k + 1));
  }
}

TEST(Vary, GridsThatCannotBe) {
  const Workspace w;
  const std::string file = w.write("vary.lie", model).string();
  w.write("table.csv", "1\n2\n");
  for (const auto& [first, second, sentence] :
       {std::tuple{"m ~ grid(1, 2)", "", "how many there are"},
        {"m ~ grid(1, 2, 1)", "", "from 2 to 1000000"},
        {"m ~ grid(1, 2, 2.5)", "", "whole number"},
        {"k ~ grid(1, 2, 3)", "", "vary its entries"},
        {"m ~ grid(1, 2, 3)", "k[1] ~ read(\"table.csv\")", "do not go together"},
        {"k[1] ~ read(\"table.csv\")", "m ~ grid(1, 2, 3)", "do not go together"},
        {"m ~ gird(1, 2, 3)", "", "did you mean `grid`?"}}) {
    Arguments all = {"ensemble", file, "--vary", first};
    if (*second != 0) all.insert(all.end(), {"--vary", second});
    const Outcome outcome = w.lmc(all);
    EXPECT_EQ(outcome.status, 1) << first;
    EXPECT_NE(outcome.err.find("LIE0650"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(sentence), std::string::npos) << outcome.err;
  }
  const Outcome many = w.lmc({"ensemble", file, "--vary", "m ~ grid(1, 2, 3)", "--samples", "4"});
  EXPECT_NE(many.err.find("3 rows only"), std::string::npos) << many.err;
}

// Spreadsheets begin a text with a mark; its first line is a line of numbers as any other.
TEST(Vary, MarkOfATextIsNoName) {
  const Workspace w;
  w.write("marked.csv", "\xEF\xBB\xBF"
                        "1\r\n3\r\n");
  const std::string file =
      w.write("marked.lie", "model Marked { param a : vec(2) = read(\"marked.csv\"); config x : R velocity v;\n"
                            "lagrangian = v^2/2; observe both = 10*a[1] + a[2];\n"
                            "simulate { method = RKMK4; time = 0..1; step = 1; } }\n")
          .string();
  const Trajectory t = ensemble(w, file, {"--vary", "x ~ read(\"" + w.path("marked.csv").string() + "\")"});
  ASSERT_EQ(t.rows.size(), 2U);
  EXPECT_EQ(t.at(0, "vary_x"), 1);
  EXPECT_EQ(t.at(1, "vary_x"), 3);
  EXPECT_EQ(t.at(1, "both"), 13);
}

// Comments may stand in front of the line of names; a second line of names is a mistake.
TEST(Vary, NamesMayStandBehindComments) {
  const Workspace w;
  const std::string file =
      w.write("m.lie", "model M { param k = 1; config x : R velocity v; lagrangian = v^2/2 - k*x^2;\n"
                       "simulate { method = RKMK4; time = 0..1; step = 1; } }\n")
          .string();
  const std::string table = w.write("named.csv", "# measured\n\nk\n# in N/m\n2.5\n3\n").string();
  const Trajectory t = ensemble(w, file, {"--vary", "k ~ read(\"" + table + "\")"});
  ASSERT_EQ(t.rows.size(), 2U);
  EXPECT_EQ(t.at(0, "vary_k"), 2.5);
  EXPECT_EQ(t.at(1, "vary_k"), 3);
  w.write("named.csv", "# measured\nk\nl\n2.5\n");
  const Outcome wrong = w.lmc({"ensemble", file, "--vary", "k ~ read(\"" + table + "\")"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("line 3"), std::string::npos) << wrong.err;
}
