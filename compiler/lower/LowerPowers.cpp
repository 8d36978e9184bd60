// Products with powers of distances: 1/|d| once, its powers by multiplication.
//
// A pair potential and its derivatives divide by many powers of one distance. Written as they stand each would cost a
// division, the longest operation there is. Here a product is taken apart into c b1^(n1/2) b2^(n2/2) …; powers of one
// base are collected (an identity of real arithmetic), and negative ones become powers of a reciprocal that all
// products of a loop share.
#include "lower/LowerContext.h"
#include "lower/builder/Product.h"

#include <algorithm>

namespace lmc::lower {

using sym::Expr;
using sym::Node;
using sym::Op;

bool isFixed(Expr e) {
  if (e->op == Op::PowInt) return isFixed(e->args[0]);
  return e->parametric || (e->op == Op::Load && e->array->role == sym::Role::StepSize);
}

namespace {

void append(std::vector<Power>& list, Expr base, std::int64_t halves) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const Power& p) { return p.base == base; });
  if (it == list.end()) {
    list.push_back({base, halves});
  } else {
    it->halves += halves;
  }
}

} // namespace

/// Multiplies by e^(halves/2). What stands under a root is a base, whatever it is made of.
void Product::multiply(Expr e, std::int64_t halves, const RootedBases& rooted) {
  if (isFixed(e)) return append(fixed, e, halves);
  if (e->op == Op::Sqrt) return append(varying, e->args[0], halves / 2);
  if (!rooted.contains(e.node())) {
    if (e->op == Op::PowInt) return multiply(e->args[0], halves * e->imm, rooted);
    if (e->op == Op::Mul || e->op == Op::Div) {
      multiply(e->args[0], halves, rooted);
      return multiply(e->args[1], e->op == Op::Div ? -halves : halves, rooted);
    }
  }
  append(varying, e, halves);
}

void ExpressionLowering::noteRoots(const std::vector<Expr>& values) {
  sym::visitPostOrder(values, [&](const Node& n) {
    if (n.op == Op::Sqrt) rooted_.insert(n.args[0].node());
    if (n.op == Op::Stumpff) noteStumpff(n);
  });
}

/// A reciprocal that other products share, or whose powers are wanted, is better than a division.
bool ExpressionLowering::isReciprocal(const Power& p) const {
  return p.halves < 0 && (p.halves < -2 || p.halves % 2 != 0 || rooted_.contains(p.base.node()));
}

/// b^(n/2) for n > 0, or 1/b^(n/2) by a reciprocal.
Scalar ExpressionLowering::power(const Power& p) {
  const Scalar base = value(p.base)[0];
  const auto root = [&] {
    const auto norm = length(p.base);
    return norm ? *norm : s_.pure(tape::Op::Sqrt, tape::Type::Real, {base});
  };
  if (p.halves > 0) {
    const Scalar whole = s_.powInt(base, p.halves / 2);
    return p.halves % 2 == 0 ? whole : s_.mul(whole, root());
  }
  const bool rooted = p.halves % 2 != 0 || rooted_.contains(p.base.node());
  const Scalar reciprocal = s_.div(s_.real(1), rooted ? root() : base);
  return s_.powInt(reciprocal, rooted ? -p.halves : -p.halves / 2);
}

/// A product or quotient by shared reciprocals; nothing where these do not help.
std::optional<std::vector<Scalar>> ExpressionLowering::byReciprocals(const Node& n) {
  const bool scalar = n.shape.rank == 0;
  if (n.type != sym::Type::Real || isFixed(Expr(&n))) return std::nullopt;
  if (n.op != Op::Mul && !(scalar && (n.op == Op::Div || n.op == Op::PowInt))) return std::nullopt;
  Product product;
  Expr tensor(&n);
  for (; tensor->shape.rank > 0 && tensor->op == Op::Mul; tensor = tensor->args[1]) {
    product.multiply(tensor->args[0], 2, rooted_);
  }
  if (scalar) product.multiply(tensor, 2, rooted_);
  const auto& varying = product.varying;
  if (std::none_of(varying.begin(), varying.end(), [&](const Power& p) { return isReciprocal(p); }))
    return std::nullopt;
  Scalar above = s_.real(1);
  Scalar below = s_.real(1);
  for (const Power& p : product.fixed) {
    Scalar& side = p.halves > 0 ? above : below;
    side = s_.mul(side, s_.powInt(value(p.base)[0], std::abs(p.halves) / 2));
  }
  const Scalar c = s_.div(above, below);
  Scalar v = s_.real(1);
  Scalar divisor = s_.real(1);
  for (const Power& p : varying) {
    if (p.halves == 0) continue;
    const bool divides = p.halves < 0 && !isReciprocal(p);
    Scalar& side = divides ? divisor : v;
    side = s_.mul(side, power(divides ? Power{p.base, -p.halves} : p));
  }
  v = s_.mul(c, s_.div(v, divisor));
  if (scalar) return std::vector<Scalar>{v};
  std::vector<Scalar> r;
  for (const Scalar& x : value(tensor)) r.push_back(s_.mul(v, x));
  return r;
}

} // namespace lmc::lower
