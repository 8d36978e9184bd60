#include "linear/LeastChange.h"

#include "linear/Decompositions.h"

#include <algorithm>
#include <cstddef>

namespace lmc::linear {

Eigen::VectorXd rowSizes(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& units,
                         const std::vector<int>& equations) {
  const Eigen::VectorXd own = jacobian.cwiseAbs() * units;
  std::vector<double> largest(equations.empty() ? 0 : static_cast<std::size_t>(equations.back()) + 1, 0.0);
  const auto of = [&](Eigen::Index k) -> double& {
    return largest[static_cast<std::size_t>(equations[static_cast<std::size_t>(k)])];
  };
  for (Eigen::Index k = 0; k < own.size(); ++k) of(k) = std::max(of(k), own[k]);
  Eigen::VectorXd sizes(own.size());
  for (Eigen::Index k = 0; k < own.size(); ++k) sizes[k] = std::max(of(k), 1e-300);
  return sizes;
}

LeastChange leastChange(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residual, const Eigen::VectorXd& units,
                        const Eigen::VectorXd& rows, const std::vector<int>& equations, double threshold) {
  const Eigen::VectorXd pivots = rowSizes(jacobian, Eigen::VectorXd::Ones(jacobian.cols()), equations);
  LeastChange c;
  c.change = shortestSolution(pivots.cwiseInverse().asDiagonal() * jacobian, residual.cwiseQuotient(pivots), threshold);
  if (residual.size() == 0 || jacobian.cols() == 0) return c;
  c.length = c.change.cwiseQuotient(units).cwiseAbs().maxCoeff();
  c.rest = (residual - jacobian * c.change).cwiseQuotient(rows).cwiseAbs().maxCoeff();
  return c;
}

Eigen::VectorXd leastChange(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residual) {
  const std::vector<int> one(static_cast<std::size_t>(residual.size()), 0);
  const Eigen::VectorXd units = Eigen::VectorXd::Ones(jacobian.cols());
  return leastChange(jacobian, residual, units, rowSizes(jacobian, units, one), one).change;
}

} // namespace lmc::linear
