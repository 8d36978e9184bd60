// The systems on spheres of Ortolan (2011), section 7: what each method keeps over a long run.
#include "acceptance/Trajectory.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

double change(const Trajectory& run, const std::string& column) {
  double worst = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    worst = std::max(worst, std::abs(run.at(i, column) - run.at(0, column)));
  return worst;
}

/// Largest | |q| - 1 | and |q.w| of variables of three components.
std::pair<double, double> defects(const Trajectory& run, const std::string& q, const std::string& w) {
  double norm = 0, product = 0;
  const auto at = [&](std::size_t row, const std::string& name, int k) {
    return run.at(row, name + "[" + std::to_string(k) + "]");
  };
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    double square = 0, inner = 0;
    for (int k = 1; k <= 3; ++k) {
      square += at(i, q, k) * at(i, q, k);
      inner += at(i, q, k) * at(i, w, k);
    }
    norm = std::max(norm, std::abs(std::sqrt(square) - 1));
    product = std::max(product, std::abs(inner));
  }
  return {norm, product};
}

nlohmann::json stability(const Workspace& w, const std::string& file, const char* methods, const char* time,
                         const char* steps) {
  const Outcome o = w.lmc({"stability", file, "--methods", methods, "--time", time, "--steps", steps, "--json"});
  EXPECT_EQ(o.status, 0) << o.err;
  return parseJson(o.out);
}

} // namespace

TEST(Spheres, TheStartsAreThoseOfTheThesis) {
  const Workspace w;
  const auto first = [&](const std::string& file) {
    return runModel(w, file, {"--method", "RKMK4", "--time", "0..0.01", "--step", "0.01"}).at(0, "energy");
  };
  EXPECT_NEAR(first(example("spherical_pendulum")), 1.3447754369991, 1e-12);
  EXPECT_NEAR(first(testModel("double_spherical_pendulum")), -3.28043923777948, 1e-12);
  EXPECT_NEAR(first(example("magnetic_dipoles")), -1.24596636448e-3, 1e-13);
}
