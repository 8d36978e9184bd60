// The numbers that distinguish the samples of an ensemble.
//
// Every number is a function of the seed, the sample, the name of what is varied and the position in it: neither the
// order of the samples nor that of the variations matters, nor who computes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lmc::runtime {

enum class Distribution : std::uint8_t {
  Normal,   ///< mean `a`, standard deviation `b`
  Uniform,  ///< between `a` and `b`
  Linspace, ///< from `a` at the first sample to `b` at the last one
  Table,    ///< sample k takes row k of `table`
  Grid,     ///< `rows` values from `a` to `b`, each for `stride` samples; then they begin anew
};

/// What one `--vary` says.
struct Variation {
  std::string name; ///< of what is varied, as typed: "m", "J[1][1]"
  Distribution kind = Distribution::Normal;
  std::vector<double> a, b; ///< one per number
  std::vector<double> table;
  std::int64_t rows = 0; ///< of the table; of a grid its values
  std::size_t numbers = 0;
  std::int64_t stride = 1; ///< of a grid
};

/// The numbers of one sample of `samples`; `out` has room for `variation.numbers`.
void draw(const Variation& variation, std::uint64_t seed, std::int64_t sample, std::int64_t samples,
          std::span<double> out);

/// The counter-based generator Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
/// numbers: as easy as 1, 2, 3", SC '11. Four words from a counter and a key.
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key);

} // namespace lmc::runtime
