// Object files, and what belongs to them, on disk, one per key. Never an error: a cache that cannot be read or written
// is an empty one.
#pragma once

#include "jit/Hash.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lmc::jit {

/// Entries are removed, the least recently used first, when together they exceed this many bytes.
inline constexpr std::uintmax_t cacheLimit = std::uintmax_t{256} << 20U;

class Cache {
public:
  /// In the given directory, else in $LMC_CACHE_DIR, $XDG_CACHE_HOME/lmc, ~/.cache/lmc; without any of them it stays
  /// empty.
  explicit Cache(const std::filesystem::path& directory, std::uintmax_t limit = cacheLimit);

  /// The object stored under the key, if its entry is intact.
  [[nodiscard]] std::optional<std::string> find(const Digest& key) const;
  /// Stores an object: other threads and processes see either no entry or the whole of it.
  void store(const Digest& key, const std::string& object) const;
  /// As `store`, for a key that has been stored before or is one of few: nothing is removed to make room.
  void replace(const Digest& key, const std::string& object) const { (void)write(key, object); }
  [[nodiscard]] std::filesystem::path pathOf(const Digest& key) const;

private:
  [[nodiscard]] bool write(const Digest& key, const std::string& object) const;
  void prune() const;

  std::filesystem::path directory_;
  std::uintmax_t limit_;
};

} // namespace lmc::jit
