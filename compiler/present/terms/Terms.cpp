#include "present/terms/Terms.h"

#include "base/Budget.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace lmc::present {

bool MonomialOrder::operator()(const Monomial& a, const Monomial& b) const {
  const std::uint32_t x = a.core != nullptr ? a.core->id + 1 : 0, y = b.core != nullptr ? b.core->id + 1 : 0;
  if (x != y) return x < y;
  return std::lexicographical_compare(a.powers.begin(), a.powers.end(), b.powers.begin(), b.powers.end(),
                                      [](const auto& p, const auto& q) {
                                        return p.first != q.first ? p.first->id < q.first->id : p.second < q.second;
                                      });
}

bool Term::mentions(Atom index) const {
  return std::find(indices.begin(), indices.end(), index) != indices.end();
}

bool Search::in(Atom a) {
  if (const auto it = known_.find(a); it != known_.end()) return it->second;
  const auto& kids = a->kids;
  bool found = property_(a);
  if (!found && a->poly)
    found = std::any_of(a->poly->terms.begin(), a->poly->terms.end(), [&](const auto& t) { return in(t.first); });
  found = found || std::any_of(kids.begin(), kids.end(), [&](Atom k) { return in(k); });
  known_.emplace(a, found);
  return found;
}

bool Search::in(const Monomial& m) {
  return (m.core != nullptr && in(m.core)) ||
         std::any_of(m.powers.begin(), m.powers.end(), [&](const auto& x) { return in(x.first); });
}

// ---- atoms

namespace {

std::string keyOf(const Poly& p) {
  std::string key;
  for (const auto& [m, c] : p.terms) {
    key += fmt::format("{}", c.text());
    for (const auto& [a, n] : m.powers) key += fmt::format("*{}^{}", a->id, n);
    if (m.core != nullptr) key += fmt::format("*{}", m.core->id);
    key += '+';
  }
  return key;
}

} // namespace

Atom Terms::intern(Term t) {
  std::string key = fmt::format("{}|{},{},{}|{}|{}|", static_cast<int>(t.kind), t.shape.rank, t.shape.rows,
                                t.shape.cols, t.name, t.array != nullptr ? t.array->id + 1 : 0);
  for (const Atom k : t.kids) key += fmt::format("{},", k->id);
  if (t.poly) key += keyOf(*t.poly);
  auto [it, isNew] = table_.try_emplace(std::move(key));
  if (!isNew) return it->second.get();
  spend(1);
  std::set<Atom> indices;
  const auto below = [&](Atom a) {
    indices.insert(a->indices.begin(), a->indices.end());
    t.height = std::max(t.height, a->height);
  };
  for (const Atom k : t.kids) below(k);
  if (t.poly) {
    for (const auto& [m, c] : t.poly->terms) {
      for (const auto& [a, n] : m.powers) below(a);
      if (m.core != nullptr) below(m.core);
    }
  }
  t.id = static_cast<std::uint32_t>(table_.size());
  it->second = std::make_unique<Term>(std::move(t));
  Term& made = *it->second;
  if (made.kind == Kind::Index) {
    indices.insert(&made);
    if (made.name[0] == '#') made.height = std::stoi(made.name.substr(1));
  }
  made.indices.assign(indices.begin(), indices.end());
  std::sort(made.indices.begin(), made.indices.end(), [](Atom a, Atom b) { return a->id < b->id; });
  return &made;
}

Atom Terms::make(Kind kind, const sym::Shape& shape, std::vector<Atom> kids, const std::string& name) {
  Term t;
  t.kind = kind;
  t.shape = shape;
  t.kids = std::move(kids);
  t.name = name;
  return intern(std::move(t));
}

Atom Terms::index(const std::string& name) {
  return make(Kind::Index, sym::Shape::scalar(), {}, name);
}

Atom Terms::fresh() {
  return index(fmt::format("?{}", ++freshIndices_));
}

Atom Terms::symbol(const sym::Array* array, const std::string& name, const sym::Shape& shape,
                   std::vector<Atom> indices) {
  Term t;
  t.kind = Kind::Symbol;
  t.shape = shape;
  t.name = name;
  t.array = array;
  t.kids = std::move(indices);
  return intern(std::move(t));
}

