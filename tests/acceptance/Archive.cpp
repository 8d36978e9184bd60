#include "acceptance/Archive.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <zlib.h>

namespace lmc::acceptance {

namespace {

[[noreturn]] void fail(const std::string& reason) {
  throw std::runtime_error("npz: " + reason);
}

void expect(bool holds, const char* reason) {
  if (!holds) fail(reason);
}

/// A little-endian number of n bytes.
std::uint64_t number(const std::string& bytes, std::size_t at, std::size_t n) {
  expect(at + n <= bytes.size(), "cut short");
  std::uint64_t value = 0;
  for (std::size_t i = n; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string inflateRaw(const std::string& packed, std::size_t size) {
  std::string plain(size, '\0');
  z_stream stream{};
  expect(::inflateInit2(&stream, -MAX_WBITS) == Z_OK, "zlib");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  const int result = ::inflate(&stream, Z_FINISH);
  const bool whole = result == Z_STREAM_END && stream.total_out == size;
  ::inflateEnd(&stream);
  expect(whole, "bad deflate data");
  return plain;
}

struct Entry {
  std::string name;
  std::uint64_t method, crc, packedSize, size, offset;
  std::size_t next; ///< place of the following directory entry
};

/// One entry of the central directory at `at`.
Entry directoryEntry(const std::string& bytes, std::size_t at) {
  expect(number(bytes, at, 4) == 0x02014b50, "bad directory entry");
  Entry e{};
  e.method = number(bytes, at + 10, 2);
  e.crc = number(bytes, at + 16, 4);
  e.packedSize = number(bytes, at + 20, 4);
  e.size = number(bytes, at + 24, 4);
  const std::size_t name = number(bytes, at + 28, 2), extra = number(bytes, at + 30, 2);
  e.offset = number(bytes, at + 42, 4);
  e.name = bytes.substr(at + 46, name);
  e.next = at + 46 + name + extra + number(bytes, at + 32, 2);
  // Zip64: sizes that do not fit stand in extra field 1, in this order.
  std::size_t field = at + 46 + name;
  const std::size_t end = field + extra;
  while (field + 4 <= end) {
    const std::size_t id = number(bytes, field, 2), length = number(bytes, field + 2, 2);
    std::size_t value = field + 4;
    if (id == 1) {
      for (std::uint64_t* wide : {&e.size, &e.packedSize, &e.offset}) {
        if (*wide != 0xffffffff) continue;
        *wide = number(bytes, value, 8);
        value += 8;
      }
    }
    field += 4 + length;
  }
  return e;
}

std::string contents(const std::string& bytes, const Entry& e) {
  expect(number(bytes, e.offset, 4) == 0x04034b50, "bad local header");
  const std::size_t name = number(bytes, e.offset + 26, 2), extra = number(bytes, e.offset + 28, 2);
  expect(bytes.substr(e.offset + 30, name) == e.name, "names differ");
  const std::size_t data = e.offset + 30 + name + extra;
  expect(data + e.packedSize <= bytes.size(), "data cut short");
  const std::string packed = bytes.substr(data, e.packedSize);
  expect(e.method == 0 || e.method == 8, "unknown compression");
  std::string plain = e.method == 0 ? packed : inflateRaw(packed, e.size);
  expect(plain.size() == e.size, "wrong size");
  const uLong crc = ::crc32(0, reinterpret_cast<const Bytef*>(plain.data()), static_cast<uInt>(plain.size()));
  expect(crc == e.crc, "wrong checksum");
  return plain;
}

/// The dictionary value after `key`: in a .npy header.
std::string headerValue(const std::string& header, const std::string& key) {
  const std::size_t at = header.find("'" + key + "'");
  expect(at != std::string::npos, "header without a key");
  const std::size_t from = header.find_first_not_of(" ", header.find(':', at) + 1);
  const std::size_t to = header[from] == '(' ? header.find(')', from) + 1 : header.find_first_of(",}", from);
  return header.substr(from, to - from);
}

Array parseNpy(const std::string& bytes) {
  expect(bytes.size() >= 10 && bytes.compare(0, 6, "\x93NUMPY") == 0, "not an npy array");
  const bool first = bytes[6] == 1;
  const std::size_t start = first ? 10 : 12, length = number(bytes, 8, first ? 2 : 4);
  expect((start + length) % 64 == 0, "header not aligned");
  const std::string header = bytes.substr(start, length);
  expect(header.back() == '\n', "header not ended");
  expect(headerValue(header, "descr") == "'<f8'", "not little-endian float64");
  expect(headerValue(header, "fortran_order") == "False", "not in C order");
  Array array;
  std::size_t count = 1;
  const std::string shape = headerValue(header, "shape");
  for (std::size_t i = 0; i < shape.size();) {
    if (shape[i] < '0' || shape[i] > '9') {
      ++i;
      continue;
    }
    std::size_t used = 0;
    array.shape.push_back(std::stoul(shape.substr(i), &used));
    count *= array.shape.back();
    i += used;
  }
  expect(bytes.size() == start + length + 8 * count, "wrong number of values");
  array.values.resize(count);
  if (count > 0) std::memcpy(array.values.data(), bytes.data() + start + length, 8 * count);
  return array;
}

} // namespace

std::map<std::string, Array> readNpz(const std::string& bytes) {
  const std::size_t end = bytes.rfind("PK\x05\x06");
  expect(end != std::string::npos, "no end of directory");
  std::uint64_t entries = number(bytes, end + 10, 2), at = number(bytes, end + 16, 4);
  if (end >= 20 && number(bytes, end - 20, 4) == 0x07064b50) { // zip64
    const std::size_t wide = number(bytes, end - 12, 8);
    expect(number(bytes, wide, 4) == 0x06064b50, "bad zip64 directory");
    entries = number(bytes, wide + 32, 8);
    at = number(bytes, wide + 48, 8);
  }
  std::map<std::string, Array> arrays;
  for (std::uint64_t i = 0; i < entries; ++i) {
    const Entry e = directoryEntry(bytes, at);
    expect(e.name.size() > 4 && e.name.ends_with(".npy"), "an entry that is no array");
    expect(arrays.emplace(e.name.substr(0, e.name.size() - 4), parseNpy(contents(bytes, e))).second, "a name twice");
    at = e.next;
  }
  return arrays;
}

} // namespace lmc::acceptance
