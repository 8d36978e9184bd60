// Fields: numbers that belong together under one name, and the entries that they have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lmc {

/// One number of a field. What makes arrays, selects or compares reads `field` and `index`; `name` is for readers.
struct Entry {
  std::string field;               ///< the name of the whole: "R", "X.w", "energy"
  std::vector<std::int64_t> index; ///< one per extent of the field; none: the field is one number

  /// As a CSV header and messages have it: "energy", "w[3]", "R[1][2]". Nothing reads it back.
  [[nodiscard]] std::string name() const;
};

/// A variable, a parameter, an observable: numbers by rows, the last index fastest.
struct Field {
  std::string name;
  std::vector<std::int64_t> extents; ///< members of a family, then rows and columns; none: one number
  std::vector<std::int64_t> first;   ///< the first index per extent, 1 where absent

  [[nodiscard]] std::int64_t count() const;
  /// All of them, in the order of memory.
  [[nodiscard]] std::vector<Entry> entries() const;
};

/// Names of entries, for readers.
[[nodiscard]] std::vector<std::string> namesOf(const std::vector<Entry>& entries);

} // namespace lmc
