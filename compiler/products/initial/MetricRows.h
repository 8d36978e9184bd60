// Rows of constraints in the metric of the kinetic energy, as dense matrices.
#pragma once

#include <Eigen/Dense>

#include <utility>
#include <vector>

namespace lmc::products {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ColumnVector = Eigen::VectorXd;

/// B L^-T with M = L L^T for the chosen velocities, and L; L = 1 where M is not positive.
[[nodiscard]] inline std::pair<RowMatrix, RowMatrix> inMetric(const RowMatrix& b, const RowMatrix& mass,
                                                              const std::vector<bool>& chosen) {
  std::vector<Eigen::Index> list;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k]) list.push_back(static_cast<Eigen::Index>(k));
  const RowMatrix own = mass(list, list);
  const Eigen::LLT<Eigen::MatrixXd> factors(own);
  RowMatrix l = RowMatrix::Identity(own.rows(), own.cols());
  if (factors.info() == Eigen::Success && own.allFinite()) l = Eigen::MatrixXd(factors.matrixL());
  const RowMatrix rows = b(Eigen::all, list);
  const RowMatrix x = l.triangularView<Eigen::Lower>().solve(rows.transpose()).transpose();
  return {x, l};
}

/// The smallest u with B u = -c that changes chosen velocities only, as far as there is one. Pivots below `dependent`
/// are zero.
[[nodiscard]] inline ColumnVector smallestChange(const RowMatrix& rows, const RowMatrix& mass, const ColumnVector& c,
                                                 const std::vector<bool>& chosen, double dependent) {
  const auto [b, l] = inMetric(rows, mass, chosen);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(dependent);
  decomposition.compute(b);
  const ColumnVector y = decomposition.solve(-c);
  const ColumnVector own = l.transpose().triangularView<Eigen::Upper>().solve(y);
  ColumnVector u = ColumnVector::Zero(rows.cols());
  Eigen::Index next = 0;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k]) u[static_cast<Eigen::Index>(k)] = own[next++];
  return u;
}

/// How many of the first rows depend on others of them, inactive ones apart, by pivots below `dependent`.
[[nodiscard]] inline std::int64_t dependentRows(const RowMatrix& b, const RowMatrix& mass, const ColumnVector& inactive,
                                                Eigen::Index first, double dependent) {
  const RowMatrix own = inMetric(b, mass, std::vector<bool>(static_cast<std::size_t>(b.cols()), true)).first;
  RowMatrix rows(first, own.cols());
  Eigen::Index active = 0;
  for (Eigen::Index k = 0; k < first; ++k)
    if (inactive[k] == 0) rows.row(active++) = own.row(k).normalized();
  if (active == 0) return 0;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(dependent);
  qr.compute(rows.topRows(active).transpose());
  return active - qr.rank();
}

/// The place of the largest number.
[[nodiscard]] inline Eigen::Index worst(const ColumnVector& c) {
  Eigen::Index row = 0;
  c.cwiseAbs().maxCoeff(&row);
  return row;
}

} // namespace lmc::products
