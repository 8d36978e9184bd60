#include "runtime/output/OutputFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace lmc::runtime {

namespace fs = std::filesystem;

OutputError cannotWrite(const std::string& name, int error) {
  const bool device = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO || error == ENOMEM ||
                      error == EMFILE || error == ENFILE;
  return OutputError("cannot write `" + name + "`: " + std::strerror(error),
                     device ? OutputFault::Device : OutputFault::Place);
}

OutputFile::OutputFile(int descriptor, bool owned, std::string name)
    : descriptor_(descriptor), owned_(owned), name_(std::move(name)) {}

OutputFile OutputFile::create(const fs::path& file) {
  int descriptor = -1;
  do descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) throw cannotWrite(file.string(), errno);
  return {descriptor, true, file.string()};
}

OutputFile::OutputFile(OutputFile&& o) noexcept
    : descriptor_(std::exchange(o.descriptor_, -1)), owned_(o.owned_), name_(std::move(o.name_)), written_(o.written_) {
}

OutputFile& OutputFile::operator=(OutputFile&& o) noexcept {
  std::swap(descriptor_, o.descriptor_);
  std::swap(owned_, o.owned_);
  std::swap(name_, o.name_);
  std::swap(written_, o.written_);
  return *this;
}

OutputFile::~OutputFile() {
  if (owned_ && descriptor_ >= 0) ::close(descriptor_);
}

std::size_t OutputFile::tryWrite(const void* data, std::size_t size, int& error) {
  error = 0;
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::write(descriptor_, static_cast<const char*>(data) + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error = n < 0 ? errno : EIO;
      break;
    }
    done += static_cast<std::size_t>(n);
    written_ += static_cast<std::uint64_t>(n);
  }
  return done;
}

void OutputFile::write(const void* data, std::size_t size) {
  int error = 0;
  if (tryWrite(data, size, error) < size) throw cannotWrite(name_, error);
}

void OutputFile::cut(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return;
  ::lseek(descriptor_, static_cast<off_t>(size), SEEK_SET);
  written_ = size;
}

void OutputFile::sync() {
  while (::fsync(descriptor_) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINVAL || errno == ENOTSUP || errno == EROFS) return; // what cannot be brought to a disk
    throw cannotWrite(name_, errno);
  }
}

void OutputFile::close() {
  if (!owned_ || descriptor_ < 0) return;
  // After an interrupt the descriptor is gone all the same.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) throw cannotWrite(name_, errno);
}

void requirePlace(const fs::path& file) {
  const fs::path target = followed(file);
  struct stat before {};
  if (::stat(target.c_str(), &before) == 0) {
    if (S_ISDIR(before.st_mode)) throw cannotWrite(file.string(), EISDIR);
    if (!S_ISREG(before.st_mode)) return; // a device or a pipe
  }
  const fs::path folder = target.parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) throw cannotWrite(file.string(), errno);
}

fs::path followed(const fs::path& file) {
  fs::path path = file;
  std::error_code none;
  constexpr int most = 40; // as the system
  for (int k = 0; k < most && fs::is_symlink(fs::symlink_status(path, none)); ++k) {
    const fs::path next = fs::read_symlink(path, none);
    if (none) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, none), none);
  return none ? path : whole;
}

WholeFile::WholeFile(const fs::path& file, const std::string& suffix) : name_(file.string()), target_(followed(file)) {
  struct stat before {};
  const bool there = ::stat(target_.c_str(), &before) == 0;
  if (there && !S_ISREG(before.st_mode)) {
    if (S_ISDIR(before.st_mode)) throw cannotWrite(name_, EISDIR);
    out_ = OutputFile::create(file);
    return;
  }
  if (there && ::access(target_.c_str(), W_OK) != 0) throw cannotWrite(name_, errno);
  part_ = target_;
  part_ += suffix;
  ::unlink(part_.c_str()); // of a process that was killed
  const int descriptor = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const int error = errno;
    part_.clear();
    throw cannotWrite(name_, error);
  }
  out_ = OutputFile(descriptor, true, name_);
  if (there) (void)::fchmod(descriptor, before.st_mode & 0777U);
}

WholeFile::~WholeFile() {
  if (!part_.empty()) ::unlink(part_.c_str());
}

void WholeFile::commit(bool durable) {
  if (durable) out_.sync();
  out_.close();
  if (part_.empty()) return;
  if (::rename(part_.c_str(), target_.c_str()) != 0) throw cannotWrite(name_, errno);
  part_.clear();
  if (!durable) return;
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return; // the name is there, if not for certain after a loss of power
  (void)::fsync(descriptor);
  ::close(descriptor);
}

void writeWhole(const fs::path& file, const std::string& bytes, bool durable) {
  WholeFile whole(file);
  whole.out().write(bytes.data(), bytes.size());
  whole.commit(durable);
}

bool Leisure::due() const {
  constexpr double share = 20, costly = 0.1;
  const double wanted = cost_ < costly ? seconds_ : std::max(seconds_, share * cost_);
  return std::chrono::duration<double>(Clock::now() - end_).count() > wanted;
}

void Leisure::begin() {
  begin_ = Clock::now();
}

void Leisure::end() {
  end_ = Clock::now();
  cost_ = std::chrono::duration<double>(end_ - begin_).count();
}

} // namespace lmc::runtime
