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
  for (const sema::ArrayTuple* more : {&step.embedded2, &step.turnBefore})
    others.insert(others.end(), more->begin(), more->end());
  const auto own = written(step.next), other = written(others);
  const auto uses = [](const sema::Tuple& f, const std::unordered_set<const sym::Array*>& arrays) {
    return std::any_of(f.begin(), f.end(), [&](sym::Expr part) {
      return sym::contains(part, [&](const sym::Node& n) { return arrays.contains(n.array); });
    });
  };
  for (const sema::Tuple& f : fields) step.ownEvaluations -= uses(f, other) && !uses(f, own) ? 1 : 0;
}

LastStage lastStage(sym::Program& program, const Space& space, const sema::Tuple& difference,
                    const sema::Tuple& added) {
  sym::Graph& g = program.graph();
  LastStage last;
  last.difference = store(program, space, difference, "difference");
  for (const sym::Array* a : last.difference)
    last.given.push_back(g.newArray(a->name, a->extents, a->shape, sym::Role::State));
  last.change = store(program, space, sema::add(g, load(g, space, last.given), added), "change");
  return last;
}

namespace {
/// The array itself, or the one that it is a copy of.
const sym::Array* original(const sym::Program& program, const sym::Array* a) {
  while (a->role == sym::Role::Temp && program.writers(a).size() == 1) {
    const sym::Equation& e = program.equation(program.writers(a).front());
    if (e.kind != sym::EquationKind::Set || !e.value || e.value->op != sym::Op::Load) break;
    a = e.value->array;
  }
  return a;
}
} // namespace

std::optional<sema::ArrayTuple> ownArrays(const sym::Program& program, const sema::Tuple& f) {
  sema::ArrayTuple arrays;
  for (const sym::Expr& part : f) {
    if (part->op != sym::Op::Load) return std::nullopt;
    if (original(program, part->array)->role == sym::Role::State) continue;
    if (std::find(arrays.begin(), arrays.end(), part->array) == arrays.end()) arrays.push_back(part->array);
  }
  return arrays;
}

LeftMultipliers leftMultipliers(sym::Graph& g, Step& step) {
  const sym::Array* const value = std::exchange(step.multipliers, nullptr);
  if (value == nullptr) return {};
  return {value, g.newArray(value->name, value->extents, value->shape, sym::Role::State)};
}

ListsOfWeights weightsOf(const Tableau& tableau) {
  ListsOfWeights lists;
  for (const auto* weights : {&tableau.b, &tableau.bhat, &tableau.bhat2, &tableau.before, &tableau.edges})
    if (!weights->empty()) lists.push_back(weights);
  return lists;
}

SharedStages sharedStages(sym::Graph& g, const Tableau& tableau, const ListsOfWeights& lists, std::int64_t row) {
  const auto numbers = [](const std::vector<sym::Number>& list) {
    std::vector<double> r;
    for (const sym::Number& n : list) r.push_back(n.value());
    return r;
  };
  SharedStages s;
  s.point = g.newArray("stage", {row}, sym::Shape::scalar(), sym::Role::State);
  for (const std::vector<sym::Number>& coefficients : tableau.a) s.a.push_back(numbers(coefficients));
  s.c = numbers(tableau.c);
  for (const std::vector<sym::Number>* weights : lists) {
    s.weights.push_back(numbers(*weights));
    s.ends.push_back(g.newArray("end", {row}, sym::Shape::scalar(), sym::Role::State));
  }
  if (tableau.endsWithNext()) s.left = g.newArray("left", {row}, sym::Shape::scalar(), sym::Role::State);
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
