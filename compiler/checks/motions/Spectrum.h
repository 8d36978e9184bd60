// Eigenvalues with what is known of them: estimated errors, those that are explained, and what they say of stability.
#pragma once

#include <Eigen/Core>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace lmc::checks {

/// An eigenvalue, and by how much what the matrix is uncertain by may move it.
struct Eigenvalue {
  std::complex<double> value;
  double error = 0;
};

/// By descending real part, then imaginary part. `uncertainty`: of the entries of the matrix, relative to its norm.
/// Errors are measured: matrices that differ by so much have eigenvalues that differ by so much. A multiple eigenvalue
/// has a large one.
[[nodiscard]] std::vector<Eigenvalue> eigenvaluesOf(const Eigen::MatrixXd& a, double uncertainty);

/// Adds the distance to the nearest eigenvalue of another approximation of the same matrix to the errors.
void compare(std::vector<Eigenvalue>& values, const std::vector<Eigenvalue>& other);

enum class Stability : std::uint8_t {
  Stable,    ///< asymptotically: every eigenvalue is on the side that decays, by more than its error
  Unstable,  ///< one is on the other side, by more than its error
  Undecided, ///< linearization decides nothing: some are on the border, within their errors
};

/// Of x' = A x, by real parts; of x+ = A x, by absolute values.
[[nodiscard]] Stability stabilityOfFlow(const std::vector<Eigenvalue>& values);
[[nodiscard]] Stability stabilityOfMap(const std::vector<Eigenvalue>& values);
/// How many are on the border within their errors.
[[nodiscard]] std::size_t onBorderOfFlow(const std::vector<Eigenvalue>& values);
[[nodiscard]] std::size_t onBorderOfMap(const std::vector<Eigenvalue>& values);
/// "asymptotically stable", "unstable", "undecided"
[[nodiscard]] std::string word(Stability s);

/// A without directions that are known: those of the columns of `along`, which A carries into their span, and those on
/// which the rows of `across` (linear functions that A keeps, as columns) tell states apart. What is left acts on the
/// kernel of `across` modulo `along`.
[[nodiscard]] Eigen::MatrixXd reduced(const Eigen::MatrixXd& a, const Eigen::MatrixXd& along,
                                      const Eigen::MatrixXd& across);

} // namespace lmc::checks
