// Linear algebra kernels, from one row to several panels.
#include "runtime/kernels/Kernels.h"
#include "tape/Tape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

namespace lmc {
namespace {

using Numbers = std::vector<double>;

Numbers randomNumbers(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> number;
  Numbers x(static_cast<std::size_t>(n));
  for (double& v : x) v = number(random);
  return x;
}

double& at(Numbers& a, std::int64_t n, std::int64_t i, std::int64_t j) {
  return a[static_cast<std::size_t>(i * n + j)];
}

Numbers product(Numbers a, Numbers b, std::int64_t n, std::int64_t columns) {
  Numbers c(b.size());
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t j = 0; j < columns; ++j) at(c, columns, i, j) += at(a, n, i, k) * at(b, columns, k, j);
  return c;
}

void expectNear(const Numbers& a, const Numbers& b, double tolerance) {
  for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], tolerance) << k;
}

class Sizes : public testing::TestWithParam<std::int64_t> {};

TEST_P(Sizes, NewtonChangeSolves) {
  const std::int64_t n = GetParam();
  Numbers a = randomNumbers(n * n, 5); // without a dominant diagonal: pivots are needed
  const Numbers x = randomNumbers(n, 6);
  Numbers r = product(a, x, n, 1);
  Numbers pivots(static_cast<std::size_t>(n));
  Numbers copy = a;
  ASSERT_EQ(lmc_newton_change(copy.data(), pivots.data(), r.data(), n), runtime::Ok);
  expectNear(r, x, 1e-8);
  Numbers again = product(a, x, n, 1), factors = a;
  ASSERT_EQ(lmc_newton_factor(factors.data(), pivots.data(), n), runtime::Ok);
  lmc_lu_solve(factors.data(), pivots.data(), again.data(), n, 1);
  expectNear(again, x, 1e-8);
  Numbers singular(static_cast<std::size_t>(n * n));
  EXPECT_EQ(lmc_newton_factor(singular.data(), pivots.data(), n), runtime::NoConvergence);
  EXPECT_EQ(lmc_newton_change(singular.data(), pivots.data(), r.data(), n), runtime::NoConvergence);
}

TEST_P(Sizes, GmresSolves) {
  // 1 + a small matrix, as Jacobians of implicit steps are.
  const std::int64_t n = GetParam();
  constexpr std::int64_t rows = 81;
  Numbers a = randomNumbers(n * n, 7);
  for (double& v : a) v *= 0.3 / std::sqrt(static_cast<double>(n));
  for (std::int64_t i = 0; i < n; ++i) at(a, n, i, i) += 1;
  const Numbers x = randomNumbers(n, 8);
  Numbers r = product(a, x, n, 1);
  Numbers basis(static_cast<std::size_t>(rows * n));
  Numbers work(2 * rows * rows);
  ASSERT_EQ(lmc_gmres_begin(r.data(), basis.data(), work.data(), n, rows), runtime::Ok);
  int products = 0;
  for (; work[0] == 0; ++products) {
    const auto row = basis.begin() + static_cast<std::ptrdiff_t>(work[1]) * n;
    const Numbers v(row, row + n);
    ASSERT_LT(products, rows - 1);
    ASSERT_EQ(lmc_gmres_step(product(a, v, n, 1).data(), basis.data(), work.data(), n, rows), runtime::Ok);
  }
  ASSERT_EQ(lmc_gmres_end(r.data(), basis.data(), work.data(), n, rows), runtime::Ok);
  expectNear(r, x, 1e-11);
  EXPECT_LE(products, std::min<std::int64_t>(n, 40));
}

/// J moves each number to the next place: nothing of the solution is found before the last product (N. M. Nachtigal,
/// S. C. Reddy, L. N. Trefethen, SIAM Journal on Matrix Analysis and Applications 13 (1992) 778-795). An unchanged
/// iterate would count as converged.
TEST(Kernels, GmresThatFindsNothingIsNoConvergence) {
  constexpr std::int64_t n = 50;
  constexpr std::int64_t rows = 20;
  Numbers r(n), basis(rows * n), work(2 * rows * rows);
  r[0] = 1;
  ASSERT_EQ(lmc_gmres_begin(r.data(), basis.data(), work.data(), n, rows), runtime::Ok);
  while (work[0] == 0) {
    const auto row = basis.begin() + static_cast<std::ptrdiff_t>(work[1]) * n;
    Numbers moved(row, row + n);
    std::rotate(moved.begin(), moved.end() - 1, moved.end());
    ASSERT_EQ(lmc_gmres_step(moved.data(), basis.data(), work.data(), n, rows), runtime::Ok);
  }
  EXPECT_EQ(lmc_gmres_end(r.data(), basis.data(), work.data(), n, rows), runtime::NoConvergence);
}

