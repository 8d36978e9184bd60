#include "linear/RowDependence.h"

#include "linear/Decompositions.h"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lmc::linear {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Eigen::Index;

/// On the diagonal of A A^T, relative to its largest number: above its rounding.
constexpr double regular = 1e-14;
/// The same where pivots tell of rows that follow from others: what rounding makes of such a pivot is then a small part
/// of it, and so are the numbers below it.
constexpr double regularPivots = 1e-13;
constexpr int turns = 12, powers = 30;
constexpr Index fewest = 4, most = 64;

Sparse matrixOf(const RowNumbers& a) {
  std::vector<Eigen::Triplet<double>> numbers;
  numbers.reserve(a.places.size());
  for (const RowNumbers::Place& p : a.places)
    if (p.value != 0) numbers.emplace_back(p.row, p.column, p.value);
  Sparse m(a.rows, a.columns);
  m.setFromTriplets(numbers.begin(), numbers.end());
  return m;
}

/// Numbers from -1 to 1 without a pattern; the same every time.
Matrix anyNumbers(Index rows, Index columns) {
  Matrix m(rows, columns);
  std::uint64_t x = 0x9E3779B97F4A7C15ULL;
  for (double& v : m.reshaped()) {
    x ^= x << 13U;
    x ^= x >> 7U;
    x ^= x << 17U;
    v = static_cast<double>(x >> 11U) * 0x1p-52 - 1;
  }
  return m;
}

/// Solves A A^T y = x, as exactly as a small number on the diagonal lets it.
class Gram {
public:
  explicit Gram(const Sparse& a, double onDiagonal = regular) {
    Sparse s = a * Sparse(a.transpose());
    double largest = 0;
    for (Index k = 0; k < s.rows(); ++k) largest = std::max(largest, s.coeff(k, k));
    for (Index k = 0; k < s.rows(); ++k) s.coeffRef(k, k) += onDiagonal * std::max(largest, 1e-300);
    factors_.compute(s);
  }
  [[nodiscard]] bool known() const { return factors_.info() == Eigen::Success; }
  [[nodiscard]] Matrix solve(const Matrix& x) const { return factors_.solve(x); }
  /// The pivot of each row.
  [[nodiscard]] Vector pivots() const {
    const Vector ordered = factors_.vectorD();
    Vector own(ordered.size());
    const auto& place = factors_.permutationP().indices();
    for (Index k = 0; k < own.size(); ++k) own[k] = place.size() > 0 ? ordered[place[k]] : ordered[k];
    return own;
  }

private:
  Eigen::SimplicialLDLT<Sparse> factors_;
};

/// Left singular vectors of the smallest singular values, as columns, with these, ascending.
struct Weakest {
  Vector values;
  Matrix vectors;
};
Weakest weakest(const Sparse& a, const Gram& gram, Index count) {
  Matrix u = orthonormal(anyNumbers(a.rows(), count));
  for (int k = 0; k < turns; ++k) u = orthonormal(gram.solve(u));
  const Matrix image = a.transpose() * u;
  const SymmetricEigen small = symmetricEigen(image.transpose() * image);
  Weakest w{Vector(count), u * small.vectors};
  // Lengths of images are known to rounding, where their squares are to its root.
  const Matrix own = image * small.vectors;
  for (Index k = 0; k < count; ++k) w.values[k] = own.col(k).norm();
  return w;
}

double largestSingularValue(const Sparse& a) {
  Vector x = anyNumbers(a.rows(), 1);
  double size = 0;
  for (int k = 0; k < powers; ++k) {
    x.normalize();
    const Vector image = a.transpose() * x;
    size = image.norm();
    if (!(size > 0)) break;
    x = a * image;
  }
  return size;
}

} // namespace

Eigen::VectorXd RowNumbers::lengths() const {
  Vector squares = Vector::Zero(rows);
  for (const Place& p : places) squares[p.row] += p.value * p.value;
  return squares.cwiseSqrt();
}

std::vector<Index> independentRows(const RowNumbers& a, double threshold) {
  std::vector<Index> rows;
  if (a.rows == 0) return rows;
  const Gram gram(matrixOf(a), regularPivots);
  if (!gram.known()) return rows;
  const Vector pivots = gram.pivots(); // squares of distances from the span of rows before
  for (Index k = 0; k < a.rows; ++k)
    if (pivots[k] > threshold * threshold) rows.push_back(k);
  return rows;
}

SingularRange singularRange(const RowNumbers& a) {
  if (a.rows == 0) return {};
  const Sparse m = matrixOf(a);
  const Gram gram(m);
  if (!gram.known()) return {};
  return {weakest(m, gram, std::min(a.rows, fewest)).values.minCoeff(), largestSingularValue(m)};
}

Eigen::VectorXd partsBelow(const RowNumbers& a, double limit) {
  Vector squares = Vector::Zero(a.rows);
  if (a.rows == 0) return squares;
  const Sparse m = matrixOf(a);
  const Gram gram(m);
  if (!gram.known()) return squares;
  Index count = std::min(a.rows, fewest);
  Weakest w = weakest(m, gram, count);
  while (w.values.maxCoeff() <= limit && count < std::min(a.rows, most)) {
    count = std::min({2 * count, a.rows, most});
    w = weakest(m, gram, count);
  }
  for (Index k = 0; k < count; ++k)
    if (w.values[k] <= limit) squares += w.vectors.col(k).cwiseAbs2();
  return squares.cwiseSqrt();
}

} // namespace lmc::linear
