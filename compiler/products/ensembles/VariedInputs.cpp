// Inputs that differ between samples: what their laws are as numbers.
#include "products/ensembles/Variations.h"
#include "sema/values/Tuples.h"

#include <algorithm>

namespace lmc::products {

namespace {

/// The indices of member number `k` of a family, from 1.
std::vector<std::int64_t> memberIndex(const std::vector<std::int64_t>& extents, std::int64_t k) {
  std::vector<std::int64_t> index(extents.size());
  for (std::size_t d = extents.size(); d-- > 0; k /= extents[d]) index[d] = k % extents[d] + 1;
  return index;
}

/// The law of one member as this equation gives it; nothing if the equation is not one of that member.
sym::Expr lawOf(sym::Graph& g, const sym::Equation& e, const sema::Parameter& value, const sym::Array& given,
                const std::vector<std::int64_t>& member) {
  std::map<const sym::Node*, std::int64_t> loops;
  for (std::size_t d = 0; d < e.index.size(); ++d)
    if (e.index[d]->op == sym::Op::Index) loops[e.index[d].node()] = member[d];
  sym::Substitution at(g, [&](const sym::Node& n, const std::vector<sym::Expr>&) {
    if (n.op == sym::Op::Index && loops.contains(&n)) return g.integer(loops.at(&n));
    if (n.op == sym::Op::Load && n.array == &given) return g.integer(0);
    if (n.op == sym::Op::Load && n.array == value.array) return g.zero(value.array->shape);
    return sym::Expr();
  });
  for (std::size_t d = 0; d < e.index.size(); ++d)
    if (at(e.index[d]) != g.integer(member[d])) return {};
  if (e.guard) {
    const sym::Expr guard = at(e.guard);
    if (!guard->isConst() || guard->isZero()) return {};
  }
  return at(e.value);
}

} // namespace

std::optional<std::vector<double>> constantLaw(const sema::Model& model, const sema::Parameter& value) {
  const sym::Program& p = model.program;
  sym::Graph& g = p.graph();
  const auto reads = [&](const sym::Node& n) { return n.op == sym::Op::Load && n.array == value.array; };
  const auto first = std::find_if(p.equations().begin(), p.equations().end(), [&](const sym::Equation& e) {
    return e.kind == sym::EquationKind::Set && e.value && sym::contains(e.value, reads);
  });
  if (first == p.equations().end()) return std::nullopt;
  const sym::Array& given = *model.parameters[value.other].array;
  std::vector<double> numbers;
  const std::int64_t members = value.array->size() / value.array->shape.size();
  for (std::int64_t m = 0; m < members; ++m) {
    const std::vector<std::int64_t> index = memberIndex(value.array->extents, m);
    sym::Expr law;
    for (const std::size_t k : p.writers(first->array))
      if (!law) law = lawOf(g, p.equations()[k], value, given, index);
    if (!law) return std::nullopt;
    for (const sym::Expr& x : sema::entries(g, {law})) {
      if (!x->isConst()) return std::nullopt;
      numbers.push_back(x->number.value());
    }
  }
  return numbers;
}

} // namespace lmc::products
