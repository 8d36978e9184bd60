#include "mechanics/Cotangent.h"

#include "mechanics/constraints/Held.h"
#include "mechanics/constraints/Sparse.h"
#include "mechanics/mass/Mass.h"
#include "mechanics/system/Equations.h"
#include "mechanics/system/Regular.h"
#include "sym/Inline.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::mechanics {

using sym::Expr;

namespace {

class LegendreTransform {
public:
  explicit LegendreTransform(Layer& s) : s_(s), m_(s.model), p_(s.program()), g_(p_.graph()) {}

  CotangentField run() {
    CotangentField field;
    declareMomenta(field);
    const std::vector<sema::ArrayTuple> velocities = velocitiesOf(shiftedMomenta(field));
    field.refusal = dependenceOnVelocities(velocities);
    if (!field.refusal.empty()) return field;
    for (std::size_t k = 0; k < m_.factors.size(); ++k) field.factors[k].velocity = velocities[k];
    copyForces(field);
    return field;
  }

private:
  /// The velocities that have these momenta without dl/dxi at rest.
  std::vector<sema::ArrayTuple> velocitiesOf(const std::vector<sema::Tuple>& momenta) {
    if (hasCoupledBlocks(s_.system)) return solveSparseMass(s_, momenta);
    if (isHeld(s_.system)) return solveHeldMass(s_, momenta);
    return solveMass(s_, {momenta, MassUnknown::Velocity});
  }

  void declareMomenta(CotangentField& field) {
    for (const sema::Factor& f : m_.factors) {
      CotangentFactor c;
      for (const sema::Part& part : f.manifold->algebra()) {
        const std::string suffix = f.velocity.size() > 1 ? "." + part.name : "";
        c.momentum.push_back(
            g_.newArray("mu(" + f.name + ")" + suffix, memberExtents(f.extent), part.shape, sym::Role::Temp));
      }
      field.factors.push_back(std::move(c));
    }
  }

  /// mu - b with b = dl/dxi at xi = 0.
  std::vector<sema::Tuple> shiftedMomenta(const CotangentField& field) {
    sym::Replacement atRest;
    for (const sema::Factor& f : m_.factors) {
      for (std::size_t part = 0; part < f.velocity.size(); ++part) {
        atRest.scalars[f.velocity[part]] = g_.zero(f.velocity[part]->shape);
        atRest.scalars[f.usedVelocity[part]] = g_.zero(f.velocity[part]->shape);
      }
    }
    std::vector<sema::Tuple> result;
    const std::vector<sema::ArrayTuple> momenta = momentumArrays(s_);
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const FactorEquations& e = s_.system.factors[k];
      const std::vector<const sym::Array*> rest = sym::inlineCopy(p_, momenta[k], atRest, "@0");
      sema::Tuple r;
      for (std::size_t part = 0; part < rest.size(); ++part)
        r.push_back(g_.sub(g_.load(field.factors[k].momentum[part], e.index), valueOf(rest[part], e.index)));
      result.push_back(std::move(r));
    }
    return result;
  }

  /// A load, or zero where the array is defined as zero.
  Expr valueOf(const sym::Array* a, const std::vector<Expr>& index) const {
    const auto& writers = p_.writers(a);
    if (writers.size() == 1 && p_.equations()[writers[0]].value->isZero()) return g_.zero(a->shape);
    return g_.load(a, index);
  }

  std::string dependenceOnVelocities(const std::vector<sema::ArrayTuple>& velocities) const {
    std::vector<const sym::Array*> roots;
    for (const sema::ArrayTuple& v : velocities) roots.insert(roots.end(), v.begin(), v.end());
    for (const std::size_t k : p_.slice(roots)) {
      const auto used = sym::reads(p_.equations()[k]);
      for (const sema::Factor& f : m_.factors) {
        if (std::none_of(f.velocity.begin(), f.velocity.end(), [&](const auto* a) { return used.contains(a); }))
          continue;
        return fmt::format(
            "its mass matrix depends on the velocity `{}`, so that the velocities are no affine functions "
            "of the momenta",
            f.velocityName);
      }
    }
    return {};
  }

  /// f_mu with the velocities as functions of the momenta.
  void copyForces(CotangentField& field) {
    sym::Replacement substitute;
    std::vector<const sym::Array*> roots;
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const sema::Factor& f = m_.factors[k];
      const FactorEquations& e = s_.system.factors[k];
      for (std::size_t part = 0; part < f.velocity.size(); ++part) {
        substitute.arrays[f.velocity[part]] = field.factors[k].velocity[part];
        substitute.arrays[f.usedVelocity[part]] = field.factors[k].velocity[part];
      }
      const sema::ArrayTuple own = defineParts(p_, "f(" + f.velocityName + ")", f.manifold->algebra(), f.extent,
                                               e.index, s_.simplified(e.force));
      roots.insert(roots.end(), own.begin(), own.end());
    }
    const std::vector<const sym::Array*> copies = sym::inlineCopy(p_, roots, substitute, "@mu");
    auto next = copies.begin();
    for (CotangentFactor& c : field.factors) {
      const auto end = next + static_cast<std::ptrdiff_t>(c.momentum.size());
      c.force.assign(next, end);
      next = end;
    }
  }

  Layer& s_;
  const sema::Model& m_;
  sym::Program& p_;
  sym::Graph& g_;
};

} // namespace

std::vector<sema::ArrayTuple> momentumArrays(Layer& layer) {
  const sema::Model& m = layer.model;
  std::vector<sema::ArrayTuple> result;
  for (std::size_t k = 0; k < m.factors.size(); ++k) {
    const sema::Factor& f = m.factors[k];
    const FactorEquations& e = layer.system.factors[k];
    if (f.fiber == sema::Fiber::Momentum) {
      result.push_back(f.velocity);
    } else {
      result.push_back(defineParts(layer.program(), "dL/d" + f.velocityName, f.manifold->algebra(), f.extent, e.index,
                                   e.momentumValue));
    }
  }
  return result;
}

CotangentField cotangentField(Layer& layer) {
  const sema::Model& m = layer.model;
  if (m.lagrangian) return LegendreTransform(layer).run();
  CotangentField field;
  for (std::size_t k = 0; k < m.factors.size(); ++k)
    field.factors.push_back({m.factors[k].velocity, m.factors[k].rate, layer.system.factors[k].forceArray});
  return field;
}

} // namespace lmc::mechanics
