// Products of vectors and matrices in normal form: linear in each factor, a x a = 0, a x (b x c) = b (a.c) - c (a.b),
// R^T R = I, (R a).(R b) = a.b, R a x R b = R (a x b), e_i . e_j and what a declaration adds.
#include "present/terms/Terms.h"

#include <algorithm>

namespace lmc::present {

namespace {

bool isUnit(Atom a, int& i) {
  if (a->kind != Kind::Basis || a->kids[0]->kind != Kind::Sealed) return false;
  const auto c = Terms::constant(*a->kids[0]->poly);
  if (c) i = static_cast<int>(*c);
  return c.has_value();
}

/// A constant 1 seals to a Poly of one empty monomial.
bool isUnit(Atom a) {
  int i = 0;
  return isUnit(a, i);
}

} // namespace

Poly Terms::linear(const Poly& a, const sym::Shape& shape, const std::function<Poly(Atom)>& f) {
  if (!distribute_ && a.terms.size() > 1) { // of a - b and b - a one is taken
    const bool turned = a.terms.begin()->second.negative();
    return turned ? scaled(-1, f(seal(scaled(-1, a)))) : f(seal(a));
  }
  Poly sum = zero(shape);
  for (const auto& [m, c] : a.terms) {
    Poly factor = zero(sym::Shape::scalar());
    factor.terms[{m.powers, nullptr}] = c;
    sum = add(std::move(sum), mul(factor, m.core->kind == Kind::Series
                                              ? through(m.core, [&](const Poly& b) { return linear(b, shape, f); })
                                              : f(m.core)));
  }
  return sum;
}

Poly Terms::bilinear(const Poly& a, const Poly& b, const sym::Shape& shape,
                     const std::function<Poly(Atom, Atom)>& product) {
  return linear(a, shape, [&](Atom x) { return linear(b, shape, [&](Atom y) { return product(x, y); }); });
}

// ---- chains of matrices

const Traits& Terms::traitsOf(Atom a) const {
  static const Traits none;
  if (a->kind == Kind::Transpose || a->kind == Kind::Inverse) {
    const Traits& t = traitsOf(a->kids[0]);
    return t.orthogonal || t.symmetric ? t : none;
  }
  if (a->kind != Kind::Symbol || a->array == nullptr) return none;
  const auto it = traits.find(a->array);
  return it == traits.end() ? none : it->second;
}

/// A B = I.
bool Terms::cancels(Atom a, Atom b) const {
  if (a->kind == Kind::Transpose && a->kids[0] == b) return traitsOf(b).columns || traitsOf(b).orthogonal;
  if (b->kind == Kind::Transpose && b->kids[0] == a) return traitsOf(a).orthogonal;
  return (a->kind == Kind::Inverse && a->kids[0] == b) || (b->kind == Kind::Inverse && b->kids[0] == a);
}

/// A B is shorter than it is written.
bool Terms::cancelling(Atom a, Atom b) const {
  return cancels(a, b) || (a == b && traitsOf(a).idempotent) || a->kind == Kind::Identity ||
         b->kind == Kind::Identity || a->kind == Kind::Outer || b->kind == Kind::Outer;
}

Poly Terms::chain(std::vector<Atom> list) {
  const sym::Shape shape = list.back()->shape.rank == 1
                               ? sym::Shape::vec(list.front()->shape.rows)
                               : sym::Shape::mat(list.front()->shape.rows, list.back()->shape.cols);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k + 1 < list.size() && !changed; ++k) {
      if (list[k]->kind == Kind::Identity || list[k + 1]->kind == Kind::Identity) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(list[k]->kind == Kind::Identity ? k : k + 1));
        changed = true;
      } else if (list[k] == list[k + 1] && traitsOf(list[k]).idempotent) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
        changed = true;
      } else if (isQuarterTurn(list[k]) && isQuarterTurn(list[k + 1])) { // half a turn
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(k), list.begin() + static_cast<std::ptrdiff_t>(k) + 2);
        return scaled(-1, list.empty() ? identity(2) : chain(std::move(list)));
      } else if (cancels(list[k], list[k + 1])) {
        const int n = list[k]->shape.rows;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(k), list.begin() + static_cast<std::ptrdiff_t>(k) + 2);
        if (list.empty()) return identity(n);
        changed = true;
      }
    }
  }
  if (list.size() == 1) return of(list[0]);
  for (const std::vector<Atom>& none : vanishing_)
    if (std::search(list.begin(), list.end(), none.begin(), none.end()) != list.end()) return zero(shape);
  const Atom self = make(Kind::Chain, shape, list);
  if (Poly f = known(self); f.terms.size() != 1 || f.terms.begin()->first.core != self) return f;
  // the last two, where their product is no chain
  const Atom m = list[list.size() - 2], v = list.back();
  const auto rest = [&](const Poly& product) {
    Poly p = product;
    for (std::size_t k = list.size() - 2; k-- > 0;) p = matmul(of(list[k]), p);
    return p;
  };
  if (v->shape.rank == 1) {
    if (m->kind == Kind::Hat && m->shape.rows == 3 && crosses) return rest(cross(of(m->kids[0]), of(v)));
    if (m->kind == Kind::Outer) return mul(dot(of(m->kids[1]), of(v)), rest(of(m->kids[0])));
    if (v->kind == Kind::Cross && traitsOf(m).rotation)
      return rest(cross(matmul(of(m), of(v->kids[0])), matmul(of(m), of(v->kids[1]))));
    if (m->kind == Kind::Matrix && isUnit(v)) {
      int j = 0;
      (void)isUnit(v, j);
      std::vector<Poly> column;
      column.reserve(static_cast<std::size_t>(m->shape.rows));
      for (int i = 0; i < m->shape.rows; ++i)
        column.push_back(open(m->kids[static_cast<std::size_t>(i * m->shape.cols + j - 1)]));
      return rest(vector(column));
    }
    const auto dyad = std::find_if(list.begin(), list.end(), [](Atom a) { return a->kind == Kind::Outer; });
    if (dyad != list.end()) { // M a b^T N v
      Poly p = of((*dyad)->kids[0]);
      for (auto k = dyad; k != list.begin();) p = matmul(of(*--k), p);
      return mul(dot(of((*dyad)->kids[1]), chain({dyad + 1, list.end()})), p);
    }
  } else if (v->kind == Kind::Outer) {
    return rest(outer(matmul(of(m), of(v->kids[0])), of(v->kids[1])));
  } else if (m->kind == Kind::Outer) {
    return rest(outer(of(m->kids[0]), matmul(transpose(of(v)), of(m->kids[1]))));
  } else if (const auto dyad = std::find_if(list.begin(), list.end(), [](Atom a) { return a->kind == Kind::Outer; });
             dyad != list.end()) { // M a b^T N
    const Poly tail = chain({dyad + 1, list.end()});
    Poly p = outer(of((*dyad)->kids[0]), matmul(transpose(tail), of((*dyad)->kids[1])));
    for (auto k = dyad; k != list.begin();) p = matmul(of(*--k), p);
    return p;
  }
  return of(make(Kind::Chain, shape, std::move(list)));
}

