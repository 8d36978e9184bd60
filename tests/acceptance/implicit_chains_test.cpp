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
