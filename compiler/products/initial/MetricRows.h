// Rows of constraints in the metric of the kinetic energy, as dense matrices.
#pragma once

#include <Eigen/Core>

#include <utility>
#include <vector>

namespace lmc::products {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ColumnVector = Eigen::VectorXd;

/// B L^-T with M = L L^T for the chosen velocities, and L; L = 1 where M is not positive.
[[nodiscard]] std::pair<RowMatrix, RowMatrix> inMetric(const RowMatrix& b, const RowMatrix& mass,
                                                       const std::vector<bool>& chosen);

/// The smallest u with B u = -c that changes chosen velocities only, as far as there is one. Pivots below `threshold`
/// of the largest are zero.
[[nodiscard]] ColumnVector smallestChange(const RowMatrix& rows, const RowMatrix& mass, const ColumnVector& c,
                                          const std::vector<bool>& chosen, double threshold);

/// How many of the first rows depend on others of them, inactive ones apart, by pivots below `threshold` of the
/// largest.
[[nodiscard]] std::int64_t dependentRows(const RowMatrix& b, const RowMatrix& mass, const ColumnVector& inactive,
                                         Eigen::Index first, double threshold);

/// The place of the largest number.
[[nodiscard]] Eigen::Index worst(const ColumnVector& c);

} // namespace lmc::products
