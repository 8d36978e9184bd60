// How the columns of a run make arrays, for writers of formats that have arrays.
#pragma once

#include "runtime/fields/Field.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lmc::runtime {

/// A variable or observable: entries 1, 2, 3 of `w` are `w` of shape (3); a family is one array too.
struct OutputArray {
  std::string name;
  std::vector<std::int64_t> shape;  ///< of one sample
  std::vector<std::size_t> columns; ///< of the run, in the order of the array's entries
};

/// The arrays of a run in the order of their first columns. Entries of a field whose indices do not fill a box stay
/// single.
[[nodiscard]] std::vector<OutputArray> arraysOf(const std::vector<Entry>& columns);

} // namespace lmc::runtime
