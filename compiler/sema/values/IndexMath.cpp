#include "sema/values/IndexMath.h"

#include "base/Budget.h"
#include "base/Integers.h"

#include <cmath>
#include <stdexcept>

namespace lmc::sema {

using sym::Expr;
using sym::Number;
using sym::Op;

namespace {

Number floorOf(const Number& x) {
  if (x.exact()) return floorDiv(x.num(), x.den());
  const double whole = std::floor(x.value());
  if (std::abs(whole) < 0x1p63) return static_cast<std::int64_t>(whole);
  return Number::real(whole);
}

bool isLess(const Number& a, const Number& b) {
  return a.isInteger() && b.isInteger() ? a.num() < b.num() : a.value() < b.value();
}

std::optional<Number> integerOp(Op op, const Number& a, const Number& b) {
  if (!a.isInteger() || !b.isInteger() || b.isZero()) return std::nullopt;
  return op == Op::IDiv ? floorDiv(a.num(), b.num()) : floorMod(a.num(), b.num());
}

std::optional<Number> binary(Op op, const Number& a, const Number& b) {
  switch (op) {
  case Op::Mul:
    return a * b;
  case Op::Div:
    return b.isZero() ? std::nullopt : std::optional<Number>(a / b);
  case Op::Min:
    return isLess(b, a) ? b : a;
  case Op::Max:
    return isLess(a, b) ? b : a;
  case Op::IDiv:
  case Op::IMod:
    return integerOp(op, a, b);
  case Op::Lt:
    return isLess(a, b) ? 1 : 0;
  case Op::Le:
    return isLess(b, a) ? 0 : 1;
  case Op::Eq:
    return a == b ? 1 : 0;
  case Op::Ne:
    return a == b ? 0 : 1;
  case Op::And:
    return !a.isZero() && !b.isZero() ? 1 : 0;
  case Op::Or:
    return !a.isZero() || !b.isZero() ? 1 : 0;
  default:
    return std::nullopt;
  }
}

std::optional<Number> unary(const sym::Node& n, const Number& a) {
  switch (n.op) {
  case Op::ToReal:
    return a;
  case Op::FloorToInt:
  case Op::Floor:
    return floorOf(a);
  case Op::Abs:
    return a.negative() ? -a : a;
  case Op::Not:
    return a.isZero() ? 1 : 0;
  case Op::PowInt:
    return sym::power(a, n.imm);
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<Number> valueAt(Expr e, const IndexValues& values) {
  spendWork();
  checkStack();
  switch (e->op) {
  case Op::Const:
    return e->number;
  case Op::Index: {
    const auto it = values.find(e.node());
    return it == values.end() ? std::nullopt : std::optional<Number>(it->second);
  }
  case Op::Add: {
    Number total(0);
    for (const Expr& a : e->args) {
      const auto v = valueAt(a, values);
      if (!v) return std::nullopt;
      total = total + *v;
    }
    return total;
  }
  case Op::Select: {
    const auto c = valueAt(e->args[0], values);
    if (!c) return std::nullopt;
    return valueAt(e->args[c->isZero() ? 2 : 1], values);
  }
  default:
    break;
  }
  if (e->shape.rank != 0 || e->op == Op::Load || e->args.empty() || e->args.size() > 2) return std::nullopt;
  const auto a = valueAt(e->args[0], values);
  if (!a) return std::nullopt;
  if (e->args.size() == 1) return unary(*e, *a);
  const auto b = valueAt(e->args[1], values);
  return b ? binary(e->op, *a, *b) : std::nullopt;
}

std::optional<std::int64_t> integerAt(Expr e, const IndexValues& values) {
  const auto v = valueAt(e, values);
  if (!v || !v->isInteger()) return std::nullopt;
  return v->num();
}

std::optional<std::int64_t> constantInteger(Expr e) {
  return integerAt(e, {});
}

std::unordered_set<const sym::Node*> freeIndices(Expr e) {
  std::unordered_set<const sym::Node*> result;
  if (!e || !e->indexed) return result;
  sym::visitPostOrder({e}, [&](const sym::Node& n) {
    if (n.op == Op::Index) result.insert(&n);
  });
  return result;
}

bool isIndexOnly(Expr e) {
  return !e->reads;
}

namespace {

bool enumerateFrom(const std::vector<sym::Loop>& loops, std::size_t depth, IndexValues& values, std::size_t& left,
                   const std::function<bool(const IndexValues&)>& visit, bool& complete) {
  if (depth == loops.size()) {
    if (left == 0) {
      complete = false;
      return false;
    }
    --left;
    return visit(values);
  }
  const sym::Loop& loop = loops[depth];
  const auto lo = integerAt(loop.lo, values);
  const auto hi = integerAt(loop.hi, values);
  if (!lo || !hi) {
    complete = false;
    return false;
  }
  for (std::int64_t k = *lo; k <= *hi; ++k) {
    values[loop.index.node()] = k;
    if (!enumerateFrom(loops, depth + 1, values, left, visit, complete)) return false;
  }
  return true;
}

} // namespace

bool enumerate(const std::vector<sym::Loop>& loops, std::size_t limit,
               const std::function<bool(const IndexValues&)>& visit) {
  IndexValues values;
  bool complete = true;
  enumerateFrom(loops, 0, values, limit, visit, complete);
  return complete;
}

bool someLoopIsEmpty(const std::vector<sym::Loop>& loops) {
  for (const sym::Loop& loop : loops) {
    const auto lo = constantInteger(loop.lo);
    const auto hi = constantInteger(loop.hi);
    if (lo && hi && *lo > *hi) return true;
  }
  return false;
}

} // namespace lmc::sema
