// Files of columns with names: param ref = read("drive.csv").
#pragma once

#include "sema/session/Session.h"

namespace lmc::sema {

/// A column as the file has it: a number in each row, or the numbers of a vector or a matrix side by side.
struct FileColumn {
  std::string name;                 ///< that expressions use
  std::vector<std::string> headers; ///< one for each number
  sym::Shape shape;
  std::vector<int> places; ///< in a row, from 0, by rows of the matrix
};

struct TableFile {
  std::vector<FileColumn> columns;
  std::int64_t rows = 0;
  int width = 0;              ///< numbers in a row
  std::vector<double> values; ///< row by row
  std::vector<int> lines;     ///< of each row, from 1
};

/// Reads rows of as many numbers each, separated by tabs, semicolons, commas or blanks: by the first of these that the
/// first line has. Empty lines and those that begin with # are passed over. The first line may name the columns;
/// without it they are c1, c2, …. The name of a column is its header without a unit in brackets at the end, with _ for
/// what names do not contain; x[1], x[2], x[3] are a vector x, R[1][1], … a matrix R. Everything that is not so is one
/// error, at `where`, with the line of the file; then there is no table.
[[nodiscard]] std::optional<TableFile> readTable(Session& session, const std::string& file, Range where);

} // namespace lmc::sema
