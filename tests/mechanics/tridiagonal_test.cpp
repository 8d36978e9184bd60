// Systems with three diagonals, short ones and those that are cut into segments, and long chains of rods, against plain
// arithmetic in long double that uses neither segments nor the compiler's equations.
#include "mechanics/Derived.h"
#include "mechanics/mass/Tridiagonal.h"
#include "mechanics/system/Equations.h"

#include <Eigen/Dense>
#include <fmt/format.h>
#include <random>

using namespace lmc::mechanics;
using namespace lmc::test;
using namespace lmc;

namespace {

using Wide = std::vector<long double>;
using Wide3 = Eigen::Matrix<long double, 3, 1>;
using Points = std::vector<Wide3>;

/// A symmetric system with three diagonals.
struct Rows {
  Numbers own, before, rhs; ///< before[0] is nothing's
};

/// S L L^T S with a matrix L that has ones in its diagonal and less below, and a diagonal S of four decades.
Rows random(std::size_t n, unsigned seed) {
  std::mt19937 draw(seed);
  std::uniform_real_distribution<double> decade(-2, 2), part(-0.9, 0.9), any(-1, 1);
  Rows s;
  double last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double scale = std::pow(10, decade(draw)), ratio = i == 0 ? 0 : part(draw);
    s.own.push_back(scale * scale * (1 + ratio * ratio));
    s.before.push_back(ratio * scale * last);
    s.rhs.push_back(any(draw) * scale);
    last = scale;
  }
  return s;
}

/// Elimination from the first row to the last one.
Wide plain(const Wide& own, const Wide& before, const Wide& rhs) {
  const std::size_t n = own.size();
  Wide pivot(own), x(rhs);
  for (std::size_t i = 1; i < n; ++i) {
    pivot[i] -= before[i] / pivot[i - 1] * before[i];
    x[i] -= before[i] / pivot[i - 1] * x[i - 1];
  }
  for (std::size_t i = n; i-- > 0;) x[i] = (x[i] - (i + 1 < n ? before[i + 1] * x[i + 1] : 0)) / pivot[i];
  return x;
}

/// What the unknowns are.
Numbers found(Evaluate& values, const TridiagonalSolution& solution) {
  Numbers x = values.array(solution.x);
  if (solution.scale == nullptr) return x;
  const Numbers scale = values.array(solution.scale);
  for (std::size_t i = 0; i < scale.size(); ++i) x[i] *= scale[i];
  return x;
}

class ByRows : public testing::TestWithParam<int> {};

} // namespace

TEST_P(ByRows, TridiagonalSystemsAreSolvedAsPlainly) {
  const auto n = static_cast<std::int64_t>(GetParam());
  sym::Graph g;
  sym::Program p(g);
  const std::int64_t room = tridiagonalRoom(n);
  EXPECT_GE(room, n);
  std::vector<const sym::Array*> given, copies;
  for (const char* name : {"own", "before", "rhs"}) {
    given.push_back(g.newArray(name, {n}, sym::Shape::scalar(), sym::Role::State));
    copies.push_back(g.newArray(name, {room}, sym::Shape::scalar(), sym::Role::Temp));
    const sym::Expr i = g.newIndex("i");
    defineRange(p, copies.back(), i, copies.size() == 2 ? 2 : 1, n, g.load(given.back(), {i}));
  }
  const TridiagonalSolution solution = solveTridiagonal(p, {n, copies[0], copies[1], copies[2]}, "x");
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Rows s = random(static_cast<std::size_t>(n), seed);
    Evaluate values(p);
    values.set(given[0], s.own);
    values.set(given[1], s.before);
    values.set(given[2], s.rhs);
    const Numbers x = found(values, solution);
    ASSERT_EQ(x.size(), static_cast<std::size_t>(room));
    const Wide exact =
        plain({s.own.begin(), s.own.end()}, {s.before.begin(), s.before.end()}, {s.rhs.begin(), s.rhs.end()});
    for (std::size_t i = 0; i < s.own.size(); ++i) {
      // The condition of L L^T is below 400.
      const double size = std::abs(static_cast<double>(exact[i])) + 1 / std::sqrt(s.own[i]);
      ASSERT_NEAR(x[i], static_cast<double>(exact[i]), 1e-13 * size) << "row " << i + 1 << ", seed " << seed;
    }
    for (std::size_t i = s.own.size(); i < x.size(); ++i) EXPECT_EQ(x[i], 0);
  }
}

