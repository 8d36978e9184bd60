// The solver of contacts against an enumeration of all cases in long double, and against closed forms.
#include "runtime/contacts/ContactSolver.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <random>

namespace lmc::test {

namespace {

using runtime::ContactLaw;
using runtime::ContactProblem;
using runtime::ContactSolution;
using Numbers = std::vector<long double>;

/// x of A x = b by elimination with complete pivoting; nothing where A is singular.
std::optional<Numbers> solved(std::vector<Numbers> a, Numbers b) {
  const std::size_t n = b.size();
  std::vector<std::size_t> order(n);
  for (std::size_t k = 0; k < n; ++k) order[k] = k;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t row = k, column = k;
    for (std::size_t i = k; i < n; ++i)
      for (std::size_t j = k; j < n; ++j)
        if (std::abs(a[i][j]) > std::abs(a[row][column])) row = i, column = j;
    if (std::abs(a[row][column]) < 1e-14L) return std::nullopt;
    std::swap(a[k], a[row]);
    std::swap(b[k], b[row]);
    for (Numbers& r : a) std::swap(r[k], r[column]);
    std::swap(order[k], order[column]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  Numbers x(n);
  for (std::size_t k = n; k-- > 0;) {
    long double value = b[k];
    for (std::size_t j = k + 1; j < n; ++j) value -= a[k][j] * x[order[j]];
    x[order[k]] = value / a[k][k];
  }
  return x;
}

/// All multipliers that satisfy the laws, in the plane: every contact is open, sticks, or slides one way or the other.
std::vector<Numbers> enumerated(const ContactProblem& p) {
  constexpr long double tolerance = 1e-12L;
  std::vector<Numbers> found;
  std::size_t cases = 1;
  for (std::size_t k = 0; k < p.contacts.size(); ++k) cases *= 4;
  for (std::size_t code = 0; code < cases; ++code) {
    std::vector<Numbers> a(p.size, Numbers(p.size, 0.0L));
    Numbers b(p.size, 0.0L);
    std::vector<bool> given(p.size, false);
    const auto rate = [&](std::size_t equation, std::size_t row, long double bound) {
      for (std::size_t j = 0; j < p.size; ++j) a[equation][j] = p.matrix[row * p.size + j];
      b[equation] = bound - p.offset[row];
      given[equation] = true;
    };
    for (const std::size_t r : p.bilateral) rate(r, r, 0);
    bool skip = false;
    std::size_t rest = code;
    std::vector<int> states;
    for (const ContactLaw& l : p.contacts) {
      const int state = static_cast<int>(rest % 4); // 0 open, 1 sticks (closed), 2 slides forth, 3 back
      rest /= 4;
      states.push_back(state);
      skip = skip || (l.tangents == 0 && state > 1);
      if (state == 0) continue;
      rate(l.normal, l.normal, l.bound);
      if (l.tangents == 0) continue;
      if (state == 1) {
        rate(l.slip, l.slip, 0);
      } else {
        a[l.slip][l.slip] = 1;
        a[l.slip][l.normal] = (state == 2 ? 1 : -1) * l.friction;
        given[l.slip] = true;
      }
    }
    if (skip) continue;
    for (std::size_t k = 0; k < p.size; ++k)
      if (!given[k]) a[k][k] = 1; // no multiplier
    const auto x = solved(a, b);
    if (!x) continue;
    bool holds = true;
    for (std::size_t k = 0; k < p.contacts.size(); ++k) {
      const ContactLaw& l = p.contacts[k];
      const auto v = [&](std::size_t row) {
        long double total = p.offset[row];
        for (std::size_t j = 0; j < p.size; ++j) total += p.matrix[row * p.size + j] * (*x)[j];
        return total;
      };
      const long double normal = (*x)[l.normal];
      holds = holds && (states[k] == 0 ? v(l.normal) >= l.bound - tolerance : normal >= -tolerance);
      if (l.tangents == 0 || states[k] == 0) continue;
      if (states[k] == 1)
        holds = holds && std::abs((*x)[l.slip]) <= l.friction * normal + tolerance;
      else
        holds = holds && (states[k] == 2 ? 1 : -1) * v(l.slip) >= -tolerance;
    }
    if (holds) found.push_back(*x);
  }
  return found;
}

ContactProblem randomProblem(std::mt19937_64& engine, bool friction) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto contacts = 1 + engine() % 3, bilateral = engine() % 3;
  ContactProblem p;
  std::size_t next = 0;
  for (std::size_t k = 0; k < contacts; ++k) {
    ContactLaw l;
    l.normal = next++;
    l.tangents = friction && engine() % 4 != 0 ? 1 : 0;
    if (l.tangents > 0) l.slip = next++;
    l.friction = l.tangents > 0 ? 0.4 * uniform(engine) : 0;
    l.bound = engine() % 2 == 0 ? 0 : uniform(engine);
    p.contacts.push_back(l);
  }
  for (std::size_t k = 0; k < bilateral; ++k) p.bilateral.push_back(next++);
  p.size = next + engine() % 2; // a row without a multiplier
  const std::size_t columns = p.size + 1 + engine() % 4;
  std::vector<double> b(p.size * columns);
  for (double& x : b) x = normal(engine);
  p.matrix.assign(p.size * p.size, 0.0);
  for (std::size_t i = 0; i < p.size; ++i)
    for (std::size_t j = 0; j < p.size; ++j)
      for (std::size_t a = 0; a < columns; ++a) p.matrix[i * p.size + j] += b[i * columns + a] * b[j * columns + a];
  for (std::size_t i = 0; i < p.size; ++i) p.offset.push_back(normal(engine));
  return p;
}

double distance(const Numbers& wanted, const std::vector<double>& found) {
  long double most = 0, size = 1e-3L;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    most = std::max(most, std::abs(wanted[k] - found[k]));
    size = std::max(size, std::abs(wanted[k]));
  }
  return static_cast<double>(most / size);
}

} // namespace

