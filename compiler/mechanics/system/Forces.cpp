#include "mechanics/system/Forces.h"

#include "sema/manifolds/Generator.h"

namespace lmc::mechanics {

using sym::Expr;

namespace {

/// What D is differentiated with respect to: the velocity as a state variable, of a factor with a momentum dH/dmu.
const sema::ArrayTuple& velocityOf(const sema::Factor& f) {
  return f.fiber == sema::Fiber::Momentum ? f.rate : f.velocity;
}

} // namespace

ExternalForces::ExternalForces(Layer& layer) : s_(layer) {
  const sema::Model& m = layer.model;
  sym::Graph& g = layer.program().graph();
  std::vector<const sym::Array*> points;
  std::vector<const sym::Array*> velocities;
  for (const sema::Factor& f : m.factors) {
    points.insert(points.end(), f.point.begin(), f.point.end());
    velocities.insert(velocities.end(), velocityOf(f).begin(), velocityOf(f).end());
  }
  std::vector<sym::SeededTerm> terms;
  for (const sema::ForceAt& f : m.forcesAt) terms.push_back({f.loops, f.guard, f.position, f.force});
  work_ = sym::gradient(layer.program(), terms, points, "dW");
  Expr dissipation = g.number(0);
  for (const Expr& d : m.dissipations) dissipation = g.add(dissipation, d);
  damping_ = sym::gradient(layer.program(), dissipation, velocities, "dD");
}

sema::Tuple ExternalForces::slope(std::size_t k) const {
  sema::Tuple r;
  for (const sym::Array* a : s_.model.factors[k].point) r.push_back(work_.of(a, s_.system.factors[k].index));
  return r;
}

sema::Tuple ExternalForces::direct(std::size_t k) const {
  sym::Program& p = s_.program();
  sym::Graph& g = p.graph();
  const sema::Factor& f = s_.model.factors[k];
  const FactorEquations& e = s_.system.factors[k];
  sema::Tuple damping;
  for (const sym::Array* a : velocityOf(f)) damping.push_back(damping_.of(a, e.index));
  if (f.fiber == sema::Fiber::Momentum) damping = sema::momentumProjection(p, *f.manifold, e.point, damping);
  if (f.force.empty()) return sema::scale(g, sym::Number(-1), damping);
  return sema::sub(g, sema::momentumProjection(p, *f.manifold, e.point, sema::loads(g, f.force, e.index)), damping);
}

} // namespace lmc::mechanics
