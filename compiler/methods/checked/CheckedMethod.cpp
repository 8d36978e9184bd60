#include "methods/checked/CheckedMethod.h"

#include <algorithm>

namespace lmc::methods {

bool CheckedMethod::isImplicit() const {
  return std::any_of(body.begin(), body.end(),
                     [](const CheckedStatement& s) { return s.what == CheckedStatement::What::Solve; });
}

int CheckedMethod::calls(std::string_view word) const {
  return static_cast<int>(std::count_if(terms.begin(), terms.end(),
                                        [&](const Term& t) { return t.op == TermOp::Word && t.word->name == word; }));
}

bool CheckedMethod::holdsAtNodes() const {
  if (composition)
    return std::all_of(composition->parts.begin(), composition->parts.end(),
                       [](const CheckedComposition::Part& p) { return p.use.method->holdsAtNodes(); });
  return !formula ||
         std::all_of(formula->nodes.begin(), formula->nodes.end(), [](const auto& n) { return n.has_value(); });
}

bool CheckedMethod::alwaysCalls(std::string_view word) const {
  if (!composition) return calls(word) > 0;
  return std::all_of(composition->parts.begin(), composition->parts.end(),
                     [&](const CheckedComposition::Part& p) { return p.use.method->alwaysCalls(word); });
}

bool CheckedMethod::endsOnManifold() const {
  if (tableau) return tableau->kind == MethodClass::Projected;
  if (composition)
    return std::all_of(composition->parts.begin(), composition->parts.end(), [](const CheckedComposition::Part& p) {
      return !p.use.adjoint && p.use.method->endsOnManifold();
    });
  const auto next = std::find_if(body.rbegin(), body.rend(),
                                 [](const CheckedStatement& s) { return s.what == CheckedStatement::What::Next; });
  if (next == body.rend()) return false;
  const Term* t = &terms[next->value];
  while (t->op == TermOp::Hold) t = &terms[t->args[0]];
  return t->op == TermOp::Word && t->word->name == "onto";
}

} // namespace lmc::methods
