#include "mechanics/constraints/Flat.h"

#include <algorithm>

namespace lmc::mechanics {

using sym::Expr;

std::optional<Expr> Flat::operator()(Expr e) {
  good_ = true;
  const Expr flat = written(e);
  if (!good_) return std::nullopt;
  return flat;
}

bool Flat::depends(const sym::Array* a) {
  if (leaves_.contains(a)) return true;
  const auto found = depends_.find(a);
  if (found != depends_.end()) return found->second;
  depends_[a] = false; // one that reads itself depends through others
  bool any = false;
  for (const std::size_t k : p_.writers(a))
    for (const sym::Array* r : p_.reads(k)) any = any || depends(r);
  return depends_[a] = any;
}

Expr Flat::written(Expr e) {
  sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>& index) -> Expr {
    if (n.op != sym::Op::Load || leaves_.contains(n.array) || !depends(n.array)) return {};
    return definition(n.array, index);
  });
  return substitution(e);
}

Expr Flat::definition(const sym::Array* a, const std::vector<Expr>& index) {
  if (!good_ || --left_ < 0) {
    good_ = false;
    return g_.zero(a->shape);
  }
  Expr all;
  const std::vector<std::size_t>& writers = p_.writers(a);
  const bool sum = std::any_of(writers.begin(), writers.end(),
                               [this](std::size_t k) { return p_.equation(k).kind == sym::EquationKind::Accumulate; });
  if (sum) return sumOf(writers, a, index);
  for (std::size_t k = writers.size(); k > 0 && good_; --k) { // the last one has no condition
    Expr where;
    const Expr value = valueAt(p_.equation(writers[k - 1]), index, where);
    if (!good_) break;
    all = !all || !where ? value : g_.select(where, value, all);
  }
  return good_ && all ? all : g_.zero(a->shape);
}

/// What equations set an element to, and what others add to it.
Expr Flat::sumOf(const std::vector<std::size_t>& writers, const sym::Array* a, const std::vector<Expr>& index) {
  Expr all = g_.zero(a->shape);
  for (const std::size_t k : writers) {
    Expr where;
    const Expr value = valueAt(p_.equation(k), index, where);
    if (!good_) break;
    const bool adds = p_.equation(k).kind == sym::EquationKind::Accumulate;
    const Expr otherwise = adds ? g_.zero(a->shape) : all;
    const Expr own = where ? g_.select(where, value, otherwise) : value;
    all = adds ? g_.add(all, own) : own;
  }
  return all;
}

/// What an equation sets an element to, or adds to it, and for which elements.
Expr Flat::valueAt(const sym::Equation& e, const std::vector<Expr>& index, Expr& where) {
  const auto refuse = [&] {
    good_ = false;
    return Expr();
  };
  if (e.index.size() != index.size()) return refuse();
  if (e.kind != sym::EquationKind::Set && e.kind != sym::EquationKind::Accumulate) return refuse();
  if (e.guard && e.kind == sym::EquationKind::Set) return refuse();
  std::unordered_map<const sym::Node*, Expr> at;
  const auto require = [&](Expr condition) { where = where ? g_.logic(sym::Op::And, where, condition) : condition; };
  std::vector<std::pair<const sym::Loop*, Expr>> ranges;
  for (std::size_t d = 0; d < index.size(); ++d) {
    Expr own = e.index[d], back = index[d]; // the member k where array[own] is set, for own = k or k + number
    if (own->op == sym::Op::Add && own->args.size() == 2 && (own->args[0]->isConst() || own->args[1]->isConst())) {
      const std::size_t number = own->args[0]->isConst() ? 0 : 1;
      back = g_.sub(back, own->args[number]);
      own = own->args[1 - number];
    }
    if (own->isConst()) {
      require(g_.compare(sym::Op::Eq, index[d], own));
      continue;
    }
    const auto loop = std::find_if(e.loops.begin(), e.loops.end(), [&](const sym::Loop& l) { return l.index == own; });
    if (loop == e.loops.end() || at.contains(own.node())) return refuse();
    at[own.node()] = back;
    const bool known = loop->lo->isConst() && loop->hi->isConst();
    const std::int64_t extent = e.array->extents[d];
    if (known && back == index[d] && sym::constantInt(loop->lo) == 1 && sym::constantInt(loop->hi) == extent) continue;
    ranges.emplace_back(&*loop, back);
  }
  if (at.size() != e.loops.size()) return refuse(); // a sum
  sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
    if (n.op != sym::Op::Index) return {};
    const auto found = at.find(&n);
    return found == at.end() ? Expr() : found->second;
  });
  for (const auto& [loop, back] : ranges) // which may hang on the other indices
    require(g_.logic(sym::Op::And, g_.compare(sym::Op::Le, substitution(loop->lo), back),
                     g_.compare(sym::Op::Le, back, substitution(loop->hi))));
  if (e.guard) require(written(substitution(e.guard)));
  return written(substitution(e.value));
}

} // namespace lmc::mechanics
