// Implicit steps of long chains: their trajectories satisfy the discrete equations, written here for points on spheres
// and for rods, in long double.
#include "acceptance/Trajectory.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Real = long double;
using Vec = std::array<Real, 3>;

Vec operator+(const Vec& a, const Vec& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Vec operator*(Real c, const Vec& a) {
  return {c * a[0], c * a[1], c * a[2]};
}
Vec operator-(const Vec& a, const Vec& b) {
  return a + -1 * b;
}
Real dot(const Vec& a, const Vec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec unit(const Vec& a) {
  return (1 / std::sqrt(dot(a, a))) * a;
}

constexpr Real gravity = 9.81L;

/// Links of length one on the sphere, with masses at their ends.
const std::string pendulums = R"(
model Pendulums { param N : int = 10; param g = 9.81;
  config q[N] : S^2 velocity w;
  let x[1] = q[1];
  let x[i in 2..N] = x[i-1] + q[i];
  lagrangian = sum(i in 1..N: 0.5*(1 + 0.5*sin(i))*dot(x[i]', x[i]') - (1 + 0.5*sin(i))*g*dot(e3, x[i]));
  initial q[i in 1..N] = [0.6*cos(0.3*i), 0.6*sin(0.3*i), -0.8];
  initial w[i in 1..N] = [0.8*cos(0.3*i), 0.8*sin(0.3*i), 0.6];
  simulate { method = VIMidpoint; time = 0..0.01; step = 0.002; } }
)";

Real massOf(std::size_t i) {
  return 1 + 0.5L * std::sin(static_cast<Real>(i + 1));
}

std::string written(const Workspace& workspace, const std::string& text) {
  const std::string file = workspace.path("model.lie");
  std::ofstream(file) << text;
  return file;
}

std::vector<Vec> points(const Trajectory& run, std::size_t row, std::size_t n) {
  const int first = run.find("q[1][1]");
  EXPECT_GE(first, 0);
  std::vector<Vec> q;
  for (std::size_t i = 0; i < n; ++i) {
    Vec v;
    for (std::size_t c = 0; c < 3; ++c) v[c] = run.rows[row][static_cast<std::size_t>(first) + 3 * i + c];
    q.push_back(unit(v)); // as the method's own points, beyond the rounding of doubles
  }
  return q;
}

/// d/ds f(point moved by s along e), by differences of fourth order.
Vec along(const std::function<Vec(const Vec&)>& f, const Vec& q, const Vec& e) {
  const Real s = 1e-4L;
  const auto at = [&](Real by) { return f(std::cos(by) * q + std::sin(by) * e); };
  return (1 / (12 * s)) * (8 * (at(s) - at(-s)) - (at(2 * s) - at(-2 * s)));
}

/// The balance of momenta of each link at q1 of the discrete Lagrangian h L(middle of the arc, its velocity), beside
/// the size of its terms.
std::pair<Real, Real> balance(const std::vector<Vec>& q0, const std::vector<Vec>& q1, const std::vector<Vec>& q2,
                              Real h) {
  const std::size_t n = q0.size();
  const auto middle = [](const Vec& a, const Vec& b) { return unit(a + b); };
  const auto rate = [h](const Vec& a, const Vec& b) {
    const Vec d = b - a;
    const Real chord = std::sqrt(dot(d, d));
    return chord == 0 ? d : (2 * std::asin(chord / 2) / h) * unit(d);
  };
  const auto momenta = [&](const std::vector<Vec>& a, const std::vector<Vec>& b) { // sum of m v of all bodies behind
    std::vector<Vec> p(n);
    Vec v = {0, 0, 0};
    for (std::size_t i = 0; i < n; ++i) {
      v = v + rate(a[i], b[i]);
      p[i] = massOf(i) * v;
    }
    for (std::size_t i = n - 1; i > 0; --i) p[i - 1] = p[i - 1] + p[i];
    return p;
  };
  const std::vector<Vec> before = momenta(q0, q1), after = momenta(q1, q2);
  Real worst = 0, size = 0, weight = 0;
  for (std::size_t k = n; k > 0; --k) {
    const std::size_t i = k - 1;
    weight += massOf(i) * gravity;
    const Vec e = unit(cross(q1[i], std::abs(q1[i][0]) < 0.5L ? Vec{1, 0, 0} : Vec{0, 1, 0}));
    for (const Vec& direction : {e, cross(q1[i], e)}) {
      const auto part = [&](const Vec& p, const std::function<Vec(const Vec&)>& v,
                            const std::function<Vec(const Vec&)>& x) {
        return h * (dot(p, along(v, q1[i], direction)) - weight * along(x, q1[i], direction)[2]);
      };
      const Real left = part(
          before[i], [&](const Vec& x) { return rate(q0[i], x); }, [&](const Vec& x) { return middle(q0[i], x); });
      const Real right = part(
          after[i], [&](const Vec& x) { return rate(x, q2[i]); }, [&](const Vec& x) { return middle(x, q2[i]); });
      worst = std::max(worst, std::abs(left + right));
      size = std::max(size, std::abs(left));
    }
  }
  return {worst, size};
}

class ImplicitChains : public testing::TestWithParam<int> {};

TEST_P(ImplicitChains, MidpointStepsBalanceMomenta) {
  const int n = GetParam();
  const Real h = n > 1000 ? 0.0005L : 0.002L;
  const Workspace workspace;
  const Trajectory run = runModel(workspace, written(workspace, pendulums),
                                  {"--set", fmt::format("N={}", n), "--step", fmt::format("{}", double(h)), "--time",
                                   fmt::format("0..{}", double(4 * h))});
  ASSERT_EQ(run.rows.size(), 5u);
  for (std::size_t k = 1; k + 1 < run.rows.size(); ++k) {
    const auto size = static_cast<std::size_t>(n);
    const auto [defect, terms] = balance(points(run, k - 1, size), points(run, k, size), points(run, k + 1, size), h);
    EXPECT_LT(defect, 1e-11L * terms) << "step " << k; // rates of points are rounded by 1e-16/h
  }
}

// Sizes around those that are written out and those whose ends are like the members between.
INSTANTIATE_TEST_SUITE_P(Sizes, ImplicitChains, testing::Values(6, 7, 8, 9, 10, 11, 40, 300, 4000));

/// RATTLE by Newton's method on all multipliers, dense: x' = M^-1 (p - h/2 (g + lam q)).
struct Rattle {
  std::vector<std::vector<Real>> inverse;
  std::vector<Vec> gradient;

  explicit Rattle(std::size_t n) : inverse(n, std::vector<Real>(n, 0)), gradient(n) {
    std::vector<Real> behind(n + 1, 0);
    for (std::size_t i = n; i > 0; --i) behind[i - 1] = behind[i] + massOf(i - 1);
    // Speeds of links are differences of those of bodies: M^-1 = D diag(1/m) D^T with D two bands.
    for (std::size_t i = 0; i < n; ++i) {
      gradient[i] = {0, 0, gravity * behind[i]};
      inverse[i][i] += 1 / massOf(i);
      if (i == 0) continue;
      inverse[i][i] += 1 / massOf(i - 1);
      inverse[i][i - 1] -= 1 / massOf(i - 1);
      inverse[i - 1][i] -= 1 / massOf(i - 1);
    }
  }

  static std::vector<Real> solved(std::vector<std::vector<Real>> a, std::vector<Real> b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
      std::swap(a[k], a[pivot]);
      std::swap(b[k], b[pivot]);
      for (std::size_t i = k + 1; i < n; ++i) {
        const Real f = a[i][k] / a[k][k];
        if (f == 0) continue;
        for (std::size_t j = k; j < n; ++j) a[i][j] -= f * a[k][j];
        b[i] -= f * b[k];
      }
    }
    for (std::size_t k = n; k > 0; --k) {
      for (std::size_t j = k; j < n; ++j) b[k - 1] -= a[k - 1][j] * b[j];
      b[k - 1] /= a[k - 1][k - 1];
    }
    return b;
  }

  [[nodiscard]] std::vector<Vec> kicked(const std::vector<Vec>& v, const std::vector<Vec>& q,
                                        const std::vector<Real>& lam, Real gravityToo, Real h) const {
    const std::size_t n = q.size();
    std::vector<Vec> r = v;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i > 0 ? i - 1 : 0; j < std::min(n, i + 2); ++j)
        r[i] = r[i] - (h / 2 * inverse[i][j]) * (gravityToo * gradient[j] + lam[j] * q[j]);
    return r;
  }

  void step(std::vector<Vec>& q, std::vector<Vec>& v, Real h) const {
    const std::size_t n = q.size();
    std::vector<Real> lam(n, 0);
    std::vector<Vec> middle, next(n);
    for (int turn = 0; turn < 40; ++turn) {
      middle = kicked(v, q, lam, 1, h);
      std::vector<std::vector<Real>> slope(n, std::vector<Real>(n, 0));
      std::vector<Real> defect(n);
      for (std::size_t i = 0; i < n; ++i) {
        next[i] = q[i] + h * middle[i];
        defect[i] = dot(next[i], next[i]) - 1;
        for (std::size_t j = 0; j < n; ++j) slope[i][j] = -h * h * inverse[i][j] * dot(next[i], q[j]);
      }
      const std::vector<Real> change = solved(slope, defect);
      Real most = 0, size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        lam[i] -= change[i];
        most = std::max(most, std::abs(change[i]));
        size = std::max(size, std::abs(lam[i]));
      }
      if (most < 1e-15L * size) break;
    }
    std::vector<std::vector<Real>> s(n, std::vector<Real>(n, 0));
    std::vector<Real> rate(n);
    v = kicked(middle, next, std::vector<Real>(n, 0), 1, h);
    for (std::size_t i = 0; i < n; ++i) {
      rate[i] = dot(next[i], v[i]);
      for (std::size_t j = 0; j < n; ++j) s[i][j] = h / 2 * inverse[i][j] * dot(next[i], next[j]);
    }
    v = kicked(v, next, solved(s, rate), 0, h);
    q = next;
  }
};

