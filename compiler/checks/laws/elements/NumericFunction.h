// A symbolic map with numbers: what the laws of manifolds are tested with. Nothing is compiled.
#pragma once

#include "lower/Calculator.h"
#include "sema/values/Manifold.h"
#include "sym/Program.h"

#include <Eigen/Core>

namespace lmc::laws {

/// A point, an algebra element or any tuple of tensors as numbers: entries part by part, matrices by rows.
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Arrays = std::vector<const sym::Array*>;

class NumericFunction {
public:
  /// The map from the contents of `arguments` (one tuple of arrays each) to the entries of `value`.
  NumericFunction(sym::Program& program, const std::vector<Arrays>& arguments, const sema::Tuple& value);

  /// One vector per argument. Not numbers where the map cannot be evaluated (a singular matrix).
  [[nodiscard]] Vector operator()(const std::vector<Vector>& arguments);

private:
  static tape::Module lowered(sym::Program& program, const std::vector<Arrays>& arguments, const sema::Tuple& value,
                              Eigen::Index& size);
  Eigen::Index size_ = 0;
  lower::Calculator calculator_;
};

} // namespace lmc::laws
