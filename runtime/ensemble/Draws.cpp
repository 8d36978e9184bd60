#include "runtime/ensemble/Draws.h"

#include <cmath>
#include <numbers>

namespace lmc::runtime {

namespace {

/// FNV-1a.
std::uint32_t hashOf(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

/// In (0, 1), from two words: the middle of one of 2^53 equal intervals.
double unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32U | low) >> 11U;
  return (static_cast<double>(bits) + 0.5) * 0x1p-53;
}

} // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t m0 = 0xD2511F53U, m1 = 0xCD9E8D57U;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = m0 * c[0], p1 = m1 * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32U) ^ c[1] ^ key[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32U) ^ c[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return c;
}

void draw(const Variation& v, std::uint64_t seed, std::int64_t sample, std::int64_t samples, std::span<double> out) {
  const auto index = static_cast<std::uint64_t>(sample);
  const std::array<std::uint32_t, 2> key = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)};
  const std::uint32_t name = hashOf(v.name);
  for (std::size_t k = 0; k < v.numbers; ++k) {
    const auto words = [&] {
      return philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32U), name,
                     static_cast<std::uint32_t>(k)},
                    key);
    };
    switch (v.kind) {
    case Distribution::Normal: { // G. E. P. Box, M. E. Muller
      const auto w = words();
      const double radius = std::sqrt(-2 * std::log(unit(w[0], w[1])));
      out[k] = v.a[k] + v.b[k] * (radius * std::cos(2 * std::numbers::pi * unit(w[2], w[3])));
      break;
    }
    case Distribution::Uniform: {
      const auto w = words();
      out[k] = v.a[k] + (v.b[k] - v.a[k]) * unit(w[0], w[1]);
      break;
    }
    case Distribution::Linspace:
      out[k] = samples < 2 ? v.a[k]
               : sample == samples - 1
                   ? v.b[k]
                   : v.a[k] + (v.b[k] - v.a[k]) * (static_cast<double>(sample) / static_cast<double>(samples - 1));
      break;
    case Distribution::Grid: {
      const std::int64_t at = sample / v.stride % v.rows, last = v.rows - 1;
      out[k] = at == last ? v.b[k] : v.a[k] + (v.b[k] - v.a[k]) * (static_cast<double>(at) / static_cast<double>(last));
      break;
    }
    case Distribution::Table:
      out[k] = v.table[static_cast<std::size_t>(sample) * v.numbers + k];
      break;
    }
  }
}

} // namespace lmc::runtime