TEST(ImplicitChains, RattleIsThatOfDenseMultipliers) {
  const Workspace workspace;
  const std::string file = written(workspace, pendulums);
  for (const std::size_t n : {7u, 20u, 50u, 200u}) {
    const Trajectory run =
        runModel(workspace, file, {"--method", "RATTLE", "--set", fmt::format("N={}", n), "--time", "0..0.006"});
    ASSERT_EQ(run.rows.size(), 4u);
    std::vector<Vec> q = points(run, 0, n), v(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Real s = 0.3L * static_cast<Real>(i + 1);
      q[i] = {0.6L * std::cos(s), 0.6L * std::sin(s), -0.8L};
      v[i] = cross({0.8L * std::cos(s), 0.8L * std::sin(s), 0.6L}, q[i]);
    }
    const Rattle reference(n);
    for (int k = 0; k < 3; ++k) reference.step(q, v, 0.002L);
    const std::vector<Vec> found = points(run, 3, n);
    Real worst = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < 3; ++c) worst = std::max(worst, std::abs(found[i][c] - q[i][c]));
    EXPECT_LT(worst, 1e-11L) << n;
  }
}

TEST(ImplicitChains, RattleConvergesForFourThousand) {
  const Workspace workspace;
  const Trajectory run = runModel(workspace, written(workspace, pendulums),
                                  {"--method", "RATTLE", "--set", "N=4000", "--step", "0.0005", "--time", "0..0.005"});
  ASSERT_EQ(run.rows.size(), 11u);
  const double energy = run.at(0, "energy");
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    EXPECT_NEAR(run.at(k, "energy"), energy, 1e-6 * std::abs(energy));
    for (const char* link : {"1", "2000", "4000"}) {
      double length = 0;
      for (const char* c : {"[1]", "[2]", "[3]"}) length += std::pow(run.at(k, "q[" + std::string(link) + "]" + c), 2);
      EXPECT_NEAR(length, 1, 1e-13);
    }
  }
}

