// `lmc build` and `lmc export` as a person uses them: files, the example of the documentation, wrong usage.
#include "Programs.h"

#include "tests/acceptance/Tool.h"

#include <gtest/gtest.h>

#include <sstream>

namespace lmc::test {
namespace {

using acceptance::Arguments;
using acceptance::Outcome;
using acceptance::readFile;
using acceptance::Workspace;

const char* const wheel = R"(model Wheel {
  param J = 2;
  config a : R^1 velocity w;
  lagrangian = 0.5*J*w^2;
  initial a = 0; initial w = 1;
  simulate { method = RKMK4; time = 0..1; step = 0.1; }
}
)";

std::string run(const Workspace& w, const std::string& command) {
  const Finished f = shell("cd " + w.path("").string() + " && " + command);
  EXPECT_EQ(f.status, 0) << command << "\n" << f.output;
  return f.output;
}

/// The first block of this language in a page.
std::string block(const std::string& page, const std::string& language) {
  const std::size_t begin = page.find("```" + language + "\n");
  EXPECT_NE(begin, std::string::npos);
  const std::size_t first = begin + language.size() + 4;
  return page.substr(first, page.find("```", first) - first);
}

TEST(AheadTool, TheExampleOfTheDocumentation) {
  const Workspace w;
  const std::string page = readFile(std::string(LMC_SOURCE_DIR) + "/docs/ahead_of_time.md");
  w.write("pointing.lie", block(page, "lie"));
  w.write("main.c", block(page, "c"));
  ASSERT_EQ(w.lmc({"build", "pointing.lie", "-o", "pointing.o"}).status, 0);
  const std::string header = readFile(w.path("pointing.h"));
  EXPECT_NE(header.find("double u_value[3]; /* the input u */"), std::string::npos) << header;
  const std::string warnings = "cc -std=c99 -Wall -Wextra -Wpedantic main.c ";
  EXPECT_EQ(run(w, warnings + "pointing.o -lm -o object"), "");
  const std::string text = run(w, "./object");
  EXPECT_NE(text.find("1.000000, energy"), std::string::npos) << text;
  ASSERT_EQ(w.lmc({"export", "--c", "pointing.lie", "-o", "pointing.c"}).status, 0);
  EXPECT_EQ(readFile(w.path("pointing.h")), header);
  EXPECT_EQ(run(w, warnings + "pointing.c -lm -o source"), "");
  const std::string other = run(w, "./source");
  EXPECT_EQ(text.substr(0, text.find("energy")), other.substr(0, other.find("energy")));
}

TEST(AheadTool, TheHeaderIsReadByEveryStandardOfCAndCpp) {
  const Workspace w;
  w.write("wheel.lie", wheel);
  ASSERT_EQ(w.lmc({"build", "wheel.lie", "-o", "wheel.o", "--method", "RKMK54"}).status, 0);
  w.write("main.c", "#include \"wheel.h\"\nint main(void) { return 0; }\n");
  for (const char* standard :
       {"cc -std=c89", "cc -std=c99", "cc -std=c11", "c++ -x c++ -std=c++98", "c++ -x c++ -std=c++20"})
    EXPECT_EQ(run(w, std::string(standard) + " -Wall -Wextra -Wpedantic -c main.c"), "") << standard;
}

// A part of a trial that the step's length does not enter says so.
TEST(AheadTool, PartsOfTaylorSeriesAreWithoutWarnings) {
  const Workspace w;
  w.write("chain.lie", R"(model Fam {
  param N : int = 5; param l[i in 1..N] = 0.3; param m[i in 1..N] = 0.2+0.1*i; param g = 9.81; param k=3;
  input u[i in 1..N] : vec(3) = [0.1*i, sin(t), 0];
  config q[N] : S^2 velocity w;
  config s : R velocity sd;
  state z : R^2;
  discrete cnt : int = 2;
  lagrangian = sum(i in 1..N: 0.5*m[i]*l[i]^2*dot(q[i]', q[i]'))
    + sum(i in 1..N-1: -0.5*k*dot(q[i]-q[i+1],q[i]-q[i+1]))
    - sum(i in 1..N: m[i]*g*l[i]*q[i][3]) + 0.5*sd^2 - 0.5*s^2*(1+0.1*sin(3*t));
  force on s = -0.1*sd + q[1][1] + z[1]*cnt;
  for i in 1..N { force u[i] at l[i]*q[i]; }
  flow z = [s - z[1], sin(z[1])*z[2]];
  observe tip[i in 1..N] = l[i]*q[i];
  observe e2 = energy + s;
  initial q[i in 1..N] = [sin(0.1*i),0,cos(0.1*i)];
}
)");
  ASSERT_EQ(w.lmc({"export", "--c", "chain.lie", "-o", "chain.c", "--method", "Taylor"}).status, 0);
  EXPECT_EQ(run(w, "cc -std=c99 -Wall -Wextra -Wpedantic -fsyntax-only chain.c"), "");
}

