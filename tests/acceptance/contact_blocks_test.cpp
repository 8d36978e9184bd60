// Blocks that turn and touch a floor, or each other, with their corners: with friction more forces than motions.
#include "acceptance/Runs.h"
#include "acceptance/Trajectory.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// Every sample's largest rise of the energy behind the sample before.
double largestRise(const Trajectory& run) {
  double most = 0;
  for (std::size_t k = 1; k < run.rows.size(); ++k)
    most = std::max(most, run.at(k, "energy") - run.at(k - 1, "energy"));
  return most;
}

/// Blocks with two corners each on a floor, in coordinates of which sines and cosines of angles are left. `tilts`: by
/// how much each block is turned at the begin, above 0 to the left.
std::string blocks(const std::vector<double>& tilts, int corners = 2) {
  std::string text = "model Blocks {\n  param a = 0.5;  param h = 0.2;  param mu = 0.4;\n", lagrangian;
  for (std::size_t b = 0; b < tilts.size(); ++b) {
    const std::string n = std::to_string(b + 1);
    text += "  config x" + n + " : R^2 velocity v" + n + ";  config q" + n + " : R velocity w" + n + ";\n";
    lagrangian +=
        (b > 0 ? " + " : "") + ("0.5*dot(v" + n + ", v" + n + ") + (a^2 + h^2)/6*w" + n + "^2 - 9.81*x" + n) + "[2]";
    for (int k = 0; k < corners; ++k) {
      const std::string x = k % 2 == 0 ? "-a" : "a", y = k < 2 ? "-h" : "h";
      const std::string below = "(" + x + "*sin(q" + n + ") + " + y + "*cos(q" + n + "))";
      text += "  contact c" + n + std::to_string(k) + " : x" + n + "[2] + " + below +
              " >= 0 { friction = mu; slip = v" + n + "[1] - w" + n + "*" + below + "; }\n";
    }
    text += "  initial x" + n + " = [" + std::to_string(2 * b) + ", 1];  initial q" + n + " = " +
            std::to_string(tilts[b]) + ";\n";
  }
  return text + "  lagrangian = " + lagrangian + ";\n  simulate { method = RKMK4; time = 0..6; step = 0.01; }\n}\n";
}