Atom Terms::seal(const Poly& a) {
  if (a.terms.size() == 1 && a.terms.begin()->second.isOne()) {
    const Monomial& m = a.terms.begin()->first;
    if (m.core != nullptr && m.powers.empty()) return m.core;
    if (m.core == nullptr && m.powers.size() == 1 && m.powers[0].second == 1) return m.powers[0].first;
  }
  Term t;
  t.kind = Kind::Sealed;
  t.shape = a.shape;
  t.poly = std::make_shared<const Poly>(a);
  return intern(std::move(t));
}

Poly Terms::open(Atom a) const {
  return a->kind == Kind::Sealed ? *a->poly : of(a);
}

// ---- sums of products

void Terms::spend(std::int64_t n) const {
  spendWork(n);
  left_ -= n;
  if (left_ < 0) throw TooLong();
}

Poly Terms::zero(const sym::Shape& s) {
  return {s, {}};
}

Poly Terms::number(const sym::Number& n) const {
  Poly p;
  if (!n.isZero()) p.terms[{}] = n;
  return p;
}

Poly Terms::of(Atom a) const {
  Poly p{a->shape, {}};
  Monomial m;
  if (a->shape.rank == 0)
    m.powers = {{a, 1}};
  else
    m.core = a;
  p.terms[std::move(m)] = sym::Number(1);
  return p;
}

Poly Terms::identity(int n) {
  return of(make(Kind::Identity, sym::Shape::mat(n, n), {}));
}

Poly Terms::basis(int n, const Poly& i) {
  return of(make(Kind::Basis, sym::Shape::vec(n), {seal(i)}));
}

void Terms::put(Poly& sum, Monomial m, sym::Number c) const {
  spend(1);
  if (c.isZero()) return;
  auto [it, isNew] = sum.terms.try_emplace(std::move(m), c);
  if (isNew) return;
  it->second = it->second + c;
  if (it->second.isZero()) sum.terms.erase(it);
}

Poly Terms::scaled(const sym::Number& c, const Poly& a) const {
  if (c.isZero()) return zero(a.shape);
  Poly p = a;
  for (auto& [m, x] : p.terms) x = c * x;
  return p;
}

Poly Terms::add(const Poly& a, const Poly& b) const {
  const bool larger = a.terms.size() >= b.terms.size();
  Poly p = larger ? a : b;
  for (const auto& [m, c] : (larger ? b : a).terms) put(p, m, c);
  return p;
}

Poly Terms::add(Poly&& a, const Poly& b) const {
  if (a.terms.size() < b.terms.size()) return add(b, a);
  for (const auto& [m, c] : b.terms) put(a, m, c);
  return std::move(a);
}

/// Powers of one atom are added; a square root takes in its own argument, so that sqrt(x)^-3 x is sqrt(x)^-1.
Monomial Terms::times(const Monomial& a, const Monomial& b, sym::Number& /*c*/) const {
  Monomial m;
  m.core = a.core != nullptr ? a.core : b.core;
  std::map<std::uint32_t, std::pair<Atom, int>> powers;
  for (const auto* from : {&a, &b})
    for (const auto& [x, n] : from->powers) {
      auto& slot = powers[x->id];
      slot.first = x;
      slot.second += n;
    }
  for (auto& [id, root] : powers) {
    if (root.first->kind != Kind::Call || root.first->name != "sqrt" || root.second == 0) continue;
    const Atom arg = root.first->kids[0];
    const auto own = powers.find(arg->id);
    const int total = root.second + 2 * (own != powers.end() ? own->second.second : 0);
    if (own == powers.end() && root.second % 2 != 0) continue;
    if (total % 2 != 0) {
      root.second = total;
      own->second.second = 0;
    } else {
      root.second = 0;
      powers[arg->id] = {arg, total / 2};
    }
  }
  for (const auto& [id, p] : powers)
    if (p.second != 0) m.powers.push_back(p);
  return m;
}