// x' = -sqrt(x) comes to zero at t = 2, and a stage beyond makes x no number, while y goes on: its error is small.
TEST(AheadTool, AStepWithoutNumbersHasNoSmallError) {
  const Workspace w;
  w.write("tank.lie", "model Tank {\n  state x : R;  state y : R;\n  flow x = -sqrt(x);  flow y = -y;\n"
                      "  initial x = 1;  initial y = 1;\n"
                      "  simulate { method = RKMK54; time = 0..5; step = 0.1; tolerance = 1e-6; }\n}\n");
  // As the header says it: a step whose error is at most 1 is kept.
  w.write("main.c", R"(#include "tank.h"
#include <math.h>
#include <stdio.h>
int main(void) {
  tank a;
  double t = 0, h = 0.1;
  if (tank_init(&a) != TANK_OK) return 1;
  for (int k = 0; k < 1000 && t < 5; ++k) {
    const tank_state before = a.state;
    tank_trial(&a, t, h);
    const double e = tank_error(&a);
    if (e <= 1)
      t += h;
    else
      a.state = before;
    if (isnan(a.state.x)) return 2;
    h *= fmin(5, fmax(0.2, 0.9 * pow(e, -1.0 / (TANK_ERROR_ORDER + 1))));
  }
  printf("%.5f %.5f", t, a.state.y * exp(t));
  return 0;
}
)");
  ASSERT_EQ(w.lmc({"build", "tank.lie", "-o", "tank.o"}).status, 0);
  ASSERT_EQ(w.lmc({"export", "--c", "tank.lie", "-o", "tank.c"}).status, 0);
  for (const char* form : {"tank.o", "tank.c"}) {
    run(w, std::string("cc -std=c99 main.c ") + form + " -lm -o steps");
    EXPECT_EQ(run(w, "./steps"), "2.00000 1.00000") << form;
  }
}

// Without mass there are no accelerations: the trial fails, and the error of the one before does not stand for it.
TEST(AheadTool, ATrialThatFailsHasNoSmallError) {
  const Workspace w;
  w.write("wheel.lie", std::string(wheel).replace(std::string(wheel).find("*w^2"), 4, "*(1 + a^2)*w^2"));
  w.write("main.c", R"(#include "wheel.h"
int main(void) {
  wheel a;
  if (wheel_init(&a) != WHEEL_OK || wheel_trial(&a, 0, 0.1) != WHEEL_OK || !(wheel_error(&a) <= 1)) return 1;
  a.parameters.J = 0;
  wheel_setup(&a);
  if (wheel_trial(&a, 0, 0.1) == WHEEL_OK) return 2;
  return wheel_error(&a) <= 1 ? 3 : 0;
}
)");
  ASSERT_EQ(w.lmc({"build", "wheel.lie", "-o", "wheel.o", "--method", "RKMK54"}).status, 0);
  ASSERT_EQ(w.lmc({"export", "--c", "wheel.lie", "-o", "wheel.c", "--method", "RKMK54"}).status, 0);
  for (const char* form : {"wheel.o", "wheel.c"}) {
    run(w, std::string("cc -std=c99 main.c ") + form + " -lm -o steps");
    run(w, "./steps");
  }
}

// Memory that held something else, as that of a stack does, is as good as empty memory.
TEST(AheadTool, WhatAMethodKeepsIsEmptyBehindInit) {
  const Workspace w;
  w.write("wheel.lie", wheel);
  w.write("main.c", R"(#include "wheel.h"
#include <string.h>
int main(void) {
  wheel a;
  memset(&a, 0x41, sizeof a);
  return wheel_init(&a) != WHEEL_OK || a.state.kept_h != 0;
}
)");
  ASSERT_EQ(w.lmc({"build", "wheel.lie", "-o", "wheel.o", "--method", "GenAlpha"}).status, 0);
  run(w, "cc -std=c99 main.c wheel.o -lm -o steps");
  run(w, "./steps");
}

