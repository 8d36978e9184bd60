#include "syntax/Ast.h"

namespace lmc::syntax {

Expr::~Expr() {
  std::vector<ExprPtr> doomed = std::move(args);
  while (!doomed.empty()) {
    const ExprPtr last = std::move(doomed.back());
    doomed.pop_back();
    if (last.use_count() != 1) continue;
    // Nobody else holds this node: take its operands before it goes.
    auto& operands = const_cast<Expr&>(*last).args; // NOLINT(cppcoreguidelines-pro-type-const-cast)
    for (ExprPtr& operand : operands) doomed.push_back(std::move(operand));
    operands.clear();
  }
}

std::vector<const Expr*> leftSpine(const Expr& e) {
  std::vector<const Expr*> spine;
  for (const Expr* at = &e; at != nullptr && at->kind == ExprKind::Binary; at = at->args[0].get()) spine.push_back(at);
  return spine;
}

} // namespace lmc::syntax