TEST_P(Sizes, CholeskySolvesAndIgnoresTheUpperPart) {
  const std::int64_t n = GetParam();
  Numbers g = randomNumbers(n * n, 1);
  Numbers a(g.size());
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t k = 0; k < n; ++k) at(a, n, i, j) += at(g, n, i, k) * at(g, n, j, k);
      if (i == j) at(a, n, i, j) += static_cast<double>(n);
    }
  const Numbers x = randomNumbers(n, 2);
  Numbers b = product(a, x, n, 1);
  Numbers work(static_cast<std::size_t>(2 * n));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = i + 1; j < n; ++j) at(a, n, i, j) = NAN;
  ASSERT_EQ(lmc_cholesky_factor(a.data(), work.data(), n, 1), runtime::Ok);
  ASSERT_EQ(lmc_cholesky_solve(a.data(), work.data(), b.data(), n, 1), runtime::Ok);
  expectNear(b, x, 1e-10);
}

/// Rows that begin with zeros, as those of chains and of open contacts do, between others that are full.
TEST_P(Sizes, CholeskySolvesWhereRowsBeginWithZeros) {
  const std::int64_t n = GetParam();
  Numbers g = randomNumbers(n * n, 11);
  Numbers a(g.size());
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t begin = i % 7 == 6 ? 0 : i % 3 == 0 ? i : std::max<std::int64_t>(0, i - 1 - i % 40);
    for (std::int64_t j = begin; j < i; ++j) at(a, n, i, j) = at(a, n, j, i) = at(g, n, i, j);
  }
  for (std::int64_t i = 0; i < n; ++i) at(a, n, i, i) = static_cast<double>(2 * n);
  const Numbers x = randomNumbers(2 * n, 12);
  for (const std::int64_t definite : {0, 1, 2}) {
    Numbers copy = a;
    Numbers b(x.size());
    for (std::int64_t r = 0; r < 2; ++r)
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
          b[static_cast<std::size_t>(r * n + i)] += at(a, n, i, j) * x[static_cast<std::size_t>(r * n + j)];
    Numbers work(static_cast<std::size_t>(2 * n));
    ASSERT_EQ(lmc_cholesky_factor(copy.data(), work.data(), n, definite), runtime::Ok);
    ASSERT_EQ(lmc_cholesky_solve(copy.data(), work.data(), b.data(), n, 2), runtime::Ok);
    expectNear(b, x, 1e-12);
  }
}

/// Every other two rows say the same twice: of solutions the shortest shares each sum equally. The rest are ones.
TEST_P(Sizes, SemidefiniteMatricesWhoseRowsBeginWithZerosHaveTheShortestSolution) {
  const std::int64_t n = GetParam();
  Numbers a(static_cast<std::size_t>(n * n)), x = randomNumbers(n, 13);
  std::int64_t dependent = 0;
  for (std::int64_t i = 0; i < n; ++i) at(a, n, i, i) = 1;
  for (std::int64_t i = 0; i + 1 < n; i += 4, ++dependent) {
    at(a, n, i, i + 1) = at(a, n, i + 1, i) = 1;
    x[static_cast<std::size_t>(i + 1)] = x[static_cast<std::size_t>(i)];
  }
  Numbers b = product(a, x, n, 1), work(static_cast<std::size_t>(2 * n));
  ASSERT_EQ(lmc_cholesky_factor(a.data(), work.data(), n, 2 + dependent), runtime::Ok);
  ASSERT_EQ(lmc_cholesky_solve(a.data(), work.data(), b.data(), n, 1), runtime::Ok);
  expectNear(b, x, 1e-13);
}

/// Of a matrix of rank 2 with a negative eigenvalue there is no such factor; neither of one without a positive one, or
/// with zeros on the diagonal.
TEST(Kernels, AMatrixWithNegativeEigenvaluesIsNotSemidefinite) {
  for (const Numbers& m : {Numbers{1, 0, 1, 0, -1, -1, 1, -1, 0}, Numbers{-1, 0, -1, 0, -1, -1, -1, -1, -2},
                           Numbers{0, 1, 1, 1, 0, 1, 1, 1, 2}})
    for (const std::int64_t dependent : {0, 1}) {
      Numbers a = m, work(6);
      EXPECT_EQ(lmc_cholesky_factor(a.data(), work.data(), 3, 2 + dependent), runtime::SingularMass);
    }
}

