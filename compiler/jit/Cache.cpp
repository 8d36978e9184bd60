#include "jit/Cache.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace lmc::jit {

namespace fs = std::filesystem;

namespace {

/// What an entry begins with; the object follows.
struct Header {
  std::array<char, 8> magic;
  Digest key;
  Digest checksum;
  std::uint64_t size;
};
constexpr std::array<char, 8> magic = {'L', 'M', 'C', 'O', 'B', 'J', '0', '1'};
constexpr const char* extension = ".lmco";

Digest checksum(const std::string& object) {
  Hash hash;
  hash.text(object);
  return hash.digest();
}

fs::path defaultDirectory() {
  const auto variable = [](const char* name) -> fs::path {
    const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
  };
  if (fs::path p = variable("LMC_CACHE_DIR"); !p.empty()) return p;
  if (fs::path p = variable("XDG_CACHE_HOME"); !p.empty()) return p / "lmc";
  if (fs::path p = variable("HOME"); !p.empty()) return p / ".cache" / "lmc";
  return {};
}

/// A descriptor that closes itself.
class File {
public:
  File(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] bool open() const { return fd_ >= 0; }
  [[nodiscard]] int descriptor() const { return fd_; }

  bool read(void* to, std::size_t size) const {
    for (auto* p = static_cast<char*>(to); size > 0;) {
      const ssize_t got = ::read(fd_, p, size);
      if (got <= 0) return false;
      p += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

  bool write(const void* from, std::size_t size) const {
    for (const auto* p = static_cast<const char*>(from); size > 0;) {
      const ssize_t put = ::write(fd_, p, size);
      if (put <= 0) return false;
      p += put;
      size -= static_cast<std::size_t>(put);
    }
    return true;
  }

private:
  int fd_;
};

/// The time of the last change is the time of the last use. Refreshed rarely: a hit shall cost no write.
void touch(const File& file, const struct stat& info) {
  constexpr time_t hour = 3600;
  if (::time(nullptr) - info.st_mtime > hour) ::futimens(file.descriptor(), nullptr);
}

} // namespace

Cache::Cache(const fs::path& directory, std::uintmax_t limit)
    : directory_(directory.empty() ? defaultDirectory() : directory), limit_(limit) {}

fs::path Cache::pathOf(const Digest& key) const {
  return directory_ / (hex(key) + extension);
}

std::optional<std::string> Cache::find(const Digest& key) const {
  if (directory_.empty()) return std::nullopt;
  const File file(pathOf(key), O_RDONLY);
  struct stat info {};
  Header header{};
  if (!file.open() || ::fstat(file.descriptor(), &info) != 0 || !file.read(&header, sizeof header)) return std::nullopt;
  if (header.magic != magic || header.key != key) return std::nullopt;
  if (static_cast<std::uint64_t>(info.st_size) != sizeof header + header.size) return std::nullopt;
  std::string object(header.size, '\0');
  if (!file.read(object.data(), object.size()) || checksum(object) != header.checksum) return std::nullopt;
  touch(file, info);
  return object;
}

void Cache::store(const Digest& key, const std::string& object) const {
  if (write(key, object)) prune();
}

bool Cache::write(const Digest& key, const std::string& object) const {
  if (directory_.empty()) return false;
  static std::atomic<unsigned> counter{0};
  std::error_code ignored;
  fs::create_directories(directory_, ignored);
  const fs::path target = pathOf(key);
  fs::path temporary = target;
  temporary += "." + std::to_string(::getpid()) + "." + std::to_string(counter++) + ".tmp";
  bool written = false;
  {
    const File file(temporary, O_WRONLY | O_CREAT | O_EXCL);
    if (!file.open()) return false;
    const Header header{magic, key, checksum(object), object.size()};
    written = file.write(&header, sizeof header) && file.write(object.data(), object.size());
  }
  if (!written || std::rename(temporary.c_str(), target.c_str()) != 0) {
    fs::remove(temporary, ignored);
    return false;
  }
  return true;
}

void Cache::prune() const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    std::uintmax_t size;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone; // another process may remove the file at any moment
    Entry entry{it->path(), it->last_write_time(gone), it->file_size(gone)};
    if (gone) continue;
    const bool stale = fs::file_time_type::clock::now() - entry.used > std::chrono::hours(1);
    if (entry.path.extension() == ".tmp" && stale) fs::remove(entry.path, gone); // of a process that died
    if (entry.path.extension() != extension) continue;
    total += entry.size;
    entries.push_back(std::move(entry));
  }
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) { // somewhat below the limit, so that this does not happen at every store
    if (total <= limit_ / 4 * 3) return;
    fs::remove(entry.path, error);
    total -= entry.size;
  }
}

} // namespace lmc::jit
