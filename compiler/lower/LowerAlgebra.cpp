// Vectors and matrices entry by entry.
#include "lower/LowerContext.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace lmc::lower {

using sym::Expr;
using sym::Node;
using sym::Op;

std::vector<Scalar> ExpressionLowering::product(const std::vector<Scalar>& a, const std::vector<Scalar>& b, int m,
                                                int k, int n) {
  std::vector<Scalar> r;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      Scalar sum = s_.real(0);
      for (int l = 0; l < k; ++l) sum = s_.add(sum, s_.mul(a[i * k + l], b[l * n + j]));
      r.push_back(sum);
    }
  }
  return r;
}

/// c1 W + c2 W^2 for W = hat(w), from the six products of entries of w: 9 entries of 12 products. Empty for other sums.
std::vector<Scalar> ExpressionLowering::turn(Expr sum) {
  Expr axis;
  bool whole = false;
  std::optional<Scalar> first;
  std::optional<Scalar> second;
  for (const Expr& t : sum->args) {
    Scalar c = s_.real(1);
    Expr core = t;
    for (; core->op == Op::Mul; core = core->args[1]) c = s_.mul(c, value(core->args[0])[0]);
    if (core->op == Op::Identity) {
      whole = core == t && !whole;
      continue;
    }
    const bool square = core->op == Op::MatMul;
    const Expr w = square ? core->args[0]->args[0] : core->args[0];
    std::optional<Scalar>& own = square ? second : first;
    if ((axis && w != axis) || own || (square && core->args[0] != core->args[1])) return {};
    axis = w;
    own = c;
  }
  if (!whole || !first || !second) return {};
  const auto& w = value(axis);
  std::vector<Scalar> scaled;
  std::vector<Scalar> odd;
  for (const Scalar& x : w) {
    odd.push_back(s_.mul(*first, x));
    scaled.push_back(s_.mul(*second, x));
  }
  std::vector<Scalar> squares;
  for (std::size_t k = 0; k < 3; ++k) squares.push_back(s_.mul(scaled[k], w[k]));
  const Scalar xy = s_.mul(scaled[0], w[1]);
  const Scalar xz = s_.mul(scaled[0], w[2]);
  const Scalar yz = s_.mul(scaled[1], w[2]);
  return {s_.neg(s_.add(squares[1], squares[2])), s_.sub(xy, odd[2]), s_.add(xz, odd[1]), s_.add(xy, odd[2]),
          s_.neg(s_.add(squares[0], squares[2])), s_.sub(yz, odd[0]), s_.sub(xz, odd[1]), s_.add(yz, odd[0]),
          s_.neg(s_.add(squares[0], squares[1]))};
}

/// R (I + c1 W + c2 W^2) = R + c1 R W + c2 (R W) W, where R W does not wait for the coefficients. Members of a family
/// hide each other's waiting: for them, from three rows on, R + R (c1 W + c2 W^2), which has fewer products.
std::vector<Scalar> ExpressionLowering::rotated(const std::vector<Scalar>& a, int rows, Expr sum) {
  if (rows >= 3 && sum->indexed) {
    if (const std::vector<Scalar> change = turn(sum); !change.empty()) {
      std::vector<Scalar> result = product(a, change, rows, 3, 3);
      for (std::size_t k = 0; k < result.size(); ++k) result[k] = s_.add(a[k], result[k]);
      return result;
    }
  }
  std::vector<Scalar> result(a.size(), s_.real(0));
  for (const Expr& t : sum->args) {
    Scalar c = s_.real(1);
    Expr core = t;
    for (; core->op == Op::Mul; core = core->args[1]) c = s_.mul(c, value(core->args[0])[0]);
    std::vector<Scalar> term = a;
    if (core->op == Op::Hat) term = product(a, value(core), rows, 3, 3);
    if (core->op == Op::MatMul) {
      term = product(product(a, value(core->args[0]), rows, 3, 3), value(core->args[1]), rows, 3, 3);
    }
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = s_.add(result[k], s_.mul(c, term[k]));
  }
  return result;
}

std::vector<Scalar> ExpressionLowering::negated(std::vector<Scalar> a) {
  for (Scalar& x : a) x = s_.neg(x);
  return a;
}

/// `e` is D w with a matrix D that has nothing beside its diagonal.
bool ExpressionLowering::isDiagonalTimes(Expr e, Expr w) {
  if (e->op != Op::MatMul || e->args[1] != w) return false;
  const auto& d = value(e->args[0]);
  for (int k = 0; k < 9; ++k) {
    if (k % 4 != 0 && !s_.isZero(d[k])) return false;
  }
  return true;
}

