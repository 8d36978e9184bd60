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

} // namespace lmc::methods
