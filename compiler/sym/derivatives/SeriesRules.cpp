// The rules of Series.h, one for each operation.
#include "sym/derivatives/OrderEquations.h"

#include <fmt/format.h>

namespace lmc::sym {

// --- rules --------------------------------------------------------------------------------------------------------

/// Long because it has one case an operation.
Expr OrderEquations::rule(const Node& n, std::vector<Expr> d) {
  const Expr self(&n);
  const auto a = [&](std::size_t k) { return n.args[k]; };
  const auto plain = [&] { return change(g_, n, d); };
  switch (n.op) {
  case Op::Mul:
  case Op::Inner:
  case Op::Cross:
  case Op::Outer:
  case Op::MatMul:
    return g_.add(plain(), products(n, d[0], d[1]));
  case Op::Div:
    if (!d[1]->isZero()) d[0] = g_.sub(d[0], product(n, later(self), later(a(1))));
    return plain();
  case Op::Sqrt:
    d[0] = g_.sub(d[0], product(n, later(self), later(self)));
    return plain();
  case Op::Log:
    d[0] = g_.sub(d[0], perOrder(product(
                            n, [this, self] { return g_.mul(order(), of(self)); }, later(a(0)))));
    return plain();
  case Op::Inverse:
    return g_.sub(plain(), g_.matmul(self, tensorOf(g_, n.shape, timesSelf(n, d[0]))));
  case Op::Solve:
    if (!d[0]->isZero()) d[1] = g_.sub(d[1], tensorOf(g_, n.shape, timesSelf(n, d[0])));
    return plain();
  case Op::Det:
    if (a(0)->shape.rows <= mostRows) return of(determinant(a(0)));
    refuse(fmt::format("the determinant of {} rows has no rule", a(0)->shape.rows));
    return {};
  case Op::Exponential:
    refuse("the exponential of a matrix has no rule");
    return {};
  case Op::Pow:
  case Op::PowInt:
    return power(n, std::move(d));
  case Op::Atan2:
    return angle(n, d);
  case Op::Stumpff:
    return of(elementaryStumpff(g_, static_cast<int>(n.imm), a(0)));
  case Op::Exp:
  case Op::Sin:
  case Op::Cos:
  case Op::Tan:
  case Op::Asin:
  case Op::Acos:
  case Op::Atan:
  case Op::Sinh:
  case Op::Cosh:
  case Op::Tanh:
    return function(n, d, scalarDerivative(g_, n));
  default:
    return plain(); // linear, but for the choice of a branch
  }
}

/// S_n of a matrix with the value of n, entry by entry.
std::vector<Expr> OrderEquations::timesSelf(const Node& n, Expr matrix) {
  const Expr self(&n);
  const int inner = matrix->shape.cols, columns = n.shape.rank == 1 ? 1 : n.shape.cols;
  std::vector<Expr> list;
  for (int i = 0; i < matrix->shape.rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      std::vector<Expr> terms;
      for (int k = 0; k < inner; ++k) {
        const Expr left = at(matrix, i * inner + k);
        if (left->isZero()) continue;
        terms.push_back(product(
            n, [left] { return left; }, [this, self, k, j, columns] { return at(of(self), k * columns + j); }));
      }
      list.push_back(g_.sum(terms, Shape::scalar()));
    }
  }
  return list;
}

/// Written out along the first rows.
Expr OrderEquations::determinant(Expr a) {
  const int rows = a->shape.rows;
  const std::function<Expr(int, std::vector<int>)> minor = [&](int row, const std::vector<int>& columns) {
    if (row + 1 == rows) return g_.entry(a, row, columns[0]);
    std::vector<Expr> terms;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      std::vector<int> rest = columns;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      const Expr term = g_.mul(g_.entry(a, row, columns[k]), minor(row + 1, rest));
      terms.push_back(k % 2 == 0 ? term : g_.neg(term));
    }
    return g_.sum(terms, Shape::scalar());
  };
  std::vector<int> all;
  all.reserve(rows);
  for (int k = 0; k < rows; ++k) all.push_back(k);
  return minor(0, all);
}

/// Of a function with the derivative `slope`, which may depend on its value: n c_n = sum of k a_k g_{n-k}.
Expr OrderEquations::function(const Node& n, const std::vector<Expr>& d, Expr slope) {
  return g_.add(g_.mul(slope, d[0]), perOrder(product(n, timesOrder(d[0]), later(slope))));
}

