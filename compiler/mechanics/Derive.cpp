// From the Lagrangian to momenta, right-hand sides and energy, in the trivialization that the user declared.
#include "mechanics/Derive.h"

#include "mechanics/Hamilton.h"
#include "mechanics/Rates.h"
#include "mechanics/constraints/Constrain.h"
#include "mechanics/mass/Mass.h"
#include "mechanics/system/Equations.h"
#include "mechanics/system/Forces.h"
#include "mechanics/system/Layer.h"
#include "mechanics/system/Regular.h"
#include "sema/manifolds/Generator.h"

#include <optional>

namespace lmc::mechanics {

using sym::Expr;
using sym::Graph;

namespace {

class Derivation {
public:
  Derivation(const sema::Model& model, Diagnostics& diagnostics)
      : m_(model), s_(of(model)), layer_(Layer::ofDerivation(s_)), p_(layer_.program()), g_(p_.graph()),
        diagnostics_(diagnostics) {}

  System run(bool held) {
    const sym::Graph::Work work = layer_.work();
    if (!m_.constraints.empty()) constraints_.emplace(s_, layer_, diagnostics_);
    for (const sema::Factor& f : m_.factors) begin(f);
    (void)layer_.known(); // before anything is differentiated
    if (m_.lagrangian) {
      differentiate();
      defineMomenta();
      if (held || isToBeHeld())
        constraints_->holdMasses();
      else
        solveAccelerations(s_, layer_, diagnostics_);
      deriveEnergy();
    }
    deriveHamiltonian(s_, layer_);
    if (!diagnostics_.hasErrors() && constraints_) constraints_->constrain();
    if (!diagnostics_.hasErrors()) defineRates(s_, layer_);
    s_.program = layer_.equations();
    s_.known = layer_.known();
    return std::move(s_);
  }

private:
  /// Velocities without kinetic energy whatever the state, which constraints may hold.
  bool isToBeHeld() {
    if (!canBeHeld(m_)) return false;
    Diagnostics missing;
    return !structurallyRegular(layer_, missing);
  }

  static System of(const sema::Model& model) {
    System s;
    s.model = &model;
    return s;
  }

  void begin(const sema::Factor& f) {
    FactorEquations e;
    if (f.extent > 0) e.index = {g_.newIndex("i")};
    e.point = sema::loads(g_, f.point, e.index);
    e.velocity = sema::loads(g_, f.velocity, e.index);
    s_.factors.push_back(std::move(e));
    sema::ArrayTuple direction;
    for (const sema::Part& part : f.manifold->algebra()) {
      const std::string suffix = f.velocity.size() > 1 ? "." + part.name : "";
      direction.push_back(
          g_.newArray(f.velocityName + "'" + suffix, memberExtents(f.extent), part.shape, sym::Role::Temp));
    }
    s_.direction.push_back(std::move(direction));
  }

  /// All gradients that the equations need: of the Lagrangian by one reverse pass, of forces and dissipation.
  void differentiate() {
    std::vector<const sym::Array*> points;
    std::vector<const sym::Array*> velocities;
    for (const sema::Factor& f : m_.factors) {
      points.insert(points.end(), f.point.begin(), f.point.end());
      velocities.insert(velocities.end(), f.velocity.begin(), f.velocity.end());
    }
    std::vector<const sym::Array*> all = points;
    all.insert(all.end(), velocities.begin(), velocities.end());
    const sym::Gradient lagrangian = sym::gradient(p_, m_.lagrangian, all, "dL");

    const ExternalForces forces(layer_);
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const sema::Factor& f = m_.factors[k];
      FactorEquations& e = s_.factors[k];
      for (const sym::Array* a : f.velocity) e.momentum.push_back(lagrangian.of(a, e.index));
      e.momentumValue = layer_.simplified(e.momentum);
    }
    sym::Tangent flow(p_);
    seedFlow(flow);
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      rightHandSide(k, lagrangian, forces, flow);
    }
  }

