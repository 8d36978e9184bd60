#include "jit/Hash.h"

#include <charconv>

namespace lmc::jit {

namespace {

/// Every bit of x influences every bit of the result; invertible.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 32U) * 0xE9846AF9B1A615DU;
  x = (x ^ x >> 32U) * 0xE9846AF9B1A615DU;
  return x ^ x >> 28U;
}

} // namespace

void Hash::bytes(const void* data, std::size_t size) {
  const auto* const p = static_cast<const unsigned char*>(data);
  word(size);
  std::size_t k = 0;
  for (; k + 8 <= size; k += 8) {
    std::uint64_t x = 0;
    std::memcpy(&x, p + k, 8);
    word(x);
  }
  if (k < size) {
    std::uint64_t x = 0;
    std::memcpy(&x, p + k, size - k);
    word(x);
  }
}

Digest Hash::digest() const {
  std::array<std::uint64_t, 4> s = lanes_;
  s[0] ^= count_;
  for (int round = 0; round < 3; ++round) {
    std::uint64_t carried = 0;
    for (std::uint64_t& lane : s) carried = lane = mix(lane + carried * 0x9E3779B97F4A7C15U);
    s[0] += carried;
  }
  return {mix(s[0] + s[1]), mix(s[2] ^ rotate(s[3], 17))};
}

std::string hex(const Digest& digest) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t word : digest)
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[word >> static_cast<unsigned>(shift) & 15U];
  return text;
}

std::optional<Digest> digestOf(std::string_view hex) {
  Digest digest{};
  if (hex.size() != 16 * digest.size()) return std::nullopt;
  for (std::size_t k = 0; k < digest.size(); ++k) {
    const char* const begin = hex.data() + 16 * k;
    const auto [end, failure] = std::from_chars(begin, begin + 16, digest[k], 16);
    if (failure != std::errc() || end != begin + 16) return std::nullopt;
  }
  return digest;
}

} // namespace lmc::jit
