#include "orders/Declared.h"

namespace lmc::orders {

Found tableauOf(Compilation& compilation, const ast::Declaration& method) {
  const ast::Expr* c = method.constructor.get();
  if (c == nullptr || c->kind != ast::ExprKind::Call || c->args.size() < 2 || !c->args[1]) return {};
  return c->args[1]->kind == ast::ExprKind::Name ? compilation.findTableau(c->args[1]->text, c->args[1]->range.source)
                                                 : Found{};
}

int declaredOrder(Compilation& compilation, const ast::Declaration& method) {
  const auto number = [](const ast::Expr* e) {
    if (e != nullptr && e->kind == ast::ExprKind::Call) e = e->args.front().get(); // order 5(4)
    return e != nullptr && e->kind == ast::ExprKind::Number ? static_cast<int>(e->number) : 0;
  };
  if (method.order) return number(method.order.get());
  const Found tableau = tableauOf(compilation, method);
  if (!tableau) return 0;
  for (const ast::StatementPtr& s : tableau.declaration->body) {
    if (s && s->kind == ast::StatementKind::Order) return number(s->value.get());
  }
  return 0;
}

Range orderRange(const ast::Declaration& method) {
  return method.order ? method.order->range : method.nameRange;
}

} // namespace lmc::orders
