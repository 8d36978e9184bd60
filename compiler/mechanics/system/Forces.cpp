#include "mechanics/system/Forces.h"

#include "sema/manifolds/Generator.h"

namespace lmc {

using sym::Expr;

namespace {

/// What D is differentiated with respect to: the velocity as a state variable, of a factor with a momentum dH/dmu.
const ArrayTuple& velocityOf(const Factor& f) {
  return f.fiber == Fiber::Momentum ? f.rate : f.velocity;
}

} // namespace

ExternalForces::ExternalForces(Layer& layer) : s_(layer) {
  const Model& m = layer.model;
  sym::Graph& g = layer.program().graph();
  std::vector<const sym::Array*> points;
  std::vector<const sym::Array*> velocities;
  for (const Factor& f : m.factors) {
    points.insert(points.end(), f.point.begin(), f.point.end());
    velocities.insert(velocities.end(), velocityOf(f).begin(), velocityOf(f).end());
  }
  std::vector<sym::SeededTerm> terms;
  for (const ForceAt& f : m.forcesAt) terms.push_back({f.loops, f.guard, f.position, f.force});
  work_ = gradient(layer.program(), terms, points, "dW");
  Expr dissipation = g.number(0);
  for (const Expr& d : m.dissipations) dissipation = g.add(dissipation, d);
  damping_ = gradient(layer.program(), dissipation, velocities, "dD");
}

Tuple ExternalForces::slope(std::size_t k) const {
  Tuple r;
  for (const sym::Array* a : s_.model.factors[k].point) r.push_back(work_.of(a, s_.system.factors[k].index));
  return r;
}

Tuple ExternalForces::direct(std::size_t k) const {
  sym::Program& p = s_.program();
  sym::Graph& g = p.graph();
  const Factor& f = s_.model.factors[k];
  const FactorEquations& e = s_.system.factors[k];
  Tuple damping;
  for (const sym::Array* a : velocityOf(f)) damping.push_back(damping_.of(a, e.index));
  if (f.fiber == Fiber::Momentum) damping = momentumProjection(p, *f.manifold, e.point, damping);
  if (f.force.empty()) return scale(g, sym::Number(-1), damping);
  return sub(g, momentumProjection(p, *f.manifold, e.point, loads(g, f.force, e.index)), damping);
}

} // namespace lmc
