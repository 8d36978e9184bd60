// Whether a matrix is an element of a connected group that is given by its algebra: for groups whose equations are not
// known, or leave other components.
#pragma once

#include "sema/manifolds/groups/LinearFamily.h"

#include <Eigen/Core>

namespace lmc::sema {

/// The element that a descent over products of exponentials ends at, starting at the identity and at a few other
/// elements, if it is the matrix up to `tolerance` times the size of its entries; nothing if none was found. With a
/// negative determinant there is none. (An element whose logarithm is far from the algebra may be missed.)
[[nodiscard]] std::optional<Eigen::MatrixXd> elementNear(const LinearFamily& family, const Eigen::MatrixXd& matrix,
                                                         double tolerance);

} // namespace lmc::sema
