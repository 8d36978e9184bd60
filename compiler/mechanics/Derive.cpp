// From the Lagrangian to momenta, right-hand sides and energy, in the trivialization that the user declared.
#include "mechanics/Hamilton.h"
#include "mechanics/mass/Mass.h"
#include "mechanics/system/Forces.h"
#include "mechanics/system/Knowledge.h"
#include "mechanics/system/System.h"
#include "sema/manifolds/Generator.h"

namespace lmc {

using sym::Expr;
using sym::Graph;

namespace {

class Derivation {
public:
  Derivation(Model& model, Diagnostics& diagnostics)
      : m_(model), p_(model.program), g_(model.program.graph()), diagnostics_(diagnostics) {
    s_.model = &model;
  }

  System run() {
    for (const Factor& f : m_.factors) begin(f);
    makeSimplifier();
    if (m_.lagrangian) {
      differentiate();
      defineMomenta();
      solveAccelerations(s_, diagnostics_);
      deriveEnergy();
    }
    deriveHamiltonian(s_);
    return std::move(s_);
  }

private:
  void begin(const Factor& f) {
    FactorEquations e;
    if (f.extent > 0) e.index = {g_.newIndex("i")};
    e.point = loads(g_, f.point, e.index);
    e.velocity = loads(g_, f.velocity, e.index);
    s_.factors.push_back(std::move(e));
    ArrayTuple direction;
    for (const Part& part : f.manifold->algebra()) {
      const std::string suffix = f.velocity.size() > 1 ? "." + part.name : "";
      direction.push_back(g_.newArray(f.velocityName + "'" + suffix, extents(f), part.shape, sym::Role::Temp));
    }
    s_.direction.push_back(std::move(direction));
  }

  /// On the phase manifold the projected velocity is the velocity itself; small definitions are written out.
  void makeSimplifier() {
    std::vector<KnownVariable> known;
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const Factor& f = m_.factors[k];
      if (f.fiber == Fiber::Momentum)
        known.push_back({f.manifold, f.point, {s_.direction[k], f.rate}, {f.velocity}});
      else
        known.push_back({f.manifold, f.point, {f.velocity, s_.direction[k]}, {}});
      for (std::size_t part = 0; part < f.usedVelocity.size(); ++part) {
        if (f.usedVelocity[part] != f.velocity[part]) projected_[f.usedVelocity[part]] = f.velocity[part];
      }
    }
    for (const StateVariable& z : m_.states) {
      if (!z.dual) known.push_back({z.manifold, z.point, {}, {}});
    }
    const auto unfold = std::make_shared<sym::Unfolding>(p_, unfoldingLimit);
    // The simplifier refers to itself: definitions that it writes out are simplified, too.
    const auto self = std::make_shared<sym::Rewriter*>(nullptr);
    const auto leaf = [this_ = &g_, projected = projected_, unfold, self](const sym::Node& n,
                                                                          const std::vector<Expr>& index) {
      if (const auto it = projected.find(n.array); it != projected.end()) return this_->load(it->second, index);
      return (*unfold)(n.array, index, [&](Expr e) { return (**self)(e); });
    };
    s_.simplify = std::make_shared<sym::Rewriter>(g_, leaf, manifoldKnowledge(p_, std::move(known)));
    *self = s_.simplify.get();
  }

  static std::vector<std::int64_t> extents(const Factor& f) {
    return f.extent > 0 ? std::vector<std::int64_t>{f.extent} : std::vector<std::int64_t>{};
  }