Poly Terms::mul(const Poly& s, const Poly& a) {
  if (!distribute_ && s.terms.size() > 1) {
    if (const auto c = constant(a); a.shape.rank == 0 && c) return scaled(*c, s);
    if (s.terms.begin()->second.negative()) return scaled(-1, mul(of(seal(scaled(-1, s))), a));
    return mul(of(seal(s)), a);
  }
  if (!distribute_ && a.terms.size() > 1 && !constant(s)) {
    if (a.terms.begin()->second.negative()) return scaled(-1, mul(s, of(seal(scaled(-1, a)))));
    return mul(s, of(seal(a)));
  }
  Poly p = zero(a.shape);
  for (const auto& [m, c] : s.terms)
    for (const auto& [n, d] : a.terms) {
      sym::Number factor = c * d;
      const Monomial product = times(m, n, factor);
      if (auto turned = withoutTriple(product))
        p = add(std::move(p), scaled(factor, *turned));
      else
        put(p, product, factor);
    }
  return p;
}

namespace {
/// The numbers and powers that all terms have; the sign is that of the first.
std::pair<sym::Number, Monomial> contentOf(const Poly& a) {
  std::int64_t nums = 0, dens = 1;
  bool exact = true;
  for (const auto& [m, c] : a.terms) {
    exact = exact && c.exact() && std::abs(c.num()) < 1'000'000 && c.den() < 1'000'000 && dens < 1'000'000;
    if (!exact) break;
    nums = std::gcd(nums, c.num());
    dens = std::lcm(dens, c.den());
  }
  sym::Number content = exact ? sym::Number::ratio(nums, dens) : sym::Number(1);
  if (a.terms.begin()->second.negative()) content = -content;
  Monomial common = a.terms.begin()->first;
  common.core = nullptr;
  for (const auto& [m, c] : a.terms) {
    Monomial next;
    for (const auto& [x, n] : common.powers)
      for (const auto& [y, k] : m.powers)
        if (x == y && (n > 0) == (k > 0)) next.powers.emplace_back(x, n > 0 ? std::min(n, k) : std::max(n, k));
    common = next;
  }
  return {content, common};
}
} // namespace

Poly Terms::basePower(Atom a, int n) {
  Poly p;
  p.terms[{{{a, n}}, nullptr}] = sym::Number(1);
  return p;
}

Poly Terms::power(const Poly& a, int n) {
  if (n == 0) return number(1);
  if (n == 1) return a;
  if (a.isZero()) {
    if (n > 0) return a;
    return of(make(Kind::Call, sym::Shape::scalar(), {seal(number(1)), seal(a)}, "quotient")); // 1/0, as it was written
  }
  if (a.terms.size() == 1) {
    const auto& [m, c] = *a.terms.begin();
    if (const auto number = sym::power(c, n)) {
      Monomial powered = m;
      for (auto& [x, k] : powered.powers) k *= n;
      Poly p;
      sym::Number one = 1;
      p.terms[times(powered, {}, one)] = *number;
      return p;
    }
  }
  if (n > 1 && distribute_ && (n == 2 ? a.terms.size() < 40 : a.terms.size() < 4 && n < 5))
    return mul(power(a, n - 1), a);
  const auto [content, common] = contentOf(a);
  Poly shared;
  shared.terms[common] = content;
  Poly rest = zero(a.shape);
  Monomial inverse = common;
  for (auto& [x, k] : inverse.powers) k = -k;
  for (const auto& [m, c] : a.terms) {
    sym::Number one = 1;
    put(rest, times(inverse, m, one), c / content);
  }
  return mul(power(shared, n), basePower(seal(rest), n));
}

std::optional<std::int64_t> Terms::constant(const Poly& a) {
  if (a.shape.rank != 0) return std::nullopt;
  if (a.terms.empty()) return 0;
  if (a.terms.size() != 1) return std::nullopt;
  const auto& [m, c] = *a.terms.begin();
  if (!m.powers.empty() || m.core != nullptr || !c.isInteger()) return std::nullopt;
  return c.num();
}

// ---- replacing indices

bool Terms::mentions(const Poly& a, Atom index) {
  return std::any_of(a.terms.begin(), a.terms.end(), [&](const auto& t) {
    return (t.first.core != nullptr && t.first.core->mentions(index)) ||
           std::any_of(t.first.powers.begin(), t.first.powers.end(),
                       [&](const auto& p) { return p.first->mentions(index); });
  });
}

