// The least change of some numbers that satisfies linearized equations, some of which may follow from others.
//
// Equations of a manifold's `holds` may say the same thing twice (P^2 = P beside trace P = k). Then their gradients are
// dependent on the manifold, and nearly so beside it: what is left of a pivot is the distance to the manifold, or
// round-off. To divide by it would move a point far along the manifold. So equations are brought to size one, and
// pivots below a threshold count as zero.
#pragma once

#include <Eigen/Core>

#include <vector>

namespace lmc::linear {

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
[[nodiscard]] Eigen::VectorXd rowSizes(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& units,
                                       const std::vector<int>& equations);

/// The change of least Euclidean length with jacobian*change = residual, as far as independent equations say. A point
/// that is off by rounding is moved by no more than that.
/// @param units sizes of the unknowns, positive: `length` is judged by them
/// @param rows sizes of the equations (`rowSizes` with these units)
[[nodiscard]] LeastChange leastChange(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residual,
                                      const Eigen::VectorXd& units, const Eigen::VectorXd& rows,
                                      const std::vector<int>& equations, double threshold = dependentPivot);

/// The same for equations that are all of one size.
[[nodiscard]] Eigen::VectorXd leastChange(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residual);

} // namespace lmc::linear
