#include "present/terms/Fold.h"

#include "base/Budget.h"
#include "present/terms/Shown.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace lmc::present {

namespace {

/// Where a factor stands in a product: parameters first, then what varies, functions, products, sums.
std::tuple<int, std::uint32_t, std::uint32_t> rank(Atom a) {
  const auto placed = [&](int k) { return std::tuple(k, a->array != nullptr ? a->array->id : 0, a->id); };
  switch (a->kind) {
  case Kind::Symbol:
    return placed(a->array == nullptr ? 0 : a->array->role == sym::Role::Param ? 1 : 2);
  case Kind::Call:
    return placed(3);
  case Kind::Form:
  case Kind::Triple:
    return placed(4);
  case Kind::Series:
    return placed(5);
  default:
    return placed(6);
  }
}

bool isConstantBasis(Atom a) {
  return a != nullptr && a->kind == Kind::Basis && a->kids[0]->kind == Kind::Sealed;
}

/// Numbers times unit vectors: of two terms, v[1] - v[2] says more than dot(v, [1, -1, 0]).
bool isOfEntries(const Poly& p) {
  return std::all_of(p.terms.begin(), p.terms.end(),
                     [](const auto& t) { return t.first.powers.empty() && isConstantBasis(t.first.core); });
}

/// The coefficient that all terms share: their common size, else the greatest common divisor of integers.
sym::Number sharedNumber(const Poly& p) {
  const sym::Number first = p.terms.begin()->second;
  bool allEqual = true, allNegative = true, integers = true;
  std::int64_t divisor = 0;
  for (const auto& [m, c] : p.terms) {
    allEqual = allEqual && (c == first || c == -first);
    allNegative = allNegative && c.negative();
    integers = integers && c.isInteger();
    if (integers) divisor = std::gcd(divisor, c.num());
  }
  sym::Number shared = 1;
  if (allEqual)
    shared = first.negative() ? -first : first;
  else if (integers && divisor > 1)
    shared = sym::Number(divisor);
  return allNegative ? -shared : shared;
}

} // namespace

std::size_t Fold::size(Atom a) const {
  if (a->kind == Kind::Symbol || a->kind == Kind::Index || a->kind == Kind::Basis) return 1;
  std::size_t n = a->kind == Kind::Series ? 3 : 1;
  for (const Atom k : a->kids) n += size(k);
  if (a->poly)
    for (const auto& [m, c] : a->poly->terms) {
      n += 1 + (m.core != nullptr ? size(m.core) : 0);
      for (const auto& [x, e] : m.powers) n += size(x);
    }
  return n;
}

std::string Fold::rangeKey(Atom s) {
  return fmt::format("{},{},{}", s->kids[1]->id, s->kids[2]->id, s->kids.size() > 4 ? s->kids[4]->id : 0);
}

TreePtr Fold::folded(Poly p) {
  spendWork(1);
  if (p.terms.empty()) return p.shape.rank == 0 ? numberTree(0) : tree(Op::Zero, {}, p.shape);
  useIdentities(t_, p);
  if (p.terms.empty()) return p.shape.rank == 0 ? numberTree(0) : tree(Op::Zero, {}, p.shape);
  if (p.terms.size() == 1) return single(p.terms.begin()->first, p.terms.begin()->second);
  const sym::Number shared = sharedNumber(p);
  Monomial common = p.terms.begin()->first;
  common.core = nullptr;
  for (const auto& [m, c] : p.terms) {
    Monomial next;
    for (const auto& [x, n] : common.powers)
      for (const auto& [y, k] : m.powers)
        if (x == y && (n > 0) == (k > 0)) next.powers.emplace_back(x, n > 0 ? std::min(n, k) : std::max(n, k));
    common = next;
  }
  if (common.powers.empty() && shared.isOne()) return matrixSum(p);
  Poly inverse, rest = Terms::zero(p.shape);
  Monomial powers = common;
  for (auto& [x, n] : powers.powers) n = -n;
  inverse.terms[powers] = sym::Number(1) / shared;
  for (const auto& [m, c] : p.terms) {
    Poly one = Terms::zero(p.shape);
    one.terms[m] = c;
    rest = t_.add(std::move(rest), t_.mul(inverse, one));
  }
  const TreePtr inside = rest.terms.size() == 1 ? folded(rest) : matrixSum(rest);
  return product(shared, common, inside);
}

