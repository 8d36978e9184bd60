// How near the rows of a matrix are to depend on each other, and which rows it are. The work grows with the numbers of
// the factors of A A^T, so that rows of large sparse matrices are looked at as those of small ones.
#pragma once

#include <Eigen/Core>

#include <vector>

namespace lmc::linear {

/// A matrix by its numbers; those that are zero may be left out. Rows should be of about one length.
struct RowNumbers {
  struct Place {
    Eigen::Index row = 0, column = 0;
    double value = 0;
  };
  Eigen::Index rows = 0, columns = 0;
  std::vector<Place> places;

  /// The Euclidean length of each row.
  [[nodiscard]] Eigen::VectorXd lengths() const;
};

/// Rows, ascending, that are independent, as many as there are: the others are nearer than `threshold` (above 1e-5, for
/// rows of length one) to the span of those.
[[nodiscard]] std::vector<Eigen::Index> independentRows(const RowNumbers& a, double threshold);

/// The ends of the singular values of a matrix of as many rows as its rank may be; the smallest down to 1e-7 of the
/// largest, and what is below as some number below. Found by iterations that stop early: a few percent may be missing.
struct SingularRange {
  double smallest = 0, largest = 0;
};
[[nodiscard]] SingularRange singularRange(const RowNumbers& a);

/// Of each row, by how much (0 to 1) it belongs to the left singular vectors whose singular values are at most `limit`:
/// the length of the projection of its unit vector onto their span. Of more than 64 such vectors some are left out.
[[nodiscard]] Eigen::VectorXd partsBelow(const RowNumbers& a, double limit);

} // namespace lmc::linear
