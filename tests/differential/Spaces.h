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

/// Which of the algebra elements that move a point alike is the velocity.
enum class Complement {
  Orthogonal,  ///< of a sphere: u qᵀ − q uᵀ for the motion u
  Frame,       ///< of orthonormal frames
  Subspace,    ///< of orthogonal projections
  Symmetric,   ///< of positive matrices of two dimensions: A X is symmetric
  Translation, ///< of a flat space under its motions
  Screw,       ///< of R^3 under its motions: turned about the motion by `slant` times its length
  Dual,        ///< of S^3 under rotations: Orthogonal, and `slant` times the dual rotation, which fixes the point
};

/// A manifold. A point is a matrix G (of a group) or X (moved by one); algebra elements are Σ wₖ Eₖ.
struct Space {
  std::string text;        ///< as written in a model: "SO(3)"
  std::string declaration; ///< of the model's file; empty: of the library
  std::string group;       ///< of the model's file, too: the group that acts; empty: of the library
  std::vector<Piece> point, algebra;
  Acts acts = Acts::ByProduct;
  Complement complement = Complement::Orthogonal;
  Real slant = 0;
  Real reach = 1;    ///< how far points are from the base, times that of other spaces
  Matrix<Real> base; ///< of a manifold that is not a group: a point
  Matrix<Real> carry,
      uncarry; ///< the space is G X of one with the formulas of `complement`; and G⁻¹. Empty: it is that one
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
  for (int i = 0; i < s.size; ++i)
    for (int j = 0; j < s.cols; ++j) G(i, j) = static_cast<R>(s.constant(i, j));
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

/// Formulas of the manifolds' definitions, for X where they are written down.
template <class N> Values<N> standardPart(const Space& s, const Values<N>& X, const Values<N>& A) {
  const Values<N> moved = A * X;
  const int n = A.rows;
  switch (s.complement) {
  case Complement::Subspace:
    return X * A + moved - scaled(N(2.0), X * A * X);
  case Complement::Frame: {
    const Values<N> beside = Values<N>::identity(n) - X * transposed(X);
    return A - beside * A * beside;
  }
  case Complement::Symmetric: {
    Values<N> inverse(2, 2); // the determinant is 1
    inverse(0, 0) = X(1, 1), inverse(1, 1) = X(0, 0);
    inverse(0, 1) = N(-1.0) * X(0, 1), inverse(1, 0) = N(-1.0) * X(1, 0);
    return scaled(N(0.5), A + X * transposed(A) * inverse);
  }
  case Complement::Translation: {
    Values<N> B(n, n);
    for (int i = 0; i + 1 < n; ++i) B(i, n - 1) = moved(i, 0);
    return B;
  }
  case Complement::Screw: {
    const N c(static_cast<double>(s.slant));
    Values<N> B(4, 4);
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      B(j, i) = c * moved(k, 0);
      B(i, j) = N(-1.0) * B(j, i);
      B(k, 3) = moved(k, 0) - c * (moved(i, 0) * X(j, 0) - moved(j, 0) * X(i, 0));
    }
    return B;
  }
  case Complement::Orthogonal:
  case Complement::Dual:
    break;
  }
  const Values<N> B = moved * transposed(X) - X * transposed(moved);
  if (s.complement == Complement::Orthogonal) return B;
  static constexpr int dual[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
                                     {1, 2, 0, 3}, {3, 1, 0, 2}, {2, 3, 0, 1}};
  Values<N> C = B;
  for (const auto& [i, j, k, l] : dual) {
    C(i, j) = B(i, j) + N(static_cast<double>(s.slant)) * B(k, l);
    C(j, i) = N(-1.0) * C(i, j);
  }
  return C;
}

/// Of the algebra matrices that move X as A does, the one that velocities are.
template <class N> Values<N> horizontalPart(const Space& s, const Values<N>& X, const Values<N>& A) {
  if (s.carry.size() == 0) return standardPart(s, X, A);
  const auto lifted = [](const Matrix<Real>& a) {
    Values<N> b(static_cast<int>(a.rows()), static_cast<int>(a.cols()));
    for (int i = 0; i < b.rows; ++i)
      for (int j = 0; j < b.cols; ++j) b(i, j) = N(static_cast<double>(a(i, j)));
    return b;
  };
  const Values<N> S = lifted(s.carry), T = lifted(s.uncarry);
  return S * standardPart(s, T * X, T * A * S) * T;
}

/// The same of dual elements: of those that do the same work on velocities, the one that does none on the isotropy.
template <class N> std::vector<N> conormalPart(const Space& s, const Values<N>& X, const std::vector<N>& p) {
  std::vector<N> out(p.size());
  for (std::size_t k = 0; k < p.size(); ++k) {
    std::vector<N> unit(p.size());
    unit[k] = N(1.0);
    const std::vector<N> w = algebraCoordinates(s, horizontalPart(s, X, algebraMatrix(s, unit)));
    for (std::size_t j = 0; j < p.size(); ++j) out[k] = out[k] + p[j] * w[j];
  }
  return out;
}

} // namespace lmc::differential
