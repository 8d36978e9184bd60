#include "mechanics/mass/Reach.h"

#include <algorithm>

namespace lmc::mechanics {

using sym::Expr;

Reach ReachAnalysis::of(Expr e, const std::vector<Expr>& index) {
  Reach r = Reach::None;
  sym::visitPostOrder({e}, [&](const sym::Node& n) {
    if (n.op != sym::Op::Load || r == Reach::All) return;
    const bool here = !index.empty() && n.args.size() == 1 && n.args[0] == index[0];
    if (std::find(v_.begin(), v_.end(), n.array) != v_.end()) {
      r = here ? std::max(r, Reach::Same) : Reach::All;
      return;
    }
    const Reach a = ofArray(n.array);
    if (a == Reach::None) return;
    r = a == Reach::Same && here ? std::max(r, Reach::Same) : Reach::All;
  });
  return r;
}

Reach ReachAnalysis::ofArray(const sym::Array* a) {
  const auto it = arrays_.find(a);
  if (it != arrays_.end()) return it->second;
  arrays_[a] = Reach::None;
  Reach r = Reach::None;
  for (const std::size_t k : p_.writers(a)) {
    const sym::Equation& e = p_.equations()[k];
    const std::vector<Expr> index = e.index.size() == 1 ? e.index : std::vector<Expr>{};
    r = std::max(r, of(e.value, index));
    if (sym::reads(e).contains(a) && r != Reach::None) r = Reach::All;
  }
  arrays_[a] = r;
  return r;
}

} // namespace lmc::mechanics
