// The mark that some programs begin a text of UTF-8 with. It is no part of what the text says.
#pragma once

#include <string_view>

namespace lmc {

inline constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";

[[nodiscard]] inline std::string_view withoutByteOrderMark(std::string_view text) {
  if (text.starts_with(byteOrderMark)) text.remove_prefix(byteOrderMark.size());
  return text;
}

} // namespace lmc
