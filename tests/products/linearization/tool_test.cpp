// `lmc linearize`: known linearizations, the names of rows and columns, states of a table.
#include "acceptance/Tool.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <cmath>

using namespace lmc::acceptance;

namespace {

using Matrix = Eigen::MatrixXd;

Matrix matrixOf(const nlohmann::json& rows) {
  Matrix m(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) m(i, j) = rows[i][j].get<double>();
  return m;
}

nlohmann::json linearize(const Workspace& w, Arguments arguments) {
  arguments.insert(arguments.begin(), {"linearize"});
  arguments.emplace_back("--json");
  const Outcome outcome = w.lmc(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return parseJson(outcome.out);
}

constexpr const char* pendulum = R"(model Pendulum {
  param l = 1;
  param g = 1;
  input torque : vec(3) = [0, 0, 0];
  config q : S^2 velocity w;
  lagrangian = 0.5*l^2*dot(q', q') - g*l*dot(e3, q);
  force on q = torque;
  initial q = [0, 0, -1];
  observe height = q[3];
  simulate { method = RKMK4; step = 0.01; }
}
)";

} // namespace

TEST(Linearize, ShowsTheFrequenciesOfAPendulum) {
  const Workspace w;
  const std::string file = w.write("pendulum.lie", pendulum).string();
  const nlohmann::json all = linearize(w, {file, "--set", "g=9"});
  EXPECT_EQ(all["states"], (nlohmann::json{"dq[1]", "dq[2]", "dq[3]", "dw[1]", "dw[2]", "dw[3]"}));
  EXPECT_EQ(all["inputs"], (nlohmann::json{"torque[1]", "torque[2]", "torque[3]"}));
  EXPECT_EQ(all["outputs"], (nlohmann::json{"energy", "height"}));
  const nlohmann::json& at = all["at"][0];
  ASSERT_EQ(at["eigenvalues"].size(), 4U); // the tangent space of TS^2
  for (const auto& value : at["eigenvalues"]) {
    EXPECT_NEAR(value[0].get<double>(), 0, 1e-12);
    EXPECT_NEAR(std::abs(value[1].get<double>()), 3, 1e-12);
  }
  const Matrix z = matrixOf(at["basis"]), b = matrixOf(at["B"]);
  EXPECT_EQ(z.cols(), 4);
  // A torque about an axis in the plane accelerates by 1/l^2 about it; one about the vertical does nothing.
  EXPECT_NEAR(b(3, 0), 1, 1e-14);
  EXPECT_NEAR(b.col(2).norm(), 0, 1e-14);
}

TEST(Linearize, WhatConstraintsDetermineHasNoEigenvalues) {
  const Workspace w;
  const std::string file = w.write("driven.lie", R"(model Driven {
  config x : R velocity v;
  lagrangian = 0.5*v^2;
  constraint drive : x = 0.5*sin(t);
  initial v = 0.5;
  simulate { method = RKMK4; step = 0.01; }
}
)")
                               .string();
  const nlohmann::json all = linearize(w, {file});
  EXPECT_EQ(all["at"][0]["eigenvalues"].size(), 0U);
  const Outcome text = w.lmc({"linearize", file});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("no direction is free"), std::string::npos) << text.out;
}

TEST(Linearize, StepsAreTheExponentialOfTheMotion) {
  const Workspace w;
  const std::string file = w.write("pendulum.lie", pendulum).string();
  const nlohmann::json all = linearize(w, {file, "--discrete", "--step", "0.05"});
  EXPECT_EQ(all["method"], "RKMK4");
  EXPECT_EQ(all["step"], 0.05);
  ASSERT_EQ(all["at"][0]["eigenvalues"].size(), 4U);
  for (const auto& value : all["at"][0]["eigenvalues"]) { // exp(±i h), but for the error of the method
    EXPECT_NEAR(value[0].get<double>(), std::cos(0.05), 1e-8);
    EXPECT_NEAR(std::abs(value[1].get<double>()), std::sin(0.05), 1e-8);
  }
}

