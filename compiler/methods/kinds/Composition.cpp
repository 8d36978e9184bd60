#include "methods/kinds/Composition.h"

#include <set>

namespace lmc {

namespace {

/// The name of the first method that `compose(…)` or `adjoint(…)` is made of; null if there is none.
const ast::Expr* firstMethodOf(const ast::Expr* e) {
  const auto wraps = [](const ast::Expr& x) { return x.args[0]->text == "compose" || x.args[0]->text == "adjoint"; };
  if (e == nullptr || e->kind != ast::ExprKind::Call || !wraps(*e)) return nullptr;
  while (e->kind == ast::ExprKind::Call) {
    if (wraps(*e) && e->args.size() < 2) return nullptr;
    e = wraps(*e) ? e->args[1].get() : e->args[0].get();
  }
  return e->kind == ast::ExprKind::Name ? e : nullptr;
}

} // namespace

std::vector<const ast::Declaration*> composedOf(Compilation& c, const ast::Declaration& method) {
  std::vector<const ast::Declaration*> list;
  // A method that composes itself, perhaps through others, ends the search.
  std::set<const ast::Declaration*> seen;
  for (const ast::Declaration* m = &method; seen.insert(m).second;) {
    list.push_back(m);
    const ast::Expr* first = firstMethodOf(m->constructor.get());
    const Found found = first != nullptr ? c.findMethod(first->text, first->range.source) : Found{};
    if (!found) break;
    m = found.declaration;
  }
  return list;
}

} // namespace lmc