/// D w x w = ((d2 - d3) w2 w3, …): three products fewer than written out, and none before the products of w.
std::vector<Scalar> ExpressionLowering::gyroscopic(const std::vector<Scalar>& d, const std::vector<Scalar>& w) {
  std::vector<Scalar> r;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    r.push_back(s_.mul(s_.sub(d[j * 4], d[k * 4]), s_.mul(w[j], w[k])));
  }
  return r;
}

/// Long because it has one case an operation.
std::vector<Scalar> ExpressionLowering::tensorOp(const Node& n) {
  const std::vector<Scalar> none;
  const auto& a = n.args.empty() ? none : value(n.args[0]);
  const auto& b = n.args.size() > 1 ? value(n.args[1]) : none;
  const sym::Shape sa = n.args.empty() ? sym::Shape{} : n.args[0]->shape;
  const auto minus = [&](Scalar x, Scalar y, Scalar z, Scalar w) { return s_.sub(s_.mul(x, y), s_.mul(z, w)); };
  switch (n.op) {
  case Op::MatMul:
    if (const Expr sum = n.args[1];
        sum->op == Op::Add && std::all_of(sum->args.begin(), sum->args.end(), sym::isRotationTerm)) {
      return rotated(a, sa.rows, sum);
    }
    return product(a, b, sa.rows, sa.cols, n.args[1]->shape.cols);
  case Op::Inner:
    return product(a, b, 1, static_cast<int>(a.size()), 1);
  case Op::Outer:
    return product(a, b, sa.rows, 1, n.args[1]->shape.rows);
  case Op::Transpose: {
    std::vector<Scalar> r;
    for (int j = 0; j < sa.cols; ++j) {
      for (int i = 0; i < sa.rows; ++i) r.push_back(a[i * sa.cols + j]);
    }
    return r;
  }
  case Op::Cross:
    if (const Expr p = n.args[0]; isDiagonalTimes(p, n.args[1])) return gyroscopic(value(p->args[0]), b);
    if (const Expr p = n.args[1]; isDiagonalTimes(p, n.args[0])) return gyroscopic(negated(value(p->args[0])), a);
    return {minus(a[1], b[2], a[2], b[1]), minus(a[2], b[0], a[0], b[2]), minus(a[0], b[1], a[1], b[0])};
  case Op::Hat: {
    const Scalar z = s_.real(0);
    return {z, s_.neg(a[2]), a[1], a[2], z, s_.neg(a[0]), s_.neg(a[1]), a[0], z};
  }
  case Op::Unhat:
    return {s_.sub(a[7], a[5]), s_.sub(a[2], a[6]), s_.sub(a[3], a[1])};
  case Op::Trace: {
    Scalar sum = s_.real(0);
    for (int i = 0; i < sa.rows; ++i) sum = s_.add(sum, a[i * sa.cols + i]);
    return {sum};
  }
  case Op::Det:
    return {determinant(a, sa.rows)};
  case Op::Inverse:
    spared_ = !isNeeded(n);
    return inverse(a, sa.rows);
  case Op::Exponential:
    return exponential(a, sa.rows);
  case Op::Solve:
    return solve(n);
  case Op::Component:
    return component(n);
  case Op::Vector:
  case Op::Matrix: {
    std::vector<Scalar> r;
    for (const Expr& e : n.args) r.push_back(value(e)[0]);
    return r;
  }
  case Op::Diag: {
    std::vector<Scalar> r(a.size() * a.size(), s_.real(0));
    for (std::size_t i = 0; i < a.size(); ++i) r[i * a.size() + i] = a[i];
    return r;
  }
  case Op::DiagOf: {
    std::vector<Scalar> r;
    r.reserve(sa.rows);
    for (int i = 0; i < sa.rows; ++i) r.push_back(a[i * sa.cols + i]);
    return r;
  }
  default:
    throw std::logic_error("a tensor operation without a scalar form");
  }
}

std::vector<Scalar> ExpressionLowering::component(const Node& n) {
  const auto& v = value(n.args[0]);
  Scalar position = s_.pure(tape::Op::ISub, tape::Type::Int, {value(n.args[1])[0], s_.integer(1)});
  if (n.args.size() == 3) {
    position = s_.pure(tape::Op::IMul, tape::Type::Int, {position, s_.integer(n.args[0]->shape.cols)});
    const Scalar column = s_.pure(tape::Op::ISub, tape::Type::Int, {value(n.args[2])[0], s_.integer(1)});
    position = s_.pure(tape::Op::IAdd, tape::Type::Int, {position, column});
  }
  if (const auto k = s_.constantInt(position)) return {v.at(static_cast<std::size_t>(*k))};
  Scalar r = v[0];
  for (std::size_t k = 1; k < v.size(); ++k) {
    const Scalar here = compare(Op::Eq, sym::Type::Int, position, s_.integer(static_cast<std::int64_t>(k)));
    r = s_.select(here, v[k], r);
  }
  return {r};
}

} // namespace lmc::lower
