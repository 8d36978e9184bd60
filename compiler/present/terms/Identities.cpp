#include "present/terms/Identities.h"

#include <algorithm>
#include <cmath>

namespace lmc::present {

namespace {

/// Expressions of the table.
struct Term3 {
  Terms* t;
  Poly p;
};
Term3 operator+(const Term3& a, const Term3& b) {
  return {a.t, a.t->add(a.p, b.p)};
}
Term3 operator-(const Term3& a, const Term3& b) {
  return {a.t, a.t->sub(a.p, b.p)};
}
Term3 operator-(const Term3& a) {
  return {a.t, a.t->scaled(-1, a.p)};
}
Term3 operator*(const Term3& a, const Term3& b) {
  return {a.t, a.t->mul(a.p, b.p)};
}
Term3 power(const Term3& a, int n) {
  return {a.t, a.t->power(a.p, n)};
}
#define LMC_SCALAR(name)                                                                                               \
  Term3 name(const Term3& a) {                                                                                         \
    return {a.t, a.t->call(#name, {a.p}, Shape::scalar())};                                                            \
  }
LMC_SCALAR(sin)
LMC_SCALAR(cos)
LMC_SCALAR(sinh)
LMC_SCALAR(cosh)
#undef LMC_SCALAR
/// A product of three vectors is made in normal form.
Term3 dot(const Term3& a, const Term3& b) {
  const bool one = a.p.terms.begin()->first.core->kind == Kind::Cross,
             two = b.p.terms.begin()->first.core->kind == Kind::Cross;
  return {a.t, one != two ? a.t->dot(a.p, b.p) : a.t->plainDot(a.p, b.p)};
}
Term3 cross(const Term3& a, const Term3& b) {
  return {a.t, a.t->plainCross(a.p, b.p)};
}

bool isVariable(Atom a) {
  return a->kind == Kind::Symbol && a->array == nullptr && a->name[0] == '$';
}

using Binding = std::map<Atom, Atom>;
using Then = std::function<bool(const Binding&)>;

/// All ways in which a pattern is an atom; stops where `then` is content.
bool unified(Terms& t, Atom pattern, Atom a, const Binding& binding, const Then& then) {
  if (isVariable(pattern)) {
    if (a->shape != pattern->shape) return false;
    const auto it = binding.find(pattern);
    if (it != binding.end()) return it->second == a && then(binding);
    Binding more = binding;
    more.emplace(pattern, a);
    return then(more);
  }
  if (pattern->kind != a->kind || pattern->name != a->name) return false;
  if (pattern->kind == Kind::Triple) { // up to turns, which are no change; a swap is a change of sign
    for (std::size_t turn = 0; turn < 3; ++turn)
      if (unified(t, pattern->kids[0], a->kids[turn], binding, [&](const Binding& x) {
            return unified(t, pattern->kids[1], a->kids[(turn + 1) % 3], x, [&](const Binding& y) {
              return unified(t, pattern->kids[2], a->kids[(turn + 2) % 3], y, then);
            });
          }))
        return true;
    return false;
  }
  if (pattern->kind == Kind::Form) {
    for (const Atom end : {a->kids.front(), a->kids.back()}) {
      const auto other = t.gradientOf(a, end);
      if (!other) continue;
      const Atom rest = t.seal(*other);
      if (unified(t, pattern->kids[0], end, binding,
                  [&](const Binding& b) { return unified(t, pattern->kids[1], rest, b, then); }))
        return true;
      if (unified(t, pattern->kids[1], end, binding,
                  [&](const Binding& b) { return unified(t, pattern->kids[0], rest, b, then); }))
        return true;
    }
    return false;
  }
  return pattern->kids.size() == 1 && a->kids.size() == 1 && unified(t, pattern->kids[0], a->kids[0], binding, then);
}

/// All ways in which a pattern's factors are among those of a term; `then` gets what is left of it.
bool matched(Terms& t, const Monomial& pattern, std::size_t k, const Monomial& m, const Binding& binding,
             const std::function<bool(const Binding&, const Monomial&)>& then) {
  if (k == pattern.powers.size()) {
    if (pattern.core == nullptr) return then(binding, m);
    if (m.core == nullptr) return false;
    Monomial rest = m;
    rest.core = nullptr;
    return unified(t, pattern.core, m.core, binding, [&](const Binding& b) { return then(b, rest); });
  }
  const auto& [factor, n] = pattern.powers[k];
  for (std::size_t i = 0; i < m.powers.size(); ++i) {
    if (m.powers[i].second < n) continue;
    Monomial rest = m;
    rest.powers[i].second -= n;
    if (rest.powers[i].second == 0) rest.powers.erase(rest.powers.begin() + static_cast<std::ptrdiff_t>(i));
    if (unified(t, factor, m.powers[i].first, binding,
                [&](const Binding& b) { return matched(t, pattern, k + 1, rest, b, then); }))
      return true;
  }
  return false;
}

Poly instance(Terms& t, const Poly& pattern, const Binding& binding) {
  const std::function<Poly(Atom)> atom = [&](Atom a) -> Poly {
    if (isVariable(a)) return t.open(binding.at(a));
    std::vector<Poly> kids;
    if (a->kind == Kind::Sealed) return instance(t, *a->poly, binding);
    for (const Atom k : a->kids) kids.push_back(atom(k));
    if (a->kind == Kind::Call) return t.call(a->name, kids, a->shape);
    if (a->kind == Kind::Cross) return t.plainCross(kids[0], kids[1]);
    if (a->kind == Kind::Form) return t.plainDot(kids[0], kids[1]);
    if (a->kind == Kind::Triple) return t.dot(kids[0], t.cross(kids[1], kids[2]));
    return t.of(a);
  };
  Poly sum = Terms::zero(pattern.shape);
  for (const auto& [m, c] : pattern.terms) {
    Poly scalars = t.number(c);
    for (const auto& [x, n] : m.powers) scalars = t.mul(t.power(atom(x), n), scalars);
    const Poly term = m.core != nullptr ? t.mul(scalars, atom(m.core)) : scalars;
    sum.shape = term.shape;
    sum = t.add(std::move(sum), term);
  }
  return sum;
}

/// The term of the left side that is looked for: one with factors.
std::pair<Monomial, sym::Number> leader(const Identity& rule) {
  for (const auto& term : rule.left.terms)
    if (!term.first.powers.empty()) return term;
  return *rule.left.terms.begin();
}

/// Whether the variables of a pattern have values.
bool boundBy(const Monomial& pattern, const Binding& binding) {
  const std::function<bool(Atom)> bound = [&](Atom a) {
    return isVariable(a) ? binding.contains(a) : std::all_of(a->kids.begin(), a->kids.end(), bound);
  };
  return (pattern.core == nullptr || bound(pattern.core)) &&
         std::all_of(pattern.powers.begin(), pattern.powers.end(), [&](const auto& p) { return bound(p.first); });
}

bool applied(Terms& t, const Identity& rule, Poly& p) {
  if (p.terms.size() < rule.left.terms.size()) return false;
  const std::pair<Monomial, sym::Number> first = leader(rule);
  Poly others = rule.left;
  others.terms.erase(first.first);
  for (const auto& [m, c] : p.terms) {
    const sym::Number coefficient = c / first.second;
    std::optional<Poly> next;
    (void)matched(t, first.first, 0, m, {}, [&, &here = m](const Binding& b, const Monomial& rest) {
      Poly factor = Terms::zero(rest.core != nullptr ? rest.core->shape : sym::Shape::scalar());
      factor.terms[rest] = coefficient;
      const auto times = [&](const Poly& x) { return x.shape.rank == 0 ? t.mul(x, factor) : t.mul(factor, x); };
      Poly without = p;
      without.terms.erase(here);
      for (const auto& [n, d] : others.terms) {
        Poly pattern = Terms::zero(rule.left.shape);
        pattern.terms[n] = d;
        if (!boundBy(n, b)) return false;
        const Poly other = times(instance(t, pattern, b));
        if (other.terms.size() != 1) return false;
        const auto it = without.terms.find(other.terms.begin()->first);
        if (it == without.terms.end() || !(it->second == other.terms.begin()->second)) return false;
        without.terms.erase(it);
      }
      next = t.add(without, times(instance(t, rule.right, b)));
      return true;
    });
    if (!next) continue;
    p = std::move(*next);
    return true;
  }
  return false;
}

} // namespace

std::vector<Identity> identities(Terms& terms) {
  const auto variable = [&](const char* name, const sym::Shape& shape) {
    return Term3{&terms, terms.of(terms.symbol(nullptr, name, shape, {}))};
  };
  const auto number = [&](int n) { return Term3{&terms, terms.number(n)}; };
  const Term3 a = variable("$a", sym::Shape::scalar()), b = variable("$b", sym::Shape::scalar());
  const Term3 u = variable("$u", sym::Shape::vec(3)), v = variable("$v", sym::Shape::vec(3)),
              w = variable("$w", sym::Shape::vec(3)), z = variable("$z", sym::Shape::vec(3));
  return {
#define LMC_IDENTITY(name, left, right) {#name, (left).p, (right).p},
#include "present/terms/Identities.def"
  };
}

const std::vector<Identity>& Terms::rules() {
  if (!rules_) rules_ = std::make_shared<const std::vector<Identity>>(identities(*this));
  return *rules_;
}

bool useIdentities(Terms& terms, Poly& p) {
  bool any = false;
  if (p.terms.size() < 2 || p.terms.size() > 200) return any;
  const std::vector<Identity>& rules = terms.rules();
  for (bool changed = true; changed && p.terms.size() > 1;) {
    changed = std::any_of(rules.begin(), rules.end(), [&](const Identity& rule) { return applied(terms, rule, p); });
    any = any || changed;
  }
  return any;
}

} // namespace lmc::present
