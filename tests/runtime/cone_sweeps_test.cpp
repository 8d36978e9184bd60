// Impulses by sweeps: against the dense solver of the contacts of events, against the laws themselves, and against an
// elimination that knows the answer.
#include "runtime/contacts/ConeSweeps.h"
#include "runtime/contacts/ContactSolver.h"
#include "runtime/contacts/NearMembers.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace lmc::test {

namespace {

using runtime::ConeSweeps;
using Rows = ConeSweeps::Rows;

/// Contacts between bodies with random masses, each between two of them, or one and the ground.
struct RandomContacts {
  std::size_t bodies = 0, dimension = 0;
  std::vector<std::vector<double>> inverse; ///< of the mass of each body
  std::vector<ConeSweeps::Contact> contacts;
};

RandomContacts randomContacts(std::mt19937_64& engine, std::size_t count, std::size_t rows, double friction) {
  std::normal_distribution<double> normal;
  RandomContacts r;
  r.bodies = count + 1;
  r.dimension = 3;
  for (std::size_t b = 0; b < r.bodies; ++b) {
    std::vector<double> a(9), m(9, 0.0);
    for (double& x : a) x = normal(engine);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t k = 0; k < 3; ++k) m[3 * i + j] += a[3 * i + k] * a[3 * j + k];
        m[3 * i + j] += i == j ? 0.5 : 0;
      }
    r.inverse.push_back(m);
  }
  for (std::size_t k = 0; k < count; ++k) {
    ConeSweeps::Contact c;
    c.rows = rows;
    c.friction = friction;
    for (std::size_t i = 0; i < rows; ++i) c.rate[i] = normal(engine);
    c.bound = engine() % 2 == 0 ? 0 : 0.3 * std::abs(normal(engine));
    for (const std::size_t body : {k, k + 1}) {
      if (body == 0 && engine() % 3 == 0) continue; // the ground
      ConeSweeps::Block b{3 * body, 3, std::vector<double>(3 * rows), std::vector<double>(3 * rows, 0.0)};
      for (double& x : b.rows) x = normal(engine);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t a = 0; a < 3; ++a)
          for (std::size_t e = 0; e < 3; ++e) b.response[3 * i + a] += r.inverse[body][3 * a + e] * b.rows[3 * i + e];
      c.blocks.push_back(std::move(b));
    }
    r.contacts.push_back(std::move(c));
  }
  return r;
}

/// The same as one dense problem.
runtime::ContactProblem dense(const RandomContacts& r) {
  runtime::ContactProblem p;
  const std::size_t rows = r.contacts.front().rows, columns = 3 * r.bodies;
  p.size = rows * r.contacts.size();
  std::vector<double> h(p.size * columns, 0.0), w(p.size * columns, 0.0);
  for (std::size_t k = 0; k < r.contacts.size(); ++k) {
    for (const ConeSweeps::Block& b : r.contacts[k].blocks)
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t a = 0; a < 3; ++a) {
          h[(rows * k + i) * columns + b.column + a] += b.rows[3 * i + a];
          w[(rows * k + i) * columns + b.column + a] += b.response[3 * i + a];
        }
    runtime::ContactLaw l;
    l.normal = rows * k;
    l.slip = rows * k + 1;
    l.tangents = static_cast<int>(rows) - 1;
    l.friction = r.contacts[k].friction;
    l.bound = r.contacts[k].bound;
    p.contacts.push_back(l);
    for (std::size_t i = 0; i < rows; ++i) p.offset.push_back(r.contacts[k].rate[i]);
  }
  p.matrix.assign(p.size * p.size, 0.0);
  for (std::size_t i = 0; i < p.size; ++i)
    for (std::size_t j = 0; j < p.size; ++j)
      for (std::size_t a = 0; a < columns; ++a) p.matrix[i * p.size + j] += h[i * columns + a] * w[j * columns + a];
  return p;
}

/// The largest violation of the laws, with rates computed from the impulses by the rows themselves.
double violation(const std::vector<ConeSweeps::Contact>& contacts, std::size_t velocities) {
  std::vector<double> change(velocities, 0.0);
  for (const ConeSweeps::Contact& c : contacts)
    for (const ConeSweeps::Block& b : c.blocks)
      for (std::size_t i = 0; i < c.rows; ++i)
        for (std::size_t a = 0; a < b.dimension; ++a)
          change[b.column + a] += b.response[i * b.dimension + a] * c.impulse[i];
  double worst = 0;
  for (const ConeSweeps::Contact& c : contacts) {
    Rows u = c.rate;
    for (const ConeSweeps::Block& b : c.blocks)
      for (std::size_t i = 0; i < c.rows; ++i)
        for (std::size_t a = 0; a < b.dimension; ++a) u[i] += b.rows[i * b.dimension + a] * change[b.column + a];
    const double normal = c.impulse[0], gap = u[0] - c.bound;
    const double tangent = std::hypot(c.impulse[1], c.impulse[2]), slip = std::hypot(u[1], u[2]);
    worst = std::max({worst, -normal, -gap, std::min(normal, gap), tangent - c.friction * normal});
    // Against the slip, with all that there may be of it.
    for (std::size_t i = 1; i < c.rows; ++i)
      worst = std::max(worst, std::abs(slip * c.impulse[i] + c.friction * normal * u[i]));
  }
  return worst;
}

} // namespace

