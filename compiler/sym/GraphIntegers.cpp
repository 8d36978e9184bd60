// Integers and conditions.
#include "base/Integers.h"
#include "sym/Expr.h"

#include <algorithm>
#include <cmath>

namespace lmc::sym {

namespace {

/// a < b, exactly where both are integers.
bool isLess(const Number& a, const Number& b) {
  return a.isInteger() && b.isInteger() ? a.num() < b.num() : a.value() < b.value();
}
bool isEqual(const Number& a, const Number& b) {
  return a.isInteger() && b.isInteger() ? a.num() == b.num() : a.value() == b.value();
}

/// An expression of integers whose value may leave what a double holds: products of indices, large coefficients.
bool mayBeLarge(const Node& n) {
  constexpr std::int64_t small = std::int64_t{1} << 26U; // times a number of members
  if (n.op == Op::Const) return !n.number.isInteger() || std::abs(n.number.num()) > small;
  if (n.op == Op::Mul && !n.args[0]->isConst()) return true;
  return n.op == Op::FloorToInt || std::any_of(n.args.begin(), n.args.end(),
                                               [](const Expr& a) { return a->type == Type::Int && mayBeLarge(*a); });
}

} // namespace

Expr Graph::idiv(Expr a, Expr b) {
  const auto known = [](Expr e) { return e->isConst() && e->number.isInteger(); };
  if (known(a) && known(b) && b->number.num() != 0) return integer(floorDiv(a->number.num(), b->number.num()));
  if (b->isOne()) return a;
  return make(Op::IDiv, Type::Int, Shape::scalar(), {a, b});
}

Expr Graph::imod(Expr a, Expr b) {
  const auto known = [](Expr e) { return e->isConst() && e->number.isInteger(); };
  if (known(a) && known(b) && b->number.num() != 0) return integer(floorMod(a->number.num(), b->number.num()));
  if (b->isOne()) return integer(0);
  return make(Op::IMod, Type::Int, Shape::scalar(), {a, b});
}

Expr Graph::toReal(Expr a) {
  if (a->type == Type::Real) return a;
  if (a->isConst()) return number(a->number);
  if (a->op == Op::FloorToInt) return function(Op::Floor, a->args[0]);
  // Integers of generated code have 64 bits: what may not fit is worked out in reals, which agree up to 2^53.
  const bool same = a->op == Op::Add || a->op == Op::Mul || a->op == Op::Min || a->op == Op::Max || a->op == Op::Abs ||
                    a->op == Op::Select;
  if (same && mayBeLarge(*a)) {
    std::vector<Expr> args;
    for (const Expr& e : a->args) args.push_back(e->type == Type::Int ? toReal(e) : e);
    switch (a->op) {
    case Op::Add:
      return sum(args, Shape::scalar());
    case Op::Mul:
      return mul(args[0], args[1]);
    case Op::Select:
      return select(args[0], args[1], args[2]);
    default:
      return args.size() == 1 ? function(a->op, args[0]) : function(a->op, args[0], args[1]);
    }
  }
  return make(Op::ToReal, Type::Real, Shape::scalar(), {a});
}

Expr Graph::floorToInt(Expr a) {
  if (a->type == Type::Int) return a;
  if (a->isConst()) {
    if (a->number.exact()) return integer(floorDiv(a->number.num(), a->number.den()));
    const double whole = std::floor(a->number.value());
    if (std::abs(whole) < 0x1p63) return integer(static_cast<std::int64_t>(whole));
    return scale(Number::real(whole), integer(1)); // no integer to whoever asks for one
  }
  if (a->op == Op::ToReal) return a->args[0];
  return make(Op::FloorToInt, Type::Int, Shape::scalar(), {a});
}

Expr Graph::compare(Op op, Expr a, Expr b) {
  if (a->isConst() && b->isConst()) {
    const Number& x = a->number;
    const Number& y = b->number;
    const bool equal = isEqual(x, y);
    return boolean(op == Op::Lt ? isLess(x, y) : op == Op::Le ? equal || isLess(x, y) : op == Op::Eq ? equal : !equal);
  }
  if (a == b && a->type == Type::Int) return boolean(op == Op::Le || op == Op::Eq);
  if (a->type == Type::Int && b->type == Type::Int) { // i + 1 against i: the difference decides
    const Expr d = sub(a, b);
    if (d->isConst()) return compare(op, d, integer(0));
  }
  return make(op, Type::Bool, Shape::scalar(), {a, b});
}

Expr Graph::logic(Op op, Expr a, Expr b) {
  for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) {
    if (!x->isConst()) continue;
    const bool value = !x->number.isZero();
    if (op == Op::And) return value ? y : boolean(false);
    return value ? boolean(true) : y;
  }
  if (a == b) return a;
  return make(op, Type::Bool, Shape::scalar(), {a, b});
}

Expr Graph::logicNot(Expr a) {
  if (a->isConst()) return boolean(a->number.isZero());
  if (a->op == Op::Not) return a->args[0];
  return make(Op::Not, Type::Bool, Shape::scalar(), {a});
}

} // namespace lmc::sym