/// Points with springs to their neighbours, on a line and in a ring: a step of the midpoint method in plain
/// coordinates.
TEST(ImplicitChains, LatticesAndRingsBalanceMomenta) {
  const Workspace workspace;
  const std::string text = R"(
model Springs { param N : int = 50;  param k = 4000;
  config x[N] : R^3 velocity v;
  lagrangian = sum(i in 1..N: 0.5*dot(v[i], v[i])) - sum(i in LAST: 0.5*k*(norm(x[NEXT] - x[i]) - 1)^2);
  initial x[i in 1..N] = [cos(2*pi*i/N), sin(2*pi*i/N), 0.01*sin(3*i)]*N/(2*pi)*1.05;
  simulate { method = VIMidpoint; time = 0..0.2; step = 0.02; } }
)";
  for (const bool ring : {false, true})
    for (const std::size_t n : {7u, 9u, 50u, 1000u}) {
      std::string own = text;
      own.replace(own.find("LAST"), 4, ring ? "1..N" : "1..N-1");
      own.replace(own.find("NEXT"), 4, ring ? "mod(i, N) + 1" : "i + 1");
      const Trajectory run = runModel(workspace, written(workspace, own), {"--set", fmt::format("N={}", n)});
      ASSERT_EQ(run.rows.size(), 11u);
      const auto at = [&](std::size_t row) {
        std::vector<Vec> x(n);
        const auto first = static_cast<std::size_t>(run.find("x[1][1]"));
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t c = 0; c < 3; ++c) x[i][c] = run.rows[row][first + 3 * i + c];
        return x;
      };
      const auto forces = [&](const std::vector<Vec>& a, const std::vector<Vec>& b) {
        std::vector<Vec> f(n, Vec{0, 0, 0});
        for (std::size_t i = 0; i + (ring ? 0 : 1) < n; ++i) {
          const std::size_t j = (i + 1) % n;
          const Vec d = 0.5L * (a[j] + b[j] - a[i] - b[i]);
          const Real length = std::sqrt(dot(d, d));
          const Vec pull = (4000 * (length - 1) / length) * d;
          f[i] = f[i] + pull;
          f[j] = f[j] - pull;
        }
        return f;
      };
      Real worst = 0;
      for (std::size_t k = 1; k + 1 < run.rows.size(); ++k) {
        const std::vector<Vec> q0 = at(k - 1), q1 = at(k), q2 = at(k + 1);
        const std::vector<Vec> before = forces(q0, q1), after = forces(q1, q2);
        for (std::size_t i = 0; i < n; ++i) {
          const Vec r = q2[i] - 2 * q1[i] + q0[i] - (0.02L * 0.02L / 2) * (before[i] + after[i]);
          worst = std::max(worst, std::sqrt(dot(r, r)));
        }
      }
      EXPECT_LT(worst, 1e-14L * static_cast<Real>(n + 100)) << n << (ring ? " in a ring" : " on a line");
    }
}

