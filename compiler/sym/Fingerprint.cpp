#include "sym/Fingerprint.h"

#include <bit>

namespace lmc::sym {

namespace {

using Value = Fingerprint::Value;
using Values = std::vector<Value>;
__extension__ using Wide = unsigned __int128;

Value reduced(Wide x) {
  const Value r = static_cast<Value>(x & Fingerprint::prime) + static_cast<Value>(x >> 61);
  return r >= Fingerprint::prime ? r - Fingerprint::prime : r;
}

Value negative(Value a) {
  return a == 0 ? 0 : Fingerprint::prime - a;
}

Value power(Value a, std::uint64_t n) {
  Value r = 1;
  for (; n > 0; n >>= 1, a = Fingerprint::product(a, a)) {
    if ((n & 1) != 0) r = Fingerprint::product(r, a);
  }
  return r;
}

/// The finalizer of SplitMix64.
Value mixed(Value seed, Value next) {
  Value z = seed + 0x9e3779b97f4a7c15U + next * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

Values crossed(const Values& a, const Values& b) {
  Values r;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3;
    const std::size_t j = (k + 2) % 3;
    r.push_back(Fingerprint::sum(Fingerprint::product(a[i], b[j]), negative(Fingerprint::product(a[j], b[i]))));
  }
  return r;
}

} // namespace

Fingerprint::Fingerprint(Expr index, Value at) {
  if (index && index->op == Op::Index) values_[index.node()] = {at};
}

Value Fingerprint::sum(Value a, Value b) {
  return reduced(static_cast<Wide>(a) + b);
}

Value Fingerprint::product(Value a, Value b) {
  return reduced(static_cast<Wide>(a) * b);
}

Value Fingerprint::inverse(Value a) {
  return power(a, prime - 2);
}

Value Fingerprint::of(std::int64_t n) {
  const Value size = reduced(n < 0 ? -static_cast<Wide>(n) : static_cast<Wide>(n));
  return n < 0 ? negative(size) : size;
}

Value Fingerprint::of(const Number& n) {
  if (!n.exact()) return reduced(mixed(1, std::bit_cast<std::uint64_t>(n.value())));
  return product(of(n.num()), inverse(of(n.den())));
}

const Values& Fingerprint::of(Expr e) {
  visitPostOrder({e}, [this](const Node& n) {
    if (!values_.contains(&n)) values_[&n] = evaluate(n);
  });
  return values_.at(e.node());
}

Values Fingerprint::evaluate(const Node& n) {
  const auto size = static_cast<std::size_t>(n.shape.size());
  switch (n.op) {
  case Op::Const:
    return {of(n.number)};
  case Op::Zero:
    return Values(size, 0);
  case Op::Identity: {
    Values r(size, 0);
    for (int k = 0; k < n.shape.rows; ++k) r[static_cast<std::size_t>(k) * (n.shape.cols + 1)] = 1;
    return r;
  }
  case Op::Basis: {
    Values r(size, 0);
    const Value place = values_.at(n.args[0].node())[0];
    if (place < 1 || place > size) return unknown(n);
    r[place - 1] = 1;
    return r;
  }
  case Op::Add:
  case Op::Mul:
  case Op::Div:
  case Op::PowInt:
  case Op::ToReal:
    return arithmetic(n);
  case Op::Component:
    return component(n);
  default:
    return tensor(n);
  }
}

Values Fingerprint::arithmetic(const Node& n) {
  Values r = values_.at(n.args[0].node());
  switch (n.op) {
  case Op::Add:
    for (std::size_t k = 1; k < n.args.size(); ++k) {
      const Values& term = values_.at(n.args[k].node());
      for (std::size_t j = 0; j < r.size(); ++j) r[j] = sum(r[j], term[j]);
    }
    return r;
  case Op::Mul: {
    const Value factor = r[0];
    r = values_.at(n.args[1].node());
    for (Value& x : r) x = product(factor, x);
    return r;
  }
  case Op::Div: {
    const Value divisor = values_.at(n.args[1].node())[0];
    if (divisor == 0) return unknown(n);
    for (Value& x : r) x = product(x, inverse(divisor));
    return r;
  }
  case Op::PowInt:
    if (n.imm < 0 && r[0] == 0) return unknown(n);
    return {power(n.imm < 0 ? inverse(r[0]) : r[0], static_cast<std::uint64_t>(n.imm < 0 ? -n.imm : n.imm))};
  default:
    return r;
  }
}

Values Fingerprint::component(const Node& n) {
  const Values& a = values_.at(n.args[0].node());
  const Value columns = n.args.size() == 3 ? static_cast<Value>(n.args[0]->shape.cols) : 1;
  const Value row = values_.at(n.args[1].node())[0];
  const Value column = n.args.size() == 3 ? values_.at(n.args[2].node())[0] : 1;
  if (row < 1 || row > a.size() / columns || column < 1 || column > columns) return unknown(n);
  return {a[(row - 1) * columns + column - 1]};
}

Values Fingerprint::tensor(const Node& n) {
  const auto arg = [&](std::size_t k) -> const Values& { return values_.at(n.args[k].node()); };
  const auto rows = static_cast<std::size_t>(n.shape.rows);
  const auto cols = static_cast<std::size_t>(n.shape.cols);
  Values r;
  switch (n.op) {
  case Op::MatMul: {
    const auto inner = static_cast<std::size_t>(n.args[0]->shape.cols);
    for (std::size_t k = 0; k < rows * cols; ++k) {
      Value s = 0;
      for (std::size_t j = 0; j < inner; ++j)
        s = sum(s, product(arg(0)[k / cols * inner + j], arg(1)[j * cols + k % cols]));
      r.push_back(s);
    }
    return r;
  }
  case Op::Transpose:
    for (std::size_t k = 0; k < rows * cols; ++k) r.push_back(arg(0)[k % cols * rows + k / cols]);
    return r;
  case Op::Inner: {
    Value s = 0;
    for (std::size_t k = 0; k < arg(0).size(); ++k) s = sum(s, product(arg(0)[k], arg(1)[k]));
    return {s};
  }
  case Op::Outer:
    for (const Value x : arg(0)) {
      for (const Value y : arg(1)) r.push_back(product(x, y));
    }
    return r;
  case Op::Cross:
    return crossed(arg(0), arg(1));
  case Op::Hat: {
    const Values& a = arg(0);
    return {0, negative(a[2]), a[1], a[2], 0, negative(a[0]), negative(a[1]), a[0], 0};
  }
  case Op::Unhat: {
    const Values& a = arg(0);
    return {sum(a[7], negative(a[5])), sum(a[2], negative(a[6])), sum(a[3], negative(a[1]))};
  }
  case Op::Trace:
  case Op::DiagOf: {
    const auto width = static_cast<std::size_t>(n.args[0]->shape.cols);
    Value s = 0;
    for (std::size_t k = 0; k < width; ++k) {
      r.push_back(arg(0)[k * (width + 1)]);
      s = sum(s, r.back());
    }
    return n.op == Op::Trace ? Values{s} : r;
  }
  case Op::Diag:
    for (std::size_t k = 0; k < rows * cols; ++k) r.push_back(k % (cols + 1) == 0 ? arg(0)[k / (cols + 1)] : 0);
    return r;
  case Op::Vector:
  case Op::Matrix:
    for (std::size_t k = 0; k < n.args.size(); ++k) r.push_back(arg(k)[0]);
    return r;
  default:
    return unknown(n);
  }
}

/// One number for each entry that depends on nothing but what it is computed from.
Values Fingerprint::unknown(const Node& n) {
  Value seed = mixed(static_cast<Value>(n.op), static_cast<Value>(n.imm));
  if (n.array != nullptr) seed = mixed(seed, n.array->id + Value{1});
  for (const Expr& e : n.args) {
    for (const Value x : values_.at(e.node())) seed = mixed(seed, x);
  }
  Values r;
  for (int k = 0; k < n.shape.size(); ++k) r.push_back(mixed(seed, static_cast<Value>(k)) % prime);
  return r;
}

} // namespace lmc::sym
