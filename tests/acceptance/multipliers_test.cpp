// Observed multipliers of constraints, which steps and outputs may find by one piece of code, at every row of a run
// against the system for them in extended precision, of the formulas of the model as they stand here.
#include "acceptance/Trajectory.h"

#include <Eigen/Dense>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// Rods in a row that hang on a point that is moved, with masses over four decades, an input, and a force that jumps.
struct Rods {
  int n;
  double gravity, wind;

  static Real mass(int i) { return std::pow(Real(10), i % 5 - 2); } // i from 0
  [[nodiscard]] std::string text() const {
    std::string model =
        fmt::format("model Rods {{\n  param n : int = {};\n  param g = 9.81;\n  input wind = 0.7;\n"
                    "  param m[i in 1..n] = 10^(i - 3 - 5*floor((i - 1)/5));\n  config x[n] : R^2 velocity v;\n"
                    "  lagrangian = sum(i in 1..n: m[i]*(0.5*dot(v[i], v[i]) - g*x[i][2]));\n"
                    "  force on x[i in 1..n] = if sin(2000*t + i) > 0 then [wind*m[i], 0] else -3*m[i]*v[i];\n"
                    "  let pivot = [0.1*sin(3*t), 0];\n  constraint first : dot(x[1] - pivot, x[1] - pivot) = 1;\n"
                    "  initial x[i in 1..n] = (1 + 0.5*(i - 1))*[0.6, -0.8];\n"
                    "  initial v[i in 1..n] = [0.3, 0] + 1.5*[-x[i][2], x[i][1]];\n"
                    "  observe lambda1 = multiplier(first);\n",
                    n);
    if (n > 1) model += "  constraint rod[i in 2..n] : dot(x[i] - x[i-1], x[i] - x[i-1]) = 0.25;\n";
    for (int i = 2; i <= n; ++i) model += fmt::format("  observe lambda{0} = multiplier(rod[{0}]);\n", i);
    return model + "  simulate { method = RKMK4; time = 0..2e-3; step = 1e-4; output every 2e-4; }\n}\n";
  }

  /// M x'' = f + B^T lambda with the second derivative of each constraint zero.
  [[nodiscard]] Vector multipliers(const Trajectory& run, std::size_t row) const {
    const Real t = run.at(row, "t");
    const auto pair = [&](const char* name, int i) {
      const auto entry = [&](int k) { return Real(run.at(row, fmt::format("{}[{}][{}]", name, i + 1, k))); };
      return Eigen::Matrix<Real, 2, 1>(entry(1), entry(2));
    };
    Matrix b = Matrix::Zero(n, 2 * n);
    Vector free(2 * n), bias(n), weights(2 * n);
    for (int i = 0; i < n; ++i) {
      const auto v = pair("v", i);
      const bool blows = std::sin(2000 * t + i + 1) > 0;
      free.segment<2>(2 * i) << (blows ? Real(wind) : -3 * v(0)), (blows ? Real(0) : -3 * v(1)) - Real(gravity);
      weights.segment<2>(2 * i).setConstant(1 / mass(i));
      using Pair = Eigen::Matrix<Real, 2, 1>;
      const Real w = 3;
      const Pair at = i > 0 ? pair("x", i - 1) : Pair(Real(0.1) * std::sin(w * t), 0);
      const Pair rate = i > 0 ? pair("v", i - 1) : Pair(Real(0.1) * w * std::cos(w * t), 0);
      const Pair change = i > 0 ? Pair(0, 0) : Pair(-Real(0.1) * w * w * std::sin(w * t), 0);
      const Pair d = pair("x", i) - at, e = v - rate;
      b.block<1, 2>(i, 2 * i) = 2 * d.transpose();
      if (i > 0) b.block<1, 2>(i, 2 * i - 2) = -2 * d.transpose();
      bias(i) = 2 * e.dot(e) - 2 * d.dot(change);
    }
    return (b * weights.asDiagonal() * b.transpose()).fullPivLu().solve(-bias - b * free);
  }
};

} // namespace

TEST(Multipliers, AreThoseOfTheState) {
  const Workspace w;
  for (const int n : {1, 2, 3, 7, 8, 9, 18, 24, 30}) {
    const std::string file = w.write("rods.lie", Rods{n, 9.81, 0.7}.text()).string();
    std::vector<std::string> methods{"RKMK4", "HEM4"};
    if (n < 10) methods.insert(methods.end(), {"CF4", "P853", "RKMK54"});
    for (const std::string& method : methods) {
      const bool set = n % 2 == 1;
      const Rods rods{n, set ? 3.7 : 9.81, set ? -0.4 : 0.7};
      Arguments options{"--method", method, "--tolerance", "none"};
      if (set) options.insert(options.end(), {"--set", "g=3.7", "--set", "wind=-0.4"});
      const Trajectory run = runModel(w, file, options);
      ASSERT_EQ(run.rows.size(), 11U) << n << " " << method;
      for (std::size_t row = 0; row < run.rows.size(); ++row) {
        const Vector wanted = rods.multipliers(run, row);
        const double size = std::max(1.0, static_cast<double>(wanted.cwiseAbs().maxCoeff()));
        for (int i = 0; i < n; ++i)
          EXPECT_NEAR(run.at(row, fmt::format("lambda{}", i + 1)), static_cast<double>(wanted(i)), 1e-10 * size)
              << n << " " << method << " row " << row << " lambda " << i + 1;
      }
    }
  }
}
