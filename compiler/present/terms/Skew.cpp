// Skew matrices by their coordinates, and sums over all coordinates as what they are the coordinates of.
//
// Groups whose algebra is that of the skew matrices of size n have a basis of matrices e_j e_i^T - e_i e_j^T, one for
// each plane. A(w) and its transpose <A(w), S> = w . axial(S) are written entry by entry in a declaration; here they
// become one thing again: what all terms of a sum over coordinates say together is said once, `recombined`.
#include "present/terms/Terms.h"

#include <algorithm>
#include <set>

namespace lmc::present {

namespace {
/// Longer sums are left as they are: each term is tried with each of its factors.
constexpr std::size_t mostTerms = 600;
} // namespace

void Terms::knowPlanes(int n, const Planes& planes) {
  planes_.try_emplace(n, planes);
}

const Planes* Terms::planesOfSize(int n) const {
  const auto it = planes_.find(n);
  return it == planes_.end() ? nullptr : &it->second;
}

int Terms::sizeOfAlgebra(int dimension) const {
  for (const auto& [n, planes] : planes_)
    if (static_cast<int>(planes.size()) == dimension) return n;
  return 0;
}

Poly Terms::hat(const Poly& a) {
  const int n = sizeOfAlgebra(a.shape.rows);
  const sym::Shape shape = sym::Shape::mat(n, n);
  return linear(a, shape, [&](Atom x) {
    if (x->kind == Kind::Call && x->name == "axial") { // w with A(w) = S - S^T
      const Poly s = of(x->kids[0]);
      return sub(s, transpose(s));
    }
    return of(make(Kind::Hat, shape, {x}));
  });
}

/// The vector with entries S_ji - S_ij for the planes (j, i): of 3 x 3 (S32 - S23, S13 - S31, S21 - S12).
Poly Terms::unhat(const Poly& a) {
  const Planes* planes = planesOfSize(a.shape.rows);
  const sym::Shape shape = sym::Shape::vec(static_cast<int>(planes->size()));
  return linear(a, shape, [&](Atom x) -> Poly {
    switch (x->kind) {
    case Kind::Hat:
      return scaled(2, open(x->kids[0]));
    case Kind::Identity:
      return zero(shape);
    case Kind::Outer:
      if (a.shape.rows == 3 && crosses) return cross(of(x->kids[1]), of(x->kids[0]));
      if (x->kids[0] == x->kids[1]) return zero(shape);
      if (x->kids[1]->id < x->kids[0]->id) return scaled(-1, unhat(outer(of(x->kids[1]), of(x->kids[0]))));
      break;
    case Kind::Transpose:
      return scaled(-1, unhat(of(x->kids[0])));
    case Kind::Chain: { // of S and S^T the one that comes first
      const Poly t = transpose(of(x));
      if (t.terms.size() != 1 || !t.terms.begin()->first.powers.empty()) break;
      const auto& [m, c] = *t.terms.begin();
      if (m.core == x && c.isOne()) return zero(shape);
      if (m.core->kind == Kind::Chain && m.core->id < x->id) return scaled(-1, scaled(c, unhat(of(m.core))));
      break;
    }
    default:
      break;
    }
    if (traitsOf(x).symmetric) return zero(shape);
    return of(make(Kind::Call, shape, {x}, "axial"));
  });
}

Poly Terms::unit(int n, int i) {
  return basis(n, number(i));
}

namespace {

/// i of e_i; 0 of anything else.
int unitIndex(Atom a) {
  if (a == nullptr || a->kind != Kind::Basis || a->kids[0]->kind != Kind::Sealed) return 0;
  const auto c = Terms::constant(*a->kids[0]->poly);
  return c ? static_cast<int>(*c) : 0;
}

/// The monomial without one power of each of these factors.
Monomial without(const Monomial& m, const std::vector<Atom>& factors) {
  Monomial rest{m.powers, nullptr};
  for (const Atom f : factors)
    for (auto& [x, n] : rest.powers) n -= x == f ? 1 : 0;
  std::erase_if(rest.powers, [](const auto& p) { return p.second == 0; });
  return rest;
}

} // namespace

/// Where a unit vector stands in a product, linearly: the product with another vector in its place.
std::vector<Terms::Slot> Terms::slots(const Monomial& m) {
  std::vector<Slot> found;
  const auto put = [&](Atom unit, Atom factor, std::function<Poly(const Poly&)> f) {
    if (unitIndex(unit) > 0) found.push_back({unit, factor, std::move(f)});
  };
  if (const Atom c = m.core; c != nullptr) {
    switch (c->kind) {
    case Kind::Basis:
      put(c, nullptr, [](const Poly& v) { return v; });
      break;
    case Kind::Outer:
      put(c->kids[0], nullptr, [this, c](const Poly& v) { return outer(v, open(c->kids[1])); });
      put(c->kids[1], nullptr, [this, c](const Poly& v) { return outer(open(c->kids[0]), v); });
      break;
    case Kind::Cross:
      put(c->kids[0], nullptr, [this, c](const Poly& v) { return cross(v, open(c->kids[1])); });
      put(c->kids[1], nullptr, [this, c](const Poly& v) { return cross(open(c->kids[0]), v); });
      break;
    case Kind::Chain:
      put(c->kids.back(), nullptr, [this, c](const Poly& v) {
        Poly p = v;
        for (std::size_t k = c->kids.size() - 1; k-- > 0;) p = matmul(of(c->kids[k]), p);
        return p;
      });
      break;
    default:
      break;
    }
  }
  for (const auto& [y, n] : m.powers) {
    if (n < 1 || y->kind != Kind::Form) continue;
    for (const Atom end : {y->kids.front(), y->kids.back()}) {
      if (unitIndex(end) == 0) continue;
      const auto g = gradientOf(y, end);
      const Poly core = m.core != nullptr ? of(m.core) : number(1);
      put(end, y, [this, g = *g, core](const Poly& v) { return mul(dot(v, g), core); });
    }
  }
  return found;
}

namespace {
/// The last of a product that ends in a unit vector.
Atom lastUnit(Atom a) {
  if (a->kind == Kind::Chain) a = a->kids.back();
  return unitIndex(a) > 0 ? a : nullptr;
}
} // namespace

/// A of A e_i.
Poly Terms::beforeLast(Atom a) {
  if (a->kind != Kind::Chain) return identity(a->shape.rows);
  return chain({a->kids.begin(), a->kids.end() - 1});
}

/// sum over i of A e_i (B e_i)^T = A B^T, as it stands or within axial; u^T M u of unit vectors is the trace of M.
void Terms::contractions(const Monomial& m, const Offer& offer) {
  if (const Atom c = m.core; c != nullptr) {
    const bool isAxial = c->kind == Kind::Call && c->name == "axial";
    const Atom o = isAxial ? c->kids[0] : c;
    if (o->kind != Kind::Outer) return;
    const Atom u = lastUnit(o->kids[0]), v = lastUnit(o->kids[1]);
    if (u == nullptr || u != v) return;
    const Poly a = beforeLast(o->kids[0]), b = beforeLast(o->kids[1]);
    Poly whole = zero(o->shape);
    for (int i = 1; i <= u->shape.rows; ++i) {
      const Poly e = unit(u->shape.rows, i);
      whole = add(std::move(whole), outer(matmul(a, e), matmul(b, e)));
    }
    const Poly said = matmul(a, transpose(b));
    offer({m.powers, nullptr}, isAxial ? unhat(whole) : whole, isAxial ? unhat(said) : said);
    return;
  }
  for (const auto& [x, n] : m.powers) {
    if (n != 1 || x->kind != Kind::Form || x->kids.size() < 3) continue;
    if (unitIndex(x->kids.front()) == 0 || x->kids.front() != x->kids.back()) continue;
    const Poly inner = chain({x->kids.begin() + 1, x->kids.end() - 1});
    Poly whole = zero(sym::Shape::scalar());
    const int size = x->kids.front()->shape.rows;
    for (int i = 1; i <= size; ++i) whole = add(std::move(whole), dot(unit(size, i), matmul(inner, unit(size, i))));
    offer(without(m, {x}), whole, trace(inner));
  }
}

/// Linear, of a product the same for all cyclic orders and for the transpose.
Poly Terms::trace(const Poly& a) {
  return linear(a, sym::Shape::scalar(), [this](Atom x) -> Poly {
    switch (x->kind) {
    case Kind::Identity:
      return number(x->shape.rows);
    case Kind::Hat:
      return zero(sym::Shape::scalar());
    case Kind::Outer:
      return dot(of(x->kids[0]), of(x->kids[1]));
    case Kind::Transpose:
      return trace(of(x->kids[0]));
    case Kind::Chain: {
      std::vector<Atom> turning = x->kids;
      const auto least = [&](const std::vector<Atom>& one, const std::vector<Atom>& other) {
        return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end(),
                                            [](Atom p, Atom q) { return p->id < q->id; });
      };
      std::vector<Atom> first = turning;
      for (std::size_t k = 1; k < turning.size(); ++k) {
        std::rotate(turning.begin(), turning.begin() + 1, turning.end());
        if (cancelling(turning.back(), turning.front()) || cancelling(turning.front(), turning[1]))
          return trace(chain(turning));
        if (least(turning, first)) first = turning;
      }
      // of M and M^T
      std::vector<Atom> back;
      Poly sign = number(1);
      for (std::size_t k = x->kids.size(); k-- > 0;) {
        const Poly t = transpose(of(x->kids[k]));
        sign = scaled(t.terms.begin()->second, sign);
        back.push_back(t.terms.begin()->first.core);
      }
      bool turned = false;
      for (std::size_t k = 0; k < back.size(); ++k) {
        std::rotate(back.begin(), back.begin() + 1, back.end());
        if (back == first && constant(sign) == -1) return zero(sym::Shape::scalar());
        if (!least(back, first)) continue;
        first = back;
        turned = true;
      }
      const Atom core = make(Kind::Chain, sym::Shape::mat(first.front()->shape.rows, first.back()->shape.cols), first);
      return mul(turned ? sign : number(1), known(make(Kind::Call, sym::Shape::scalar(), {core}, "trace")));
    }
    default:
      return known(make(Kind::Call, sym::Shape::scalar(), {x}, "trace"));
    }
  });
}