/// Symmetric, with zeros on the diagonal, rows of sizes over sixty decades.
TEST_P(Sizes, IndefiniteMatricesAreSolvedWithPivots) {
  const std::int64_t n = GetParam();
  Numbers g = randomNumbers(n * n, 5);
  Numbers size(static_cast<std::size_t>(n));
  Numbers a(g.size());
  for (std::int64_t i = 0; i < n; ++i)
    size[static_cast<std::size_t>(i)] = std::pow(10.0, static_cast<double>(i * 7 % 61 - 30));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) {
      const double entry = i == j ? (i % 2 == 0 && n > 1 ? 0 : -1) : at(g, n, i, j);
      at(a, n, i, j) = at(a, n, j, i) = entry * size[static_cast<std::size_t>(i)] * size[static_cast<std::size_t>(j)];
    }
  const Numbers y = randomNumbers(2 * n, 6);
  Numbers b(y.size()); // of two right-hand sides, row by row, with x = y / size
  for (std::int64_t r = 0; r < 2; ++r)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        b[static_cast<std::size_t>(r * n + i)] +=
            at(a, n, i, j) * (y[static_cast<std::size_t>(r * n + j)] / size[static_cast<std::size_t>(j)]);
  Numbers work(static_cast<std::size_t>(2 * n));
  Numbers copy = a;
  EXPECT_EQ(lmc_cholesky_factor(copy.data(), work.data(), n, 1), runtime::SingularMass);
  ASSERT_EQ(lmc_cholesky_factor(a.data(), work.data(), n, 0), runtime::Ok);
  ASSERT_EQ(lmc_cholesky_solve(a.data(), work.data(), b.data(), n, 2), runtime::Ok);
  for (std::size_t k = 0; k < b.size(); ++k) b[k] *= size[k % static_cast<std::size_t>(n)];
  expectNear(b, y, 1e-8);
}

TEST(Kernels, SingularIsWhatIsSingularToRounding) {
  Numbers work(4);
  Numbers regular = {1e-300, 1, 1, 1};
  EXPECT_EQ(lmc_cholesky_factor(regular.data(), work.data(), 2, 0), runtime::Ok);
  Numbers product = {0, 1e-200, 1e-200, 0};
  EXPECT_EQ(lmc_cholesky_factor(product.data(), work.data(), 2, 0), runtime::Ok);
  Numbers singular = {-1, 2, 2, -4};
  EXPECT_EQ(lmc_cholesky_factor(singular.data(), work.data(), 2, 0), runtime::SingularMass);
  Numbers infinite = {1, INFINITY, INFINITY, 1};
  EXPECT_EQ(lmc_cholesky_factor(infinite.data(), work.data(), 2, 0), runtime::NonFinite);
}

