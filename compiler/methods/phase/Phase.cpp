#include "methods/phase/Phase.h"

#include "mechanics/constraints/Rows.h"
#include "mechanics/system/Knowledge.h"

#include <fmt/format.h>
#include <stdexcept>

namespace lmc::methods {

using sym::Expr;

namespace {
template <class T> void append(std::vector<T>& a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
}
} // namespace

Phase::Phase(mechanics::Layer& layer) : system_(layer.system), p_(layer.program()), g_(p_.graph()) {
  const sema::Model& m = layer.model;
  const auto handed = [](sema::Frame frame, const sema::Manifold& manifold) {
    return frame == sema::Frame::Body && manifold.isGroup() ? Handed::Opposite : Handed::Group;
  };
  for (const sema::PhaseVariable& v : m.order) {
    PhaseSlot s;
    if (v.isFactor) {
      const sema::Factor& f = m.factors[v.index];
      s.name = f.name;
      s.manifold = f.manifold;
      s.handed = handed(f.frame, *f.manifold);
      s.kind = f.fiber == sema::Fiber::Momentum ? PhaseKind::Momentum : PhaseKind::Velocity;
      s.extent = f.extent;
      s.state = f.point;
      s.state.insert(s.state.end(), f.velocity.begin(), f.velocity.end());
    } else {
      const sema::StateVariable& z = m.states[v.index];
      s.name = z.name;
      s.manifold = z.manifold;
      s.handed = handed(z.frame, *z.manifold);
      s.kind = z.dual ? PhaseKind::Dual : PhaseKind::State;
      s.extent = z.extent;
      s.state = z.point;
    }
    addSlot(std::move(s));
  }
}

void Phase::addSlot(PhaseSlot s) {
  const std::vector<sema::Part>& algebra = s.manifold->algebra();
  const bool factor = s.kind == PhaseKind::Velocity || s.kind == PhaseKind::Momentum;
  if (s.kind != PhaseKind::Dual) s.pointParts = s.manifold->point();
  s.pointCount = s.pointParts.size();
  if (s.kind != PhaseKind::State) s.pointParts.insert(s.pointParts.end(), algebra.begin(), algebra.end());
  s.algebraParts = algebra;
  if (factor) s.algebraParts.insert(s.algebraParts.end(), algebra.begin(), algebra.end());
  if (s.extent > 0) s.index = {g_.newIndex("i")};
  s.pointOffset = pointSize_;
  s.algebraOffset = algebraSize_;
  pointSize_ += s.pointParts.size();
  algebraSize_ += s.algebraParts.size();
  slots_.push_back(std::move(s));
}

sema::Tuple Phase::state() {
  sema::Tuple y;
  for (const PhaseSlot& s : slots_) append(y, sema::loads(g_, s.state, s.index));
  return y;
}

sema::Tuple Phase::act(const sema::Tuple& k, const sema::Tuple& y, const std::string& retraction) {
  sema::Tuple r;
  for (const PhaseSlot& s : slots_) {
    append(r, groupOf(s).act(algebraOf(s, k), sema::part(y, s.pointOffset, s.pointParts.size()), retraction));
  }
  return r;
}

std::string Phase::without(const std::string& retraction) {
  for (const PhaseSlot& s : slots_) {
    if (!groupOf(s).offers(retraction)) return s.name;
  }
  return {};
}

template <class Operation> sema::Tuple Phase::each(const sema::Tuple& k, const sema::Tuple& l, Operation operation) {
  sema::Tuple r;
  for (const PhaseSlot& s : slots_) append(r, operation(groupOf(s), algebraOf(s, k), algebraOf(s, l)));
  return r;
}

sema::Tuple Phase::shifted(const sema::Tuple& y, const sema::Tuple& shift) {
  sema::Tuple r;
  for (const PhaseSlot& s : slots_) {
    const sema::Tuple own = sema::part(y, s.pointOffset, s.pointParts.size());
    const sema::Tuple k = algebraOf(s, shift);
    append(r, s.kind == PhaseKind::Dual ? sema::add(g_, own, k) : groupOf(s).act(k, own));
  }
  return r;
}

sema::Tuple Phase::bracket(const sema::Tuple& a, const sema::Tuple& b) {
  return each(a, b, [](const PhaseGroup& g, const sema::Tuple& u, const sema::Tuple& v) { return g.bracket(u, v); });
}

sema::Tuple Phase::dexpinv(const sema::Tuple& u, const sema::Tuple& v, const DexpinvCut& cut) {
  return each(u, v,
              [&](const PhaseGroup& g, const sema::Tuple& a, const sema::Tuple& b) { return g.dexpinv(a, b, cut); });
}

sema::Tuple Phase::dretract(const std::string& retraction, const sema::Tuple& k, const sema::Tuple& l) {
  return each(k, l, [&](const PhaseGroup& g, const sema::Tuple& a, const sema::Tuple& b) {
    return g.dretract(retraction, a, b);
  });
}

sema::Tuple Phase::dretractinv(const std::string& retraction, const sema::Tuple& k, const sema::Tuple& l) {
  return each(k, l, [&](const PhaseGroup& g, const sema::Tuple& a, const sema::Tuple& b) {
    return g.dretractinv(retraction, a, b);
  });
}

sema::Tuple Phase::Ad(const std::string& retraction, const sema::Tuple& k, const sema::Tuple& l) {
  return each(k, l,
              [&](const PhaseGroup& g, const sema::Tuple& a, const sema::Tuple& b) { return g.Ad(retraction, a, b); });
}

namespace {
/// Points of a single group: few, and used in products.
bool keepsExpressions(const PhaseSlot& s) {
  return s.extent == 0 && s.manifold->isGroup();
}

/// The part of the arrays of a phase point that belongs to one variable.
mechanics::KnownVariable knownOf(const PhaseSlot& s, const sema::ArrayTuple& arrays) {
  mechanics::KnownVariable k;
  k.manifold = s.manifold;
  const auto first = arrays.begin() + static_cast<std::ptrdiff_t>(s.pointOffset);
  const auto middle = first + static_cast<std::ptrdiff_t>(s.pointCount);
  k.point.assign(first, middle);
  std::vector<sema::ArrayTuple>& fibers = s.kind == PhaseKind::Momentum ? k.momenta : k.horizontal;
  if (s.pointParts.size() > s.pointCount)
    fibers.emplace_back(middle, first + static_cast<std::ptrdiff_t>(s.pointParts.size()));
  return k;
}
} // namespace

sema::Tuple Phase::hold(const sema::Tuple& y, const std::string& name) {
  sema::Tuple held = loadPoint(storePoint(y, name));
  for (const PhaseSlot& s : slots_) {
    if (!keepsExpressions(s)) continue;
    for (std::size_t k = 0; k < s.pointCount; ++k) held[s.pointOffset + k] = y[s.pointOffset + k];
  }
  return held;
}

sema::Tuple Phase::holdAlgebra(const sema::Tuple& k, const std::string& name) {
  sema::Tuple held = loadAlgebra(storeAlgebra(k, name));
  for (const PhaseSlot& s : slots_) {
    for (std::size_t j = s.algebraOffset; j < s.algebraOffset + s.algebraParts.size(); ++j) {
      if (k[j]->op == sym::Op::Mul && k[j]->args[0]->op == sym::Op::Load && k[j]->args[1]->op == sym::Op::Load)
        held[j] = k[j];
    }
  }
  return held;
}

/// What stands at another point and time in place of the state and the time, and what is known of it.
sym::Replacement Phase::replacement(const sema::Tuple& y, const sema::ArrayTuple& stored, Expr time) {
  const sema::Model& m = *system_.model;
  sym::Replacement replacement;
  replacement.scalars[m.time] = time;
  std::vector<mechanics::KnownVariable> known;
  std::size_t slot = 0;
  for (const sema::PhaseVariable& v : m.order) {
    const PhaseSlot& s = slots_[slot++];
    known.push_back(knownOf(s, stored));
    for (std::size_t k = 0; k < s.state.size(); ++k) {
      if (keepsExpressions(s) && k < s.pointCount) {
        replacement.scalars[s.state[k]] = y[s.pointOffset + k];
      } else {
        replacement.arrays[s.state[k]] = stored[s.pointOffset + k];
      }
    }
    if (!v.isFactor) continue;
    // On the phase manifold the projection of the velocity (momentum) is the velocity itself.
    const sema::Factor& f = m.factors[v.index];
    for (std::size_t k = 0; k < f.usedVelocity.size(); ++k) {
      if (f.usedVelocity[k] != f.velocity[k])
        replacement.arrays[f.usedVelocity[k]] = stored[s.pointOffset + s.pointCount + k];
    }
  }
  replacement.knowledge = mechanics::manifoldKnowledge(p_, std::move(known));
  return replacement;
}

sema::ArrayTuple Phase::at(const sema::Tuple& y, Expr time, const sema::ArrayTuple& roots, const std::string& name) {
  return sym::inlineCopy(p_, roots, replacement(y, storePoint(y, name), time), "@" + name);
}

/// xi' without constraint forces, and gamma, or what stands for them where velocities are asked for.
void Phase::replaceByAsked(sym::Replacement& there, const sema::ArrayTuple& stored, Expr forces,
                           const std::string& name) {
  const mechanics::ConstraintEquations& c = *system_.constraints;
  const sema::Model& m = *system_.model;
  sym::Replacement atRest = there;
  sema::ArrayTuple roots = {c.bias};
  for (std::size_t v = 0; v < m.order.size(); ++v) {
    if (!m.order[v].isFactor) continue;
    const sema::Factor& f = m.factors[m.order[v].index];
    for (const sema::ArrayTuple* velocity : {&f.velocity, &f.usedVelocity}) {
      for (const sym::Array* part : *velocity) {
        atRest.arrays.erase(part);
        atRest.scalars[part] = g_.zero(part->shape);
      }
    }
    const sema::ArrayTuple& free = c.free[m.order[v].index];
    roots.insert(roots.end(), free.begin(), free.end());
  }
  const sym::Array* const rate = sym::inlineCopy(p_, {c.rate}, atRest, "@" + name + " at rest")[0];
  const sema::ArrayTuple copied = sym::inlineCopy(p_, roots, there, "@" + name);
  const auto chosen = [&](const sym::Array* ofForces, const sym::Array* other, const std::vector<Expr>& index) {
    return g_.select(forces, g_.load(ofForces, index), g_.load(other, index));
  };
  const sym::Array* const bias = g_.newArray("gamma?@" + name, c.bias->extents, c.bias->shape, sym::Role::Temp);
  mechanics::Rows(p_).each(c.rows, "i", [&](Expr i, const std::vector<sym::Loop>& loops) {
    sym::Equation e;
    e.array = bias;
    e.loops = loops;
    e.index = {i};
    e.value = chosen(copied[0], rate, e.index);
    p_.append(std::move(e));
  });
  there.arrays[c.bias] = bias;
  std::size_t next = 1;
  for (std::size_t v = 0; v < m.order.size(); ++v) {
    if (!m.order[v].isFactor) continue;
    const PhaseSlot& s = slots_[v];
    for (std::size_t k = s.pointCount; k < s.pointParts.size(); ++k, ++next)
      there.arrays[roots[next]] =
          sym::defineLike(p_, *roots[next], roots[next]->name + "?@" + name, [&](const std::vector<Expr>& index) {
            return chosen(copied[next], stored[s.pointOffset + k], index);
          });
  }
}

sema::ArrayTuple Phase::rateArrays() const {
  const sema::Model& m = *system_.model;
  sema::ArrayTuple roots;
  for (const sema::PhaseVariable& v : m.order) {
    if (!v.isFactor) {
      const sema::StateVariable& z = m.states[v.index];
      roots.insert(roots.end(), z.flow.begin(), z.flow.end());
      continue;
    }
    const sema::Factor& f = m.factors[v.index];
    const mechanics::FactorEquations& e = system_.factors[v.index];
    if (f.fiber == sema::Fiber::Momentum) roots.insert(roots.end(), f.rate.begin(), f.rate.end());
    const sema::ArrayTuple& second = f.fiber == sema::Fiber::Momentum ? e.forceArray : e.acceleration;
    roots.insert(roots.end(), second.begin(), second.end());
  }
  return roots;
}

/// The state itself needs no other name: with one, w × w would not be seen to be zero.
sema::ArrayTuple Phase::placesOf(const sema::Tuple& y, const std::string& name) {
  sema::ArrayTuple arrays;
  for (const PhaseSlot& s : slots_) append(arrays, s.state);
  return y == state() ? arrays : storePoint(y, name);
}

sema::Tuple Phase::field(const sema::Tuple& y, Expr time, const std::string& name, const sym::Array** multipliers,
                         const Asked& asked) {
  const sema::ArrayTuple arrays = placesOf(y, name);
  sema::ArrayTuple roots = rateArrays();
  const bool constrained = multipliers != nullptr && system_.constraints != nullptr;
  if (constrained) roots.push_back(system_.constraints->multiplier);
  sym::Replacement there = replacement(y, arrays, time);
  if (asked.forces) replaceByAsked(there, arrays, asked.forces, name);
  const sema::ArrayTuple copied = sym::inlineCopy(p_, roots, there, "@" + name);
  if (constrained) *multipliers = copied.back();
  sema::Tuple r;
  std::size_t next = 0;
  for (const PhaseSlot& s : slots_) {
    if (s.kind == PhaseKind::Velocity) { // the first component of f is the velocity itself
      for (std::size_t k = s.pointCount; k < s.pointParts.size(); ++k)
        r.push_back(g_.load(arrays[s.pointOffset + k], s.index));
    }
    const std::size_t n = s.algebraParts.size() / (s.kind == PhaseKind::Velocity ? 2 : 1);
    for (std::size_t k = 0; k < n; ++k) r.push_back(g_.load(copied[next++], s.index));
  }
  return r;
}

namespace {
Space spaceOf(const std::vector<PhaseSlot>& slots, std::vector<sema::Part> PhaseSlot::*parts) {
  Space space;
  for (const PhaseSlot& s : slots) {
    for (const sema::Part& p : s.*parts) space.push_back({s.name + "." + p.name, p.shape, s.extent, s.index});
  }
  return space;
}
} // namespace

Space Phase::pointSpace() const {
  return spaceOf(slots_, &PhaseSlot::pointParts);
}
Space Phase::algebraSpace() const {
  return spaceOf(slots_, &PhaseSlot::algebraParts);
}

sema::ArrayTuple Phase::storePoint(const sema::Tuple& y, const std::string& name) {
  return store(p_, pointSpace(), y, name);
}
sema::ArrayTuple Phase::storeAlgebra(const sema::Tuple& k, const std::string& name) {
  return store(p_, algebraSpace(), k, name);
}
sema::Tuple Phase::loadPoint(const sema::ArrayTuple& arrays) {
  return load(g_, pointSpace(), arrays);
}
sema::Tuple Phase::loadAlgebra(const sema::ArrayTuple& arrays) {
  return load(g_, algebraSpace(), arrays);
}

sema::Tuple Phase::difference(const sema::Tuple& a, const sema::Tuple& b, const sema::Tuple& shift) {
  sema::Tuple r;
  for (const PhaseSlot& s : slots_) {
    const sema::Manifold& m = *s.manifold;
    const std::size_t np = s.pointCount;
    const std::size_t n = m.algebra().size();
    if (s.kind == PhaseKind::Dual) {
      append(r, sema::sub(g_, sema::part(a, s.pointOffset, n), sema::part(b, s.pointOffset, n)));
      continue;
    }
    const sema::Tuple point = sema::part(b, s.pointOffset, np);
    sema::Tuple d = mechanics::generatorTransposed(p_, m, s.handed == Handed::Opposite, point,
                                                   sema::sub(g_, sema::part(a, s.pointOffset, np), point));
    for (const sema::Tuple& normal : sema::conormals(p_, m, point)) {
      d = sema::add(g_, d, sema::scale(g_, sema::pairing(g_, normal, sema::part(shift, s.algebraOffset, n)), normal));
    }
    append(r, d);
    if (s.kind == PhaseKind::State) continue;
    sema::Tuple velocity = sema::sub(g_, sema::part(a, s.pointOffset + np, n), sema::part(b, s.pointOffset + np, n));
    for (const sema::Tuple& normal : sema::conormals(p_, m, point)) {
      velocity = sema::add(
          g_, velocity, sema::scale(g_, sema::pairing(g_, normal, sema::part(shift, s.algebraOffset + n, n)), normal));
    }
    append(r, velocity);
  }
  return r;
}

} // namespace lmc::methods
