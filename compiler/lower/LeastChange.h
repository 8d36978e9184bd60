// The least change of some numbers that satisfies linearized equations, some of which may follow from others.
//
// Equations of a manifold's `holds` may say the same thing twice (P^2 = P beside trace P = k). Then their gradients are
// dependent on the manifold, and nearly so beside it: what is left of a pivot is the distance to the manifold, or
// round-off. To divide by it would move a point far along the manifold. So equations are brought to size one, and
// pivots below a threshold count as zero.
#pragma once

#include <Eigen/Dense>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lmc::lower {

/// Pivots below this part of the largest one belong to dependent equations.
inline constexpr double dependentPivot = 1e-6;

struct LeastChange {
  Eigen::VectorXd change; ///< to be subtracted from the unknowns
  double length = 0;      ///< the largest of its entries, in units of the unknowns
  double rest = 0;        ///< the largest residual that it leaves, to first order, in units of the equations
};

/// The sizes of the rows of a Jacobian: the largest change that unknowns of their sizes make in any row of the same
/// equation. A single row may be small because its terms cancel; that is no reason to enlarge it. Where no unknown
/// changes an equation, its size is tiny: what it misses cannot be taken away.
/// @param equations number of the equation that each row belongs to, ascending from 0
[[nodiscard]] inline Eigen::VectorXd rowSizes(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& units,
                                              const std::vector<int>& equations) {
  const Eigen::VectorXd own = jacobian.cwiseAbs() * units;
  std::vector<double> largest(equations.empty() ? 0 : static_cast<std::size_t>(equations.back()) + 1, 0.0);
  const auto of = [&](Eigen::Index k) -> double& {
    return largest[static_cast<std::size_t>(equations[static_cast<std::size_t>(k)])];
  };
  for (Eigen::Index k = 0; k < own.size(); ++k) of(k) = std::max(of(k), own[k]);
  Eigen::VectorXd sizes(own.size());
  for (Eigen::Index k = 0; k < own.size(); ++k) sizes[k] = std::max(of(k), 1e-300);
  return sizes;
}

/// The change of least Euclidean length with jacobian*change = residual, as far as independent equations say. A point
/// that is off by rounding is moved by no more than that.
/// @param units sizes of the unknowns, positive: `length` is judged by them
/// @param rows sizes of the equations (`rowSizes` with these units)
[[nodiscard]] inline LeastChange leastChange(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residual,
                                             const Eigen::VectorXd& units, const Eigen::VectorXd& rows,
                                             const std::vector<int>& equations, double threshold = dependentPivot) {
  const Eigen::VectorXd pivots = rowSizes(jacobian, Eigen::VectorXd::Ones(jacobian.cols()), equations);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(threshold);
  decomposition.compute(pivots.cwiseInverse().asDiagonal() * jacobian);
  LeastChange c;
  c.change = decomposition.solve(residual.cwiseQuotient(pivots));
  if (residual.size() == 0 || jacobian.cols() == 0) return c;
  c.length = c.change.cwiseQuotient(units).cwiseAbs().maxCoeff();
  c.rest = (residual - jacobian * c.change).cwiseQuotient(rows).cwiseAbs().maxCoeff();
  return c;
}

/// The same for equations that are all of one size.
[[nodiscard]] inline Eigen::VectorXd leastChange(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residual) {
  const std::vector<int> one(static_cast<std::size_t>(residual.size()), 0);
  const Eigen::VectorXd units = Eigen::VectorXd::Ones(jacobian.cols());
  return leastChange(jacobian, residual, units, rowSizes(jacobian, units, one), one).change;
}

} // namespace lmc::lower
