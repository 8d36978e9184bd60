// Folding: zeros and ones vanish, constants are computed, signs move outwards. Exact in real arithmetic.
#include "base/Integers.h"
#include "lower/builder/Builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace lmc::lower {

using tape::Op;
using tape::Type;

Builder::Value Builder::add(Value a, Value b) {
  const auto x = constant(a);
  const auto y = constant(b);
  if (x && y) return real(*x + *y);
  if (x == 0.0) return b;
  if (y == 0.0) return a;
  if (info_[b].op == Op::Neg) return sub(a, info_[b].args[0]);
  if (info_[a].op == Op::Neg) return sub(b, info_[a].args[0]);
  return pure(Op::Add, Type::Real, {std::min(a, b), std::max(a, b)});
}

Builder::Value Builder::sub(Value a, Value b) {
  const auto x = constant(a);
  const auto y = constant(b);
  if (x && y) return real(*x - *y);
  if (y == 0.0) return a;
  if (x == 0.0) return neg(b);
  if (a == b) return real(0);
  if (info_[b].op == Op::Neg) return add(a, info_[b].args[0]);
  return pure(Op::Sub, Type::Real, {a, b});
}

Builder::Value Builder::neg(Value a) {
  if (const auto x = constant(a)) return real(*x == 0 ? 0.0 : -*x);
  if (info_[a].op == Op::Neg) return info_[a].args[0];
  if (info_[a].op == Op::Sub) return pure(Op::Sub, Type::Real, {info_[a].args[1], info_[a].args[0]});
  return pure(Op::Neg, Type::Real, {a});
}

Builder::Value Builder::mul(Value a, Value b) {
  const auto x = constant(a);
  const auto y = constant(b);
  if (x && y) return real(*x * *y);
  if (x == 0.0 || y == 0.0) return real(0);
  if (x == 1.0) return b;
  if (y == 1.0) return a;
  if (x == -1.0) return neg(b);
  if (y == -1.0) return neg(a);
  if (info_[a].op == Op::Neg) return neg(mul(info_[a].args[0], b));
  if (info_[b].op == Op::Neg) return neg(mul(a, info_[b].args[0]));
  return pure(Op::Mul, Type::Real, {std::min(a, b), std::max(a, b)});
}

Builder::Value Builder::div(Value a, Value b) {
  const auto x = constant(a);
  const auto y = constant(b);
  if (x && y) return real(*x / *y);
  if (x == 0.0) return a;
  if (y == 1.0) return a;
  if (y && std::isnormal(*y)) { // a power of two divides exactly
    int exponent = 0;
    if (std::frexp(std::abs(*y), &exponent) == 0.5) return mul(a, real(1 / *y));
  }
  if (info_[a].op == Op::Neg) return neg(div(info_[a].args[0], b));
  return pure(Op::Div, Type::Real, {a, b});
}

Builder::Value Builder::powInt(Value a, std::int64_t n) {
  if (n < 0) return div(real(1), powInt(a, -n));
  Value result = real(1);
  Value base = a;
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) result = mul(result, base);
    if (n > 1) base = mul(base, base);
  }
  return result;
}

Builder::Value Builder::select(Value condition, Value a, Value b) {
  if (const auto c = constantInt(condition)) return *c != 0 ? a : b;
  if (a == b) return a;
  return pure(Op::Select, info_[a].type, {condition, a, b});
}

std::optional<Builder::Value> Builder::foldUnary(Op op, std::span<const Value> args, std::int64_t imm) {
  if (args.size() == 1 && op == Op::IntToReal) {
    if (const auto i = constantInt(args[0])) return real(static_cast<double>(*i));
    return std::nullopt;
  }
  if (args.size() != 1) return std::nullopt;
  const auto x = constant(args[0]);
  if (!x) return std::nullopt;
  switch (op) {
  case Op::Sqrt:
    return real(std::sqrt(*x));
  case Op::Abs:
    return real(std::abs(*x));
  case Op::Floor:
    return real(std::floor(*x));
  case Op::FloorToInt:
    if (std::abs(*x) < 1e15) return integer(static_cast<std::int64_t>(std::floor(*x)));
    return std::nullopt;
  case Op::Stumpff: {
    if (*x != 0) return std::nullopt;
    double factorial = 1;
    for (std::int64_t k = 2; k <= imm; ++k) factorial *= static_cast<double>(k);
    return real(1 / factorial);
  }
  default:
    return std::nullopt;
  }
}

