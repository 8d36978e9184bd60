// Sums over an index. What does not depend on it stands before the sum, and sums of sums are taken apart, so that equal
// sums are the same atom; Fold.cpp puts them together again.
#include "present/terms/Terms.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::present {

namespace {
std::string boundName(int height) {
  return fmt::format("#{}", height);
}
} // namespace

Poly Terms::opened(Atom series, Atom index) {
  return substitute(open(series->kids[3]), series->kids[0], of(index));
}

Poly Terms::series(Atom index, const Poly& lo, const Poly& hi, const std::optional<Poly>& except, const Poly& body) {
  const auto length = constant(sub(hi, lo));
  if (length && *length < 0) return zero(body.shape);
  const auto first = constant(lo), last = constant(hi);
  if (!except && length && *length == 0) return substitute(body, index, lo);
  if (first && last && *length < members_ && (!except || constant(*except))) {
    Poly sum = zero(body.shape);
    for (std::int64_t k = *first; k <= *last; ++k)
      if (!except || constant(*except) != k) sum = add(std::move(sum), substitute(body, index, number(k)));
    return sum;
  }
  Poly sum = zero(body.shape);
  for (const auto& [m, c] : body.terms) {
    Monomial outside, inside;
    for (const auto& p : m.powers) (p.first->mentions(index) ? inside : outside).powers.push_back(p);
    (m.core != nullptr && m.core->mentions(index) ? inside : outside).core = m.core;
    Poly before = zero(outside.core != nullptr ? outside.core->shape : sym::Shape::scalar());
    before.terms[outside] = c;
    if (inside.core == nullptr && inside.powers.empty()) {
      Poly count = add(sub(hi, lo), number(1));
      if (asCount) count = asCount(count);
      if (except) count = sub(count, number(1));
      sum = add(std::move(sum), mul(count, before));
      continue;
    }
    if (!except) {
      if (auto turned = exchanged(index, lo, hi, inside)) {
        sum = add(std::move(sum),
                  mul(before.shape.rank == 0 ? before : *turned, before.shape.rank == 0 ? *turned : before));
        continue;
      }
    }
    Poly summand = zero(inside.core != nullptr ? inside.core->shape : sym::Shape::scalar());
    summand.terms[inside] = sym::Number(1);
    // The bound index is named by how deep its body is.
    int height = 0;
    if (inside.core != nullptr) height = inside.core->height;
    for (const auto& [x, n] : inside.powers) height = std::max(height, x->height);
    const Atom bound = this->index(boundName(height + 1));
    Term t;
    t.kind = Kind::Series;
    t.shape = summand.shape;
    t.kids = {bound, seal(lo), seal(hi), seal(substitute(summand, index, of(bound)))};
    if (except) t.kids.push_back(seal(*except));
    const Atom made = intern(std::move(t));
    sum = add(std::move(sum), inside.core == nullptr ? mul(of(made), before) : mul(before, of(made)));
  }
  return sum;
}

Poly Terms::writtenOut(const Poly& a, std::int64_t members) {
  members_ = members;
  Search sums([](Atom x) { return x->kind == Kind::Series; });
  std::unordered_map<Atom, Poly> memo;
  const std::function<Poly(Atom)> atom = [&](Atom x) -> Poly {
    if (!sums.in(x)) return of(x);
    if (const auto it = memo.find(x); it != memo.end()) return it->second;
    Poly value = rebuilt(x, atom);
    memo.emplace(x, value);
    return value;
  };
  Poly sum = mapped(a, atom);
  members_ = 0;
  return sum;
}

Poly Terms::withHalvesJoined(const Poly& a) {
  // the sums of a term, each with what stands beside it
  const auto sumsOf = [](const Monomial& m) {
    std::vector<std::pair<Atom, Monomial>> list;
    const auto plain = [](Atom s) { return s->kind == Kind::Series && s->kids.size() == 4; };
    if (m.core != nullptr && plain(m.core)) list.push_back({m.core, {m.powers, nullptr}});
    for (std::size_t k = 0; k < m.powers.size(); ++k) {
      if (m.powers[k].second != 1 || !plain(m.powers[k].first)) continue;
      Monomial others = m;
      others.powers.erase(others.powers.begin() + static_cast<std::ptrdiff_t>(k));
      list.emplace_back(m.powers[k].first, std::move(others));
    }
    return list;
  };
  const auto same = [](const Monomial& x, const Monomial& y) { return x.core == y.core && x.powers == y.powers; };
  for (const auto& [m, c] : a.terms)
    for (const auto& [low, beside] : sumsOf(m))
      for (const auto& [n, d] : a.terms)
        for (const auto& [high, others] : sumsOf(n)) {
          if (high == low || !(c == d) || !same(beside, others)) continue;
          const Poly out = add(open(low->kids[2]), number(1));
          if (!sub(open(high->kids[1]), add(out, number(1))).isZero()) continue;
          const Atom i = fresh();
          const Poly body = opened(low, i);
          if (!sub(body, opened(high, i)).isZero()) continue;
          Poly rest = a, factor = zero(beside.core != nullptr ? beside.core->shape : sym::Shape::scalar());
          rest.terms.erase(m);
          rest.terms.erase(n);
          factor.terms[beside] = c;
          const Poly joined = series(i, open(low->kids[1]), open(high->kids[2]), out, body);
          return withHalvesJoined(add(rest, factor.shape.rank == 0 ? mul(factor, joined) : mul(joined, factor)));
        }
  return a;
}

/// sum over j of f(j) sum over k = j + c … of g, the other way round: the inner sum ends where the outer index is.
std::optional<Poly> Terms::exchanged(Atom index, const Poly& lo, const Poly& hi, const Monomial& body) {
  const auto turn = [&](Atom s, const Monomial& others) -> std::optional<Poly> {
    if (s->kind != Kind::Series || s->kids.size() > 4 || !s->kids[1]->mentions(index) || s->kids[2]->mentions(index))
      return {};
    const auto c = constant(sub(open(s->kids[1]), of(index)));
    const auto last = constant(open(s->kids[2])), end = constant(hi), start = constant(lo);
    if (!c || !last || !end || !start || *last - *c > *end) return {};
    const Atom k = fresh();
    Poly factor = zero(others.core != nullptr ? others.core->shape : sym::Shape::scalar());
    factor.terms[others] = sym::Number(1);
    const Poly inner = opened(s, k);
    const Poly all = factor.shape.rank == 0 ? mul(factor, inner) : mul(inner, factor);
    return series(k, number(*start + *c), number(*last), {}, series(index, lo, sub(of(k), number(*c)), {}, all));
  };
  if (body.core != nullptr)
    if (auto p = turn(body.core, {body.powers, nullptr})) return p;
  for (std::size_t k = 0; k < body.powers.size(); ++k) {
    if (body.powers[k].second != 1) continue;
    Monomial others = body;
    others.powers.erase(others.powers.begin() + static_cast<std::ptrdiff_t>(k));
    if (auto p = turn(body.powers[k].first, others)) return p;
  }
  return {};
}

/// f of a sum, for a linear f: the sum of f.
Poly Terms::through(Atom s, const std::function<Poly(const Poly&)>& f) {
  const Atom i = fresh();
  std::optional<Poly> except;
  if (s->kids.size() > 4) except = open(s->kids[4]);
  return series(i, open(s->kids[1]), open(s->kids[2]), except, f(opened(s, i)));
}

} // namespace lmc::present
