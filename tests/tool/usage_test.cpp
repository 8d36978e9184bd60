// Wrong usage: exit status 2, and words that say what is wrong and what would be right.
#include "acceptance/Tool.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

struct Wrong {
  Arguments arguments;
  std::vector<std::string> fragments; ///< of standard error
};

const std::string model = "model Oscillator {\n"
                          "  config x : R velocity v;\n"
                          "  lagrangian = 0.5*v^2 - 0.5*x^2;\n"
                          "  initial x = 1;\n"
                          "}\n";

void expectUsage(const Workspace& w, const Wrong& wrong) {
  std::string shown = "lmc";
  for (const std::string& argument : wrong.arguments) shown += " " + argument;
  const Outcome outcome = w.lmc(wrong.arguments);
  EXPECT_EQ(outcome.status, 2) << shown;
  EXPECT_EQ(outcome.out, "") << shown;
  for (const std::string& fragment : wrong.fragments)
    EXPECT_NE(outcome.err.find(fragment), std::string::npos) << shown << "\n" << outcome.err;
}

} // namespace

TEST(Usage, OfCommands) {
  const Workspace w;
  w.write("a.lie", model);
  w.write("f.lie", "fn f(x) = x;\n");
  const std::vector<Wrong> all = {
      {{}, {"command is missing", "lmc --help"}},
      {{"rnu", "a.lie"}, {"no command `rnu`", "did you mean `run`"}},
      {{"manifold"}, {"did you mean `manifolds`"}},
      {{"a.lie"}, {"lmc run a.lie"}},
      {{"--json", "run", "a.lie"}, {"options follow the command"}},
      {{"run"}, {"file is missing"}},
      {{"check"}, {"file is missing"}},
      {{"run", "a.lie", "b.lie"}, {"one file", "b.lie"}},
      {{"methods", "one", "two"}, {"one name", "two"}},
      {{"run", "aa.lie"}, {"aa.lie", "no such file", "did you mean `a.lie`"}},
      {{"check", "a.lie", "nosuch.lie"}, {"nosuch.lie", "no such file"}},
      {{"run", "."}, {"folder"}},
      {{"dump", "a.lie"}, {"--stage is missing", "tape"}},
      {{"dump", "a.lie", "--stage", "tapes"}, {"did you mean `tape`", "assembly"}},
      {{"explain", "LIE9999"}, {"no diagnostic `LIE9999`"}},
      {{"methods", "nosuch"}, {"no method `nosuch`"}},
      {{"verify", "f.lie"}, {"declares no manifold, no tableau, no method and no model"}},
      {{"order", "a.lie", "--methods", "A,,B"}, {"names with commas"}},
      {{"order", "a.lie", "--steps", "1,2h"}, {"positive numbers", "`2h`"}},
      {{"export", "a.lie"}, {"--c for C99 source"}},
  };
  for (const Wrong& wrong : all) expectUsage(w, wrong);
}

TEST(Usage, OfOptions) {
  const Workspace w;
  w.write("a.lie", model);
  const auto run = [](Arguments options) {
    options.insert(options.begin(), {"run", "a.lie"});
    return options;
  };
  const std::vector<Wrong> all = {
      {run({"--stepp", "1"}), {"no option `--stepp`", "did you mean `--step`"}},
      {run({"--stepp=1"}), {"did you mean `--step`"}},
      {run({"--at", "x.csv"}), {"no option `--at`"}},
      {run({"--step"}), {"--step needs a value"}},
      {run({"--output", "--every", "1"}), {"--output needs a value", "--every"}},
      {run({"--seed", "18446744073709551616"}), {"from 0 to 18446744073709551615"}},
      {run({"--fps", "10"}), {"--report NAME.html"}},
      {run({"--checkpoint-every", "10"}), {"needs --checkpoint FILE"}},
      {run({"--set", "a=b=c"}), {"more than one `=`", "a=b=c"}},
      {run({"--set", "a"}), {"no `=`"}},
      {run({"--set", "=1"}), {"name is missing"}},
      {run({"--set", "a="}), {"value is missing"}},
      {run({"--time", "1"}), {"A..B"}},
      {run({"--time", "..1"}), {"A..B"}},
      {run({"--seed", "x"}), {"--seed", "`x`"}},
      {run({"--seed", "-1"}), {"--seed", "`-1`"}},
      {run({"--color", "red"}), {"auto, always or never", "red"}},
      {run({"--progress", "always"}), {"auto or never"}},
      {run({"--output", "x.txt"}), {"x.txt", ".csv", ".npz"}},
      {run({"--output", "x"}), {".csv"}},
      {{"derive", "a.lie", "--format", "latx"}, {"did you mean `latex`"}},
      {{"derive", "a.lie", "--output", "x.csv"}, {"--at"}},
      {{"derive", "a.lie", "--at", "nosuch.csv"}, {"nosuch.csv", "no such file"}},
  };
  for (const Wrong& wrong : all) expectUsage(w, wrong);
}

