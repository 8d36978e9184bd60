// The mechanics of the library against quadrature, sums over point masses and known limits.
#include "sema/Support.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

using namespace lmc;
using namespace lmc::test;

namespace {

using Vector = std::array<double, 3>;

Numbers valueOf(const std::string& expression, const std::string& declarations = "") {
  const Checked c = check(
      declarations + "model M { config r : R velocity s; lagrangian = 0.5*s^2; observe a = " + expression + "; }\n");
  EXPECT_TRUE(c.model) << expression << "\n" << c.text();
  if (!c.model) return Numbers(9, std::nan(""));
  Evaluate values(c.model->program);
  setInitials(*c.model, values);
  return values.array(observable(*c.model, "a"));
}

void expectNear(const Numbers& a, const Numbers& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance) << what << ", entry " << k;
}

/// A body as the image of the unit cube: a map and its density with respect to the cube. The third coordinate is an
/// angle of one full turn where there is one.
struct Body {
  std::function<Vector(double, double, double)> map;
  std::function<double(double, double, double)> density;
};

/// Inertia about the centre of mass for mass m: Gauss' rule of 5 points in two coordinates, 16 equal steps in the third
/// (exact for the polynomials and trigonometric polynomials here), or Gauss' rule there too.
Numbers inertia(const Body& body, double m, bool turn) {
  const std::array<double, 5> at{-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
  const std::array<double, 5> weight{0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                     0.2369268850561891};
  std::vector<std::pair<double, double>> gauss;
  std::vector<std::pair<double, double>> equal;
  for (std::size_t k = 0; k < 5; ++k) gauss.emplace_back((1 + at[k]) / 2, weight[k] / 2);
  for (int k = 0; k < 16; ++k) equal.emplace_back(k / 16.0, 1 / 16.0);
  double mass = 0;
  Vector centre{};
  std::array<double, 9> second{};
  for (const auto& [u, wu] : gauss) {
    for (const auto& [v, wv] : gauss) {
      for (const auto& [t, wt] : turn ? equal : gauss) {
        const Vector x = body.map(u, v, t);
        const double dm = wu * wv * wt * body.density(u, v, t);
        mass += dm;
        for (std::size_t i = 0; i < 3; ++i) {
          centre[i] += dm * x[i];
          for (std::size_t j = 0; j < 3; ++j) second[3 * i + j] += dm * x[i] * x[j];
        }
      }
    }
  }
  double trace = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      second[3 * i + j] = m * (second[3 * i + j] / mass - centre[i] * centre[j] / mass / mass);
    trace += second[4 * i];
  }
  Numbers J;
  for (std::size_t k = 0; k < 9; ++k) J.push_back((k % 4 == 0 ? trace : 0) - second[k]);
  return J;
}

double angle(double t) {
  return 2 * std::numbers::pi * t;
}

/// Spheres of radius from a to r: u is the radius, v = cos of the polar angle from -1 to 1, stretched to semi-axes.
Body ball(double a, double r, Vector stretch = {1, 1, 1}) {
  return {[=](double u, double v, double t) {
            const double rho = a + (r - a) * u;
            const double z = 2 * v - 1;
            const double s = std::sqrt(1 - z * z);
            return Vector{stretch[0] * rho * s * std::cos(angle(t)), stretch[1] * rho * s * std::sin(angle(t)),
                          stretch[2] * rho * z};
          },
          [=](double u, double, double) { return std::pow(a + (r - a) * u, 2); }};
}

Body tube(double a, double r, double h) {
  return {[=](double u, double v, double t) {
            const double rho = a + (r - a) * u;
            return Vector{rho * std::cos(angle(t)), rho * std::sin(angle(t)), h * v};
          },
          [=](double u, double, double) { return a + (r - a) * u; }};
}

} // namespace

