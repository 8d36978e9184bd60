// Equations between arrays of stacked numbers: rows of constraints, columns of velocities. Written out where they are
// few, loops where they are many.
#pragma once

#include "mechanics/mass/MassEntries.h"

#include <functional>

namespace lmc::mechanics {

/// The most rows that are written out where there are contacts: what each does to each other one is a loop beyond.
inline constexpr std::int64_t contactLimit = 8;

class Rows : protected MassEntries {
public:
  /// `written`: more are loops.
  explicit Rows(sym::Program& program, std::int64_t written = straightLineLimit)
      : MassEntries(program), written_(written) {}

  const sym::Array* vector(const std::string& name, std::int64_t n) {
    return g_.newArray(name, {n}, sym::Shape::scalar(), sym::Role::Temp);
  }
  /// The position of a component of a member among stacked numbers that begin behind `first`, from 1.
  sym::Expr column(std::int64_t first, int dimension, sym::Expr member, int component) {
    const sym::Expr base = g_.integer(first + component + 1);
    if (!member) return base;
    return g_.add(base, g_.mul(g_.integer(dimension), g_.sub(member, g_.integer(1))));
  }
  /// `body` for k = 1…n: once for each, or once inside of a loop.
  void each(std::int64_t n, const std::string& name,
            const std::function<void(sym::Expr, const std::vector<sym::Loop>&)>& body) {
    if (n > written_) {
      const sym::Loop loop = sym::fullLoop(g_, name, n);
      return body(loop.index, {loop});
    }
    for (std::int64_t k = 1; k <= n; ++k) body(g_.integer(k), {});
  }
  /// array[index] = more + sum over k = 1…n of term(k), inside of loops.
  void sum(const sym::Array* array, const std::vector<sym::Loop>& loops, const std::vector<sym::Expr>& index,
           std::int64_t n, const std::function<sym::Expr(sym::Expr)>& term, sym::Expr more = {}) {
    if (n <= written_) {
      sym::Expr total = more ? more : g_.number(0);
      for (std::int64_t k = 1; k <= n; ++k) total = g_.add(total, term(g_.integer(k)));
      return set(array, loops, index, total, sym::EquationKind::Accumulate);
    }
    if (more) set(array, loops, index, more, sym::EquationKind::Accumulate);
    const sym::Loop loop = sym::fullLoop(g_, "a", n);
    std::vector<sym::Loop> all = loops;
    all.push_back(loop);
    set(array, all, index, term(loop.index), sym::EquationKind::Accumulate);
  }
  /// x with S x = rhs. Where rows depend on each other, the shortest of all x (Lowering::usePivots). `wanted`: where a
  /// small one is not, x is zero.
  const sym::Array* solveRows(const sym::Array* s, const sym::Array* rhs, const std::string& name,
                              sym::Expr wanted = {}) {
    const std::int64_t n = s->extents[0];
    const sym::Array* x = vector(name, n);
    solveStacked(n, apart(s, n), rhs, x, sym::Definite::Semi, wanted);
    return x;
  }

protected:
  std::int64_t written_;
};

} // namespace lmc::mechanics
