#include "mechanics/constraints/Shown.h"

#include "sema/manifolds/Generator.h"

namespace lmc::mechanics {

using sym::Expr;

namespace {

const sema::ArrayTuple& rateOf(const sema::Factor& f) {
  return f.fiber == sema::Fiber::Momentum ? f.rate : f.velocity;
}

void seedMotion(sym::Tangent& t, sym::Program& p, const sema::Model& m) {
  sym::Graph& g = p.graph();
  for (const sema::Factor& f : m.factors) {
    for (std::size_t part = 0; part < f.point.size(); ++part) {
      t.seed(f.point[part], [&p, &g, &f, part](const std::vector<Expr>& index) {
        return sema::generator(p, *f.manifold, f.frame, sema::loads(g, f.point, index),
                               sema::loads(g, rateOf(f), index))[part];
      });
    }
  }
  t.seed(m.time, [&g](const std::vector<Expr>&) { return g.number(1); });
}

} // namespace

ShownConstraints shownConstraints(Layer& layer) {
  const sema::Model& m = layer.model;
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  ShownConstraints shown;
  sym::Tangent flow(p), bias(p);
  seedMotion(flow, p, m);
  seedMotion(bias, p, m);
  std::vector<sym::SeededTerm> terms;
  for (const sema::Constraint& c : m.constraints) {
    ShownConstraint s;
    for (const std::int64_t n : c.array->extents) {
      s.loops.push_back(sym::fullLoop(g, "i", n));
      s.index.push_back(s.loops.back().index);
    }
    const Expr value = g.load(c.array, s.index);
    const Expr rate = c.velocities ? value : flow.of(value);
    s.value = layer.simplify(value);
    s.rate = layer.simplify(rate);
    s.bias = layer.simplify(bias.of(rate));
    const sym::Array* lambda = g.newArray("lambda." + c.name, c.array->extents, c.array->shape, sym::Role::Temp);
    terms.push_back({s.loops, Expr(), rate, g.load(lambda, s.index)}); // without its equations
    shown.list.push_back(std::move(s));
  }
  std::vector<const sym::Array*> velocities;
  for (const sema::Factor& f : m.factors) velocities.insert(velocities.end(), rateOf(f).begin(), rateOf(f).end());
  const sym::Gradient forces = sym::gradient(p, terms, velocities, "B^T lambda");
  for (std::size_t k = 0; k < m.factors.size(); ++k) {
    sema::Tuple own;
    for (const sym::Array* a : rateOf(m.factors[k]))
      own.push_back(layer.simplify(forces.of(a, layer.system.factors[k].index)));
    shown.forces.push_back(std::move(own));
  }
  return shown;
}

} // namespace lmc::mechanics
