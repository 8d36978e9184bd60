#include "jit/Cache.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
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
constexpr const char* temporaryExtension = ".tmp";

Digest checksum(const std::string& object) {
  Hash hash;
  hash.text(object);
  return hash.digest();
}

fs::path defaultDirectory() { // as `cacheFolder` tells
  const auto variable = [](const char* name) -> fs::path {
    const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
  };
  if (fs::path p = variable("LMC_CACHE_DIR"); !p.empty()) return p;
  if (fs::path p = variable("XDG_CACHE_HOME"); !p.empty()) return p / "lmc";
  if (fs::path p = variable("HOME"); !p.empty()) return p / ".cache" / "lmc";
  return {};
}

/// What belongs to another user, or can be written by others, is not to be executed. Empty if neither is so.
std::string distrust(const struct stat& info) {
  if (info.st_uid != ::geteuid()) return "it belongs to another user";
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others than its owner can write it";
  return {};
}

/// A descriptor that closes itself.
class File {
public:
  File(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
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
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      p += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

  bool write(const void* from, std::size_t size) const {
    for (const auto* p = static_cast<const char*>(from); size > 0;) {
      const ssize_t put = ::write(fd_, p, size);
      if (put < 0 && errno == EINTR) continue;
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

fs::path cacheFolder(const fs::path& given) {
  return given.empty() ? defaultDirectory() : given;
}

std::string distrust(const fs::path& folder) {
  struct stat info {};
  if (folder.empty() || ::stat(folder.c_str(), &info) != 0) return {};
  if (!S_ISDIR(info.st_mode)) return "it is not a folder";
  return distrust(info);
}

Cache::Cache(const fs::path& directory, std::uintmax_t limit) : directory_(cacheFolder(directory)), limit_(limit) {
  if (!distrust(directory_).empty()) directory_.clear();
}

fs::path Cache::pathOf(const Digest& key) const {
  return directory_ / (hex(key) + extension);
}

std::optional<std::string> Cache::find(const Digest& key) const {
  if (directory_.empty()) return std::nullopt;
  const File file(pathOf(key), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat info {};
  Header header{};
  if (!file.open() || ::fstat(file.descriptor(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode) || !distrust(info).empty() || !file.read(&header, sizeof header)) return std::nullopt;
  if (header.magic != magic || header.key != key) return std::nullopt;
  if (static_cast<std::uint64_t>(info.st_size) != sizeof header + header.size) return std::nullopt;
  std::string object(header.size, '\0');
  if (!file.read(object.data(), object.size()) || checksum(object) != header.checksum) return std::nullopt;
  touch(file, info);
  return object;
}

void Cache::store(const Digest& key, const std::string& object) const {
  // The folder is looked through for what is large, and for one in sixteen of the small entries.
  constexpr std::size_t small = std::size_t{1} << 16U;
  if (write(key, object) && (object.size() > small || key[1] % 16 == 0)) prune();
}

bool Cache::makeFolder() const {
  std::error_code ignored;
  if (directory_.has_parent_path()) fs::create_directories(directory_.parent_path(), ignored);
  if (::mkdir(directory_.c_str(), 0700) == 0) return true;
  return errno == EEXIST && distrust(directory_).empty();
}

bool Cache::write(const Digest& key, const std::string& object) const {
  if (directory_.empty() || object.size() > limit_ / 2 || !makeFolder()) return false;
  static std::atomic<unsigned> counter{0};
  const fs::path target = pathOf(key);
  fs::path temporary = target;
  temporary += "." + std::to_string(::getpid()) + "." + std::to_string(counter++) + temporaryExtension;
  std::error_code ignored;
  const Header header{magic, key, checksum(object), object.size()};
  const auto fill = [&](const File& file) {
    return file.write(&header, sizeof header) && file.write(object.data(), object.size());
  };
  // A file without a name, where there is such a thing, is gone with the process that writes it.
  {
    const File file(directory_, O_WRONLY | O_TMPFILE);
    if (file.open()) {
      if (!fill(file)) return false;
      const std::string itself = "/proc/self/fd/" + std::to_string(file.descriptor());
      const auto link = [&](const fs::path& to) {
        return ::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0;
      };
      if (link(target)) return true;
      if (errno == EEXIST && link(temporary)) {
        if (std::rename(temporary.c_str(), target.c_str()) == 0) return true;
        fs::remove(temporary, ignored);
        return false;
      }
    }
  }
  bool written = false;
  {
    const File file(temporary, O_WRONLY | O_CREAT | O_EXCL);
    if (!file.open()) return false;
    written = fill(file);
  }
  if (!written || std::rename(temporary.c_str(), target.c_str()) != 0) {
    fs::remove(temporary, ignored);
    return false;
  }
  return true;
}

namespace {

/// The process that a temporary file belongs to has ended.
bool abandoned(const fs::path& temporary) {
  const std::string process = temporary.stem().stem().extension().string(); // key.lmco.PROCESS.COUNT.tmp
  long id = 0;
  const auto [stop, error] = std::from_chars(process.data() + 1, process.data() + process.size(), id);
  if (process.size() < 2 || error != std::errc() || stop != process.data() + process.size() || id < 1) return true;
  return ::kill(static_cast<pid_t>(id), 0) != 0 && errno == ESRCH;
}

} // namespace

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
    if (it->path().extension() == temporaryExtension && abandoned(it->path())) fs::remove(it->path(), gone);
    if (it->path().extension() != extension) continue;
    Entry entry{it->path(), it->last_write_time(gone), it->file_size(gone)};
    if (gone) continue;
    total += entry.size;
    entries.push_back(std::move(entry));
  }
  if (total <= limit_ && entries.size() <= cacheEntries) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  std::size_t left = entries.size();
  for (const Entry& entry : entries) { // somewhat below the limit, so that this does not happen at every store
    if (total <= limit_ / 4 * 3 && left <= cacheEntries / 4 * 3) return;
    fs::remove(entry.path, error);
    total -= entry.size;
    --left;
  }
}

} // namespace lmc::jit
