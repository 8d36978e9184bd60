#include "runtime/Output.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <unistd.h>

namespace lmc {

namespace {

/// Bytes that are gathered before they are written.
constexpr std::size_t bufferBytes = std::size_t{1} << 16U;

class CsvWriter final : public Sink {
public:
  CsvWriter(int descriptor, bool owned, std::string name) : file_(descriptor), owned_(owned), name_(std::move(name)) {
    buffer_.reserve(bufferBytes);
  }
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;
  ~CsvWriter() override { close(); }

  void begin(const std::vector<std::string>& columns) override {
    buffer_.push_back('t');
    for (const std::string& column : columns) {
      buffer_.push_back(',');
      buffer_.append(column);
    }
    buffer_.push_back('\n');
  }

  void sample(double t, std::span<const double> values) override {
    number(t);
    for (const double value : values) {
      buffer_.push_back(',');
      number(value);
    }
    buffer_.push_back('\n');
    if (buffer_.size() >= bufferBytes - lineReserve(values.size())) flush();
  }

  void finish() override {
    flush();
    if (!close()) fail();
  }

private:
  static std::size_t lineReserve(std::size_t columns) {
    constexpr std::size_t numberBytes = 26;
    return std::min(numberBytes * (columns + 1), bufferBytes);
  }

  void number(double value) { fmt::format_to(fmt::appender(buffer_), FMT_COMPILE("{}"), value); }

  void flush() {
    const char* next = buffer_.data();
    std::size_t left = buffer_.size();
    while (left > 0) {
      const ssize_t written = ::write(file_, next, left);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EPIPE && !owned_) break; // nobody reads any more
      if (written < 0) fail();
      next += written;
      left -= static_cast<std::size_t>(written);
    }
    buffer_.clear();
  }

  bool close() {
    if (!owned_ || file_ < 0) return true;
    const int file = file_;
    file_ = -1;
    return ::close(file) == 0;
  }

  [[noreturn]] void fail() { throw OutputError("cannot write '" + name_ + "': " + std::strerror(errno)); }

  int file_;
  bool owned_;
  std::string name_;
  fmt::memory_buffer buffer_;
};

} // namespace

std::unique_ptr<Sink> openCsv(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) throw OutputError("cannot write '" + file.string() + "': " + std::strerror(errno));
  return std::make_unique<CsvWriter>(descriptor, true, file.string());
}

std::unique_ptr<Sink> csvTo(int descriptor, const std::string& name) {
  return std::make_unique<CsvWriter>(descriptor, false, name);
}

} // namespace lmc