  /// Tangents along (g', t') = (T(g) xi, 1) with xi' = 0.
  void seedFlow(sym::Tangent& flow) {
    for (const sema::Factor& f : m_.factors) {
      for (std::size_t part = 0; part < f.point.size(); ++part) {
        flow.seed(f.point[part], [this, &f, part](const std::vector<Expr>& index) {
          return sema::generator(p_, *f.manifold, f.frame, sema::loads(g_, f.point, index),
                                 sema::loads(g_, f.velocity, index))[part];
        });
      }
    }
    flow.seed(m_.time, [this](const std::vector<Expr>&) { return g_.number(1); });
  }

  /// r = ± ad*_xi mu + T(g)^T dl/dg + F - (d/dt mu at xi' = 0); plus in body, minus in space.
  void rightHandSide(std::size_t k, const sym::Gradient& lagrangian, const ExternalForces& forces, sym::Tangent& flow) {
    const sema::Factor& f = m_.factors[k];
    FactorEquations& e = s_.factors[k];
    const bool body = f.frame == sema::Frame::Body;
    sema::Tuple slope;
    for (const sym::Array* a : f.point) slope.push_back(lagrangian.of(a, e.index));
    slope = sema::add(g_, slope, forces.slope(k));
    e.force = sema::add(g_, generatorTransposed(p_, *f.manifold, body, e.point, slope), forces.direct(k));
    sema::Tuple r = sema::scale(g_, sym::Number(body ? 1 : -1), adstar(p_, *f.manifold, e.velocity, e.momentum));
    r = sema::add(g_, r, e.force);
    for (std::size_t part = 0; part < f.velocity.size(); ++part) {
      r[part] = g_.sub(r[part], flow.of(e.momentum[part]));
    }
    e.rhs = layer_.simplified(r);
  }

  void defineMomenta() {
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const sema::Factor& f = m_.factors[k];
      const FactorEquations& e = s_.factors[k];
      for (std::size_t part = 0; part < f.momentum.size(); ++part)
        define(p_, f.momentum[part], f.extent, e.index, e.momentumValue[part]);
    }
  }

  /// E = sum <mu, xi> - l.
  void deriveEnergy() {
    Expr total = g_.neg(layer_.simplify(m_.lagrangian));
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const sema::Factor& f = m_.factors[k];
      const FactorEquations& e = s_.factors[k];
      const Expr power = layer_.simplify(sema::pairing(g_, e.momentumValue, e.velocity));
      if (f.extent == 0) {
        total = g_.add(total, power);
        continue;
      }
      const sym::Array* sum = g_.newArray("<mu," + f.velocityName + ">", {}, sym::Shape::scalar(), sym::Role::Temp);
      sym::Equation q;
      q.kind = sym::EquationKind::Accumulate;
      q.array = sum;
      q.loops = memberLoop(g_, f.extent, e.index);
      q.value = power;
      p_.append(std::move(q));
      total = g_.add(total, g_.load(sum));
    }
    s_.energyExpression = total;
    s_.energy = m_.energy != nullptr ? m_.energy : g_.newArray("energy", {}, sym::Shape::scalar(), sym::Role::Temp);
    define(p_, s_.energy, 0, {}, total);
  }

  const sema::Model& m_;
  System s_;
  Layer layer_;
  sym::Program& p_;
  Graph& g_;
  Diagnostics& diagnostics_;
  std::optional<Constraints> constraints_; ///< of a model that has some
};

} // namespace

System deriveSystem(const sema::Model& model, Diagnostics& diagnostics) {
  return Derivation(model, diagnostics).run(false);
}

bool canBeHeld(const sema::Model& model) {
  return model.lagrangian && !model.constraints.empty() && model.contacts.empty();
}

System deriveHeld(const sema::Model& model, Diagnostics& diagnostics) {
  return Derivation(model, diagnostics).run(true);
}

} // namespace lmc::mechanics