/// The upper one of two blocks stands with one corner on the lower one, which has a corner on the floor.
const char* const mutualBlocks = R"(model M {
  param a = 0.5;  param h = 0.2;  param mu = 0.4;  param e = 0.3;
  config x : R^2 velocity v;  config q : R velocity w;
  config y : R^2 velocity u;  config p : R velocity z;
  fn rot(s) = [[cos(s), -sin(s)], [sin(s), cos(s)]];
  lagrangian = 0.5*dot(v, v) + (a^2 + h^2)/6*w^2 - 9.81*x[2] + 0.5*dot(u, u) + (a^2 + h^2)/6*z^2 - 9.81*y[2];
  let c = y + rot(p)*[-a, -h];
  let d = transpose(rot(q))*(c - x);
  let b = x + rot(q)*[-a, -h];
  contact upper : d[2] >= h { friction = mu; restitution = e; slip = dot(rot(q)*[1, 0], c' - v - w*rot(q)*[-d[2], d[1]]); }
  contact lower : b[2] >= 0 { friction = mu; restitution = e; slip = b'[1]; }
  initial x = [0, 0.5];  initial q = 0.1;  initial y = [0.1, 1.2];  initial p = -0.1;
  observe momentum = v[1] + u[1];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";

} // namespace

/// From the fall on one corner to rest on both: heights, energy that does not rise, forces that carry the weight.
TEST(ContactBlocks, TiltedAndFlatBlocksComeToRest) {
  const Workspace w;
  for (const std::vector<double>& tilts : {std::vector<double>{0.3}, std::vector<double>{0},
                                           std::vector<double>{0.3, -0.4}, std::vector<double>{0, 0.1}}) {
    const Trajectory run = runModel(w, w.write("m.lie", blocks(tilts)).string(), {});
    ASSERT_FALSE(run.rows.empty());
    EXPECT_LT(largestRise(run), 1e-12);
    for (std::size_t b = 1; b <= tilts.size(); ++b) {
      SCOPED_TRACE(b);
      const std::string n = std::to_string(b);
      EXPECT_NEAR(run.last("x" + n + "[2]"), 0.2, 1e-12);
      EXPECT_NEAR(run.last("q" + n), 0, 1e-12);
      for (const std::string& v : {"v" + n + "[1]", "v" + n + "[2]", "w" + n}) EXPECT_NEAR(run.last(v), 0, 1e-12);
      EXPECT_GE(run.last("c" + n + "0.mode"), 1);
      EXPECT_GE(run.last("c" + n + "1.mode"), 1);
      if (tilts[b - 1] != 0 || tilts.size() > 1) continue;
      // It has come straight down with sqrt(2 g 0.8); nothing pushes it aside.
      EXPECT_NEAR(run.last("c" + n + "0.impulse") + run.last("c" + n + "1.impulse"), std::sqrt(2 * 9.81 * 0.8), 1e-11);
      EXPECT_NEAR(run.last("c" + n + "0.slip.impulse"), 0, 1e-12);
      EXPECT_NEAR(run.last("x" + n + "[1]"), 2.0 * static_cast<double>(b - 1), 1e-12);
    }
  }
}

/// A plastic impact of one corner that sticks, by the laws of impulses of a rigid body.
TEST(ContactBlocks, ATiltedBlockHitsByTheLawsOfImpulses) {
  const Workspace w;
  const Trajectory run = runModel(w, w.write("m.lie", blocks({0.3})).string(), {"--time", "0..0.4"});
  // The left corner is r from the centre; its speed is v + w x r = 0 behind the impact: three equations for v and w.
  const double x = -0.5 * std::cos(0.3) + 0.2 * std::sin(0.3), y = -0.5 * std::sin(0.3) - 0.2 * std::cos(0.3);
  const double speed = std::sqrt(2 * 9.81 * (1 + y)), inertia = (0.25 + 0.04) / 3;
  // Without a slip P = -(M of the corner) (0, -speed): the matrix of the corner is 1/m + (J r)(J r)^T/I.
  const double xx = 1 + y * y / inertia, yy = 1 + x * x / inertia, xy = -x * y / inertia, det = xx * yy - xy * xy;
  double normal = speed * xx / det, pull = -speed * xy / det;
  if (std::abs(pull) > 0.4 * normal) { // it slips against the friction
    const double side = pull > 0 ? 1 : -1;
    normal = speed / (yy + 0.4 * side * xy);
    pull = 0.4 * side * normal;
  }
  EXPECT_NEAR(run.last("c10.impulse"), normal, 1e-11);
  EXPECT_NEAR(run.last("c10.slip.impulse"), pull, 1e-11);
}

/// Two impacts that send each other's body back, and a text that memory of contacts was read from before.
TEST(ContactBlocks, BlocksOnBlocksRun) {
  const Workspace w;
  const Trajectory run = runModel(w, w.write("m.lie", mutualBlocks).string(), {});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_EQ(run.last("t"), 1);
  EXPECT_LT(largestRise(run), 1e-11);
  // Only the floor changes the momentum along it; at an impact by what the contact says.
  double before = run.at(0, "lower.slip.impulse");
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    const double now = run.at(k, "lower.slip.impulse");
    const bool jump = run.at(k, "t") == run.at(k - 1, "t");
    if (jump && now != before)
      EXPECT_NEAR(run.at(k, "momentum") - run.at(k - 1, "momentum"), now, 1e-11) << run.at(k, "t");
    before = now;
  }
}

/// Single contacts: each with each, and no more.
TEST(ContactBlocks, CodeGrowsWithTheSquareOfTheNumberOfContacts) {
  const Workspace w;
  const auto lines = [&](const std::vector<double>& tilts, int corners) {
    const std::string file = w.write("m.lie", blocks(tilts, corners)).string();
    const std::string tape = w.lmc({"dump", file, "--stage", "tape"}).out;
    return std::count(tape.begin(), tape.end(), '\n');
  };
  const auto three = lines({0.1}, 3), six = lines({0.1, 0.2}, 3), twelve = lines({0.1, 0.2, 0.3}, 4);
  EXPECT_GT(three, 100);
  EXPECT_LE(six, 4 * three);
  EXPECT_LE(twelve, 4 * six);
  EXPECT_LE(twelve, 80'000);
}

/// A family of contacts on a family of bodies has no more code than single ones.
TEST(ContactBlocks, CodeOfFamiliesGrowsWithTheSquareOfTheirNumber) {
  const Workspace w;
  const auto lines = [&](int count) {
    std::string text = readFile(example("blocks"));
    const auto replace = [&](const std::string& from, const std::string& to) {
      for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    };
    replace("b in 1..2", "b in 1.." + std::to_string(count));
    replace("A[2] :", "A[" + std::to_string(count) + "] :");
    const std::string tape = w.lmc({"dump", w.write("m.lie", text).string(), "--stage", "tape"}).out;
    return std::count(tape.begin(), tape.end(), '\n');
  };
  const auto three = lines(3), six = lines(6);
  EXPECT_GT(three, 100);
  EXPECT_LE(six, 4 * three);
  EXPECT_LE(six, 100'000);
}

/// Friction holds a thrown block; its slide begins where it has come down flat.
TEST(ContactBlocks, TheBlocksOfTheExampleComeToRest) {
  const Workspace w;
  const Trajectory run = runModel(w, w.write("m.lie", readFile(example("blocks"))).string(), {});
  EXPECT_LT(largestRise(run), 1e-12);
  for (const std::string b : {"1", "2"}) {
    EXPECT_NEAR(run.last("A.x[" + b + "][2]"), 0.2, 1e-12);
    for (const std::string k : {"1", "2"}) EXPECT_EQ(run.last("floor.mode[" + b + "][" + k + "]"), 2);
  }
}

/// The corner that comes down first opens again: the block turns so fast that its acceleration is 4e-5 of the weight,
/// the other way. So its rate behind the impact is rounding of any sign, and its gap grows to 1e-13 before it closes.
TEST(ContactBlocks, ACornerThatBarelyLeavesTheFloorComesBack) {
  const Workspace w;
  for (const char* by : {"0", "1e-12", "-1e-12", "2e-12", "-2e-12", "3e-12", "5e-12", "-5e-12"}) {
    SCOPED_TRACE(by);
    std::string text = readFile(example("blocks"));
    const std::string height = "[0.8, 1.2]";
    text.replace(text.find(height), height.size(), std::string("[0.8, 1.2 + ") + by + "]");
    const Trajectory run = runModel(w, w.write("m.lie", text).string(), {});
    EXPECT_LT(largestRise(run), 1e-12);
    for (std::size_t k = 0; k < run.rows.size(); ++k) {
      const double lowest = run.at(k, "A.x[2][2]") - 0.5 * std::abs(run.at(k, "A.R[2][2][1]")) -
                            0.2 * std::abs(run.at(k, "A.R[2][2][2]"));
      ASSERT_GT(lowest, -1e-9) << "t = " << run.at(k, "t");
    }
  }
}
