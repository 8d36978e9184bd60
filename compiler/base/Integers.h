// Integer division as mathematics has it: rounded down, the same in the checker, in folding and in generated code; and
// what doubles are integers.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace lmc {

/// floor(a / b); 0 when b is 0, so that no index computation can trap.
[[nodiscard]] constexpr std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<std::int64_t>(0U - static_cast<std::uint64_t>(a));
  const std::int64_t q = a / b;
  return q - static_cast<std::int64_t>(a % b != 0 && ((a < 0) != (b < 0)));
}

/// a - b floor(a / b), which has the sign of b; 0 when b is 0.
[[nodiscard]] constexpr std::int64_t floorMod(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return 0;
  const std::int64_t r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

/// The least multiple of `step` that is not below x.
[[nodiscard]] constexpr std::int64_t roundUp(std::int64_t x, std::int64_t step) {
  return -floorDiv(-x, step) * step;
}

/// The integer that a double is; nothing if it is none of 64 bits.
[[nodiscard]] inline std::optional<std::int64_t> wholeNumber(double x) {
  if (!(std::abs(x) < 0x1p63) || std::floor(x) != x) return std::nullopt;
  return static_cast<std::int64_t>(x);
}

} // namespace lmc
