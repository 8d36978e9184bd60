#include "methods/kinds/CotangentKind.h"

#include "sema/manifolds/Generator.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

std::vector<sema::Value> CotangentKind::state() {
  sema::Tuple g;
  sema::Tuple mu;
  const std::vector<sema::ArrayTuple> momenta = mechanics::momentumArrays(context_.layer);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    append(g, sema::loads(g_, slots_[k].factor->point, slots_[k].index));
    append(mu, sema::loads(g_, momenta[k], slots_[k].index));
  }
  begin_ = {g_.load(context_.system.model->time).node()};
  for (const sema::Tuple* t : {&g, &mu}) {
    for (const Expr& e : *t) begin_.push_back(e.node());
  }
  return {valueOf(sema::ValueKind::PhasePoint, g), valueOf(sema::ValueKind::PhaseDual, mu)};
}

void CotangentKind::finish(const std::vector<sema::Value>& next) {
  const sema::ArrayTuple g = store(p_, points_, next[0].parts, "next");
  // Steps keep momenta off the isotropy but for rounding, which would add up.
  const sema::ArrayTuple mu = store(p_, algebra_, alongManifold(load(g_, points_, g), next[1].parts), "next.mu");
  const bool lagrangian =
      std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.factor->fiber == sema::Fiber::Velocity; });
  sema::ArrayTuple velocity = mu;
  if (lagrangian) { // its velocities are those of the new momenta
    const Expr end = g_.add(g_.load(context_.system.model->time), g_.load(context_.step.stepSize));
    const sema::Tuple point = load(g_, points_, g);
    const int evaluations = context_.step.evaluations + 1; // however often its copies are written
    const auto velocityOf = [&](const sema::Tuple& momentum) { return field(end, point, momentum).velocity; };
    velocity = store(p_, algebra_, refinedVelocity(point, load(g_, algebra_, mu), end, velocityOf), "next.xi");
    context_.step.evaluations = evaluations;
  }
  sema::ArrayTuple fibers;
  for (const Slot& s : slots_) {
    const bool momentum = s.factor->fiber == sema::Fiber::Momentum;
    for (std::size_t k = 0; k < s.factor->velocity.size(); ++k)
      fibers.push_back((momentum ? mu : velocity)[s.algebra + k]);
  }
  setNext(g, fibers);
}

sema::Value CotangentKind::word(const Word& word, const std::vector<sema::Value>& args, Range where) {
  if (word.name != "f1" && word.name != "f2") return ConfigurationKind::word(word, args, where);
  const Field& f = field(args[0].parts[0], args[1].parts, args[2].parts);
  return word.name == "f1" ? valueOf(sema::ValueKind::PhaseAlgebra, f.velocity)
                           : valueOf(sema::ValueKind::PhaseDual, f.force);
}

/// Pᵀ mu: the part of momenta at a point that vanishes along the isotropy, of all factors.
sema::Tuple CotangentKind::alongManifold(const sema::Tuple& g, const sema::Tuple& mu) {
  sema::Tuple r;
  for (const Slot& s : slots_) {
    const sema::Tuple own = algebraOf(s, mu);
    append(r,
           s.manifold().isGroup() ? own : sema::steadyMomentumProjection(p_, s.manifold(), pointOf(s, g), own, true));
  }
  return r;
}

/// What the force of a factor is more at a momentum with the part `isotropy` along the isotropy than without it: of
/// H(q, P(q)ᵀ mu) the point moves P as well, -T(q)ᵀ ∂<isotropy, P(q) velocity>/∂q.
sema::Tuple CotangentKind::isotropyForce(const Slot& s, const sema::Tuple& point, const sema::Tuple& velocity,
                                         const sema::Tuple& isotropy) {
  const auto q = sema::dummies(g_, s.manifold().point(), "q");
  const sema::Tuple moved = sema::horizontalProjection(p_, s.manifold(), sema::loads(g_, q, {}), velocity, true);
  const sema::Tuple slope = sema::transposed(p_, {sema::pairing(g_, isotropy, moved)}, q, {g_.number(-1)});
  return sema::replaceArrays(g_, mechanics::generatorTransposed(p_, s.manifold(), false, sema::loads(g_, q, {}), slope),
                             q, point);
}

