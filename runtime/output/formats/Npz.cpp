// Numpy archives: `t` and one array per variable or observable, float64, shape (samples, …) with the variable's own
// shape behind: `w[1]`, `w[2]`, `w[3]` become `w` of shape (samples, 3); a family `q[1][1]` … becomes one array too.
// Samples are kept in memory; the file is replaced as a whole at the begin, at `sync`, at `finish`, and from time to
// time, so that a twentieth of the run goes into it at most.
//
// An archive is a zip file whose members are stored as they are: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
#include "runtime/output/Output.h"

namespace lmc::runtime {

extern const OutputFormat npzOutputFormat = {
    .name = "npz",
    .place = 1,
    .endings = {".npz"},
    .numberBytes = 8,
    .inMemory = true,
    .beside = {".part"},
};

} // namespace lmc::runtime

#ifdef LMC_OUTPUT_MODULE

#include "runtime/output/OutputArrays.h"
#include "runtime/output/OutputFile.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <zlib.h>

namespace lmc::runtime {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as '<f8'");

/// A member of the archive: the time, or an array.
struct Member : OutputArray {
  std::uint32_t checksum = 0; ///< CRC-32 of the numbers of `summed` samples
  std::size_t summed = 0;     ///< samples
  std::string header;         ///< of the `.npy` file that is being written
  std::uint64_t offset = 0;   ///< of its local header in that archive
  std::uint32_t whole = 0;    ///< CRC-32 of header and numbers
  std::uint64_t size = 0;     ///< of header and numbers
  [[nodiscard]] std::string fileName() const { return name + ".npy"; }
};

/// The header of a `.npy` file, format version 1.0: a Python dictionary, padded so that the data begin aligned.
std::string npyHeader(const Member& array, std::size_t samples) {
  std::string shape = fmt::format("{},", samples);
  for (const std::int64_t extent : array.shape) shape += fmt::format(" {},", extent);
  if (!array.shape.empty()) shape.pop_back();
  std::string text = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}", shape);
  constexpr std::size_t alignment = 64, prefix = 10;
  text.append(alignment - (prefix + text.size() + 1) % alignment, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xFFU);
  header += static_cast<char>(text.size() >> 8U);
  return header + text;
}

/// Numbers as a zip file has them: the lowest byte first.
class Record {
public:
  template <typename T> Record& add(T value) {
    for (std::size_t k = 0; k < sizeof(T); ++k) bytes.push_back(static_cast<char>(value >> (8 * k) & 0xFFU));
    return *this;
  }
  Record& add(const std::string& text) {
    bytes += text;
    return *this;
  }
  std::string bytes;
};

constexpr std::uint32_t most32 = 0xFFFFFFFFU;
constexpr std::uint16_t most16 = 0xFFFFU;

std::uint32_t cut32(std::uint64_t x) {
  return x >= most32 ? most32 : static_cast<std::uint32_t>(x);
}

/// What both headers of a member have in common, from "version needed" to "length of the extra field".
void addCommon(Record& r, const Member& m, std::size_t extra) {
  constexpr std::uint16_t plain = 20, large = 45, utf8 = 0x0800, stored = 0;
  constexpr std::uint16_t midnight = 0, firstDay = 0x21; // of 1980: equal samples make equal bytes
  const std::string name = m.fileName();
  r.add(extra > 0 ? large : plain).add(utf8).add(stored).add(midnight).add(firstDay).add(m.whole);
  r.add(cut32(m.size)).add(cut32(m.size)).add(static_cast<std::uint16_t>(name.size()));
  r.add(static_cast<std::uint16_t>(extra));
}

std::string localHeader(const Member& m) {
  const std::size_t extra = m.size >= most32 ? 20 : 0;
  Record r;
  r.add(std::uint32_t{0x04034B50});
  addCommon(r, m, extra);
  r.add(m.fileName());
  if (extra > 0) r.add(std::uint16_t{1}).add(std::uint16_t{16}).add(m.size).add(m.size);
  return r.bytes;
}

std::string centralHeader(const Member& m) {
  const bool large = m.size >= most32, far = m.offset >= most32;
  const std::size_t numbers = (large ? 16U : 0U) + (far ? 8U : 0U), extra = numbers > 0 ? numbers + 4 : 0;
  constexpr std::uint16_t madeBy = 0x0300 | 45; // Unix
  constexpr std::uint32_t attributes = 0100644U << 16U;
  Record r;
  r.add(std::uint32_t{0x02014B50}).add(madeBy);
  addCommon(r, m, extra);
  r.add(std::uint16_t{0}).add(std::uint16_t{0}).add(std::uint16_t{0}).add(attributes).add(cut32(m.offset));
  r.add(m.fileName());
  if (extra > 0) r.add(std::uint16_t{1}).add(static_cast<std::uint16_t>(numbers));
  if (large) r.add(m.size).add(m.size);
  if (far) r.add(m.offset);
  return r.bytes;
}

std::string endRecords(std::uint64_t members, std::uint64_t offset, std::uint64_t size) {
  Record r;
  if (members >= most16 || offset >= most32 || size >= most32) {
    r.add(std::uint32_t{0x06064B50}).add(std::uint64_t{44}).add(std::uint16_t{45}).add(std::uint16_t{45});
    r.add(std::uint32_t{0}).add(std::uint32_t{0}).add(members).add(members).add(size).add(offset);
    r.add(std::uint32_t{0x07064B50}).add(std::uint32_t{0}).add(offset + size).add(std::uint32_t{1});
  }
  const auto count = static_cast<std::uint16_t>(std::min<std::uint64_t>(members, most16));
  r.add(std::uint32_t{0x06054B50}).add(std::uint16_t{0}).add(std::uint16_t{0}).add(count).add(count);
  r.add(cut32(size)).add(cut32(offset)).add(std::uint16_t{0});
  return r.bytes;
}

