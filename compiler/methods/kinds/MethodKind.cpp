// From the rows of the table of kinds to their classes, and what all of them count.
#include "methods/kinds/MethodKind.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

namespace lmc::methods {

namespace kinds {
#define LMC_METHOD_KIND(ID, ...) std::unique_ptr<MethodKind> ID(const KindContext& context, const ModelParts& parts);
#include "methods/checked/kinds.def"
#undef LMC_METHOD_KIND
} // namespace kinds

std::unique_ptr<MethodKind> makeKind(const KindContext& context, const KindOfMethod& row, const ModelParts& parts) {
#define LMC_METHOD_KIND(ID, ...)                                                                                       \
  if (row.id == #ID) return kinds::ID(context, parts);
#include "methods/checked/kinds.def"
#undef LMC_METHOD_KIND
  throw std::logic_error("a kind of methods without a class: " + row.id);
}

void countOwn(const sym::Program& program, Step& step, const std::vector<sema::Tuple>& fields) {
  const auto written = [&](const sema::ArrayTuple& roots) {
    std::unordered_set<const sym::Array*> arrays;
    for (const std::size_t k : program.slice(roots)) arrays.insert(program.equations()[k].array);
    return arrays;
  };
  sema::ArrayTuple others = step.embedded;
  others.insert(others.end(), step.embedded2.begin(), step.embedded2.end());
  const auto own = written(step.next), other = written(others);
  const auto uses = [](const sema::Tuple& f, const std::unordered_set<const sym::Array*>& arrays) {
    return std::any_of(f.begin(), f.end(), [&](sym::Expr part) {
      return sym::contains(part, [&](const sym::Node& n) { return arrays.contains(n.array); });
    });
  };
  for (const sema::Tuple& f : fields) step.ownEvaluations -= uses(f, other) && !uses(f, own) ? 1 : 0;
}

LeftMultipliers leftMultipliers(sym::Graph& g, Step& step) {
  const sym::Array* const value = std::exchange(step.multipliers, nullptr);
  if (value == nullptr) return {};
  return {value, g.newArray(value->name, value->extents, value->shape, sym::Role::State)};
}

SharedStages sharedStages(sym::Graph& g, const Tableau& tableau, std::int64_t row) {
  const auto numbers = [](const std::vector<sym::Number>& list) {
    std::vector<double> r;
    for (const sym::Number& n : list) r.push_back(n.value());
    return r;
  };
  SharedStages s;
  s.point = g.newArray("stage", {row}, sym::Shape::scalar(), sym::Role::State);
  for (const std::vector<sym::Number>& coefficients : tableau.a) s.a.push_back(numbers(coefficients));
  s.c = numbers(tableau.c);
  for (const auto* weights : {&tableau.b, &tableau.bhat, &tableau.bhat2}) {
    if (weights->empty()) continue;
    s.weights.push_back(numbers(*weights));
    s.ends.push_back(g.newArray("end", {row}, sym::Shape::scalar(), sym::Role::State));
  }
  std::vector<bool> needed(tableau.stages());
  for (std::size_t i = tableau.stages(); i-- > 0;) {
    needed[i] = needed[i] || !tableau.b[i].isZero();
    for (std::size_t j = 0; needed[i] && j < i; ++j) needed[j] = needed[j] || !tableau.a[i][j].isZero();
  }
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i]) s.own.push_back(i);
  return s;
}

} // namespace lmc::methods