/// Both components of f at (t, g, mu); one evaluation however often they are asked for. Momenta within a step need not
/// vanish along the isotropy: on a homogeneous manifold G·q0 the step is that of the Hamiltonian H(g·q0, P(g·q0)ᵀ mu)
/// on the group, which is the same at all elements that move q0 to one point. So a method keeps the momenta of that
/// symmetry, which are zero, and its step on the group is one on the manifold.
const CotangentKind::Field& CotangentKind::field(Expr time, const sema::Tuple& g, const sema::Tuple& mu) {
  std::vector<const sym::Node*> key{time.node()};
  for (const sema::Tuple* t : {&g, &mu}) {
    for (const Expr& e : *t) key.push_back(e.node());
  }
  for (const auto& [k, f] : fields_) {
    if (k == key) return f;
  }
  ++context_.step.evaluations;
  const std::string name = fmt::format("G{}", ++counter_);
  const sema::ArrayTuple points = store(p_, points_, g, name);
  const bool atBegin = key == begin_;
  const sema::ArrayTuple momenta =
      store(p_, algebra_, atBegin ? mu : alongManifold(load(g_, points_, points), mu), name + ".mu");
  sym::Replacement replacement;
  replacement.scalars[context_.system.model->time] = time;
  std::vector<const sym::Array*> roots;
  replacePoints(replacement, g, points);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Slot& s = slots_[k];
    const mechanics::CotangentFactor& c = system_.factors[k];
    for (std::size_t i = 0; i < c.momentum.size(); ++i) replacement.arrays[c.momentum[i]] = momenta[s.algebra + i];
    roots.insert(roots.end(), c.velocity.begin(), c.velocity.end());
    roots.insert(roots.end(), c.force.begin(), c.force.end());
  }
  const std::vector<const sym::Array*> copies = sym::inlineCopy(p_, roots, replacement, "@" + name);
  Field f;
  f.g = g, f.mu = mu, f.time = time;
  f.points = points, f.momenta = momenta;
  std::size_t next = 0;
  for (const Slot& s : slots_) {
    const std::size_t n = s.factor->manifold->algebra().size();
    const bool given = atBegin && s.factor->fiber == sema::Fiber::Velocity; // mu is that of these velocities
    for (std::size_t k = 0; k < n; ++k, ++next) {
      f.velocity.push_back(g_.load(given ? s.factor->velocity[k] : copies[next], s.index));
      if (!atBegin) f.velocities.push_back(copies[next]);
    }
    sema::Tuple force;
    for (std::size_t k = 0; k < n; ++k, ++next) {
      force.push_back(g_.load(copies[next], s.index));
      if (!atBegin) f.forces.push_back(copies[next]);
    }
    if (!s.manifold().isGroup() && !atBegin) {
      const sema::Tuple own = algebraOf(s, mu), held = algebraOf(s, load(g_, algebra_, momenta));
      force = sema::add(g_, force,
                        isotropyForce(s, pointOf(s, load(g_, points_, points)), sema::part(f.velocity, s.algebra, n),
                                      sema::sub(g_, own, held)));
    }
    append(f.force, force);
  }
  fields_.emplace_back(std::move(key), std::move(f));
  return fields_.back().second;
}

/// The momenta that have these velocities where a field was taken, and its forces.
DefinedValues::Definition CotangentKind::momentaOf(const Field& field, const DefinedValues::Given& velocities) {
  Copy copy = newCopy();
  copy.replacement.scalars[context_.system.model->time] = field.time;
  replacePoints(copy.replacement, field.g, field.points);
  const mechanics::MomentaOfVelocities& inverse = **inverse_;
  std::vector<const sym::Array*> roots, forces;
  std::size_t next = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    for (const sym::Array* a : inverse.velocity[k]) velocities.replace(copy.replacement, next++, a);
    roots.insert(roots.end(), inverse.momentum[k].begin(), inverse.momentum[k].end());
    if (!inverse.force.empty()) forces.insert(forces.end(), inverse.force[k].begin(), inverse.force[k].end());
  }
  const sema::ArrayTuple momenta = sym::inlineCopy(p_, roots, copy.replacement, copy.suffix);
  DefinedValues::Definition d;
  d.residual = sema::sub(g_, load(g_, algebra_, momenta), field.mu);
  for (std::size_t k = 0; k < momenta.size(); ++k) d.known.emplace_back(field.momenta[k], momenta[k]);
  if (forces.empty()) return d; // they are written with the velocities themselves
  for (std::size_t k = 0; k < slots_.size(); ++k)
    for (std::size_t i = 0; i < system_.factors[k].momentum.size(); ++i)
      copy.replacement.arrays[system_.factors[k].momentum[i]] = momenta[slots_[k].algebra + i];
  const sema::ArrayTuple copies = sym::inlineCopy(p_, forces, copy.replacement, copy.suffix);
  for (std::size_t k = 0; k < copies.size(); ++k) d.known.emplace_back(field.forces[k], copies[k]);
  return d;
}

std::vector<DefinedValues> CotangentKind::defined() {
  if (std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return !s.manifold().isGroup(); })) return {};
  if (!inverse_) inverse_ = mechanics::momentaOfVelocities(context_.layer);
  if (!*inverse_) return {};
  std::vector<DefinedValues> list;
  for (const auto& [key, taken] : fields_) {
    if (taken.velocities.empty()) continue;
    list.push_back({taken.velocities, algebra_, [this, &field = taken](const DefinedValues::Given& velocities) {
                      return momentaOf(field, velocities);
                    }});
  }
  return list;
}

namespace kinds {
std::unique_ptr<MethodKind> cotangent(const KindContext& context, const ModelParts& parts) {
  return std::make_unique<CotangentKind>(context, *parts.cotangent);
}
} // namespace kinds

} // namespace lmc::methods
