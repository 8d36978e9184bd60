// Lines of comma-separated numbers below a line of names. Numbers are the shortest that read back exactly. What is
// older than half a second is in the file; where the disk is full it ends with a whole line.
#include "runtime/output/Output.h"
#include "runtime/output/OutputFile.h"

#include <cerrno>
#include <fmt/compile.h>
#include <fmt/format.h>

namespace lmc::runtime {

namespace {

/// Bytes that are gathered before they are written.
constexpr std::size_t bufferBytes = std::size_t{1} << 16U;
/// Samples do not stay in memory for longer.
constexpr double flushSeconds = 0.5;

class CsvWriter final : public Sink {
public:
  explicit CsvWriter(OutputFile file) : file_(std::move(file)) { buffer_.reserve(bufferBytes); }
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

  void begin(const std::vector<Entry>& columns) override {
    buffer_.push_back('t');
    for (const Entry& column : columns) {
      buffer_.push_back(',');
      buffer_.append(column.name());
    }
    buffer_.push_back('\n');
  }

  void sample(double t, std::span<const double> values) override {
    const std::size_t before = buffer_.size();
    try {
      number(t);
      for (const double value : values) {
        buffer_.push_back(',');
        number(value);
      }
      buffer_.push_back('\n');
    } catch (const std::bad_alloc&) {
      buffer_.resize(before); // whole lines only
      throw;
    }
    if (buffer_.size() >= bufferBytes - lineReserve(values.size()) || flushing_.due()) flush();
  }

  void sync() override {
    flush();
    if (file_.owned()) file_.sync();
  }

  void finish() override {
    flush();
    file_.close();
  }

private:
  static std::size_t lineReserve(std::size_t columns) {
    constexpr std::size_t numberBytes = 26;
    return std::min(numberBytes * (columns + 1), bufferBytes);
  }

  void number(double value) { fmt::format_to(fmt::appender(buffer_), FMT_COMPILE("{}"), value); }

  void flush() {
    flushing_.begin();
    int error = 0;
    const std::size_t done = file_.tryWrite(buffer_.data(), buffer_.size(), error);
    if (error != 0 && !(error == EPIPE && !file_.owned())) { // nobody reads any more: no error
      std::size_t line = done;
      while (line > 0 && buffer_[line - 1] != '\n') --line;
      if (file_.owned()) file_.cut(file_.written() - (done - line));
      buffer_.clear();
      throw cannotWrite(file_.name(), error);
    }
    buffer_.clear();
    flushing_.end();
  }

  OutputFile file_;
  fmt::memory_buffer buffer_;
  Leisure flushing_{flushSeconds};
};

std::unique_ptr<Sink> openCsv(const std::filesystem::path& file, const RunDescription* /*about*/) {
  return std::make_unique<CsvWriter>(OutputFile::create(file));
}

std::unique_ptr<Sink> streamCsv(int descriptor, const std::string& name) {
  return std::make_unique<CsvWriter>(OutputFile(descriptor, false, name));
}

} // namespace

extern const OutputFormat csvOutputFormat = {
    .name = "csv",
    .place = 0,
    .endings = {".csv"},
    .numberBytes = 19,
    .open = openCsv,
    .stream = streamCsv,
};

} // namespace lmc::runtime
