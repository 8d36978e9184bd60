// Decompositions of dense matrices of numbers. They are Eigen's; here their templates are compiled once, which takes
// longer than any file that uses them: include this in the place of Eigen/Dense, and Eigen/Core for matrices
// themselves.
#pragma once

#include <Eigen/Core>

#include <memory>

namespace lmc::linear {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// A P = Q R by reflections, with the column of the largest rest first.
class PivotedQR {
public:
  /// @param threshold pivots that are smaller, as parts of the largest, count as zero; by default round-off
  explicit PivotedQR(const Matrix& a);
  PivotedQR(const Matrix& a, double threshold);
  PivotedQR(const PivotedQR& other);
  PivotedQR& operator=(const PivotedQR&) = delete;
  ~PivotedQR();

  [[nodiscard]] Eigen::Index rank() const;
  /// The columns of A, by their places: those of the first `rank()` places are independent.
  [[nodiscard]] Eigen::VectorXi order() const;
  /// The first columns of Q.
  [[nodiscard]] Matrix q(Eigen::Index columns) const;
  /// An orthonormal basis, as columns, of the space that the columns of A span.
  [[nodiscard]] Matrix range() const { return q(rank()); }
  /// x with |A x - b| smallest, zero for the columns after the first `rank()`; for each column of b.
  [[nodiscard]] Matrix solve(const Matrix& b) const;

private:
  struct Factors;
  std::unique_ptr<const Factors> factors_;
};

/// Orthonormal vectors, as columns, that span the columns of A, which are independent.
[[nodiscard]] Matrix orthonormal(const Matrix& a);

/// Of all x with |A x - b| smallest the shortest. Pivots below `threshold` of the largest count as zero.
[[nodiscard]] Vector shortestSolution(const Matrix& a, const Vector& b, double threshold);

/// A = V diag(values) V^T of a symmetric matrix, of which the lower part is read; values ascending.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};
[[nodiscard]] SymmetricEigen symmetricEigen(const Matrix& a);

/// L with A = L L^T, lower triangular; of size 0 if A is not positive definite. The lower part of A is read.
[[nodiscard]] Matrix choleskyFactor(const Matrix& a);
/// L^-1 B and L^-T B with a lower triangular L.
[[nodiscard]] Matrix solveLower(const Matrix& l, const Matrix& b);
[[nodiscard]] Matrix solveLowerTransposed(const Matrix& l, const Matrix& b);

/// Elimination with pivots of a square matrix.
class LU {
public:
  explicit LU(const Matrix& a);
  LU(const LU&) = delete;
  LU& operator=(const LU&) = delete;
  ~LU();

  [[nodiscard]] double determinant() const;
  /// An estimate of 1/(|A| |A^-1|); zero if A is singular.
  [[nodiscard]] double inverseCondition() const;
  [[nodiscard]] Matrix solve(const Matrix& b) const;

private:
  struct Factors;
  std::unique_ptr<const Factors> factors_;
};

} // namespace lmc::linear
