// What resets leave alone, and what they cost: bits, manifolds and momenta behind them, evaluations, operations.
#include "acceptance/Runs.h"
#include "acceptance/Trajectory.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// A body that turns in a field, with further statements.
std::string body(const std::string& more) {
  return R"(model Body {
  param J : mat(3,3) = diag(1, 2, 3);
  config R : SO(3) velocity W;
  lagrangian = 0.5*dot(W, J*W) - 3*dot(e3, R*e1);
)" + more +
         R"(  initial W = [1, 2, 0.3];
  simulate { method = RKMK4; time = 0..20; step = 0.01; output every 20; }
}
)";
}

const char* const counted = "  discrete n : int = 0;\n  event turns = dot(e1, R*e2) { reset n = n + 1; }\n";

/// The lines of a listing from one that begins with `head` to the next brace.
std::string functionOf(const std::string& listing, const std::string& head) {
  const std::size_t from = listing.find("\n" + head);
  return from == std::string::npos ? std::string() : listing.substr(from, listing.find("\n}", from) - from);
}

} // namespace

/// Numbers for which nothing has to hold are not a reason to touch the rest: with blocks that count, a run has the bits
/// of one without, as long as steps end at the same times; what is on a manifold is looked at all the same.
TEST(Resets, OfNumbersAloneLeaveTheStateAsItIs) {
  const Workspace w;
  const std::string held = "  config x : R^3 velocity v;\n  constraint pin : R*e1 = x;\n  initial adjust x, v;\n"
                           "  initial x = e1;\n  initial v = R*cross(W, e1);\n";
  for (const bool constrained : {false, true}) {
    SCOPED_TRACE(constrained);
    const auto model = [&](const std::string& more) {
      std::string text = body((constrained ? held : "") + more);
      if (constrained) text.replace(text.find("0.5*dot(W"), 3, "0.5*dot(v, v) + 0.5");
      return text;
    };
    const Trajectory plain = runModel(w, w.write("p.lie", model("")).string(), {"--every", "0.5"});
    const Trajectory counts =
        runModel(w,
                 w.write("c.lie", model("  discrete n : int = 0;\n  discrete z : vec(2) = [0, 0];\n"
                                        "  every 0.1 { reset n = n + 1; reset z = [z[2], t]; }\n"))
                     .string(),
                 {"--every", "0.5"});
    ASSERT_EQ(plain.rows.size(), 41U);
    ASSERT_EQ(counts.rows.size(), 41U);
    EXPECT_EQ(counts.last("n"), 201);
    for (std::size_t k = 0; k < plain.rows.size(); ++k)
      for (const std::string& name : plain.columns) EXPECT_EQ(plain.at(k, name), counts.at(k, name)) << name;
  }
}

/// Discrete variables on manifolds: at the begin and behind blocks they are where they have to be, members, too.
TEST(Resets, LeavePointsOnTheirManifolds) {
  const Workspace w;
  const auto marks = [&](const std::string& begin, const std::string& then) {
    return body("  discrete mark[i in 1..2, j in 1..3] : S^2 = " + begin +
                ";\n  discrete turned : SO(3) = eye(3);\n  every 0.1 { reset mark[2, 3] = " + then +
                "; reset turned = turned*SO(3).exp([0, 0, t]); }\n");
  };
  const Trajectory run = runModel(w, w.write("m.lie", marks("e3", "[0, 0.6, 0.8 + 1e-10]")).string(), {});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(std::hypot(run.last("mark[2][3][2]"), run.last("mark[2][3][3]")), 1, 1e-15);
  const double angle = 0.1 * 200 * 201 / 2; // of all times together
  EXPECT_NEAR(run.last("turned[1][1]"), std::cos(angle), 1e-12);
  const std::string behind = failure(w, marks("e3", "[0, 0.6, 0.9]"));
  EXPECT_NE(behind.find("LIE0533"), std::string::npos) << behind;
  EXPECT_NE(behind.find("mark"), std::string::npos) << behind;
  EXPECT_NE(behind.find("not on its manifold"), std::string::npos) << behind;
  const std::string begin = failure(w, marks("[0, 0, 1.1]", "e3"));
  EXPECT_NE(begin.find("mark"), std::string::npos) << begin;
  EXPECT_NE(begin.find("manifold"), std::string::npos) << begin;
}

