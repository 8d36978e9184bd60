#include "products/initial/SparseRows.h"

#include "linear/BlockRows.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseQR>

namespace lmc::products {

using Sparse = Eigen::SparseMatrix<double>;
using Eigen::Index;
using Eigen::VectorXd;

SparseRows SparseRows::of(const mechanics::ConstraintEquations& c, const double* nodes, const double* blocks,
                          const double* values) {
  const sym::SparseJacobian& s = *c.blocks->matrix;
  std::vector<Eigen::Triplet<double>> jacobian, mass;
  linear::eachOfBlocks(nodes, s.nodeCount, blocks, s.blockCount, values, [&](Index i, Index j, double x) {
    if (j >= c.columns || x == 0) return;
    if (i < c.columns)
      mass.emplace_back(i, j, x);
    else
      jacobian.emplace_back(i - c.columns, j, x);
  });
  SparseRows r;
  r.jacobian.resize(c.rows, c.columns);
  r.jacobian.setFromTriplets(jacobian.begin(), jacobian.end());
  r.mass.resize(c.columns, c.columns);
  r.mass.setFromTriplets(mass.begin(), mass.end());
  return r;
}

VectorXd SparseRows::norms() const {
  VectorXd squares = VectorXd::Zero(jacobian.rows());
  for (Index k = 0; k < jacobian.outerSize(); ++k)
    for (Sparse::InnerIterator it(jacobian, k); it; ++it) squares[it.row()] += it.value() * it.value();
  return squares.cwiseSqrt();
}

std::pair<Sparse, Sparse> SparseRows::inMetric(const Sparse& transposed, const Sparse& metric) const {
  const Eigen::SimplicialLLT<Sparse, Eigen::Lower, Eigen::NaturalOrdering<int>> factors(metric);
  Sparse l(metric.rows(), metric.cols());
  l.setIdentity();
  if (factors.info() == Eigen::Success) l = factors.matrixL();
  Sparse x = transposed;
  l.triangularView<Eigen::Lower>().solveInPlace(x);
  return {x, l};
}

VectorXd SparseRows::change(const VectorXd& c, const std::vector<bool>& chosen) const {
  std::vector<Eigen::Triplet<double>> selection;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k]) selection.emplace_back(static_cast<Index>(selection.size()), static_cast<Index>(k), 1.0);
  Sparse select(static_cast<Index>(selection.size()), jacobian.cols()); // of velocities
  select.setFromTriplets(selection.begin(), selection.end());
  const Eigen::SparseMatrix<double, Eigen::RowMajor> byRows = jacobian;
  const Sparse own = byRows.topRows(c.size());
  const auto [x, l] = inMetric(select * Sparse(own.transpose()), select * mass * Sparse(select.transpose()));
  const Sparse s = Sparse(x.transpose()) * x;
  // Rows that depend on others: a small number on the diagonal, whose influence refinement takes away again.
  constexpr double small = 1e-12;
  constexpr int passes = 4;
  Sparse regular = s;
  for (Index k = 0; k < regular.rows(); ++k) regular.coeffRef(k, k) += small * std::max(s.coeff(k, k), 1e-300);
  const Eigen::SimplicialLDLT<Sparse> factors(regular);
  VectorXd z = VectorXd::Zero(c.size());
  if (factors.info() != Eigen::Success) return VectorXd::Zero(jacobian.cols());
  for (int pass = 0; pass < passes; ++pass) z += factors.solve(VectorXd(-c - s * z));
  VectorXd y = x * z;
  l.transpose().triangularView<Eigen::Upper>().solveInPlace(y);
  return select.transpose() * y;
}

SparseRows::Dependence SparseRows::dependence(const std::vector<Index>& rows, double threshold,
                                              std::size_t most) const {
  std::vector<Eigen::Triplet<double>> selection;
  for (std::size_t k = 0; k < rows.size(); ++k) selection.emplace_back(rows[k], static_cast<Index>(k), 1.0);
  Sparse select(jacobian.rows(), static_cast<Index>(rows.size()));
  select.setFromTriplets(selection.begin(), selection.end());
  Sparse x = inMetric(Sparse(jacobian.transpose()) * select, mass).first;
  Dependence d;
  d.length = VectorXd::Zero(jacobian.rows());
  for (Index k = 0; k < x.cols(); ++k) {
    const double length = x.col(k).norm();
    d.length[rows[static_cast<std::size_t>(k)]] = length;
    if (length > 0) x.col(k) /= length;
  }
  x.makeCompressed();
  // The pivots of a factorization of Cholesky are squares of the distances of rows from those before them: where all
  // are large, which is soon seen, none depends on others.
  constexpr double clear = 1e-10;
  const Eigen::SimplicialLDLT<Sparse> factors(Sparse(Sparse(x.transpose()) * x));
  d.rank = x.cols();
  if (factors.info() == Eigen::Success && factors.vectorD().minCoeff() > clear) return d;
  Eigen::SparseQR<Sparse, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(threshold);
  qr.compute(x);
  d.rank = qr.rank();
  if (d.rank == x.cols()) return d;
  const Eigen::VectorXi order = qr.colsPermutation().indices(); // place k has column order[k]
  std::vector<Index> kept, left;
  for (Index k = 0; k < x.cols(); ++k) (k < d.rank ? kept : left).push_back(order[k]);
  Sparse basis(x.rows(), static_cast<Index>(kept.size()));
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < kept.size(); ++k)
    for (Sparse::InnerIterator it(x, kept[k]); it; ++it)
      entries.emplace_back(it.row(), static_cast<Index>(k), it.value());
  basis.setFromTriplets(entries.begin(), entries.end());
  basis.makeCompressed();
  Eigen::SparseQR<Sparse, Eigen::COLAMDOrdering<int>> smaller;
  smaller.setPivotThreshold(threshold);
  smaller.compute(basis);
  for (const Index k : left) {
    d.follow.push_back(rows[static_cast<std::size_t>(k)]);
    if (d.part.size() >= most) continue;
    const VectorXd part = smaller.solve(VectorXd(x.col(k)));
    VectorXd all = VectorXd::Zero(jacobian.rows());
    for (std::size_t i = 0; i < kept.size(); ++i)
      all[rows[static_cast<std::size_t>(kept[i])]] = part[static_cast<Index>(i)];
    d.part.push_back(all);
  }
  return d;
}

} // namespace lmc::products
