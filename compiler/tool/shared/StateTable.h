// A table of states, as a run writes it and `lmc derive --at` reads it.
#pragma once

#include "diagnostics/Diagnostics.h"

#include <string>
#include <vector>

namespace lmc::products {
class Pipeline;
}

namespace lmc::tool {

/// Rows of numbers under the columns that were asked for.
struct StateTable {
  std::vector<double> values; ///< by rows
  std::size_t columns = 0;
  std::size_t rows = 0;
  [[nodiscard]] const double* row(std::size_t i) const { return values.data() + i * columns; }
};

/// Reads the columns `names`, in that order, from the text of a CSV file; other columns are ignored. What is wrong is
/// reported with the line of the file `name`; the table is then incomplete. `finite`: nan and inf are wrong too.
[[nodiscard]] StateTable readStates(const std::string& name, const std::string& text,
                                    const std::vector<std::string>& names, Sources& sources, Diagnostics& diagnostics,
                                    bool finite = false);

/// Moves states of a table that are rounded onto their manifolds. Warns of those that are off: values at them mean
/// little. Methods that leave the manifold write such states, so it is no error. `offsets`: where the columns behind t
/// stand in the state; empty: in their order.
void settleStates(const std::string& name, products::Pipeline& pipeline, const std::vector<double>& params,
                  const std::vector<std::int64_t>& offsets, StateTable& states);

} // namespace lmc::tool
