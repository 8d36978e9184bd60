// Files that are tables, files that are none, and what is said of these.
#include "Curves.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::acceptance::tables;

namespace {

const std::string settings = "method = RKMK4; time = 0..1; step = 0.1;";

/// What `lmc check` says of a model that reads a file.
std::string said(const std::string& file, const std::string& expression, Arguments more = {}) {
  const Workspace w;
  w.write("d.csv", file);
  more.insert(more.begin(), "check");
  more.push_back(
      w.write("m.lie", model("  lagrangian = 0.5*v^2;\n  observe y = " + expression + ";\n", settings)).string());
  const Outcome outcome = w.lmc(more);
  EXPECT_LE(outcome.status, 1) << outcome.err;
  return outcome.err;
}

std::string codeIn(const std::string& text) {
  const std::size_t at = text.find("error[");
  const bool one = at == std::string::npos || text.find("error[", at + 1) == std::string::npos;
  EXPECT_TRUE(one) << text;
  return at == std::string::npos ? "" : text.substr(at + 6, 7);
}

void expect(const std::string& file, const std::string& expression, const std::string& code, const std::string& words) {
  const std::string text = said(file, expression);
  EXPECT_EQ(codeIn(text), code) << file << text;
  EXPECT_NE(text.find(words), std::string::npos) << file << text;
}

} // namespace

TEST(TableFiles, AreReadInManyForms) {
  for (const char* file : {"x,y\n0,1\n1,2\n", "x;y\r\n0;1\r\n1;2\r\n", "x\ty\n0\t1\n1\t2\n", "x y\n 0   1\n1 2",
                           "\"x\",\"y\"\n0,1,\n1,2,\n", "# made by hand\n\nx [s],y (m/s)\n0,+1\n1e0,2.0\n",
                           "\xEF\xBB\xBFx,y\n0, 1\n1, 2\n"}) {
    const Workspace w;
    w.write("d.csv", file);
    const std::string m = w.write("m.lie", model("  lagrangian = 0.5*v^2;\n  observe y = d.y[2] + 10*d.x[2];\n"
                                                 "  observe z = interpolate(d, t);\n",
                                                 settings))
                              .string();
    const Trajectory run = runModel(w, m, {});
    ASSERT_FALSE(run.rows.empty()) << file;
    EXPECT_EQ(run.last("y"), 12) << file;
    EXPECT_EQ(run.last("z"), 2) << file;
  }
  EXPECT_EQ(said("0 1\n1 2\n", "interpolate(d.c2, t)"), "");
  EXPECT_EQ(said("0\n1\n", "d[2] + d.c1[1]"), "");
  EXPECT_EQ(
      said("time [s],wheel force [N],2nd\n0,1,2\n1,2,3\n", "d[\"wheel force [N]\"][1] + d.wheel_force[1] + d._2nd[2]"),
      "");
  EXPECT_EQ(said("t,x[1],x[2],A[1][1],A[1][2],A[2][1],A[2][2]\n0,1,2,3,4,5,6\n1,1,2,3,4,5,6\n",
                 "interpolate(d.A, t)*interpolate(d.x, t)"),
            "");
}

TEST(TableFiles, OfOneNumberAreThatNumber) {
  const Workspace w;
  w.write("d.csv", "mass\n2.5\n");
  const std::string m = w.write("m.lie", model("  lagrangian = 0.5*d*v^2;\n  observe y = 2*d;\n", settings)).string();
  const Trajectory run = runModel(w, m, {});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_EQ(run.last("y"), 5);
}