std::optional<Builder::Value> Builder::foldInt(Op op, std::span<const Value> args) {
  std::array<std::int64_t, 3> c{};
  std::size_t known = 0;
  for (const Value a : args) {
    const auto k = constantInt(a);
    if (!k || known == c.size()) break;
    c[known++] = *k;
  }
  if (known != args.size()) {
    const auto first = constantInt(args[0]);
    const std::int64_t unknown = -1; // compared with 0 and 1 only
    const std::int64_t second = args.size() > 1 ? constantInt(args[1]).value_or(unknown) : unknown;
    if (op == Op::IAdd && first == 0) return args[1];
    if ((op == Op::IAdd || op == Op::ISub) && second == 0) return args[0];
    if (op == Op::IMul && first == 1) return args[1];
    if ((op == Op::IMul || op == Op::IDiv) && second == 1) return args[0];
    if (op == Op::IMul && (first == 0 || second == 0)) return integer(0);
    return std::nullopt;
  }
  switch (op) {
  case Op::IAdd:
    return integer(c[0] + c[1]);
  case Op::ISub:
    return integer(c[0] - c[1]);
  case Op::IMul:
    return integer(c[0] * c[1]);
  case Op::INeg:
    return integer(-c[0]);
  case Op::IDiv:
    return c[1] == 0 ? std::nullopt : std::optional(integer(floorDiv(c[0], c[1])));
  case Op::IMod:
    return c[1] == 0 ? std::nullopt : std::optional(integer(floorMod(c[0], c[1])));
  case Op::IMin:
    return integer(std::min(c[0], c[1]));
  case Op::IMax:
    return integer(std::max(c[0], c[1]));
  case Op::IAbs:
    return integer(std::abs(c[0]));
  case Op::ILt:
    return boolean(c[0] < c[1]);
  case Op::ILe:
    return boolean(c[0] <= c[1]);
  case Op::IEq:
    return boolean(c[0] == c[1]);
  case Op::INe:
    return boolean(c[0] != c[1]);
  case Op::And:
    return boolean(c[0] != 0 && c[1] != 0);
  case Op::Or:
    return boolean(c[0] != 0 || c[1] != 0);
  case Op::Not:
    return boolean(c[0] == 0);
  default:
    return std::nullopt;
  }
}

Builder::Value Builder::pure(Op op, Type type, std::span<const Value> args, std::int64_t imm) {
  if (!args.empty() && info_[args[0]].type == Type::Real) {
    if (const auto v = foldUnary(op, args, imm)) return *v;
    if (args.size() == 2 && constant(args[0]) && constant(args[1])) {
      const double x = *constant(args[0]);
      const double y = *constant(args[1]);
      switch (op) {
      case Op::Lt:
        return boolean(x < y);
      case Op::Le:
        return boolean(x <= y);
      case Op::Eq:
        return boolean(x == y);
      case Op::Ne:
        return boolean(x != y);
      case Op::Min:
        return real(x < y || std::isnan(x) ? x : y);
      case Op::Max:
        return real(x > y || std::isnan(x) ? x : y);
      default:
        break;
      }
    }
  } else if (!args.empty()) {
    if (const auto v = op == Op::IntToReal ? foldUnary(op, args, imm) : foldInt(op, args)) return *v;
  }
  Info i;
  if (args.size() > i.args.size()) throw std::logic_error("a pure operation with more than three operands");
  i.op = op;
  i.type = type;
  i.imm = imm;
  i.count = static_cast<std::uint8_t>(args.size());
  std::copy(args.begin(), args.end(), i.args.begin());
  return shared(i);
}

} // namespace lmc::lower
