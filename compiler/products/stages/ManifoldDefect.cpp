#include "products/stages/ManifoldDefect.h"

#include "sema/manifolds/Generator.h"
#include "sym/Largest.h"

namespace lmc::products {

const sym::Array* defectArray(sym::Program& p, const sema::Manifold& m, const std::string& name, std::int64_t extent,
                              const sema::ArrayTuple& point, const sema::Factor* factor) {
  sym::Graph& g = p.graph();
  std::vector<sym::Expr> index;
  if (extent > 0) index.push_back(g.newIndex("i"));
  const sema::Tuple q = sema::loads(g, point, index);
  std::vector<sym::Expr> residuals;
  for (const sema::HeldEquation& h : m.holds(q)) {
    for (const sym::Expr& e : sema::entries(g, {g.sub(h.left, h.right)})) residuals.push_back(e);
  }
  if (factor != nullptr && m.gives("horizontal")) {
    const sema::Tuple fiber = sema::loads(g, factor->velocity, index);
    const sema::Tuple c = factor->fiber == sema::Fiber::Momentum ? sema::momentumConditions(p, m, q, fiber)
                                                                 : *m.apply("horizontal", {q, fiber});
    for (const sym::Expr& e : sema::entries(g, c)) residuals.push_back(e);
  }
  if (residuals.empty()) return nullptr;
  sym::Expr worst = g.number(0);
  for (const sym::Expr& e : residuals) {
    const sym::Expr size = g.function(sym::Op::Abs, e);
    worst = worst->isZero() ? size : g.function(sym::Op::Max, worst, size);
  }
  return sym::largest(p, "defect." + name, extent, extent > 0 ? index[0] : sym::Expr(), worst);
}

} // namespace lmc::products
