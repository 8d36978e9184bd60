// The values of equations with fewer products (sym/Regroup.h).
#pragma once

#include "sym/Program.h"
#include "sym/Regroup.h"

#include <unordered_map>

namespace lmc::lower {

class RegroupedValues {
public:
  /// Of these equations, together.
  void make(const sym::Program& program, const std::vector<std::size_t>& equations) {
    std::vector<sym::Expr> values;
    for (const std::size_t k : equations)
      for (const sym::Expr& v : {program.equations()[k].value, program.equations()[k].positive})
        if (v) values.push_back(v);
    sym::Regrouping regrouping(values);
    values_.clear();
    for (const sym::Expr& v : values) values_[v.node()] = regrouping(v);
  }

  /// What a value has become; any other expression is what it is.
  [[nodiscard]] sym::Expr operator()(sym::Expr e) const {
    const auto found = values_.find(e.node());
    return found == values_.end() ? e : found->second;
  }

private:
  std::unordered_map<const sym::Node*, sym::Expr> values_;
};

} // namespace lmc::lower
