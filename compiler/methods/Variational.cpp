// The body of a `variational` method: from its discrete Lagrangian to a step.
#include "methods/Instantiation.h"
#include "methods/kinds/VariationalKind.h"

#include <fmt/format.h>

namespace lmc {

using ast::StatementKind;

namespace {
bool isDiscrete(const ast::Statement& s) {
  return s.kind == StatementKind::Lagrangian || s.kind == StatementKind::ForceOn;
}
} // namespace

/// q, xi and the internal unknowns by the names of the formula.
Scope Instantiation::formulaScope(const ast::Statement& s, const Value& q, const std::vector<Value>& unknowns) {
  Scope scope(&scope_);
  for (std::size_t k = 0; k < s.params.size(); ++k) scope.bind(s.params[k].name, k == 0 ? q : unknowns[k - 1]);
  return scope;
}

std::optional<Tuple> Instantiation::discreteForce(const ast::Statement& s, const Value& q,
                                                  const std::vector<Value>& unknowns) {
  if (s.params.size() > unknowns.size() + 1 || s.params.size() < 2) {
    d_.error(Code::LIE0513, s.keyword, "a discrete force is a function of what the discrete Lagrangian depends on");
    return std::nullopt;
  }
  const Scope scope = formulaScope(s, q, unknowns);
  visible_ = &scope;
  const Value v = evaluate(*s.value);
  visible_ = &scope_;
  if (v.isError()) return std::nullopt;
  if (v.kind == ValueKind::PhaseDual) return v.parts;
  d_.error(Code::LIE0513, s.value->range, "a discrete force is a momentum, such as h/2*F(q, xi/h, t)");
  return std::nullopt;
}

void Instantiation::variational() {
  auto& kind = dynamic_cast<VariationalKind&>(kind_);
  const ast::Statement* lagrangian = nullptr;
  const ast::Statement* forces[2] = {nullptr, nullptr};
  for (const ast::StatementPtr& s : decl_.body) {
    if (!isDiscrete(*s)) {
      if (s->kind == StatementKind::Next || s->kind == StatementKind::Solve || s->kind == StatementKind::Embedded) {
        d_.error(Code::LIE0513, s->keyword, "a variational method is its discrete Lagrangian; the step is derived");
      } else {
        statement(*s);
      }
      continue;
    }
    const ast::Statement*& place =
        s->kind == StatementKind::Lagrangian ? lagrangian : forces[s->word == "left" ? 0 : 1];
    if (s->word != "discrete" && s->word != "left" && s->word != "right") {
      d_.error(Code::LIE0513, s->keyword, "a variational method has a `discrete lagrangian` and discrete forces")
          .suggest(s->kind == StatementKind::Lagrangian ? "discrete lagrangian(q, xi) = …;"
                                                        : "discrete force left(q, xi) = …;");
      return;
    }
    if (place != nullptr) {
      d_.error(Code::LIE0513, s->keyword, "this is given twice");
      return;
    }
    place = s.get();
  }
  if (lagrangian == nullptr) {
    d_.error(Code::LIE0513, decl_.nameRange, fmt::format("'{}' has no discrete Lagrangian", decl_.name))
        .suggest("discrete lagrangian(q, xi) = h*L(retract(q, xi/2), xi/h, t + h/2);");
    return;
  }
  if (lagrangian->params.size() < 2) {
    d_.error(Code::LIE0513, lagrangian->keyword,
             "a discrete Lagrangian is a function of a configuration and an algebra element")
        .suggest("discrete lagrangian(q, xi) = …;");
    return;
  }
  VariationalKind::Formula formula = kind.begin(lagrangian->params.size() - 1);
  {
    const Scope scope = formulaScope(*lagrangian, formula.q, formula.unknowns);
    visible_ = &scope;
    const Value v = evaluate(*lagrangian->value);
    visible_ = &scope_;
    if (v.isError()) return;
    if (v.kind != ValueKind::Tensor || v.parts[0]->shape.rank != 0 || v.parts[0]->type == sym::Type::Bool) {
      d_.error(Code::LIE0513, lagrangian->value->range, "a discrete Lagrangian is a number");
      return;
    }
    formula.lagrangian = g_.toReal(v.parts[0]);
  }
  for (const int side : {0, 1}) {
    if (forces[side] == nullptr) continue;
    auto force = discreteForce(*forces[side], formula.q, formula.unknowns);
    if (!force) return;
    (side == 0 ? formula.left : formula.right) = std::move(*force);
  }
  if (d_.errorCount() > 0) return;
  const std::vector<Value> next = kind.step(formula, begin_.state, begin_.h);
  for (std::size_t k = 0; k < next.size(); ++k) next_[k] = next[k];
}

} // namespace lmc
