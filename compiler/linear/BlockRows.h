// Matrices that are given by blocks between nodes, each a list of unknowns side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lmc::linear {

/// Calls visit(row, column, number) for all numbers of all blocks. Of each node `nodes` has two numbers, the first is
/// how many unknowns it has; of each block `blocks` has the nodes of its rows and of its columns, from 0; `values` has
/// the numbers of the blocks one after the other, row by row.
template <class Visit>
void eachOfBlocks(const double* nodes, std::int64_t nodeCount, const double* blocks, std::int64_t blockCount,
                  const double* values, Visit visit) {
  std::vector<std::int64_t> first(static_cast<std::size_t>(nodeCount) + 1, 0);
  for (std::int64_t k = 0; k < nodeCount; ++k)
    first[static_cast<std::size_t>(k) + 1] =
        first[static_cast<std::size_t>(k)] + static_cast<std::int64_t>(nodes[2 * k]);
  for (std::int64_t b = 0; b < blockCount; ++b) {
    const auto row = static_cast<std::size_t>(blocks[2 * b]), column = static_cast<std::size_t>(blocks[2 * b + 1]);
    for (std::int64_t i = first[row]; i < first[row + 1]; ++i)
      for (std::int64_t j = first[column]; j < first[column + 1]; ++j) visit(i, j, *values++);
  }
}

} // namespace lmc::linear