using Rotation = std::array<Vec, 3>; // rows

Vec operator*(const Rotation& r, const Vec& v) {
  return {dot(r[0], v), dot(r[1], v), dot(r[2], v)};
}
Rotation transposed(const Rotation& r) {
  return {Vec{r[0][0], r[1][0], r[2][0]}, Vec{r[0][1], r[1][1], r[2][1]}, Vec{r[0][2], r[1][2], r[2][2]}};
}
Rotation product(const Rotation& a, const Rotation& b) {
  const Rotation t = transposed(b);
  return {t * a[0], t * a[1], t * a[2]};
}
Rotation exponential(const Vec& w) {
  const Real angle = std::sqrt(dot(w, w));
  const Real a = angle == 0 ? 1 : std::sin(angle) / angle, b = angle == 0 ? 0.5L : (1 - std::cos(angle)) / dot(w, w);
  Rotation r;
  const Rotation one = {Vec{1, 0, 0}, Vec{0, 1, 0}, Vec{0, 0, 1}};
  for (std::size_t c = 0; c < 3; ++c) {
    const Vec turned = cross(w, one[c]);
    const Vec column = one[c] + a * turned + b * cross(w, turned);
    for (std::size_t row = 0; row < 3; ++row) r[row][c] = column[row];
  }
  return r;
}
Vec logarithm(const Rotation& r) {
  const Vec axis = 0.5L * Vec{r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]};
  const Real sine = std::sqrt(dot(axis, axis));
  return sine == 0 ? axis : (std::asin(sine) / sine) * axis;
}

