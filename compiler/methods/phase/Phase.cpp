#include "methods/phase/Phase.h"

#include "mechanics/system/Knowledge.h"
#include "sym/Inline.h"

#include <fmt/format.h>
#include <stdexcept>

namespace lmc {

using sym::Expr;

namespace {
void append(Tuple& a, const Tuple& b) {
  a.insert(a.end(), b.begin(), b.end());
}
} // namespace

Phase::Phase(Layer& layer) : system_(layer.system), p_(layer.program()), g_(p_.graph()) {
  const Model& m = layer.model;
  const auto handed = [](Frame frame, const Manifold& manifold) {
    return frame == Frame::Body && manifold.isGroup() ? Handed::Opposite : Handed::Group;
  };
  for (const PhaseVariable& v : m.order) {
    PhaseSlot s;
    if (v.isFactor) {
      const Factor& f = m.factors[v.index];
      s.name = f.name;
      s.manifold = f.manifold;
      s.handed = handed(f.frame, *f.manifold);
      s.kind = f.fiber == Fiber::Momentum ? PhaseKind::Momentum : PhaseKind::Velocity;
      s.extent = f.extent;
      s.state = f.point;
      s.state.insert(s.state.end(), f.velocity.begin(), f.velocity.end());
    } else {
      const StateVariable& z = m.states[v.index];
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
  const std::vector<Part>& algebra = s.manifold->algebra();
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

Tuple Phase::part(const Tuple& all, std::size_t offset, std::size_t count) const {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(offset);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

Tuple Phase::state() {
  Tuple y;
  for (const PhaseSlot& s : slots_) append(y, loads(g_, s.state, s.index));
  return y;
}

Tuple Phase::act(const Tuple& k, const Tuple& y, const std::string& retraction) {
  Tuple r;
  for (const PhaseSlot& s : slots_) {
    append(r, groupOf(s).act(algebraOf(s, k), part(y, s.pointOffset, s.pointParts.size()), retraction));
  }
  return r;
}

std::string Phase::without(const std::string& retraction) {
  for (const PhaseSlot& s : slots_) {
    if (!groupOf(s).offers(retraction)) return s.name;
  }
  return {};
}

template <class Operation> Tuple Phase::each(const Tuple& k, const Tuple& l, Operation operation) {
  Tuple r;
  for (const PhaseSlot& s : slots_) append(r, operation(groupOf(s), algebraOf(s, k), algebraOf(s, l)));
  return r;
}

Tuple Phase::shifted(const Tuple& y, const Tuple& shift) {
  Tuple r;
  for (const PhaseSlot& s : slots_) {
    const Tuple own = part(y, s.pointOffset, s.pointParts.size());
    const Tuple k = algebraOf(s, shift);
    append(r, s.kind == PhaseKind::Dual ? add(g_, own, k) : groupOf(s).act(k, own));
  }
  return r;
}

Tuple Phase::bracket(const Tuple& a, const Tuple& b) {
  return each(a, b, [](const PhaseGroup& g, const Tuple& u, const Tuple& v) { return g.bracket(u, v); });
}

Tuple Phase::dexpinv(const Tuple& u, const Tuple& v, const DexpinvCut& cut) {
  return each(u, v, [&](const PhaseGroup& g, const Tuple& a, const Tuple& b) { return g.dexpinv(a, b, cut); });
}

Tuple Phase::dretract(const std::string& retraction, const Tuple& k, const Tuple& l) {
  return each(k, l, [&](const PhaseGroup& g, const Tuple& a, const Tuple& b) { return g.dretract(retraction, a, b); });
}

Tuple Phase::dretractinv(const std::string& retraction, const Tuple& k, const Tuple& l) {
  return each(k, l,
              [&](const PhaseGroup& g, const Tuple& a, const Tuple& b) { return g.dretractinv(retraction, a, b); });
}

Tuple Phase::Ad(const std::string& retraction, const Tuple& k, const Tuple& l) {
  return each(k, l, [&](const PhaseGroup& g, const Tuple& a, const Tuple& b) { return g.Ad(retraction, a, b); });
}

namespace {
/// Points of a single group: few, and used in products.
bool keepsExpressions(const PhaseSlot& s) {
  return s.extent == 0 && s.manifold->isGroup();
}

/// The part of the arrays of a phase point that belongs to one variable.
KnownVariable knownOf(const PhaseSlot& s, const ArrayTuple& arrays) {
  KnownVariable k;
  k.manifold = s.manifold;
  const auto first = arrays.begin() + static_cast<std::ptrdiff_t>(s.pointOffset);
  const auto middle = first + static_cast<std::ptrdiff_t>(s.pointCount);
  k.point.assign(first, middle);
  std::vector<ArrayTuple>& fibers = s.kind == PhaseKind::Momentum ? k.momenta : k.horizontal;
  if (s.pointParts.size() > s.pointCount)
    fibers.emplace_back(middle, first + static_cast<std::ptrdiff_t>(s.pointParts.size()));
  return k;
}
} // namespace

Tuple Phase::hold(const Tuple& y, const std::string& name) {
  Tuple held = loadPoint(storePoint(y, name));
  for (const PhaseSlot& s : slots_) {
    if (!keepsExpressions(s)) continue;
    for (std::size_t k = 0; k < s.pointCount; ++k) held[s.pointOffset + k] = y[s.pointOffset + k];
  }
  return held;
}

Tuple Phase::holdAlgebra(const Tuple& k, const std::string& name) {
  Tuple held = loadAlgebra(storeAlgebra(k, name));
  for (const PhaseSlot& s : slots_) {
    for (std::size_t j = s.algebraOffset; j < s.algebraOffset + s.algebraParts.size(); ++j) {
      if (k[j]->op == sym::Op::Mul && k[j]->args[0]->op == sym::Op::Load && k[j]->args[1]->op == sym::Op::Load)
        held[j] = k[j];
    }
  }
  return held;
}

ArrayTuple Phase::copies(const Tuple& y, const ArrayTuple& stored, Expr time, const ArrayTuple& roots,
                         const std::string& name) {
  const Model& m = *system_.model;
  sym::Replacement replacement;
  replacement.scalars[m.time] = time;
  std::vector<KnownVariable> known;
  std::size_t slot = 0;
  for (const PhaseVariable& v : m.order) {
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
    const Factor& f = m.factors[v.index];
    for (std::size_t k = 0; k < f.usedVelocity.size(); ++k) {
      if (f.usedVelocity[k] != f.velocity[k])
        replacement.arrays[f.usedVelocity[k]] = stored[s.pointOffset + s.pointCount + k];
    }
  }
  replacement.knowledge = manifoldKnowledge(p_, std::move(known));
  return sym::inlineCopy(p_, roots, replacement, "@" + name);
}

ArrayTuple Phase::at(const Tuple& y, Expr time, const ArrayTuple& roots, const std::string& name) {
  return copies(y, storePoint(y, name), time, roots, name);
}

Tuple Phase::field(const Tuple& y, Expr time, const std::string& name) {
  const ArrayTuple arrays = storePoint(y, name);
  const Model& m = *system_.model;
  ArrayTuple roots;
  for (const PhaseVariable& v : m.order) {
    if (!v.isFactor) {
      const StateVariable& z = m.states[v.index];
      roots.insert(roots.end(), z.flow.begin(), z.flow.end());
      continue;
    }
    const Factor& f = m.factors[v.index];
    const FactorEquations& e = system_.factors[v.index];
    if (f.fiber == Fiber::Momentum) roots.insert(roots.end(), f.rate.begin(), f.rate.end());
    const ArrayTuple& second = f.fiber == Fiber::Momentum ? e.forceArray : e.acceleration;
    roots.insert(roots.end(), second.begin(), second.end());
  }
  const ArrayTuple copied = copies(y, arrays, time, roots, name);
  Tuple r;
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
Space spaceOf(const std::vector<PhaseSlot>& slots, std::vector<Part> PhaseSlot::*parts) {
  Space space;
  for (const PhaseSlot& s : slots) {
    for (const Part& p : s.*parts) space.push_back({s.name + "." + p.name, p.shape, s.extent, s.index});
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

ArrayTuple Phase::storePoint(const Tuple& y, const std::string& name) {
  return store(p_, pointSpace(), y, name);
}
ArrayTuple Phase::storeAlgebra(const Tuple& k, const std::string& name) {
  return store(p_, algebraSpace(), k, name);
}
Tuple Phase::loadPoint(const ArrayTuple& arrays) {
  return load(g_, pointSpace(), arrays);
}
Tuple Phase::loadAlgebra(const ArrayTuple& arrays) {
  return load(g_, algebraSpace(), arrays);
}

Tuple Phase::difference(const Tuple& a, const Tuple& b, const Tuple& shift) {
  Tuple r;
  for (const PhaseSlot& s : slots_) {
    const Manifold& m = *s.manifold;
    const std::size_t np = s.pointCount;
    const std::size_t n = m.algebra().size();
    if (s.kind == PhaseKind::Dual) {
      append(r, sub(g_, part(a, s.pointOffset, n), part(b, s.pointOffset, n)));
      continue;
    }
    const Tuple point = part(b, s.pointOffset, np);
    Tuple d =
        generatorTransposed(p_, m, s.handed == Handed::Opposite, point, sub(g_, part(a, s.pointOffset, np), point));
    for (const Tuple& normal : conormals(p_, m, point)) {
      d = add(g_, d, scale(g_, pairing(g_, normal, part(shift, s.algebraOffset, n)), normal));
    }
    append(r, d);
    if (s.kind == PhaseKind::State) continue;
    Tuple velocity = sub(g_, part(a, s.pointOffset + np, n), part(b, s.pointOffset + np, n));
    for (const Tuple& normal : conormals(p_, m, point)) {
      velocity = add(g_, velocity, scale(g_, pairing(g_, normal, part(shift, s.algebraOffset + n, n)), normal));
    }
    append(r, velocity);
  }
  return r;
}

} // namespace lmc
