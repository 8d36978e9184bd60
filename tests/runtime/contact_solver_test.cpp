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

/// All multipliers that satisfy the laws, in the plane: every contact parts, with its least multiplier, or is held; and
/// it sticks or slides one way or the other, where there is a multiplier.
std::vector<Numbers> enumerated(const ContactProblem& p) {
  constexpr long double tolerance = 1e-12L;
  std::vector<Numbers> found;
  std::size_t cases = 1;
  for (std::size_t k = 0; k < p.contacts.size(); ++k) cases *= 6;
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
      const int code_ = static_cast<int>(rest % 6); // parts: open or sticks, slides forth, back; held: the same
      rest /= 6;
      const bool held = code_ > 2;
      const int state = code_ % 3;
      states.push_back(code_);
      skip = skip || (l.tangents == 0 && state > 0) || (!held && l.least == 0 && state > 0);
      if (held) {
        rate(l.normal, l.normal, l.bound);
      } else {
        a[l.normal][l.normal] = 1;
        b[l.normal] = l.least;
        given[l.normal] = true;
      }
      if (l.tangents == 0 || (!held && l.least == 0)) continue;
      if (state == 0) {
        rate(l.slip, l.slip, 0);
      } else {
        a[l.slip][l.slip] = 1;
        a[l.slip][l.normal] = (state == 1 ? 1 : -1) * l.friction;
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
      holds = holds && (states[k] < 3 ? v(l.normal) >= l.bound - tolerance : normal >= l.least - tolerance);
      if (l.tangents == 0 || (states[k] < 3 && l.least == 0)) continue;
      if (states[k] % 3 == 0)
        holds = holds && std::abs((*x)[l.slip]) <= l.friction * normal + tolerance;
      else
        holds = holds && (states[k] % 3 == 1 ? 1 : -1) * v(l.slip) >= -tolerance;
    }
    if (holds) found.push_back(*x);
  }
  return found;
}

ContactProblem randomProblem(std::mt19937_64& engine, bool friction, bool least = false) {
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
    if (least && engine() % 4 != 0) l.least = uniform(engine);
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

/// Normals whose multipliers have a least value, as in expansions: those that part have friction all the same.
TEST(ContactSolver, FindsASolutionWhereNormalsPressAtLeast) {
  for (const bool friction : {false, true}) {
    std::mt19937_64 engine(friction ? 12 : 11);
    int parts = 0, holds = 0;
    for (int k = 0; k < 3000; ++k) {
      const ContactProblem p = randomProblem(engine, friction, true);
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
      EXPECT_LT(s.residual, 1e-11);
      for (std::size_t c = 0; c < p.contacts.size(); ++c) {
        const ContactLaw& l = p.contacts[c];
        if (!(l.least > 0)) continue;
        ++(s.held[c] ? holds : parts);
        EXPECT_GE(s.multipliers[l.normal], l.least - 1e-12);
        if (!s.held[c]) {
          EXPECT_NEAR(s.multipliers[l.normal], l.least, 1e-14);
        }
      }
    }
    EXPECT_GT(parts, 500);
    EXPECT_GT(holds, 500);
  }
}

namespace {

/// Contacts of random rows in space or in the plane, without bilateral rows.
ContactProblem randomImpact(std::mt19937_64& engine, int tangents) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  ContactProblem p;
  const std::size_t contacts = 1 + engine() % 4;
  p.size = contacts * static_cast<std::size_t>(1 + tangents);
  const std::size_t columns = p.size + engine() % 3;
  std::vector<double> b(p.size * columns);
  for (double& x : b) x = normal(engine);
  p.matrix.assign(p.size * p.size, 0.0);
  for (std::size_t i = 0; i < p.size; ++i)
    for (std::size_t j = 0; j < p.size; ++j)
      for (std::size_t a = 0; a < columns; ++a) p.matrix[i * p.size + j] += b[i * columns + a] * b[j * columns + a];
  for (std::size_t i = 0; i < p.size; ++i) p.offset.push_back(normal(engine));
  for (std::size_t k = 0; k < contacts; ++k) {
    ContactLaw l;
    l.normal = k * static_cast<std::size_t>(1 + tangents);
    l.slip = l.normal + 1;
    l.tangents = tangents;
    l.friction = 0.8 * uniform(engine);
    p.contacts.push_back(l);
  }
  return p;
}

} // namespace

