// Which equations of constraints have become dependent: on tapes and matrices whose singular values are known.
#include "backends/Builder.h"
#include "linear/RowDependence.h"
#include "runtime/mass/ConstraintRows.h"

#include <cmath>
#include <gtest/gtest.h>

namespace lmc {
namespace {

using test::FunctionBuilder;
using test::V;
using State = std::vector<double>;

/// State (x, y, x', y'). The gradients of a, b, c and d in three velocities are (1, 0, 0), (cos x, sin x, 0), (0, 0, y)
/// and (0, 0, 2y); a fifth equation does not hold. The singular values of a and b are the roots of 1 - cos x and
/// 1 + cos x. `sparse`: the same as blocks between nodes.
runtime::ConstraintRows rows(bool sparse = false) {
  runtime::ConstraintRows r;
  r.names = {"a", "b[2]", "c", "d", "off"};
  r.columns = 3;
  const int time = test::addBuffer(r.module, "s", runtime::Role::Constants, 1);
  const int state = test::addBuffer(r.module, "state", runtime::Role::State, 4);
  const int inactive = test::addBuffer(r.module, "inactive", runtime::Role::Output, 5);
  const int numbers = test::addBuffer(r.module, "B", runtime::Role::Output, 15);
  const int nodes = test::addBuffer(r.module, "nodes", runtime::Role::Output, 12);
  const int blocks = test::addBuffer(r.module, "blocks", runtime::Role::Output, 10);
  const int moved = test::addBuffer(r.module, "moved", runtime::Role::Output, 4);
  r.inactive = r.module.buffers[static_cast<std::size_t>(inactive)].offset;
  r.numbers = r.module.buffers[static_cast<std::size_t>(numbers)].offset;
  r.moved = r.module.buffers[static_cast<std::size_t>(moved)].offset;
  FunctionBuilder b(r.module, "rows", 1);
  const V x = b.load(state, 0), y = b.load(state, 1), none = b.real(0);
  const std::vector<V> entries{b.real(1),
                               none,
                               none,
                               b.op(tape::Op::Cos, {x}),
                               b.op(tape::Op::Sin, {x}),
                               none,
                               none,
                               none,
                               y,
                               none,
                               none,
                               y + y,
                               none,
                               none,
                               b.real(1)};
  for (std::size_t k = 0; k < entries.size(); ++k) b.store(numbers, static_cast<std::int64_t>(k), entries[k]);
  for (std::int64_t k = 0; k < 5; ++k) b.store(inactive, k, b.real(k == 4 ? 1 : 0));
  if (sparse) {
    r.nodes = r.module.buffers[static_cast<std::size_t>(nodes)].offset;
    r.blocks = r.module.buffers[static_cast<std::size_t>(blocks)].offset;
    r.nodeCount = 6;
    r.blockCount = 5;
    for (std::int64_t k = 0; k < 6; ++k) {
      b.store(nodes, 2 * k, b.real(k == 0 ? 3 : 1));
      b.store(nodes, 2 * k + 1, b.real(k == 0 ? 0 : 1));
    }
    for (std::int64_t k = 0; k < 5; ++k) {
      b.store(blocks, 2 * k, b.real(static_cast<double>(k + 1)));
      b.store(blocks, 2 * k + 1, none);
    }
  }
  r.rows = b.finish();
  FunctionBuilder m(r.module, "move", 1);
  const V s = m.load(time, 0);
  for (std::int64_t k = 0; k < 2; ++k) {
    m.store(moved, k, m.load(state, k) + s * m.load(state, k + 2));
    m.store(moved, k + 2, m.load(state, k + 2));
  }
  r.move = m.finish();
  EXPECT_EQ(tape::verify(r.module), "");
  return r;
}

const State start{1, 1, 0, 0};

std::optional<std::string> said(const runtime::ConstraintRows& r, const State& end, double reach = 0.02,
                                const State& begin = start) {
  return runtime::dependentConstraints(r, {}, {begin, 0}, {end, 2}, reach);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ConstraintRows, AreNamedWithTheTimeAtWhichTheyDepend) {
  for (const bool sparse : {false, true}) {
    const auto text = said(rows(sparse), {0.01, 1, -1, 0});
    ASSERT_TRUE(text) << sparse;
    EXPECT_TRUE(has(*text, "near t = 2.01 ")) << *text;
    EXPECT_TRUE(has(*text, "the constraints `a`, `b[2]` become dependent")) << *text;
    EXPECT_TRUE(has(*text, "0.55 at the begin")) << *text; // tan(1/2)
  }
  // The step has led across, and the next one fails.
  const auto behind = said(rows(), {-0.01, 1, -1, 0});
  ASSERT_TRUE(behind);
  EXPECT_TRUE(has(*behind, "near t = 1.99 ")) << *behind;
  // Some steps before.
  const auto early = said(rows(), {0.08, 1, -1, 0});
  ASSERT_TRUE(early);
  EXPECT_TRUE(has(*early, "near t = 2.08 ")) << *early;
}

TEST(ConstraintRows, NothingIsSaidWhereNothingDepends) {
  const runtime::ConstraintRows r = rows();
  EXPECT_FALSE(said(r, {0.05, 1, 0, 0}));           // near, and stays there
  EXPECT_FALSE(said(r, {0.05, 1, 0.2, 0}));         // was there long ago
  EXPECT_FALSE(said(r, {1, 1, -1, 0}));             // far away
  EXPECT_FALSE(said(r, {0.9, 1, -1000, 0}));        // so fast that it could be anywhere
  EXPECT_FALSE(said(r, {NAN, 1, -1, 0}));           // nothing is known
  EXPECT_FALSE(said(r, {0.01, 1, -1, INFINITY}));   //
  EXPECT_FALSE(said(r, {0.01, 1, -1, 0}, 0));       // no step
  EXPECT_FALSE(said(r, start, 0.02, {0, 1, 0, 0})); // a and b depend at the begin; here they do not
}

TEST(ConstraintRows, WhatDependsAtTheBeginIsNotNamed) {
  // b follows from a from the begin on, and d from c; the gradient of what is left of c and d vanishes.
  const auto text = said(rows(), {0, 1e-3, 0, -1}, 0.02, {0, 1, 0, 0});
  ASSERT_TRUE(text);
  EXPECT_TRUE(has(*text, "near t = 2.001 the gradient of the constraint `")) << *text;
  EXPECT_TRUE(has(*text, "` vanishes")) << *text;
  EXPECT_FALSE(has(*text, "`a`") || has(*text, "`b[2]`") || has(*text, "`off`")) << *text;
}

/// Rows (e_k - e_(k+1))/sqrt 2: the eigenvalues of A A^T are 1 - cos(j pi/(n + 1)).
TEST(RowDependence, HasTheSingularValuesOfAChain) {
  for (const Eigen::Index n : {1, 2, 5, 40, 600}) {
    linear::RowNumbers a{n, n + 1, {}};
    for (Eigen::Index k = 0; k < n; ++k) {
      a.places.push_back({k, k, std::sqrt(0.5)});
      a.places.push_back({k, k + 1, -std::sqrt(0.5)});
    }
    const double c = std::cos(std::acos(-1.0) / static_cast<double>(n + 1));
    const linear::SingularRange r = linear::singularRange(a);
    EXPECT_NEAR(r.smallest, std::sqrt(1 - c), 0.02 * std::sqrt(1 - c)) << n;
    EXPECT_NEAR(r.largest, std::sqrt(1 + c), 0.05 * std::sqrt(1 + c)) << n;
    EXPECT_EQ(linear::independentRows(a, 1e-5).size(), static_cast<std::size_t>(n)) << n;
  }
}

/// Closed to a ring, their sum is zero: one follows from the others, and each has the part 1/sqrt n in that.
TEST(RowDependence, ARingHasOneRowTooMany) {
  for (const Eigen::Index n : {3, 40, 600}) {
    linear::RowNumbers a{n, n, {}};
    for (Eigen::Index k = 0; k < n; ++k) {
      a.places.push_back({k, k, std::sqrt(0.5)});
      a.places.push_back({k, (k + 1) % n, -std::sqrt(0.5)});
    }
    EXPECT_EQ(linear::independentRows(a, 1e-5).size(), static_cast<std::size_t>(n - 1)) << n;
    EXPECT_LT(linear::singularRange(a).smallest, 1e-7) << n;
    const Eigen::VectorXd parts = linear::partsBelow(a, 1e-6);
    for (const double part : parts) EXPECT_NEAR(part, 1 / std::sqrt(static_cast<double>(n)), 1e-6) << n;
  }
}

/// Pairs of rows at a small angle: each pair has a vector of its own, and a row alone takes no part.
TEST(RowDependence, ManyVectorsVanishTogether) {
  constexpr Eigen::Index pairs = 30;
  linear::RowNumbers a{2 * pairs + 1, 2 * pairs + 1, {}};
  for (Eigen::Index k = 0; k < pairs; ++k) {
    const double angle = 1e-4 * static_cast<double>(1 + k % 3);
    a.places.push_back({2 * k, 2 * k, 1});
    a.places.push_back({2 * k + 1, 2 * k, std::cos(angle)});
    a.places.push_back({2 * k + 1, 2 * k + 1, std::sin(angle)});
  }
  a.places.push_back({2 * pairs, 2 * pairs, 1});
  const Eigen::VectorXd parts = linear::partsBelow(a, 0.01);
  for (Eigen::Index k = 0; k < 2 * pairs; ++k) EXPECT_NEAR(parts[k], std::sqrt(0.5), 1e-4) << k;
  EXPECT_NEAR(parts[2 * pairs], 0, 1e-6);
  EXPECT_NEAR(linear::singularRange(a).smallest, std::sqrt(1 - std::cos(1e-4)), 1e-6);
}

} // namespace
} // namespace lmc