/// A vector all of whose terms are along unit vectors is written with its entries.
TreePtr Fold::matrixSum(Poly& p) {
  if (p.shape.rank != 1) return grouped(p);
  std::map<std::int64_t, Poly> entries;
  for (const auto& [m, c] : p.terms) {
    if (!isConstantBasis(m.core)) return grouped(p);
    Poly scalar;
    scalar.terms[{m.powers, nullptr}] = c;
    Poly& entry = entries[*Terms::constant(*m.core->kids[0]->poly)];
    entry = t_.add(std::move(entry), scalar);
  }
  if (entries.size() < 2) return grouped(p);
  std::vector<TreePtr> kids;
  for (int i = 1; i <= p.shape.rows; ++i) kids.push_back(entries.contains(i) ? folded(entries[i]) : numberTree(0));
  return tree(Op::Vector, std::move(kids), p.shape);
}

TreePtr Fold::single(const Monomial& m, const sym::Number& c) {
  if (m.core == nullptr) return product(c, m, nullptr);
  Monomial scalars = m;
  scalars.core = nullptr;
  return product(c, scalars, atom(m.core));
}

TreePtr Fold::product(const sym::Number& c, const Monomial& scalars, const TreePtr& tensor) {
  std::vector<std::pair<Atom, int>> powers = scalars.powers;
  std::sort(powers.begin(), powers.end(), [](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); });
  std::vector<TreePtr> up, down;
  for (const auto& [x, n] : powers) {
    TreePtr base = atom(x);
    const int size = std::abs(n);
    const bool plain = size == 1 || (base->op == Op::Number && base->number.isOne());
    (n > 0 ? up : down).push_back(plain ? base : tree(Op::Pow, {base, numberTree(size)}));
  }
  return productTree(c, std::move(up), std::move(down), tensor, integer);
}

// ---- groups of terms

void Fold::handles(const Monomial& m, std::set<Handle>& found) {
  const auto inside = [&](Atom s) {
    found.insert({'r', nullptr, rangeKey(s)});
    const Atom i = t_.fresh();
    const Poly body = t_.opened(s, i);
    if (body.terms.size() != 1) return;
    std::set<Handle> below;
    Monomial b = body.terms.begin()->first;
    const bool scalarBody = b.core == nullptr;
    if (scalarBody && m.core != nullptr) return;
    handles(b, below);
    for (const Handle& h : below)
      if (h.type != 's' && h.type != 'c' && h.type != 'r' && !h.a->mentions(i)) found.insert(h);
  };
  for (const auto& [x, n] : m.powers) {
    if (n > 0 && x->kind != Kind::Series) found.insert({'s', x, {}});
    if (n != 1) continue;
    if (x->kind == Kind::Series) inside(x);
    if (m.core != nullptr) continue;
    if (x->kind == Kind::Form) {
      found.insert({'d', x->kids.front(), {}});
      found.insert({'d', x->kids.back(), {}});
    }
    if (x->kind == Kind::Triple)
      for (const Atom k : x->kids) found.insert({'d', k, {}});
  }
  if (m.core == nullptr) return;
  if (m.core->kind == Kind::Series)
    inside(m.core);
  else
    found.insert({'c', m.core, {}});
  if (m.core->kind == Kind::Cross) {
    found.insert({'x', m.core->kids[0], {}});
    found.insert({'x', m.core->kids[1], {}});
  }
  if (m.core->kind == Kind::Chain) found.insert({'m', m.core->kids[0], {}});
}

