// Steps of instantiated methods: frames, orders, what a step keeps exactly, and the table of docs/conventions.md,
// section 6.
#include "mechanics/Derived.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

using namespace lmc;
using namespace lmc::test;

namespace {

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The text of `keyword name …` in a file of the library, up to its closing brace.
std::string declaration(const std::string& file, const std::string& head) {
  const std::string text = contents(std::string(LMC_SOURCE_DIR) + file);
  const std::size_t begin = text.find("\n" + head) + 1;
  return text.substr(begin, text.find("\n}", begin) + 3 - begin);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// A body with an asymmetric inertia in a potential, in body or in space.
std::string top(const std::string& frame, const std::string& group = "SO(3)") {
  const std::string omega = frame.empty() ? "w" : "(transpose(R)*w)";
  return "model T {\n  config R : " + group + " velocity w" + frame + ";\n  lagrangian = 0.5*dot(" + omega +
         ", diag(1, 2, 3)*" + omega + ") - dot(e3, R*[0.5, 1, 0.3]);\n  initial w = [0.4, 1, -0.7];\n}\n";
}

double distance(const Numbers& a, const Numbers& b) {
  double d = 0;
  for (std::size_t k = 0; k < a.size(); ++k) d = std::max(d, std::abs(a[k] - b[k]));
  return d;
}

/// The order measured between n and 2n steps over one unit of time, against a fine solution.
double order(Derived& d, const std::string& method, int n) {
  const auto step = d.step(method);
  const auto fine = d.step("RKMK4full");
  if (!step || !fine) return -1;
  const Numbers exact = d.run(*fine, 1.0 / 400, 400)[0];
  const double coarse = distance(d.run(*step, 1.0 / n, n)[0], exact);
  return std::log2(coarse / distance(d.run(*step, 0.5 / n, 2 * n)[0], exact));
}

} // namespace

TEST(OwnMethod, EqualsTheShippedOneBitwise) {
  const std::string own = replaced(declaration("/runtime/steppers/rkmk.lie", "method RKMK4 "), "RKMK4", "Mine");
  for (const char* frame : {"", " in space"}) {
    Derived d(own + top(frame));
    ASSERT_TRUE(d.good) << d.c.text();
    const auto mine = d.step("Mine");
    const auto shipped = d.step("RKMK4");
    ASSERT_TRUE(mine && shipped) << d.c.text();
    EXPECT_EQ(mine->order, 4);
    EXPECT_EQ(mine->evaluations, 4);
    EXPECT_EQ(d.run(*mine, 0.1, 5), d.run(*shipped, 0.1, 5));
  }
}

TEST(OwnTableau, EqualsTheShippedOneBitwise) {
  Derived d("tableau Own {\n  a = [[0, 0], [1/2, 0]];\n  b = [0, 1];\n  order 2;\n}\nmethod Mine = rkmk(Own);\n" +
            top(""));
  ASSERT_TRUE(d.good) << d.c.text();
  const auto mine = d.step("Mine");
  const auto shipped = d.step("RKMK2");
  ASSERT_TRUE(mine && shipped) << d.c.text();
  EXPECT_EQ(d.run(*mine, 0.1, 5), d.run(*shipped, 0.1, 5));
}

TEST(Frames, OrderIsFourInBoth) {
  for (const char* frame : {"", " in space"}) {
    for (const char* method : {"RKMK4", "CF4", "RKMK4full"}) {
      Derived d(top(frame));
      ASSERT_TRUE(d.good) << d.c.text();
      EXPECT_NEAR(order(d, method, 10), 4, 0.35) << method << frame;
    }
  }
}

TEST(Frames, AWrongSignOfACommutatorIsSeen) {
  const std::string rkmk4 = declaration("/runtime/steppers/rkmk.lie", "method RKMK4 ");
  const std::string first = replaced(replaced(rkmk4, "RKMK4", "First"), "- [k1,k2]/8", "+ [k1,k2]/8");
  const std::string second = replaced(replaced(rkmk4, "RKMK4", "Second"), "- [k1,k4]/2", "+ [k1,k4]/2");
  for (const char* frame : {"", " in space"}) {
    Derived d(first + second + top(frame));
    ASSERT_TRUE(d.good) << d.c.text();
    EXPECT_NEAR(order(d, "First", 20), 3, 0.35) << frame;
    EXPECT_NEAR(order(d, "Second", 20), 2, 0.35) << frame;
  }
}

TEST(Frames, AnExactDexpinvGivesTheSameMotionInBoth) {
  Derived body(top(""));
  Derived space(top(" in space"));
  ASSERT_TRUE(body.good && space.good) << body.c.text() << space.c.text();
  const auto inBody = body.step("RKMK4full");
  const auto inSpace = space.step("RKMK4full");
  ASSERT_TRUE(inBody && inSpace);
  // over time 1 with 20 and 40 steps: the difference is one of the methods' order
  const double coarse = distance(body.run(*inBody, 0.05, 20)[0], space.run(*inSpace, 0.05, 20)[0]);
  const double fine = distance(body.run(*inBody, 0.025, 40)[0], space.run(*inSpace, 0.025, 40)[0]);
  EXPECT_GT(coarse / fine, 11);
  EXPECT_LT(fine, 1e-6);
}

TEST(Frames, TheRightmostExponentialActsFirst) {
  const std::string m = "method M order 1 {\n  a = h*f(t, y);\n  b = h*f(t + 1, y);\n  next y = exp(a)*exp(b)*y;\n}\n";
  const std::string state = "model S {\n  state R : SO(3)@;\n  initial R = eye(3);\n"
                            "  flow R = if t < 0.5 then pi/2*e1 else pi/2*e3;\n}\n";
  Derived space(m + replaced(state, "@", " in space"));
  ASSERT_TRUE(space.good) << space.c.text();
  const auto inSpace = space.step("M");
  ASSERT_TRUE(inSpace) << space.c.text();
  const Numbers R = space.run(*inSpace, 1, 1)[0];
  expectNear({R[0], R[3], R[6]}, {0, 0, 1}, 1e-15, "space: R e1 = e3");
  Derived body(m + replaced(state, "@", ""));
  ASSERT_TRUE(body.good) << body.c.text();
  const auto inBody = body.step("M");
  ASSERT_TRUE(inBody) << body.c.text();
  const Numbers B = body.run(*inBody, 1, 1)[0];
  expectNear({B[0], B[3], B[6]}, {0, 1, 0}, 1e-15, "body: R e1 = e2");
}

TEST(TruncatedDexpinv, KeepsTheOrder) {
  const std::string cut = "method Cut order 4 = rkmk(ClassicalRK4, truncate = 2);\n";
  for (const char* frame : {"", " in space"}) {
    Derived exact(top(frame));
    Derived series(cut + top(frame));
    ASSERT_TRUE(exact.good) << exact.c.text();
    ASSERT_TRUE(series.good) << series.c.text();
    EXPECT_NEAR(order(series, "Cut", 10), 4, 0.4) << frame;
    const auto a = exact.step("RKMK4full");
    const auto b = series.step("Cut");
    ASSERT_TRUE(a && b);
    const double coarse = distance(exact.run(*a, 0.1, 10)[0], series.run(*b, 0.1, 10)[0]);
    const double fine = distance(exact.run(*a, 0.05, 20)[0], series.run(*b, 0.05, 20)[0]);
    EXPECT_GT(coarse, 1e-15) << "one of them must use the series";
    EXPECT_GT(coarse / fine, 11) << frame;
  }
}

/// A group that gives no dexpinv steps as one that does: the closed form follows from its bracket.
TEST(DerivedDexpinv, IsTheClosedForm) {
  std::string group = replaced(declaration("/stdlib/SO3.lie", "group SO(3) "), "SO(3)", "Turn(3)");
  const std::size_t begin = group.find("dexpinv(u, v)");
  group.erase(begin, group.find(';', begin) + 1 - begin);
  Derived given(top(""));
  Derived derived(group + top("", "Turn(3)"));
  ASSERT_TRUE(given.good) << given.c.text();
  ASSERT_TRUE(derived.good) << derived.c.text();
  const auto a = given.step("RKMK4full");
  const auto b = derived.step("RKMK4full");
  ASSERT_TRUE(a && b);
  EXPECT_LT(distance(given.run(*a, 0.1, 10)[0], derived.run(*b, 0.1, 10)[0]), 1e-13);
}

TEST(TangentLift, AStepKeepsTheSphereAndHorizontality) {
  const char* const q = "  config q : S^2 velocity w;\n  lagrangian = 0.5*dot(w, w) - q[1]*q[3];\n"
                        "  initial q = [0.6, 0, 0.8];\n  initial w = [-1.6, 0.5, 1.2];\n";
  for (const char* method : {"LieEuler", "RKMK4", "RKMK4full", "CF4", "CG3"}) {
    Derived d("model S {\n" + std::string(q) + "}\n");
    ASSERT_TRUE(d.good) << d.c.text();
    const auto step = d.step(method);
    ASSERT_TRUE(step) << d.c.text();
    const auto y = d.run(*step, 0.1, 1);
    double length = 0;
    double inner = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      length += y[0][k] * y[0][k];
      inner += y[0][k] * y[1][k];
    }
    EXPECT_NEAR(length, 1, 1e-15) << method;
    EXPECT_NEAR(inner, 0, 1e-15) << method;
    EXPECT_GT(distance(y[0], {0.6, 0, 0.8}), 0.05) << "it moves";
  }
}

TEST(Arguments, AreValuesOrDefaults) {
  const std::string m = "method M(theta = 1) order 1 {\n  next y = exp(theta*h*f(t, y))*y;\n}\n";
  Derived d(m + top(""));
  ASSERT_TRUE(d.good) << d.c.text();
  const auto standard = d.step("M");
  const auto half = d.step("M(theta = 0.5)");
  const auto euler = d.step("LieEuler");
  ASSERT_TRUE(standard && half && euler) << d.c.text();
  EXPECT_EQ(d.run(*standard, 0.1, 1), d.run(*euler, 0.1, 1));
  EXPECT_LT(distance(d.run(*half, 0.2, 1)[0], d.run(*euler, 0.1, 1)[0]), 1e-15);
}
