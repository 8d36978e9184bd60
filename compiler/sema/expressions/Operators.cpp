// The operators, with messages in the modeller's language where shapes do not fit.
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/values/IndexMath.h"

#include <cmath>

namespace lmc::sema {

using sym::Expr;
using sym::Type;
using syntax::BinaryOp;

namespace {

bool isPlainScalar(const Value& v) {
  return v.kind == ValueKind::Tensor && v.parts[0]->shape.rank == 0 && v.parts[0]->type != Type::Bool;
}

/// A constant integer that 64 bits do not hold.
bool isLarge(Expr e) {
  return e->type == Type::Int && e->isConst() && !e->number.isInteger();
}

} // namespace

void ExpressionEvaluator::promote(Expr& a, Expr& b) {
  const bool fits = !(isLarge(a) && !b->isConst()) && !(isLarge(b) && !a->isConst());
  if (a->type == b->type && fits) return;
  a = asReal(a);
  b = asReal(b);
}

bool ExpressionEvaluator::reportsCancellation(bool subtract, Expr a, Expr b, const syntax::Expr& e) {
  if (a->type != Type::Int || b->type != Type::Int || !(isLarge(a) || isLarge(b))) return false;
  const bool opposite = a->number.negative() != (b->number.negative() != subtract);
  if (!opposite || a->isZero() || b->isZero()) return false;
  if (!unreachable())
    report(Code::LIE0137, e.range, "`" + text(e) + "` is a difference of integers of more than 64 bits")
        .note("integers go to 9223372036854775807; `1.0*a` makes a real number of one, with 16 digits");
  return true;
}

Value ExpressionEvaluator::binary(BinaryOp op, const Value& a, const Value& b, const syntax::Expr& e) {
  if (a.isError() || b.isError()) return Value::error();
  if (a.isPhase() || b.isPhase()) {
    if (auto v = phaseBinary(op, a, b, e)) return *v;
    mismatch(e, "this operation has no meaning for " + describe(a) + " and " + describe(b));
    return Value::error();
  }
  switch (op) {
  case BinaryOp::Add:
    return addSub(false, a, b, e);
  case BinaryOp::Sub:
    return addSub(true, a, b, e);
  case BinaryOp::Mul:
    return multiply(a, b, e);
  case BinaryOp::Div:
    return divide(a, b, e);
  case BinaryOp::Pow:
    return power(a, b, e);
  case BinaryOp::Cross: {
    const Expr x = vector(a, *e.args[0], 3);
    const Expr y = vector(b, *e.args[1], 3);
    if (reportsMixedProduct(a, b, e, true)) return Value::error();
    return x && y ? Value::tensor(g_.cross(x, y)) : Value::error();
  }
  case BinaryOp::Dot: {
    const Expr x = vector(a, *e.args[0]);
    const Expr y = vector(b, *e.args[1]);
    if (!x || !y || reportsMixedProduct(a, b, e, false)) return Value::error();
    if (x->shape == y->shape) return Value::tensor(g_.inner(x, y));
    mismatch(e, "the two vectors must have one length, not " + describe(x) + " and " + describe(y));
    return Value::error();
  }
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
    return compare(op, a, b, e);
  case BinaryOp::And:
  case BinaryOp::Or:
    return logical(op, a, b, e);
  }
  return Value::error();
}

std::optional<Value> ExpressionEvaluator::phaseBinary(BinaryOp op, const Value& a, const Value& b,
                                                      const syntax::Expr& e) {
  if (op == BinaryOp::Div && isPlainScalar(b) && a.isPhaseLinear() && b.parts[0]->isZero()) {
    report(Code::LIE0124, e.range, "division by zero");
    return Value::error();
  }
  return operations_ != nullptr ? operations_->binary(op, a, b, e.range) : std::nullopt;
}

// --- sums -----------------------------------------------------------------------------------------------------

Value ExpressionEvaluator::addElements(bool subtract, const Value& a, const Value& b, const syntax::Expr& e) {
  Value r = isElement(a) ? a : b;
  if (!r.frame && isElement(b)) r.frame = b.frame;
  if (a.parts.size() != b.parts.size()) {
    mismatch(e, describe(r) + " has the parts " + listed(partNames(r)) + ": both sides must have them");
    return Value::error();
  }
  for (std::size_t k = 0; k < r.parts.size(); ++k) {
    const Expr x = asReal(a.parts[k]);
    const Expr y = asReal(b.parts[k]);
    if (x->shape != y->shape) {
      mismatch(e, describe(x) + (subtract ? " minus " : " plus ") + describe(y) + ": both sides must have one shape");
      return Value::error();
    }
    r.parts[k] = subtract ? g_.sub(x, y) : g_.add(x, y);
  }
  if (areNumbersOfTwoSpaces(a, b)) return Value::tensor(r.parts[0]);
  return r;
}

Value ExpressionEvaluator::addSub(bool subtract, const Value& a, const Value& b, const syntax::Expr& e) {
  if (reportsMix(a, b, e, subtract ? "cannot be subtracted" : "cannot be added")) return Value::error();
  const auto fits = [](const Value& v) { return isElement(v) || v.kind == ValueKind::Tensor; };
  if ((isElement(a) || isElement(b)) && fits(a) && fits(b)) return addElements(subtract, a, b, e);
  Expr x = tensor(a, *e.args[0]);
  Expr y = tensor(b, *e.args[1]);
  if (!x || !y) return Value::error();
  if (x->type == Type::Bool || y->type == Type::Bool) {
    report(Code::LIE0129, e.range, "`" + text(e) + "`: a condition is not a number");
    return Value::error();
  }
  promote(x, y);
  if (reportsCancellation(subtract, x, y, e)) return Value::error();
  if (x->shape != y->shape) {
    auto r =
        mismatch(e, describe(x) + (subtract ? " minus " : " plus ") + describe(y) + ": both sides must have one shape");
    const bool mixed = (x->shape.rank == 0) != (y->shape.rank == 0);
    const sym::Shape other = x->shape.rank == 0 ? y->shape : x->shape;
    if (mixed && other.rank == 2 && other.rows == other.cols) {
      r.note("a multiple of the identity is written `c*eye(" + std::to_string(other.rows) + ")`");
    }
    return Value::error();
  }
  return Value::tensor(subtract ? g_.sub(x, y) : g_.add(x, y));
}

// --- products -------------------------------------------------------------------------------------------------

Value ExpressionEvaluator::multiply(const Value& a, const Value& b, const syntax::Expr& e) {
  const bool left = isPlainScalar(a) && isElement(b);
  const bool right = isPlainScalar(b) && isElement(a);
  if (left || right) {
    Value r = left ? b : a;
    const Expr factor = asReal((left ? a : b).parts[0]);
    for (Expr& p : r.parts) p = g_.mul(factor, p);
    return r;
  }
  if (auto v = multiplyByElement(a, b, e)) return *v;
  const Expr x = tensor(a, *e.args[0]);
  const Expr y = tensor(b, *e.args[1]);
  return x && y ? multiplyTensors(x, y, e) : Value::error();
}

Value ExpressionEvaluator::multiplyTensors(Expr x, Expr y, const syntax::Expr& e) {
  if (x->type == Type::Bool || y->type == Type::Bool) {
    report(Code::LIE0129, e.range, "`" + text(e) + "`: a condition is not a number");
    return Value::error();
  }
  promote(x, y);
  const sym::Shape& s = x->shape;
  const sym::Shape& t = y->shape;
  if (s.rank == 0) return Value::tensor(g_.mul(x, y));
  if (t.rank == 0) return Value::tensor(g_.mul(y, x));
  if (s.rank == 2 && s.cols == t.rows) return Value::tensor(g_.matmul(x, y));
  if (s.rank == 2) {
    mismatch(e, describe(x) + " times " + describe(y) + ": the columns of the left (" + std::to_string(s.cols) +
                    ") must equal the " + (t.rank == 1 ? "length" : "rows") + " of the right (" +
                    std::to_string(t.rows) + ")");
    return Value::error();
  }
  if (t.rank == 2) {
    mismatch(e, describe(x) + " times " + describe(y) + ": vectors are columns")
        .note("a row times a matrix is `transpose(" + text(*e.args[1]) + ")*" + text(*e.args[0]) + "`");
    return Value::error();
  }
  auto r = mismatch(e, describe(x) + " times " + describe(y) + ": two vectors have no product written `*`");
  const std::string arguments = "(" + text(*e.args[0]) + ", " + text(*e.args[1]) + ")";
  r.note("did you mean dot" + arguments + (s.rows == 3 && t.rows == 3 ? ", cross" + arguments : "") + " or outer" +
         arguments + "?");
  return Value::error();
}

Value ExpressionEvaluator::divide(const Value& a, const Value& b, const syntax::Expr& e) {
  const Expr y = scalar(b, *e.args[1]);
  Value r = a;
  if (!isElement(a)) {
    const Expr x = tensor(a, *e.args[0]);
    if (!x) return Value::error();
    r = Value::tensor(asReal(x));
  }
  if (!y) return Value::error();
  if (y->isZero() && e.args[1]->kind == syntax::ExprKind::Number) {
    if (!unreachable()) report(Code::LIE0124, e.range, "`" + text(e) + "`: division by zero");
    return Value::error();
  }
  for (Expr& p : r.parts) p = g_.div(p, y);
  return r;
}

Value ExpressionEvaluator::power(const Value& a, const Value& b, const syntax::Expr& e) {
  const Expr x = tensor(a, *e.args[0]);
  const Expr y = scalar(b, *e.args[1]);
  if (!x || !y) return Value::error();
  if (x->shape.rank == 1) {
    const bool square = y->isConst() && y->number == sym::Number(2);
    auto r = report(Code::LIE0123, e.range, "`" + text(e) + "`: " + describe(x) + " has no powers");
    if (square) r.suggest(didYouMean("dot(" + text(*e.args[0]) + ", " + text(*e.args[0]) + ")"));
    return Value::error();
  }
  if (x->shape.rank == 2) return matrixPower(x, y, e);
  const bool integers =
      x->type == Type::Int && x->isConst() && y->isConst() && y->number.isInteger() && !y->number.negative();
  if (integers) {
    if (const auto p = sym::power(x->number, y->number.num())) return Value::tensor(g_.scale(*p, g_.integer(1)));
  }
  const Expr base = asReal(x);
  if (base->isZero() && y->isConst() && y->number.negative()) {
    if (!unreachable()) report(Code::LIE0124, e.range, "`" + text(e) + "`: zero to a negative power");
    return Value::error();
  }
  return Value::tensor(g_.pow(base, y));
}

Value ExpressionEvaluator::matrixPower(Expr x, Expr y, const syntax::Expr& e) {
  constexpr std::int64_t largest = 16;
  const bool fits = x->shape.rows == x->shape.cols && y->isConst() && y->number.isInteger() && y->number.num() >= 1 &&
                    y->number.num() <= largest;
  if (!fits) {
    auto r = report(Code::LIE0123, e.range,
                    "`" + text(e) + "`: a power of a matrix needs a square matrix and a whole number from 1 to 16");
    if (y->isConst() && y->number.isMinusOne()) r.suggest(didYouMean("inverse(" + text(*e.args[0]) + ")"));
    return Value::error();
  }
  Expr r = x;
  for (std::int64_t k = 1; k < y->number.num(); ++k) r = g_.matmul(r, x);
  return Value::tensor(r);
}

// --- conditions -----------------------------------------------------------------------------------------------

Value ExpressionEvaluator::compare(BinaryOp op, const Value& a, const Value& b, const syntax::Expr& e) {
  const auto chained = [](const syntax::Expr& k) { // reported by the parser
    return k.kind == syntax::ExprKind::Binary && k.op >= BinaryOp::Eq && k.op <= BinaryOp::Ge && !k.parenthesized;
  };
  if (chained(*e.args[0]) || chained(*e.args[1])) return Value::error();
  if (reportsMix(a, b, e, "cannot be compared")) return Value::error();
  Expr x = tensor(a, *e.args[0]);
  Expr y = tensor(b, *e.args[1]);
  if (!x || !y) return Value::error();
  promote(x, y);
  if (x->shape.rank != 0 || y->shape.rank != 0 || x->type == Type::Bool || y->type == Type::Bool) {
    mismatch(e, "numbers can be compared, not " + describe(x) + " with " + describe(y));
    return Value::error();
  }
  if (x->type == Type::Int) {
    // Of two constants beyond 64 bits it is known which is larger unless they agree in all digits that are kept.
    const bool digits = isLarge(x) && isLarge(y) && std::abs(x->number.value() / y->number.value() - 1) < 1e-13;
    const bool unknown = digits || !x->isConst() || !y->isConst();
    if (unknown && (reportsLarge(x, *e.args[0]) || reportsLarge(y, *e.args[1]))) return Value::error();
  }
  switch (op) {
  case BinaryOp::Eq:
    return Value::tensor(g_.compare(sym::Op::Eq, x, y));
  case BinaryOp::Ne:
    return Value::tensor(g_.compare(sym::Op::Ne, x, y));
  case BinaryOp::Lt:
    return Value::tensor(g_.compare(sym::Op::Lt, x, y));
  case BinaryOp::Le:
    return Value::tensor(g_.compare(sym::Op::Le, x, y));
  case BinaryOp::Gt:
    return Value::tensor(g_.compare(sym::Op::Lt, y, x));
  default:
    return Value::tensor(g_.compare(sym::Op::Le, y, x));
  }
}

Value ExpressionEvaluator::logical(BinaryOp op, const Value& a, const Value& b, const syntax::Expr& e) {
  const Expr x = condition(a, *e.args[0]);
  const Expr y = condition(b, *e.args[1]);
  if (!x || !y) return Value::error();
  return Value::tensor(g_.logic(op == BinaryOp::And ? sym::Op::And : sym::Op::Or, x, y));
}

} // namespace lmc::sema
