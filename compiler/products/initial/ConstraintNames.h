// Names of single equations of a model's constraints, for messages.
#pragma once

#include "products/stages/Stages.h"

#include <fmt/format.h>

namespace lmc::products {

struct ConstraintNames {
  const sema::Model& m_;
  const mechanics::ConstraintEquations& c_;

  /// The constraint that a row belongs to.
  [[nodiscard]] std::size_t constraintOf(std::int64_t row) const {
    std::size_t found = 0;
    for (std::size_t k = 0; k < m_.constraints.size(); ++k) {
      const std::int64_t first = c_.firstRow[k];
      if (row >= first && row < first + m_.constraints[k].array->size()) found = k;
    }
    return found;
  }

  /// "rod[3]"; "pin[2]" of an entry of a vector; "hinge[3].along[2]" of a joint.
  [[nodiscard]] std::string nameOf(std::int64_t row) const {
    const std::size_t k = constraintOf(row);
    const sema::Constraint& c = m_.constraints[k];
    const runtime::Entry entry = unit::fieldOf(c.name, *c.array, c.first).entry(row - c_.firstRow[k]);
    if (c.joint.empty()) return entry.name();
    const auto components = entry.index.begin() + static_cast<std::ptrdiff_t>(c.array->extents.size());
    const runtime::Entry member{c.joint, {entry.index.begin(), components}};
    return member.name() + "." + runtime::Entry{c.part, {components, entry.index.end()}}.name();
  }

  /// Components of velocities along isotropies.
  [[nodiscard]] std::int64_t isotropies() const {
    std::int64_t n = 0;
    for (const sema::Factor& f : m_.factors) {
      const auto dimension = f.manifold->dimension();
      if (dimension) n += (f.manifold->algebraSize() - *dimension) * std::max<std::int64_t>(f.extent, 1);
    }
    return n;
  }

  template <class Index> [[nodiscard]] std::string namesOf(const std::vector<Index>& rows) const {
    constexpr std::size_t most = 8;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < rows.size() && k < most; ++k) names.push_back("`" + nameOf(rows[k]) + "`");
    return fmt::format("{}{}", fmt::join(names, ", "), rows.size() > most ? ", …" : "");
  }
};

/// Values as an initial statement has them; `numbers` tells where those of an array stand.
template <class Numbers>
[[nodiscard]] std::string shownValues(const sema::ArrayTuple& arrays, const std::vector<sema::Part>& named,
                                      const Numbers& numbers) {
  std::vector<std::string> parts;
  for (const sym::Array* a : arrays) {
    const double* x = numbers(a);
    const auto list = [&](int first, int count) {
      std::vector<std::string> texts;
      for (int k = first; k < first + count; ++k) texts.push_back(fmt::format("{:.15g}", x[k] == 0 ? 0.0 : x[k]));
      return fmt::format("[{}]", fmt::join(texts, ", "));
    };
    std::string text = fmt::format("{:.15g}", x[0]);
    if (a->shape.rank == 1) text = list(0, a->shape.rows);
    if (a->shape.rank == 2) {
      std::vector<std::string> rows;
      rows.reserve(a->shape.rows);
      for (int r = 0; r < a->shape.rows; ++r) rows.push_back(list(r * a->shape.cols, a->shape.cols));
      text = fmt::format("[{}]", fmt::join(rows, ", "));
    }
    parts.push_back(arrays.size() == 1 ? text : named[parts.size()].name + " = " + text);
  }
  return arrays.size() == 1 ? parts[0] : fmt::format("({})", fmt::join(parts, ", "));
}

} // namespace lmc::products
