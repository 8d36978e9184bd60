// Singular values, and eigenvalues of matrices without symmetry: Eigen's, compiled once. They take more time to compile
// than all other decompositions together, and no run needs them, so they are apart.
#pragma once

#include "linear/Decompositions.h"

namespace lmc::linear {

/// The singular values, descending.
[[nodiscard]] Vector singularValues(const Matrix& a);

/// A = U S V^T: singular values, descending, and all columns of V.
struct RightSingular {
  Vector values;
  Matrix vectors;
};
[[nodiscard]] RightSingular rightSingular(const Matrix& a);

/// All eigenvalues, in no order.
[[nodiscard]] Eigen::VectorXcd eigenvalues(const Matrix& a);

} // namespace lmc::linear
