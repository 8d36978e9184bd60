#include "products/initial/MetricRows.h"

#include "linear/Decompositions.h"

namespace lmc::products {

std::pair<RowMatrix, RowMatrix> inMetric(const RowMatrix& b, const RowMatrix& mass, const std::vector<bool>& chosen) {
  std::vector<Eigen::Index> list;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k]) list.push_back(static_cast<Eigen::Index>(k));
  const RowMatrix own = mass(list, list);
  RowMatrix l = RowMatrix::Identity(own.rows(), own.cols());
  if (const Eigen::MatrixXd factor = linear::choleskyFactor(own); factor.size() > 0 && own.allFinite()) l = factor;
  const RowMatrix rows = b(Eigen::all, list);
  const RowMatrix x = linear::solveLower(l, rows.transpose()).transpose();
  return {x, l};
}

ColumnVector smallestChange(const RowMatrix& rows, const RowMatrix& mass, const ColumnVector& c,
                            const std::vector<bool>& chosen, double threshold) {
  const auto [b, l] = inMetric(rows, mass, chosen);
  const ColumnVector own = linear::solveLowerTransposed(l, linear::shortestSolution(b, -c, threshold));
  ColumnVector u = ColumnVector::Zero(rows.cols());
  Eigen::Index next = 0;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k]) u[static_cast<Eigen::Index>(k)] = own[next++];
  return u;
}

std::int64_t dependentRows(const RowMatrix& b, const RowMatrix& mass, const ColumnVector& inactive, Eigen::Index first,
                           double threshold) {
  const RowMatrix own = inMetric(b, mass, std::vector<bool>(static_cast<std::size_t>(b.cols()), true)).first;
  RowMatrix rows(first, own.cols());
  Eigen::Index active = 0;
  for (Eigen::Index k = 0; k < first; ++k)
    if (inactive[k] == 0) rows.row(active++) = own.row(k).normalized();
  if (active == 0) return 0;
  return active - linear::PivotedQR(rows.topRows(active).transpose(), threshold).rank();
}

Eigen::Index worst(const ColumnVector& c) {
  Eigen::Index row = 0;
  c.cwiseAbs().maxCoeff(&row);
  return row;
}

} // namespace lmc::products
