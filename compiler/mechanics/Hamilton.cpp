#include "mechanics/Hamilton.h"

#include "mechanics/system/Equations.h"
#include "mechanics/system/Forces.h"

namespace lmc::mechanics {

using sym::Expr;
using sym::Graph;

namespace {

class HamiltonianDerivation {
public:
  HamiltonianDerivation(System& s, Layer& layer)
      : s_(s), layer_(layer), m_(layer.model), p_(layer.program()), g_(p_.graph()) {}

  void run() {
    if (m_.hamiltonian) {
      std::vector<const sym::Array*> inputs;
      const auto add = [&](const sema::ArrayTuple& a) { inputs.insert(inputs.end(), a.begin(), a.end()); };
      for (const sema::Factor& f : m_.factors) {
        add(f.point);
        add(f.velocity);
      }
      for (const sema::StateVariable& z : m_.states) {
        if (z.dual) add(z.point);
      }
      slope_ = sym::gradient(p_, m_.hamiltonian, inputs, "dH");
      // All gradients come before the equations of the rates, which forces may read.
      const ExternalForces forces(layer_);
      for (std::size_t k = 0; k < m_.factors.size(); ++k) factor(k, forces);
      energy();
    }
    for (std::size_t k = 0; k < m_.states.size(); ++k) {
      if (m_.states[k].dual) dualState(k);
    }
  }

private:
  sema::Tuple slopeOf(const sema::ArrayTuple& arrays, const std::vector<Expr>& index) const {
    sema::Tuple r;
    for (const sym::Array* a : arrays) r.push_back(slope_.of(a, index));
    return r;
  }

  void factor(std::size_t k, const ExternalForces& forces) {
    const sema::Factor& f = m_.factors[k];
    FactorEquations& e = s_.factors[k];
    const bool body = f.frame == sema::Frame::Body;
    e.rate = layer_.simplified(slopeOf(f.velocity, e.index));
    for (std::size_t part = 0; part < e.rate.size(); ++part) define(p_, f.rate[part], f.extent, e.index, e.rate[part]);
    const sema::Tuple down = sema::sub(g_, forces.slope(k), slopeOf(f.point, e.index));
    e.force =
        layer_.simplified(sema::add(g_, generatorTransposed(p_, *f.manifold, body, e.point, down), forces.direct(k)));
    e.forceArray = defineParts(p_, "f(" + f.velocityName + ")", f.manifold->algebra(), f.extent, e.index, e.force);
    e.rhs = layer_.simplified(sema::add(g_, coadjoint(*f.manifold, f.frame, e.rate, e.velocity), e.force));
    e.acceleration = defineParts(p_, f.velocityName + "'", f.manifold->algebra(), f.extent, e.index, e.rhs);
    e.momentum = e.momentumValue = e.velocity;
  }

  /// ad*_xi mu in body, -ad*_xi mu in space.
  sema::Tuple coadjoint(const sema::Manifold& m, sema::Frame frame, const sema::Tuple& xi, const sema::Tuple& mu) {
    return sema::scale(g_, sym::Number(frame == sema::Frame::Body ? 1 : -1), adstar(p_, m, xi, mu));
  }

  void dualState(std::size_t k) {
    const sema::StateVariable& z = m_.states[k];
    DualEquations e;
    e.state = k;
    if (z.extent > 0) e.index = {g_.newIndex("i")};
    const sema::Tuple mu = sema::loads(g_, z.point, e.index);
    if (z.given) {
      e.rate = sema::loads(g_, z.flow, e.index);
    } else {
      e.rate = layer_.simplified(slopeOf(z.point, e.index));
      for (std::size_t part = 0; part < e.rate.size(); ++part)
        define(p_, z.flow[part], z.extent, e.index, e.rate[part]);
    }
    e.rhs = layer_.simplified(coadjoint(*z.manifold, z.frame, e.rate, mu));
    e.derivative = defineParts(p_, z.name + "'", z.manifold->algebra(), z.extent, e.index, e.rhs);
    s_.duals.push_back(std::move(e));
  }

  void energy() {
    s_.energyExpression = layer_.simplify(m_.hamiltonian);
    s_.energy = m_.energy != nullptr ? m_.energy : g_.newArray("energy", {}, sym::Shape::scalar(), sym::Role::Temp);
    define(p_, s_.energy, 0, {}, s_.energyExpression);
  }

  System& s_;
  Layer& layer_;
  const sema::Model& m_;
  sym::Program& p_;
  Graph& g_;
  sym::Gradient slope_;
};

} // namespace

void deriveHamiltonian(System& system, Layer& layer) {
  HamiltonianDerivation(system, layer).run();
}

} // namespace lmc::mechanics