TEST(Usage, Help) {
  const Workspace w;
  for (const Arguments& arguments :
       {Arguments{"--help"}, {"help"}, {"help", "check"}, {"run", "--help"}, {"check", "-h"}}) {
    const Outcome outcome = w.lmc(arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("Usage: lmc"), std::string::npos);
  }
  const std::string help = w.lmc({"run", "--help"}).out;
  EXPECT_EQ(w.lmc({"help", "run"}).out, help);
  for (const char* option : {"--method", "--step", "--tolerance", "--time", "--set", "--output", "--every", "--seed",
                             "--quiet", "--json", "--color", "--progress"})
    EXPECT_NE(help.find(option), std::string::npos) << option;
  EXPECT_TRUE(w.lmc({"--version"}).out.starts_with("lmc "));
}

TEST(Usage, OutputOfAnUnknownFormatIsRefused) {
  const Workspace w;
  w.write("a.lie", model);
  const Outcome outcome = w.lmc({"run", "a.lie", "--output", "x.hdf"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find(".csv, .npz or .h5"), std::string::npos) << outcome.err;
}

TEST(Usage, OutputThatNoDiskHoldsIsRefused) {
  const Workspace w;
  w.write("a.lie", model);
  const Outcome outcome = w.lmc({"run", "a.lie", "--method", "RKMK4", "--time", "0..1", "--step", "0.1", "--every",
                                 "1e-12", "--output", "x.csv"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("its whole disk has"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(w.path("x.csv")));
}

// With a limit the output has room for what there is by then, and a run that goes on only for what is left.
TEST(Usage, OutputOfARunWithALimitIsThatOfItsSteps) {
  const Workspace w;
  w.write("a.lie", model);
  const auto run = [&](const Arguments& more) {
    Arguments all{"run", "a.lie", "--method", "RKMK4", "--step", "1e-9", "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return w.lmc(all);
  };
  for (const char* const file : {"x.csv", "x.npz"}) {
    const Outcome few =
        run({"--time", "0..800", "--max-steps", "200", "--output", file, "--checkpoint", "c.json", "--certify"});
    EXPECT_EQ(few.status, 3) << few.err;
    EXPECT_EQ(few.err.find("GB"), std::string::npos) << few.err;
    EXPECT_NE(few.err.find("the limit of 200 steps is reached"), std::string::npos) << few.err;
    const Outcome brief = run({"--time", "0..800", "--max-seconds", "0.01", "--output", file});
    EXPECT_EQ(brief.status, 3) << brief.err;
    EXPECT_NE(brief.err.find("the limit of 0.01 seconds is reached"), std::string::npos) << brief.err;
    const Outcome many = run({"--time", "0..800", "--max-steps", "800000000000", "--output", file});
    EXPECT_EQ(many.status, 2) << many.err;
    EXPECT_NE(many.err.find("8e+11 samples"), std::string::npos) << many.err;
  }
  EXPECT_EQ(run({"--time", "0..3e-7", "--output", "x.csv", "--resume", "c.json"}).status, 0);
}

// What is asked for is made, or refused before the work whose result it is to have, or it is said to have no effect.
TEST(Usage, OfRunsIsSaidBeforeTheRun) {
  const Workspace w;
  w.write("a.lie", model);
  const auto run = [](Arguments more) {
    more.insert(more.begin(), {"run", "a.lie", "--time", "0..1", "--step", "0.1"});
    return more;
  };
  expectUsage(w, {run({"--method", "RKMK4", "--steps-output", "s.csv"}), {"those of RKMK4 have a fixed length"}});
  std::filesystem::create_directory(w.path("folder"));
  for (const char* const place : {"nowhere/c.json", "folder"})
    expectUsage(w, {run({"--method", "RKMK4", "--output", "x.csv", "--checkpoint", place}), {"cannot write `", place}});
  if (std::filesystem::exists("/usr/bin/gnuplot"))
    for (const Arguments& command : {Arguments{"run", "a.lie", "--method", "RKMK4", "--time", "0..1", "--step", "0.1"},
                                     Arguments{"order", "a.lie", "--methods", "RKMK4", "--time", "0..1"},
                                     Arguments{"stability", "a.lie", "--methods", "RKMK4", "--time", "0..1"}}) {
      Arguments all = command;
      all.insert(all.end(), {"--plot", "nowhere/p.svg"});
      expectUsage(w, {all, {"cannot write `nowhere/p.svg`"}});
    }
  EXPECT_FALSE(std::filesystem::exists(w.path("x.csv")));
  const Outcome idle = w.lmc(run({"--method", "RKMK4", "--controller", "clamped", "--norm", "embedding", "--quiet"}));
  EXPECT_EQ(idle.status, 0);
  EXPECT_NE(idle.err.find("--controller and --norm have no effect"), std::string::npos) << idle.err;
  EXPECT_EQ(
      w.lmc(run({"--method", "P853", "--tolerance", "1e-6", "--norm", "embedding", "--quiet"})).err.find("effect"),
      std::string::npos);
}
