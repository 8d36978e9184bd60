#include "checks/states/NullSpace.h"

#include "linear/spectra/Spectra.h"

#include <cmath>

namespace lmc::checks {

namespace {

/// Entries are known to about this accuracy.
constexpr double accuracy = 1e-7;

/// The nearest fraction with a denominator up to 12, if it is near and not zero.
double rounded(double x) {
  for (int d = 1; d <= 12; ++d) {
    const double n = std::round(x * d);
    if (n != 0 && std::abs(x * d - n) < accuracy * d) return n / d;
  }
  return x;
}

} // namespace

std::vector<Eigen::Index> independentFunctions(const Eigen::MatrixXd& values, double tolerance) {
  const Eigen::RowVectorXd means = values.colwise().mean();
  const Eigen::MatrixXd centred = values.rowwise() - means;
  std::vector<Eigen::Index> kept;
  std::vector<Eigen::VectorXd> basis; // orthonormal, of the kept columns
  for (Eigen::Index k = 0; k < centred.cols(); ++k) {
    Eigen::VectorXd rest = centred.col(k);
    for (int pass = 0; pass < 2; ++pass)
      for (const Eigen::VectorXd& b : basis) rest -= b.dot(rest) * b;
    if (rest.norm() <= tolerance * std::sqrt(static_cast<double>(centred.rows()))) continue;
    basis.push_back(rest.normalized());
    kept.push_back(k);
  }
  return kept;
}

Eigen::MatrixXd nullSpace(const Eigen::MatrixXd& a, double tolerance) {
  if (a.cols() == 0) return a;
  const linear::RightSingular svd = linear::rightSingular(a);
  const double limit = tolerance * std::sqrt(static_cast<double>(a.rows()));
  Eigen::Index rank = 0;
  while (rank < svd.values.size() && svd.values(rank) > limit) ++rank;
  return svd.vectors.rightCols(a.cols() - rank);
}

std::vector<Eigen::VectorXd> readableBasis(const Eigen::MatrixXd& columns, const Eigen::VectorXd& scales) {
  const Eigen::VectorXd scale = scales.size() > 0 ? scales : Eigen::VectorXd::Ones(columns.rows());
  Eigen::MatrixXd rows = (scale.cwiseInverse().asDiagonal() * columns).transpose();
  Eigen::Index done = 0;
  std::vector<double> units; // of each row: that of its entry 1
  for (Eigen::Index k = 0; k < rows.cols() && done < rows.rows(); ++k) {
    Eigen::Index pivot = 0;
    const double size = rows.col(k).tail(rows.rows() - done).cwiseAbs().maxCoeff(&pivot);
    if (size <= accuracy * rows.bottomRows(rows.rows() - done).cwiseAbs().maxCoeff()) continue;
    rows.row(done).swap(rows.row(done + pivot));
    rows.row(done) /= rows(done, k);
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      if (i != done) rows.row(i) -= rows(i, k) * rows.row(done);
    units.push_back(scale(k));
    ++done;
  }
  std::vector<Eigen::VectorXd> basis;
  for (Eigen::Index i = 0; i < done; ++i) {
    Eigen::VectorXd& b = basis.emplace_back(Eigen::VectorXd::Zero(rows.cols()));
    for (Eigen::Index k = 0; k < rows.cols(); ++k)
      if (std::abs(rows(i, k)) >= accuracy)
        b(k) = rounded(rows(i, k) * (scale(k) / units[static_cast<std::size_t>(i)]));
  }
  return basis;
}

} // namespace lmc::checks