TEST(TableFiles, ThatAreWrongAreToldWithTheirLine) {
  expect("x,y\n0,1\n1,\n2,,3\n", "d.y[1]", "LIE0138", "`d.csv` line 3 has 1 numbers, the lines above have 2");
  expect("x,y,z\n0,1,2\n1,,3\n", "d.y[1]", "LIE0138", "`d.csv` line 3: there is a hole in column 2");
  expect("x,y\n0,1\n1,2,3\n", "d.y[1]", "LIE0138", "`d.csv` line 3 has 3 numbers");
  expect("x,y\n0,1\n\n# so\n1,1.2.3\n", "d.y[1]", "LIE0138", "`d.csv` line 5: `1.2.3` in column 2 is not a number");
  expect("x;y\n0;1\n1;1,5\n", "d.y[1]", "LIE0138", "decimal point");
  expect("x,y\n0,1\n1,nan\n", "d.y[1]", "LIE0138", "`nan` in column 2 is not a finite number");
  expect("x,y\n0,1\n1,1e999\n", "d.y[1]", "LIE0138", "line 3");
  expect("x,y\n", "d.y[1]", "LIE0138", "no rows of numbers");
  expect("", "d.y[1]", "LIE0138", "no rows of numbers");
  expect("x,y,x [m]\n0,1,2\n1,2,3\n", "d.y[1]", "LIE0139", "`d.csv` line 1: two columns are named `x`");
  expect("x,q[1],q[3]\n0,1,2\n1,2,3\n", "d.x[1]", "LIE0139", "of `q` there are 2 columns");
  expect("x,force\n0,1\n1,2\n", "d.fource[1]", "LIE0139", "did you mean `force`?");
  expect("x,y\n0,1\n2,2\n1,3\n", "interpolate(d.y, t)", "LIE0183",
         "`d.csv` line 4: the node `d.x` is less than that of the row before: 1 after 2");
  expect("x,y\n0,1\n1,2\n1,3\n", "interpolate(d.y, t)", "LIE0183", "line 4");
  expect("x,y\n0,1\n1,2\n2,3\n3,4\n", "interpolate(d.y, t, cubic, periodic)", "LIE0184",
         "its last value is not its first one, but 4 and 1");
  expect("x,y\n0,1\n1,2\n", "interpolate(d.y, t, cubic)", "LIE0184", "has 2 nodes");
  expect("x,y\n0,1\n1,2\n", "interpolate(d.y, t, hold, extend)", "LIE0182", "contradicts");
  expect("x,y\n0,1\n1,2\n", "interpolate(d.y, t, linaer)", "LIE0182", "did you mean `linear`?");
  expect("x,y\n0,1\n1,2\n", "interpolate(d.y)", "LIE0182", "takes the values and where");
  expect("x,y\n0,1\n1,2\n", "interpolate(d.y, t, under = d.x)", "LIE0182", "has no argument `under`");
  expect("x\n0\n1\n", "interpolate(d, t)", "LIE0182", "does not say at which nodes");
  expect("x,y\n0,1\n1,2\n", "d", "LIE0130", "family");
  expect("x,y\n0,1\n1,2\n", "d.y[3]", "LIE0125", "indices 1 to 2");
}

TEST(TableFiles, ThatStrangersReadShowNothing) {
  const std::string secret = "SECRETNAME,y\n0,1\n1,SECRETWORD\n";
  for (const std::string& expression : {std::string("d.y[1]"), std::string("d.u[1]")}) {
    const std::string text =
        said(secret, expression, {"--untrusted"}) +
        said("SECRETNAME,y\n0,1\n1,2\n", expression == "d.y[1]" ? "d.u[1]" : "d.w[1]", {"--untrusted"});
    EXPECT_EQ(text.find("SECRET"), std::string::npos) << text;
    EXPECT_NE(text.find("error[LIE013"), std::string::npos) << text;
  }
}

TEST(TableFiles, AreSetFromTheCommandLine) {
  const Workspace w;
  w.write("d.csv", "x,y\n0,1\n1,2\n");
  w.write("e.csv", "x,y\n0,5\n0.5,6\n1,7\n");
  const std::string m =
      w.write("m.lie", model("  lagrangian = 0.5*v^2;\n  observe y = interpolate(d.y, t);\n", settings)).string();
  EXPECT_EQ(runModel(w, m, {}).last("y"), 2);
  EXPECT_EQ(runModel(w, m, {"--set", "d=read(\"" + w.path("e.csv").string() + "\")"}).last("y"), 7);
  w.write("d.csv", "x,y\n0,1\n1,3\n"); // another file of the same size
  EXPECT_EQ(runModel(w, m, {}).last("y"), 3);
  const Outcome part = w.lmc({"run", m, "--set", "d.y[1]=3"});
  EXPECT_EQ(codeIn(part.err), "LIE0181") << part.err;
}

TEST(TableFiles, OfManyRowsAreFastAndSmall) {
  const auto runOf = [](int rows) {
    Workspace w;
    w.freshCache();
    std::string file = "x,y\n";
    for (int k = 0; k < rows; ++k) file += fmt::format("{},{}\n", 0.001 * k, k % 7);
    w.write("d.csv", file);
    const std::string m =
        w.write("m.lie", model("  lagrangian = 0.5*v^2;\n  force on q = interpolate(d.y, t, cubic, hold);\n",
                               "method = RKMK4; time = 0..1; step = 0.01;"))
            .string();
    const Outcome outcome = w.lmc({"run", m, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    nlohmann::json summary = parseJson(outcome.out);
    summary["code_bytes"] = parseJson(w.lmc({"run", m, "--json"}).out).at("code_bytes"); // optimised, from the cache
    return summary;
  };
  const nlohmann::json few = runOf(100), many = runOf(100000);
  // Ten more halvings, and nothing else.
  EXPECT_LT(many["code_bytes"].get<double>(), 2 * few["code_bytes"].get<double>()) << many;
  EXPECT_LT(many["compile_seconds"].get<double>(), 5) << many;
}