Poly Terms::coreMatmul(Atom a, Atom b) {
  const auto last = [](Atom x) { return x->kind == Kind::Chain ? x->kids.back() : x; };
  const auto first = [](Atom x) { return x != nullptr && x->kind == Kind::Chain ? x->kids.front() : x; };
  if (b->kind == Kind::Sealed && b->poly && // R^T (R u + R v) = u + v
      std::all_of(b->poly->terms.begin(), b->poly->terms.end(), [&](const auto& t) {
        return first(t.first.core) != nullptr && cancels(last(a), first(t.first.core));
      })) {
    Poly sum =
        zero(b->shape.rank == 1 ? sym::Shape::vec(a->shape.rows) : sym::Shape::mat(a->shape.rows, b->shape.cols));
    for (const auto& [m, c] : b->poly->terms) {
      Poly factor;
      factor.terms[{m.powers, nullptr}] = c;
      sum = add(std::move(sum), mul(factor, coreMatmul(a, m.core)));
    }
    return sum;
  }
  std::vector<Atom> list;
  for (const Atom x : {a, b}) {
    if (x->kind == Kind::Chain)
      list.insert(list.end(), x->kids.begin(), x->kids.end());
    else
      list.push_back(x);
  }
  return chain(std::move(list));
}

Poly Terms::matmul(const Poly& a, const Poly& b) {
  const sym::Shape shape =
      b.shape.rank == 1 ? sym::Shape::vec(a.shape.rows) : sym::Shape::mat(a.shape.rows, b.shape.cols);
  return bilinear(a, b, shape, [this](Atom x, Atom y) { return coreMatmul(x, y); });
}

