// Manifolds as matrices: for each a faithful representation, so that one piece of plain arithmetic serves all.
#pragma once

#include "differential/Numbers.h"

#include <string>
#include <utility>
#include <vector>

namespace lmc::differential {

using Real = long double;

/// One part of a point's storage or of an algebra element: its name (empty if there is one only) and shape.
struct Piece {
  std::string name;
  int rows = 1, cols = 1;
  bool vector = false; ///< indexed by one number; otherwise a matrix, or a number
  [[nodiscard]] int size() const { return rows * cols; }
};

enum class Acts { ByProduct, OnVectors, ByConjugation }; ///< a group; G X; G X Gᵀ

/// A manifold. A point is a matrix G (of a group) or X (moved by one); algebra elements are Σ wₖ Eₖ.
struct Space {
  std::string text;        ///< as written in a model: "SO(3)"
  std::string declaration; ///< of the model's file; empty: of the library
  std::vector<Piece> point, algebra;
  Acts acts = Acts::ByProduct;
  bool stiefel = false;
  int size = 1, cols = 1;          ///< of the matrix of a point
  std::vector<Matrix<Real>> basis; ///< square matrices
  Matrix<Real> coordinates;        ///< takes the entries of an algebra matrix (by rows) to w
  /// Entry k of the storage is the matrix entry here; the others of a group are those of `constant`.
  std::vector<std::pair<int, int>> entries;
  Matrix<Real> constant;

  [[nodiscard]] bool homogeneous() const { return acts != Acts::ByProduct; }
  [[nodiscard]] int algebraSize() const { return static_cast<int>(basis.size()); }
  [[nodiscard]] int pointSize() const { return static_cast<int>(entries.size()); }
  [[nodiscard]] bool flat() const; ///< points are added like vectors
};

/// All spaces that models are made of; families with a few sizes.
[[nodiscard]] const std::vector<Space>& spaces();

/// exp of a matrix by its series, with scaling and squaring.
[[nodiscard]] Matrix<Real> exponential(const Matrix<Real>& A);
/// The matrix of a point from its storage; storage from the matrix.
template <class R> Values<R> matrixOf(const Space& s, const std::vector<R>& storage) {
  Values<R> G(s.size, s.cols);
  if (!s.homogeneous())
    for (int i = 0; i < s.size; ++i)
      for (int j = 0; j < s.size; ++j) G(i, j) = static_cast<R>(s.constant(i, j));
  if (s.text.rfind("SU", 0) == 0) { // left multiplication by a quaternion
    for (int i = 0; i < 4; ++i) {
      static constexpr int place[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
      static constexpr int sign[4][4] = {{1, -1, -1, -1}, {1, 1, -1, 1}, {1, 1, 1, -1}, {1, -1, 1, 1}};
      for (int j = 0; j < 4; ++j) G(i, j) = static_cast<R>(sign[i][j]) * storage[static_cast<std::size_t>(place[i][j])];
    }
    return G;
  }
  for (std::size_t k = 0; k < s.entries.size(); ++k) G(s.entries[k].first, s.entries[k].second) = storage[k];
  return G;
}

/// The algebra matrix of coordinates, and back.
template <class N> Values<N> algebraMatrix(const Space& s, const std::vector<N>& w) {
  Values<N> A(s.basis[0].rows() > 0 ? static_cast<int>(s.basis[0].rows()) : 0, static_cast<int>(s.basis[0].cols()));
  for (std::size_t k = 0; k < w.size(); ++k)
    for (int i = 0; i < A.rows; ++i)
      for (int j = 0; j < A.cols; ++j)
        if (const double e = static_cast<double>(s.basis[k](i, j)); e != 0) A(i, j) = A(i, j) + N(e) * w[k];
  return A;
}
template <class N> std::vector<N> algebraCoordinates(const Space& s, const Values<N>& A) {
  std::vector<N> w(s.basis.size());
  for (std::size_t k = 0; k < w.size(); ++k)
    for (int i = 0; i < A.rows; ++i)
      for (int j = 0; j < A.cols; ++j)
        if (const double c = static_cast<double>(s.coordinates(static_cast<int>(k), i * A.cols + j)); c != 0)
          w[k] = w[k] + N(c) * A(i, j);
  return w;
}

/// Of the algebra matrices that move X as A does, the one that velocities are: formulas of the manifolds' definitions.
template <class N> Values<N> horizontalPart(const Space& s, const Values<N>& X, const Values<N>& A) {
  if (s.acts == Acts::ByConjugation) {
    const Values<N> PA = X * A;
    return PA + A * X - scaled(N(2.0), PA * X);
  }
  if (s.stiefel) {
    const Values<N> beside = Values<N>::identity(s.size) - X * transposed(X);
    return A - beside * A * beside;
  }
  const Values<N> moved = A * X;
  return moved * transposed(X) - X * transposed(moved);
}

} // namespace lmc::differential
