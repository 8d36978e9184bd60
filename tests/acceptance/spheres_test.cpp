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

TEST(Spheres, EnergyOfThePendulumDriftsOnlyUnderMuntheKaas) {
  const Workspace w;
  const nlohmann::json answer =
      stability(w, example("spherical_pendulum"), "ELNh,RATTLE,RKMK4,RKMKGL4", "0..2000", "0.02,0.01");
  const nlohmann::json& overall = answer.at("overall");
  EXPECT_EQ(overall.at("ELNh"), "PASS") << answer;
  EXPECT_EQ(overall.at("RATTLE"), "PASS") << answer;
  EXPECT_EQ(overall.at("RKMK4"), "FAIL") << answer;
  EXPECT_EQ(overall.at("RKMKGL4"), "FAIL") << answer;
  const Trajectory run = runModel(w, example("spherical_pendulum"), {"--method", "RATTLE"});
  EXPECT_LT(change(run, "Lz"), 1.6e-11);
}

TEST(Spheres, OnlyRattleKeepsTheMomentumOfTheDoublePendulum) {
  const Workspace w;
  const auto lost = [&](const char* method) {
    return change(runModel(w, testModel("double_spherical_pendulum"), {"--method", method}), "Lz");
  };
  EXPECT_LT(lost("RATTLE"), 1e-12 * 2.25);
  for (const auto& [method, least, most] :
       {std::tuple{"ELNh", 1e-4, 0.1}, {"RKMK4", 1e-6, 1e-3}, {"RKMKGL4", 1e-8, 1e-4}}) {
    EXPECT_GT(lost(method), least) << method;
    EXPECT_LT(lost(method), most) << method;
  }
}

// On TS^2, which SE(3) acts on, every method keeps |q| and q.w; on the direct product the Munthe-Kaas methods lose the
// second.
TEST(Spheres, OrthogonalityIsLostOnTheDirectProductOnly) {
  const Workspace w;
  for (const char* method : {"ELNh", "RATTLE", "RKMK4", "RKMKGL4"}) {
    const auto [norm, product] = defects(runModel(w, example("spherical_pendulum"), {"--method", method}), "q", "w");
    EXPECT_LT(norm, 4e-14) << method; // of rounding in many steps
    EXPECT_LT(product, 2e-13) << method;
    const auto [norm1, product1] =
        defects(runModel(w, testModel("double_spherical_pendulum"), {"--method", method}), "q1", "w1");
    EXPECT_LT(norm1, 2e-14) << method;
    EXPECT_LT(product1, 2e-13) << method;
  }
  for (const auto& [method, least] : {std::pair{"RKMK4", 1e-9}, {"RKMKGL4", 1e-11}}) {
    const auto [norm, product] =
        defects(runModel(w, testModel("pendulum_on_product"), {"--method", method}), "point", "W");
    EXPECT_LT(norm, 2e-14) << method;
    EXPECT_GT(product, least) << method;
    EXPECT_LT(product, 1e-7) << method;
  }
}

TEST(Spheres, TheDipolesStayOnTheirSpheres) {
  const Workspace w;
  for (const char* method : {"ELNh", "RATTLE", "RKMK4", "RKMKGL4"}) {
    const Trajectory run =
        runModel(w, example("magnetic_dipoles"), {"--method", method, "--time", "0..20", "--step", "0.01"});
    for (const char* i : {"[1]", "[16]"}) {
      const auto [norm, product] = defects(run, std::string("q") + i, std::string("w") + i);
      EXPECT_LT(norm, 1e-14) << method;
      EXPECT_LT(product, 1e-13) << method;
    }
    EXPECT_LT(change(run, "energy"), 1e-5) << method;
  }
}

// A chaotic system: the errors of ELNh and RATTLE oscillate irregularly, but their slopes over the whole run stay far
// below the oscillation.
TEST(Spheres, TheEnergyOfTheDipolesDriftsOnlyUnderMuntheKaas) {
  const Workspace w;
  const nlohmann::json answer = stability(w, example("magnetic_dipoles"), "ELNh,RATTLE,RKMK4", "0..200", "0.02,0.01");
  EXPECT_EQ(answer.at("overall").at("RKMK4"), "FAIL") << answer;
  EXPECT_NE(answer.at("overall").at("ELNh"), "FAIL") << answer;
  EXPECT_NE(answer.at("overall").at("RATTLE"), "FAIL") << answer;
  for (const nlohmann::json& r : answer.at("results")) {
    if (r.at("method") != "RKMK4") {
      EXPECT_LT(r.at("D").get<double>(), 0.5) << r; // a drift has at least 1
    }
  }
}