Poly Terms::substitute(const Poly& a, Atom index, const Poly& by) {
  if (!mentions(a, index)) return a;
  std::unordered_map<Atom, Poly> memo;
  std::function<Poly(Atom)> atom = [&](Atom x) -> Poly {
    if (x == index) return by;
    if (!x->mentions(index)) return of(x);
    if (const auto it = memo.find(x); it != memo.end()) return it->second;
    Poly value = rebuilt(x, atom);
    memo.emplace(x, value);
    return value;
  };
  return mapped(a, atom);
}

Poly Terms::withIndex(const Poly& a, Atom from, Atom to) {
  std::unordered_map<Atom, Poly> memo;
  std::function<Poly(Atom)> atom = [&](Atom x) -> Poly {
    if (const auto it = memo.find(x); it != memo.end()) return it->second;
    const bool isMember = x->kind == Kind::Symbol && x->kids == std::vector<Atom>{from};
    Poly value = isMember ? of(symbol(x->array, x->name, x->shape, {to})) : rebuilt(x, atom);
    memo.emplace(x, value);
    return value;
  };
  return mapped(a, atom);
}

/// The sum with other values of its atoms, in normal form.
Poly Terms::mapped(const Poly& a, const std::function<Poly(Atom)>& atom) {
  Poly sum = zero(a.shape);
  for (const auto& [m, c] : a.terms) {
    Poly scalars = number(c);
    for (const auto& [x, n] : m.powers) scalars = mul(power(atom(x), n), scalars);
    sum = add(std::move(sum), m.core != nullptr ? mul(scalars, atom(m.core)) : scalars);
  }
  return sum;
}

/// The same atom of other parts, in normal form.
Poly Terms::rebuilt(Atom a, const std::function<Poly(Atom)>& kid) {
  std::vector<Poly> kids;
  if (a->kind != Kind::Sealed && a->kind != Kind::Series)
    for (const Atom k : a->kids) kids.push_back(kid(k));
  switch (a->kind) {
  case Kind::Sealed:
    return mapped(*a->poly, kid);
  case Kind::Symbol: {
    std::vector<Atom> indices;
    indices.reserve(kids.size());
    for (const Poly& p : kids) indices.push_back(seal(p));
    return of(symbol(a->array, a->name, a->shape, std::move(indices)));
  }
  case Kind::Basis:
    return basis(a->shape.rows, kids[0]);
  case Kind::Transpose:
    return transpose(kids[0]);
  case Kind::Inverse:
    return inverse(kids[0]);
  case Kind::Hat:
    return hat(kids[0]);
  case Kind::Outer:
    return outer(kids[0], kids[1]);
  case Kind::Chain: {
    Poly p = kids.back();
    for (std::size_t k = kids.size() - 1; k-- > 0;) p = matmul(kids[k], p);
    return p;
  }
  case Kind::Cross:
    return cross(kids[0], kids[1]);
  case Kind::Form: {
    Poly p = kids.back();
    for (std::size_t k = kids.size() - 1; k-- > 1;) p = matmul(kids[k], p);
    return dot(kids[0], p);
  }
  case Kind::Triple:
    return dot(kids[0], cross(kids[1], kids[2]));
  case Kind::Call:
    return call(a->name, kids, a->shape);
  case Kind::Select:
    return select(kids[0], kids[1], kids[2]);
  case Kind::Matrix:
    return matrix(a->shape.rows, a->shape.cols, kids);
  case Kind::Series: {
    const Atom i = fresh();
    const Poly sum = mapped(opened(a, i), kid);
    const auto bound = [&](std::size_t k) {
      return a->kids[k]->kind == Kind::Sealed ? rebuilt(a->kids[k], kid) : kid(a->kids[k]);
    };
    std::optional<Poly> except;
    if (a->kids.size() > 4) except = bound(4);
    return series(i, bound(1), bound(2), except, sum);
  }
  default:
    return of(a);
  }
}

} // namespace lmc::present