  /// All gradients that the equations need: of the Lagrangian by one reverse pass, of forces and dissipation.
  void differentiate() {
    std::vector<const sym::Array*> points;
    std::vector<const sym::Array*> velocities;
    for (const Factor& f : m_.factors) {
      points.insert(points.end(), f.point.begin(), f.point.end());
      velocities.insert(velocities.end(), f.velocity.begin(), f.velocity.end());
    }
    std::vector<const sym::Array*> all = points;
    all.insert(all.end(), velocities.begin(), velocities.end());
    const sym::Gradient lagrangian = gradient(p_, m_.lagrangian, all, "dL");

    const ExternalForces forces(s_);
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const Factor& f = m_.factors[k];
      FactorEquations& e = s_.factors[k];
      for (const sym::Array* a : f.velocity) e.momentum.push_back(lagrangian.of(a, e.index));
      e.momentumValue = s_.simplified(e.momentum);
    }
    sym::Tangent flow(p_);
    seedFlow(flow);
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      rightHandSide(k, lagrangian, forces, flow);
    }
  }

  /// Tangents along (g', t') = (T(g) xi, 1) with xi' = 0.
  void seedFlow(sym::Tangent& flow) {
    for (const Factor& f : m_.factors) {
      for (std::size_t part = 0; part < f.point.size(); ++part) {
        flow.seed(f.point[part], [this, &f, part](const std::vector<Expr>& index) {
          return generator(p_, *f.manifold, f.frame, loads(g_, f.point, index), loads(g_, f.velocity, index))[part];
        });
      }
    }
    flow.seed(m_.time, [this](const std::vector<Expr>&) { return g_.number(1); });
  }

  /// r = ± ad*_xi mu + T(g)^T dl/dg + F - (d/dt mu at xi' = 0); plus in body, minus in space.
  void rightHandSide(std::size_t k, const sym::Gradient& lagrangian, const ExternalForces& forces, sym::Tangent& flow) {
    const Factor& f = m_.factors[k];
    FactorEquations& e = s_.factors[k];
    const bool body = f.frame == Frame::Body;
    Tuple slope;
    for (const sym::Array* a : f.point) slope.push_back(lagrangian.of(a, e.index));
    slope = add(g_, slope, forces.slope(k));
    e.force = add(g_, generatorTransposed(p_, *f.manifold, body, e.point, slope), forces.direct(k));
    Tuple r = scale(g_, sym::Number(body ? 1 : -1), adstar(p_, *f.manifold, e.velocity, e.momentum));
    r = add(g_, r, e.force);
    for (std::size_t part = 0; part < f.velocity.size(); ++part) {
      r[part] = g_.sub(r[part], flow.of(e.momentum[part]));
    }
    e.rhs = s_.simplified(r);
  }

  void defineMomenta() {
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const Factor& f = m_.factors[k];
      const FactorEquations& e = s_.factors[k];
      for (std::size_t part = 0; part < f.momentum.size(); ++part) set(f.momentum[part], f, e, e.momentumValue[part]);
    }
  }

  void set(const sym::Array* array, const Factor& f, const FactorEquations& e, Expr value) {
    sym::Equation q;
    q.array = array;
    q.loops = memberLoop(f, e);
    q.index = e.index;
    q.value = value;
    p_.append(std::move(q));
  }

  std::vector<sym::Loop> memberLoop(const Factor& f, const FactorEquations& e) {
    if (f.extent == 0) return {};
    return {{e.index[0], g_.integer(1), g_.integer(f.extent), false}};
  }

  /// E = sum <mu, xi> - l.
  void deriveEnergy() {
    Expr total = g_.neg((*s_.simplify)(m_.lagrangian));
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const Factor& f = m_.factors[k];
      const FactorEquations& e = s_.factors[k];
      const Expr power = (*s_.simplify)(pairing(g_, e.momentumValue, e.velocity));
      if (f.extent == 0) {
        total = g_.add(total, power);
        continue;
      }
      const sym::Array* sum = g_.newArray("<mu," + f.velocityName + ">", {}, sym::Shape::scalar(), sym::Role::Temp);
      sym::Equation q;
      q.kind = sym::EquationKind::Accumulate;
      q.array = sum;
      q.loops = memberLoop(f, e);
      q.value = power;
      p_.append(std::move(q));
      total = g_.add(total, g_.load(sum));
    }
    s_.energyExpression = total;
    s_.energy = m_.energy != nullptr ? m_.energy : g_.newArray("energy", {}, sym::Shape::scalar(), sym::Role::Temp);
    sym::Equation q;
    q.array = s_.energy;
    q.value = total;
    p_.append(std::move(q));
  }

  /// Definitions of at most this many nodes are written out where they are used.
  static constexpr std::size_t unfoldingLimit = 12;

  Model& m_;
  sym::Program& p_;
  Graph& g_;
  Diagnostics& diagnostics_;
  System s_;
  std::unordered_map<const sym::Array*, const sym::Array*> projected_; ///< projected velocity -> velocity
};

} // namespace

System deriveSystem(Model& model, Diagnostics& diagnostics) {
  return Derivation(model, diagnostics).run();
}

} // namespace lmc
