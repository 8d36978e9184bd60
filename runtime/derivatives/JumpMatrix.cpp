#include "runtime/derivatives/JumpMatrix.h"

namespace lmc::runtime {

JumpColumns columnsOf(const LinearizedProblem& problem) {
  return {at(problem.coordinates), at(problem.inputs), at(problem.parameters)};
}

JumpMatrix identityOf(const JumpColumns& columns) {
  JumpMatrix m{columns.state, std::vector<double>(columns.state * columns.count(), 0.0)};
  for (std::size_t i = 0; i < columns.state; ++i) m.column(i)[i] = 1;
  return m;
}

JumpMatrix chained(const JumpMatrix& after, const JumpMatrix& before, const JumpColumns& columns) {
  JumpMatrix m{after.rows, std::vector<double>(after.rows * columns.count(), 0.0)};
  for (std::size_t j = 0; j < columns.count(); ++j) {
    const std::span<double> to = m.column(j);
    for (std::size_t k = 0; k < columns.state; ++k) {
      const double c = before.column(j)[k];
      const std::span<const double> own = after.column(k);
      for (std::size_t i = 0; i < to.size() && c != 0; ++i) to[i] += c * own[i];
    }
    if (j < columns.state) continue;
    const std::span<const double> direct = after.column(j);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += direct[i];
  }
  return m;
}

UnitDirection::UnitDirection(const JumpColumns& columns, std::size_t column)
    : state(columns.state, 0.0), inputs(columns.inputs, 0.0), parameters(columns.parameters, 0.0) {
  if (column < columns.state)
    state[column] = 1;
  else if (column < columns.state + columns.inputs)
    inputs[column - columns.state] = 1;
  else if (column < columns.time())
    parameters[column - columns.state - columns.inputs] = 1;
  else
    time = 1;
}

} // namespace lmc::runtime