/// A pendulum between two heights, which turn the velocity along the meridian round: the momentum about the vertical is
/// that of the begin, through steps of all lengths.
TEST(Resets, KeepMomentaUnderVariationalMethods) {
  const Workspace w;
  const std::string model = R"(model Between {
  config q : S^2 velocity w;
  lagrangian = 0.5*dot(w, w) - 9.81*q[3];
  let n = normalize(cross(e3, q));
  event level = (q[3] + 0.8)*(q[3] + 0.3) { reset w = w - 2*dot(w, n)*n; }
  initial q = [0.8, 0, -0.6];
  initial w = [0.6, 1.2, 0.8]*1.3;
  observe momentum = dot(e3, w);
  simulate { method = VIMidpoint; step = 0.02; time = 0..300; output every 0.5; }
}
)";
  for (const char* method : {"VIMidpoint", "VITrapezoid", "VI4"}) {
    SCOPED_TRACE(method);
    const nlohmann::json told = runOf(w, model, {"--method", method, "--output", w.path("o.csv").string()});
    EXPECT_GT(told["jumps"][0]["count"], 400);
    EXPECT_LT(told["energy_error"].get<double>(), 5e-3);
    const auto run = parseCsv(readFile(w.path("o.csv")));
    ASSERT_TRUE(run);
    for (std::size_t r = 0; r < run->rows.size(); ++r)
      ASSERT_NEAR(run->at(r, "momentum"), run->at(0, "momentum"), 1e-12) << run->at(r, "t");
  }
}

/// What an event costs beside the steps of the run, in evaluations of f: two looks for its time, and the second piece
/// of its step.
TEST(Resets, CostThreeStepsAtMost) {
  const Workspace w;
  for (const std::string method : {"RKMK4", "CF4", "CG4", "RKMK78"}) {
    SCOPED_TRACE(method);
    const nlohmann::json plain = runOf(w, body(""), {"--method", method});
    const nlohmann::json met = runOf(w, body(counted), {"--method", method});
    const double count = met["jumps"][0]["count"], step = double(plain["evaluations"]) / double(plain["steps"]);
    EXPECT_GT(count, 10);
    EXPECT_LE((double(met["evaluations"]) - double(plain["evaluations"])) / count, 3 * step);
  }
}

/// A model without events, samplings and contacts has none of their functions, and takes the evaluations of its steps
/// alone; its step is, operation by operation, that of the model with them.
TEST(Resets, CostNothingWhereThereAreNone) {
  const Workspace w;
  const auto tape = [&](const std::string& model) {
    return w.lmc({"dump", w.write("m.lie", model).string(), "--stage", "tape"}).out;
  };
  const std::string with = counted + std::string("  every 0.1 { reset n = n + 1; }\n");
  const std::string plain = tape(body("")), met = tape(body(with));
  for (const char* const head : {"function events(", "function reset of turns(", "function ticks("}) {
    EXPECT_EQ(plain.find(head), std::string::npos) << head;
    EXPECT_NE(met.find(head), std::string::npos) << head;
  }
  const std::string step = functionOf(plain, "function step(");
  EXPECT_GT(std::count(step.begin(), step.end(), '\n'), 100);
  EXPECT_EQ(step, functionOf(met, "function step("));
  const nlohmann::json run = runOf(w, body(""));
  EXPECT_EQ(run["steps"], 2000);
  EXPECT_EQ(run["evaluations"], 4 * 2000);
  // To watch an event that never happens takes no more than one that does, in the whole run.
  EXPECT_LE(runOf(w, body("  event never = falling(1e9 - dot(W, W));\n"))["evaluations"], 4 * (2000 + 3));
  // Samplings on the grid of the steps cost none either.
  EXPECT_EQ(runOf(w, body("  discrete n : int = 0;\n  every 0.1 { reset n = n + 1; }\n"))["evaluations"], 4 * 2000);
}
