// The values of equations with fewer products (sym/Regroup.h).
#pragma once

#include "sym/Program.h"
#include "sym/Regroup.h"

#include <vector>

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
    values_ = {};
    for (const sym::Expr& v : values) values_[v.node()] = regrouping(v);
  }

  /// What a value has become; any other expression is what it is.
  [[nodiscard]] sym::Expr operator()(sym::Expr e) const {
    const sym::Expr* const found = values_.find(e.node());
    return found == nullptr ? e : *found;
  }

  /// The values of these equations.
  [[nodiscard]] std::vector<sym::Expr> values(const sym::Program& program,
                                              const std::vector<std::size_t>& equations) const {
    std::vector<sym::Expr> values;
    values.reserve(equations.size());
    for (const std::size_t k : equations) values.push_back((*this)(program.equations()[k].value));
    return values;
  }

private:
  sym::NodeTable<sym::Expr> values_;
};

} // namespace lmc::lower