/// The term without the handle, which stands within a sum; nothing if it is not there.
std::optional<Poly> Fold::peeledInside(const Monomial& m, const sym::Number& c, const Handle& h) {
  const auto inside = [&](Atom s, const Monomial& others) -> std::optional<Poly> {
    const Atom i = t_.fresh();
    const Poly body = t_.opened(s, i);
    if (body.terms.size() != 1) return {};
    const auto rest = peeled(body.terms.begin()->first, body.terms.begin()->second, h, nullptr);
    if (!rest || Terms::mentions(t_.of(h.a), i)) return {};
    std::optional<Poly> except;
    if (s->kids.size() > 4) except = t_.open(s->kids[4]);
    Poly factor;
    factor.terms[others] = c;
    return t_.mul(factor, t_.series(i, t_.open(s->kids[1]), t_.open(s->kids[2]), except, *rest));
  };
  if (m.core != nullptr && m.core->kind == Kind::Series) return inside(m.core, {m.powers, nullptr});
  if (m.core != nullptr) return {};
  for (std::size_t k = 0; k < m.powers.size(); ++k) {
    if (m.powers[k].first->kind != Kind::Series || m.powers[k].second != 1) continue;
    Monomial others = m;
    others.powers.erase(others.powers.begin() + static_cast<std::ptrdiff_t>(k));
    if (auto rest = inside(m.powers[k].first, others)) return rest;
  }
  return {};
}

std::optional<Poly> Fold::peeled(const Monomial& m, const sym::Number& c, const Handle& h, Atom index) {
  const auto with = [&](const Monomial& scalars, const Poly& core) {
    Poly factor;
    factor.terms[scalars] = c;
    return t_.mul(factor, core);
  };
  const auto without = [&](std::size_t k) {
    Monomial others = m;
    others.powers.erase(others.powers.begin() + static_cast<std::ptrdiff_t>(k));
    return others;
  };
  const Monomial scalars{m.powers, nullptr};
  switch (h.type) {
  case 's':
    for (std::size_t k = 0; k < m.powers.size(); ++k) {
      if (m.powers[k].first != h.a || m.powers[k].second < 1) continue;
      Monomial others = m;
      if (--others.powers[k].second == 0) others = without(k);
      Poly p = Terms::zero(m.core != nullptr ? m.core->shape : sym::Shape::scalar());
      p.terms[others] = c;
      return p;
    }
    return {};
  case 'c':
    if (m.core != h.a) return {};
    return with(scalars, t_.number(1));
  case 'x':
    if (m.core != nullptr && m.core->kind == Kind::Cross && m.core->kids[0] == h.a)
      return with(scalars, t_.open(m.core->kids[1]));
    if (m.core != nullptr && m.core->kind == Kind::Cross && m.core->kids[1] == h.a)
      return t_.scaled(-1, with(scalars, t_.open(m.core->kids[0])));
    return peeledInside(m, c, h);
  case 'm':
    if (m.core != nullptr && m.core->kind == Kind::Chain && m.core->kids[0] == h.a)
      return with(scalars, t_.tail(m.core));
    return peeledInside(m, c, h);
  case 'd':
    if (m.core != nullptr) return {};
    for (std::size_t k = 0; k < m.powers.size(); ++k) {
      if (m.powers[k].second != 1) continue;
      if (const auto rest = t_.gradientOf(m.powers[k].first, h.a)) return with(without(k), *rest);
    }
    return peeledInside(m, c, h);
  default:
    break;
  }
  if (m.core != nullptr && m.core->kind == Kind::Series && rangeKey(m.core) == h.range)
    return with(scalars, t_.opened(m.core, index));
  for (std::size_t k = 0; k < m.powers.size(); ++k) {
    const auto& [x, n] = m.powers[k];
    if (x->kind != Kind::Series || n != 1 || rangeKey(x) != h.range) continue;
    const Poly body = t_.opened(x, index);
    Monomial others = without(k);
    others.core = nullptr;
    return m.core != nullptr ? t_.mul(body, with(others, t_.of(m.core))) : with(others, body);
  }
  return {};
}

