// The plain reading of a program: its equations one after the other, loops as they are written, functions by their
// definitions, in long double. Nothing of lowering, of tapes and of kernels is used, neither their order of operations
// nor their shortcuts: it is what they are held against.
#pragma once

#include "sym/Program.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lmc::checks {

class PlainValues {
public:
  /// The program must outlive it.
  explicit PlainValues(const sym::Program& program);
  ~PlainValues();
  PlainValues(const PlainValues&) = delete;
  PlainValues& operator=(const PlainValues&) = delete;

  /// The numbers of an array that no equation defines: member after member, of each its entries by rows.
  void set(const sym::Array* array, std::span<const double> numbers);
  /// The numbers of arrays, one array after the other. Nothing where the equations read more than was set, contain an
  /// iteration or a linear system of more than some hundred unknowns, or would take long.
  [[nodiscard]] std::optional<std::vector<double>> of(const std::vector<const sym::Array*>& arrays);

private:
  class Reading;
  std::unique_ptr<Reading> reading_;
};

} // namespace lmc::checks