/// Compression and expansion by Poisson's law never add energy, whatever the friction; Newton's law does at times.
/// Twice the change of the energy is P (v- + v+), in long double.
TEST(ContactSolver, PoissonsLawAddsNoEnergy) {
  std::mt19937_64 engine(21);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto change = [](const ContactProblem& p, const std::vector<double>& impulses) {
    long double sum = 0, size = 0;
    for (std::size_t i = 0; i < p.size; ++i) {
      long double behind = p.offset[i];
      for (std::size_t j = 0; j < p.size; ++j)
        behind += static_cast<long double>(p.matrix[i * p.size + j]) * impulses[j];
      sum += impulses[i] * (p.offset[i] + behind);
      size += std::abs(impulses[i]) * (std::abs(p.offset[i]) + std::abs(behind));
    }
    return static_cast<double>(size > 0 ? sum / size : 0);
  };
  int gains = 0, solved = 0;
  for (int k = 0; k < 1000; ++k) {
    const ContactProblem p = randomImpact(engine, k % 2 + 1);
    const double e = k % 5 == 0 ? 1 : uniform(engine);
    const ContactSolution compression = solveContacts(p);
    ContactProblem expansion = p, newton = p;
    expansion.offset = compression.rates;
    for (std::size_t c = 0; c < p.contacts.size(); ++c) {
      expansion.contacts[c].least = e * compression.multipliers[p.contacts[c].normal];
      newton.contacts[c].bound = e * std::max(-p.offset[p.contacts[c].normal], 0.0);
    }
    const ContactSolution back = solveContacts(expansion);
    if (compression.why.empty() && back.why.empty()) {
      ++solved;
      std::vector<double> all = compression.multipliers;
      for (std::size_t i = 0; i < p.size; ++i) all[i] += back.multipliers[i];
      EXPECT_LT(change(p, all), 1e-12) << k;
    }
    const ContactSolution other = solveContacts(newton);
    if (other.why.empty() && change(p, other.multipliers) > 1e-6) ++gains;
  }
  EXPECT_GT(solved, 980);
  EXPECT_GT(gains, 10);
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
      if (k % 2 == 1) l.least = uniform(engine);
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
      EXPECT_GE(push, l.least - 1e-11L * size);
      EXPECT_GE(rate, -1e-10L);
      EXPECT_LT(std::abs((push - l.least) * rate), 1e-9L * size) << k;
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

/// A block on two corners, one of which is 1e-10 lower: rows of slips differ by as much, so that what sweeps still
/// change of their difference has no end. Expansion behind an impact (law = poisson), as a run had it.
TEST(ContactSolver, NearlyDependentSlipsAreHeldAsFarAsTheyAreKnown) {
  runtime::ContactProblem p;
  p.size = 4;
  p.matrix = {2.9864864866969278,   -0.98648648648648629, -1.4189189188467677, -1.4189189191413856,
              -0.98648648648648629, 2.9864864862760445,   1.4189189186964524,  1.4189189189910703,
              -1.4189189188467677,  1.4189189186964524,   2.0135135133030722,  2.0135135135135136,
              -1.4189189191413856,  1.4189189189910703,   2.0135135135135136,  2.013513513723955};
  p.offset = {-3.1340219048409113e-20, 7.6232965252887031e-21, 9.3173624197973037e-21, 5.082197683525802e-21};
  const double least[] = {0.7 * 1.2082147890048725e-05, 0.7 * 2.2699625590179571e-05};
  for (const std::size_t k : {0U, 1U}) {
    runtime::ContactLaw l;
    l.normal = k;
    l.slip = 2 + k;
    l.tangents = 1;
    l.friction = 0.6;
    l.least = least[k];
    p.contacts.push_back(l);
  }
  const runtime::ContactSolution s = runtime::solveContacts(p);
  ASSERT_EQ(s.why, "");
  EXPECT_LT(s.residual, 1e-10);
  for (const std::size_t k : {0U, 1U}) {
    EXPECT_GE(s.multipliers[k], least[k]);
    EXPECT_GE(s.rates[k], -1e-15);
    EXPECT_LE(std::abs(s.multipliers[2 + k]), 0.6 * s.multipliers[k] + 1e-15);
    EXPECT_NEAR(s.rates[2 + k], 0, 1e-14);
  }
}

} // namespace lmc::test
