// Matrices that depend linearly on coordinates, A(w) = sum_k w_k E_k with constant square matrices E_k: a Lie algebra
// of matrices given by a basis, or ad_w of any Lie algebra in its own coordinates.
//
// Constants are exact rationals as long as they are written so. What is decided about a family — independence, closure
// under commutators, the equation that all its members satisfy — is decided here, once, from the constants alone.
#pragma once

#include "sym/Expr.h"

#include <optional>
#include <utility>
#include <vector>

namespace lmc::sema {

/// A constant matrix by rows.
using ConstantMatrix = std::vector<sym::Number>;

/// What is not zero in a constant matrix, by rows: bases of groups, and more so the matrices of ad, are nearly empty.
struct SparseEntry {
  int place = 0; ///< row times columns plus column, from 0
  sym::Number value;
};
using SparseMatrix = std::vector<SparseEntry>;

/// An equation A^zeros (A^2 + s)^pairs = 0 of all members A(w) of a family, where s(w) = sum_ij form_ij w_i w_j. For
/// rotations of space, A(A^2 + |w|^2) = 0. Of the lowest degree that has this shape.
struct Annihilator {
  int zeros = 0;
  int pairs = 0;       ///< 0: A is nilpotent
  ConstantMatrix form; ///< symmetric; empty where pairs = 0
  [[nodiscard]] int degree() const { return zeros + 2 * pairs; }
};

class LinearFamily {
public:
  LinearFamily(int rows, const std::vector<ConstantMatrix>& matrices);
  LinearFamily(int rows, std::vector<SparseMatrix> matrices);

  /// Rows (and columns) of each matrix.
  [[nodiscard]] int rows() const { return rows_; }
  /// Number of coordinates.
  [[nodiscard]] int dimension() const { return static_cast<int>(matrices_.size()); }
  [[nodiscard]] const std::vector<SparseMatrix>& matrices() const { return matrices_; }
  /// The k-th of them, zeros included.
  [[nodiscard]] ConstantMatrix full(int k) const;

  /// A(w).
  [[nodiscard]] sym::Expr at(sym::Graph& g, const std::vector<sym::Expr>& w) const;
  /// The coordinates of a matrix in the span: those of its orthogonal projection. The family must be independent.
  [[nodiscard]] std::vector<sym::Expr> coordinates(sym::Graph& g, sym::Expr matrix) const;

  /// The first matrix that is a combination of those before it; nothing if all are independent.
  [[nodiscard]] std::optional<int> dependent() const;
  /// A^T = -A, tr A = 0, of all members.
  [[nodiscard]] bool skew() const;
  [[nodiscard]] bool traceFree() const;

  /// The first two matrices whose commutator is not in the span; nothing if the span is a Lie algebra.
  [[nodiscard]] std::optional<std::pair<int, int>> unclosed() const;
  /// ad_w in the coordinates, with [A(u), A(v)] = A(ad_u v). The family must be a Lie algebra.
  [[nodiscard]] LinearFamily adjoint() const;

  [[nodiscard]] std::optional<Annihilator> annihilator() const;

private:
  [[nodiscard]] SparseMatrix commutator(int i, int j) const;
  /// The rows of the inverse of the matrix of inner products.
  [[nodiscard]] const std::vector<SparseMatrix>& gramInverse() const;
  /// Coordinates of a constant matrix (place: the number of the coordinate), and whether it is in the span.
  [[nodiscard]] std::pair<SparseMatrix, bool> solve(const SparseMatrix& m) const;

  int rows_;
  std::vector<SparseMatrix> matrices_;
  std::vector<SparseMatrix> touching_; ///< of each entry: the matrices in which it is not zero (place: their number)
  mutable std::vector<SparseMatrix> gramInverse_;
};

} // namespace lmc::sema