/// Sums of which a term may be one, with what they are when they are complete.
const Terms::Completions& Terms::completions(const Monomial& m) {
  if (const auto it = completions_.find(m); it != completions_.end()) return it->second;
  Completions found;
  const Offer offer = [&](const Monomial& rest, const Poly& whole, const Poly& said) {
    Poly factor;
    factor.terms[rest] = sym::Number(1);
    found.emplace_back(mul(factor, whole), mul(factor, said));
  };
  contractions(m, offer);
  const auto enough = [&](Atom x, Atom other) { // a factor twice is one of power two
    return std::any_of(m.powers.begin(), m.powers.end(),
                       [&](const auto& p) { return p.first == x && p.second >= (x == other ? 2 : 1); });
  };
  // sum over i of (a . e_i) L(e_i) = L(a)
  for (const Slot& s : slots(m))
    for (const auto& [x, n] : m.powers) {
      if (!enough(x, s.factor)) continue;
      const auto g = gradientOf(x, s.unit);
      if (!g || g->terms.size() != 1) continue;
      Poly whole = zero(m.core != nullptr ? m.core->shape : sym::Shape::scalar());
      for (int i = 1; i <= s.unit->shape.rows; ++i) {
        const Poly e = unit(s.unit->shape.rows, i);
        whole = add(std::move(whole), mul(dot(e, *g), s.put(e)));
      }
      offer(without(m, s.factor != nullptr ? std::vector<Atom>{x, s.factor} : std::vector<Atom>{x}), whole, s.put(*g));
    }
  if (m.core != nullptr) planeSums(m, offer);
  return completions_[m] = std::move(found);
}

