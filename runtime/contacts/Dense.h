// Small dense systems of numbers, by rows.
#pragma once

#include <cstddef>
#include <vector>

namespace lmc::runtime {

/// The shortest x with A x = b for a symmetric positive semidefinite matrix, whose dependent rows are consistent.
class Semidefinite {
public:
  /// `a`: n by n numbers. Rows whose pivot is below 1e-11 of their diagonal follow from others.
  Semidefinite(std::vector<double> a, std::size_t n);
  [[nodiscard]] std::vector<double> solve(const std::vector<double>& b) const;
  [[nodiscard]] std::size_t rank() const { return rank_; }

private:
  std::size_t n_, rank_ = 0;
  std::vector<double> factor_;     ///< L, n by rank: A = L L^T
  std::vector<double> inner_;      ///< Cholesky factor of L^T L, where rows depend on each other
  std::vector<std::size_t> order_; ///< of the pivots
};

/// b <- A^-1 b by elimination with pivots; false where a pivot is zero to rounding.
[[nodiscard]] bool eliminate(std::vector<double> a, std::vector<double>& b);

} // namespace lmc::runtime