TEST(AheadTool, AnInputThatIsGivenBackFollowsItsLawAlone) {
  const Workspace w;
  w.write("pushed.lie", R"(model Pushed {
  config x[2] : R velocity v;
  input u[i in 1..2] : real = 2*i;
  lagrangian = sum(i in 1..2: 0.5*v[i]^2);
  for i in 1..2 { force on x[i] = u[i]; }
  observe a[i in 1..2] = v[i]';
  simulate { method = RKMK4; time = 0..1; step = 0.5; }
}
)");
  // A member is held at 7, another one at a number that is none, and both are given back.
  w.write("main.c", R"(#include "pushed.h"
#include <math.h>
#include <stdio.h>
int main(void) {
  static pushed x;
  double t = 0;
  int s = pushed_init(&x);
  x.parameters.u_given[1] = 1;
  x.parameters.u_value[1] = 7;
  x.parameters.u_value[0] = NAN;
  if (s == 0) s = pushed_steps(&x, &t, 0.5, 2); /* without pushed_setup */
  printf("%d %g %g ", s, x.state.v[0], x.state.v[1]);
  x.parameters.u_given[1] = 0;
  if (s == 0) s = pushed_step(&x, 1, 1);
  if (s == 0) s = pushed_observables(&x, 2);
  printf("%g %g, %g %g\n", x.state.v[0], x.state.v[1], x.output.a[0], x.output.a[1]);
  return s;
}
)");
  ASSERT_EQ(w.lmc({"build", "pushed.lie", "-o", "pushed.o"}).status, 0);
  EXPECT_EQ(run(w, "cc main.c pushed.o -lm -o main && ./main"), "0 2 7 4 11, 2 4\n");
  ASSERT_EQ(w.lmc({"export", "--c", "pushed.lie", "-o", "pushed.c"}).status, 0);
  EXPECT_EQ(run(w, "cc main.c pushed.c -lm -o main && ./main"), "0 2 7 4 11, 2 4\n");
}

TEST(AheadTool, EveryFormOfAnObject) {
  const Workspace w;
  w.write("wheel.lie", wheel);
  w.write("main.c", "#include \"wheel.h\"\n#include <stdio.h>\nint main(void) {\n  static wheel x;\n  double t = 0;\n"
                    "  int s = wheel_init(&x);\n  if (s == WHEEL_OK) s = wheel_steps(&x, &t, 0.1, 10);\n"
                    "  printf(\"%d %.12g %.12g %s\\n\", s, t, x.state.a, wheel_column_names[0]);\n  return s;\n}\n");
  for (const std::string name : {"wheel.o", "wheel.a", "wheel.so"}) {
    const Outcome built = w.lmc({"build", "wheel.lie", "-o", name});
    ASSERT_EQ(built.status, 0) << built.err;
    EXPECT_EQ(run(w, "cc main.c ./" + name + " -lm -o main"), "");
    EXPECT_EQ(run(w, "./main"), "0 1 1 a\n") << name;
  }
  EXPECT_EQ(run(w, "cat wheel.h > wheel.hpp && c++ -std=c++11 -Wall -Wextra -Wpedantic -fsyntax-only -x c++ wheel.hpp"),
            "");
  // two objects in one program
  ASSERT_EQ(w.lmc({"build", "wheel.lie", "-o", "other.o", "--cpu", "native", "--json"}).status, 0);
  EXPECT_EQ(run(w, "cc main.c wheel.o other.o -lm -o main && ./main"), "0 1 1 a\n");
}

TEST(AheadTool, TheMainProgramPrintsTheTableOfARun) {
  const Workspace w;
  ASSERT_EQ(w.lmc({"export", "--c", acceptance::example("heavy_top"), "-o", "top.c", "--main"}).status, 0);
  EXPECT_EQ(run(w, "cc -O1 -std=c99 -Wall -Wextra -Wpedantic top.c -lm -o top"), "");
  std::istringstream mine(run(w, "./top 0.01"));
  ASSERT_EQ(
      w.lmc({"run", acceptance::example("heavy_top"), "--time", "0..0.01", "--output", "top.csv", "--quiet"}).status,
      0);
  std::istringstream theirs(readFile(w.path("top.csv")));
  std::string a, b;
  int lines = 0;
  for (; std::getline(theirs, b); ++lines) {
    ASSERT_TRUE(std::getline(mine, a));
    if (lines == 0) {
      EXPECT_EQ(a, b);
      continue;
    }
    std::istringstream x(a), y(b);
    std::string p, q;
    while (std::getline(y, q, ',') && std::getline(x, p, ','))
      EXPECT_NEAR(std::stod(p), std::stod(q), 1e-11 * std::max(1.0, std::abs(std::stod(q)))) << lines;
  }
  EXPECT_EQ(lines, 12);
  EXPECT_FALSE(std::getline(mine, a));
  for (const char* wrong : {"x", "nan", "0", "1 0", "1 -1", "1 1e-300", "1 1e-3 0.5", "1 1e-3 0", "1 1e-3 1 1"}) {
    const std::string said = run(w, std::string("./top ") + wrong + " 2>&1; echo status $?");
    EXPECT_NE(said.find("usage: ./top [END [STEP [EVERY]]]"), std::string::npos) << wrong << "\n" << said;
    EXPECT_NE(said.find("status 2"), std::string::npos) << wrong;
  }
}

