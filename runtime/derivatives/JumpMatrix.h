// First-order maps between tangent spaces with everything that they depend on: by coordinates, inputs, parameters and
// the time, in columns.
#pragma once

#include "runtime/derivatives/LinearizedWorkspace.h"

#include <vector>

namespace lmc::runtime {

/// How the columns of such a map stand: coordinates of the state first, then inputs, parameters, and the time.
struct JumpColumns {
  std::size_t state = 0, inputs = 0, parameters = 0;
  [[nodiscard]] std::size_t time() const { return state + inputs + parameters; }
  [[nodiscard]] std::size_t count() const { return time() + 1; }
};

[[nodiscard]] JumpColumns columnsOf(const LinearizedProblem& problem);

/// Rows by columns, the columns one after the other.
struct JumpMatrix {
  std::size_t rows = 0;
  std::vector<double> entries;

  [[nodiscard]] std::span<double> column(std::size_t j) { return {entries.data() + j * rows, rows}; }
  [[nodiscard]] std::span<const double> column(std::size_t j) const { return {entries.data() + j * rows, rows}; }
};

/// The identity on coordinates, zero by all else.
[[nodiscard]] JumpMatrix identityOf(const JumpColumns& columns);
/// `after` behind `before`: both depend on the same inputs, parameters and time.
[[nodiscard]] JumpMatrix chained(const JumpMatrix& after, const JumpMatrix& before, const JumpColumns& columns);

/// The direction that belongs to a column, for LinearizedWorkspace.
struct UnitDirection {
  UnitDirection(const JumpColumns& columns, std::size_t column);
  std::vector<double> state, inputs, parameters;
  double time = 0;
};

} // namespace lmc::runtime
