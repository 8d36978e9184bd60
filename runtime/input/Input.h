// Files of samples, read again: for plots and pages of runs that were made before.
#pragma once

#include "runtime/fields/Field.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lmc::runtime {

/// A file that cannot be read, with the reason; `what()` is a sentence for the user.
class InputError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One number of each row of a file.
struct InputColumn {
  Entry entry; ///< indices from 1
  std::vector<double> values;
};

/// The rows of a file.
struct InputTable {
  std::vector<InputColumn> columns; ///< all of one length, in the order in which they were written
  /// Names and texts of the files that the run was made from, where the format keeps them.
  std::vector<std::pair<std::string, std::string>> sources;
  std::string leftOut; ///< what of the file is not among the rows, and why: a sentence for the user; empty: nothing

  [[nodiscard]] std::size_t rows() const { return columns.empty() ? 0 : columns.front().values.size(); }
  /// The column of a name: that of a field of one number, or "w[3]"; null: there is none.
  [[nodiscard]] const InputColumn* find(const std::string& name) const;
  /// The columns of a field.
  [[nodiscard]] std::vector<const InputColumn*> field(const std::string& name) const;
  /// All fields, in the order of their first columns.
  [[nodiscard]] std::vector<std::string> fields() const;
};

/// Appends the columns of an array whose first axis are the rows; `shape` is that of one row, `values` are by rows.
void addArray(InputTable& table, const std::string& name, const std::vector<std::int64_t>& shape,
              std::span<const double> values);

/// A format of files that are read. Everything about one stands in one file, formats/NAME.cpp, which defines
/// `nameInputFormat`. A reader whose library would cost every start of the tool is a module, liblmc_read_NAME.so: that
/// part of the file stands within `#ifdef LMC_INPUT_MODULE` and defines `extern "C" void lmc_read_input(const char*
/// file, lmc::InputTable* table)`, which fills the table or throws InputError.
struct InputFormat {
  const char* name;                   ///< of its file, in small letters
  int place;                          ///< in lists, from 0
  std::array<const char*, 2> endings; ///< of files, in small letters with the dot; one or two
  void (*read)(const std::filesystem::path& file, InputTable& table) = nullptr; ///< null: in the module
};

/// All formats, in the order of their places. CMake makes it.
[[nodiscard]] std::span<const InputFormat* const> inputFormats();

/// By the ending of a file's name, in any case; null: there is none.
[[nodiscard]] const InputFormat* inputFormat(const std::filesystem::path& file);

/// The endings of all formats in a sentence: inputEndings(", ", " or ").
[[nodiscard]] std::string inputEndings(const std::string& comma, const std::string& last);

/// Reads a file by the ending of its name. Throws InputError.
[[nodiscard]] InputTable readInput(const std::filesystem::path& file);

} // namespace lmc::runtime
