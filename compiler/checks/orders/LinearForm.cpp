#include "checks/orders/LinearForm.h"

#include "sym/Constant.h"

namespace lmc::orders {

namespace {

using sym::Expr;
using sym::Op;

const char* const notLinear = "a coefficient is no fixed number times a power of h";

void add(LinearForm& sum, const LinearForm& term) {
  for (const auto& [array, powers] : term) {
    for (const auto& [power, c] : powers) sum[array][power] += c;
  }
}

Powers product(const Powers& a, const Powers& b) {
  Powers r;
  for (const auto& [p, x] : a) {
    for (const auto& [q, y] : b) r[p + q] += x * y;
  }
  return r;
}

/// The polynomial that a form without arrays is.
const Powers& scalar(const LinearForm& form) {
  static const Powers none;
  if (form.empty()) return none;
  if (form.size() > 1 || form.begin()->first != nullptr) throw NotProved(notLinear);
  return form.begin()->second;
}

LinearForm multiply(const LinearForm& a, const LinearForm& b) {
  const bool left = a.size() == 1 && a.begin()->first == nullptr;
  const Powers& c = scalar(left ? a : b);
  LinearForm r;
  for (const auto& [array, powers] : left ? b : a) r[array] = product(c, powers);
  return r;
}

LinearForm reciprocal(const LinearForm& a) {
  const Powers& c = scalar(a);
  if (c.size() != 1 || c.begin()->second.isZero()) throw NotProved(notLinear);
  return {{nullptr, {{-c.begin()->first, c.begin()->second.inverse()}}}};
}

LinearForm power(const LinearForm& a, std::int64_t n) {
  if (n < 0) return power(reciprocal(a), -n);
  LinearForm r = {{nullptr, {{0, 1}}}};
  for (std::int64_t k = 0; k < n; ++k) r = multiply(r, a);
  return r;
}

} // namespace

LinearForm linearForm(Expr e, const sym::Array* stepSize) {
  const auto argument = [&](std::size_t k) { return linearForm(e->args[k], stepSize); };
  switch (e->op) {
  case Op::Const:
    return {{nullptr, {{0, Coefficient(e->number)}}}};
  case Op::Load:
    if (e->array == stepSize) return {{nullptr, {{1, 1}}}};
    return {{e->array, {{0, 1}}}};
  case Op::ToReal:
    return argument(0);
  case Op::Add: {
    LinearForm sum;
    for (std::size_t k = 0; k < e->args.size(); ++k) add(sum, argument(k));
    return sum;
  }
  case Op::Mul: {
    LinearForm r = argument(0);
    for (std::size_t k = 1; k < e->args.size(); ++k) r = multiply(r, argument(k));
    return r;
  }
  case Op::Div:
    return multiply(argument(0), reciprocal(argument(1)));
  case Op::PowInt:
    if (e->imm >= -64 && e->imm <= 64) return power(argument(0), e->imm);
    [[fallthrough]];
  case Op::Sqrt:
  case Op::Pow:
    if (const auto n = sym::constantValue(e)) return {{nullptr, {{0, Coefficient(*n)}}}};
    [[fallthrough]];
  default:
    throw NotProved(notLinear);
  }
}

} // namespace lmc::orders