TEST_P(Sizes, LuSolvesSeveralColumns) {
  const std::int64_t n = GetParam();
  Numbers a = randomNumbers(n * n, 3);
  at(a, n, 0, 0) = 0; // needs a pivot, except for n = 1
  if (n == 1) a[0] = -2;
  const Numbers x = randomNumbers(n * 3, 4);
  Numbers b = product(a, x, n, 3);
  Numbers pivots(static_cast<std::size_t>(n));
  ASSERT_EQ(lmc_lu_factor(a.data(), pivots.data(), n), runtime::Ok);
  ASSERT_EQ(lmc_lu_solve(a.data(), pivots.data(), b.data(), n, 3), runtime::Ok);
  expectNear(b, x, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Sizes, testing::Values(1, 2, 3, 7, 47, 48, 49, 130, 200));

TEST(Kernels, Determinant) {
  Numbers a = {0, 2, 0, 3, 0, 0, 0, 0, 5}; // det = -30
  Numbers pivots(3);
  double result = 0;
  ASSERT_EQ(lmc_lu_determinant(a.data(), pivots.data(), &result, 3), runtime::Ok);
  EXPECT_DOUBLE_EQ(result, -30);
}

TEST(Kernels, DeterminantOfAnyMatrix) {
  const auto determinant = [](Numbers a, std::int64_t n) {
    Numbers pivots(static_cast<std::size_t>(n));
    double result = -1;
    EXPECT_EQ(lmc_lu_determinant(a.data(), pivots.data(), &result, n), runtime::Ok);
    return result;
  };
  const auto diagonal = [](const Numbers& d) {
    const auto n = static_cast<std::int64_t>(d.size());
    Numbers a(d.size() * d.size());
    for (std::int64_t i = 0; i < n; ++i) at(a, n, i, i) = d[static_cast<std::size_t>(i)];
    return a;
  };
  EXPECT_EQ(determinant({1, 2, 3, 4, 2, 4, 6, 8, 1, 0, 0, 0, 0, 1, 0, 0}, 4), 0);
  EXPECT_EQ(determinant(Numbers(25, 0.0), 5), 0);
  EXPECT_DOUBLE_EQ(determinant(diagonal({1e200, 1e200, 1e-200, 1e-200}), 4), 1);
  EXPECT_DOUBLE_EQ(determinant(diagonal({1e-300, 1e-300, 1e300, -1e300, 3}), 5), -3);
  EXPECT_EQ(determinant(diagonal({1e200, 1e200, 1, 1}), 4), INFINITY);
  EXPECT_EQ(determinant(diagonal({1e-200, 1e-200, 1, 1}), 4), 0);
  EXPECT_TRUE(std::isnan(determinant(diagonal({1, static_cast<double>(NAN), 1, 1}), 4)));
  EXPECT_TRUE(std::isnan(determinant(diagonal({1, static_cast<double>(INFINITY), 1, 1}), 4)));
}

TEST(Kernels, MatrixExponential) {
  // Against exp(a) = (exp(a/2^k))^(2^k) with a Taylor series of small terms; sizes of the argument on both sides of
  // every change of the approximant.
  for (const std::int64_t n : {1, 2, 4, 7}) {
    for (const double size : {0.0, 1e-9, 1e-2, 0.2, 0.9, 2.0, 3.0, 20.0}) {
      Numbers a = randomNumbers(n * n, 17);
      for (double& x : a) x *= size / static_cast<double>(n);
      const int halvings = 12;
      Numbers small = a;
      for (double& x : small) x = std::ldexp(x, -halvings);
      Numbers expected(a.size());
      for (std::int64_t i = 0; i < n; ++i) at(expected, n, i, i) = 1;
      Numbers term = expected;
      for (int k = 1; k < 12; ++k) {
        term = product(term, small, n, n);
        for (std::size_t e = 0; e < term.size(); ++e) expected[e] += (term[e] /= k);
      }
      for (int k = 0; k < halvings; ++k) expected = product(expected, expected, n, n);
      Numbers work(static_cast<std::size_t>(5 * n * n)), pivots(static_cast<std::size_t>(n));
      ASSERT_EQ(lmc_matrix_exponential(a.data(), work.data(), pivots.data(), n), runtime::Ok);
      double largest = 1;
      for (const double x : expected) largest = std::max(largest, std::abs(x));
      expectNear(a, expected, 1e-11 * largest); // the squarings of the reference lose 2^12 units of round-off
    }
  }
  Numbers infinite = {1, INFINITY, 0, 1};
  Numbers work(20), pivots(2);
  ASSERT_EQ(lmc_matrix_exponential(infinite.data(), work.data(), pivots.data(), 2), runtime::Ok);
  EXPECT_TRUE(std::isnan(infinite[0]));
}

TEST(Kernels, SingularMatricesAreReported) {
  for (const std::int64_t n : {2, 60}) {
    for (const double bad : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
      Numbers a(static_cast<std::size_t>(n * n));
      for (std::int64_t i = 0; i < n; ++i) at(a, n, i, i) = 1;
      at(a, n, n - 1, n - 1) = bad;
      Numbers copy = a;
      Numbers pivots(static_cast<std::size_t>(n));
      Numbers work(static_cast<std::size_t>(2 * n));
      Numbers second = a;
      const bool finite = std::isfinite(bad);
      EXPECT_EQ(lmc_cholesky_factor(a.data(), work.data(), n, 1), finite ? runtime::SingularMass : runtime::NonFinite)
          << bad;
      EXPECT_EQ(lmc_cholesky_factor(second.data(), work.data(), n, 0), !finite   ? runtime::NonFinite
                                                                       : bad < 0 ? runtime::Ok
                                                                                 : runtime::SingularMass)
          << bad;
      EXPECT_EQ(lmc_lu_factor(copy.data(), pivots.data(), n), bad == -1 ? runtime::Ok : runtime::SingularMatrix) << bad;
    }
  }
}

TEST(Kernels, ScratchBelongsToTheThread) {
  double* const mine = lmc_scratch(100);
  mine[99] = 1;
  double* other = nullptr;
  std::thread([&] { other = lmc_scratch(100); }).join();
  EXPECT_NE(mine, other);
  EXPECT_EQ(lmc_scratch(50), mine);
}

} // namespace
} // namespace lmc