/// Rods with their mass in the middle, which couples neighbours strongly.
TEST(ImplicitChains, RodsBalanceMomenta) {
  const Workspace workspace;
  const std::size_t n = 30;
  const Real h = 0.002L;
  const Trajectory run = runModel(workspace, written(workspace, R"(
model Rods { param N : int = 30;  param J = 0.08;  param g = 9.81;
  config R[N] : SO(3) velocity W;
  let j[1] = zeros(3);
  let j[i in 2..N] = j[i-1] - R[i-1]*e3;
  let c[i in 1..N] = j[i] - 0.5*R[i]*e3;
  lagrangian = sum(i in 1..N: 0.5*dot(c[i]', c[i]') + 0.5*J*dot(W[i], W[i]) - g*c[i][3]);
  initial R[i in 1..N] = SO(3).exp([0.9, 0.2*sin(i), 0.1]);
  initial W[i in 1..N] = [0.3, 0.5*cos(i), 0.7];
  simulate { method = VIMidpoint; time = 0..0.01; step = 0.002; } }
)"),
                                  {});
  ASSERT_EQ(run.rows.size(), 6u);
  const auto at = [&](std::size_t row) {
    std::vector<Rotation> all(n);
    const auto first = static_cast<std::size_t>(run.find("R[1][1][1]"));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < 9; ++k) all[i][k / 3][k % 3] = run.rows[row][first + 9 * i + k];
    return all;
  };
  const auto lagrangian = [&](const std::vector<Rotation>& a, const std::vector<Rotation>& b) {
    Vec joint = {0, 0, 0}, rate = {0, 0, 0};
    Real sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec xi = logarithm(product(transposed(a[i]), b[i])), w = (1 / h) * xi;
      const Rotation middle = product(a[i], exponential(0.5L * xi));
      const Vec along = middle * Vec{0, 0, 1}, turned = middle * cross(w, {0, 0, 1});
      const Vec v = rate - 0.5L * turned;
      sum += 0.5L * dot(v, v) + 0.04L * dot(w, w) - gravity * (joint[2] - 0.5L * along[2]);
      joint = joint - along;
      rate = rate - turned;
    }
    return h * sum;
  };
  for (std::size_t k = 1; k + 1 < run.rows.size(); ++k) {
    const std::vector<Rotation> q0 = at(k - 1), q2 = at(k + 1);
    std::vector<Rotation> q1 = at(k);
    Real worst = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        const Rotation own = q1[i];
        const auto moved = [&](Real by, bool before) {
          Vec e = {0, 0, 0};
          e[c] = by;
          q1[i] = product(own, exponential(e));
          const Real value = before ? lagrangian(q0, q1) : lagrangian(q1, q2);
          q1[i] = own;
          return value;
        };
        const Real s = 1e-4L;
        const auto slope = [&](bool before) {
          return (8 * (moved(s, before) - moved(-s, before)) - (moved(2 * s, before) - moved(-2 * s, before))) /
                 (12 * s);
        };
        const Real left = slope(true), right = slope(false);
        worst = std::max(worst, std::abs(left + right));
        size = std::max(size, std::abs(left));
      }
    EXPECT_LT(worst, 1e-10L * size) << "step " << k;
  }
}

