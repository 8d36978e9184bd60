// Vectors and matrices.
#include "sym/Expr.h"

#include <algorithm>
#include <stdexcept>

namespace lmc::sym {

namespace {
/// c x for a constant c, or s T for a scalar s: linear operations move the factor outside. A product of parameters
/// stays whole: it is computed once per run.
bool isScaled(Expr e) {
  return e->op == Op::Mul && (e->args[0]->isConst() || !e->parametric);
}

bool isConstIndex(Expr e) {
  return e->isConst();
}
std::int64_t indexValue(Expr e) {
  return e->number.num();
}
} // namespace

bool isRotationTerm(Expr e) {
  while (e->op == Op::Mul) e = e->args[1];
  if (e->op == Op::Identity || e->op == Op::Hat) return true;
  return e->op == Op::MatMul && e->args[0]->op == Op::Hat && e->args[1]->op == Op::Hat;
}

namespace {
/// A sum of a few outer products: a product with it costs less term by term.
bool isOuterSum(Expr e) {
  if (e->op != Op::Add || e->args.size() > 4) return false;
  return std::all_of(e->args.begin(), e->args.end(), [](Expr t) {
    while (t->op == Op::Mul) t = t->args[1];
    return t->op == Op::Outer;
  });
}
} // namespace

Expr Graph::matmul(Expr a, Expr b) {
  const Shape shape = b->shape.rank == 1 ? Shape::vec(a->shape.rows) : Shape::mat(a->shape.rows, b->shape.cols);
  if (a->isZero() || b->isZero()) return zero(shape);
  if (a->op == Op::Identity) return b;
  if (b->op == Op::Identity) return a;
  if (isScaled(a)) return mul(a->args[0], matmul(a->args[1], b));
  if (isScaled(b)) return mul(b->args[0], matmul(a, b->args[1]));
  if (b->shape.rank == 1) {
    if (const Expr r = applied(a, b)) return r;
  }
  if (a->op == Op::Outer) {
    if (b->shape.rank == 1) return mul(inner(a->args[1], b), a->args[0]);
    return outer(a->args[0], matmul(transpose(b), a->args[1]));
  }
  if (b->op == Op::Outer) return outer(matmul(a, b->args[0]), b->args[1]);
  if (isOuterSum(a) || isOuterSum(b)) {
    const bool left = isOuterSum(a);
    std::vector<Expr> terms;
    for (const Expr& t : (left ? a : b)->args) terms.push_back(left ? matmul(t, b) : matmul(a, t));
    return sum(terms, shape);
  }
  if (a->op == Op::Diag && b->op == Op::Diag) {
    std::vector<Expr> d;
    d.reserve(a->shape.rows);
    for (int i = 0; i < a->shape.rows; ++i) d.push_back(mul(entry(a->args[0], i), entry(b->args[0], i)));
    return diag(vector(d));
  }
  return make(Op::MatMul, Type::Real, shape, {a, b});
}

/// A v for a product or a sum of rotations' terms: A (B v) instead of (A B) v; empty where nothing is gained.
Expr Graph::applied(Expr a, Expr v) {
  if (a->op == Op::Hat) return cross(a->args[0], v);
  if (a->parametric) return {}; // a product of parameters is computed once per run
  if (a->op == Op::MatMul) return matmul(a->args[0], matmul(a->args[1], v));
  if (a->op == Op::Transpose && a->args[0]->op == Op::MatMul) {
    const Expr product = a->args[0];
    return matmul(transpose(product->args[1]), matmul(transpose(product->args[0]), v));
  }
  if (a->op != Op::Add || a->args.size() > 4) return {};
  for (const Expr& t : a->args) {
    if (!isRotationTerm(t)) return {};
  }
  std::vector<Expr> terms;
  for (const Expr& t : a->args) terms.push_back(matmul(t, v));
  return sum(terms, v->shape);
}

Expr Graph::transpose(Expr a) {
  if (a->shape.rank == 0) return a;
  const Shape shape = Shape::mat(a->shape.cols, a->shape.rows);
  if (a->isZero()) return zero(shape);
  switch (a->op) {
  case Op::Identity:
  case Op::Diag:
    return a;
  case Op::Transpose:
    return a->args[0];
  case Op::Matrix: {
    std::vector<Expr> list;
    for (int j = 0; j < a->shape.cols; ++j) {
      for (int i = 0; i < a->shape.rows; ++i) list.push_back(entry(a, i, j));
    }
    return matrix(a->shape.cols, a->shape.rows, list);
  }
  case Op::Hat:
    return neg(a);
  case Op::Outer:
    return outer(a->args[1], a->args[0]);
  case Op::Mul:
    return mul(a->args[0], transpose(a->args[1]));
  case Op::MatMul:
    if (a->args[0]->op != Op::Hat || a->args[1]->op != Op::Hat) break;
    return matmul(a->args[1], a->args[0]); // two signs
  case Op::Add: {
    if (a->args.size() > 4) break;
    std::vector<Expr> terms;
    for (const Expr& t : a->args) terms.push_back(transpose(t));
    return sum(terms, shape);
  }
  default:
    break;
  }
  return make(Op::Transpose, Type::Real, shape, {a});
}

Expr Graph::inner(Expr a, Expr b) {
  if (a->shape.rank == 0) return mul(a, b);
  if (a->isZero() || b->isZero()) return number(0);
  if (isScaled(a)) return mul(a->args[0], inner(a->args[1], b));
  if (isScaled(b)) return mul(b->args[0], inner(a, b->args[1]));
  if (a->op == Op::Basis) return component(b, a->args[0]);
  if (b->op == Op::Basis) return component(a, b->args[0]);
  if (a->op == Op::Identity) return trace(b);
  if (b->op == Op::Identity) return trace(a);
  if (a->op == Op::Outer) return inner(a->args[0], matmul(b, a->args[1]));
  if (b->op == Op::Outer) return inner(b->args[0], matmul(a, b->args[1]));
  for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) { // (a x b).a = 0
    if (x->op == Op::Cross && (x->args[0] == y || x->args[1] == y)) return number(0);
  }
  if (a->id > b->id) std::swap(a, b);
  return make(Op::Inner, Type::Real, Shape::scalar(), {a, b});
}

