// Small matrices of expressions.
#pragma once

#include "sym/Expr.h"

#include <algorithm>

namespace lmc::methods {

/// A matrix of expressions; those that are zero take no part.
struct Block {
  int rows = 0, columns = 0;
  std::vector<sym::Expr> entries;

  Block() = default;
  Block(sym::Graph& g, int m, int n) : rows(m), columns(n), entries(static_cast<std::size_t>(m * n), g.number(0)) {}
  sym::Expr& at(int i, int j) { return entries[static_cast<std::size_t>(i * columns + j)]; }
  [[nodiscard]] sym::Expr at(int i, int j) const { return entries[static_cast<std::size_t>(i * columns + j)]; }
};

inline Block product(sym::Graph& g, const Block& a, const Block& b) {
  Block r(g, a.rows, b.columns);
  for (int i = 0; i < r.rows; ++i)
    for (int j = 0; j < r.columns; ++j) {
      std::vector<sym::Expr> terms;
      for (int k = 0; k < a.columns; ++k)
        if (!a.at(i, k)->isZero() && !b.at(k, j)->isZero()) terms.push_back(g.mul(a.at(i, k), b.at(k, j)));
      if (!terms.empty()) r.at(i, j) = g.sum(terms, sym::Shape::scalar());
    }
  return r;
}

inline Block sum(sym::Graph& g, Block a, const Block& b) {
  for (std::size_t k = 0; k < a.entries.size(); ++k) a.entries[k] = g.add(a.entries[k], b.entries[k]);
  return a;
}

inline Block negative(sym::Graph& g, Block a) {
  for (sym::Expr& e : a.entries) e = g.neg(e);
  return a;
}

/// Written out, with the largest pivots of columns; of a singular matrix it is not finite.
inline Block inverseByPivots(sym::Graph& g, Block a) {
  const int n = a.rows;
  Block x(g, n, n);
  for (int i = 0; i < n; ++i) x.at(i, i) = g.number(1);
  const auto size = [&](sym::Expr e) { return g.function(sym::Op::Abs, e); };
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      if (a.at(i, k)->isZero()) continue;
      const sym::Expr larger = g.compare(sym::Op::Lt, size(a.at(k, k)), size(a.at(i, k)));
      for (Block* b : {&a, &x})
        for (int j = 0; j < n; ++j) {
          const sym::Expr upper = b->at(k, j), lower = b->at(i, j);
          b->at(k, j) = g.select(larger, lower, upper);
          b->at(i, j) = g.select(larger, upper, lower);
        }
    }
    const sym::Expr scale = g.div(g.number(1), a.at(k, k));
    for (Block* b : {&a, &x})
      for (int j = 0; j < n; ++j) b->at(k, j) = g.mul(scale, b->at(k, j));
    for (int i = 0; i < n; ++i) {
      const sym::Expr factor = a.at(i, k);
      if (i == k || factor->isZero()) continue;
      for (int j = k; j < n; ++j) a.at(i, j) = g.sub(a.at(i, j), g.mul(factor, a.at(k, j)));
      for (int j = 0; j < n; ++j) x.at(i, j) = g.sub(x.at(i, j), g.mul(factor, x.at(k, j)));
    }
  }
  return x;
}

inline Block inverse(sym::Graph& g, const Block& a) {
  Block r(g, a.rows, a.rows);
  if (a.rows == 1) {
    r.at(0, 0) = g.div(g.number(1), a.at(0, 0));
    return r;
  }
  constexpr int cofactors = 3, writtenOut = 6; // larger ones are those of a routine
  if (a.rows > cofactors && a.rows <= writtenOut) return inverseByPivots(g, a);
  const sym::Expr m = g.inverse(g.matrix(a.rows, a.rows, a.entries));
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.rows; ++j) r.at(i, j) = g.entry(m, i, j);
  return r;
}

inline bool vanishes(const Block& a) {
  return std::all_of(a.entries.begin(), a.entries.end(), [](sym::Expr e) { return e->isZero(); });
}

} // namespace lmc::methods
