#include "linear/spectra/Spectra.h"

#include <Eigen/Dense>

namespace lmc::linear {

// Eigen reads beside matrices without rows or columns, as of what can only move in one way.

Vector singularValues(const Matrix& a) {
  if (a.size() == 0) return {};
  return Eigen::JacobiSVD<Matrix>(a).singularValues();
}

RightSingular rightSingular(const Matrix& a) {
  if (a.size() == 0) return {{}, Matrix::Identity(a.cols(), a.cols())};
  const Eigen::BDCSVD<Matrix> svd(a, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

Eigen::VectorXcd eigenvalues(const Matrix& a) {
  if (a.size() == 0) return {};
  return a.eigenvalues();
}

} // namespace lmc::linear