TEST(Mechanics, InertiasAreIntegrals) {
  const auto same = [](const std::string& call, const Body& body, bool turn = true) {
    expectNear(valueOf(call), inertia(body, 3, turn), 1e-13, call);
  };
  same("sphere_inertia(3, 0.7)", ball(0, 0.7));
  same("hollow_sphere_inertia(3, 0.4, 0.7)", ball(0.4, 0.7));
  same("shell_inertia(3, 0.7)", {ball(0.7, 0.7).map, [](double, double, double) { return 1.0; }});
  same("ellipsoid_inertia(3, 0.5, 0.6, 0.9)", ball(0, 1, {0.5, 0.6, 0.9}));
  same("cylinder_inertia(3, 0.7, 1.1)", tube(0, 0.7, 1.1));
  same("hollow_cylinder_inertia(3, 0.4, 0.7, 1.1)", tube(0.4, 0.7, 1.1));
  same("disk_inertia(3, 0.7)", tube(0, 0.7, 0));
  same("ring_inertia(3, 0.7)", tube(0.7, 0.7, 0));
  same("cone_inertia(3, 0.7, 1.1)", {[](double u, double v, double t) {
                                       const double rho = 0.7 * u * (1 - v);
                                       return Vector{rho * std::cos(angle(t)), rho * std::sin(angle(t)), 1.1 * v};
                                     },
                                     [](double u, double v, double) { return u * (1 - v) * (1 - v); }});
  const auto uniform = [](double, double, double) { return 1.0; };
  const auto box = [&](double a, double b, double c) {
    return Body{[=](double u, double v, double t) { return Vector{a * u, b * v, c * t}; }, uniform};
  };
  same("box_inertia(3, 0.5, 0.6, 0.9)", box(0.5, 0.6, 0.9), false);
  same("plate_inertia(3, 0.5, 0.6)", box(0.5, 0.6, 0), false);
  same("rod_inertia(3, 0.9)", box(0, 0, 0.9), false);
  same("planar_inertia(0.09, 0.0625)", box(0.5, 0.6, 0), false);
}

TEST(Mechanics, InertiasMove) {
  // A box about its corner is an eighth of the box of twice the edges, with eight times the mass, about its centre.
  expectNear(valueOf("diag(parallel_axis(box_inertia(3, 1, 2, 3), 3, [0.5, 1, 1.5]))"),
             valueOf("diag(box_inertia(3, 2, 4, 6))"), 1e-13, "parallel axis");
  expectNear(valueOf("parallel_axis(box_inertia(3, 1, 2, 3), 3, [0.5, 1, 1.5])[1, 2]"), {-1.5}, 1e-13, "product");
  expectNear(valueOf("turned_inertia(box_inertia(3, 1, 2, 3), SO(3).exp([0, 0, pi/2]))"),
             valueOf("box_inertia(3, 2, 1, 3)"), 1e-13, "turned");
  expectNear(valueOf("second_moments(box_inertia(12, 1, 2, 3))"), valueOf("diag(1, 4, 9)"), 1e-13, "second moments");
}

TEST(Mechanics, GravityGradientIsThatOfPointMasses) {
  // Six masses in pairs: beyond the second order the next term is the fourth, of relative size (0.02)^2 to the second.
  double exact = 0;
  const Numbers R = valueOf("SO(3).exp([0.3, -0.8, 0.5])");
  const Vector x{30, -40, 20};
  const std::array<Vector, 3> arms{Vector{1, 0, 0}, Vector{0, 0.8, 0}, Vector{0, 0, 0.5}};
  for (const Vector& c : arms) {
    for (const double sign : {1.0, -1.0}) {
      double s = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const double d = x[i] + sign * (R[3 * i] * c[0] + R[3 * i + 1] * c[1] + R[3 * i + 2] * c[2]);
        s += d * d;
      }
      exact -= 7 * 2 / std::sqrt(s);
    }
  }
  const std::string J = "diag(4*(0.64 + 0.25), 4*(1 + 0.25), 4*(1 + 0.64))"; // 2 kg each
  const double formula =
      valueOf("gravity_gradient_energy(7, 12, " + J + ", SO(3).exp([0.3, -0.8, 0.5]), [30, -40, 20])").at(0);
  const double point = valueOf("newton_gravity_energy(7, 12, [30, -40, 20])").at(0);
  EXPECT_GT(std::abs(formula - point), 1e-5);
  EXPECT_NEAR(formula, exact, 1e-3 * std::abs(formula - point));
}

