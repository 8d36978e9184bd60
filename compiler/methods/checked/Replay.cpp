#include "methods/checked/Replay.h"

namespace lmc::methods {

using sym::Expr;

Replay::Replay(sym::Graph& graph, const CheckedMethod& method, Meanings& meanings, Expr h, Expr t)
    : g_(graph), method_(method), meanings_(meanings), values_(method.terms.size()) {
  handles_[method.stepSize] = h;
  handles_[method.time] = t;
}

void Replay::give(TermId term, sema::Value value) {
  if (value.kind == sema::ValueKind::Tensor && method_.terms[term].handle != nullptr)
    handles_[method_.terms[term].handle] = value.parts[0];
  values_[term] = std::move(value);
}

bool Replay::evaluate(const Terms& terms) {
  for (TermId k = terms.first; k < terms.last; ++k) {
    const Term& t = method_.terms[k];
    if (t.op == TermOp::State || t.op == TermOp::Given) continue;
    sema::Value v = valueOf(t);
    if (v.isError()) return false;
    give(k, std::move(v));
  }
  return true;
}

sema::Value Replay::valueOf(const Term& t) {
  const auto arg = [&](std::size_t k) -> const sema::Value& { return values_[t.args[k]]; };
  switch (t.op) {
  case TermOp::State:
  case TermOp::Given:
    break; // set from outside
  case TermOp::Number:
    return sema::Value::tensor(number(t.number));
  case TermOp::Word: {
    std::vector<sema::Value> args;
    for (const TermId a : t.args) args.push_back(values_[a]);
    return meanings_.word(*t.word, args, t.where);
  }
  case TermOp::Product:
    return meanings_.product(arg(0), arg(1));
  case TermOp::Act:
    return meanings_.act(arg(0), arg(1));
  case TermOp::ActRight:
    return meanings_.actRight(arg(0), arg(1), t.where);
  case TermOp::Bracket:
    return meanings_.bracket(arg(0), arg(1));
  case TermOp::Hold:
    return meanings_.hold(arg(0), t.name);
  default:
    return linear(t);
  }
  return sema::Value::error();
}

/// Part by part.
sema::Value Replay::linear(const Term& t) {
  sema::Value r = values_[t.args[0]];
  const Expr c = t.number ? number(t.number) : Expr();
  for (std::size_t k = 0; k < r.parts.size(); ++k) {
    Expr& part = r.parts[k];
    const auto other = [&] { return values_[t.args[1]].parts[k]; };
    if (t.op == TermOp::Add) part = g_.add(part, other());
    if (t.op == TermOp::Subtract) part = g_.sub(part, other());
    if (t.op == TermOp::Scale) part = g_.mul(c, part);
    if (t.op == TermOp::Divide) part = g_.div(part, c);
    if (t.op == TermOp::Negate) part = g_.neg(part);
    if (t.op == TermOp::Select) part = g_.select(c, part, other());
  }
  return r;
}

Expr Replay::number(Expr e) {
  if (const auto it = numbers_.find(e.node()); it != numbers_.end()) return it->second;
  Expr r;
  const auto handle = e->op == sym::Op::Load ? handles_.find(e->array) : handles_.end();
  if (handle != handles_.end()) {
    r = handle->second;
  } else {
    std::vector<Expr> args;
    for (const Expr& a : e->args) args.push_back(number(a));
    r = args == e->args ? e : g_.rebuild(*e.node(), args);
  }
  numbers_.emplace(e.node(), r);
  return r;
}

} // namespace lmc::methods
