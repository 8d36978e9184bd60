#include "mechanics/MotionEquation.h"

#include "mechanics/mass/Gauge.h"
#include "mechanics/system/Equations.h"

namespace lmc::mechanics {

using sym::Expr;

MotionEquation motionEquation(Layer& layer) {
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  const sema::Model& m = layer.model;
  MotionEquation result;
  sym::Tangent along(p);
  std::vector<sema::ArrayTuple> given;
  for (const sema::Factor& f : m.factors) {
    sema::ArrayTuple own;
    for (const sym::Array* v : f.velocity) {
      const sym::Array* a = g.newArray(v->name + "' given", v->extents, v->shape, sym::Role::Temp);
      along.seed(v, [&g, a](const std::vector<Expr>& index) { return g.load(a, index); });
      own.push_back(a);
    }
    result.acceleration.insert(result.acceleration.end(), own.begin(), own.end());
    given.push_back(std::move(own));
  }
  for (std::size_t k = 0; k < m.factors.size(); ++k) {
    const sema::Factor& f = m.factors[k];
    const FactorEquations& e = layer.system.factors[k];
    sema::Tuple change;
    for (const Expr& mu : e.momentum) change.push_back(layer.simplify(along.of(mu)));
    sema::Tuple residual = sema::sub(g, change, e.rhs);
    const std::vector<sema::Part>& parts = f.manifold->algebra();
    for (const Gauge& gauge : gaugesOf(layer, k, e.index, MassUnknown::Acceleration)) {
      const sema::Tuple normal = sema::fromEntries(g, parts, gauge.normal);
      const Expr held = g.add(sema::pairing(g, normal, sema::loads(g, given[k], e.index)), gauge.rate);
      residual = sema::add(g, residual, sema::scale(g, g.div(held, gauge.square), normal));
    }
    const auto arrays = defineParts(p, "M a - r(" + f.velocityName + ")", parts, f.extent, e.index, residual);
    result.residual.insert(result.residual.end(), arrays.begin(), arrays.end());
  }
  return result;
}

} // namespace lmc::mechanics
