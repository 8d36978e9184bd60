#include "sym/Polynomial.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lmc::sym {

namespace {

constexpr std::size_t largest = 200; ///< terms

using Monomial = std::vector<std::uint32_t>; ///< ids of the factors, sorted
using Polynomial = std::map<Monomial, Number>;

void addTo(Polynomial& p, const Monomial& m, const Number& c) {
  const auto [it, isNew] = p.emplace(m, c);
  if (!isNew) it->second = it->second + c;
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial r;
  for (const auto& [m, c] : a) {
    for (const auto& [n, d] : b) {
      Monomial both = m;
      both.insert(both.end(), n.begin(), n.end());
      std::sort(both.begin(), both.end());
      addTo(r, both, c * d);
    }
  }
  return r;
}

std::optional<Polynomial> expanded(Expr e) {
  if (e->isZero()) return Polynomial{};
  if (e->isConst()) return Polynomial{{{}, e->number}};
  if (e->op == Op::Add) {
    Polynomial sum;
    for (const Expr& term : e->args) {
      const auto p = expanded(term);
      if (!p || sum.size() + p->size() > largest) return {};
      for (const auto& [m, c] : *p) addTo(sum, m, c);
    }
    return sum;
  }
  const bool power = e->op == Op::PowInt && e->imm > 0 && e->imm <= 4;
  if (e->op != Op::Mul && !power) return Polynomial{{{e->id}, Number(1)}};
  Polynomial r{{{}, Number(1)}};
  for (std::int64_t k = 0; k < (power ? e->imm : 2); ++k) {
    const auto p = expanded(e->args[power ? 0 : static_cast<std::size_t>(k)]);
    if (!p || r.size() * p->size() > largest) return {};
    r = product(r, *p);
  }
  return r;
}

} // namespace

bool samePolynomial(Expr a, Expr b) {
  if (a == b) return true;
  const auto p = expanded(a);
  const auto q = expanded(b);
  if (!p || !q) return false;
  Polynomial difference = *p;
  for (const auto& [m, c] : *q) addTo(difference, m, c * Number(-1));
  return std::all_of(difference.begin(), difference.end(), [](const auto& term) { return term.second.isZero(); });
}

} // namespace lmc::sym