Poly Terms::coreTranspose(Atom a) {
  switch (a->kind) {
  case Kind::Transpose:
    return of(a->kids[0]);
  case Kind::Identity:
    return of(a);
  case Kind::Hat:
    return scaled(-1, of(a));
  case Kind::Outer:
    return outer(of(a->kids[1]), of(a->kids[0]));
  case Kind::Inverse:
    return inverse(transpose(open(a->kids[0])));
  case Kind::Matrix: {
    if (a->shape.rows != 2 || a->shape.cols != 2)
      return of(make(Kind::Transpose, sym::Shape::mat(a->shape.cols, a->shape.rows), {a})); // larger ones get names
    const std::vector<Atom> kids{a->kids[0], a->kids[2], a->kids[1], a->kids[3]};
    bool skew = true;
    for (std::size_t k = 0; k < kids.size() && skew; ++k) skew = add(open(kids[k]), open(a->kids[k])).isZero();
    if (skew) return scaled(-1, of(a));
    return of(make(Kind::Matrix, a->shape, kids));
  }
  case Kind::Chain: {
    Poly p = transpose(of(a->kids[0]));
    for (std::size_t k = 1; k < a->kids.size(); ++k) p = matmul(transpose(of(a->kids[k])), p);
    return p;
  }
  default:
    if (traitsOf(a).symmetric) return of(a);
    return of(make(Kind::Transpose, sym::Shape::mat(a->shape.cols, a->shape.rows), {a}));
  }
}

Poly Terms::transpose(const Poly& a) {
  return linear(a, sym::Shape::mat(a.shape.cols, a.shape.rows), [this](Atom x) { return coreTranspose(x); });
}

Poly Terms::coreInverse(Atom a) {
  if (a->kind == Kind::Identity) return of(a);
  if (a->kind == Kind::Inverse) return open(a->kids[0]);
  if (traitsOf(a).orthogonal) return transpose(of(a));
  if (a->kind == Kind::Chain &&
      std::all_of(a->kids.begin(), a->kids.end(), [](Atom k) { return k->shape.rows == k->shape.cols; })) {
    Poly p = inverse(of(a->kids[0]));
    for (std::size_t k = 1; k < a->kids.size(); ++k) p = matmul(inverse(of(a->kids[k])), p);
    return p;
  }
  return of(make(Kind::Inverse, a->shape, {a}));
}

Poly Terms::inverse(const Poly& a) {
  if (a.terms.size() != 1) return of(make(Kind::Inverse, a.shape, {seal(a)}));
  const auto& [m, c] = *a.terms.begin();
  Poly factor;
  factor.terms[{m.powers, nullptr}] = c;
  return mul(power(factor, -1), coreInverse(m.core));
}

// ---- inner products

