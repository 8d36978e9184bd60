// Base64, as a page holds its numbers.
#include "tool/support/Base64.h"
#include "tool/view/ScenePage.h"

#include <bit>
#include <cstring>

namespace lmc::tool {

namespace {

static_assert(std::endian::native == std::endian::little);

template <typename T> std::string pack(const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return base64Of(bytes);
}

template <typename T> std::vector<T> unpack(const std::string& text) {
  const std::string bytes = bytesOf(text);
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
  return numbers;
}

} // namespace

std::string packed(const std::vector<float>& numbers) {
  return pack(numbers);
}

std::string packedTimes(const std::vector<double>& numbers) {
  return pack(numbers);
}

std::vector<float> unpacked(const std::string& text) {
  return unpack<float>(text);
}

std::vector<double> unpackedTimes(const std::string& text) {
  return unpack<double>(text);
}

} // namespace lmc::tool