TEST(Mechanics, SpringsGravityFrictionAndDrag) {
  EXPECT_DOUBLE_EQ(valueOf("spring_energy(3, [1, 2, 2])").at(0), 13.5);
  EXPECT_DOUBLE_EQ(valueOf("spring_energy(3, 2)").at(0), 6);
  EXPECT_DOUBLE_EQ(valueOf("spring_between_energy(3, 1, [1, 1, 1], [1, 4, 5])").at(0), 24);
  EXPECT_DOUBLE_EQ(valueOf("torsion_energy(3, 2)").at(0), 6);
  EXPECT_NEAR(valueOf("attitude_spring_energy(3*eye(3), SO(3).exp([0, 0.6, 0.8]))").at(0), 3 * (1 - std::cos(1)),
              1e-14);
  // Small angles: the stiffness (trace(K) - K)/2.
  EXPECT_NEAR(valueOf("attitude_spring_energy(diag(1, 2, 4), SO(3).exp([1e-3, 0, 0]))").at(0), 0.5 * 3e-6, 1e-12);
  EXPECT_DOUBLE_EQ(valueOf("uniform_gravity_energy(2, [0, 0, -10], [1, 2, 3])").at(0), 60);
  EXPECT_DOUBLE_EQ(valueOf("viscous_dissipation(4, [1, 2, 2])").at(0), 18);
  EXPECT_DOUBLE_EQ(valueOf("viscous_dissipation(diag(1, 2, 3), [1, 2, 2])").at(0), 10.5);
  EXPECT_NEAR(valueOf("coulomb_dissipation(4, 1e-6, [3, 0, 4])").at(0), 20, 1e-5);
  EXPECT_EQ(valueOf("linear_drag(2, [1, 2, 3])"), (Numbers{-2, -4, -6}));
  EXPECT_EQ(valueOf("quadratic_drag(2, 0.5, 3, [0, 3, 4])"), (Numbers{0, -22.5, -30}));
  EXPECT_DOUBLE_EQ(valueOf("quadratic_drag_dissipation(2, 0.5, 3, [0, 3, 4])").at(0), 62.5);
}

TEST(Mechanics, NearestImagesInPeriodicBoxes) {
  EXPECT_EQ(valueOf("minimum_image([3, -7, 0.5], [4, 5, 6])"), (Numbers{-1, -2, 0.5}));
  EXPECT_EQ(valueOf("minimum_image([2, -2.5, 18], [4, 5, 6])"), (Numbers{-2, -2.5, 0}));
  EXPECT_EQ(valueOf("plane_minimum_image([3, -7], [4, 5])"), (Numbers{-1, -2}));
  EXPECT_DOUBLE_EQ(valueOf("nearest_period(7, 4)").at(0), -1);
}

TEST(Mechanics, AFunctionOfTheUserWins) {
  EXPECT_EQ(valueOf("torsion_energy(3, 2)", "fn torsion_energy(k, phi) = 17;\n"), Numbers{17});
  // The library goes on with its own: cylinder_inertia uses hollow_cylinder_inertia, and that diag.
  EXPECT_EQ(valueOf("cylinder_inertia(12, 1, 1)", "fn hollow_cylinder_inertia(m, a, r, h) = 17;\n"),
            valueOf("cylinder_inertia(12, 1, 1)"));
}

TEST(Mechanics, WrongArgumentsAreReportedAtTheCall) {
  const Checked c = check("model M { config x : R^3 velocity v; lagrangian = 0.5*dot(v, v);\n"
                          "observe J = box_inertia(1, [1, 2], 3, 4); }");
  EXPECT_EQ(c.errors(), std::vector<std::string>{"LIE0123 2:13-40"}) << c.text();
  EXPECT_NE(c.text().find("`box_inertia(1, [1, 2], 3, 4)`: `a^2`: vec(2) has no powers"), std::string::npos)
      << c.text();
}