TEST(ContactSolver, FindsTheOneSolutionWithoutFriction) {
  std::mt19937_64 engine(1);
  for (int k = 0; k < 3000; ++k) {
    const ContactProblem p = randomProblem(engine, false);
    const auto all = enumerated(p);
    ASSERT_FALSE(all.empty());
    const ContactSolution s = solveContacts(p);
    ASSERT_EQ(s.why, "") << k;
    EXPECT_LT(distance(all.front(), s.multipliers), 1e-9) << k;
    EXPECT_LT(s.residual, 1e-11);
  }
}

TEST(ContactSolver, FindsASolutionWithFrictionInThePlane) {
  std::mt19937_64 engine(2);
  int several = 0;
  for (int k = 0; k < 3000; ++k) {
    const ContactProblem p = randomProblem(engine, true);
    const auto all = enumerated(p);
    const ContactSolution s = solveContacts(p);
    if (all.empty()) {
      EXPECT_NE(s.why, "") << k;
      continue;
    }
    ASSERT_EQ(s.why, "") << k << " of " << all.size();
    double nearest = 1e300;
    for (const Numbers& x : all) nearest = std::min(nearest, distance(x, s.multipliers));
    EXPECT_LT(nearest, 1e-9) << k;
    for (const Numbers& x : all) several += distance(x, s.multipliers) > 1e-6 ? 1 : 0;
  }
  EXPECT_LT(several, 300);
}

