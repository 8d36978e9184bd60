// The sparse kernel against dense elimination in long double: saddle points of random trees, rings and meshes.
#include "runtime/kernels/Kernels.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

struct Block {
  int row, column;
  std::vector<double> values;
};

/// A system of blocks, and what is needed to solve it both ways.
struct System {
  std::vector<double> nodes;
  std::vector<Block> blocks;

  int add(int size, bool multiplier) {
    nodes.push_back(size);
    nodes.push_back(multiplier ? 1 : 0);
    return static_cast<int>(nodes.size() / 2) - 1;
  }
  [[nodiscard]] std::vector<int> starts() const {
    std::vector<int> s = {0};
    for (std::size_t k = 0; k < nodes.size(); k += 2) s.push_back(s.back() + static_cast<int>(nodes[k]));
    return s;
  }
};

/// Solved by the kernels; `factors` tells how many numbers these have.
std::vector<double> sparse(const System& s, std::vector<double> x, bool transposed = false,
                           std::int64_t* factors = nullptr) {
  std::vector<double> pairs, values;
  for (const Block& b : s.blocks) {
    pairs.push_back(b.row);
    pairs.push_back(b.column);
    values.insert(values.end(), b.values.begin(), b.values.end());
  }
  const auto n = static_cast<std::int64_t>(s.nodes.size() / 2), m = static_cast<std::int64_t>(s.blocks.size());
  std::int64_t entries = 4;
  std::vector<double> plan;
  for (int exact = 0; exact < 2;) {
    plan.assign(static_cast<std::size_t>(22 * n + 5 * m + 3 * entries + 16), 0.0);
    if (lmc_sparse_plan(s.nodes.data(), pairs.data(), plan.data(), n, m, entries) != LMC_OK) {
      EXPECT_EQ(exact, 0) << "the number of entries that is told is not enough";
      entries *= 2;
      continue;
    }
    entries = static_cast<std::int64_t>(plan[5]);
    ++exact;
  }
  std::vector<double> f(static_cast<std::size_t>(plan[4]), NAN);
  if (factors != nullptr) *factors = static_cast<std::int64_t>(plan[4]);
  EXPECT_EQ(lmc_sparse_factor(plan.data(), pairs.data(), values.data(), f.data(), n, m), LMC_OK);
  EXPECT_EQ(lmc_sparse_solve(plan.data(), f.data(), x.data(), n, 1, transposed ? 1 : 0), LMC_OK);
  return x;
}

std::vector<std::vector<long double>> dense(const System& s) {
  const std::vector<int> at = s.starts();
  const auto n = static_cast<std::size_t>(at.back());
  std::vector<std::vector<long double>> a(n, std::vector<long double>(n, 0));
  for (const Block& b : s.blocks) {
    const int rows = at[b.row + 1] - at[b.row], columns = at[b.column + 1] - at[b.column];
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        a[static_cast<std::size_t>(at[b.row] + i)][static_cast<std::size_t>(at[b.column] + j)] +=
            b.values[static_cast<std::size_t>(i * columns + j)];
  }
  return a;
}

/// Elimination with the largest pivots in long double.
std::vector<long double> eliminated(std::vector<std::vector<long double>> a, std::vector<long double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[best][k])) best = i;
    std::swap(a[k], a[best]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double f = a[i][k] / a[k][k];
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

/// [M, -B^T; B, 0] of bodies with masses over four decades; each edge is a joint of so many equations.
System mechanism(int bodies, const std::vector<std::pair<int, int>>& edges, int equations, std::mt19937& random,
                 bool symmetric = true) {
  std::uniform_real_distribution<double> number(-1, 1);
  System s;
  for (int k = 0; k < bodies; ++k) {
    const int node = s.add(6, false);
    const double mass = std::pow(10, 2 * number(random));
    std::vector<double> m(36), l(36);
    for (double& x : l) x = number(random);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        double sum = i == j ? 1 : 0;
        for (int c = 0; c < 6; ++c) sum += l[i * 6 + c] * l[j * 6 + c];
        m[i * 6 + j] = mass * (sum + (symmetric ? 0 : 0.2 * number(random)));
      }
    s.blocks.push_back({node, node, m});
  }
  for (const auto& [a, b] : edges) {
    const int node = s.add(equations, true);
    for (const int body : {a, b}) {
      if (body < 0) continue;
      std::vector<double> forwards(static_cast<std::size_t>(6 * equations)), backwards = forwards;
      for (int i = 0; i < equations; ++i)
        for (int c = 0; c < 6; ++c) {
          const double x = number(random);
          forwards[static_cast<std::size_t>(i * 6 + c)] = x;
          backwards[static_cast<std::size_t>(c * equations + i)] = symmetric ? -x : -x + 0.1 * number(random);
        }
      s.blocks.push_back({node, body, forwards});
      s.blocks.push_back({body, node, backwards});
    }
  }
  return s;
}

