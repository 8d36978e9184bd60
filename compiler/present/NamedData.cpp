// Vectors and matrices that data alone decide: names for them, and products with all of them at once.
#include "present/Reader.h"

#include <algorithm>

namespace lmc::present {

using sym::Array;
using sym::Expr;
using sym::Node;

void Reader::nameData(DataNames& names, std::function<TreePtr(const Poly&)> show) {
  names_ = &names;
  show_ = std::move(show);
}

/// Whether it is to be named: made of data alone, by a condition or a root.
bool Reader::isData(const Node& top) {
  sym::visitPostOrder({Expr(&top)}, [&](const Node& n) {
    auto [it, isNew] = data_.try_emplace(&n, true, n.op == sym::Op::Select || n.op == sym::Op::Sqrt);
    if (!isNew) return;
    auto& [made, formula] = it->second;
    if (n.op == sym::Op::Load) made = n.array->role == sym::Role::Param || fixed_.contains(n.array);
    if (n.op == sym::Op::Load && inputOf_.contains(n.array)) made = false;
    for (const Expr& a : n.args) {
      const auto& below = data_.at(a.node());
      made = made && below.first;
      formula = formula || below.second;
    }
  });
  const auto& [made, formula] = data_.at(&top);
  return made && formula;
}

/// Of members of families with one index the same name with that index.
std::optional<Poly> Reader::named(const Poly& value) {
  std::set<Atom> at; // indices of members
  std::int64_t extent = 0;
  bool plain = true;
  Search search([&](Atom a) {
    if (a->kind == Kind::Symbol && a->array != nullptr && !a->kids.empty()) {
      at.insert(a->kids[0]);
      plain = plain && a->kids.size() == 1 && (extent == 0 || extent == a->array->extents[0]);
      extent = a->array->extents[0];
    }
    plain = plain && a->kind != Kind::Series && (a->kind != Kind::Symbol || a->array != nullptr || a->kids.empty());
    return false;
  });
  for (const auto& [m, c] : value.terms) (void)search.in(m);
  if (!plain || at.size() > 1) return {};
  const Atom i = t_.index("i");
  const Poly said = at.empty() ? value : t_.withIndex(value, *at.begin(), i);
  const TreePtr tree = show_(said);
  if (costOf(tree) < 5) return {};
  std::vector<Atom> kids(at.begin(), at.end());
  return t_.of(t_.symbol(nullptr, names_->nameOf(tree, extent), value.shape, std::move(kids)));
}

namespace {

/// The h with g . v = u . h, of a vector v that is linear in u; nothing where that is not seen.
std::optional<Poly> pulled(Terms& t, Atom v, const Poly& g, Atom u) {
  if (v == u) return g;
  if (v->kind == Kind::Chain) {
    Poly h = g;
    for (std::size_t n = 0; n + 1 < v->kids.size(); ++n) h = t.matmul(t.transpose(t.of(v->kids[n])), h);
    return pulled(t, v->kids.back(), h, u);
  }
  if (v->kind == Kind::Sealed) {
    Poly sum = Terms::zero(u->shape);
    for (const auto& [m, c] : v->poly->terms) {
      Poly factor;
      factor.terms[{m.powers, nullptr}] = c;
      const auto h = m.core != nullptr ? pulled(t, m.core, t.mul(factor, g), u) : std::nullopt;
      if (!h) return {};
      sum = t.add(std::move(sum), *h);
    }
    return sum;
  }
  if (v->kind != Kind::Cross) return {};
  Search has([u](Atom a) { return a == u; });
  const Atom a = v->kids[0], b = v->kids[1]; // g . (a x b)
  return has.in(b) ? pulled(t, b, t.cross(g, t.open(a)), u) : pulled(t, a, t.cross(t.open(b), g), u);
}

std::optional<Poly> gradientBy(Terms& t, const Poly& p, Atom u);

/// The vector g of a factor f = u . g; nothing where f is not seen to be linear in u.
std::optional<Poly> gradientBy(Terms& t, Atom f, Atom u) {
  if (f->kind == Kind::Sealed) return gradientBy(t, *f->poly, u);
  if (f->kind == Kind::Triple)
    for (std::size_t k = 0; k < 3; ++k)
      if (auto g = pulled(t, f->kids[k], t.cross(t.open(f->kids[(k + 1) % 3]), t.open(f->kids[(k + 2) % 3])), u))
        return g;
  if (f->kind != Kind::Form) return {};
  Poly front = t.open(f->kids.front()), back = t.open(f->kids.back());
  for (std::size_t k = f->kids.size() - 1; k-- > 1;) back = t.matmul(t.of(f->kids[k]), back);
  if (auto g = pulled(t, f->kids.front(), back, u)) return g;
  for (std::size_t k = 1; k + 1 < f->kids.size(); ++k) front = t.matmul(t.transpose(t.of(f->kids[k])), front);
  return pulled(t, f->kids.back(), front, u);
}

/// The vector g of a scalar p = u . g, linear in u.
std::optional<Poly> gradientBy(Terms& t, const Poly& p, Atom u) {
  Poly g = Terms::zero(u->shape);
  for (const auto& [m, c] : p.terms) {
    bool found = false;
    for (std::size_t k = 0; k < m.powers.size() && !found; ++k) {
      const auto own = m.powers[k].second == 1 ? gradientBy(t, m.powers[k].first, u) : std::nullopt;
      if (!own) continue;
      Monomial others = m;
      others.powers.erase(others.powers.begin() + static_cast<std::ptrdiff_t>(k));
      Poly factor;
      factor.terms[others] = c;
      g = t.add(std::move(g), t.mul(factor, *own));
      found = true;
    }
    if (!found) return {};
  }
  return g;
}

} // namespace

/// [n . g, b . g] for named vectors n, b as N g, with them as the rows of N.
std::optional<Poly> Reader::byRows(const std::vector<Poly>& entries) {
  if (names_ == nullptr || names_->list().empty() || entries.size() < 2) return {};
  const auto named = [&](const Poly& p) {
    std::set<Atom> found;
    Search search([&](Atom a) {
      if (a->kind == Kind::Symbol && a->array == nullptr && a->shape.rank == 1 && names_->isName(a->name))
        found.insert(a);
      return false;
    });
    for (const auto& [m, c] : p.terms) (void)search.in(m);
    return found;
  };
  for (const Atom x : named(entries[0])) {
    const auto g = gradientBy(t_, entries[0], x);
    if (!g) continue;
    std::vector<std::string> rows{x->name};
    for (std::size_t k = 1; k < entries.size(); ++k)
      for (const Atom y : named(entries[k])) {
        if (rows.size() > k || y->kids != x->kids || y->shape != x->shape) continue;
        const auto own = gradientBy(t_, entries[k], y);
        if (own && t_.sub(*own, *g).isZero()) rows.push_back(y->name);
      }
    if (rows.size() != entries.size()) continue;
    const sym::Shape shape = sym::Shape::mat(static_cast<int>(rows.size()), x->shape.rows);
    const Poly matrix = t_.of(t_.symbol(nullptr, names_->rowsOf(rows), shape, x->kids));
    return t_.matmul(matrix, *g);
  }
  return {};
}

} // namespace lmc::present
