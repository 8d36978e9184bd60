// Threads inside of steps: the files of a run do not depend on their number.
#include "Files.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::files;
using lmc::acceptance::Workspace;

namespace {

/// Two families of different sizes that attract themselves and each other.
constexpr const char* cloud = R"(model Cloud {
  param N : int = 701;
  param K : int = 333;
  config x[N] : R^3 momentum p;
  config y[K] : R^3 momentum r;
  fn V(d) = -1e-3/sqrt(0.1 + dot(d, d));
  hamiltonian = sum(i in 1..N: dot(p[i], p[i])/2) + sum(k in 1..K: dot(r[k], r[k])/3)
              + sum(i in 1..N, j in i+1..N: V(x[i] - x[j]))
              + sum(i in 1..N, k in 1..K: V(x[i] - y[k]));
  initial x[i in 1..N] = normal(0, 1, 3);
  initial y[k in 1..K] = normal(0, 2, 3);
  event fast = rising(dot(p[1], p[1]) - LIMIT);
  simulate { method = RKMK4; time = 0..1; step = 0.05; seed = 3; }
}
)";

/// The event comes when the first point, at rest at the begin, has this square of momentum.
std::string cloudWith(const std::string& limit) {
  std::string text = cloud;
  return text.replace(text.find("LIMIT"), 5, limit);
}

void expectSameFiles(const std::string& model, const std::string& settings) {
  const Workspace w;
  w.write("m.lie", model);
  std::string whole;
  for (const char* threads : {"", "--threads 1", "--threads 2", "--threads 3", "--threads 8", "--threads 64"}) {
    const Said said = shell(w, "$LMC run m.lie --quiet --output a.csv " + std::string(threads) + " " + settings);
    ASSERT_EQ(said.status, 0) << said.err;
    const std::string text = shell(w, "cat a.csv").out;
    ASSERT_GT(text.size(), 1000U);
    if (whole.empty()) whole = text;
    EXPECT_EQ(text == whole, true) << settings << ' ' << threads;
  }
}

} // namespace

TEST(Threads, AreUsedByThisModel) {
  const Workspace w;
  w.write("m.lie", cloudWith("1e9"));
  EXPECT_NE(shell(w, "$LMC dump m.lie --stage tape").out.find("loop independent"), std::string::npos);
  EXPECT_EQ(shell(w, "$LMC dump m.lie --stage tape --set N=40 --set K=30").out.find("loop independent"),
            std::string::npos);
}

TEST(Threads, FixedAdaptiveAndSymplecticRunsHaveTheSameBytes) {
  for (const char* settings :
       {"", "--method RKMK54 --tolerance 1e-7", "--method LSV", "--time 0..0.7 --every 0.123", "--set N=7 --set K=100"})
    expectSameFiles(cloudWith("1e9"), settings);
}

TEST(Threads, EventsAreFoundAtTheSameTime) {
  const Workspace w;
  w.write("m.lie", cloudWith("1e-3"));
  ASSERT_EQ(shell(w, "$LMC run m.lie --quiet --output a.csv").status, 0);
  const Rows rows = *rowsOf(w.path("a.csv"));
  EXPECT_LT(rows.size(), 21U); // the run has ended before its time
  expectSameFiles(cloudWith("1e-3"), "");
  expectSameFiles(cloudWith("1e-3"), "--method RKMK54 --tolerance 1e-6");
}

TEST(Threads, ACheckpointGoesOnWithAnotherNumber) {
  const Workspace w;
  w.write("m.lie", cloudWith("1e9"));
  ASSERT_EQ(shell(w, "$LMC run m.lie --quiet --threads 1 --output whole.csv").status, 0);
  const std::string run = "$LMC run m.lie --quiet --checkpoint c.json ";
  ASSERT_EQ(shell(w, run + "--threads 3 --max-steps 7 --output a.csv").status, 3);
  ASSERT_EQ(shell(w, run + "--threads 2 --resume c.json --output b.csv").status, 0);
  auto rows = *rowsOf(w.path("a.csv"));
  const auto rest = *rowsOf(w.path("b.csv"));
  rows.insert(rows.end(), rest.begin(), rest.end());
  EXPECT_EQ(rows == *rowsOf(w.path("whole.csv")), true);
}

/// Members that see their neighbours alone, and members that stand alone.
constexpr const char* gas = R"(model Gas {
  param N : int = 1300;
  param K : int = 4000;
  param rc = 1.1;
  config x[N] : R^3 momentum p;
  config q[K] : S^2 momentum m;
  hamiltonian = sum(i in 1..N: dot(p[i], p[i])/2) + sum(k in 1..K: dot(m[k], m[k])/2 - q[k][3])
              + sum(i in 1..N, j in i+1..N where norm(x[i] - x[j]) < rc: (rc - norm(x[i] - x[j]))^3);
  initial x[i in 1..N] = normal(0, 3, 3);
  initial q[k in 1..K] = random(S^2);
  simulate { method = RKMK4; time = 0..0.3; step = 0.05; seed = 3; }
}
)";

TEST(Threads, NeighboursAndMembersHaveTheSameBytes) {
  const Workspace w;
  w.write("m.lie", gas);
  const std::string tape = shell(w, "$LMC dump m.lie --stage tape").out;
  EXPECT_NE(tape.find("loop owned"), std::string::npos);
  EXPECT_NE(tape.find("loop independent"), std::string::npos);
  const std::string few = shell(w, "$LMC dump m.lie --stage tape --set N=100 --set K=30").out;
  EXPECT_EQ(few.find("loop owned"), std::string::npos);
  EXPECT_EQ(few.find("loop independent"), std::string::npos);
  for (const char* settings : {"", "--method RKMK54 --tolerance 1e-6"}) expectSameFiles(gas, settings);
}

TEST(Threads, WrongNumbersAreTold) {
  const Workspace w;
  w.write("m.lie", topModel);
  for (const char* wrong : {"0", "-1", "x", "1e3", "5000"}) {
    const Said said = shell(w, std::string("$LMC run m.lie --threads ") + wrong);
    EXPECT_EQ(said.status, 2) << said.err;
    EXPECT_NE(said.err.find("--threads"), std::string::npos) << said.err;
  }
}
