// Multipliers of constraints that depend on each other.
#pragma once

#include "mechanics/constraints/Rows.h"

namespace lmc::methods {

class Shortest : private mechanics::Rows {
public:
  /// Arrays are named with a suffix.
  Shortest(sym::Program& p, std::string suffix) : mechanics::Rows(p), suffix_(std::move(suffix)) {}

  /// What of lam makes no force, for S = B M^-1 B^T: lam - S^+ S lam, which is zero but for rounding where rows are
  /// independent; and lam of rows that do not hold. `lambda` is the entry at the index `row`.
  const sym::Array* idle(const sym::Array* s, const sym::Array* inactive, sym::Expr lambda, sym::Expr row) {
    const std::int64_t n = s->extents[0];
    const sym::Array* own = vector("lam" + suffix_, n);
    set(own, {{row, g_.integer(1), g_.integer(n), false}}, {row}, lambda);
    const sym::Array* image = vector("S lam" + suffix_, n);
    each(n, "i", [&](sym::Expr i, const std::vector<sym::Loop>& loops) {
      sum(image, loops, {i}, n, [&](sym::Expr k) { return g_.mul(g_.load(s, {i, k}), g_.load(own, {k})); });
    });
    const sym::Expr some = anyRank();
    const sym::Array* least = solveRows(s, image, "least" + suffix_, some);
    const sym::Array* rest = vector("idle" + suffix_, n);
    each(n, "i", [&](sym::Expr i, const std::vector<sym::Loop>& loops) {
      const sym::Expr lam = g_.load(own, {i});
      const sym::Expr part = g_.select(some, g_.sub(lam, g_.load(least, {i})), g_.number(0));
      set(rest, loops, {i}, g_.add(part, g_.mul(g_.load(inactive, {i}), lam)));
    });
    return rest;
  }

private:
  /// Is code made for matrices of any rank (Lowering::usePivots)? Where it is not, all of lam makes forces, and lam -
  /// S^+ S lam is nothing but rounding, which the reciprocal of S makes large near singular configurations. The second
  /// pivot of [1, 1; 1, 1 + faint] is taken for rounding where ranks are told; the solution is then a faint one.
  sym::Expr anyRank() {
    const sym::Number faint = sym::Number::decimal("1e-13");
    const sym::Expr one = g_.number(1), more = g_.number(sym::Number(1) + faint);
    const sym::Expr x = g_.solve(g_.matrix(2, 2, {one, one, one, more}), g_.vector({g_.number(0), g_.number(faint)}),
                                 sym::Definite::Semi);
    return g_.compare(sym::Op::Lt, g_.entry(x, 1), g_.number(sym::Number::ratio(1, 2)));
  }

  std::string suffix_;
};

} // namespace lmc::methods