void Terms::planeSums(const Monomial& m, const Offer& offer) {
  const int rows = m.core->shape.rows;
  // sum over planes of e_k (a_j b_i - a_i b_j) = axial(a b^T)
  if (const int n = sizeOfAlgebra(rows); n > 0 && unitIndex(m.core) > 0) {
    const Planes& planes = *planesOfSize(n);
    const auto [j, i] = planes[static_cast<std::size_t>(unitIndex(m.core) - 1)];
    for (const auto& [x, powerX] : m.powers)
      for (const auto& [y, powerY] : m.powers) {
        if (x == y || powerX < 1 || powerY < 1) continue;
        const auto a = gradientOf(x, seal(unit(n, j))), b = gradientOf(y, seal(unit(n, i)));
        if (!a || !b || a->terms.size() != 1 || b->terms.size() != 1) continue;
        Poly whole = zero(m.core->shape);
        for (std::size_t k = 0; k < planes.size(); ++k) {
          const Poly ej = unit(n, planes[k].first), ei = unit(n, planes[k].second);
          const Poly entry = sub(mul(dot(ej, *a), dot(ei, *b)), mul(dot(ei, *a), dot(ej, *b)));
          whole = add(std::move(whole), mul(entry, unit(rows, static_cast<int>(k) + 1)));
        }
        offer(without(m, {x, y}), whole, unhat(outer(*a, *b)));
      }
    // of e_k (S_ji - S_ij) = axial(S)
    for (const auto& [x, power] : m.powers) {
      if (power < 1 || x->kind != Kind::Form || x->kids.size() < 3) continue;
      const int p = unitIndex(x->kids.front()), q = unitIndex(x->kids.back());
      if (!(p == j && q == i) && !(p == i && q == j)) continue;
      if (x->kids.front()->shape.rows != n || x->kids.back()->shape.rows != n) continue;
      const Poly inner = chain({x->kids.begin() + 1, x->kids.end() - 1});
      Poly whole = zero(m.core->shape);
      for (std::size_t k = 0; k < planes.size(); ++k) {
        const Poly ej = unit(n, planes[k].first), ei = unit(n, planes[k].second);
        const Poly entry = sub(dot(ej, matmul(inner, ei)), dot(ei, matmul(inner, ej)));
        whole = add(std::move(whole), mul(entry, unit(rows, static_cast<int>(k) + 1)));
      }
      offer(without(m, {x}), whole, unhat(inner));
    }
  }
  // sum over planes of w_k (e_j e_i^T - e_i e_j^T) = A(w)
  if (m.core->kind == Kind::Outer) {
    const Planes* planes = planesOfSize(rows);
    const int p = unitIndex(m.core->kids[0]), q = unitIndex(m.core->kids[1]);
    for (std::size_t k = 0; planes != nullptr && p > 0 && q > 0 && k < planes->size(); ++k) {
      const auto [j, i] = (*planes)[k];
      if (!(j == p && i == q) && !(j == q && i == p)) continue;
      const int d = static_cast<int>(planes->size());
      for (const auto& [x, power] : m.powers) {
        const auto w = power > 0 ? gradientOf(x, seal(unit(d, static_cast<int>(k) + 1))) : std::nullopt;
        if (!w || w->terms.size() != 1) continue;
        Poly whole = zero(m.core->shape);
        for (int r = 1; r <= d; ++r) {
          const Poly ej = unit(rows, (*planes)[static_cast<std::size_t>(r - 1)].first),
                     ei = unit(rows, (*planes)[static_cast<std::size_t>(r - 1)].second);
          whole = add(std::move(whole), mul(dot(unit(d, r), *w), sub(outer(ej, ei), outer(ei, ej))));
        }
        offer(without(m, {x}), whole, hat(*w));
      }
    }
  }
}

