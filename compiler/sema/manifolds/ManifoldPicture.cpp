// The clause `picture` of a declaration.
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/manifolds/Manifolds.h"

namespace lmc::sema {

void DeclaredManifold::addPicture(const syntax::Statement& s) {
  if (picture_ != nullptr) {
    session_.diagnostics.error(Code::LIE0103, s.target.nameRange, "`picture` is given twice")
        .note("first here", picture_->target.nameRange);
    return;
  }
  if (s.params.size() == 1) {
    picture_ = &s;
    return;
  }
  session_.diagnostics
      .error(Code::LIE0155, s.target.range, "`picture` has one parameter, not " + std::to_string(s.params.size()))
      .suggest("`picture(q) = …`: what is drawn of the point q");
  usable_ = false;
}

Value DeclaredManifold::pictureValue(const syntax::Expr& e, const Tuple& point) const {
  Host none;
  ExpressionEvaluator evaluator(session_, const_cast<DeclaredManifold&>(*this), none);
  Scope scope;
  // As in other clauses: a single part is the tensor itself, several are reached by their names.
  scope.bind(picture_->params[0].name, point.size() > 1 ? wrap(ClauseKind::Point, point) : Value::tensor(point[0]));
  return evaluator.evaluate(e, scope, LoopContext());
}

std::vector<Drawing> DeclaredManifold::picture() const {
  if (picture_ == nullptr || !usable_) return {};
  const auto holds = [&](const syntax::Expr& condition) -> std::optional<bool> {
    const Value v = pictureValue(condition, dummies(ClauseKind::Point, "point"));
    if (v.isError()) return std::nullopt;
    if (v.kind == ValueKind::Tensor && v.parts[0]->isConst()) return !v.parts[0]->number.isZero();
    session_.diagnostics.error(Code::LIE0196, condition.range,
                               "which shape a picture has is decided by the sizes of the manifold alone");
    return std::nullopt;
  };
  return readDrawings(picture_->value, holds, session_.diagnostics).value_or(std::vector<Drawing>{});
}

bool DeclaredManifold::checkPicture() {
  if (picture_ == nullptr) return true;
  const std::size_t before = session_.diagnostics.errorCount();
  for (const Drawing& d : picture()) {
    for (const Drawing::Argument& a : d.arguments) {
      if (a.value->kind == syntax::ExprKind::String) continue;
      const Value v = pictureValue(*a.value, dummies(ClauseKind::Point, picture_->params[0].name));
      if (v.isError() || (v.parts.size() == 1 && fits(a.argument->form, v.parts[0]->shape))) continue;
      session_.diagnostics.error(Code::LIE0196, a.value->range,
                                 "`" + std::string(a.argument->name) + "` is " +
                                     std::string(describe(a.argument->form)) + "; here it is " + describe(v));
    }
  }
  return session_.diagnostics.errorCount() == before;
}

} // namespace lmc::sema
