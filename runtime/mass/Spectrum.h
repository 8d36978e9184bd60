// How far a symmetric matrix is from singular ones, and of which sign it is.
#pragma once

#include <cstdint>
#include <vector>

namespace lmc::runtime {

/// Of a symmetric matrix whose rows and columns are scaled to entries of size 1, so that units do not matter.
struct Spectrum {
  bool finite = false;    ///< else the rest has no meaning
  double condition = 1;   ///< largest to smallest eigenvalue in size; infinite where the matrix is singular
  std::int64_t zeros = 0; ///< eigenvalues that are round-off
  std::int64_t negative = 0;
  std::vector<std::int64_t> weakest; ///< rows that take part in the eigenvector of the smallest one
  std::vector<std::int64_t> below;   ///< the same of the one that is farthest below zero; empty: there is none
  [[nodiscard]] bool singular() const { return zeros > 0; }
  /// Positive definite, and far from matrices that are not.
  [[nodiscard]] bool definite() const { return finite && zeros == 0 && negative == 0 && condition < 1e13; }
};

/// Of an n×n matrix by rows, of which the lower part is read. `ignored`: so many eigenvalues, the smallest in size, are
/// known to be zero and do not count.
[[nodiscard]] Spectrum spectrumOf(const double* matrix, std::int64_t n, std::int64_t ignored = 0);

} // namespace lmc::runtime