/// The samples of a run, row by row, in pieces that stay where they are.
class Rows {
public:
  void begin(std::size_t width) {
    width_ = width;
    constexpr std::size_t pieceNumbers = std::size_t{1} << 16U;
    perPiece_ = std::max<std::size_t>(1, pieceNumbers / width);
  }
  /// All of a row or, where memory ends, nothing of it.
  void add(double t, std::span<const double> values) {
    if (count_ == pieces_.size() * perPiece_) {
      pieces_.reserve(pieces_.size() + 1);
      pieces_.push_back(std::make_unique<double[]>(perPiece_ * width_));
    }
    double* const row = pieces_.back().get() + count_ % perPiece_ * width_;
    row[0] = t;
    std::copy(values.begin(), values.end(), row + 1);
    ++count_;
  }
  [[nodiscard]] const double* row(std::size_t k) const { return pieces_[k / perPiece_].get() + k % perPiece_ * width_; }
  [[nodiscard]] std::size_t count() const { return count_; }

private:
  std::size_t width_ = 1, perPiece_ = 1, count_ = 0;
  std::vector<std::unique_ptr<double[]>> pieces_;
};

class NpzWriter final : public Sink {
public:
  /// Finds out whether the archive can be written.
  explicit NpzWriter(std::string file)
      : file_(std::move(file)), buffer_(bufferNumbers), once_(WholeFile(file_).inPlace()) {}

  void begin(const std::vector<Entry>& columns) override {
    rows_.begin(columns.size() + 1);
    members_.emplace_back();
    members_[0].name = "t";
    members_[0].columns = {0};
    for (OutputArray& array : arraysOf(columns)) {
      Member& m = members_.emplace_back();
      static_cast<OutputArray&>(m) = std::move(array);
      for (std::size_t& column : m.columns) ++column; // behind the time
    }
    if (!once_) save(false);
  }

  void sample(double t, std::span<const double> values) override {
    rows_.add(t, values);
    if (!once_ && saving_.due()) save(false);
  }

  void sync() override {
    if (!once_ && (saved_ != rows_.count() || !durable_)) save(true);
  }

  void finish() override {
    if (once_ || saved_ != rows_.count() || members_.empty()) save(false);
  }

private:
  static constexpr std::size_t bufferNumbers = std::size_t{1} << 13U;

  /// Calls a function with the numbers of a member from a sample on, piece by piece.
  template <typename Take> void numbers(const Member& m, std::size_t from, Take take) {
    std::size_t filled = 0;
    for (std::size_t k = from; k < rows_.count(); ++k) {
      const double* const row = rows_.row(k);
      for (const std::size_t column : m.columns) {
        buffer_[filled++] = row[column];
        if (filled < bufferNumbers) continue;
        take(buffer_.data(), filled * sizeof(double));
        filled = 0;
      }
    }
    if (filled > 0) take(buffer_.data(), filled * sizeof(double));
  }

  /// Checksums of what is to be written; those of earlier samples are known.
  void sum(Member& m) {
    numbers(m, m.summed, [&](const double* data, std::size_t size) {
      m.checksum = static_cast<std::uint32_t>(crc32_z(m.checksum, reinterpret_cast<const unsigned char*>(data), size));
    });
    m.summed = rows_.count();
    m.header = npyHeader(m, rows_.count());
    const std::uint64_t bytes = static_cast<std::uint64_t>(rows_.count()) * m.columns.size() * sizeof(double);
    const auto header = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const unsigned char*>(m.header.data()), m.header.size()));
    m.whole = static_cast<std::uint32_t>(crc32_combine(header, m.checksum, static_cast<z_off_t>(bytes)));
    m.size = m.header.size() + bytes;
  }

  void save(bool durable) {
    saving_.begin();
    WholeFile archive(file_);
    OutputFile& out = archive.out();
    const auto put = [&](const std::string& bytes) { out.write(bytes.data(), bytes.size()); };
    for (Member& m : members_) {
      sum(m);
      m.offset = out.written();
      put(localHeader(m));
      put(m.header);
      numbers(m, 0, [&](const double* data, std::size_t size) { out.write(data, size); });
    }
    const std::uint64_t directory = out.written();
    for (const Member& m : members_) put(centralHeader(m));
    put(endRecords(members_.size(), directory, out.written() - directory));
    archive.commit(durable);
    saved_ = rows_.count();
    durable_ = durable;
    saving_.end();
  }

  std::string file_;
  std::vector<double> buffer_;
  bool once_;                   ///< into a device or a pipe
  std::vector<Member> members_; ///< the time first
  Rows rows_;
  std::size_t saved_ = 0; ///< samples in the file
  bool durable_ = false;  ///< they are there for certain
  Leisure saving_{10};
};

} // namespace

} // namespace lmc::runtime

extern "C" lmc::runtime::Sink* lmc_open_output(const char* file, const lmc::runtime::RunDescription* /*about*/) {
  return new lmc::runtime::NpzWriter(file);
}

#endif
