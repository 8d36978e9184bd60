// A table of numbers that a parameter holds: `param ref = read("drive.csv")`.
#pragma once

#include "sym/Expr.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lmc::sema {

/// One column: a number, a vector or a matrix in each row.
struct TableColumn {
  std::string name;                  ///< by which expressions read it: "force", of `ref.force`
  std::vector<std::string> headers;  ///< as the file has them; several of a vector or a matrix
  const sym::Array* array = nullptr; ///< role Param, one element per row
  std::vector<double> numbers;       ///< of the file; only of columns of numbers, which may be nodes
};

/// The columns of a file. The first one is what the others are over, unless a call says otherwise.
struct Table {
  std::string name; ///< of the parameter
  std::string file; ///< as written
  std::int64_t rows = 0;
  std::vector<TableColumn> columns;
  std::vector<int> lines; ///< of the file, of each row
  bool secret = false;    ///< of a model that is not trusted: messages do not show what the file holds
};

} // namespace lmc::sema
