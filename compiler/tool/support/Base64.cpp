#include "tool/support/Base64.h"

namespace lmc::tool {

std::string base64Of(const std::string& bytes) {
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t size = bytes.size();
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const unsigned b0 = data[i];
    const unsigned b1 = i + 1 < size ? data[i + 1] : 0;
    const unsigned b2 = i + 2 < size ? data[i + 2] : 0;
    const unsigned all = b0 << 16U | b1 << 8U | b2;
    text += digits[all >> 18U & 63U];
    text += digits[all >> 12U & 63U];
    text += i + 1 < size ? digits[all >> 6U & 63U] : '=';
    text += i + 2 < size ? digits[all & 63U] : '=';
  }
  return text;
}

std::string bytesOf(const std::string& base64) {
  std::string bytes;
  bytes.reserve(base64.size() / 4 * 3);
  unsigned bits = 0, known = 0;
  for (const char c : base64) {
    unsigned digit = 0;
    if (c >= 'A' && c <= 'Z')
      digit = static_cast<unsigned>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      digit = static_cast<unsigned>(c - 'a') + 26;
    else if (c >= '0' && c <= '9')
      digit = static_cast<unsigned>(c - '0') + 52;
    else if (c == '+' || c == '/')
      digit = c == '+' ? 62 : 63;
    else
      continue;
    bits = bits << 6U | digit;
    known += 6;
    if (known < 8) continue;
    known -= 8;
    bytes += static_cast<char>(bits >> known & 0xFFU);
  }
  return bytes;
}

} // namespace lmc::tool
