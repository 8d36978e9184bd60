// Tables of numbers in text files: read("file.csv").
#pragma once

#include "sema/session/Session.h"

namespace lmc::sema {

struct DataTable {
  int rows = 0;
  int columns = 0;
  std::vector<double> values; ///< row by row
};

/// Reads a table of numbers separated by commas, semicolons or blanks; empty lines, lines that start with `#`, and a
/// first line of names, without any number, are passed over. Nothing if the file is missing or not such a table
/// (reported at `where`).
[[nodiscard]] std::optional<DataTable> readData(Session& session, const std::string& file, Range where);

} // namespace lmc::sema