Expr Graph::cross(Expr a, Expr b) {
  if (a == b || a->isZero() || b->isZero()) return zero(Shape::vec(3));
  if (isScaled(a)) return mul(a->args[0], cross(a->args[1], b));
  if (isScaled(b)) return mul(b->args[0], cross(a, b->args[1]));
  return make(Op::Cross, Type::Real, Shape::vec(3), {a, b});
}

Expr Graph::hat(Expr a) {
  if (a->isZero()) return zero(Shape::mat(3, 3));
  if (isScaled(a)) return mul(a->args[0], hat(a->args[1]));
  return make(Op::Hat, Type::Real, Shape::mat(3, 3), {a});
}

Expr Graph::unhat(Expr a) {
  if (a->isZero()) return zero(Shape::vec(3));
  if (isScaled(a)) return mul(a->args[0], unhat(a->args[1]));
  if (a->op == Op::Hat) return scale(2, a->args[0]);
  if (a->op == Op::Outer) return cross(a->args[1], a->args[0]);
  if (a->op == Op::Identity || a->op == Op::Diag) return zero(Shape::vec(3));
  if (a->op == Op::Transpose) return neg(unhat(a->args[0]));
  if (a->op == Op::Add && a->args.size() <= 8) {
    std::vector<Expr> terms;
    for (const Expr& t : a->args) terms.push_back(unhat(t));
    return sum(terms, Shape::vec(3));
  }
  return make(Op::Unhat, Type::Real, Shape::vec(3), {a});
}

Expr Graph::outer(Expr a, Expr b) {
  const Shape shape = Shape::mat(a->shape.rows, b->shape.rows);
  if (a->isZero() || b->isZero()) return zero(shape);
  if (isScaled(a)) return mul(a->args[0], outer(a->args[1], b));
  if (isScaled(b)) return mul(b->args[0], outer(a, b->args[1]));
  return make(Op::Outer, Type::Real, shape, {a, b});
}

Expr Graph::trace(Expr a) {
  if (a->isZero() || a->op == Op::Hat) return number(0);
  if (a->op == Op::Identity) return number(a->shape.rows);
  if (isScaled(a)) return mul(a->args[0], trace(a->args[1]));
  if (a->op == Op::Outer) return inner(a->args[0], a->args[1]);
  if (a->op == Op::Transpose) return trace(a->args[0]);
  if (a->op == Op::MatMul) return inner(transpose(a->args[0]), a->args[1]);
  if (a->op == Op::Add && a->args.size() <= 8) {
    std::vector<Expr> terms;
    for (const Expr& t : a->args) terms.push_back(trace(t));
    return sum(terms, Shape::scalar());
  }
  return make(Op::Trace, Type::Real, Shape::scalar(), {a});
}

Expr Graph::det(Expr a) {
  if (a->op == Op::Identity) return number(1);
  if (a->isZero()) return number(0);
  const auto at = [&](int i, int j) { return entry(a, i % a->shape.rows, j % a->shape.rows); };
  if (a->shape.rows == 1) return at(0, 0);
  if (a->shape.rows == 2) return sub(mul(at(0, 0), at(1, 1)), mul(at(0, 1), at(1, 0)));
  if (a->shape.rows == 3) { // polynomial: differentiable where the matrix is singular, too
    Expr d = number(0);
    for (int j = 0; j < 3; ++j) {
      d = add(d, mul(at(0, j), sub(mul(at(1, j + 1), at(2, j + 2)), mul(at(1, j + 2), at(2, j + 1)))));
    }
    return d;
  }
  return make(Op::Det, Type::Real, Shape::scalar(), {a});
}