Poly Terms::dot(const Poly& a, const Poly& b) {
  if (a.shape.rank == 2 && recombines) return trace(matmul(transpose(a), b));
  if (a.shape.rank == 2) {
    return bilinear(a, b, sym::Shape::scalar(), [this](Atom x, Atom y) {
      if (x->kind == Kind::Outer) return dot(of(x->kids[0]), matmul(of(y), of(x->kids[1])));
      if (y->kind == Kind::Outer) return dot(of(y->kids[0]), matmul(of(x), of(y->kids[1])));
      return of(make(Kind::Call, sym::Shape::scalar(),
                     {std::min(x, y, [](Atom p, Atom q) { return p->id < q->id; }),
                      std::max(x, y, [](Atom p, Atom q) { return p->id < q->id; })},
                     "dot"));
    });
  }
  return bilinear(a, b, sym::Shape::scalar(), [this](Atom x, Atom y) { return coreDot(x, y); });
}

Poly Terms::coreDot(Atom a, Atom b) {
  const auto isAxial = [](Atom x) { return x->kind == Kind::Call && x->name == "axial"; };
  for (const auto& [w, x] : {std::pair(a, b), std::pair(b, a)}) // w . axial(S) = <A(w), S>
    if (recombines && isAxial(x) && w->kind != Kind::Basis && !(w->kind == Kind::Chain && crosses))
      return scaled(-1, trace(matmul(hat(of(w)), of(x->kids[0]))));
  std::vector<Atom> list;
  Poly sign = number(1);
  if (a->kind == Kind::Chain) { // u^T A^T B v
    for (std::size_t k = a->kids.size() - 1; k-- > 0;) {
      const Poly t = transpose(of(a->kids[k]));
      sign = scaled(t.terms.begin()->second, sign);
      list.push_back(t.terms.begin()->first.core);
    }
  }
  const Atom u = a->kind == Kind::Chain ? a->kids.back() : a, v = b->kind == Kind::Chain ? b->kids.back() : b;
  if (b->kind == Kind::Chain) list.insert(list.end(), b->kids.begin(), b->kids.end() - 1);
  return mul(sign, form(u, std::move(list), v));
}

/// u^T (M1 … Mk) v.
Poly Terms::form(Atom u, std::vector<Atom> list, Atom v) {
  if (!list.empty()) {
    list.push_back(v);
    const Poly product = chain(list); // reduces
    const bool same = product.terms.size() == 1 && product.terms.begin()->second.isOne() &&
                      product.terms.begin()->first.powers.empty() &&
                      product.terms.begin()->first.core->kind == Kind::Chain;
    if (!same) return dot(of(u), product);
    const Atom c = product.terms.begin()->first.core;
    if (c->kids != list) return coreDot(u, c);
    list.pop_back();
  }
  int i = 0, j = 0;
  if (list.empty()) {
    if (isUnit(u, i) && isUnit(v, j)) return number(i == j ? 1 : 0);
    if (u->kind == Kind::Cross && v->kind == Kind::Cross && distribute_)
      return sub(mul(dot(of(u->kids[0]), of(v->kids[0])), dot(of(u->kids[1]), of(v->kids[1]))),
                 mul(dot(of(u->kids[0]), of(v->kids[1])), dot(of(u->kids[1]), of(v->kids[0]))));
    if (u->kind == Kind::Cross) return triple(v, u->kids[0], u->kids[1]);
    if (v->kind == Kind::Cross) return triple(u, v->kids[0], v->kids[1]);
  } else if (u->kind == Kind::Cross && v->kind != Kind::Cross) {
    list.push_back(v);
    return triple(make(Kind::Chain, sym::Shape::vec(list.front()->shape.rows), list), u->kids[0], u->kids[1]);
  } else if (v->kind == Kind::Cross && u->kind != Kind::Cross) {
    return dot(of(v), matmul(transpose(chain(list)), of(u)));
  }
  // of u^T A v and v^T A^T u the one whose atoms come first
  std::vector<Atom> forth{u}, back{v};
  forth.insert(forth.end(), list.begin(), list.end());
  forth.push_back(v);
  Poly sign = number(1);
  for (std::size_t k = list.size(); k-- > 0;) {
    const Poly t = transpose(of(list[k]));
    sign = scaled(t.terms.begin()->second, sign);
    back.push_back(t.terms.begin()->first.core);
  }
  back.push_back(u);
  const auto before = [](Atom x, Atom y) { return x->id < y->id; };
  const bool turned = std::lexicographical_compare(back.begin(), back.end(), forth.begin(), forth.end(), before);
  if (back == forth && Terms::constant(sign) == -1) return zero(sym::Shape::scalar()); // u^T A u, A^T = -A
  if (!turned) return known(make(Kind::Form, sym::Shape::scalar(), forth));
  return mul(sign, known(make(Kind::Form, sym::Shape::scalar(), back)));
}

