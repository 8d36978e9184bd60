#include "methods/derivatives/StepTangent.h"

#include "sym/derivatives/Derivative.h"

namespace lmc::methods {

using sym::Expr;

StepTangent stepTangent(mechanics::Layer& layer, const Step& step) {
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  StepTangent result;
  sym::Tangent tangent(p);
  for (const sym::Array* a : step.state) {
    const sym::Array* change = g.newArray("d" + a->name, a->extents, a->shape, sym::Role::State);
    tangent.seed(a, [&g, change](const std::vector<Expr>& index) { return g.load(change, index); });
    result.change.push_back(change);
  }
  const auto changeOf = [&](const sym::Array* a) {
    return sym::defineLike(p, *a, "d" + a->name,
                           [&](const std::vector<Expr>& index) { return tangent.of(g.load(a, index)); });
  };
  for (const sym::Array* a : step.next) result.changed.push_back(changeOf(a));
  if (const auto& c = layer.system.constraints) result.constraints = {changeOf(c->value), changeOf(c->rate)};
  return result;
}

} // namespace lmc::methods
