#include "runtime/mass/Spectrum.h"

#include "linear/Decompositions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lmc::runtime {

namespace {

/// Logarithms of scales that give the largest entry of each row the size 1 (P. A. Knight, D. Ruiz, B. Uçar, "A symmetry
/// preserving algorithm for matrix scaling", SIAM Journal on Matrix Analysis and Applications 35 (2014) 931-955).
Eigen::VectorXd logScales(const Eigen::MatrixXd& m) {
  Eigen::VectorXd s = Eigen::VectorXd::Zero(m.rows());
  constexpr int passes = 12;
  for (int pass = 0; pass < passes; ++pass) {
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
      double size = -std::numeric_limits<double>::infinity();
      for (Eigen::Index j = 0; j < m.rows(); ++j) {
        if (m(i, j) != 0) size = std::max(size, std::log2(std::abs(m(i, j))) - s(i) - s(j));
      }
      if (std::isfinite(size)) s(i) += size / 2;
    }
  }
  return s;
}

/// Rows that take part in a vector.
std::vector<std::int64_t> rowsOf(const Eigen::VectorXd& v) {
  std::vector<std::int64_t> rows;
  const double largest = v.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (std::abs(v(i)) > 0.1 * largest) rows.push_back(i);
  }
  return rows;
}

} // namespace

Spectrum spectrumOf(const double* matrix, std::int64_t n, std::int64_t ignored) {
  const Eigen::Map<const Eigen::MatrixXd> stored(matrix, n, n);
  Eigen::MatrixXd m = stored.selfadjointView<Eigen::Upper>(); // stored by rows: its lower part
  Spectrum r;
  r.finite = m.allFinite();
  if (!r.finite) return r;
  const Eigen::VectorXd s = logScales(m);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) m(i, j) *= std::exp2(-s(i) - s(j));
  }
  const linear::SymmetricEigen solved = linear::symmetricEigen(m);
  std::vector<Eigen::Index> order(static_cast<std::size_t>(n)); // by size
  std::iota(order.begin(), order.end(), 0);
  const auto size = [&](Eigen::Index i) { return std::abs(solved.values(i)); };
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return size(a) < size(b); });
  order.erase(order.begin(), order.begin() + std::min(ignored, n));
  if (order.empty()) return r;
  const double least = size(order.front());
  const double most = size(order.back());
  const double roundOff = static_cast<double>(n) * std::numeric_limits<double>::epsilon() * most;
  for (const Eigen::Index i : order) {
    if (size(i) <= roundOff)
      ++r.zeros;
    else if (solved.values(i) < 0)
      ++r.negative;
  }
  r.condition = least > 0 ? most / least : std::numeric_limits<double>::infinity();
  r.weakest = rowsOf(solved.vectors.col(order.front()));
  if (r.negative == 0) return r;
  const Eigen::Index lowest = *std::min_element(
      order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return solved.values(a) < solved.values(b); });
  r.below = rowsOf(solved.vectors.col(lowest));
  return r;
}

} // namespace lmc::runtime
