// Reads numpy archives (.npz): a zip file of .npy arrays, stored or deflated.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace lmc::acceptance {

/// One float64 array in C order.
struct Array {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// The arrays of an archive by name (without ".npy"). Throws std::runtime_error where the file breaks the formats:
/// the central directory, sizes and checksums are verified.
[[nodiscard]] std::map<std::string, Array> readNpz(const std::string& bytes);

} // namespace lmc::acceptance
