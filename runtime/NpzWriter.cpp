// The writer of numpy archives; a module of its own, opened by openNpz (Output.cpp).
#include "runtime/Output.h"
#include "runtime/OutputArrays.h"

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <zip.h>

namespace lmc {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as '<f8'");

/// An array of the archive with its samples, one after the other.
struct Array : OutputArray {
  std::vector<double> data;
  std::string header;
};

/// The header of a `.npy` file, format version 1.0: a Python dictionary, padded so that the data begin aligned.
std::string npyHeader(const Array& array, std::size_t samples) {
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

class NpzWriter final : public Sink {
public:
  explicit NpzWriter(std::string file) : file_(std::move(file)) {
    // The archive is written at the end; find out now whether it can be.
    std::FILE* probe = std::fopen(file_.c_str(), "wb");
    if (probe == nullptr) throw OutputError("cannot write '" + file_ + "': " + std::strerror(errno));
    std::fclose(probe);
  }

  void begin(const std::vector<std::string>& columns) override {
    for (OutputArray& array : arraysOf(columns)) arrays_.push_back({std::move(array), {}, {}});
  }

  void sample(double t, std::span<const double> values) override {
    time_.data.push_back(t);
    for (Array& array : arrays_)
      for (const std::size_t column : array.columns) array.data.push_back(values[column]);
  }

  void finish() override {
    int code = 0;
    zip_t* archive = zip_open(file_.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (archive == nullptr) {
      zip_error_t error;
      zip_error_init_with_code(&error, code);
      const std::string reason = zip_error_strerror(&error);
      zip_error_fini(&error);
      throw OutputError("cannot write '" + file_ + "': " + reason);
    }
    bool good = add(archive, time_);
    for (Array& array : arrays_) good = good && add(archive, array);
    if (good && zip_close(archive) == 0) return;
    const std::string reason = zip_strerror(archive);
    zip_discard(archive);
    throw OutputError("cannot write '" + file_ + "': " + reason);
  }

private:
  bool add(zip_t* archive, Array& array) {
    array.header = npyHeader(array, time_.data.size());
    zip_buffer_fragment_t fragments[2] = {};
    fragments[0].data = reinterpret_cast<zip_uint8_t*>(array.header.data());
    fragments[0].length = array.header.size();
    fragments[1].data = reinterpret_cast<zip_uint8_t*>(array.data.data());
    fragments[1].length = array.data.size() * sizeof(double);
    zip_source_t* source = zip_source_buffer_fragment(archive, fragments, array.data.empty() ? 1 : 2, 0);
    if (source == nullptr) return false;
    const zip_int64_t index = zip_file_add(archive, (array.name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return false;
    }
    return zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) == 0;
  }

  std::string file_;
  Array time_{{"t", {}, {}}, {}, {}};
  std::vector<Array> arrays_;
};

} // namespace

} // namespace lmc

/// The module's one entry point: an open writer, owned by the caller. Throws lmc::OutputError.
extern "C" lmc::Sink* lmc_open_npz(const char* file) {
  return new lmc::NpzWriter(file);
}
