// Object files, and what belongs to them, on disk, one per key. Never an error: a cache that cannot be read or written
// is an empty one.
//
// What is found is executed. So the folder and its files must belong to the user of this process and be writable by
// nobody else; a folder that is not so is an empty cache, too, and `distrust` tells why.
#pragma once

#include "jit/Hash.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lmc::jit {

/// Entries are removed, the least recently used first, when together they exceed this many bytes.
inline constexpr std::uintmax_t cacheLimit = std::uintmax_t{256} << 20U;
/// Likewise their number. One that would take more than half of the room is not stored.
inline constexpr std::size_t cacheEntries = 8192;

/// The folder of the cache: the given one, else $LMC_CACHE_DIR, $XDG_CACHE_HOME/lmc, ~/.cache/lmc; empty without any.
[[nodiscard]] std::filesystem::path cacheFolder(const std::filesystem::path& given);
/// Why nothing that is in a folder may be executed, as a sentence; empty if it may, or if there is no such folder.
[[nodiscard]] std::string distrust(const std::filesystem::path& folder);

class Cache {
public:
  /// In the given directory, else in $LMC_CACHE_DIR, $XDG_CACHE_HOME/lmc, ~/.cache/lmc; without any of them it stays
  /// empty.
  explicit Cache(const std::filesystem::path& directory, std::uintmax_t limit = cacheLimit);

  /// The object stored under the key, if its entry is intact.
  [[nodiscard]] std::optional<std::string> find(const Digest& key) const;
  /// Stores an object: other threads and processes see either no entry or the whole of it.
  void store(const Digest& key, const std::string& object) const;
  [[nodiscard]] std::filesystem::path pathOf(const Digest& key) const;

private:
  [[nodiscard]] bool write(const Digest& key, const std::string& object) const;
  [[nodiscard]] bool makeFolder() const;
  void prune() const;

  std::filesystem::path directory_;
  std::uintmax_t limit_;
};

} // namespace lmc::jit
