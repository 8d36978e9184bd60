#include "linear/spectra/Spectra.h"

#include <Eigen/Dense>

namespace lmc::linear {

Vector singularValues(const Matrix& a) {
  return Eigen::JacobiSVD<Matrix>(a).singularValues();
}

RightSingular rightSingular(const Matrix& a) {
  const Eigen::BDCSVD<Matrix> svd(a, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

Eigen::VectorXcd eigenvalues(const Matrix& a) {
  return a.eigenvalues();
}

} // namespace lmc::linear
