// How the columns of a run make arrays, for writers of formats that have arrays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lmc {

/// A variable or observable: `w[1]`, `w[2]`, `w[3]` are `w` of shape (3); a family `q[1][1]` … is one array too.
struct OutputArray {
  std::string name;
  std::vector<std::int64_t> shape;  ///< of one sample
  std::vector<std::size_t> columns; ///< of the run, in the order of the array's entries
};

/// The arrays of a run in the order of their first columns. Columns whose indices do not fill a box stay single.
[[nodiscard]] std::vector<OutputArray> arraysOf(const std::vector<std::string>& columns);

} // namespace lmc