Expr Graph::inverse(Expr a) {
  if (a->op == Op::Identity) return a;
  if (a->op == Op::Inverse) return a->args[0];
  return make(Op::Inverse, Type::Real, a->shape, {a});
}

namespace {
/// A matrix written by its entries whose zeros alone make its square zero, as [[0, B], [0, 0]].
bool hasZeroSquare(Expr a) {
  if (a->op != Op::Matrix) return false;
  const int n = a->shape.rows;
  std::vector<bool> rows(static_cast<std::size_t>(n)), columns(static_cast<std::size_t>(n));
  for (int k = 0; k < n * n; ++k) {
    if (a->args[static_cast<std::size_t>(k)]->isZero()) continue;
    rows[static_cast<std::size_t>(k / n)] = true;
    columns[static_cast<std::size_t>(k % n)] = true;
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k] && columns[k]) return false;
  }
  return true;
}
} // namespace

Expr Graph::exponential(Expr a) {
  const int n = a->shape.rows;
  if (a->isZero()) return identity(n);
  if (n == 1) return matrix(1, 1, {function(Op::Exp, entry(a, 0, 0))});
  if (hasZeroSquare(a)) { // 1 + a
    std::vector<Expr> entries;
    entries.reserve(static_cast<std::size_t>(n) * n);
    for (int k = 0; k < n * n; ++k) entries.push_back(k % (n + 1) == 0 ? number(1) : entry(a, k / n, k % n));
    return matrix(n, n, entries);
  }
  return make(Op::Exponential, Type::Real, a->shape, {a});
}

Expr Graph::solve(Expr a, Expr b, Definite definite) {
  if (b->isZero() || a->op == Op::Identity) return b;
  if (isScaled(b) && b->args[0]->isConst()) return mul(b->args[0], solve(a, b->args[1], definite));
  return make(Op::Solve, Type::Real, b->shape, {a, b}, static_cast<std::int64_t>(definite));
}

Expr Graph::component(Expr v, Expr i) {
  if (v->isZero()) return number(0);
  if (isScaled(v)) return mul(v->args[0], component(v->args[1], i));
  if (v->op == Op::Basis) {
    return select(compare(Op::Eq, v->args[0], i), number(1), number(0));
  }
  if (v->op == Op::MatMul && v->args[1]->op == Op::Basis) return component(v->args[0], i, v->args[1]->args[0]);
  if (isConstIndex(i) && v->op == Op::Vector) return v->args[static_cast<std::size_t>(indexValue(i) - 1)];
  return make(Op::Component, v->type, Shape::scalar(), {v, i});
}

Expr Graph::component(Expr a, Expr i, Expr j) {
  if (a->isZero()) return number(0);
  if (isScaled(a)) return mul(a->args[0], component(a->args[1], i, j));
  if (a->op == Op::Transpose) return component(a->args[0], j, i);
  if (a->op == Op::Outer) return mul(component(a->args[0], i), component(a->args[1], j));
  if (a->op == Op::Identity) return select(compare(Op::Eq, i, j), number(1), number(0));
  if (a->op == Op::Diag) return select(compare(Op::Eq, i, j), component(a->args[0], i), number(0));
  if (isConstIndex(i) && isConstIndex(j) && a->op == Op::Hat) {
    const std::int64_t row = indexValue(i);
    const std::int64_t col = indexValue(j);
    if (row == col) return number(0);
    const Expr entry = component(a->args[0], integer(6 - row - col));
    return (row - col + 3) % 3 == 1 ? entry : neg(entry);
  }
  if (isConstIndex(i) && isConstIndex(j) && a->op == Op::Matrix) {
    return a->args[static_cast<std::size_t>((indexValue(i) - 1) * a->shape.cols + indexValue(j) - 1)];
  }
  return make(Op::Component, a->type, Shape::scalar(), {a, i, j});
}

Expr Graph::entry(Expr a, int row, int col) {
  if (a->shape.rank == 0) return a;
  if (a->shape.rank == 1) return component(a, integer(row + 1));
  return component(a, integer(row + 1), integer(col + 1));
}