TEST(ConeSweeps, FindWhatTheDenseSolverFinds) {
  std::mt19937_64 engine(7);
  int compared = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const std::size_t rows = 1 + static_cast<std::size_t>(trial % 3),
                      count = 1 + static_cast<std::size_t>(trial / 3 % 6);
    RandomContacts r = randomContacts(engine, count, rows, rows > 1 ? 0.2 : 0);
    const runtime::ContactSolution wanted = runtime::solveContacts(dense(r));
    if (!wanted.why.empty()) continue; // several solutions, or none
    std::vector<double> change(3 * r.bodies, 0.0);
    const ConeSweeps::Result found = ConeSweeps::solve(r.contacts, change, 1e-14, 20000);
    ASSERT_TRUE(found.solved) << trial << " residual " << found.residual;
    double largest = 1;
    for (const double x : wanted.multipliers) largest = std::max(largest, std::abs(x));
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < rows; ++i)
        EXPECT_NEAR(r.contacts[k].impulse[i], wanted.multipliers[rows * k + i], 1e-10 * largest) << trial;
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(ConeSweeps, KeepTheLaws) {
  std::mt19937_64 engine(11);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t count = 1 + engine() % 40;
    RandomContacts r = randomContacts(engine, count, 3, 0.3);
    std::vector<double> change(3 * r.bodies, 0.0);
    const ConeSweeps::Result found = ConeSweeps::solve(r.contacts, change, 1e-13, 20000);
    ASSERT_TRUE(found.solved) << trial << " residual " << found.residual;
    EXPECT_LT(violation(r.contacts, change.size()), 1e-10 * std::max(1.0, found.scale * found.scale)) << trial;
  }
}

TEST(ConeSweeps, BeginWithKnownImpulsesAndAreDone) {
  std::mt19937_64 engine(13);
  RandomContacts r = randomContacts(engine, 20, 3, 0.3);
  std::vector<double> change(3 * r.bodies, 0.0), again(3 * r.bodies, 0.0);
  ASSERT_TRUE(ConeSweeps::solve(r.contacts, change, 1e-13, 20000).solved);
  EXPECT_LE(ConeSweeps::solve(r.contacts, again, 1e-10, 20000).sweeps, 1);
  for (std::size_t k = 0; k < change.size(); ++k) EXPECT_NEAR(again[k], change[k], 1e-9);
}

TEST(ConeSweeps, TellWhenTheyAreNotDone) {
  std::mt19937_64 engine(17);
  RandomContacts r = randomContacts(engine, 30, 3, 0.3);
  std::vector<double> change(3 * r.bodies, 0.0);
  const ConeSweeps::Result found = ConeSweeps::solve(r.contacts, change, 1e-13, 3);
  EXPECT_FALSE(found.solved);
  EXPECT_EQ(found.sweeps, 3);
  EXPECT_GT(found.residual, 1e-13);
}

TEST(NearPairs, AreThoseOfAllPairs) {
  std::mt19937_64 engine(19);
  std::uniform_real_distribution<double> place(-1, 1);
  for (const double scale : {1.0, 1e-9, 1e6}) {
    for (const double reach : {0.05, 0.4, 5.0}) {
      std::vector<double> first(3 * 150), second(3 * 90);
      for (double& x : first) x = scale * place(engine);
      for (double& x : second) x = scale * place(engine);
      const auto columns = [](std::int64_t i) { return std::pair<std::int64_t, std::int64_t>{i / 3, 80}; };
      std::vector<std::pair<std::int64_t, std::int64_t>> found, wanted;
      runtime::nearPairs({first, second, 3}, reach * scale, columns, [&](std::int64_t i, std::int64_t j) {
        found.emplace_back(i, j);
        return true;
      });
      for (std::int64_t i = 0; i < 150; ++i)
        for (std::int64_t j = i / 3; j <= 80; ++j) {
          double square = 0;
          for (std::size_t a = 0; a < 3; ++a) {
            const double d = first[static_cast<std::size_t>(3 * i) + a] - second[static_cast<std::size_t>(3 * j) + a];
            square += d * d;
          }
          if (std::sqrt(square) <= reach * scale) wanted.emplace_back(i, j);
        }
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
      EXPECT_TRUE(std::includes(found.begin(), found.end(), wanted.begin(), wanted.end())) << scale << ' ' << reach;
      EXPECT_LE(found.size(), wanted.size() + 2) << scale << ' ' << reach;
      EXPECT_EQ(std::set(found.begin(), found.end()).size(), found.size());
    }
  }
}

} // namespace lmc::test