TEST(AheadTool, TheSameTextEveryTime) {
  const Workspace w;
  for (const char* name : {"a.c", "b.c"})
    ASSERT_EQ(w.lmc({"export", "--c", acceptance::example("two_quadrotors"), "-o", name, "--prefix", "quad"}).status,
              0);
  std::string a = readFile(w.path("a.c"));
  for (std::size_t k = a.find("a.h"); k != std::string::npos; k = a.find("a.h", k)) a.replace(k, 3, "b.h");
  EXPECT_EQ(a, readFile(w.path("b.c")));
  EXPECT_EQ(readFile(w.path("a.h")), readFile(w.path("b.h")));
}

TEST(AheadTool, NamesThatAreNoIdentifiersInC) {
  const Workspace w;
  w.write("odd.lie", "model Odd {\n  param double = 2;\n  param λ_1 = 3;\n  config Ω : R^1 velocity int;\n"
                     "  lagrangian = 0.5*double*λ_1*int^2;\n  observe exp2 = Ω;\n  initial Ω = 0; initial int = 1;\n"
                     "  simulate { method = RKMK4; time = 0..1; step = 0.1; }\n}\n");
  const Outcome o = w.lmc({"export", "--c", "odd.lie", "-o", "odd.c"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(run(w, "cc -std=c99 -Wall -Wextra -Wpedantic -Wshadow -c odd.c"), "");
  const std::string header = readFile(w.path("odd.h"));
  for (const char* name : {"double double_;", "double lambda_1;", "double Omega;", "double int_;", "double int_dot;"})
    EXPECT_NE(header.find(name), std::string::npos) << name << "\n" << header;
}

struct Wrong {
  Arguments arguments;
  int status;
  std::string says;
};

class AheadUsage : public testing::TestWithParam<Wrong> {};

TEST_P(AheadUsage, IsToldClearly) {
  const Workspace w;
  w.write("wheel.lie", wheel);
  std::string free = wheel;
  free.erase(free.find("method = RKMK4; "), 16);
  w.write("free.lie", free);
  w.write("none.lie", "manifold Nothing { }\n");
  const Outcome o = w.lmc(GetParam().arguments);
  EXPECT_EQ(o.status, GetParam().status) << o.err;
  EXPECT_NE(o.err.find(GetParam().says), std::string::npos) << o.err;
}

INSTANTIATE_TEST_SUITE_P(
    Usage, AheadUsage,
    testing::Values(Wrong{{"build"}, 2, "the file is missing"},
                    Wrong{{"build", "wheel.lie", "-o", "x.dll"}, 2, "ends in .o, .a, .so"},
                    Wrong{{"export", "wheel.lie", "-o", "x.c"}, 2, "--c for C99 source"},
                    Wrong{{"export", "--c", "wheel.lie", "-o", "x.f90"}, 2, "ends in .c"},
                    Wrong{{"build", "wheel.lie", "-o", "2x.o"}, 2, "`2x` cannot begin names in C"},
                    Wrong{{"build", "wheel.lie", "-o", "x.o", "--prefix", "double"}, 2, "choose another --prefix"},
                    Wrong{{"build", "wheel.lie", "-o", "sin.o"}, 2, "`sin` cannot begin names in C"},
                    Wrong{{"build", "wheel.lie", "-o", "system.o"}, 2, "`system` cannot begin names in C"},
                    Wrong{{"export", "--c", "wheel.lie", "-o", "lmc.c"}, 2, "`lmc` cannot begin names in C"},
                    Wrong{{"export", "--c", "wheel.lie", "-o", "number.c"}, 2, "`number` cannot begin names in C"},
                    Wrong{{"build", "wheel.lie", "-o", "no/folder/x.o"}, 2, "cannot write `no/folder/x.h`"},
                    Wrong{{"build", "wheel.lie", "-o", "x.o", "--cpu", "z80"}, 2, "there is no processor `z80`"},
                    Wrong{{"build", "wheel.lie", "--output"}, 2, "needs a value"},
                    Wrong{{"build", "free.lie", "-o", "x.o"}, 1, "no method is chosen"},
                    Wrong{{"export", "--c", "none.lie", "-o", "x.c"}, 1, ""},
                    Wrong{{"build", "wheel.lie", "-o", "x.o", "--method", "Nix"}, 1, "Nix"}));

TEST(AheadTool, ASharedLibraryWithoutALinker) {
  const Workspace w;
  w.write("wheel.lie", wheel);
  setenv("CC", "/nowhere/cc", 1);
  const Outcome o = w.lmc({"build", "wheel.lie", "-o", "wheel.so"});
  unsetenv("CC");
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("an object (.o) or an archive (.a)"), std::string::npos) << o.err;
}

} // namespace
} // namespace lmc::test