Poly Terms::tail(Atom c) {
  return chain({c->kids.begin() + 1, c->kids.end()});
}

std::optional<Poly> Terms::gradientOf(Atom f, Atom u) {
  if (f->kind == Kind::Triple) {
    for (std::size_t k = 0; k < 3; ++k)
      if (f->kids[k] == u) return plainCross(open(f->kids[(k + 1) % 3]), open(f->kids[(k + 2) % 3]));
    return {};
  }
  if (f->kind != Kind::Form) return {};
  std::optional<Poly> g;
  if (f->kids.front() == u) {
    g = chain({f->kids.begin() + 1, f->kids.end()});
  } else if (f->kids.back() == u) {
    g = of(f->kids.front());
    for (std::size_t k = 1; k + 1 < f->kids.size(); ++k) g = matmul(transpose(of(f->kids[k])), *g);
  }
  // what is known of the product makes it another one, which is not shorter beside u
  const bool other = recombines && g && f->kids.size() > 2 &&
                     (g->terms.size() != 1 || g->terms.begin()->first.core->kind != Kind::Chain);
  return other ? std::nullopt : g;
}

Poly Terms::triple(Atom a, Atom b, Atom c) {
  if (a == b || b == c || a == c) return zero(sym::Shape::scalar());
  std::vector<Atom> v{a, b, c};
  const auto leads = [](Atom x) { return x->kind == Kind::Chain ? x->kids.front() : nullptr; };
  if (leads(a) != nullptr && leads(a) == leads(b) && leads(a) == leads(c) && traitsOf(leads(a)).rotation) {
    std::vector<Poly> rest;
    rest.reserve(v.size());
    for (const Atom x : v) rest.push_back(chain({x->kids.begin() + 1, x->kids.end()}));
    return dot(rest[0], cross(rest[1], rest[2]));
  }
  for (int k = 0; k < 3; ++k) { // two unit vectors, or a product among the three
    const Atom x = v[static_cast<std::size_t>(k)], y = v[static_cast<std::size_t>((k + 1) % 3)],
               z = v[static_cast<std::size_t>((k + 2) % 3)];
    if (isUnit(x) && isUnit(y)) return dot(cross(of(x), of(y)), of(z));
    if (distribute_ && x->kind == Kind::Cross) return dot(of(x), cross(of(y), of(z)));
  }
  int sign = 1;
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t k = 0; k < 2; ++k)
      if (v[k + 1]->id < v[k]->id) {
        std::swap(v[k], v[k + 1]);
        sign = -sign;
      }
  return scaled(sign, known(make(Kind::Triple, sym::Shape::scalar(), v)));
}

/// [a b c] d = (a.d) b x c + (b.d) c x a + (c.d) a x b: of the two ways to write such terms one is taken, so that they
/// cancel.
std::optional<Poly> Terms::withoutTriple(const Monomial& m) {
  if (!distribute_ || m.core == nullptr || m.core->shape != sym::Shape::vec(3)) return {};
  if (m.core->kind == Kind::Cross || m.core->kind == Kind::Series) return {};
  for (std::size_t k = 0; k < m.powers.size(); ++k) {
    const auto& [x, n] = m.powers[k];
    if (x->kind != Kind::Triple || n < 1) continue;
    Poly rest;
    Monomial others{m.powers, nullptr};
    if (--others.powers[k].second == 0) others.powers.erase(others.powers.begin() + static_cast<std::ptrdiff_t>(k));
    rest.terms[others] = sym::Number(1);
    Poly sum = zero(sym::Shape::vec(3));
    for (std::size_t i = 0; i < 3; ++i) {
      const Poly a = of(x->kids[i]), b = of(x->kids[(i + 1) % 3]), c = of(x->kids[(i + 2) % 3]);
      sum = add(std::move(sum), mul(mul(rest, dot(a, of(m.core))), cross(b, c)));
    }
    return sum;
  }
  return {};
}

