// Factors of the configuration manifold and state variables.
#include "sema/model/ModelBuilder.h"

#include "sema/manifolds/Generator.h"
#include "sema/manifolds/Manifolds.h"

namespace lmc::sema {

using sym::Expr;

ArrayTuple ModelBuilder::stateArrays(const std::string& name, const std::vector<Part>& parts,
                                     const std::vector<std::int64_t>& extents) {
  ArrayTuple arrays;
  for (const Part& p : parts) {
    const std::string full = parts.size() == 1 ? name : name + "." + p.name;
    arrays.push_back(g_.newArray(full, extents, p.shape, sym::Role::State));
  }
  return arrays;
}

void ModelBuilder::makeFactor(const syntax::Statement& s) {
  Symbol* q = find(s.target.name);
  Symbol* w = find(s.secondName);
  const bool ownPoint = q != nullptr && q->statements[0] == &s && q->kind == Symbol::Kind::Factor;
  const bool ownVelocity = w != nullptr && w->statements[0] == &s && w->kind == Symbol::Kind::Velocity;
  const FoundManifold* m = s.type ? evaluator_.manifold(*s.type, topContext()) : nullptr;
  const auto extents = extentsOf(s.target, true);
  if (ownPoint) q->stage = Symbol::Stage::Done;
  if (ownVelocity) w->stage = Symbol::Stage::Done;
  if (m == nullptr || !extents || !ownPoint || !ownVelocity) return;
  if (!m->isGroup() && s.frame == syntax::Frame::Body) {
    s_.diagnostics.error(Code::LIE0136, s.frameRange.end > 0 ? s.frameRange : s.range,
                         "`in body` has a meaning on groups only; the velocities of " + m->name() + " are in space");
  }
  if (const DeclaredManifold* const d = declared(m); d != nullptr && !m->isGroup()) {
    const syntax::Statement* const c =
        d->clause("horizontal") != nullptr ? d->clause("horizontal") : d->clause("project");
    if (c != nullptr && !s_.library.isLibrary(c->range.source) && bendsVelocities(g_, *m)) {
      s_.diagnostics.error(Code::LIE0578, c->target.nameRange,
                           "`" + c->target.name + "` is not linear in the velocity");
      return;
    }
  }
  Factor f;
  f.name = s.target.name;
  f.velocityName = s.secondName;
  f.fiber = s.momentum ? Fiber::Momentum : Fiber::Velocity;
  f.manifold = m;
  f.frame = m->isGroup() && s.frame != syntax::Frame::Space ? Frame::Body : Frame::Space;
  f.extent = extents->empty() ? 0 : (*extents)[0];
  f.point = stateArrays(f.name, m->point(), *extents);
  f.velocity = stateArrays(f.velocityName, m->algebra(), *extents);
  f.range = s.target.nameRange;
  for (const sym::Array* a : f.point) dependence_.mark(a, OnPoints);
  for (const sym::Array* a : f.velocity) dependence_.mark(a, s.momentum ? OnMomenta : OnVelocities);
  defineUsedVelocity(f);
  defineRate(f);
  seedTangent(f);
  q->index = w->index = model_->factors.size();
  q->storage = {ValueKind::Point, m, f.point, *extents};
  w->storage = {
      s.momentum ? ValueKind::Momentum : ValueKind::Velocity, &m->group(), f.usedVelocity, *extents, {}, f.frame};
  q->value = valueOf(q->storage);
  w->value = valueOf(w->storage);
  model_->order.push_back({true, model_->factors.size()});
  model_->factors.push_back(std::move(f));
  seedAcceleration(model_->factors.size() - 1);
}

void ModelBuilder::defineUsedVelocity(Factor& f) {
  f.usedVelocity = f.velocity;
  if (f.manifold->isGroup() || !f.manifold->gives("horizontal")) return;
  const std::vector<std::int64_t>& extents = f.velocity[0]->extents;
  const std::vector<sym::Loop> loops = memberLoops(g_, extents);
  const std::vector<Expr> index = indicesOf(loops);
  Tuple point;
  Tuple velocity;
  for (const sym::Array* a : f.point) point.push_back(g_.load(a, index));
  for (const sym::Array* a : f.velocity) velocity.push_back(g_.load(a, index));
  const bool momentum = f.fiber == Fiber::Momentum;
  const Tuple projected = momentum ? momentumProjection(model_->program, *f.manifold, point, velocity)
                                   : horizontalProjection(model_->program, *f.manifold, point, velocity);
  for (std::size_t k = 0; k < projected.size(); ++k) {
    const sym::Array* used = temp(f.velocity[k]->name, extents, f.velocity[k]->shape);
    model_->program.append({sym::EquationKind::Set, used, loops, {}, index, projected[k], nullptr, nullptr});
    f.usedVelocity[k] = used;
  }
}

void ModelBuilder::defineRate(Factor& f) {
  f.rate = f.usedVelocity;
  if (f.fiber == Fiber::Velocity) return;
  for (sym::Array const*& a : f.rate) {
    a = temp("dH/d" + a->name, a->extents, a->shape);
    dependence_.mark(a, OnVelocities);
  }
}

void ModelBuilder::seedTangent(const Factor& f) {
  if (ambient_) {
    ArrayTuple rates;
    for (const sym::Array* a : f.point) {
      rates.push_back(temp(a->name + "'", a->extents, a->shape));
      dependence_.mark(rates.back(), OnVelocities);
      tangent_.seed(a, [this, rate = rates.back()](const std::vector<Expr>& index) { return g_.load(rate, index); });
    }
    freeRates_.push_back(std::move(rates));
    return;
  }
  for (std::size_t k = 0; k < f.point.size(); ++k) {
    tangent_.seed(f.point[k], [this, k, manifold = f.manifold, frame = f.frame, points = f.point,
                               velocities = f.rate](const std::vector<Expr>& index) {
      Tuple point;
      Tuple velocity;
      for (const sym::Array* a : points) point.push_back(g_.load(a, index));
      for (const sym::Array* a : velocities) velocity.push_back(g_.load(a, index));
      return generator(model_->program, *manifold, frame, point, velocity)[k];
    });
  }
}

void ModelBuilder::makeState(const syntax::Statement& s) {
  Symbol* z = find(s.target.name);
  const bool own = z != nullptr && z->statements[0] == &s;
  const bool dual = s.type && (s.type->name == "dual" || !s.type->types.empty());
  const FoundManifold* m = !s.type ? nullptr : dual ? dualOf(*s.type) : evaluator_.manifold(*s.type, topContext());
  const auto extents = extentsOf(s.target, true);
  if (own) z->stage = Symbol::Stage::Done;
  if (m == nullptr || !extents || !own) return;
  if (!m->isGroup() && s.frame == syntax::Frame::Body) {
    s_.diagnostics.error(Code::LIE0136, s.frameRange.end > 0 ? s.frameRange : s.range,
                         "`in body` has a meaning on groups only");
  }
  StateVariable v;
  v.name = s.target.name;
  v.manifold = m;
  v.dual = dual;
  v.frame = m->isGroup() && s.frame != syntax::Frame::Space ? Frame::Body : Frame::Space;
  v.extent = extents->empty() ? 0 : (*extents)[0];
  v.point = stateArrays(v.name, v.parts(), *extents);
  for (const sym::Array* a : v.point) dependence_.mark(a, dual ? OnMomenta : OnStates);
  for (const Part& p : m->algebra())
    v.flow.push_back(temp((dual ? "dH/d" : "flow ") + v.name + (dual && m->algebra().size() > 1 ? "." + p.name : ""),
                          *extents, p.shape));
  v.range = s.target.nameRange;
  z->index = model_->states.size();
  z->storage = {dual ? ValueKind::Momentum : ValueKind::Point, m, v.point, *extents, {},
                dual ? std::optional(v.frame) : std::nullopt};
  z->value = valueOf(z->storage);
  model_->order.push_back({false, model_->states.size()});
  model_->states.push_back(std::move(v));
  seedFlow(model_->states.size() - 1);
}

/// The rates of velocities (momenta) are arrays that derivation defines, where something asks for them.
void ModelBuilder::seedAcceleration(std::size_t factor) {
  const ArrayTuple velocity = model_->factors[factor].velocity;
  for (std::size_t k = 0; k < velocity.size(); ++k)
    tangent_.seed(velocity[k], [this, factor, k](const std::vector<Expr>& index) {
      Factor& f = model_->factors[factor];
      if (f.acceleration.empty()) f.acceleration = rateArrays(f.velocity);
      return g_.load(f.acceleration[k], index);
    });
}

/// Those of states likewise.
void ModelBuilder::seedFlow(std::size_t state) {
  const ArrayTuple point = model_->states[state].point;
  for (std::size_t k = 0; k < point.size(); ++k)
    tangent_.seed(point[k], [this, state, k](const std::vector<Expr>& index) {
      StateVariable& z = model_->states[state];
      if (z.derivative.empty()) z.derivative = rateArrays(z.point);
      return g_.load(z.derivative[k], index);
    });
}

ArrayTuple ModelBuilder::rateArrays(const ArrayTuple& arrays) {
  ArrayTuple rates;
  for (const sym::Array* a : arrays) {
    rates.push_back(temp(a->name + "'", a->extents, a->shape));
    dependence_.mark(rates.back(), OnDerived | OnAccelerations);
  }
  return rates;
}

} // namespace lmc::sema