/// A scalar in coordinates, by products of velocities as in books: (J + m r^2) u^2 + m r u v cos(theta).
std::optional<TreePtr> Fold::byVelocities(const Poly& p) {
  if (p.shape.rank != 0 || !t_.isVelocity) return {};
  std::map<Monomial, Poly, MonomialOrder> groups;
  for (const auto& [m, c] : p.terms) {
    Monomial key, rest;
    for (const auto& x : m.powers) {
      const Kind k = x.first->kind;
      if (k == Kind::Form || k == Kind::Triple || k == Kind::Series || k == Kind::Sealed) return {};
      (t_.isVelocity(x.first) ? key : rest).powers.push_back(x);
    }
    groups[key].terms[rest] = c;
  }
  if (groups.size() < 2) return {};
  std::vector<TreePtr> parts;
  for (auto at = groups.rbegin(); at != groups.rend(); ++at) {
    std::vector<TreePtr> velocities;
    for (const auto& [x, n] : at->first.powers)
      velocities.push_back(n == 1 ? atom(x) : tree(Op::Pow, {atom(x), numberTree(n)}));
    parts.push_back(productTree(1, std::move(velocities), {}, folded(at->second), integer));
  }
  return addTree(std::move(parts), p.shape);
}

TreePtr Fold::grouped(Poly p) {
  if (auto sorted = byVelocities(p)) return *sorted;
  std::vector<TreePtr> parts;
  std::set<Handle> no;
  while (p.terms.size() > 1) {
    std::map<Handle, std::size_t> count;
    for (const auto& [m, c] : p.terms) {
      std::set<Handle> found;
      handles(m, found);
      for (const Handle& h : found)
        if (!no.contains(h)) ++count[h];
    }
    const Handle* best = nullptr;
    std::size_t most = 0;
    for (const auto& [h, n] : count) {
      const std::size_t saved = (n - 1) * (h.type == 'r' ? 4 : (h.type == 's' || h.type == 'c' ? 1 : 2) + size(h.a));
      if (n > 1 && saved > most) {
        best = &h;
        most = saved;
      }
    }
    if (best == nullptr) break;
    const Atom index = best->type == 'r' ? t_.fresh() : nullptr;
    std::optional<Poly> rest;
    Poly others = Terms::zero(p.shape);
    Atom series = nullptr;
    for (const auto& [m, c] : p.terms) {
      const auto piece = peeled(m, c, *best, index);
      if (!piece) {
        others.terms[m] = c;
        continue;
      }
      rest = rest ? t_.add(*rest, *piece) : *piece;
      if (best->type != 'r' || series != nullptr) continue;
      if (m.core != nullptr && m.core->kind == Kind::Series && rangeKey(m.core) == best->range) series = m.core;
      for (const auto& [x, n] : m.powers)
        if (x->kind == Kind::Series && rangeKey(x) == best->range) series = x;
    }
    if (best->type == 'd' && parts.empty() && p.terms.size() == 2 && isOfEntries(*rest)) {
      no.insert(*best);
      continue;
    }
    if (!rest->isZero()) parts.push_back(combined(*best, *rest, index, series));
    p = std::move(others);
  }
  for (const auto& [m, c] : p.terms) parts.push_back(single(m, c));
  return addTree(std::move(parts), p.shape);
}

TreePtr Fold::combined(const Handle& h, const Poly& rest, Atom index, Atom series) {
  switch (h.type) {
  case 's':
    return productTree(1, {atom(h.a)}, {}, folded(rest), integer);
  case 'c': {
    return productTree(1, {folded(rest)}, {}, atom(h.a), integer);
  }
  case 'x':
    return crossTree(atom(h.a), folded(rest));
  case 'm':
    return matmulTree({atom(h.a), folded(rest)});
  case 'd':
    return dotTree(atom(h.a), folded(rest));
  default:
    break;
  }
  const std::string name = nameFor(index);
  names_.emplace_back(index, name);
  const TreePtr body = folded(rest);
  names_.pop_back();
  return seriesTree(series, name, body);
}

} // namespace lmc::present
