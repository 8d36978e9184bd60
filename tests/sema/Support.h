// Checking texts in memory.
#pragma once

#include "sema/Compilation.h"
#include "sema/Evaluate.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lmc::test {

/// A compilation of a text, with its model if it has no errors.
struct Checked {
  std::unique_ptr<sema::Compilation> compilation;
  std::unique_ptr<sema::Model> model;

  /// "LIE0100 4:16-19" of each error, in order.
  [[nodiscard]] std::vector<std::string> errors() const;
  [[nodiscard]] std::vector<std::string> codes() const;
  /// All diagnostics as they are shown.
  [[nodiscard]] std::string text() const;
};

struct Inputs {
  std::vector<sema::Override> set;
  std::map<std::string, std::string> files; ///< what imports and read("…") find, by path
  std::vector<std::pair<std::string, std::string>> simulate;
};

[[nodiscard]] Checked check(const std::string& text, const Inputs& inputs = {});
[[nodiscard]] Checked checkFile(const std::string& path, const Inputs& inputs = {});

/// Contents of the Param, Random, Data arrays as a run sets them: parameters by their default values, random numbers
/// as 0.5, times as 0.
void setParameters(const sema::Model& model, Evaluate& values);
/// The same, and every State array by its initial value.
void setInitials(const sema::Model& model, Evaluate& values);

/// The value of an expression in a model of one particle x in R^3 with velocity v (at x = [1,2,3], v = [4,5,6]),
/// parameters m = 2, A = a 3 x 3 matrix, k : int = 2, and a family c[3] = [10, 20, 30]. Empty after an error.
[[nodiscard]] Numbers evaluateText(const std::string& expression, std::string* errors = nullptr);

/// The names of an observable's array, and of a factor's.
[[nodiscard]] const sym::Array* observable(const sema::Model& model, const std::string& name);

} // namespace lmc::test
