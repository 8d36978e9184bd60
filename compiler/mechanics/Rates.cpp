#include "mechanics/Rates.h"

#include "mechanics/system/Equations.h"
#include "sema/manifolds/Generator.h"

#include <algorithm>

namespace lmc::mechanics {

namespace {

/// T(z) flow, or mu' of a state in the dual of an algebra.
sema::Tuple rateOf(const System& system, std::size_t state, sym::Program& p, const std::vector<sym::Expr>& index) {
  const sema::StateVariable& z = system.model->states[state];
  sym::Graph& g = p.graph();
  if (!z.dual)
    return sema::generator(p, *z.manifold, z.frame, sema::loads(g, z.point, index), sema::loads(g, z.flow, index));
  const auto own =
      std::find_if(system.duals.begin(), system.duals.end(), [&](const DualEquations& d) { return d.state == state; });
  return sema::loads(g, own->derivative, index);
}

} // namespace

void defineRates(const System& system, Layer& layer) {
  const sema::Model& m = *system.model;
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  for (std::size_t k = 0; k < system.factors.size(); ++k) {
    const sema::Factor& f = m.factors[k];
    const FactorEquations& e = system.factors[k];
    for (std::size_t part = 0; part < f.acceleration.size(); ++part)
      define(p, f.acceleration[part], f.extent, e.index, g.load(e.acceleration[part], e.index));
  }
  for (std::size_t k = 0; k < m.states.size(); ++k) {
    const sema::StateVariable& z = m.states[k];
    if (z.derivative.empty()) continue;
    std::vector<sym::Expr> index;
    if (z.extent > 0) index.push_back(g.newIndex("i"));
    const sema::Tuple rate = rateOf(system, k, p, index);
    for (std::size_t part = 0; part < rate.size(); ++part) define(p, z.derivative[part], z.extent, index, rate[part]);
  }
}

} // namespace lmc::mechanics
