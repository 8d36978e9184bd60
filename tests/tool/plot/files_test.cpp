// `lmc plot` and `--plot`: files of all formats are the same plot, equal calls make equal bytes, and what is missing or
// wrong is said before anything is computed.
#include "acceptance/Tool.h"

#include "runtime/input/Input.h"
#include "tool/support/Programs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

using namespace lmc::acceptance;
using namespace lmc::runtime;
using namespace lmc;
namespace fs = std::filesystem;

namespace {

const std::string model = "model Spin {\n"
                          "  param J : mat(3,3) = diag(1, 2, 3);\n"
                          "  config R : SO(3) velocity w;\n"
                          "  lagrangian = 0.5*dot(w, J*w);\n"
                          "  initial R = eye(3);  initial w = [1, 0.1, 2];\n"
                          "  observe u = R*w;  observe speed = norm(w);\n"
                          "  simulate { method = RKMK4; time = 0..2; step = 0.05; }\n"
                          "}\n";

class Plots : public ::testing::Test {
protected:
  void SetUp() override {
    if (lmc::tool::findProgram("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
    w.write("a.lie", model);
  }
  void expectDone(const Arguments& arguments) const {
    const Outcome o = w.lmc(arguments);
    EXPECT_EQ(o.status, 0) << o.err;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return readFile(w.path(name)); }
  Workspace w;
};

} // namespace

TEST_F(Plots, ReadWhatRunsWrite) {
  for (const char* const ending : {"csv", "npz", "h5"})
    expectDone({"run", "a.lie", "--quiet", "--output", std::string("a.") + ending});
  const InputTable csv = readInput(w.path("a.csv"));
  ASSERT_EQ(csv.rows(), 41U);
  ASSERT_NE(csv.find("R[2][3]"), nullptr);
  EXPECT_EQ(csv.find("R[2][3]")->entry.index, (std::vector<std::int64_t>{2, 3}));
  for (const char* const ending : {"npz", "h5"}) {
    const InputTable other = readInput(w.path(std::string("a.") + ending));
    ASSERT_EQ(other.columns.size(), csv.columns.size());
    for (std::size_t k = 0; k < csv.columns.size(); ++k) {
      EXPECT_EQ(other.columns[k].entry.name(), csv.columns[k].entry.name()) << ending;
      EXPECT_EQ(other.columns[k].values, csv.columns[k].values) << ending;
    }
  }
  const InputTable h5 = readInput(w.path("a.h5"));
  ASSERT_FALSE(h5.sources.empty());
  EXPECT_EQ(h5.sources.front().second, model);
}

TEST_F(Plots, OfAllFormatsAreTheSame) {
  for (const char* const ending : {"csv", "npz", "h5"}) {
    const std::string name = ending;
    expectDone({"run", "a.lie", "--quiet", "--output", "a." + name});
    expectDone({"plot", "a." + name, "-o", name + ".svg"});
  }
  const std::string svg = file("csv.svg");
  EXPECT_EQ(svg, file("npz.svg"));
  EXPECT_EQ(svg, file("h5.svg"));
  for (const char* const word : {"energy", "u[1]", "u[3]", "speed"}) EXPECT_NE(svg.find(word), std::string::npos);
  EXPECT_EQ(svg.find("R[1]"), std::string::npos); // what is observed comes first
}

TEST_F(Plots, OfARunRepeatTheirBytes) {
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"svg", "<?xml"}, {"pdf", "%PDF"}, {"png", "\x89PNG"}};
  for (const auto& [ending, begin] : kinds) {
    expectDone({"run", "a.lie", "--quiet", "--plot", "one." + ending});
    expectDone({"run", "a.lie", "--quiet", "--plot", "two." + ending, "--output", "a.csv"});
    const std::string bytes = file("one." + ending);
    EXPECT_TRUE(bytes.starts_with(begin)) << ending;
    EXPECT_EQ(bytes, file("two." + ending)) << ending;
  }
  expectDone({"run", "a.lie", "--quiet", "--output", "b.csv"});
  EXPECT_EQ(file("a.csv"), file("b.csv")); // the plot changes nothing
}

