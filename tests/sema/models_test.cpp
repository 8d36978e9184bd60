// The examples as models: their structure, and the numbers that their programs give.
#include "sema/Support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

std::string example(const std::string& name) {
  return std::string(LMC_SOURCE_DIR) + "/examples/" + name + ".lie";
}

const char* const examples[] = {
    "dipolar_spheres",     "energy_test", "heavy_top",          "heavy_top_hamiltonian", "heavy_top_lie_poisson",
    "heavy_top_quadratic", "humming_top", "magnetic_dipoles",   "pendulum_chain",        "planar_dipoles",
    "rigid_body_orbits",   "satellite",   "spherical_pendulum", "two_quadrotors"};

Numbers concatenate(const std::vector<Numbers>& rows) {
  Numbers all;
  for (const Numbers& r : rows) all.insert(all.end(), r.begin(), r.end());
  return all;
}

Numbers cross(const Numbers& u, const Numbers& v) {
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

double dot(const Numbers& u, const Numbers& v) {
  return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

void expectNear(const Numbers& got, const Numbers& wanted, double tolerance = 1e-13) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], wanted[k], tolerance) << "entry " << k;
}

} // namespace

class Example : public testing::TestWithParam<const char*> {};

TEST_P(Example, ChecksWithoutAWord) {
  const Checked c = checkFile(example(GetParam()));
  EXPECT_EQ(c.text(), "");
  ASSERT_TRUE(c.model);
  EXPECT_TRUE(c.model->simulation.present);
  EXPECT_NE(c.model->simulation.method, nullptr);
}

