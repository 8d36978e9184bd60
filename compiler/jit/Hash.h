// A 128-bit hash for keys of the cache and checksums of its entries. Not meant to resist an adversary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace lmc::jit {

using Digest = std::array<std::uint64_t, 2>;

/// Takes a sequence of words and byte strings; the digest depends on all of them, their order and their lengths.
class Hash {
public:
  void word(std::uint64_t x) {
    std::uint64_t& lane = lanes_[count_++ % lanes_.size()];
    lane = rotate(lane + x * 0x9E3779B97F4A7C15U, 29) * 0xD6E8FEB86659FD93U;
  }

  template <typename T> void add(T x) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof x);
    word(bits);
  }

  void bytes(const void* data, std::size_t size);
  void text(std::string_view s) { bytes(s.data(), s.size()); }
  [[nodiscard]] Digest digest() const;

private:
  static std::uint64_t rotate(std::uint64_t x, unsigned by) { return x << by | x >> (64U - by); }

  std::array<std::uint64_t, 4> lanes_ = {0x243F6A8885A308D3U, 0x13198A2E03707344U, 0xA4093822299F31D0U,
                                         0x082EFA98EC4E6C89U};
  std::uint64_t count_ = 0;
};

/// 32 hexadecimal digits.
[[nodiscard]] std::string hex(const Digest& digest);
/// The digest of such digits; nothing for other texts.
[[nodiscard]] std::optional<Digest> digestOf(std::string_view hex);

} // namespace lmc::jit
