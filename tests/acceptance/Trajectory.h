// A trajectory file as it was written: names of columns and numbers.
#pragma once

#include "acceptance/Tool.h"
#include "reference/Layout.h"

#include <optional>

namespace lmc::acceptance {

struct Trajectory {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;

  /// Index of a column; −1 if there is none.
  [[nodiscard]] int find(const std::string& column) const;
  /// One number; fails the test and gives NaN if the column or row is missing.
  [[nodiscard]] double at(std::size_t row, const std::string& column) const;
  [[nodiscard]] double last(const std::string& column) const { return at(rows.size() - 1, column); }
  /// Several columns of one row, as a vector.
  [[nodiscard]] reference::Vector<double> pick(std::size_t row, const std::vector<std::string>& names) const;
  /// The state of a model in its own layout.
  [[nodiscard]] reference::Vector<double> state(const reference::Layout& layout, std::size_t row) const;
  [[nodiscard]] reference::Vector<double> lastState(const reference::Layout& layout) const {
    return state(layout, rows.size() - 1);
  }
};

/// Reads a CSV file strictly: equal numbers of fields, every field a number from beginning to end. Fails the test and
/// gives nothing otherwise.
[[nodiscard]] std::optional<Trajectory> parseCsv(const std::string& text);

/// Writes states as a file for `lmc derive --at`: `t` and the layout's columns.
[[nodiscard]] std::string statesCsv(const reference::Layout& layout, const std::vector<double>& times,
                                    const std::vector<reference::Vector<double>>& states);

/// `lmc run FILE ARGS… --output out.csv --quiet`, which must succeed. An empty trajectory on failure, so that a test
/// stops at `ASSERT_FALSE(trajectory.rows.empty())`.
[[nodiscard]] Trajectory runModel(const Workspace& workspace, const std::string& file, const Arguments& arguments);

} // namespace lmc::acceptance
