// Bytes as text: RFC 4648, section 4.
#pragma once

#include <string>

namespace lmc::tool {

[[nodiscard]] std::string base64Of(const std::string& bytes);
/// Signs that are none of the alphabet do not count.
[[nodiscard]] std::string bytesOf(const std::string& base64);

} // namespace lmc::tool
