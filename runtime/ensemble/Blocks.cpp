#include "runtime/ensemble/Blocks.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace lmc::runtime {

namespace {

constexpr std::uint64_t blockMark = 0x6B636F6C42636D6CU; // "lmcBlock"
constexpr std::uint64_t headMark = 0x6461654864636D6CU;  // "lmcdHead"
constexpr std::uint64_t mostBody = std::uint64_t{1} << 36U;
/// A first line that is longer is none.
constexpr std::size_t mostLine = std::size_t{1} << 28U;

using RecordHead = std::array<std::uint64_t, 3>; ///< mark, size of the body, its checksum

/// The numbers of a block as bytes, and back.
class Packer {
public:
  template <typename T> void operator()(const T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  template <typename T> void operator()(const std::vector<T>& list) {
    (*this)(list.size());
    bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
  }
  std::string bytes;
};

class Unpacker {
public:
  explicit Unpacker(std::string_view b) : bytes(b) {}
  template <typename T> void operator()(T& x) { take(&x, sizeof x); }
  template <typename T> void operator()(std::vector<T>& list) {
    std::size_t n = 0;
    (*this)(n);
    if (n > (bytes.size() - at) / sizeof(T)) throw CheckpointError("a block is damaged");
    list.resize(n);
    take(list.data(), n * sizeof(T));
  }

private:
  void take(void* to, std::size_t n) {
    if (n > bytes.size() - at) throw CheckpointError("a block is damaged");
    if (n > 0) std::memcpy(to, bytes.data() + at, n);
    at += n;
  }
  std::string_view bytes;
  std::size_t at = 0;
};

template <class Visitor, class Block> void visit(Visitor& v, Block& b) {
  v(b.index);
  v(b.first);
  v(b.count);
  v(b.steps);
  v(b.rejected);
  v(b.statuses);
  v(b.ends);
  v(b.varied);
  v(b.rows);
  v(b.moments);
}

std::string record(std::uint64_t mark, const std::string& body) {
  Packer head;
  head(mark);
  head(body.size());
  head(checksumOf(body));
  return head.bytes + body;
}

} // namespace

std::string recordOf(const EnsembleBlock& block) {
  Packer body;
  visit(body, block);
  return record(blockMark, body.bytes);
}

std::string headRecord(const std::string& body) {
  return record(headMark, body);
}

EnsembleBlock blockOf(std::string_view record) {
  RecordHead head{};
  if (record.size() < sizeof head) throw CheckpointError("a block is damaged");
  std::memcpy(head.data(), record.data(), sizeof head);
  const std::string_view body = record.substr(sizeof head);
  if (head[0] != blockMark || head[1] != body.size() || head[2] != checksumOf(body))
    throw CheckpointError("a block is damaged");
  EnsembleBlock block;
  Unpacker from(body);
  visit(from, block);
  return block;
}

BlockReader::BlockReader(const std::filesystem::path& file) : name_(file.string()) {
  descriptor_ = open();
  try {
    scan();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

int BlockReader::open() const {
  const int descriptor = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw CheckpointError(fmt::format("cannot read `{}`: {}", name_, std::strerror(errno)));
  return descriptor;
}

void BlockReader::release() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

BlockReader::BlockReader(BlockReader&& o) noexcept
    : name_(std::move(o.name_)), descriptor_(std::exchange(o.descriptor_, -1)), line_(std::move(o.line_)),
      head_(std::move(o.head_)), places_(std::move(o.places_)), sound_(o.sound_), size_(o.size_) {}

BlockReader& BlockReader::operator=(BlockReader&& o) noexcept {
  std::swap(name_, o.name_);
  std::swap(descriptor_, o.descriptor_);
  std::swap(line_, o.line_);
  std::swap(head_, o.head_);
  std::swap(places_, o.places_);
  std::swap(sound_, o.sound_);
  std::swap(size_, o.size_);
  return *this;
}

BlockReader::~BlockReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool BlockReader::readAt(int descriptor, std::uint64_t offset, void* to, std::size_t count) const {
  auto* at = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t n = ::pread(descriptor, at, count, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw CheckpointError(fmt::format("cannot read `{}`: {}", name_, std::strerror(errno)));
    if (n == 0) return false;
    at += n;
    offset += static_cast<std::uint64_t>(n);
    count -= static_cast<std::size_t>(n);
  }
  return true;
}

void BlockReader::scan() {
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode))
    throw CheckpointError(fmt::format("cannot read `{}`: it is not a file on a disk", name_));
  size_ = static_cast<std::uint64_t>(info.st_size);
  std::string piece(std::size_t{1} << 14U, '\0');
  for (std::size_t end = std::string::npos; end == std::string::npos;) {
    const std::size_t count = std::min<std::uint64_t>(piece.size(), size_ - line_.size());
    if (count == 0 || line_.size() > mostLine || !readAt(descriptor_, line_.size(), piece.data(), count)) {
      line_.clear();
      return;
    }
    const std::size_t before = line_.size();
    line_.append(piece, 0, count);
    end = line_.find('\n', before);
    if (end != std::string::npos) line_.resize(end);
  }
  sound_ = line_.size() + 1;
  RecordHead head{};
  std::string body;
  while (sound_ + sizeof head <= size_ && readAt(descriptor_, sound_, head.data(), sizeof head)) {
    const bool first = sound_ == line_.size() + 1;
    if ((head[0] != blockMark && !(first && head[0] == headMark)) || head[1] > mostBody ||
        head[1] > size_ - sound_ - sizeof head)
      return;
    body.resize(head[1]);
    if (!readAt(descriptor_, sound_ + sizeof head, body.data(), body.size()) || checksumOf(body) != head[2]) return;
    const std::uint64_t whole = sizeof head + body.size();
    if (head[0] == headMark) {
      head_ = body;
    } else {
      std::int64_t index = -1;
      Unpacker from(body);
      from(index);
      places_[index] = {sound_, whole};
    }
    sound_ += whole;
  }
}

std::vector<std::int64_t> BlockReader::blocks() const {
  std::vector<std::int64_t> list;
  list.reserve(places_.size());
  for (const auto& [index, place] : places_) list.push_back(index);
  return list;
}

std::string BlockReader::record(std::int64_t index) const {
  const Place& place = places_.at(index);
  std::string bytes(place.size, '\0');
  const int descriptor = descriptor_ >= 0 ? descriptor_ : open();
  const bool whole = readAt(descriptor, place.offset, bytes.data(), bytes.size());
  if (descriptor_ < 0) ::close(descriptor);
  if (!whole) throw CheckpointError(fmt::format("`{}` has become shorter while it was read", name_));
  return bytes;
}

} // namespace lmc::runtime
