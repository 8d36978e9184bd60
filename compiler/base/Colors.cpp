#include "base/Colors.h"

#include <array>
#include <charconv>

namespace lmc {

namespace {

constexpr std::array<NamedColor, 79> table = {{{"aqua", 0x00FFFF},        {"aquamarine", 0x7FFFD4},
                                               {"azure", 0xF0FFFF},       {"beige", 0xF5F5DC},
                                               {"black", 0x000000},       {"blue", 0x0000FF},
                                               {"brown", 0xA52A2A},       {"chocolate", 0xD2691E},
                                               {"coral", 0xFF7F50},       {"cornflowerblue", 0x6495ED},
                                               {"crimson", 0xDC143C},     {"cyan", 0x00FFFF},
                                               {"darkblue", 0x00008B},    {"darkcyan", 0x008B8B},
                                               {"darkgray", 0xA9A9A9},    {"darkgreen", 0x006400},
                                               {"darkgrey", 0xA9A9A9},    {"darkorange", 0xFF8C00},
                                               {"darkred", 0x8B0000},     {"darkviolet", 0x9400D3},
                                               {"deeppink", 0xFF1493},    {"deepskyblue", 0x00BFFF},
                                               {"dimgray", 0x696969},     {"dimgrey", 0x696969},
                                               {"dodgerblue", 0x1E90FF},  {"firebrick", 0xB22222},
                                               {"forestgreen", 0x228B22}, {"fuchsia", 0xFF00FF},
                                               {"gold", 0xFFD700},        {"goldenrod", 0xDAA520},
                                               {"gray", 0x808080},        {"green", 0x008000},
                                               {"grey", 0x808080},        {"hotpink", 0xFF69B4},
                                               {"indianred", 0xCD5C5C},   {"indigo", 0x4B0082},
                                               {"ivory", 0xFFFFF0},       {"khaki", 0xF0E68C},
                                               {"lavender", 0xE6E6FA},    {"lightblue", 0xADD8E6},
                                               {"lightgray", 0xD3D3D3},   {"lightgreen", 0x90EE90},
                                               {"lightgrey", 0xD3D3D3},   {"lime", 0x00FF00},
                                               {"limegreen", 0x32CD32},   {"magenta", 0xFF00FF},
                                               {"maroon", 0x800000},      {"midnightblue", 0x191970},
                                               {"navy", 0x000080},        {"olive", 0x808000},
                                               {"orange", 0xFFA500},      {"orangered", 0xFF4500},
                                               {"orchid", 0xDA70D6},      {"pink", 0xFFC0CB},
                                               {"plum", 0xDDA0DD},        {"purple", 0x800080},
                                               {"red", 0xFF0000},         {"rosybrown", 0xBC8F8F},
                                               {"royalblue", 0x4169E1},   {"salmon", 0xFA8072},
                                               {"seagreen", 0x2E8B57},    {"sienna", 0xA0522D},
                                               {"silver", 0xC0C0C0},      {"skyblue", 0x87CEEB},
                                               {"slateblue", 0x6A5ACD},   {"slategray", 0x708090},
                                               {"slategrey", 0x708090},   {"springgreen", 0x00FF7F},
                                               {"steelblue", 0x4682B4},   {"tan", 0xD2B48C},
                                               {"teal", 0x008080},        {"thistle", 0xD8BFD8},
                                               {"tomato", 0xFF6347},      {"turquoise", 0x40E0D0},
                                               {"violet", 0xEE82EE},      {"wheat", 0xF5DEB3},
                                               {"white", 0xFFFFFF},       {"yellow", 0xFFFF00},
                                               {"yellowgreen", 0x9ACD32}}};

} // namespace

std::span<const NamedColor> namedColors() {
  return table;
}

std::optional<std::uint32_t> colorOf(std::string_view text) {
  for (const NamedColor& c : table)
    if (text == c.name) return c.rgb;
  if (text.size() != 7 || text.front() != '#') return std::nullopt;
  std::uint32_t rgb = 0;
  const auto [stop, failure] = std::from_chars(text.data() + 1, text.data() + text.size(), rgb, 16);
  if (failure != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return rgb;
}

} // namespace lmc
