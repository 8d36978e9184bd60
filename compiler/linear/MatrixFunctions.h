// Exponential and logarithm of square matrices of numbers; Eigen's, compiled once.
#pragma once

#include <Eigen/Core>

namespace lmc::linear {

[[nodiscard]] Eigen::MatrixXd exponential(const Eigen::MatrixXd& a);
/// The principal logarithm; numbers that are not finite, or no logarithm at all, where there is no real one.
[[nodiscard]] Eigen::MatrixXd logarithm(const Eigen::MatrixXd& a);

} // namespace lmc::linear