TEST_F(Plots, InTheTerminal) {
  expectDone({"run", "a.lie", "--quiet", "--output", "a.csv"});
  const Outcome o = w.lmc({"plot", "a.csv", "--columns", "speed", "--title", "How fast"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("How fast"), std::string::npos);
  EXPECT_NE(o.out.find("+-----"), std::string::npos);
  EXPECT_EQ(o.out.find('\x1b'), std::string::npos); // no terminal, no colours
}

TEST_F(Plots, OfStudies) {
  expectDone({"order", "a.lie", "--methods", "RKMK4,CF4", "--steps", "0.1,0.05,0.025", "--plot", "order.svg"});
  EXPECT_NE(file("order.svg").find("RKMK4, slope 4."), std::string::npos);
  EXPECT_NE(file("order.svg").find("CF4, slope "), std::string::npos);
  expectDone({"stability", "a.lie", "--time", "0..20", "--steps", "0.05,0.025", "--plot", "energy.svg"});
  EXPECT_NE(file("energy.svg").find("h = 0.05"), std::string::npos);
  EXPECT_NE(file("energy.svg").find("RKMK4: "), std::string::npos);
  const Arguments ensemble = {"ensemble", "a.lie", "--samples", "40", "--vary", "w[2] ~ normal(0.1, 0.02)", "--quiet"};
  for (const char* const kept : {"final", "statistics", "all"}) {
    Arguments call = ensemble;
    const std::string name = kept;
    call.insert(call.end(), {"--keep", name, "--plot", name + ".svg"});
    expectDone(call);
  }
  EXPECT_NE(file("final.svg").find("speed at the end"), std::string::npos);
  EXPECT_NE(file("final.svg").find("w[2]"), std::string::npos);
  EXPECT_NE(file("statistics.svg").find("mean of speed"), std::string::npos);
  EXPECT_EQ(file("statistics.svg"), file("all.svg")); // the same bands
}

TEST_F(Plots, OfGridsAreSurfaces) {
  const Arguments grids = {"ensemble", "a.lie", "--vary", "w[1] ~ grid(0, 1, 4)", "--vary", "w[2] ~ grid(0.5, 1, 3)",
                           "--quiet"};
  for (const char* const kept : {"begin", "final"}) {
    Arguments call = grids;
    const std::string name = kept;
    call.insert(call.end(), {"--keep", name, "--plot", name + ".svg", "--output", name + ".csv"});
    expectDone(call);
    EXPECT_NE(file(name + ".svg").find("speed at the " + std::string(name == "begin" ? "begin" : "end")),
              std::string::npos);
    EXPECT_NE(file(name + ".svg").find("w[1]"), std::string::npos);
    EXPECT_NE(file(name + ".svg").find("w[2]"), std::string::npos);
    // The same from the file.
    expectDone(
        {"plot", name + ".csv", "--x", "vary_w[1]", "--y", "vary_w[2]", "--columns", "speed", "-o", "again.svg"});
    EXPECT_NE(file("again.svg").find("vary_w[2]"), std::string::npos);
  }
  // One grid is no surface, and neither are other distributions.
  expectDone(
      {"ensemble", "a.lie", "--vary", "w[1] ~ grid(0, 1, 4)", "--keep", "begin", "--plot", "line.svg", "--quiet"});
  EXPECT_NE(file("line.svg").find("speed at the begin"), std::string::npos);
  const Outcome o = w.lmc({"plot", "begin.csv", "--x", "vary_w[1]", "--y", "speed", "--columns", "energy"});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("make no grid"), std::string::npos) << o.err;
  for (const char* const other : {"--norm", "--change"})
    EXPECT_EQ(w.lmc({"plot", "begin.csv", "--x", "vary_w[1]", "--y", "vary_w[2]", other}).status, 2);
}

