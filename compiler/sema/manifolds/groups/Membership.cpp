#include "sema/manifolds/groups/Membership.h"

#include "linear/Decompositions.h"
#include "linear/MatrixFunctions.h"

#include <cmath>
#include <random>

namespace lmc::sema {

namespace {

using Matrix = Eigen::MatrixXd;

constexpr int starts = 12, turns = 300;
/// Steps in the algebra are no longer than this: a logarithm of a matrix far away says little.
constexpr double longest = 1;

/// The algebra as orthonormal matrices, in columns by rows of entries.
Matrix orthonormal(const LinearFamily& f) {
  const int n = f.rows();
  Matrix columns = Matrix::Zero(n * n, f.dimension());
  for (int k = 0; k < f.dimension(); ++k)
    for (const SparseEntry& e : f.matrices()[static_cast<std::size_t>(k)]) columns(e.place, k) = e.value.value();
  return linear::orthonormal(columns);
}

Matrix projected(const Matrix& basis, const Matrix& a) {
  const Eigen::VectorXd v = a.transpose().reshaped();
  const Eigen::VectorXd p = basis * (basis.transpose() * v);
  return p.reshaped(a.rows(), a.cols()).transpose();
}

/// log(a), or a - 1 where it has no real one.
Matrix logarithm(const Matrix& a) {
  const Matrix one = Matrix::Identity(a.rows(), a.cols());
  if ((a - one).norm() < 1e-5) return a - one - (a - one) * (a - one) / 2;
  const Matrix log = linear::logarithm(a);
  return log.allFinite() && (linear::exponential(log) - a).norm() <= 1e-6 * a.norm() ? log : Matrix(a - one);
}

} // namespace

std::optional<Eigen::MatrixXd> elementNear(const LinearFamily& family, const Eigen::MatrixXd& matrix,
                                           double tolerance) {
  const Eigen::Index n = matrix.rows();
  if (!matrix.allFinite() || !(linear::LU(matrix).determinant() > 0)) return std::nullopt;
  const Matrix basis = orthonormal(family);
  const double size = std::max(1.0, matrix.cwiseAbs().maxCoeff());
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal;
  for (int start = 0; start < starts; ++start) {
    Matrix g = Matrix::Identity(n, n);
    if (start > 0) {
      Eigen::VectorXd w(basis.cols());
      for (double& x : w) x = 2 * normal(generator);
      g = linear::exponential((basis * w).reshaped(n, n).transpose());
    }
    double before = std::numeric_limits<double>::infinity();
    for (int turn = 0; turn < turns && g.allFinite(); ++turn) {
      const double distance = (g - matrix).cwiseAbs().maxCoeff();
      if (distance <= tolerance * size && !(distance < before / 4)) return g;
      before = distance;
      Matrix step = projected(basis, logarithm(linear::LU(g).solve(matrix)));
      const double length = step.norm();
      if (!(length > 1e-15)) break;
      if (length > longest) step *= longest / length;
      g = g * linear::exponential(step);
    }
    if (g.allFinite() && (g - matrix).cwiseAbs().maxCoeff() <= tolerance * size) return g;
  }
  return std::nullopt;
}

} // namespace lmc::sema