Expr OrderEquations::power(const Node& n, std::vector<Expr> d) {
  const Expr self(&n), a = n.args[0];
  if (n.op == Op::Pow) {
    const Expr r = n.args[1];
    if (d[1]->isZero()) return function(n, d, g_.div(g_.mul(r, self), a));
    return of(g_.function(Op::Exp, g_.mul(r, g_.function(Op::Log, a))));
  }
  const std::int64_t m = n.imm;
  if (m >= 2) {
    const Expr p = g_.powInt(a, m / 2), q = g_.powInt(a, m - m / 2);
    const Expr pn = of(p), qn = of(q);
    return g_.sum({g_.mul(pn, q), g_.mul(p, qn), product(n, pn, qn)}, Shape::scalar());
  }
  const Expr b = m == -1 ? a : g_.powInt(a, -m);
  const Expr bn = of(b);
  const Expr sum = g_.add(g_.mul(self, bn), product(n, later(self), [bn] { return bn; }));
  return g_.neg(g_.mul(self, sum)); // c_0 = 1/b_0
}

Expr OrderEquations::angle(const Node& n, const std::vector<Expr>& d) {
  const Expr self(&n), y = n.args[0], x = n.args[1];
  const Expr r = g_.add(g_.powInt(x, 2), g_.powInt(y, 2));
  std::vector<Expr> terms;
  if (!d[0]->isZero() && !d[1]->isZero()) {
    terms.push_back(product(n, timesOrder(d[0]), later(x)));
    terms.push_back(g_.neg(product(n, timesOrder(d[1]), later(y))));
  }
  terms.push_back(g_.neg(product(
      n, [this, self] { return g_.mul(order(), of(self)); }, later(r))));
  const Expr first = g_.sub(g_.mul(x, d[0]), g_.mul(y, d[1]));
  return g_.div(g_.add(first, perOrder(g_.sum(terms, Shape::scalar()))), r);
}

/// S_n of a bilinear operation.
Expr OrderEquations::products(const Node& n, Expr a, Expr b) {
  if (a->isZero() || b->isZero()) return g_.zero(n.shape);
  std::vector<Expr> list;
  switch (n.op) {
  case Op::Mul:
    for (int k = 0; k < n.shape.size(); ++k) list.push_back(product(n, a, at(b, k)));
    break;
  case Op::Inner: {
    std::vector<Expr> terms;
    terms.reserve(a->shape.size());
    for (int k = 0; k < a->shape.size(); ++k) terms.push_back(product(n, at(a, k), at(b, k)));
    return g_.sum(terms, Shape::scalar());
  }
  case Op::Cross:
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      list.push_back(g_.sub(product(n, at(a, i), at(b, j)), product(n, at(a, j), at(b, i))));
    }
    break;
  case Op::Outer:
    for (int i = 0; i < a->shape.rows; ++i)
      for (int j = 0; j < b->shape.rows; ++j) list.push_back(product(n, at(a, i), at(b, j)));
    break;
  default: { // MatMul
    const int columns = b->shape.rank == 1 ? 1 : b->shape.cols;
    for (int i = 0; i < a->shape.rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        std::vector<Expr> terms;
        terms.reserve(a->shape.cols);
        for (int k = 0; k < a->shape.cols; ++k)
          terms.push_back(product(n, at(a, i * a->shape.cols + k), at(b, k * columns + j)));
        list.push_back(g_.sum(terms, Shape::scalar()));
      }
    }
  }
  }
  return tensorOf(g_, n.shape, std::move(list));
}

Expr elementaryStumpff(Graph& g, int k, Expr s) {
  constexpr int terms = 18;        // (4^18)/36! is far below rounding, and so are the powers of a step's change of s
  constexpr std::int64_t near = 4; // |s| up to which the polynomial is taken
  const Expr size = g.function(Op::Abs, s);
  const Expr isNear = g.compare(Op::Le, size, g.number(near));
  const auto factorial = [](int n) {
    Number f = 1;
    for (int i = 2; i <= n; ++i) f = f * Number(i);
    return f;
  };
  const Expr small = g.select(isNear, s, g.number(0));
  Expr polynomial = g.number(0);
  for (int j = terms - 1; j >= 0; --j)
    polynomial = g.sub(g.number(Number(1) / factorial(k + 2 * j)), g.mul(small, polynomial));
  const Expr large = g.select(isNear, g.number(1), s);
  // As a choice, since the graph takes the cosine of a root for a Stumpff function.
  const Expr root = g.select(isNear, g.number(1), g.function(Op::Sqrt, size));
  const Expr circular = g.compare(Op::Lt, g.number(0), large);
  Expr c = k % 2 == 0 ? g.select(circular, g.function(Op::Cos, root), g.function(Op::Cosh, root))
                      : g.div(g.select(circular, g.function(Op::Sin, root), g.function(Op::Sinh, root)), root);
  for (int i = k % 2; i < k; i += 2) c = g.div(g.sub(g.number(Number(1) / factorial(i)), c), large);
  return g.select(isNear, polynomial, c);
}

} // namespace lmc::sym
