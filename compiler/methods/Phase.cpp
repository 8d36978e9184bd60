#include "methods/Phase.h"

#include "mechanics/Knowledge.h"
#include "sema/Generator.h"
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

Phase::Phase(System& system) : system_(system), p_(system.model->program), g_(p_.graph()) {
  const Model& m = *system.model;
  for (const PhaseVariable& v : m.order) {
    PhaseSlot s;
    if (v.isFactor) {
      const Factor& f = m.factors[v.index];
      s.name = f.name;
      s.manifold = f.manifold;
      s.body = f.frame == Frame::Body && f.manifold->isGroup();
      s.tangent = true;
      s.extent = f.extent;
      s.state = f.point;
      s.state.insert(s.state.end(), f.velocity.begin(), f.velocity.end());
    } else {
      const StateVariable& z = m.states[v.index];
      s.name = z.name;
      s.manifold = z.manifold;
      s.body = z.frame == Frame::Body && z.manifold->isGroup();
      s.extent = z.extent;
      s.state = z.point;
    }
    addSlot(std::move(s));
  }
}

void Phase::addSlot(PhaseSlot s) {
  const std::vector<Part>& algebra = s.manifold->algebra();
  s.pointParts = s.manifold->point();
  s.algebraParts = algebra;
  if (s.tangent) {
    s.pointParts.insert(s.pointParts.end(), algebra.begin(), algebra.end());
    s.algebraParts.insert(s.algebraParts.end(), algebra.begin(), algebra.end());
  }
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

Tuple Phase::act(const Tuple& k, const Tuple& y) {
  Tuple r;
  for (const PhaseSlot& s : slots_) {
    append(r, actOn(s, part(k, s.algebraOffset, s.algebraParts.size()), part(y, s.pointOffset, s.pointParts.size())));
  }
  return r;
}

Tuple Phase::actOn(const PhaseSlot& s, const Tuple& k, const Tuple& y) {
  const Manifold& m = *s.manifold;
  const std::size_t n = m.algebra().size();
  const std::size_t np = m.point().size();
  const Tuple theta = part(k, 0, n);
  const Tuple point = part(y, 0, np);
  const Tuple element = required(m.group(), "exp", {theta});
  Tuple moved;
  if (m.isGroup()) {
    moved = s.body ? required(m, "product", {point, element}) : required(m, "product", {element, point});
  } else {
    moved = required(m, "action", {element, point});
  }
  if (!s.tangent) return moved;
  const Tuple a = part(k, n, n);
  const Tuple xi = part(y, np, n);
  Tuple velocity;
  if (m.isGroup()) {
    velocity = add(g_, xi, a);
  } else {
    // (A, a)·(q, xi) = (A q, Ad_A xi + the horizontal part of a at A q); exp(u, a) = (exp u, dexp_u a)
    const Tuple lifted = dexp(p_, m, theta, a);
    velocity = add(g_, adjoint(p_, m, element, xi), horizontalProjection(p_, m, moved, lifted));
  }
  append(moved, velocity);
  return moved;
}

Tuple Phase::bracket(const Tuple& a, const Tuple& b) {
  Tuple r;
  for (const PhaseSlot& s : slots_) {
    append(r, bracketOn(s, part(a, s.algebraOffset, s.algebraParts.size()),
                        part(b, s.algebraOffset, s.algebraParts.size())));
  }
  return r;
}

Tuple Phase::bracketOn(const PhaseSlot& s, const Tuple& a, const Tuple& b) {
  const Manifold& m = *s.manifold;
  const std::size_t n = m.algebra().size();
  const Tuple u = part(a, 0, n);
  const Tuple v = part(b, 0, n);
  Tuple r = lmc::bracket(m, u, v);
  if (s.body) r = scale(g_, sym::Number(-1), r);
  if (!s.tangent) return r;
  if (m.isGroup()) {
    append(r, zero(g_, m.algebra()));
  } else {
    append(r, add(g_, lmc::bracket(m, u, part(b, n, n)), lmc::bracket(m, part(a, n, n), v)));
  }
  return r;
}

Tuple Phase::dexpinv(const Tuple& u, const Tuple& v, const DexpinvCut& cut) {
  Tuple r;
  for (const PhaseSlot& s : slots_) {
    append(r, dexpinvOn(s, part(u, s.algebraOffset, s.algebraParts.size()),
                        part(v, s.algebraOffset, s.algebraParts.size()), cut));
  }
  return r;
}

Tuple Phase::dexpinvOn(const PhaseSlot& s, const Tuple& u, const Tuple& v, const DexpinvCut& cut) {
  const Manifold& m = *s.manifold;
  const std::size_t n = m.algebra().size();
  const Tuple theta = part(u, 0, n);
  const Tuple eta = part(v, 0, n);
  Tuple r = baseDexpinv(s, theta, eta, cut);
  if (!s.tangent) return r;
  const Tuple b = part(v, n, n);
  if (m.isGroup()) {
    append(r, b);
    return r;
  }
  // G ⋉ 𝔤 is the group over the dual numbers: dexpinv_{u + eps a}(v + eps b).
  const auto w = dummies(g_, m.algebra(), "u");
  const Tuple slope = directional(p_, baseDexpinv(s, loads(g_, w, {}), eta, cut), w, part(u, n, n), theta);
  append(r, add(g_, slope, baseDexpinv(s, theta, b, cut)));
  return r;
}

Tuple Phase::baseDexpinv(const PhaseSlot& s, const Tuple& u, const Tuple& v, const DexpinvCut& cut) {
  const Tuple signedU = s.body ? scale(g_, sym::Number(-1), u) : u;
  if (cut.exact) {
    if (auto r = s.manifold->group().apply("dexpinv", {signedU, v})) return *r;
  }
  return series(s, signedU, v, cut);
}

/// sum B_k/k! ad_u^k v, k up to `cut.highest`.
Tuple Phase::series(const PhaseSlot& s, const Tuple& u, const Tuple& v, const DexpinvCut& cut) {
  static const std::pair<int, sym::Number> bernoulli[] = {
      {1, sym::Number::ratio(-1, 2)},    {2, sym::Number::ratio(1, 12)},       {4, sym::Number::ratio(-1, 720)},
      {6, sym::Number::ratio(1, 30240)}, {8, sym::Number::ratio(-1, 1209600)}, {10, sym::Number::ratio(1, 47900160)}};
  Tuple r = v;
  Tuple power = v;
  int k = 0;
  for (const auto& [n, coefficient] : bernoulli) {
    if (n > cut.highest) break;
    for (; k < n; ++k) power = lmc::bracket(*s.manifold, u, power);
    r = add(g_, r, scale(g_, coefficient, power));
  }
  return r;
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
  const auto middle = first + static_cast<std::ptrdiff_t>(s.manifold->point().size());
  k.point.assign(first, middle);
  if (s.tangent) k.horizontal.emplace_back(middle, middle + static_cast<std::ptrdiff_t>(s.manifold->algebra().size()));
  return k;
}
} // namespace