Expr Graph::vector(std::vector<Expr> entries) {
  bool zeros = true;
  for (const Expr& e : entries) zeros = zeros && e->isZero();
  const Shape shape = Shape::vec(static_cast<int>(entries.size()));
  if (zeros) return zero(shape);
  const Expr first = entries[0];
  // [c a, c b, …] is c [a, b, …] for a constant c
  const auto scaledAlike = [&](const Expr& e) {
    return e->op == Op::Mul && e->args[0]->isConst() && e->args[0] == first->args[0];
  };
  if (first->op == Op::Mul && entries.size() > 1 && std::all_of(entries.begin(), entries.end(), scaledAlike)) {
    const Expr factor = first->args[0];
    for (Expr& e : entries) e = e->args[1];
    return mul(factor, vector(std::move(entries)));
  }
  // [v[1], …, v[n]] is v
  if (first->op == Op::Component && first->args[0]->shape == shape) {
    bool whole = true;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      whole = whole && entries[k] == component(first->args[0], integer(static_cast<std::int64_t>(k) + 1));
    }
    if (whole) return first->args[0];
  }
  return make(Op::Vector, Type::Real, shape, std::move(entries));
}

Expr Graph::matrix(int rows, int cols, std::vector<Expr> entries) {
  bool zeros = true;
  for (const Expr& e : entries) zeros = zeros && e->isZero();
  const Shape shape = Shape::mat(rows, cols);
  if (zeros) return zero(shape);
  return make(Op::Matrix, Type::Real, shape, std::move(entries));
}

Expr Graph::diag(Expr v) {
  const Shape shape = Shape::mat(v->shape.rows, v->shape.rows);
  if (v->isZero()) return zero(shape);
  return make(Op::Diag, Type::Real, shape, {v});
}

Expr Graph::diagOf(Expr a) {
  const Shape shape = Shape::vec(a->shape.rows);
  if (a->isZero() || a->op == Op::Hat) return zero(shape);
  if (a->op == Op::Diag) return a->args[0];
  if (isScaled(a)) return mul(a->args[0], diagOf(a->args[1]));
  return make(Op::DiagOf, Type::Real, shape, {a});
}

/// Long because it has one case an operation.
Expr Graph::rebuild(const Node& n, const std::vector<Expr>& a) {
  switch (n.op) {
  case Op::Const:
  case Op::Zero:
  case Op::Identity:
  case Op::Index:
    return Expr(&n);
  case Op::Basis:
    return basis(n.shape.rows, a[0]);
  case Op::Load:
    return load(n.array, a);
  case Op::Add: {
    Expr r = a[0];
    for (std::size_t k = 1; k < a.size(); ++k) r = add(r, a[k]);
    return r;
  }
  case Op::Mul:
    return mul(a[0], a[1]);
  case Op::Select:
    return select(a[0], a[1], a[2]);
  case Op::Div:
    return div(a[0], a[1]);
  case Op::Pow:
    return pow(a[0], a[1]);
  case Op::PowInt:
    return powInt(a[0], n.imm);
  case Op::Atan2:
  case Op::Min:
  case Op::Max:
    return function(n.op, a[0], a[1]);
  case Op::Stumpff:
    return stumpff(static_cast<int>(n.imm), a[0]);
  case Op::MatMul:
    return matmul(a[0], a[1]);
  case Op::Transpose:
    return transpose(a[0]);
  case Op::Inner:
    return inner(a[0], a[1]);
  case Op::Cross:
    return cross(a[0], a[1]);
  case Op::Hat:
    return hat(a[0]);
  case Op::Unhat:
    return unhat(a[0]);
  case Op::Outer:
    return outer(a[0], a[1]);
  case Op::Trace:
    return trace(a[0]);
  case Op::Det:
    return det(a[0]);
  case Op::Inverse:
    return inverse(a[0]);
  case Op::Exponential:
    return exponential(a[0]);
  case Op::Solve:
    return solve(a[0], a[1], static_cast<Definite>(n.imm));
  case Op::Component:
    return a.size() == 2 ? component(a[0], a[1]) : component(a[0], a[1], a[2]);
  case Op::Vector:
    return vector(a);
  case Op::Matrix:
    return matrix(n.shape.rows, n.shape.cols, a);
  case Op::Diag:
    return diag(a[0]);
  case Op::DiagOf:
    return diagOf(a[0]);
  case Op::IDiv:
    return idiv(a[0], a[1]);
  case Op::IMod:
    return imod(a[0], a[1]);
  case Op::ToReal:
    return toReal(a[0]);
  case Op::FloorToInt:
    return floorToInt(a[0]);
  case Op::Lt:
  case Op::Le:
  case Op::Eq:
  case Op::Ne:
    return compare(n.op, a[0], a[1]);
  case Op::And:
  case Op::Or:
    return logic(n.op, a[0], a[1]);
  case Op::Not:
    return logicNot(a[0]);
  default:
    return function(n.op, a[0]);
  }
}

} // namespace lmc::sym