Poly Terms::recombined(const Poly& given) {
  if (!recombines || !distribute_) return given;
  Poly p = given;
  std::set<Monomial, MonomialOrder> tried;
  const auto coefficientIn = [](const Poly& q, const Monomial& m) -> const sym::Number* {
    const auto it = q.terms.find(m);
    return it == q.terms.end() ? nullptr : &it->second;
  };
  for (bool changed = true; changed && p.terms.size() > 1 && p.terms.size() < mostTerms;) {
    changed = false;
    for (const auto& [m, c] : p.terms) {
      if (!tried.insert(m).second) continue;
      for (const auto& [whole, said] : completions(m)) {
        const sym::Number* own = coefficientIn(whole, m);
        if (own == nullptr || whole.terms.size() <= std::max<std::size_t>(1, said.terms.size())) continue;
        const sym::Number f = c / *own;
        const bool complete = std::all_of(whole.terms.begin(), whole.terms.end(), [&](const auto& t) {
          const sym::Number* there = coefficientIn(p, t.first);
          return there != nullptr && *there == f * t.second;
        });
        if (!complete) continue;
        p = add(sub(p, scaled(f, whole)), scaled(f, said));
        changed = true;
        break;
      }
      if (changed) break;
    }
  }
  return p;
}

} // namespace lmc::present