TEST_P(Example, EveryDefinitionComesBeforeItsUse) {
  const Checked c = checkFile(example(GetParam()));
  ASSERT_TRUE(c.model);
  const sym::Program& p = c.model->program;
  for (std::size_t k = 0; k < p.equations().size(); ++k) {
    for (const sym::Array* a : sym::reads(p.equations()[k])) {
      if (a == p.equations()[k].array) continue;
      for (const std::size_t w : p.writers(a))
        EXPECT_LT(w, k) << a->name << " is read by " << p.equations()[k].array->name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Example, testing::ValuesIn(examples), [](const auto& p) { return std::string(p.param); });

TEST(Models, HeavyTop) {
  const Checked c = checkFile(example("heavy_top"));
  ASSERT_TRUE(c.model) << c.text();
  const Model& m = *c.model;
  ASSERT_EQ(m.factors.size(), 1U);
  const Factor& f = m.factors[0];
  EXPECT_EQ(f.name, "R");
  EXPECT_EQ(f.velocityName, "Omega");
  EXPECT_TRUE(f.manifold->isGroup());
  EXPECT_EQ(f.frame, lmc::sema::Frame::Body);
  EXPECT_EQ(f.extent, 0);
  EXPECT_EQ(f.usedVelocity, f.velocity);
  EXPECT_TRUE(f.force.empty());
  EXPECT_EQ(f.point[0]->shape, sym::Shape::mat(3, 3));
  EXPECT_EQ(m.parameters.size(), 5U);
  ASSERT_EQ(m.observables.size(), 1U);
  EXPECT_EQ(m.observables[0].name, "tip");
  Evaluate values(m.program);
  setInitials(m, values);
  expectNear(values.array(f.point[0]), {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expectNear(values.array(f.velocity[0]), {0, 150, -4.61538});
  const double kinetic = 0.5 * (0.46875 * 150 * 150 + 0.234375 * 4.61538 * 4.61538);
  EXPECT_NEAR(values.scalar(m.lagrangian), kinetic, 1e-9); // chi is horizontal: no potential energy
  expectNear(values.array(observable(m, "tip")), {0, 1, 0});
  expectNear(values.array(m.simulation.timeTo), {1});
  expectNear(values.array(m.simulation.step), {1e-3});
}

TEST(Models, ChainOfPendulums) {
  const Checked c = checkFile(example("pendulum_chain"), {{{"N", "3"}, {"m", "[1, 2, 3]"}, {"L[2]", "0.5"}}, {}, {}});
  ASSERT_TRUE(c.model) << c.text();
  const Model& m = *c.model;
  const Factor& f = m.factors.at(0);
  EXPECT_FALSE(f.manifold->isGroup());
  EXPECT_EQ(f.extent, 3);
  EXPECT_EQ(f.frame, lmc::sema::Frame::Space);
  EXPECT_NE(f.usedVelocity, f.velocity);
  EXPECT_EQ(f.point[0]->extents, (std::vector<std::int64_t>{3}));
  Evaluate values(m.program);
  setParameters(m, values);
  const std::vector<Numbers> q = {{0.6, 0, 0.8}, {0, 0.28, 0.96}, {0.6, 0.64, 0.48}};
  // Components along q are not seen: the used velocity is the projection.
  const std::vector<Numbers> w = {{1, 2, 3}, {0, 1, 1}, {-1, 0.5, 2}};
  values.set(f.point[0], concatenate(q));
  values.set(f.velocity[0], concatenate(w));
  const double mass[] = {1, 2, 3};
  const double length[] = {1, 0.5, 1};
  Numbers x = {0, 0, 0};
  Numbers v = {0, 0, 0};
  double wanted = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Numbers dq = cross(w[k], q[k]);
    for (std::size_t j = 0; j < 3; ++j) {
      x[j] += length[k] * q[k][j];
      v[j] += length[k] * dq[j];
    }
    wanted += 0.5 * mass[k] * dot(v, v) - mass[k] * 9.81 * x[2];
  }
  EXPECT_NEAR(values.scalar(m.lagrangian), wanted, 1e-12);
  expectNear(values.array(observable(m, "tip")), x);
  const Numbers used = values.array(f.usedVelocity[0]);
  for (std::size_t k = 0; k < 3; ++k) {
    const Numbers u(used.begin() + static_cast<std::ptrdiff_t>(3 * k),
                    used.begin() + static_cast<std::ptrdiff_t>(3 * k + 3));
    EXPECT_NEAR(dot(u, q[k]), 0, 1e-14);
    expectNear(cross(u, q[k]), cross(w[k], q[k]));
  }
}

TEST(Models, TheProgramDoesNotGrowWithTheFamily) {
  for (const char* name : {"pendulum_chain", "magnetic_dipoles"}) {
    const char* size = name == std::string("pendulum_chain") ? "N" : "n";
    const Checked small = checkFile(example(name), {{{size, "7"}}, {}, {}});
    const Checked large = checkFile(example(name), {{{size, "40"}}, {}, {}});
    ASSERT_TRUE(small.model && large.model) << small.text() << large.text();
    EXPECT_EQ(small.model->program.equations().size(), large.model->program.equations().size()) << name;
    EXPECT_EQ(small.compilation->graph().size(), large.compilation->graph().size()) << name;
  }
}

TEST(Models, TwoQuadrotors) {
  const Checked c = checkFile(example("two_quadrotors"));
  ASSERT_TRUE(c.model) << c.text();
  const Model& m = *c.model;
  ASSERT_EQ(m.factors.size(), 3U);
  EXPECT_EQ(m.factors[0].extent, 0);
  EXPECT_EQ(m.factors[1].extent, 2);
  EXPECT_EQ(m.factors[2].extent, 2);
  EXPECT_TRUE(m.factors[0].force.empty());
  EXPECT_EQ(m.factors[1].force.size(), 1U);
  ASSERT_EQ(m.forcesAt.size(), 1U);
  EXPECT_EQ(m.forcesAt[0].loops.size(), 1U);
  Evaluate values(m.program);
  setInitials(m, values);
  const auto parameter = [&](const std::string& name) {
    const auto it =
        std::find_if(m.parameters.begin(), m.parameters.end(), [&](const Parameter& p) { return p.name == name; });
    return it == m.parameters.end() ? Numbers{} : values.array(it->array);
  };
  expectNear(parameter("m"), {0.755, 0.755});
  expectNear(parameter("T.given"), {0, 0});
  // M[i] = -0.6 Omega - vee(R - R^T) at R = 1
  expectNear(values.array(m.factors[1].force[0]), {-0.06, 0.12, -0.18, -0.06, 0.12, -0.18});
  // dx/dt of the quadrotors is that of the load: the links stand still.
  const double kinetic = 0.5 * 0.5 * 0.01 + 2 * 0.5 * 0.755 * 0.01;
  const double rotation = 0.5 * (0.0820 * 0.01 + 0.0845 * 0.04 + 0.1377 * 0.09) * 2;
  const double height = -std::cos(std::numbers::pi / 6);
  EXPECT_NEAR(values.scalar(m.lagrangian), kinetic + rotation + 2 * 0.755 * 9.81 * height, 1e-13);
}

TEST(Models, MagneticDipoles) {
  const Checked c = checkFile(example("magnetic_dipoles"), {{{"n", "2"}}, {}, {}});
  ASSERT_TRUE(c.model) << c.text();
  const Model& m = *c.model;
  EXPECT_EQ(m.factors.at(0).extent, 4);
  Evaluate values(m.program);
  setInitials(m, values);
  const Numbers q = values.array(m.factors[0].point[0]);
  const double length = std::sqrt(0.3535 * 0.3535 + 0.3536 * 0.3536 + 0.8660 * 0.8660);
  EXPECT_NEAR(q[0], 1, 1e-15);
  EXPECT_NEAR(q[9], 0.3535 / length, 1e-15);
  const Numbers w = values.array(m.factors[0].velocity[0]);
  expectNear(w, {0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const auto position = [](int i) { return Numbers{0.024 * ((i - 1) % 2), 0.024 * ((i - 1) / 2), 0}; }; // NOLINT
  double potential = 0;
  for (int i = 1; i <= 4; ++i) {
    for (int j = i + 1; j <= 4; ++j) {
      const Numbers ri = position(i);
      const Numbers rj = position(j);
      const Numbers d = {ri[0] - rj[0], ri[1] - rj[1], 0};
      const Numbers a(q.begin() + 3 * (i - 1), q.begin() + 3 * i);
      const Numbers b(q.begin() + 3 * (j - 1), q.begin() + 3 * j);
      const double r = std::sqrt(dot(d, d));
      potential += 4e-7 * std::numbers::pi * 0.01 / (4 * std::numbers::pi * r * r * r) *
                   (dot(a, b) - 3 * dot(a, d) * dot(b, d) / dot(d, d));
    }
  }
  const double inertia = 0.05 * 0.02 * 0.02 / 12;
  EXPECT_NEAR(values.scalar(m.lagrangian), 0.5 * inertia * 0.25 - potential, 1e-16);
}

TEST(Models, HummingTop) {
  const Checked c = checkFile(example("humming_top"));
  ASSERT_TRUE(c.model) << c.text();
  const Model& m = *c.model;
  EXPECT_FALSE(m.lagrangian);
  EXPECT_EQ(m.energy, nullptr);
  ASSERT_EQ(m.states.size(), 2U);
  EXPECT_EQ(m.states[0].frame, lmc::sema::Frame::Space);
  EXPECT_EQ(m.order.size(), 2U);
  EXPECT_EQ(m.observables.size(), 3U);
  Evaluate values(m.program);
  setInitials(m, values);
  expectNear(values.array(m.states[0].flow[0]), {0, 0, -1});
  const double phi = std::numbers::pi / 16;
  // m (B C) x gravity - w x (I w) with I = B diag(7,7,2)/8 B^T about e1
  const double lever = std::sqrt(3.0) / 2 * std::sin(phi);
  const double i23 = -(7.0 / 8 - 2.0 / 8) * std::sin(phi) * std::cos(phi);
  const double torque = lever * -9.81 + i23;
  expectNear(values.array(m.states[1].flow[0]), {torque / (7.0 / 8), 0, 0}, 1e-12);
}

TEST(Models, SphericalPendulumStartsOnTheSphere) {
  const Checked c = checkFile(example("spherical_pendulum"));
  ASSERT_TRUE(c.model) << c.text();
  const Model& m = *c.model;
  ASSERT_EQ(m.factors[0].momentum.size(), 1U); // Lz = dot(e3, momentum(q))
  Evaluate values(m.program);
  setInitials(m, values);
  const double r = 1 / std::sqrt(3.0);
  expectNear(values.array(m.factors[0].point[0]), {r, r, -r});
  EXPECT_EQ(m.initialRanges.size(), 2U);
}

TEST(Models, EnergyTest) {
  const Checked c = checkFile(example("energy_test"));
  ASSERT_TRUE(c.model) << c.text();
  Evaluate values(c.model->program);
  setInitials(*c.model, values);
  const double angle = 0.7227;
  const double distance = 2 * std::sqrt(2.0) * std::sin(angle / 2);
  const Numbers R = values.array(c.model->factors[0].point[0]);
  EXPECT_NEAR(std::sqrt(2 * (3 - R[0] - R[4] - R[8])), distance * std::sqrt(1.0), 1e-12);
}
