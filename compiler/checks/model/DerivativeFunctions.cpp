// The functions that the check of derivatives evaluates: what the model gives, before any derivation.
#include "checks/model/DerivativeCheck.h"

#include "mechanics/system/Equations.h"
#include "sym/Inline.h"

#include <algorithm>

namespace lmc::checks {

using sym::Expr;

DerivativeCheck::DerivativeCheck(StateSpace& space)
    : s_(space), m_(*space.system().model), p_(space.layer().program()), g_(p_.graph()), horizontals_(space) {
  if (!m_.lagrangian && !m_.hamiltonian) return;
  const auto scalar = [&](const std::string& name, Expr value) {
    const sym::Array* a = g_.newArray(name, {}, sym::Shape::scalar(), sym::Role::Temp);
    mechanics::define(p_, a, 0, {}, value);
    return s_.functions().function(name, {a});
  };
  defineGenerating();
  if (s_.system().energy != nullptr) energy_ = scalar("total energy", g_.load(s_.system().energy));
  defineWork();
  defineForces();
  defineBrackets();
  defineConstraints();
}

/// L or H as a function of velocities and momenta themselves, without the projections that derivation puts in between.
void DerivativeCheck::defineGenerating() {
  const sym::Array* a = g_.newArray("generating", {}, sym::Shape::scalar(), sym::Role::Temp);
  mechanics::define(p_, a, 0, {}, m_.lagrangian ? m_.lagrangian : m_.hamiltonian);
  generating_ = s_.functions().function("generating", withOwnVelocities({a}));
}

sema::ArrayTuple DerivativeCheck::withOwnVelocities(const sema::ArrayTuple& arrays) {
  sym::Replacement own;
  for (const sema::Factor& f : m_.factors) {
    for (std::size_t part = 0; part < f.velocity.size(); ++part)
      if (f.usedVelocity[part] != f.velocity[part]) own.arrays[f.usedVelocity[part]] = f.velocity[part];
  }
  return own.arrays.empty() ? arrays : sym::inlineCopy(p_, arrays, own, "@own");
}

sema::ArrayTuple DerivativeCheck::withGivenVelocities(const sema::ArrayTuple& arrays) {
  sym::Replacement given;
  for (std::size_t k = 0; k < s_.variables().size(); ++k) {
    const Variable& v = s_.variables()[k];
    if (!v.isFactor()) continue;
    const sema::Factor& f = m_.factors[v.index];
    const sema::ArrayTuple& eta = s_.pointDirection(k);
    for (std::size_t part = 0; part < f.rate.size(); ++part) {
      given.arrays[f.rate[part]] = eta[part];
      if (f.fiber == sema::Fiber::Velocity)
        given.arrays[f.usedVelocity[part]] = given.arrays[f.velocity[part]] = eta[part];
    }
  }
  return sym::inlineCopy(p_, arrays, given, "@given");
}

/// The work of forces at points, as a function of the state at which the points are; the forces are at the frozen
/// state.
void DerivativeCheck::defineWork() {
  const sym::Array* work = g_.newArray("work", {}, sym::Shape::scalar(), sym::Role::Temp);
  sym::Equation none;
  none.kind = sym::EquationKind::Accumulate;
  none.array = work;
  none.value = g_.number(0);
  p_.append(std::move(none));
  sym::Replacement freeze;
  for (const auto& [state, frozen] : s_.frozen()) freeze.arrays[state] = frozen;
  for (const sema::ForceAt& f : m_.forcesAt) {
    std::vector<const sym::Array*> read;
    for (const sym::Array* a : sym::reads(f.force))
      if (a->role == sym::Role::Temp) read.push_back(a);
    const std::vector<const sym::Array*> copies = sym::inlineCopy(p_, read, freeze, "@frozen");
    sym::Substitution substitute(g_, [&](const sym::Node& n, const std::vector<Expr>& index) {
      if (n.op != sym::Op::Load) return Expr();
      if (const auto it = freeze.arrays.find(n.array); it != freeze.arrays.end()) return g_.load(it->second, index);
      const auto at = static_cast<std::size_t>(std::find(read.begin(), read.end(), n.array) - read.begin());
      return at < read.size() ? g_.load(copies[at], index) : Expr();
    });
    sym::Equation e;
    e.kind = sym::EquationKind::Accumulate;
    e.array = work;
    e.loops = f.loops;
    e.guard = f.guard;
    e.value = g_.inner(substitute(f.force), f.position);
    p_.append(std::move(e));
  }
  work_ = s_.functions().function("work", {work});
}

/// <F, eta> of the generalized forces, and the dissipation at the velocities that the direction gives (both in the
/// places of u).
void DerivativeCheck::defineForces() {
  const sym::Array* direct = g_.newArray("direct", {}, sym::Shape::scalar(), sym::Role::Temp);
  const auto accumulate = [&](const std::vector<sym::Loop>& loops, Expr value) {
    sym::Equation e;
    e.kind = sym::EquationKind::Accumulate;
    e.array = direct;
    e.loops = loops;
    e.value = value;
    p_.append(std::move(e));
  };
  accumulate({}, g_.number(0));
  for (std::size_t k = 0; k < s_.variables().size(); ++k) {
    const Variable& v = s_.variables()[k];
    if (!v.isFactor()) continue;
    const sema::Factor& f = m_.factors[v.index];
    const sema::ArrayTuple& eta = s_.pointDirection(k);
    if (f.force.empty()) continue;
    const std::vector<Expr> index = f.extent > 0 ? std::vector<Expr>{g_.newIndex("i")} : std::vector<Expr>{};
    accumulate(mechanics::memberLoop(g_, f.extent, index),
               lmc::sema::pairing(g_, sema::loads(g_, f.force, index), sema::loads(g_, eta, index)));
  }
  direct_ = s_.functions().function("direct", {direct});
  const sym::Array* damping = g_.newArray("dissipation", {}, sym::Shape::scalar(), sym::Role::Temp);
  mechanics::define(p_, damping, 0, {}, g_.sum(m_.dissipations, sym::Shape::scalar()));
  damping_ = s_.functions().function("dissipation", withGivenVelocities({damping}));
}

/// Whether a variable is an element of a dual that the Hamiltonian moves.
bool DerivativeCheck::isLiePoisson(const Variable& v) const {
  return v.kind == methods::PhaseKind::Dual && m_.hamiltonian && !m_.states[v.index].given;
}

/// [xi, eta] of every factor, xi its velocity, eta in the place of u; ad*_eta mu of elements of duals, eta in that of
/// a.
void DerivativeCheck::defineBrackets() {
  sema::ArrayTuple outputs;
  for (std::size_t k = 0; k < s_.variables().size(); ++k) {
    const Variable& v = s_.variables()[k];
    const std::vector<Expr> index = v.extent > 0 ? std::vector<Expr>{g_.newIndex("i")} : std::vector<Expr>{};
    if (isLiePoisson(v)) {
      const sema::ArrayTuple own =
          mechanics::defineParts(p_, "ad*_eta mu", v.manifold->algebra(), v.extent, index,
                                 mechanics::adstar(p_, *v.manifold, sema::loads(g_, s_.fiberDirection(k), index),
                                                   sema::loads(g_, m_.states[v.index].point, index)));
      coadjoint_[k] = s_.functions().function("coadjoint", own);
    }
    if (!v.isFactor()) continue;
    const sema::Tuple xi = sema::loads(g_, m_.factors[v.index].rate, index);
    const sema::ArrayTuple own =
        mechanics::defineParts(p_, "[xi,eta]", v.manifold->algebra(), v.extent, index,
                               mechanics::bracket(*v.manifold, xi, sema::loads(g_, s_.pointDirection(k), index)));
    outputs.insert(outputs.end(), own.begin(), own.end());
  }
  bracket_ = s_.functions().function("bracket", outputs);
}

} // namespace lmc::checks
