// The writer of numpy archives; a module of its own, opened by openNpz (Output.cpp).
#include "runtime/Output.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <zip.h>

namespace lmc {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as '<f8'");

/// A column's name taken apart: "q[3][1]" is {"q", {3, 1}}.
struct Entry {
  std::string base;
  std::vector<std::int64_t> indices;
};

Entry takeApart(const std::string& name) {
  Entry entry;
  std::size_t end = name.size();
  while (end > 0 && name[end - 1] == ']') {
    const std::size_t open = name.rfind('[', end - 1);
    if (open == std::string::npos) break;
    std::int64_t index = 0;
    const char* const last = name.data() + end - 1;
    const auto [stop, error] = std::from_chars(name.data() + open + 1, last, index);
    if (error != std::errc() || stop != last) break;
    entry.indices.insert(entry.indices.begin(), index);
    end = open;
  }
  entry.base = name.substr(0, end);
  return entry;
}

/// One array of the archive: the samples of a variable, one after the other.
struct Array {
  std::string name;
  std::vector<std::int64_t> shape;  ///< of one sample
  std::vector<std::size_t> columns; ///< of the run, in the order of the array's entries
  std::vector<double> data;
  std::string header;
};

/// Columns of one base name as one array, if their indices fill a box; nothing otherwise.
std::optional<Array> box(const std::string& base, const std::vector<std::pair<std::size_t, Entry>>& members) {
  const std::size_t rank = members.front().second.indices.size();
  std::vector<std::int64_t> lo = members.front().second.indices, hi = lo;
  for (const auto& [column, entry] : members) {
    if (entry.indices.size() != rank) return std::nullopt;
    for (std::size_t d = 0; d < rank; ++d) {
      lo[d] = std::min(lo[d], entry.indices[d]);
      hi[d] = std::max(hi[d], entry.indices[d]);
    }
  }
  Array array;
  array.name = base;
  std::size_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    array.shape.push_back(hi[d] - lo[d] + 1);
    count *= static_cast<std::size_t>(array.shape.back());
    if (count > members.size()) return std::nullopt;
  }
  if (count != members.size()) return std::nullopt;
  constexpr std::size_t unset = SIZE_MAX;
  array.columns.assign(count, unset);
  for (const auto& [column, entry] : members) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < rank; ++d) at = at * array.shape[d] + entry.indices[d] - lo[d];
    std::size_t& place = array.columns[static_cast<std::size_t>(at)];
    if (place != unset) return std::nullopt;
    place = column;
  }
  return array;
}

/// The arrays of a run in the order of their first columns.
std::vector<Array> arraysOf(const std::vector<std::string>& columns) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::pair<std::size_t, Entry>>> groups;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Entry entry = takeApart(columns[i]);
    auto& group = groups[entry.base];
    if (group.empty()) order.push_back(entry.base);
    group.emplace_back(i, std::move(entry));
  }
  std::vector<Array> arrays;
  for (const std::string& base : order) {
    const auto& members = groups[base];
    if (auto array = box(base, members)) {
      arrays.push_back(std::move(*array));
      continue;
    }
    for (const auto& [column, entry] : members) {
      Array single;
      single.name = columns[column];
      single.columns = {column};
      arrays.push_back(std::move(single));
    }
  }
  return arrays;
}

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

  void begin(const std::vector<std::string>& columns) override { arrays_ = arraysOf(columns); }

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
  Array time_{"t", {}, {}, {}, {}};
  std::vector<Array> arrays_;
};

} // namespace

} // namespace lmc

/// The module's one entry point: an open writer, owned by the caller. Throws lmc::OutputError.
extern "C" lmc::Sink* lmc_open_npz(const char* file) {
  return new lmc::NpzWriter(file);
}
