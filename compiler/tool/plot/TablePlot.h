// Plots of files that runs have written: `lmc plot`.
#pragma once

#include "runtime/input/Input.h"
#include "tool/plot/Figure.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc::tool {

/// The rows of a file that a user names; says what of it was left out. Throws UsageError where it cannot be read or has
/// no rows.
[[nodiscard]] runtime::InputTable readRows(const std::string& file);

/// A file, and what it is called in legends.
struct NamedTable {
  std::string name;
  runtime::InputTable table;
};

/// What is plotted of files.
struct TablePlot {
  /// Names of columns and of fields (all of their columns), a list for each panel; none: the change of the energy, then
  /// the fields behind it, which are what is observed, or all.
  std::vector<std::vector<std::string>> panels;
  std::optional<std::string> x; ///< a column; nothing: `t`, or the first column
  std::optional<std::string> y; ///< a column: then each column of the panels is a surface over x and y
  bool logX = false, logY = false;
  bool norm = false;                     ///< the Euclidean norm of the columns of a panel, instead of each
  bool change = false;                   ///< differences from the first row
  const NamedTable* reference = nullptr; ///< norms of differences from the rows of the same x in this one
  std::string title;
};

/// The figure of one file or of several over one another. Throws UsageError for names that no column or field has, and
/// where no row belongs to one of the reference.
[[nodiscard]] Figure figureOf(const TablePlot& plot, const std::vector<NamedTable>& tables);

} // namespace lmc::tool
