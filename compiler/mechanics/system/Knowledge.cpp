#include "mechanics/system/Knowledge.h"

#include "mechanics/system/Geometry.h"

#include <algorithm>

namespace lmc::mechanics {

namespace {
bool has(const sema::ArrayTuple& arrays, const sym::Array* a) {
  return std::find(arrays.begin(), arrays.end(), a) != arrays.end();
}
} // namespace

sym::Knowledge manifoldKnowledge(sym::Program& program, std::vector<KnownVariable> variables) {
  for (KnownVariable& v : variables) { // where their condition is no simple one, nothing is known of momenta
    if (v.momenta.empty()) continue;
    if (sema::isotropyIsNormal(program, *v.manifold))
      v.horizontal.insert(v.horizontal.end(), v.momenta.begin(), v.momenta.end());
  }
  return [&g = program.graph(), list = std::move(variables)](const sym::Array* a, const std::vector<sym::Expr>& index) {
    std::vector<std::pair<sym::Expr, sym::Expr>> equations;
    for (const KnownVariable& v : list) {
      const bool isPoint = has(v.point, a);
      if (isPoint) {
        for (const sema::HeldEquation& h : v.manifold->holds(sema::loads(g, v.point, index)))
          equations.emplace_back(h.left, h.right);
      }
      if (!v.manifold->gives("horizontal")) continue;
      for (const sema::ArrayTuple& w : v.horizontal) {
        if (!isPoint && !has(w, a)) continue;
        const auto c = v.manifold->apply("horizontal", {sema::loads(g, v.point, index), sema::loads(g, w, index)});
        for (const sym::Expr& e : *c) equations.emplace_back(e, g.zero(e->shape));
      }
    }
    return equations;
  };
}

} // namespace lmc::mechanics
