// Archives of NumPy: zip files with an array of format `.npy` (1.0 to 3.0) in each member. Arrays of numbers whose
// first axis are the samples are columns; others do not belong to the run and are passed over.
#include "runtime/input/Input.h"

namespace lmc::runtime {

extern const InputFormat npzInputFormat = {
    .name = "npz",
    .place = 1,
    .endings = {".npz"},
};

} // namespace lmc::runtime

#ifdef LMC_INPUT_MODULE

#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <zip.h>

namespace lmc::runtime {

namespace {

struct Array {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// What stands behind a key of the header, a Python dictionary: up to the next comma outside of parentheses.
std::string_view valueOf(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size());
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(": ")));
  if (rest.starts_with('(')) return rest.substr(1, rest.find(')') - 1);
  return rest.substr(0, rest.find_first_of(",}"));
}

template <typename T> void convert(std::string_view bytes, std::vector<double>& values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    T x;
    std::memcpy(&x, bytes.data() + k * sizeof(T), sizeof(T));
    values[k] = static_cast<double>(x);
  }
}

/// Nothing: not an array of numbers by rows.
std::optional<Array> readArray(std::string name, std::string_view bytes) {
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) return std::nullopt;
  const auto byte = [&](std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[k])); };
  const bool first = byte(6) == 1;
  const std::size_t begin = first ? 10 : 12;
  const std::size_t length = first ? byte(8) + 256 * byte(9) : byte(8) + 256 * (byte(9) + 256 * byte(10));
  if (bytes.size() < begin + length) return std::nullopt;
  const std::string_view header = bytes.substr(begin, length), data = bytes.substr(begin + length);
  Array array{std::move(name), {}, {}};
  std::size_t count = 1;
  std::string_view shape = valueOf(header, "'shape'");
  while (!shape.empty()) {
    shape.remove_prefix(std::min(shape.size(), shape.find_first_of("0123456789")));
    std::int64_t extent = 0;
    const auto [stop, failure] = std::from_chars(shape.data(), shape.data() + shape.size(), extent);
    if (failure != std::errc()) break;
    shape.remove_prefix(static_cast<std::size_t>(stop - shape.data()));
    array.shape.push_back(extent);
    count *= static_cast<std::size_t>(extent);
  }
  if (valueOf(header, "'fortran_order'") == "True" && array.shape.size() > 1) return std::nullopt;
  const std::string_view type = valueOf(header, "'descr'");
  const std::size_t size = type.ends_with("4'") ? 4 : 8;
  if (array.shape.empty() || count > data.size() / size) return std::nullopt;
  array.values.resize(count);
  if (type == "'<f8'")
    convert<double>(data, array.values);
  else if (type == "'<f4'")
    convert<float>(data, array.values);
  else if (type == "'<i8'")
    convert<std::int64_t>(data, array.values);
  else if (type == "'<i4'")
    convert<std::int32_t>(data, array.values);
  else
    return std::nullopt;
  return array;
}

void readNpz(const char* file, InputTable& table) {
  int status = 0;
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open(file, ZIP_RDONLY, &status), zip_discard);
  if (archive == nullptr) throw InputError(std::string("`") + file + "` is no archive of NumPy");
  std::vector<Array> arrays;
  const zip_int64_t members = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t k = 0; k < members; ++k) {
    zip_stat_t about;
    zip_stat_init(&about);
    if (zip_stat_index(archive.get(), static_cast<zip_uint64_t>(k), 0, &about) != 0 ||
        (about.valid & ZIP_STAT_SIZE) == 0)
      continue;
    std::string name = about.name;
    if (!name.ends_with(".npy")) continue;
    name.resize(name.size() - 4);
    std::string bytes(about.size, '\0');
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> member(
        zip_fopen_index(archive.get(), static_cast<zip_uint64_t>(k), 0), zip_fclose);
    if (member == nullptr ||
        zip_fread(member.get(), bytes.data(), bytes.size()) != static_cast<zip_int64_t>(bytes.size()))
      throw InputError(std::string("`") + file + "` is damaged: its member `" + name + "` cannot be read");
    if (auto array = readArray(std::move(name), bytes)) arrays.push_back(std::move(*array));
  }
  if (arrays.empty()) throw InputError(std::string("`") + file + "` holds no array of numbers");
  const std::int64_t rows = arrays.front().shape.front();
  for (const Array& a : arrays)
    if (a.shape.front() == rows) addArray(table, a.name, {a.shape.begin() + 1, a.shape.end()}, a.values);
}

} // namespace

} // namespace lmc::runtime

extern "C" void lmc_read_input(const char* file, lmc::runtime::InputTable* table) {
  lmc::runtime::readNpz(file, *table);
}

#endif