Tuple Phase::hold(const Tuple& y, const std::string& name) {
  Tuple held = loadPoint(storePoint(y, name));
  for (const PhaseSlot& s : slots_) {
    if (!keepsExpressions(s)) continue;
    for (std::size_t k = 0; k < s.manifold->point().size(); ++k) held[s.pointOffset + k] = y[s.pointOffset + k];
  }
  return held;
}

Tuple Phase::holdAlgebra(const Tuple& k, const std::string& name) {
  Tuple held = loadAlgebra(storeAlgebra(k, name));
  for (const PhaseSlot& s : slots_) {
    if (s.extent > 0) continue;
    for (std::size_t j = s.algebraOffset; j < s.algebraOffset + s.algebraParts.size(); ++j) {
      if (k[j]->op == sym::Op::Mul && k[j]->args[0]->op == sym::Op::Load && k[j]->args[1]->op == sym::Op::Load)
        held[j] = k[j];
    }
  }
  return held;
}

Tuple Phase::field(const Tuple& y, Expr time, const std::string& name) {
  const ArrayTuple arrays = storePoint(y, name);
  const Model& m = *system_.model;
  sym::Replacement replacement;
  replacement.scalars[m.time] = time;
  std::vector<const sym::Array*> roots;
  std::vector<KnownVariable> known;
  std::size_t slot = 0;
  for (const PhaseVariable& v : m.order) {
    const PhaseSlot& s = slots_[slot++];
    known.push_back(knownOf(s, arrays));
    for (std::size_t k = 0; k < s.state.size(); ++k) {
      if (keepsExpressions(s) && k < s.manifold->point().size()) {
        replacement.scalars[s.state[k]] = y[s.pointOffset + k];
      } else {
        replacement.arrays[s.state[k]] = arrays[s.pointOffset + k];
      }
    }
    if (!v.isFactor) {
      const StateVariable& z = m.states[v.index];
      roots.insert(roots.end(), z.flow.begin(), z.flow.end());
      continue;
    }
    const Factor& f = m.factors[v.index];
    const ArrayTuple& acceleration = system_.factors[v.index].acceleration;
    roots.insert(roots.end(), acceleration.begin(), acceleration.end());
    // On the phase manifold the velocity is horizontal: its projection is the velocity itself.
    const std::size_t np = f.manifold->point().size();
    for (std::size_t k = 0; k < f.usedVelocity.size(); ++k) {
      if (f.usedVelocity[k] != f.velocity[k]) replacement.arrays[f.usedVelocity[k]] = arrays[s.pointOffset + np + k];
    }
  }
  replacement.knowledge = manifoldKnowledge(g_, std::move(known));
  const std::vector<const sym::Array*> copies = sym::inlineCopy(p_, roots, replacement, "@" + name);
  Tuple r;
  std::size_t next = 0;
  for (const PhaseSlot& s : slots_) {
    const std::size_t n = s.manifold->algebra().size();
    if (s.tangent) {
      for (std::size_t k = 0; k < n; ++k) {
        r.push_back(g_.load(arrays[s.pointOffset + s.manifold->point().size() + k], s.index));
      }
    }
    for (std::size_t k = 0; k < n; ++k) r.push_back(g_.load(copies[next++], s.index));
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
    const std::size_t np = m.point().size();
    const std::size_t n = m.algebra().size();
    const Tuple point = part(b, s.pointOffset, np);
    Tuple d = generatorTransposed(p_, m, s.body, point, sub(g_, part(a, s.pointOffset, np), point));
    for (const Tuple& normal : conormals(p_, m, point)) {
      d = add(g_, d, scale(g_, pairing(g_, normal, part(shift, s.algebraOffset, n)), normal));
    }
    append(r, d);
    if (!s.tangent) continue;
    Tuple velocity = sub(g_, part(a, s.pointOffset + np, n), part(b, s.pointOffset + np, n));
    for (const Tuple& normal : conormals(p_, m, point)) {
      velocity = add(g_, velocity, scale(g_, pairing(g_, normal, part(shift, s.algebraOffset + n, n)), normal));
    }
    append(r, velocity);
  }
  return r;
}

} // namespace lmc
