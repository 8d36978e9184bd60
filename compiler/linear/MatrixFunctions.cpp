#include "linear/MatrixFunctions.h"

#include <Eigen/Dense>
#include <unsupported/Eigen/MatrixFunctions>

namespace lmc::linear {

Eigen::MatrixXd exponential(const Eigen::MatrixXd& a) {
  return a.exp();
}

Eigen::MatrixXd logarithm(const Eigen::MatrixXd& a) {
  return a.log();
}

} // namespace lmc::linear
