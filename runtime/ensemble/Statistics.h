// Mean, variance and extremes of one column at one time over the samples of an ensemble.
#pragma once

#include <cstdint>
#include <limits>

namespace lmc::runtime {

/// Numbers are added one by one or as other moments; both in a fixed order, so that the bits repeat.
struct Moments {
  std::int64_t count = 0;
  double mean = 0;
  double squares = 0; ///< sum of (x - mean)^2
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  /// B. P. Welford, Technometrics 4 (1962) 419-420. A number that is not finite does not count.
  void add(double x);
  /// T. F. Chan, G. H. Golub, R. J. LeVeque, The American Statistician 37 (1983) 242-247.
  void add(const Moments& other);
  /// Of the samples, with the divisor count - 1; not a number for fewer than two.
  [[nodiscard]] double deviation() const;
};

} // namespace lmc::runtime
