#include "linear/Decompositions.h"

#include <Eigen/Dense>

namespace lmc::linear {

struct PivotedQR::Factors {
  Eigen::ColPivHouseholderQR<Matrix> qr;
};

PivotedQR::PivotedQR(const Matrix& a) : factors_(new Factors{Eigen::ColPivHouseholderQR<Matrix>(a)}) {}

PivotedQR::PivotedQR(const Matrix& a, double threshold) {
  auto made = std::make_unique<Factors>();
  made->qr.setThreshold(threshold);
  made->qr.compute(a);
  factors_ = std::move(made);
}

PivotedQR::PivotedQR(const PivotedQR& other) : factors_(new Factors(*other.factors_)) {}
PivotedQR::~PivotedQR() = default;

Eigen::Index PivotedQR::rank() const {
  return factors_->qr.rank();
}

Eigen::VectorXi PivotedQR::order() const {
  return factors_->qr.colsPermutation().indices();
}

Matrix PivotedQR::q(Eigen::Index columns) const {
  return factors_->qr.householderQ() * Matrix::Identity(factors_->qr.rows(), columns);
}

Matrix PivotedQR::solve(const Matrix& b) const {
  return factors_->qr.solve(b);
}

Matrix orthonormal(const Matrix& a) {
  return Eigen::HouseholderQR<Matrix>(a).householderQ() * Matrix::Identity(a.rows(), a.cols());
}

Vector shortestSolution(const Matrix& a, const Vector& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  decomposition.setThreshold(threshold);
  decomposition.compute(a);
  return decomposition.solve(b);
}

SymmetricEigen symmetricEigen(const Matrix& a) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Matrix choleskyFactor(const Matrix& a) {
  const Eigen::LLT<Matrix> factors(a);
  return factors.info() == Eigen::Success ? Matrix(factors.matrixL()) : Matrix();
}

Matrix solveLower(const Matrix& l, const Matrix& b) {
  return l.triangularView<Eigen::Lower>().solve(b);
}

Matrix solveLowerTransposed(const Matrix& l, const Matrix& b) {
  return l.transpose().triangularView<Eigen::Upper>().solve(b);
}

struct LU::Factors {
  Eigen::PartialPivLU<Matrix> lu;
};

LU::LU(const Matrix& a) : factors_(new Factors{Eigen::PartialPivLU<Matrix>(a)}) {}
LU::~LU() = default;

double LU::determinant() const {
  return factors_->lu.determinant();
}

double LU::inverseCondition() const {
  return factors_->lu.rcond();
}

Matrix LU::solve(const Matrix& b) const {
  return factors_->lu.solve(b);
}

} // namespace lmc::linear