/// Methods that solve for accelerations converge to the motion at their order, with as many unknowns as products with
/// the matrix take (6 links) and with more; the motion is that of a pair of order 8.
TEST(ImplicitChains, AccelerationsAreThoseOfTheMotion) {
  const Workspace workspace;
  const std::string file = written(workspace, pendulums);
  for (const int n : {6, 7, 12, 40}) {
    const auto end = [&](const Arguments& more) {
      Arguments arguments{"--set", fmt::format("N={}", n), "--time", "0..0.1", "--every", "0.1"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Trajectory run = runModel(workspace, file, arguments);
      EXPECT_EQ(run.rows.size(), 2u);
      return points(run, run.rows.size() - 1, static_cast<std::size_t>(n));
    };
    const std::vector<Vec> motion = end({"--method", "P853", "--tolerance", "1e-12"});
    const auto error = [&](const std::string& method, double h) {
      const std::vector<Vec> q = end({"--method", method, "--step", fmt::format("{}", h), "--tolerance", "none"});
      Real worst = 0;
      for (std::size_t i = 0; i < q.size(); ++i)
        for (std::size_t c = 0; c < 3; ++c) worst = std::max(worst, std::abs(q[i][c] - motion[i][c]));
      return worst;
    };
    for (const char* method : {"GenAlpha", "HHT"}) {
      const Real coarse = error(method, 0.001), fine = error(method, 0.0005);
      EXPECT_LT(coarse, 1e-4L) << method << ' ' << n;
      EXPECT_NEAR(coarse / fine, 4, 0.5) << method << ' ' << n;
    }
  }
}

/// Where two links converge with so long a step, a thousand do, in as many turns of Newton's method.
TEST(ImplicitChains, AccelerationsOfLongChainsConvergeWithLongSteps) {
  const Workspace workspace;
  const std::string file = written(workspace, pendulums);
  for (const char* method : {"GenAlpha", "HHT"})
    for (const int n : {2, 1000}) {
      const Outcome o = workspace.lmc({"run", file, "--method", method, "--set", fmt::format("N={}", n), "--step",
                                       "0.01", "--time", "0..0.1", "--json", "--quiet"});
      ASSERT_EQ(o.status, 0) << method << ' ' << n << o.err;
      EXPECT_LE(parseJson(o.out).at("iterations").get<double>(), 60) << method << ' ' << n;
    }
}

/// A cart on a rail carries a chain: an unknown that all members see. Its momentum along the rail is kept.
TEST(ImplicitChains, UnknownsBesideTheFamily) {
  const Workspace workspace;
  const std::string file = written(workspace, R"(
model Cart { param N : int = 40; param g = 9.81;
  config s : R velocity u;
  config q[N] : S^2 velocity w;
  let x[1] = s*e1 + q[1];
  let x[i in 2..N] = x[i-1] + q[i];
  lagrangian = 2.5*u^2 + sum(i in 1..N: 0.5*dot(x[i]', x[i]') - g*dot(e3, x[i]));
  initial q[i in 1..N] = [0.6*cos(0.3*i), 0.6*sin(0.3*i), -0.8];
  initial u = 0.4;
  observe rail = 5*u + sum(i in 1..N: dot(x[i]', e1));
  simulate { method = VIMidpoint; time = 0..0.4; step = 0.004; } }
)");
  const Trajectory run = runModel(workspace, file, {});
  ASSERT_EQ(run.rows.size(), 101u);
  const double energy = run.at(0, "energy");
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    EXPECT_NEAR(run.at(k, "rail"), run.at(0, "rail"), 1e-9);
    EXPECT_NEAR(run.at(k, "energy"), energy, 2e-4 * std::abs(energy));
  }
}

} // namespace
