#include "mechanics/mass/MassEntries.h"

namespace lmc::mechanics {

using sym::Expr;

void MassEntries::set(const sym::Array* array, std::vector<sym::Loop> loops, std::vector<Expr> index, Expr value,
                      sym::EquationKind kind, Expr positive) {
  sym::Equation e;
  e.kind = kind;
  e.positive = positive;
  e.array = array;
  e.loops = std::move(loops);
  e.index = std::move(index);
  e.value = value;
  p_.append(std::move(e));
}

void MassEntries::setDiagonal(std::vector<Expr>& m, int n, int offset, int dimension, Expr s) {
  for (int a = 0; a < dimension; ++a) {
    for (int b = 0; b < dimension; ++b) m[(offset + a) * n + offset + b] = a == b ? s : g_.number(0);
  }
}

sema::Tuple MassEntries::at(const sema::Tuple& values, const std::vector<Expr>& from, const std::vector<Expr>& to) {
  if (from.empty() || from == to) return values;
  sym::Substitution s(
      g_, [&](const sym::Node& n, const std::vector<Expr>&) { return from[0].node() == &n ? to[0] : Expr(); });
  sema::Tuple r;
  for (const Expr& e : values) r.push_back(s(e));
  return r;
}

bool MassEntries::ofParameters(Expr e) const {
  for (const sym::Array* a : sym::reads(e)) {
    if (a->role != sym::Role::Param && (a->role != sym::Role::Temp || !ofParameters(a))) return false;
  }
  return true;
}

bool MassEntries::ofParameters(const sym::Array* a) const {
  for (const std::size_t k : p_.slice({a})) {
    for (const sym::Array* r : p_.reads(k)) {
      if (r->role != sym::Role::Temp && r->role != sym::Role::Param) return false;
    }
  }
  return true;
}

void MassEntries::copyMatrix(const sym::Array* from, const sym::Array* to, std::int64_t n) {
  for (std::int64_t k = 0; k < n * n && n <= straightLineLimit; ++k) {
    const std::vector<Expr> entry{g_.integer(k / n + 1), g_.integer(k % n + 1)};
    set(to, {}, entry, g_.load(from, entry), sym::EquationKind::Accumulate);
  }
  if (n <= straightLineLimit) return;
  const sym::Loop i = sym::fullLoop(g_, "i", n);
  const sym::Loop j = sym::fullLoop(g_, "j", n);
  set(to, {i, j}, {i.index, j.index}, g_.load(from, {i.index, j.index}), sym::EquationKind::Accumulate);
}

const sym::Array* MassEntries::apart(const sym::Array* from, std::int64_t n) {
  if (n <= straightLineLimit) return from;
  const sym::Array* own = g_.newArray(from->name, {n, n}, sym::Shape::scalar(), sym::Role::Temp);
  copyMatrix(from, own, n);
  return own;
}

void MassEntries::solveStacked(std::int64_t n, const sym::Array* mass, const sym::Array* rhs, const sym::Array* x,
                               sym::Definite definite, Expr wanted) {
  if (n > straightLineLimit) {
    sym::Equation e;
    e.kind = sym::EquationKind::LinearSolve;
    e.array = x;
    e.matrix = mass;
    e.rhs = rhs;
    e.semidefinite = definite == sym::Definite::Semi;
    p_.append(std::move(e));
    return;
  }
  std::vector<Expr> m;
  std::vector<Expr> r;
  for (std::int64_t i = 1; i <= n; ++i) {
    for (std::int64_t j = 1; j <= n; ++j) m.push_back(g_.load(mass, {g_.integer(i), g_.integer(j)}));
    r.push_back(g_.load(rhs, {g_.integer(i)}));
  }
  const int size = static_cast<int>(n);
  const Expr solution = g_.solve(g_.matrix(size, size, m), g_.vector(r), definite);
  for (std::int64_t i = 1; i <= n; ++i) {
    const Expr own = g_.entry(solution, static_cast<int>(i) - 1);
    set(x, {}, {g_.integer(i)}, wanted ? g_.select(wanted, own, g_.number(0)) : own);
  }
}

} // namespace lmc::mechanics
