// Mean, variance and extremes of one column at one time over the samples of an ensemble.
#pragma once

#include <cstdint>
#include <limits>

namespace lmc::runtime {

/// Numbers are added one by one or as other moments; both in a fixed order, so that the bits repeat.
struct Moments {
  std::int64_t count = 0; ///< of numbers, infinite ones included
  double mean = 0;        ///< of numbers that are all finite; average() is of any
  double squares = 0;     ///< sum of (x - mean)^2, likewise
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  /// B. P. Welford, Technometrics 4 (1962) 419-420. What is not a number does not count.
  void add(double x);
  /// T. F. Chan, G. H. Golub, R. J. LeVeque, The American Statistician 37 (1983) 242-247.
  void add(const Moments& other);
  /// Infinite where a number is; not a number where there is none, or two infinite ones differ.
  [[nodiscard]] double average() const;
  /// Of the samples, with the divisor count - 1; not a number for fewer than two, or where one is infinite.
  [[nodiscard]] double deviation() const;
  [[nodiscard]] bool finite() const; ///< all numbers are finite, and there is one
};

} // namespace lmc::runtime
