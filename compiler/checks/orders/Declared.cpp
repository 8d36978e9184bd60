#include "checks/orders/Declared.h"

namespace lmc::orders {

Found tableauOf(Compilation& compilation, const ast::Declaration& method) {
  const ast::Expr* c = method.constructor.get();
  if (c == nullptr || c->kind != ast::ExprKind::Call || c->args.size() < 2 || !c->args[1]) return {};
  return c->args[1]->kind == ast::ExprKind::Name ? compilation.findTableau(c->args[1]->text, c->args[1]->range.source)
                                                 : Found{};
}

namespace {

int number(const ast::Expr* e) {
  return e != nullptr && e->kind == ast::ExprKind::Number ? static_cast<int>(e->number) : 0;
}

/// Number of calls of `f` in an expression.
int callsOfField(const ast::ExprPtr& e) {
  if (!e) return 0;
  const bool call = e->kind == ast::ExprKind::Call && !e->args.empty() && e->args.front() &&
                    e->args.front()->kind == ast::ExprKind::Name && e->args.front()->text == "f";
  int n = call ? 1 : 0;
  for (const ast::ExprPtr& arg : e->args) n += callsOfField(arg);
  return n;
}

/// The statement `order p(q)` of the tableau that a method is constructed from; null if there is none.
const ast::Statement* orderOfTableau(Compilation& compilation, const ast::Declaration& method) {
  const Found tableau = tableauOf(compilation, method);
  return tableau ? orderStatement(*tableau.declaration) : nullptr;
}

} // namespace

const ast::Statement* orderStatement(const ast::Declaration& tableau) {
  for (const ast::StatementPtr& s : tableau.body)
    if (s && s->kind == ast::StatementKind::Order) return s.get();
  return nullptr;
}

std::optional<int> writtenStages(Compilation& compilation, const ast::Declaration& method) {
  if (const Found tableau = tableauOf(compilation, method)) {
    for (const ast::StatementPtr& s : tableau.declaration->body)
      if (s && s->kind == ast::StatementKind::Definition && s->target.name == "b" && s->value)
        return static_cast<int>(s->value->args.size());
    return std::nullopt;
  }
  if (method.constructor || method.kind == ast::DeclKind::Variational) return std::nullopt;
  int calls = 0;
  for (const ast::StatementPtr& s : method.body) {
    if (!s) continue;
    if (s->kind == ast::StatementKind::Solve) return std::nullopt;
    calls += callsOfField(s->value);
  }
  return calls;
}

int declaredOrder(Compilation& compilation, const ast::Declaration& method) {
  if (method.order) return number(method.order.get());
  const ast::Statement* s = orderOfTableau(compilation, method);
  return s != nullptr ? number(s->value.get()) : 0;
}

int declaredEmbeddedOrder(Compilation& compilation, const ast::Declaration& method) {
  if (method.order) return number(method.embeddedOrder.get());
  const ast::Statement* s = orderOfTableau(compilation, method);
  return s != nullptr ? number(s->second.get()) : 0;
}

Range orderRange(const ast::Declaration& method) {
  return method.order ? method.order->range : method.nameRange;
}

} // namespace lmc::orders
