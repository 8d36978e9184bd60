// Atoms as a person writes them.
#include "present/terms/Fold.h"
#include "present/terms/Shown.h"

#include <algorithm>

namespace lmc::present {

namespace {
std::uint32_t placeOf(Atom a) {
  if (a->array == nullptr) return Order::parameter;
  const bool fixed = a->array->role == sym::Role::Param;
  return (fixed ? Order::parameter : Order::state) + std::min<std::uint32_t>(a->array->id, 900'000);
}
} // namespace

std::string Fold::nameFor(Atom /*index*/) {
  for (const char* name : {"j", "k", "n", "r", "s", "j1", "k1", "n1", "r1", "s1"}) {
    if (taken_.contains(name)) continue;
    const auto used = [&](const auto& p) { return p.second == name; };
    if (std::none_of(names_.begin(), names_.end(), used)) return name;
  }
  return "j2";
}

TreePtr Fold::seriesTree(Atom s, const std::string& name, const TreePtr& body) {
  std::vector<TreePtr> range{indexTree(t_.open(s->kids[1])), indexTree(t_.open(s->kids[2]))};
  if (s->kids.size() > 4) range.push_back(indexTree(t_.open(s->kids[4])));
  return sumTree(name, std::move(range), body);
}

/// An integer of indices and constants.
TreePtr Fold::indexTree(const Poly& p) {
  if (const auto c = Terms::constant(p)) return integer ? integer(*c) : numberTree(*c);
  TreePtr t = folded(p);
  if (t->op != Op::Add) return t;
  std::vector<TreePtr> kids = t->kids; // i + 1, not 1 + i
  std::stable_partition(kids.begin(), kids.end(),
                        [](const TreePtr& k) { return (k->op == Op::Neg ? k->kids[0] : k)->op != Op::Number; });
  return tree(Op::Add, std::move(kids), {});
}

TreePtr Fold::chainTree(const std::vector<Atom>& list) {
  std::vector<TreePtr> kids;
  kids.reserve(list.size());
  for (const Atom a : list) kids.push_back(atom(a));
  const std::size_t n = list.size();
  if (n > 1 && isQuarterTurn(list[n - 2]) && list[n - 1]->kind == Kind::Symbol) { // [-v2, v1]
    const auto entry = [v = kids[n - 1]](std::int64_t k) { return tree(Op::Entry, {v, numberTree(k)}); };
    kids.resize(n - 2);
    kids.push_back(tree(Op::Vector, {negTree(entry(2)), entry(1)}, sym::Shape::vec(2)));
  }
  return kids.size() == 1 ? kids[0] : matmulTree(std::move(kids));
}

/// u^T M1 … Mk v as the inner product of two vectors, with as few transposes as can be.
TreePtr Fold::formTree(Atom a) {
  const Atom u = a->kids.front(), v = a->kids.back();
  const std::vector<Atom> list(a->kids.begin() + 1, a->kids.end() - 1);
  if (list.empty() && (u->kind == Kind::Basis) != (v->kind == Kind::Basis)) {
    const Atom unit = u->kind == Kind::Basis ? u : v, other = u->kind == Kind::Basis ? v : u;
    if (other->kind == Kind::Symbol) return tree(Op::Entry, {atom(other), indexTree(t_.open(unit->kids[0]))});
  }
  if (list.size() == 1 && u->kind == Kind::Basis && v->kind == Kind::Basis && list[0]->kind == Kind::Symbol)
    return tree(Op::Entry, {atom(list[0]), indexTree(t_.open(u->kids[0])), indexTree(t_.open(v->kids[0]))});
  std::size_t best = 0, fewest = 1000;
  for (std::size_t split = 0; split <= list.size(); ++split) {
    std::size_t transposes = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Poly m = k < split ? t_.transpose(t_.of(list[k])) : t_.of(list[k]);
      transposes += m.terms.begin()->first.core->kind == Kind::Transpose ? 1 : 0;
    }
    const bool isSquare = u == v && 2 * split == list.size(); // (A v) . (A v)
    if (transposes < fewest || (transposes == fewest && isSquare)) {
      fewest = transposes;
      best = split;
    }
  }
  sym::Number sign = 1;
  std::vector<Atom> left, right(list.begin() + static_cast<std::ptrdiff_t>(best), list.end());
  for (std::size_t k = best; k-- > 0;) {
    const Poly m = t_.transpose(t_.of(list[k]));
    sign = sign * m.terms.begin()->second;
    left.push_back(m.terms.begin()->first.core);
  }
  left.push_back(u);
  right.push_back(v);
  const TreePtr inner = dotTree(chainTree(left), chainTree(right));
  return sign.negative() ? negTree(inner) : inner;
}

TreePtr Fold::atom(Atom a) {
  const auto kid = [&](std::size_t k) { return folded(t_.open(a->kids[k])); };
  const auto all = [&] {
    std::vector<TreePtr> kids;
    for (std::size_t k = 0; k < a->kids.size(); ++k) kids.push_back(kid(k));
    return kids;
  };
  switch (a->kind) {
  case Kind::Index: {
    const auto it = std::find_if(names_.begin(), names_.end(), [&](const auto& p) { return p.first == a; });
    return tree(Op::Name, {}, {}, it != names_.end() ? it->second : a->name);
  }
  case Kind::Symbol: {
    std::vector<TreePtr> kids;
    for (const Atom k : a->kids) kids.push_back(indexTree(t_.open(k)));
    return ordered(placeOf(a), tree(Op::Name, std::move(kids), a->shape, a->name));
  }
  case Kind::Basis:
    return tree(Op::Basis, {indexTree(t_.open(a->kids[0]))}, a->shape);
  case Kind::Identity:
    return tree(Op::Identity, {}, a->shape);
  case Kind::Transpose:
    return tree(Op::Transpose, all(), a->shape);
  case Kind::Inverse:
    return tree(Op::Inverse, all(), a->shape);
  case Kind::Hat:
    return tree(Op::Hat, all(), a->shape);
  case Kind::Outer:
    return tree(Op::Outer, all(), a->shape);
  case Kind::Chain:
    return chainTree(a->kids);
  case Kind::Cross:
    return crossTree(kid(0), kid(1));
  case Kind::Form:
    return ordered(Order::product, formTree(a));
  case Kind::Triple:
    return ordered(Order::product, dotTree(kid(0), crossTree(kid(1), kid(2))));
  case Kind::Call: {
    if (a->name == "dot") return ordered(Order::function, dotTree(kid(0), kid(1)));
    std::vector<TreePtr> kids = all();
    if (a->name.starts_with("curve ")) {
      kids.insert(kids.begin(), tree(Op::Name, {}, {}, a->name.substr(6)));
      return ordered(Order::function, tree(Op::Call, std::move(kids), a->shape, "curve"));
    }
    if (a->name == "sqrt" && kids[0]->op == Op::Number && kids[0]->number.isOne()) return kids[0]; // by an identity
    return ordered(Order::function, tree(Op::Call, std::move(kids), a->shape, a->name));
  }
  case Kind::Series: {
    const Atom i = t_.fresh();
    const std::string name = nameFor(i);
    names_.emplace_back(i, name);
    const TreePtr body = folded(t_.opened(a, i));
    names_.pop_back();
    return seriesTree(a, name, body);
  }
  case Kind::Select:
    return tree(Op::If, all(), a->shape);
  case Kind::Matrix:
    return tree(Op::Matrix, all(), a->shape);
  default: {
    const TreePtr t = folded(*a->poly);
    return t->op == Op::Add && t->order >= Order::parameters ? ordered(Order::sum, t) : t;
  }
  }
}

} // namespace lmc::present
