// Base64, as a page holds its numbers.
#include "tool/view/ScenePage.h"

#include <bit>
#include <cstring>

namespace lmc::tool {

namespace {

static_assert(std::endian::native == std::endian::little);

std::string base64(const unsigned char* data, std::size_t size) {
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

template <typename T> std::string pack(const std::vector<T>& numbers) {
  std::vector<unsigned char> bytes(numbers.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return base64(bytes.data(), bytes.size());
}

} // namespace

std::string packed(const std::vector<float>& numbers) {
  return pack(numbers);
}

std::string packedTimes(const std::vector<double>& numbers) {
  return pack(numbers);
}

} // namespace lmc::tool
