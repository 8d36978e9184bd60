// Values as bytes and back, for what the cache keeps of a run (RunStore.cpp). One description of a structure serves
// both directions. Not for other machines or other builds: numbers stand as they do in memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lmc::tool {

template <typename T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends values.
class ArchiveWriter {
public:
  static constexpr bool reads = false;
  std::string bytes;

  void raw(void* from, std::size_t size) {
    if (size > 0) bytes.append(static_cast<const char*>(from), size);
  }
  template <typename C> void size(C& container) {
    auto n = static_cast<std::uint64_t>(container.size());
    raw(&n, sizeof n);
  }
};

/// Takes values from the front; bytes that are missing make it `bad`, and the values empty.
class ArchiveReader {
public:
  static constexpr bool reads = true;
  explicit ArchiveReader(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool bad() const { return bad_; }
  void refuse() { bad_ = true; }
  [[nodiscard]] bool atEnd() const { return rest_.empty(); }

  void raw(void* to, std::size_t size) {
    bad_ = bad_ || size > rest_.size();
    if (size == 0) return; // of nothing there is no address
    if (bad_) {
      std::memset(to, 0, size);
      return;
    }
    std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  template <typename C> void size(C& container) {
    std::uint64_t n = 0;
    raw(&n, sizeof n);
    bad_ = bad_ || n > rest_.size(); // each element has a byte at least
    container.resize(bad_ ? 0 : static_cast<std::size_t>(n));
  }

private:
  std::string_view rest_;
  bool bad_ = false;
};

template <typename A, Plain T> void archive(A& a, T& x) {
  a.raw(&x, sizeof x);
}

/// One byte, 0 or 1: any other is no value of the type.
template <typename A> void archive(A& a, bool& x) {
  std::uint8_t byte = x ? 1 : 0;
  a.raw(&byte, 1);
  if constexpr (A::reads) {
    if (byte > 1) a.refuse();
    x = byte == 1;
  }
}

template <typename A> void archive(A& a, std::string& x) {
  a.size(x);
  a.raw(x.data(), x.size());
}

template <typename A, typename T> void archive(A& a, std::vector<T>& x) {
  a.size(x);
  if constexpr (Plain<T>)
    a.raw(x.data(), x.size() * sizeof(T));
  else
    for (T& element : x) archive(a, element);
}

template <typename A, typename T, typename U> void archive(A& a, std::pair<T, U>& x) {
  archive(a, x.first);
  archive(a, x.second);
}

template <typename A, typename T> void archive(A& a, std::optional<T>& x) {
  std::uint8_t there = x ? 1 : 0;
  archive(a, there);
  if (A::reads) x = there != 0 ? std::optional<T>(T{}) : std::nullopt;
  if (x) archive(a, *x);
}

/// Several values, one after the other.
template <typename A, typename... T> void archiveAll(A& a, T&... x) {
  (archive(a, x), ...);
}

} // namespace lmc::tool