TEST_F(Plots, OfTolerancesAndWork) {
  const Arguments order = {"order", "a.lie", "--methods", "RKMK54,CF43", "--tolerances", "1e-4,1e-6,1e-8", "--json"};
  const Outcome o = w.lmc(order);
  ASSERT_EQ(o.status, 0) << o.err;
  const nlohmann::json j = parseJson(o.out);
  for (const auto& result : j.at("results")) {
    EXPECT_EQ(result.at("tolerances").size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& run = result.at("runs").at(k);
      const double error = result.at("errors").at(k), R = run.at("errors").at("R"), v = run.at("errors").at("w");
      EXPECT_NEAR(error * error, R * R + v * v, 1e-9 * error * error);
      EXPECT_GT(run.at("evaluations").get<int>(), run.at("steps").get<int>());
      // Errors at the end are some tolerances large, and smaller tolerances cost more.
      const double tolerance = result.at("tolerances").at(k);
      EXPECT_LT(error, 100 * tolerance);
      EXPECT_GT(error, 1e-3 * tolerance);
      if (k > 0) {
        EXPECT_GT(run.at("steps"), result.at("runs").at(k - 1).at("steps"));
      }
    }
    EXPECT_NEAR(result.at("slope").get<double>(), 1, 0.35);
  }
  // The errors of one variable are those of it in the list.
  Arguments of = order;
  of.insert(of.end(), {"--of", "w", "--against", "evaluations", "--plot", "work.svg"});
  const nlohmann::json one = parseJson(w.lmc(of).out);
  EXPECT_EQ(one.at("results").at(0).at("errors").at(1), j.at("results").at(0).at("runs").at(1).at("errors").at("w"));
  EXPECT_NE(file("work.svg").find("error of w at t = 2"), std::string::npos);
  EXPECT_NE(file("work.svg").find("evaluations"), std::string::npos);
  const std::vector<std::pair<Arguments, std::string>> wrong = {
      {{"order", "a.lie", "--tolerances", "1e-4"}, "no error estimate"},
      {{"order", "a.lie", "--methods", "RKMK54", "--tolerances", "1e-4", "--steps", "0.1"}, "not both"},
      {{"order", "a.lie", "--of", "x"}, "no variable `x`"},
      {{"order", "a.lie", "--plot", "p.svg", "--against", "tolerance"}, "needs --tolerances"},
      {{"order", "a.lie", "--plot", "p.svg", "--against", "time"}, "--against is"},
  };
  for (const auto& [arguments, words] : wrong) {
    const Outcome refused = w.lmc(arguments);
    EXPECT_EQ(refused.status, 2) << words << refused.err;
    EXPECT_NE(refused.err.find(words), std::string::npos) << refused.err;
  }
}