TEST(Linearize, HasTheSignsOfTheBodyFrame) {
  const Workspace w;
  const std::string file =
      w.write("body.lie", "model Body {\n  config R : SO(3) velocity W;\n  lagrangian = 0.5*dot(W, diag(1, 2, 3)*W);\n"
                          "  initial W = [1, 1, 1];\n}\n")
          .string();
  Matrix expected(6, 6);
  expected << 0, 1, -1, 1, 0, 0, //
      -1, 0, 1, 0, 1, 0,         //
      1, -1, 0, 0, 0, 1,         //
      0, 0, 0, 0, -1, -1,        //
      0, 0, 0, 1, 0, 1,          //
      0, 0, 0, -1.0 / 3, -1.0 / 3, 0;
  const nlohmann::json all = linearize(w, {file});
  EXPECT_LT((matrixOf(all["at"][0]["A"]) - expected).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Linearize, TakesStatesOfARun) {
  const Workspace w;
  const std::string file = example("two_quadrotors");
  const std::string table = w.path("run.csv").string();
  ASSERT_EQ(w.lmc({"run", file, "--time", "0..0.1", "--every", "0.05", "--output", table}).status, 0);
  const nlohmann::json all = linearize(w, {file, "--at", table});
  ASSERT_EQ(all["at"].size(), 3U);
  EXPECT_EQ(all["at"][1]["t"], 0.05);
  EXPECT_NE(all["at"][0]["A"], all["at"][2]["A"]);
  const Outcome text = w.lmc({"linearize", file});
  EXPECT_EQ(text.status, 0);
  for (const char* part : {"dOmega[2][3]", "M[1][1]", "eigenvalues on the tangent space, of dimension 26"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part;
}

// A table may hold what is no state of the model: numbers that are none are refused, points off their manifold noticed.
TEST(Linearize, LooksAtStatesOfATable) {
  const Workspace w;
  const std::string file = w.write("ball.lie", "model Ball {\n  config q : S^2 velocity w;\n  lagrangian = 0.5*dot(w, "
                                               "w) - dot(e3, q);\n  initial q = [0, 0, 1];\n}\n")
                               .string();
  const std::string head = "t,q[1],q[2],q[3],w[1],w[2],w[3]\n0,0.6,0,-0.8,0,1,0\n";
  const auto at = [&](const std::string& name, const std::string& row) {
    w.write(name, head + row);
    return w.lmc({"linearize", file, "--at", w.path(name).string()});
  };
  const Outcome good = at("good.csv", "1,0,0,1,1,0,0\n");
  EXPECT_EQ(good.status, 0);
  EXPECT_EQ(good.err, "");
  const Outcome off = at("off.csv", "1,0.6,0,-0.9,0,1,0\n");
  EXPECT_EQ(off.status, 0);
  EXPECT_NE(off.err.find("warning[LIE0402]"), std::string::npos) << off.err;
  EXPECT_NE(off.err.find("state 2 of 2 `q` is not on its manifold"), std::string::npos) << off.err;
  const Outcome nan = at("nan.csv", "1,nan,0,1,1,0,0\n");
  EXPECT_EQ(nan.status, 1);
  EXPECT_NE(nan.err.find("nan.csv:3:3: error[LIE0611]"), std::string::npos) << nan.err;
}

TEST(Linearize, ReportsMissingSettings) {
  const Workspace w;
  const std::string file =
      w.write("body.lie", "model Body {\n  config R : SO(3) velocity W;\n  lagrangian = 0.5*dot(W, W);\n}\n").string();
  const Outcome method = w.lmc({"linearize", file, "--discrete"});
  EXPECT_EQ(method.status, 1);
  EXPECT_NE(method.err.find("LIE0508"), std::string::npos) << method.err;
  const Outcome step = w.lmc({"linearize", file, "--discrete", "--method", "CF4"});
  EXPECT_EQ(step.status, 1);
  EXPECT_NE(step.err.find("LIE0602"), std::string::npos) << step.err;
}

/// One step through an impact: v+ = -e v at z = 0, from z = 0.002, v = -1 on.
TEST(Linearize, StepsGoThroughImpacts) {
  const Workspace w;
  const std::string model =
      "model Ball {\n  param e = 0.8;\n  config z : R velocity v;\n"
      "  lagrangian = 0.5*v^2 - 10*z;\n  discrete u = 1;\n"
      "  event hit = falling(z) { reset v = -e*v; reset u = 2*u; }\n  event low = falling(z + 1);\n"
      "  initial z = 0.002;\n  initial v = -1;\n"
      "  simulate { method = RKMK4; step = 0.01; time = 0..1; }\n}\n";
  const std::string file = w.write("ball.lie", model).string();
  const nlohmann::json all = linearize(w, {file, "--discrete"});
  EXPECT_EQ(all["states"], (nlohmann::json{"dz", "dv", "du"}));
  const Matrix phi = matrixOf(all["at"][0]["Phi"]);
  const double g = 10, e = 0.8, speed = std::sqrt(1 + 2 * g * 0.002), t1 = (speed - 1) / g, s = 0.01 - t1;
  const double dw[] = {g / speed, -1 / speed}, dt[] = {1 / speed, (1 - 1 / speed) / g};
  ASSERT_EQ(phi.rows(), 3);
  for (Eigen::Index k = 0; k < 2; ++k) {
    EXPECT_NEAR(phi(0, k), e * dw[k] * s - (e * speed - g * s) * dt[k], 1e-12);
    EXPECT_NEAR(phi(1, k), e * dw[k] + g * dt[k], 1e-11);
    EXPECT_EQ(phi(2, k), 0);
  }
  EXPECT_NEAR(phi(2, 2), 2, 1e-15);
  // Where the motion ends there is no derivative.
  const Outcome ends = w.lmc({"linearize", file, "--discrete", "--set", "z=-0.995"});
  EXPECT_NE(ends.status, 0);
  EXPECT_NE(ends.err.find("`low` ends the motion"), std::string::npos) << ends.err;
}
