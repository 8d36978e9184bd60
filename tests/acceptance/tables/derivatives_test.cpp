// Derivatives of what is looked up: by the argument, by nodes and values; forward, backward, against differences.
#include "Curves.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::acceptance::tables;

namespace {

const List nodes = {0, 1, 2, 3, 5}, values = {0, 1, 4, 2, 1};

std::string listed(const List& x) {
  std::string text;
  for (const Real v : x) text += (text.empty() ? "" : ", ") + fmt::format("{}", static_cast<double>(v));
  return "[" + text + "]";
}

/// A potential through five values.
std::string hills(const std::string& words) {
  return "model M {\n  param x[5] = " + listed(nodes) + ";\n  param y[5] = " + listed(values) +
         ";\n  config q : R velocity v;\n  lagrangian = 0.5*v^2 - interpolate(y, q, " + words +
         ", over = x);\n  initial q = 1.3;\n  simulate { method = RKMK4; time = 0..0.5; step = 0.01; }\n}\n";
}

} // namespace

TEST(TableDerivatives, AreThoseOfTheCurve) {
  const Workspace w;
  const double q = 1.3;
  for (const Kind kind : {Kind::Natural, Kind::Linear}) {
    const Outcome o =
        w.lmc({"linearize", w.write("m.lie", hills(kind == Kind::Linear ? "linear" : "cubic")).string(), "--json"});
    ASSERT_EQ(o.status, 0) << o.err;
    const nlohmann::json at = parseJson(o.out)["at"][0];
    const Curve curve(kind, nodes, values);
    EXPECT_NEAR(at["rate"][1].get<double>(), -static_cast<double>(curve(q, 1)), 1e-13);
    EXPECT_NEAR(at["A"][1][0].get<double>(), -static_cast<double>(curve(q, 2)), 1e-12);
    for (std::size_t k = 0; k < 10; ++k) { // nodes, then values
      const Real h = 1e-6L;
      Real difference = 0;
      for (const Real sign : {1.0L, -1.0L}) {
        List x = nodes, y = values;
        (k < 5 ? x[k] : y[k - 5]) += sign * h;
        difference -= sign * Curve(kind, x, y)(q, 1) / (2 * h);
      }
      EXPECT_NEAR(at["P"][1][k].get<double>(), static_cast<double>(difference), 2e-10) << k;
    }
  }
}

TEST(TableDerivatives, AgreeForwardAndBackward) {
  const Workspace w;
  w.write("d.csv", csv(someData(20, true)));
  const std::string m =
      w.write("m.lie", model("  param k = 2;\n  input u = interpolate(d.y, t, cubic, hold);\n"
                             "  lagrangian = 0.5*v^2*(2 + interpolate(d.z, q, cubic, periodic)) - 0.5*k*q^2 + "
                             "q*interpolate([d.y, d.z], t, cubic, extend)[2];\n"
                             "  force on q = u - v*interpolate(d.y, q, extend)^2;\n  initial q = 1;\n",
                             "method = RKMK4; time = 0..1; step = 0.01;"))
          .string();
  const Outcome o = w.lmc({"verify", m});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_NE(o.out.find("agree", o.out.find("compiled code against the interpreter")), std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("differ,"), std::string::npos) << o.out;
  const std::size_t at = o.out.find("derivatives of f against differences");
  ASSERT_NE(at, std::string::npos) << o.out;
  EXPECT_NE(o.out.find("agree", at), std::string::npos) << o.out;
}

TEST(TableDerivatives, AreRefusedWhereKinksWouldLoseImpulses) {
  const Workspace w;
  w.write("d.csv", csv(someData(20, false)));
  const auto said = [&](const std::string& body) {
    return w.lmc({"check", w.write("m.lie", model(body, "method = RKMK4; time = 0..1; step = 0.01;")).string()}).err;
  };
  const std::string moved = "  let b = interpolate(d.y, t, {});\n  lagrangian = 0.5*(v + b')^2 - 0.5*q^2;\n";
  EXPECT_NE(said(fmt::format(fmt::runtime(moved), "linear")).find("error[LIE0186]"), std::string::npos);
  EXPECT_EQ(said(fmt::format(fmt::runtime(moved), "cubic")), "");
  const std::string held = "  lagrangian = 0.5*v^2 + 0.5*w^2;\n  config z : R velocity w;\n"
                           "  constraint c : q - interpolate(d.y, t, {}) = 0;\n  initial adjust q, v;\n";
  EXPECT_NE(said(fmt::format(fmt::runtime(held), "linear")).find("error[LIE0186]"), std::string::npos);
  EXPECT_EQ(said(fmt::format(fmt::runtime(held), "cubic")), "");
}

// A mass on a spring whose end a spline moves: the motion is that of its equation, integrated by itself.
TEST(TableDerivatives, MoveABaseAsItsAccelerationSays) {
  const Workspace w;
  const Data data = someData(20, false);
  w.write("d.csv", csv(data));
  const Trajectory run = runModel(
      w,
      w.write("m.lie", model("  let b = interpolate(d.y, t, cubic);\n  lagrangian = 0.5*(v + b')^2 - 0.5*q^2;\n",
                             "method = RKMK4; time = 0..3; step = 1e-4; output every 3;"))
          .string(),
      {});
  ASSERT_FALSE(run.rows.empty());
  const Curve b(Kind::Natural, data.x, data.y);
  Real q = 0, v = 0;
  const int steps = 300000; // Stoermer-Verlet; q'' = -q - b''
  const Real h = 3.0L / steps;
  for (int k = 0; k < steps; ++k) {
    const Real t = h * k;
    v += h / 2 * (-q - b(t, 2));
    q += h * v;
    v += h / 2 * (-q - b(t + h, 2));
  }
  EXPECT_NEAR(run.last("q"), static_cast<double>(q), 3e-6); // b'' has kinks
}
