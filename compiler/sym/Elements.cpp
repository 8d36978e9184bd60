#include "sym/Elements.h"

namespace lmc::sym {

namespace {

bool isIntConstant(Expr e) {
  return e->isConst() && e->type == Type::Int;
}

} // namespace

Expr Elements::operator()(Expr e) {
  return written(e);
}

Expr Elements::written(Expr root) {
  bool given = true;
  visitPostOrder({root}, [&](const Node& n) {
    if (!given || memo_.contains(&n)) return;
    if (++visited_ > limit_) {
      given = false;
      return;
    }
    std::vector<Expr> args;
    args.reserve(n.args.size());
    for (const Expr& a : n.args) args.push_back(*memo_.find(a.node()));
    Expr r = args == n.args ? Expr(&n) : g_.rebuild(n, args);
    if (const Expr other = leaf_(r)) {
      r = other;
    } else if (r->op == Op::Load && r->array->role == Role::Temp) {
      r = element(r->array, r->args);
    }
    given = static_cast<bool>(r);
    memo_[&n] = r;
  });
  return given ? *memo_.find(root.node()) : Expr();
}

Expr Elements::element(const Array* array, const std::vector<Expr>& index) {
  std::vector<std::int64_t> place;
  for (const Expr& i : index) {
    if (!isIntConstant(i)) return {};
    place.push_back(constantInt(i));
  }
  const auto key = std::pair{array, place};
  if (const auto known = elements_.find(key); known != elements_.end()) return known->second;
  std::vector<Expr> terms;
  for (const std::size_t k : p_.writers(array)) {
    const Equation e = p_.equations()[k]; // a copy: writing out may append nothing, but references are not promised
    if (e.kind != EquationKind::Set && e.kind != EquationKind::Accumulate) return {};
    std::vector<std::pair<const Node*, Expr>> at;
    if (!collect(e, array, place, 0, at, terms)) return {};
  }
  return elements_[key] = g_.sum(terms, array->shape);
}

/// Adds the values that an equation gives the element, over its loops from `loop` on; false if that cannot be told.
bool Elements::collect(const Equation& e, const Array* array, const std::vector<std::int64_t>& index, std::size_t loop,
                       std::vector<std::pair<const Node*, Expr>>& at, std::vector<Expr>& terms) {
  if (++visited_ > limit_) return false;
  if (loop < e.loops.size()) {
    const Loop& l = e.loops[loop];
    const Expr lo = substituted(l.lo, at);
    const Expr hi = substituted(l.hi, at);
    if (!isIntConstant(lo) || !isIntConstant(hi)) return false;
    std::int64_t first = constantInt(lo);
    std::int64_t last = constantInt(hi);
    for (std::size_t k = 0; k < index.size(); ++k) { // the loop that is the index itself has one turn
      if (e.index[k] != l.index) continue;
      if (index[k] < first || index[k] > last) return true;
      first = last = index[k];
    }
    for (std::int64_t i = first; i <= last; ++i) {
      at.emplace_back(l.index.node(), g_.integer(i));
      const bool good = collect(e, array, index, loop + 1, at, terms);
      at.pop_back();
      if (!good) return false;
    }
    return true;
  }
  for (std::size_t k = 0; k < index.size(); ++k) {
    const Expr i = substituted(e.index[k], at);
    if (!isIntConstant(i)) return false;
    if (constantInt(i) != index[k]) return true;
  }
  if (e.guard) {
    const Expr guard = substituted(e.guard, at);
    if (!guard->isConst()) return false;
    if (guard == g_.boolean(false)) return true;
  }
  const Expr value = written(substituted(e.value, at));
  if (value) terms.push_back(value);
  return static_cast<bool>(value);
}

Expr Elements::substituted(Expr e, const std::vector<std::pair<const Node*, Expr>>& at) {
  if (at.empty()) return e;
  Substitution s(g_, [&](const Node& n, const std::vector<Expr>&) {
    for (const auto& [node, value] : at) {
      if (node == &n) return value;
    }
    return Expr();
  });
  return s(e);
}

} // namespace lmc::sym