TEST_F(Plots, RefuseWhatIsWrong) {
  expectDone({"run", "a.lie", "--quiet", "--output", "a.csv"});
  const std::vector<std::pair<Arguments, std::string>> all = {
      {{"plot"}, "file is missing"},
      {{"plot", "b.csv"}, "no such file"},
      {{"plot", "a.lie"}, "ends in .csv, .npz, .h5 or .hdf5"},
      {{"plot", "a.csv", "-o", "a.gif"}, ".svg, .pdf or .png"},
      {{"plot", "a.csv", "--columns", "sped"}, "did you mean `speed`"},
      {{"plot", "a.csv", "--x", "u"}, "one column"},
      {{"plot", "a.csv", "--log", "z"}, "x, y or xy"},
      {{"run", "a.lie", "--plot", "a.csv"}, ".svg, .pdf or .png"},
      {{"run", "a.lie", "--plot", "p.svg", "--output", "p.svg"}, "p.svg"},
  };
  for (const auto& [arguments, words] : all) {
    const Outcome o = w.lmc(arguments);
    EXPECT_EQ(o.status, 2) << words << o.err;
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
  }
  w.write("bad.csv", "t,x\n0,1\n1,one\n");
  EXPECT_NE(w.lmc({"plot", "bad.csv"}).err.find("line 3: `one` under `x` is not a number"), std::string::npos);
  w.write("short.csv", "t,x\n0,1\n1\n");
  EXPECT_NE(w.lmc({"plot", "short.csv"}).err.find("line 3: 2 numbers expected, 1 found"), std::string::npos);
  w.write("none.csv", "t,x\n");
  EXPECT_NE(w.lmc({"plot", "none.csv"}).err.find("has no rows"), std::string::npos);
  w.write("bad.npz", "no archive");
  EXPECT_EQ(w.lmc({"plot", "bad.npz"}).status, 2);
  w.write("bad.h5", "no file");
  EXPECT_EQ(w.lmc({"plot", "bad.h5"}).status, 2);
  w.write("cut.csv", "t,x\n0,1\n1,2\n2,3"); // a kill has cut the last line
  EXPECT_EQ(readInput(w.path("cut.csv")).rows(), 2U);
  EXPECT_NE(w.lmc({"plot", "cut.csv"}).err.find("warning: `cut.csv`, line 4: the last line is left out"),
            std::string::npos);
  w.write("whole.csv", "t,x\n0,1\n1,2\n \t"); // what no line break ends is no number
  EXPECT_EQ(readInput(w.path("whole.csv")).leftOut, "");
}

TEST_F(Plots, ReadTablesOfOthers) {
  w.write("o.csv", "\xEF\xBB\xBF\"t\", \"x[1]\" , \"a name\"\r\n 0, +1 ,1e3\r\n\r\n0.5 ,\t-2,-inf\r\n  \r\n");
  const InputTable table = readInput(w.path("o.csv"));
  EXPECT_EQ(table.fields(), (std::vector<std::string>{"t", "x", "a name"}));
  EXPECT_EQ(table.find("t")->values, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(table.find("x[1]")->values, (std::vector<double>{1, -2}));
  EXPECT_EQ(table.find("a name")->values[0], 1e3);
  w.write("semicolon.csv", "t;x\n0;1\n1;2\n");
  EXPECT_NE(w.lmc({"plot", "semicolon.csv"}).err.find("numbers have commas between them"), std::string::npos);
}

TEST_F(Plots, SayWhatIsMissing) {
  const std::string before = std::getenv("PATH");
  setenv("PATH", w.path("").c_str(), 1);
  const Outcome o = w.lmc({"run", "a.lie", "--plot", "a.svg", "--output", "a.csv"});
  setenv("PATH", before.c_str(), 1);
  EXPECT_NE(o.status, 0);
  EXPECT_NE(o.err.find("apt install gnuplot-nox"), std::string::npos) << o.err;
  EXPECT_FALSE(fs::exists(w.path("a.csv"))); // before anything is computed
}

TEST_F(Plots, ReadWhatNumpyWrites) {
  const std::string script =
      "import numpy as np\n"
      "t = np.linspace(0, 1, 5)\n"
      "np.savez_compressed('c.npz', t=t, x=np.float32(t)**2, n=np.arange(5), name=np.array('a'),\n"
      "                    q=np.arange(30.).reshape(5, 2, 3), other=np.zeros(3))\n";
  w.write("c.py", script);
  const std::string command = "cd '" + w.path("").string() + "' && /usr/bin/python3 c.py 2>/dev/null";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "there is no NumPy";
  const InputTable table = readInput(w.path("c.npz"));
  EXPECT_EQ(table.fields(), (std::vector<std::string>{"t", "x", "n", "q"}));
  EXPECT_EQ(table.find("x")->values[4], 1);
  EXPECT_EQ(table.find("n")->values[3], 3);
  EXPECT_EQ(table.find("q[2][3]")->values[4], 29);
}
