// Functions of scalars, literals, conditions, and what is known of atoms.
#include "present/terms/Terms.h"

#include <algorithm>

namespace lmc::present {

namespace {
/// Whether the first coefficient is negative: of x and -x one is taken for the other.
bool turned(const Poly& a) {
  return !a.terms.empty() && a.terms.begin()->second.negative();
}
} // namespace

/// Values at zero and the symmetry of f; an empty shape of rank 9 where there is no rule.
Poly Terms::functionRule(const std::string& name, const std::vector<Poly>& args) {
  Poly none;
  none.shape.rank = 9;
  if (args.size() != 1 || args[0].shape.rank != 0) return none;
  const Poly& x = args[0];
  const bool odd =
      name == "sin" || name == "tan" || name == "sinh" || name == "tanh" || name == "asin" || name == "atan";
  const bool even = name == "cos" || name == "cosh" || name == "abs";
  if (x.isZero()) {
    if (odd || name == "abs" || name == "sqrt") return number(0);
    if (name == "cos" || name == "cosh" || name == "exp") return number(1);
    return none;
  }
  if (const auto c = constant(x); c && *c == 1 && (name == "sqrt" || name == "log"))
    return number(name == "log" ? 0 : 1);
  if ((odd || even) && turned(x)) return scaled(odd ? -1 : 1, call(name, {scaled(-1, x)}, sym::Shape::scalar()));
  return none;
}

Poly Terms::call(const std::string& name, const std::vector<Poly>& args, const sym::Shape& shape) {
  if (Poly p = functionRule(name, args); p.shape.rank != 9) return p;
  std::vector<Atom> kids;
  kids.reserve(args.size());
  for (const Poly& p : args) kids.push_back(seal(p));
  return known(make(Kind::Call, shape, std::move(kids), name));
}

Poly Terms::select(const Poly& condition, const Poly& a, const Poly& b) {
  const Atom x = seal(a), y = seal(b);
  if (x == y) return a;
  return of(make(Kind::Select, a.shape, {seal(condition), x, y}));
}

bool isQuarterTurn(Atom a) {
  if (a->kind != Kind::Matrix || a->shape.rows != 2 || a->shape.cols != 2) return false;
  const std::int64_t turn[] = {0, -1, 1, 0};
  for (std::size_t k = 0; k < 4; ++k)
    if (a->kids[k]->kind != Kind::Sealed || Terms::constant(*a->kids[k]->poly) != turn[k]) return false;
  return true;
}

Poly Terms::quarterTurn() {
  return of(
      make(Kind::Matrix, sym::Shape::mat(2, 2), {seal(number(0)), seal(number(-1)), seal(number(1)), seal(number(0))}));
}

/// [-v2, v1] and sums of such: a quarter turn of v.
std::optional<Poly> Terms::quarterTurned(const std::vector<Poly>& entries) {
  Poly sum = zero(sym::Shape::vec(2)), second = entries[1];
  for (const auto& [m, c] : entries[0].terms) {
    Atom v = nullptr;
    Poly rest;
    for (std::size_t k = 0; k < m.powers.size() && v == nullptr; ++k) {
      const auto& [x, n] = m.powers[k];
      if (x->kind != Kind::Form || x->kids.size() != 2 || n != 1) continue;
      for (const std::size_t unit : {std::size_t{0}, std::size_t{1}}) {
        const Atom e = x->kids[unit];
        if (v != nullptr || e->shape.rows != 2 || e->kind != Kind::Basis || e->kids[0]->kind != Kind::Sealed) continue;
        if (constant(*e->kids[0]->poly) == 2) v = x->kids[1 - unit];
      }
      if (v == nullptr) continue;
      Monomial others = m;
      others.powers.erase(others.powers.begin() + static_cast<std::ptrdiff_t>(k));
      rest.terms[others] = c;
    }
    if (v == nullptr) return {};
    second = add(std::move(second), mul(rest, dot(unit(2, 1), of(v))));
    sum = sub(sum, mul(rest, matmul(quarterTurn(), of(v))));
  }
  return second.isZero() ? std::optional<Poly>(sum) : std::nullopt;
}

Poly Terms::vector(const std::vector<Poly>& entries) {
  const int n = static_cast<int>(entries.size());
  if (n == 2 && !entries[0].isZero())
    if (const auto turn = quarterTurned(entries)) return *turn;
  Poly sum = zero(sym::Shape::vec(n));
  for (int i = 0; i < n; ++i) {
    const Poly e = basis(n, number(i + 1));
    sum = add(std::move(sum), mul(entries[static_cast<std::size_t>(i)], e));
  }
  return sum;
}

Poly Terms::matrix(int rows, int cols, const std::vector<Poly>& entries) {
  if (std::all_of(entries.begin(), entries.end(), [](const Poly& p) { return p.isZero(); }))
    return zero(sym::Shape::mat(rows, cols));
  const bool skew = rows == 2 && cols == 2 && entries[0].isZero() && entries[3].isZero();
  if (skew && add(entries[1], entries[2]).isZero()) return mul(entries[2], quarterTurn());
  std::vector<Atom> kids;
  kids.reserve(entries.size());
  for (const Poly& p : entries) kids.push_back(seal(p));
  return of(make(Kind::Matrix, sym::Shape::mat(rows, cols), std::move(kids)));
}

// ---- facts

void Terms::know(Atom atom, Atom pattern, const Poly& value) {
  facts_.push_back({atom, pattern, value});
}

/// The value that is known of an atom, or the atom.
Poly Terms::known(Atom atom) {
  if (facts_.empty() || knowing_ || atom->indices.size() > 1) return of(atom);
  for (const auto& [fact, pattern, value] : facts_) {
    if (fact->kind != atom->kind || fact->kids.size() != atom->kids.size()) continue;
    if (pattern == nullptr || fact->indices.empty()) {
      if (fact == atom) return value;
      continue;
    }
    // the index of the atom: that of its first symbol with one
    const std::function<Atom(Atom)> indexOf = [&](Atom a) -> Atom {
      if (a->kind == Kind::Symbol) return a->kids.empty() ? nullptr : a->kids[0];
      for (const Atom k : a->kids)
        if (const Atom found = indexOf(k)) return found;
      return nullptr;
    };
    const Atom at = indexOf(atom);
    if (at == nullptr) continue;
    knowing_ = true;
    const Poly instance = substitute(of(fact), pattern, open(at));
    knowing_ = false;
    if (instance.terms.size() != 1) continue;
    const auto& [m, c] = *instance.terms.begin();
    const bool here = (m.core == atom && m.powers.empty()) ||
                      (m.core == nullptr && m.powers.size() == 1 && m.powers[0] == std::pair(atom, 1));
    if (here) return scaled(sym::Number(1) / c, substitute(value, pattern, open(at)));
  }
  return of(atom);
}

} // namespace lmc::present
