#include "sym/Constant.h"

#include <cmath>

namespace lmc::sym {

namespace {
std::optional<long double> value(Expr e) {
  if (e->isConst()) {
    if (!e->number.exact()) return static_cast<long double>(e->number.value());
    return static_cast<long double>(e->number.num()) / static_cast<long double>(e->number.den());
  }
  if (e->shape.rank != 0) return std::nullopt;
  std::vector<long double> args;
  for (const Expr& a : e->args) {
    const auto v = value(a);
    if (!v) return std::nullopt;
    args.push_back(*v);
  }
  long double r = 0;
  switch (e->op) {
  case Op::Add:
    for (const long double a : args) r += a;
    return r;
  case Op::Mul:
    r = 1;
    for (const long double a : args) r *= a;
    return r;
  case Op::Div:
    return args[0] / args[1];
  case Op::Sqrt:
    return std::sqrt(args[0]);
  case Op::Pow:
    return std::pow(args[0], args[1]);
  case Op::PowInt:
    return std::pow(args[0], static_cast<long double>(e->imm));
  case Op::ToReal:
    return args[0];
  default:
    return std::nullopt;
  }
}
} // namespace

std::optional<Number> constantValue(Expr e) {
  if (e->isConst()) return e->number;
  const auto v = value(e);
  if (!v || !std::isfinite(*v)) return std::nullopt;
  return Number::real(static_cast<double>(*v));
}

} // namespace lmc::sym