// ---- vector products

Poly Terms::cross(const Poly& a, const Poly& b) {
  return bilinear(a, b, sym::Shape::vec(3), [this](Atom x, Atom y) { return coreCross(x, y); });
}

Poly Terms::plainCross(const Poly& a, const Poly& b) {
  const Atom x = seal(a), y = seal(b);
  if (y->id < x->id) return scaled(-1, of(make(Kind::Cross, sym::Shape::vec(3), {y, x})));
  return of(make(Kind::Cross, sym::Shape::vec(3), {x, y}));
}

Poly Terms::plainDot(const Poly& a, const Poly& b) {
  Atom x = seal(a), y = seal(b);
  if (y->id < x->id) std::swap(x, y);
  return of(make(Kind::Form, sym::Shape::scalar(), {x, y}));
}

Poly Terms::coreCross(Atom a, Atom b) {
  if (a == b) return zero(sym::Shape::vec(3));
  if (!crosses) {
    const auto isOfAlgebra = [this](Atom x) {
      return (x->kind == Kind::Call && x->name == "axial") || (isVelocity && isVelocity(x));
    };
    if (isOfAlgebra(a) && isOfAlgebra(b)) return unhat(matmul(hat(of(a)), hat(of(b))));
    if (isOfAlgebra(a)) return matmul(hat(of(a)), of(b));
    if (isOfAlgebra(b)) return scaled(-1, matmul(hat(of(b)), of(a)));
    return unhat(outer(of(b), of(a)));
  }
  int i = 0, j = 0;
  if (isUnit(a, i) && isUnit(b, j)) {
    const int k = 6 - i - j;
    return scaled((j - i + 3) % 3 == 1 ? 1 : -1, basis(3, number(k)));
  }
  const auto has = [](Atom product, Atom x) {
    return product->kind == Kind::Cross && (product->kids[0] == x || product->kids[1] == x);
  };
  if (distribute_ || has(a, b) || has(b, a)) {
    const auto expanded = [&](Atom x, Atom y, Atom z) { // x × (y × z)
      return sub(mul(dot(of(x), of(z)), of(y)), mul(dot(of(x), of(y)), of(z)));
    };
    if (b->kind == Kind::Cross) return expanded(a, b->kids[0], b->kids[1]);
    if (a->kind == Kind::Cross) return scaled(-1, expanded(b, a->kids[0], a->kids[1]));
  }
  if (a->kind == Kind::Chain && b->kind == Kind::Chain && a->kids[0] == b->kids[0] && traitsOf(a->kids[0]).rotation) {
    const Poly inner = cross(chain({a->kids.begin() + 1, a->kids.end()}), chain({b->kids.begin() + 1, b->kids.end()}));
    // left as it is: the rotation of a vector product is taken apart again
    Poly sum = zero(sym::Shape::vec(3));
    bool plain = true;
    for (const auto& [m, c] : inner.terms) plain = plain && m.core->kind != Kind::Cross;
    if (plain) {
      const Atom r = a->kids[0];
      sum = linear(inner, sym::Shape::vec(3), [&](Atom x) { return coreMatmul(r, x); });
      return sum;
    }
  }
  return plainCross(of(a), of(b));
}

Poly Terms::outer(const Poly& a, const Poly& b) {
  const sym::Shape shape = sym::Shape::mat(a.shape.rows, b.shape.rows);
  return bilinear(a, b, shape, [&](Atom x, Atom y) { return of(make(Kind::Outer, shape, {x, y})); });
}

} // namespace lmc::present
