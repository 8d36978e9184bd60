// GMRES, one call per product with the matrix.
#include "lower/Tape.h"
#include "runtime/Kernels.h"

#include <Eigen/Dense>

#include <cmath>

namespace {

constexpr double wanted = 1e-13; ///< relative size of the residual

/// The small problem: Givens rotations make the Hessenberg matrix triangular as it grows.
struct Small {
  double* work;
  std::int64_t rows;
  double& done() { return work[0]; }
  double& count() { return work[1]; } ///< rows of the basis that have been multiplied
  double& size() { return work[2]; }  ///< of r
  double& cosine(std::int64_t k) { return work[3 + k]; }
  double& sine(std::int64_t k) { return work[3 + rows + k]; }
  double& rhs(std::int64_t k) { return work[3 + 2 * rows + k]; }
  /// Column k of the triangular matrix has k + 1 entries.
  double& upper(std::int64_t i, std::int64_t k) { return work[3 + 3 * rows + k * (k + 1) / 2 + i]; }
};

using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;

} // namespace

std::int32_t lmc_gmres_begin(const double* r, double* basis, double* work, std::int64_t n, std::int64_t rows) noexcept {
  Small s{work, rows};
  const ConstVector right(r, n);
  s.size() = right.norm();
  s.count() = 0;
  s.rhs(0) = s.size();
  s.done() = s.size() == 0 ? 1 : 0;
  Vector(basis, n) = s.size() == 0 ? Eigen::VectorXd::Zero(n) : Eigen::VectorXd(right / s.size());
  return lmc::tape::Ok;
}

std::int32_t lmc_gmres_step(const double* product, double* basis, double* work, std::int64_t n,
                            std::int64_t rows) noexcept {
  Small s{work, rows};
  const auto k = static_cast<std::int64_t>(s.count());
  Vector next(basis + (k + 1) * n, n);
  next = ConstVector(product, n);
  for (std::int64_t i = 0; i <= k; ++i) s.upper(i, k) = 0;
  for (int pass = 0; pass < 2; ++pass) { // once more keeps the basis orthogonal to rounding
    for (std::int64_t i = 0; i <= k; ++i) {
      const Vector row(basis + i * n, n);
      const double part = row.dot(next);
      next -= part * row;
      s.upper(i, k) += part;
    }
  }
  const double rest = next.norm();
  if (rest > 0) next /= rest;
  for (std::int64_t i = 0; i < k; ++i) {
    const double a = s.upper(i, k);
    const double b = s.upper(i + 1, k);
    s.upper(i, k) = s.cosine(i) * a + s.sine(i) * b;
    s.upper(i + 1, k) = s.cosine(i) * b - s.sine(i) * a;
  }
  const double length = std::hypot(s.upper(k, k), rest);
  s.cosine(k) = length > 0 ? s.upper(k, k) / length : 1;
  s.sine(k) = length > 0 ? rest / length : 0;
  s.upper(k, k) = length;
  s.rhs(k + 1) = -s.sine(k) * s.rhs(k);
  s.rhs(k) *= s.cosine(k);
  s.count() = static_cast<double>(k + 1);
  const bool good = !(std::abs(s.rhs(k + 1)) > wanted * s.size()); // also when a number is not finite
  s.done() = good || k + 2 >= rows ? 1 : 0;
  return lmc::tape::Ok;
}

std::int32_t lmc_gmres_end(double* r, const double* basis, double* work, std::int64_t n, std::int64_t rows) noexcept {
  Small s{work, rows};
  const auto m = static_cast<std::int64_t>(s.count());
  Vector x(r, n);
  x.setZero();
  for (std::int64_t k = m - 1; k >= 0; --k) {
    double value = s.rhs(k);
    for (std::int64_t j = k + 1; j < m; ++j) value -= s.upper(k, j) * s.rhs(j);
    if (!(std::abs(s.upper(k, k)) > 0)) return lmc::tape::NoConvergence;
    s.rhs(k) = value / s.upper(k, k);
    x += s.rhs(k) * ConstVector(basis + k * n, n);
  }
  return lmc::tape::Ok;
}
