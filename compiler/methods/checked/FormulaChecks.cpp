// The body of a `variational` method: its discrete Lagrangian and discrete forces.
#include "methods/checked/MethodChecker.h"

#include <fmt/format.h>

namespace lmc::methods {

using syntax::StatementKind;

/// q, xi and the internal unknowns by the names of the formula.
sema::Scope MethodChecker::formulaScope(const syntax::Statement& s) const {
  sema::Scope scope(&scope_);
  for (std::size_t k = 0; k < s.params.size(); ++k)
    scope.bind(s.params[k].name, valueOf(k == 0 ? m_.formula->q : m_.formula->unknowns[k - 1]));
  return scope;
}

std::optional<CheckedFormula::Force> MethodChecker::discreteForce(const syntax::Statement& s) {
  if (s.params.size() > m_.formula->unknowns.size() + 1 || s.params.size() < 2) {
    error(Code::LIE0513, s.keyword, "a discrete force is a function of what the discrete Lagrangian depends on");
    return std::nullopt;
  }
  CheckedFormula::Force force;
  force.terms.first = next();
  const sema::Scope scope = formulaScope(s);
  visible_ = &scope;
  const sema::Value v = evaluate(*s.value);
  visible_ = &scope_;
  if (v.isError()) return std::nullopt;
  if (v.kind != sema::ValueKind::PhaseDual) {
    error(Code::LIE0513, s.value->range, "a discrete force is a momentum, such as h/2*F(q, xi/h, t)");
    return std::nullopt;
  }
  force.value = termOf(v);
  force.terms.last = next();
  return force;
}

/// Where the formula takes the Lagrangian at retract(q, X).
std::optional<CheckedFormula::Node> MethodChecker::nodeOf(TermId element) const {
  const auto plain = [&](TermId t) {
    while (m_.terms[t].op == TermOp::Hold) t = m_.terms[t].args[0];
    return t;
  };
  for (TermId k = m_.formula->terms.first; k < m_.formula->terms.last; ++k) {
    const Term& value = m_.terms[k];
    if (value.op != TermOp::Word || value.word->name != "L") continue;
    const Term& point = m_.terms[plain(value.args[0])];
    if (point.op != TermOp::Word || point.args.size() != 2) continue;
    if (plain(point.args[0]) == m_.formula->q && plain(point.args[1]) == element)
      return CheckedFormula::Node{value.args[0], value.args[2]};
  }
  return std::nullopt;
}

bool MethodChecker::discreteLagrangian(const syntax::Statement& s) {
  if (s.params.size() < 2) {
    error(Code::LIE0513, s.keyword, "a discrete Lagrangian is a function of a configuration and an algebra element")
        .suggest("discrete lagrangian(q, xi) = …;");
    return false;
  }
  CheckedFormula& f = m_.formula.emplace();
  f.q = addGiven(sema::ValueKind::PhasePoint, sym::Shape::scalar(), s.params[0].name);
  for (std::size_t k = 1; k < s.params.size(); ++k)
    f.unknowns.push_back(addGiven(sema::ValueKind::PhaseAlgebra, sym::Shape::scalar(), s.params[k].name));
  f.terms.first = next();
  const sema::Scope scope = formulaScope(s);
  visible_ = &scope;
  const sema::Value v = evaluate(*s.value);
  visible_ = &scope_;
  if (v.isError()) return false;
  if (v.kind != sema::ValueKind::Tensor || v.parts[0]->shape.rank != 0 || v.parts[0]->type == sym::Type::Bool) {
    error(Code::LIE0513, s.value->range, "a discrete Lagrangian is a number");
    return false;
  }
  f.lagrangian = g_.toReal(v.parts[0]);
  f.terms.last = next();
  for (std::size_t k = 1; k < f.unknowns.size(); ++k) f.nodes.push_back(nodeOf(f.unknowns[k]));
  return true;
}

void MethodChecker::formula() {
  const syntax::Statement* lagrangian = nullptr;
  const syntax::Statement* forces[2] = {nullptr, nullptr};
  for (const syntax::StatementPtr& s : decl_.body) {
    if (s->kind != StatementKind::Lagrangian && s->kind != StatementKind::ForceOn) {
      if (s->kind == StatementKind::Next || s->kind == StatementKind::Solve || s->kind == StatementKind::Embedded)
        error(Code::LIE0513, s->keyword, "a variational method is its discrete Lagrangian; the step is derived");
      else
        statement(*s);
      continue;
    }
    const syntax::Statement*& place =
        s->kind == StatementKind::Lagrangian ? lagrangian : forces[s->word == "left" ? 0 : 1];
    if (s->word != "discrete" && s->word != "left" && s->word != "right") {
      error(Code::LIE0513, s->keyword, "a variational method has a `discrete lagrangian` and discrete forces")
          .suggest(s->kind == StatementKind::Lagrangian ? "discrete lagrangian(q, xi) = …;"
                                                        : "discrete force left(q, xi) = …;");
      return;
    }
    if (place != nullptr) {
      error(Code::LIE0513, s->keyword, "this is given twice");
      return;
    }
    place = s.get();
  }
  if (lagrangian == nullptr) {
    error(Code::LIE0513, decl_.nameRange, fmt::format("`{}` has no discrete Lagrangian", decl_.name))
        .suggest("discrete lagrangian(q, xi) = h*L(retract(q, xi/2), xi/h, t + h/2);");
    return;
  }
  if (!discreteLagrangian(*lagrangian)) return;
  if (forces[0] != nullptr) m_.formula->left = discreteForce(*forces[0]);
  if (forces[1] != nullptr) m_.formula->right = discreteForce(*forces[1]);
}

} // namespace lmc::methods
