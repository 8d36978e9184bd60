#include "runtime/Kernels.h"

#include "lower/Tape.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<Matrix>;
using ConstMatrixMap = Eigen::Map<const Matrix>;
using VectorMap = Eigen::Map<Eigen::VectorXd>;

/// Columns factored at a time; the rest is updated by one matrix product per panel, which is where large n spends its
/// time.
constexpr Eigen::Index panel = 48;

/// Cholesky of a small diagonal block; false at a pivot that is not positive or not finite.
bool choleskyPanel(Eigen::Block<MatrixMap> a) {
  const Eigen::Index n = a.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    const double pivot = a(j, j) - a.row(j).head(j).squaredNorm();
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    const double root = std::sqrt(pivot);
    a(j, j) = root;
    for (Eigen::Index i = j + 1; i < n; ++i) a(i, j) = (a(i, j) - a.row(i).head(j).dot(a.row(j).head(j))) / root;
  }
  return true;
}

/// LU of the columns [first, first + width) below and right of the diagonal; exchanges whole rows of a.
bool luPanel(MatrixMap& a, double* pivots, Eigen::Index first, Eigen::Index width) {
  const Eigen::Index n = a.rows();
  for (Eigen::Index k = first; k < first + width; ++k) {
    Eigen::Index best = 0;
    const double size = a.col(k).tail(n - k).cwiseAbs().maxCoeff(&best);
    best += k;
    pivots[k] = static_cast<double>(best);
    if (!(size > 0) || !std::isfinite(a(best, k))) return false;
    if (best != k) a.row(k).swap(a.row(best));
    const Eigen::Index rest = first + width - k - 1;
    for (Eigen::Index i = k + 1; i < n; ++i) {
      a(i, k) /= a(k, k);
      if (a(i, k) != 0) a.row(i).segment(k + 1, rest) -= a(i, k) * a.row(k).segment(k + 1, rest);
    }
  }
  return true;
}

} // namespace

std::int32_t lmc_cholesky_factor(double* a, std::int64_t n) noexcept {
  MatrixMap m(a, n, n);
  for (Eigen::Index k = 0; k < n; k += panel) {
    const Eigen::Index width = std::min<Eigen::Index>(panel, n - k);
    const Eigen::Index rest = n - k - width;
    if (!choleskyPanel(m.block(k, k, width, width))) return lmc::tape::SingularMass;
    if (rest == 0) break;
    auto below = m.block(k + width, k, rest, width);
    m.block(k, k, width, width).triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
    m.block(k + width, k + width, rest, rest).selfadjointView<Eigen::Lower>().rankUpdate(below, -1.0);
  }
  return lmc::tape::Ok;
}

std::int32_t lmc_cholesky_solve(const double* a, double* b, std::int64_t n, std::int64_t rows) noexcept {
  const ConstMatrixMap m(a, n, n);
  Eigen::Map<Eigen::MatrixXd> x(b, n, rows); // the rows of B are the columns of its transpose
  m.triangularView<Eigen::Lower>().solveInPlace(x);
  m.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
  return lmc::tape::Ok;
}

std::int32_t lmc_lu_factor(double* a, double* pivots, std::int64_t n) noexcept {
  MatrixMap m(a, n, n);
  for (Eigen::Index k = 0; k < n; k += panel) {
    const Eigen::Index width = std::min<Eigen::Index>(panel, n - k);
    const Eigen::Index rest = n - k - width;
    if (!luPanel(m, pivots, k, width)) return lmc::tape::SingularMatrix;
    if (rest == 0) break;
    auto right = m.block(k, k + width, width, rest);
    m.block(k, k, width, width).triangularView<Eigen::UnitLower>().solveInPlace(right);
    m.block(k + width, k + width, rest, rest).noalias() -= m.block(k + width, k, rest, width) * right;
  }
  return lmc::tape::Ok;
}

std::int32_t lmc_lu_solve(const double* a, const double* pivots, double* b, std::int64_t n,
                          std::int64_t columns) noexcept {
  const ConstMatrixMap m(a, n, n);
  MatrixMap x(b, n, columns);
  for (Eigen::Index k = 0; k < n; ++k)
    if (const auto other = static_cast<Eigen::Index>(pivots[k]); other != k) x.row(k).swap(x.row(other));
  m.triangularView<Eigen::UnitLower>().solveInPlace(x);
  m.triangularView<Eigen::Upper>().solveInPlace(x);
  return lmc::tape::Ok;
}

namespace {
/// Elimination with partial pivoting for a size known to the compiler, which unrolls it.
template <int n> bool eliminate(double* a, double* b) {
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    const double pivot = a[best * n + k];
    if (!(std::abs(pivot) > 0) || !std::isfinite(pivot)) return false;
    if (best != k) {
      for (int j = k; j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
      std::swap(b[k], b[best]);
    }
    const double inverse = 1 / pivot;
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] * inverse;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
    a[k * n + k] = inverse;
  }
  for (int k = n - 1; k >= 0; --k) {
    b[k] *= a[k * n + k];
    for (int i = 0; i < k; ++i) b[i] -= a[i * n + k] * b[k];
  }
  return true;
}

template <int n> bool eliminateUpTo(double* a, double* b, std::int64_t size) {
  if (size == n) return eliminate<n>(a, b);
  if constexpr (n > 1) return eliminateUpTo<n - 1>(a, b, size);
  return true;
}

/// Sizes that have code of their own.
constexpr int largestUnrolled = 12;
} // namespace

std::int32_t lmc_newton_change(double* j, double* pivots, double* r, std::int64_t n) noexcept {
  if (n <= largestUnrolled) return eliminateUpTo<largestUnrolled>(j, r, n) ? lmc::tape::Ok : lmc::tape::NoConvergence;
  if (lmc_lu_factor(j, pivots, n) != lmc::tape::Ok) return lmc::tape::NoConvergence;
  return lmc_lu_solve(j, pivots, r, n, 1);
}

std::int32_t lmc_lu_determinant(const double* a, const double* pivots, double* result, std::int64_t n) noexcept {
  double product = 1;
  for (std::int64_t k = 0; k < n; ++k) {
    product *= a[k * n + k];
    if (static_cast<std::int64_t>(pivots[k]) != k) product = -product;
  }
  result[0] = product;
  return lmc::tape::Ok;
}

double* lmc_scratch(std::int64_t n) noexcept {
  thread_local std::vector<double> memory;
  if (memory.size() < static_cast<std::size_t>(n)) memory.resize(static_cast<std::size_t>(n));
  return memory.data();
}

LmcSinCos lmc_sincos(double angle) noexcept {
  return {std::sin(angle), std::cos(angle)};
}