// L L^T with entries of L below the diagonal that are so many times those on it: from the first row on every pivot is
// a millionth of its row's own entry. The solution is that of a system whose entries differ by rounding.
TEST(Tridiagonal, SmallPivotsInAllRowsLeaveAResidualOfRounding) {
  constexpr std::int64_t n = 63; // the most rows that are not cut
  constexpr double ratio = 1e3;
  sym::Graph g;
  sym::Program p(g);
  std::vector<const sym::Array*> given;
  for (const char* name : {"own", "before", "rhs"})
    given.push_back(g.newArray(name, {n}, sym::Shape::scalar(), sym::Role::State));
  const TridiagonalSolution solution = solveTridiagonal(p, {n, given[0], given[1], given[2]}, "x");
  Numbers own(n, 1 + ratio * ratio), before(n, ratio), rhs;
  own[0] = 1;
  for (std::int64_t i = 0; i < n; ++i) rhs.push_back(std::sin(1.0 + static_cast<double>(i)));
  Evaluate values(p);
  values.set(given[0], own);
  values.set(given[1], before);
  values.set(given[2], rhs);
  const Numbers x = found(values, solution);
  for (std::size_t i = 0; i < own.size(); ++i) {
    Wide terms{own[i] * static_cast<long double>(x[i]), -rhs[i]};
    if (i > 0) terms.push_back(before[i] * static_cast<long double>(x[i - 1]));
    if (i + 1 < own.size()) terms.push_back(before[i + 1] * static_cast<long double>(x[i + 1]));
    long double sum = 0, size = 0;
    for (const long double t : terms) sum += t, size += std::abs(t);
    EXPECT_LE(std::abs(sum), 1e-14L * size) << "row " << i + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(Bounds, ByRows,
                         testing::Values(3, 4, 5, 8, 20, 62, 63, 64, 65, 66, 67, 68, 71, 72, 73, 100, 129, 511, 512,
                                         513, 1000, 1003, 2998, 2999, 3000, 3001, 3071, 3072, 3073, 4001, 8192, 8193));

namespace {

class RodChain : public testing::TestWithParam<int> {};

/// A chain of rods as points with masses: x(i)'' = -g e3 + (T(i+1) q(i+1) - T(i) q(i))/m(i), with tensions T such that
/// rods keep their lengths. L(i) q(i)'', and the sizes of the terms that it is the sum of.
struct RodMotion {
  Points change;
  Wide sizes;
};
RodMotion pointMasses(const Wide& m, const Wide& L, const Points& q, const Points& rate) {
  const std::size_t n = m.size();
  Wide own(n), before(n), rhs(n);
  const Wide3 fall(0, 0, -9.81L);
  for (std::size_t i = 0; i < n; ++i) {
    own[i] = 1 / m[i] + (i > 0 ? 1 / m[i - 1] : 0);
    before[i] = i > 0 ? -q[i].dot(q[i - 1]) / m[i - 1] : 0;
    rhs[i] = L[i] * rate[i].squaredNorm() + (i == 0 ? q[i].dot(fall) : 0);
  }
  const Wide T = plain(own, before, rhs);
  RodMotion motion{Points(n), Wide(n)};
  const auto tension = [&](std::size_t i) { return i < n ? std::abs(T[i]) : 0; };
  const auto point = [&](std::size_t i) -> Wide3 {
    Wide3 a = -T[i] * q[i];
    if (i + 1 < n) a += T[i + 1] * q[i + 1];
    return a / m[i];
  };
  for (std::size_t i = 0; i < n; ++i) {
    motion.change[i] = i == 0 ? (point(0) + fall).eval() : (point(i) - point(i - 1)).eval();
    motion.sizes[i] = 9.81L + (tension(i) + tension(i + 1)) / m[i];
    if (i > 0) motion.sizes[i] += (tension(i - 1) + tension(i)) / m[i - 1];
  }
  // Forces on members are sums over all members behind, whose weight is rounded whatever the member's own mass.
  long double weight = 0;
  for (std::size_t i = n; i-- > 0;) {
    weight += 9.81L * m[i];
    motion.sizes[i] += weight / (i > 0 ? std::min(m[i], m[i - 1]) : m[i]);
  }
  return motion;
}

} // namespace

TEST_P(RodChain, AcceleratesAsPointMassesOnRods) {
  const auto n = static_cast<std::size_t>(GetParam());
  Derived d(fmt::format("model M {{ param N : int = {}; config q[N] : S^2 velocity w; param m[N] = 1; param L[N] = 1;"
                        "let x[1] = L[1]*q[1]; let x[i in 2..N] = x[i-1] + L[i]*q[i];"
                        "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(x[i]', x[i]') - 9.81*m[i]*x[i][3]);"
                        "initial q[i in 1..N] = e3; }}",
                        n));
  ASSERT_TRUE(d.good) << d.c.text();
  ASSERT_EQ(d.system.groups[0].structure, MassStructure::Multipliers);
  for (const unsigned seed : {1U, 2U}) {
    std::mt19937 draw(seed);
    std::uniform_real_distribution<double> any(-1, 1), decade(-2, 2);
    Points q, rate, w;
    Wide m, L;
    Numbers points, velocities, masses, lengths;
    for (std::size_t i = 0; i < n; ++i) {
      const auto three = [&] {
        const double a = any(draw), b = any(draw), c = any(draw);
        return Eigen::Vector3d(a, b, c);
      };
      const Eigen::Vector3d point = (three() + Eigen::Vector3d(0.01, 0, 0)).normalized();
      const Eigen::Vector3d velocity = point.cross(three());
      masses.push_back(std::pow(10, decade(draw)));
      lengths.push_back(std::pow(10, decade(draw)));
      for (int k = 0; k < 3; ++k) points.push_back(point[k]);
      for (int k = 0; k < 3; ++k) velocities.push_back(velocity[k]);
      m.push_back(masses.back());
      L.push_back(lengths.back());
      q.push_back(point.cast<long double>());
      w.push_back(velocity.cast<long double>());
      rate.push_back(w.back().cross(q.back()));
    }
    std::vector<std::pair<const sym::Array*, Numbers>> state{{d.factor().point[0], points},
                                                             {d.factor().velocity[0], velocities}};
    for (const auto& parameter : d.c.model->parameters) {
      if (parameter.name == "m") state.emplace_back(parameter.array, masses);
      if (parameter.name == "L") state.emplace_back(parameter.array, lengths);
    }
    ASSERT_EQ(state.size(), 4U);
    Evaluate values = d.at(state);
    const Numbers acceleration = values.array(d.system.factors[0].acceleration[0]);
    const RodMotion motion = pointMasses(m, L, q, rate);
    ASSERT_EQ(acceleration.size(), 3 * n);
    for (std::size_t i = 0; i < n; ++i) {
      const Wide3 exact = q[i].cross(motion.change[i]) / L[i];
      const Eigen::Map<const Eigen::Vector3d> found(acceleration.data() + 3 * i);
      const long double size = motion.sizes[i] / L[i];
      ASSERT_LE((found.cast<long double>() - exact).norm(), 1e-12L * size) << "member " << i + 1 << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bounds, RodChain,
                         testing::Values(20, 63, 64, 65, 66, 67, 68, 100, 129, 1000, 1003, 2999, 3001, 4001));
