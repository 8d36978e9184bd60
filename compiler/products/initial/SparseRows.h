// Constraints of many equations at a state: their Jacobian and the masses as sparse matrices of numbers.
#pragma once

#include "mechanics/system/System.h"

#include <Eigen/Sparse>

namespace lmc::products {

struct SparseRows {
  Eigen::SparseMatrix<double> jacobian; ///< B, rows×columns
  Eigen::SparseMatrix<double> mass;     ///< M

  /// From the numbers of nodes, blocks and values (sym::SparseJacobian).
  [[nodiscard]] static SparseRows of(const mechanics::ConstraintEquations& equations, const double* nodes,
                                     const double* blocks, const double* values);

  [[nodiscard]] Eigen::VectorXd norms() const;
  /// The smallest u, in the metric of M (in numbers where M is not positive), with B u = -c for the first rows, as many
  /// as c has, that changes chosen velocities only; as far as there is one.
  [[nodiscard]] Eigen::VectorXd change(const Eigen::VectorXd& c, const std::vector<bool>& chosen) const;

  struct Dependence {
    Eigen::Index rank = 0;
    std::vector<Eigen::Index> follow;  ///< rows that follow from others
    Eigen::VectorXd length;            ///< of all rows of B M^(-1/2)
    std::vector<Eigen::VectorXd> part; ///< of the first of them: of what other rows they are sums
  };
  /// Of some rows, by a QR factorization with pivots of B M^(-1/2) with rows of length one; those below `threshold`
  /// depend on others. Combinations are found for as many rows as `most`.
  [[nodiscard]] Dependence dependence(const std::vector<Eigen::Index>& rows, double threshold, std::size_t most) const;

private:
  /// L^-1 B^T of chosen velocities, with M = L L^T; and L.
  [[nodiscard]] std::pair<Eigen::SparseMatrix<double>, Eigen::SparseMatrix<double>>
  inMetric(const Eigen::SparseMatrix<double>& transposed, const Eigen::SparseMatrix<double>& metric) const;
};

} // namespace lmc::products
