// Names for vectors and matrices that data alone decide, by formulas that a person would not repeat.
#pragma once

#include "present/writers/Document.h"
#include "sym/Expr.h"

#include <map>
#include <set>

namespace lmc::present {

/// Names of arrays in one document: those that stages made of one name are told apart, "dL/dw'" and "dL/dw'_2".
class ArrayNames {
public:
  void reserve(const sym::Array* array) { (void)of(array); }
  const std::string& of(const sym::Array* array);

private:
  std::map<std::uint32_t, std::string> names_; ///< by numbers of arrays
  std::set<std::string> taken_;
};

/// What the readers of one document have given a name, and what it stands for.
class DataNames {
public:
  explicit DataNames(std::set<std::string> taken) : taken_(std::move(taken)) {}
  /// The name of a value, as it is said of the member `i` of families (`extent` 0: of no family).
  std::string nameOf(const TreePtr& value, std::int64_t extent);
  /// The name of the matrix whose rows are the vectors of these names.
  std::string rowsOf(const std::vector<std::string>& names);
  [[nodiscard]] bool isName(const std::string& text) const;
  /// Sums of rows times the entries of one vector as N^T v.
  [[nodiscard]] TreePtr withTransposes(const TreePtr& t) const;
  /// Definitions of the names, in order.
  [[nodiscard]] const std::vector<std::pair<std::string, std::pair<TreePtr, std::int64_t>>>& list() const {
    return list_;
  }

private:
  std::set<std::string> taken_;
  std::map<std::string, std::string> byText_;
  std::map<std::string, std::vector<std::string>> rows_; ///< of matrices
  std::vector<std::pair<std::string, std::pair<TreePtr, std::int64_t>>> list_;
};

} // namespace lmc::present
