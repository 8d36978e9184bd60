// The names of colours that CSS has, as models and pages use them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lmc {

struct NamedColor {
  const char* name;
  std::uint32_t rgb; ///< 0xRRGGBB
};

/// In alphabetical order.
[[nodiscard]] std::span<const NamedColor> namedColors();

/// Of a name, or of "#rrggbb"; nothing for another text.
[[nodiscard]] std::optional<std::uint32_t> colorOf(std::string_view text);

} // namespace lmc
