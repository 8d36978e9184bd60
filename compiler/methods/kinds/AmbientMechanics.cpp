#include "methods/kinds/AmbientMechanics.h"

#include "mechanics/system/Equations.h"
#include "mechanics/system/Forces.h"
#include "sema/model/Model.h"
#include "sym/Inline.h"

#include <algorithm>
#include <stdexcept>

namespace lmc::methods {

using sym::Expr;

namespace {

/// xi with T(q) xi = v, by least squares, horizontal.
sema::Tuple velocityAt(sym::Program& p, const sema::Factor& f, const sema::Tuple& point, const sema::Tuple& rate) {
  return mechanics::velocityOf(p, *f.manifold, f.frame == sema::Frame::Body && f.manifold->isGroup(), point, rate);
}

template <typename List, typename Same> auto& theOne(List& list, Same same) {
  const auto it = std::find_if(list.begin(), list.end(), same);
  if (it == list.end()) throw std::logic_error("a model beside its manifold has something that the model has not");
  return *it;
}

const sema::Parameter& sameParameter(const sema::Model& m, const sema::Parameter& p) {
  return theOne(m.parameters, [&](const sema::Parameter& other) {
    return other.range == p.range && other.use == p.use && other.name == p.name; // columns of a table
  });
}

/// What was read from one file into one shape is the same numbers.
const sema::DataArray& sameData(const sema::Model& m, const sema::DataArray& d) {
  return theOne(m.data, [&](const sema::DataArray& other) {
    return other.array->name == d.array->name && other.array->shape == d.array->shape &&
           other.array->extents == d.array->extents && other.values == d.values;
  });
}

const sema::DiscreteVariable& sameDiscrete(const sema::Model& m, const sema::DiscreteVariable& d) {
  return theOne(m.discretes, [&](const sema::DiscreteVariable& other) { return other.range == d.range; });
}

std::size_t sameVariable(const std::vector<AmbientMechanics::Variable>& variables, const sema::Factor& f) {
  const auto& found =
      theOne(variables, [&](const AmbientMechanics::Variable& v) { return v.factor->range == f.range; });
  return static_cast<std::size_t>(&found - variables.data());
}

/// The tangent vector in storage coordinates whose pairing with v is that of `dual` with xi.
sema::Tuple tangentCovector(sym::Program& p, const sema::Factor& f, const sema::Tuple& point, const sema::Tuple& dual) {
  const std::vector<const sym::Array*> rate = sema::dummies(p.graph(), f.manifold->point(), "v");
  const sema::Tuple xi = velocityAt(p, f, point, sema::loads(p.graph(), rate, {}));
  return sema::transposed(p, xi, rate, dual);
}

} // namespace

AmbientMechanics::AmbientMechanics(const KindContext& context, const std::vector<Variable>& variables)
    : context_(context), p_(context.layer.program()), g_(p_.graph()), variables_(variables) {
  declarePlaceholders();
  differentiate();
  externalForces();
}

sema::ArrayTuple AmbientMechanics::define(const Variable& v, const std::string& name,
                                          const std::vector<sema::Part>& parts, const sema::Tuple& values) {
  return mechanics::defineParts(p_, name, parts, v.factor->extent, v.index, values);
}

void AmbientMechanics::declarePlaceholders() {
  for (const Variable& v : variables_) {
    const sema::Factor& f = *v.factor;
    sema::ArrayTuple q, rate;
    for (const sema::Part& part : f.manifold->point()) {
      q.push_back(g_.newArray("q(" + f.name + ")", mechanics::memberExtents(f.extent), part.shape, sym::Role::Temp));
      rate.push_back(g_.newArray("v(" + f.name + ")", mechanics::memberExtents(f.extent), part.shape, sym::Role::Temp));
    }
    const sema::Tuple xi = velocityAt(p_, f, sema::loads(g_, q, v.index), sema::loads(g_, rate, v.index));
    velocities_.push_back(define(v, "xi(" + f.name + ")", f.manifold->algebra(), xi));
    points_.push_back(std::move(q));
    rates_.push_back(std::move(rate));
  }
}

void AmbientMechanics::differentiate() {
  const sema::Model& own = *context_.system.model;
  const sema::AmbientModel ambient = context_.compilation.ambient();
  const sema::Model& m = *ambient.model;
  sym::Replacement r;
  r.arrays[m.time] = own.time;
  for (const sema::Parameter& p : m.parameters) r.arrays[p.array] = sameParameter(own, p).array;
  for (const sema::DataArray& d : m.data) r.arrays[d.array] = sameData(own, d).array;
  for (const sema::DiscreteVariable& d : m.discretes) {
    const sema::DiscreteVariable& same = sameDiscrete(own, d);
    for (std::size_t part = 0; part < d.arrays.size(); ++part) r.arrays[d.arrays[part]] = same.arrays[part];
  }
  for (std::size_t a = 0; a < m.factors.size(); ++a) {
    const sema::Factor& f = m.factors[a];
    const std::size_t k = sameVariable(variables_, f);
    for (std::size_t part = 0; part < f.point.size(); ++part) {
      r.arrays[f.point[part]] = points_[k][part];
      r.arrays[ambient.rates[a][part]] = rates_[k][part];
    }
    for (std::size_t part = 0; part < f.velocity.size(); ++part) {
      r.arrays[f.velocity[part]] = velocities_[k][part];
      r.arrays[f.usedVelocity[part]] = velocities_[k][part];
    }
  }
  const Expr lagrangian = g_.load(sym::importCopy(p_, m.program, {ambient.lagrangian}, r, "@ambient")[0]);

  sema::ArrayTuple inputs;
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    inputs.insert(inputs.end(), points_[k].begin(), points_[k].end());
    inputs.insert(inputs.end(), rates_[k].begin(), rates_[k].end());
  }
  const sym::Gradient dL = sym::gradient(p_, lagrangian, inputs, "dL");
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    const Variable& v = variables_[k];
    sema::Tuple momentum, slope;
    for (const sym::Array* a : rates_[k]) momentum.push_back(dL.of(a, v.index));
    for (const sym::Array* a : points_[k]) slope.push_back(dL.of(a, v.index));
    const std::vector<sema::Part>& parts = v.factor->manifold->point();
    const sema::ArrayTuple p = define(v, "dL/dv(" + v.factor->name + ")", parts, momentum);
    const sema::ArrayTuple s = define(v, "dL/dq(" + v.factor->name + ")", parts, slope);
    momenta_.insert(momenta_.end(), p.begin(), p.end());
    slopes_.insert(slopes_.end(), s.begin(), s.end());
  }
}

