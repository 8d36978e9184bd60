// `keep a from e; … next a = e;` in a method's body: numbers that it carries from step to step.
#include "methods/checked/MethodChecker.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

namespace {
bool isTensor(const sema::Value& v) {
  return v.kind == sema::ValueKind::Tensor && v.parts[0]->type != sym::Type::Bool;
}
} // namespace

std::optional<std::size_t> MethodChecker::keptIndex(const std::string& name) const {
  const auto it = std::find_if(m_.kept.begin(), m_.kept.end(), [&](const CheckedKept& k) { return k.name == name; });
  if (it == m_.kept.end()) return std::nullopt;
  return static_cast<std::size_t>(it - m_.kept.begin());
}

void MethodChecker::keep(const syntax::Statement& s) {
  CheckedStatement checked;
  checked.what = CheckedStatement::What::Keep;
  checked.keyword = s.keyword;
  checked.variable = m_.kept.size();
  checked.terms.first = next();
  sema::Value v = evaluate(*s.value);
  if (given(s.target.name)) return (void)fresh(s.target);
  if (!fresh(s.target)) return;
  if (!v.isError() && !isTensor(v) && !v.isPhaseLinear()) {
    error(Code::LIE0435, s.value->range,
          v.kind == sema::ValueKind::PhasePoint
              ? "a point cannot be kept; the velocity, momentum or acceleration of one can"
              : "what a method keeps is a number, a vector, a matrix, an algebra element, a momentum or multipliers");
    v = sema::Value::error();
  }
  if (v.isError()) {
    scope_.bind(s.target.name, v);
    return;
  }
  if (v.kind == sema::ValueKind::Tensor) v.parts[0] = g_.toReal(v.parts[0]);
  checked.value = termOf(v);
  checked.terms.last = next();
  const sym::Shape shape = v.kind == sema::ValueKind::Tensor ? v.parts[0]->shape : sym::Shape::scalar();
  m_.kept.push_back({s.target.name, addGiven(v.kind, shape, s.target.name), s.target.nameRange});
  scope_.bind(s.target.name, valueOf(m_.kept.back().value));
  m_.body.push_back(std::move(checked));
}

/// `next a = e` of what is kept.
void MethodChecker::hand(const syntax::Statement& s, std::size_t k) {
  const std::string name = "next " + s.target.name;
  if (scope_.find(name) != nullptr) {
    error(Code::LIE0503, s.keyword, fmt::format("`{}` is given twice", name));
    return;
  }
  CheckedStatement checked;
  checked.what = CheckedStatement::What::Hand;
  checked.variable = k;
  checked.terms.first = next();
  sema::Value v = evaluate(*s.value);
  const Term& kept = m_.terms[m_.kept[k].value];
  const bool isNumber = kept.kind == sema::ValueKind::Tensor;
  if (!v.isError() &&
      (v.kind != kept.kind || (isNumber && (!isTensor(v) || v.parts[0]->shape != kept.handle->shape)))) {
    error(Code::LIE0435, s.value->range,
          fmt::format("`{}` is not of the kind that `{}` begins with", name, s.target.name))
        .note("it begins here", m_.kept[k].where);
    v = sema::Value::error();
  }
  if (!v.isError() && isNumber) v.parts[0] = g_.toReal(v.parts[0]);
  scope_.bind(name, held(v, "next." + s.target.name));
  if (v.isError()) return;
  checked.value = termOf(v);
  checked.terms.last = next();
  m_.body.push_back(std::move(checked));
}

} // namespace lmc::methods