void compare(const System& s, std::mt19937& random, double allowed) {
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> b(static_cast<std::size_t>(s.starts().back()));
  for (double& x : b) x = number(random);
  auto a = dense(s);
  for (const bool transposed : {false, true}) {
    if (transposed)
      for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) std::swap(a[i][j], a[j][i]);
    const auto exact = eliminated(a, {b.begin(), b.end()});
    // As an iteration does: what is left is solved for once more.
    auto found = sparse(s, b, transposed);
    std::vector<double> left(b);
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < a.size(); ++j) left[i] -= static_cast<double>(a[i][j]) * found[j];
    const auto change = sparse(s, left, transposed);
    for (std::size_t i = 0; i < a.size(); ++i) found[i] += change[i];
    // Backward error: |A x - b| beside |A| |x| + |b|, the largest of all rows.
    long double worst = 0, most = 0, off = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      long double r = -b[i], size = std::abs(b[i]);
      for (std::size_t j = 0; j < a.size(); ++j) {
        r += a[i][j] * found[j];
        size += std::abs(a[i][j] * found[j]);
      }
      worst = std::max(worst, std::abs(r) / size);
      most = std::max(most, std::abs(exact[i]));
      off = std::max(off, std::abs(exact[i] - found[i]));
    }
    EXPECT_LT(worst, allowed) << (transposed ? "transposed" : "");
    EXPECT_LT(off / most, 1e-8L);
  }
}

TEST(SparseKernel, SolvesTreesOfBodiesWithMassesOverFourDecades) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::pair<int, int>> edges = {{-1, 0}};
    for (int k = 1; k < 40; ++k) edges.emplace_back(static_cast<int>(random() % static_cast<unsigned>(k)), k);
    compare(mechanism(40, edges, 1 + static_cast<int>(seed % 5), random), random, 1e-12);
  }
}

TEST(SparseKernel, SolvesRingsAndMeshes) {
  std::mt19937 random(17);
  std::vector<std::pair<int, int>> ring, mesh;
  for (int k = 0; k < 40; ++k) ring.emplace_back(k, (k + 1) % 40);
  compare(mechanism(40, ring, 5, random), random, 1e-12);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      if (i > 0) mesh.emplace_back(6 * i + j, 6 * i + j - 6);
      if (j > 0) mesh.emplace_back(6 * i + j, 6 * i + j - 1);
    }
  compare(mechanism(36, mesh, 2, random), random, 1e-12);
}

TEST(SparseKernel, SolvesSystemsWhoseNumbersAreNotSymmetric) {
  std::mt19937 random(5);
  std::vector<std::pair<int, int>> ring;
  for (int k = 0; k < 30; ++k) ring.emplace_back(k, (k + 1) % 30);
  compare(mechanism(30, ring, 3, random, false), random, 1e-12);
}

TEST(SparseKernel, FillsInProportionToTreesAndRings) {
  for (const bool closed : {false, true}) {
    std::int64_t few = 0, many = 0;
    for (const auto& [n, count] : {std::pair{100, &few}, {1000, &many}}) {
      std::mt19937 random(3);
      std::vector<std::pair<int, int>> edges;
      for (int k = closed ? 0 : 1; k < n; ++k) edges.emplace_back(k, (k + n - 1) % n);
      const System s = mechanism(n, edges, 5, random);
      (void)sparse(s, std::vector<double>(static_cast<std::size_t>(s.starts().back()), 1.0), false, count);
    }
    EXPECT_LT(static_cast<double>(many), 10.2 * static_cast<double>(few));
  }
}

TEST(SparseKernel, AnEquationThatFollowsFromOthersHasNoMultiplier) {
  std::mt19937 random(11);
  std::vector<std::pair<int, int>> edges = {{-1, 0}};
  for (int k = 1; k < 12; ++k) edges.emplace_back(k - 1, k);
  System s = mechanism(12, edges, 3, random);
  const int again = s.add(3, true); // the joint between the bodies 4 and 5 once more, in other combinations
  for (const int body : {4, 5}) {
    const Block* joint = nullptr;
    for (const Block& b : s.blocks)
      if (b.row == 12 + 5 && b.column == body) joint = &b;
    ASSERT_NE(joint, nullptr);
    std::vector<double> forwards(18), backwards(18);
    for (int i = 0; i < 3; ++i)
      for (int c = 0; c < 6; ++c) {
        forwards[i * 6 + c] = joint->values[i * 6 + c] + 2 * joint->values[(i + 1) % 3 * 6 + c];
        backwards[c * 3 + i] = -forwards[i * 6 + c];
      }
    s.blocks.push_back({again, body, forwards});
    s.blocks.push_back({body, again, backwards});
  }
  // A right-hand side that fits: A x of some x.
  const auto a = dense(s);
  std::vector<double> b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    long double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[i][j] * std::cos(1.3L * static_cast<long double>(j));
    b[i] = static_cast<double>(sum);
  }
  const auto x = sparse(s, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    long double r = -b[i], size = std::abs(b[i]);
    for (std::size_t j = 0; j < a.size(); ++j) {
      r += a[i][j] * x[j];
      size += std::abs(a[i][j] * x[j]);
    }
    EXPECT_LT(std::abs(r) / size, 1e-11L);
  }
  for (int k = 0; k < 72; ++k) EXPECT_NEAR(x[static_cast<std::size_t>(k)], std::cos(1.3 * k), 1e-9);
}

TEST(SparseKernel, SaysThatVelocitiesWithoutMassAreNotDetermined) {
  System s;
  const int body = s.add(2, false);
  s.blocks.push_back({body, body, {1, 2, 2, 4}});
  std::vector<double> pairs = {0, 0}, plan(22 + 5 + 3 + 16), values = s.blocks[0].values;
  ASSERT_EQ(lmc_sparse_plan(s.nodes.data(), pairs.data(), plan.data(), 1, 1, 1), LMC_OK);
  std::vector<double> f(static_cast<std::size_t>(plan[4]));
  EXPECT_EQ(lmc_sparse_factor(plan.data(), pairs.data(), values.data(), f.data(), 1, 1), LMC_NO_CONVERGENCE);
}

} // namespace