void AmbientMechanics::externalForces() {
  const mechanics::ExternalForces forces(context_.layer);
  const sema::Model& m = *context_.system.model;
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    const sema::Factor& f = m.factors[k];
    const mechanics::FactorEquations& e = context_.system.factors[k];
    const sema::Tuple direct = forces.direct(k);
    sema::Tuple total = forces.slope(k);
    if (!sema::isZero(direct)) total = sema::add(g_, total, tangentCovector(p_, f, e.point, direct));
    const sema::ArrayTuple arrays =
        mechanics::defineParts(p_, "F(" + f.name + ")", f.manifold->point(), f.extent, e.index, total);
    external_.insert(external_.end(), arrays.begin(), arrays.end());
  }
}

sema::Tuple AmbientMechanics::evaluate(const sema::ArrayTuple& roots, Expr time, const sema::ArrayTuple& q,
                                       const sema::ArrayTuple& v, const std::string& name) {
  const sema::Model& m = *context_.system.model;
  sym::Replacement at; // the placeholders
  at.scalars[m.time] = time;
  std::vector<const sym::Array*> xi;
  std::size_t next = 0;
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    for (std::size_t part = 0; part < points_[k].size(); ++part, ++next) {
      at.arrays[points_[k][part]] = q[next];
      at.arrays[rates_[k][part]] = v[next];
    }
    xi.insert(xi.end(), velocities_[k].begin(), velocities_[k].end());
  }
  std::vector<const sym::Array*> wanted = roots;
  wanted.insert(wanted.end(), xi.begin(), xi.end());
  const std::vector<const sym::Array*> copies = sym::inlineCopy(p_, wanted, at, "@" + name);
  sema::Tuple result;
  next = 0;
  for (const Variable& variable : variables_) {
    for (std::size_t part = 0; part < variable.factor->point.size(); ++part)
      result.push_back(g_.load(copies[next++], variable.index));
  }
  if (&roots != &slopes_) return result;

  sym::Replacement state; // what forces are functions of
  state.scalars[m.time] = time;
  std::size_t point = 0;
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    const sema::Factor& f = m.factors[k];
    for (const sym::Array* a : f.point) state.arrays[a] = q[point++];
    for (std::size_t part = 0; part < f.velocity.size(); ++part, ++next) {
      state.arrays[f.velocity[part]] = copies[next];
      state.arrays[f.usedVelocity[part]] = copies[next];
    }
  }
  const std::vector<const sym::Array*> external = sym::inlineCopy(p_, external_, state, "@" + name);
  next = 0;
  for (const Variable& variable : variables_) {
    for (std::size_t part = 0; part < variable.factor->point.size(); ++part, ++next)
      result[next] = g_.add(result[next], g_.load(external[next], variable.index));
  }
  return result;
}

sema::Tuple AmbientMechanics::momentum(Expr time, const sema::ArrayTuple& q, const sema::ArrayTuple& v,
                                       const std::string& name) {
  return evaluate(momenta_, time, q, v, name);
}

sema::Tuple AmbientMechanics::force(Expr time, const sema::ArrayTuple& q, const sema::ArrayTuple& v,
                                    const std::string& name) {
  ++context_.step.evaluations;
  return evaluate(slopes_, time, q, v, name);
}

} // namespace lmc::methods