/// The laws themselves, looked at in long double.
TEST(ContactSolver, KeepsTheLawsInSpace) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  int slides = 0, sticks = 0;
  for (int k = 0; k < 1000; ++k) {
    const std::size_t contacts = 1 + engine() % 3;
    ContactProblem p;
    p.size = 3 * contacts;
    const std::size_t columns = p.size + 6;
    std::vector<double> b(p.size * columns);
    for (double& x : b) x = normal(engine);
    p.matrix.assign(p.size * p.size, 0.0);
    for (std::size_t i = 0; i < p.size; ++i)
      for (std::size_t j = 0; j < p.size; ++j)
        for (std::size_t a = 0; a < columns; ++a) p.matrix[i * p.size + j] += b[i * columns + a] * b[j * columns + a];
    for (std::size_t i = 0; i < p.size; ++i) p.offset.push_back(normal(engine));
    for (std::size_t c = 0; c < contacts; ++c) {
      ContactLaw l;
      l.normal = 3 * c;
      l.slip = 3 * c + 1;
      l.tangents = 2;
      l.friction = 0.5 * uniform(engine);
      p.contacts.push_back(l);
    }
    const ContactSolution s = solveContacts(p);
    ASSERT_EQ(s.why, "") << k;
    long double size = 1e-3L;
    for (const double x : s.multipliers) size = std::max(size, static_cast<long double>(std::abs(x)));
    for (const ContactLaw& l : p.contacts) {
      const auto v = [&](std::size_t row) {
        long double total = p.offset[row];
        for (std::size_t j = 0; j < p.size; ++j)
          total += static_cast<long double>(p.matrix[row * p.size + j]) * s.multipliers[j];
        return total;
      };
      const long double push = s.multipliers[l.normal], rate = v(l.normal);
      EXPECT_GE(push, -1e-11L * size);
      EXPECT_GE(rate, -1e-10L);
      EXPECT_LT(std::abs(push * rate), 1e-9L * size) << k;
      const long double px = s.multipliers[l.slip], py = s.multipliers[l.slip + 1];
      const long double vx = v(l.slip), vy = v(l.slip + 1), slip = std::hypot(vx, vy);
      EXPECT_LE(std::hypot(px, py), l.friction * push + 1e-10L * size) << k;
      if (push < 1e-9L * size) continue;
      if (slip < 1e-9L) {
        ++sticks;
        continue;
      }
      ++slides;
      // A slow slip has a direction that rounding turns.
      const long double off = std::hypot(px + l.friction * push * vx / slip, py + l.friction * push * vy / slip);
      EXPECT_LT(off * std::min(slip, 1.0L), 1e-10L * std::max(size, 1.0L)) << k;
    }
  }
  EXPECT_GT(slides, 200);
  EXPECT_GT(sticks, 20);
}

/// A rod of mass 1, length 2 at 30 degrees hits the floor (closed form of Moreau's law).
TEST(ContactSolver, KnowsTheImpactOfARod) {
  const double s = 0.5, c = std::sqrt(3) / 2, inertia = 1.0 / 3;
  // Tip at -(c, s) from the centre: rates of the gap vy - c w, of the slip vx + s w.
  ContactProblem p;
  p.size = 2;
  p.matrix = {1 + c * c / inertia, -c * s / inertia, -c * s / inertia, 1 + s * s / inertia};
  p.offset = {-2, 0.5};
  ContactLaw l;
  l.normal = 0;
  l.slip = 1;
  l.tangents = 1;
  l.bound = 0.6 * 2;
  for (const auto& [mu, push, pull] :
       std::vector<std::array<double, 3>>{{0, 0.98461538461538462, 0},
                                          {0.1, 1.025609406158149, 0.1025609406158149},
                                          {10, 1.2376202367904178, 0.63298048454132638}}) {
    l.friction = mu;
    p.contacts = {l};
    const ContactSolution x = solveContacts(p);
    EXPECT_NEAR(x.multipliers[0], push, 1e-14);
    EXPECT_NEAR(x.multipliers[1], pull, 1e-14);
  }
}

/// Friction that takes all resistance of a sliding contact away leaves no force, or several.
TEST(ContactSolver, RefusesToDecideWherePainleveDoes) {
  ContactProblem p;
  p.size = 2;
  p.matrix = {1, 1.2, 1.2, 2};
  ContactLaw l;
  l.normal = 0;
  l.slip = 1;
  l.tangents = 1;
  l.friction = 1;
  l.slides = true;
  l.direction = {1, 0};
  p.contacts = {l};
  p.offset = {-1, 0};
  EXPECT_NE(solveContacts(p).why.find("no force"), std::string::npos);
  p.offset = {1, 0};
  EXPECT_NE(solveContacts(p).why.find("do not say which"), std::string::npos);
  p.contacts[0].direction = {-1, 0};
  EXPECT_EQ(solveContacts(p).why, "");
}

/// Legs of a table: more contacts than there are motions. The forces are the shortest.
TEST(ContactSolver, TakesTheShortestOfManyForces) {
  ContactProblem p;
  p.size = 4;
  const double place[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  for (const auto& a : place)
    for (const auto& b : place) p.matrix.push_back(1 + a[0] * b[0] + a[1] * b[1]);
  for (const auto& a : place) p.offset.push_back(-9 + 0.5 * a[0]);
  for (std::size_t k = 0; k < 4; ++k) {
    ContactLaw l;
    l.normal = k;
    p.contacts.push_back(l);
  }
  const ContactSolution s = solveContacts(p);
  EXPECT_EQ(s.why, "");
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(s.multipliers[k], 2.25 - 0.125 * place[k][0], 1e-12);
    EXPECT_NEAR(s.rates[k], 0, 1e-12);
  }
}

} // namespace lmc::test
