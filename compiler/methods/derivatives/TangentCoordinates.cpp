#include "methods/derivatives/TangentCoordinates.h"

#include "sema/manifolds/Generator.h"

namespace lmc {

/// Of a point: point and fiber; of an algebra element: what moves the point and what moves the fiber. One is empty
/// where a variable has no such part.
struct TangentCoordinates::Halves {
  Tuple first, second;
};

namespace {

Tuple joined(Tuple a, const Tuple& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void append(Tuple& a, const Tuple& b) {
  a.insert(a.end(), b.begin(), b.end());
}

Tuple slice(const Tuple& t, std::size_t first, std::size_t count) {
  const auto begin = t.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

Tuple ofPoint(const PhaseSlot& s, const Tuple& y) {
  return slice(y, s.pointOffset, s.pointParts.size());
}

Tuple ofAlgebra(const PhaseSlot& s, const Tuple& z) {
  return slice(z, s.algebraOffset, s.algebraParts.size());
}

/// Velocity and momentum are carried along when a point of a homogeneous manifold moves.
bool carries(const PhaseSlot& s) {
  return !s.manifold->isGroup() && (s.kind == PhaseKind::Velocity || s.kind == PhaseKind::Momentum);
}

bool hasPoint(const PhaseSlot& s) {
  return s.kind != PhaseKind::Dual;
}

} // namespace

TangentCoordinates::TangentCoordinates(Layer& layer)
    : system_(layer.system), p_(layer.program()), g_(p_.graph()), phase_(layer) {}

TangentCoordinates::Halves TangentCoordinates::pointHalves(const PhaseSlot& s, const Tuple& y) const {
  return {slice(y, 0, s.pointCount), slice(y, s.pointCount, y.size() - s.pointCount)};
}

TangentCoordinates::Halves TangentCoordinates::algebraHalves(const PhaseSlot& s, const Tuple& z) const {
  const std::size_t n = hasPoint(s) ? s.manifold->algebra().size() : 0;
  return {slice(z, 0, n), slice(z, n, z.size() - n)};
}

Tuple TangentCoordinates::project(const PhaseSlot& s, const Tuple& point, const Tuple& u) {
  return s.manifold->isGroup() ? u : horizontalProjection(p_, *s.manifold, point, u);
}

Tuple TangentCoordinates::projectFiber(const PhaseSlot& s, const Tuple& point, const Tuple& nu) {
  if (s.manifold->isGroup() || s.kind != PhaseKind::Momentum) return project(s, point, nu);
  return momentumProjection(p_, *s.manifold, point, nu);
}

Tuple TangentCoordinates::carried(const PhaseSlot& s, const Tuple& u, const Tuple& v) {
  const GroupCalculus calculus(p_, *s.manifold, s.handed);
  if (s.kind == PhaseKind::Momentum) return scale(g_, sym::Number(-1), calculus.adstar(u, v));
  return calculus.bracket(u, v);
}

/// On a group exact for a change that is tangent: the change of g^-1 y, or of y g^-1 in space, at y = g.
Tuple TangentCoordinates::pointCoordinates(const PhaseSlot& s, const Tuple& point, const Tuple& change) {
  const Manifold& m = *s.manifold;
  const bool body = s.handed == Handed::Opposite;
  if (!m.isGroup()) return velocityOf(p_, m, body, point, change);
  const auto x = dummies(g_, m.point(), "x");
  const Tuple back = required(m, "inverse", {point});
  const Tuple moved =
      body ? required(m, "product", {back, loads(g_, x, {})}) : required(m, "product", {loads(g_, x, {}), back});
  return veeAtIdentity(m, directional(p_, moved, x, change, point));
}

Tuple TangentCoordinates::horizontalOf(const PhaseSlot& s, const Tuple& y, const Tuple& z) {
  if (s.manifold->isGroup()) return z;
  const Tuple point = pointHalves(s, y).first;
  const Halves h = algebraHalves(s, z);
  return joined(project(s, point, h.first), h.second.empty() ? Tuple{} : projectFiber(s, point, h.second));
}

Tuple TangentCoordinates::changeOf(const PhaseSlot& s, const Tuple& y, const Tuple& z) {
  if (!hasPoint(s)) return z;
  const auto [point, fiber] = pointHalves(s, y);
  const auto [delta, nu] = algebraHalves(s, z);
  const Frame frame = s.handed == Handed::Opposite ? Frame::Body : Frame::Space;
  const Tuple moved = generator(p_, *s.manifold, frame, point, delta);
  return joined(moved, carries(s) ? add(g_, carried(s, delta, fiber), nu) : nu);
}

Tuple TangentCoordinates::coordinatesOf(const PhaseSlot& s, const Tuple& y, const Tuple& change) {
  if (!hasPoint(s)) return change;
  const auto [point, fiber] = pointHalves(s, y);
  const auto [movedPoint, movedFiber] = pointHalves(s, change);
  const Tuple delta = pointCoordinates(s, point, movedPoint);
  if (!carries(s)) return joined(delta, movedFiber);
  return joined(delta, projectFiber(s, point, sub(g_, movedFiber, carried(s, delta, fiber))));
}

Tuple TangentCoordinates::movedOf(const PhaseSlot& s, const Tuple& y, const Tuple& z) {
  if (!hasPoint(s)) return add(g_, y, z);
  if (carries(s)) return PhaseGroup(p_, *s.manifold, s.kind, s.handed).act(z, y);
  const auto [point, fiber] = pointHalves(s, y);
  const auto [delta, nu] = algebraHalves(s, z);
  const Tuple moved = PhaseGroup(p_, *s.manifold, PhaseKind::State, s.handed).act(delta, point);
  return joined(moved, add(g_, fiber, nu));
}

TangentCoordinates::Variation TangentCoordinates::variationOf(const PhaseSlot& s, const Tuple& y, const Tuple& field,
                                                              const Tuple& z, const Tuple& df) {
  if (!hasPoint(s)) return {df, df};
  const auto [point, fiber] = pointHalves(s, y);
  const auto [xi, a] = algebraHalves(s, field);
  const auto [delta, nu] = algebraHalves(s, z);
  const auto [dxi, da] = algebraHalves(s, df);
  const GroupCalculus calculus(p_, *s.manifold, s.handed);
  const Tuple turn = calculus.bracket(xi, delta);
  const Tuple rate = add(g_, project(s, point, dxi), turn);
  if (s.manifold->isGroup()) return {joined(rate, da), joined(dxi, da)};
  const Tuple own = project(s, point, add(g_, dxi, turn));
  if (!carries(s)) return {rate, own};
  const Tuple relative = sub(g_, da, carried(s, delta, a));
  const Tuple nuRate = sub(g_, relative, carried(s, rate, fiber));
  if (s.kind == PhaseKind::Velocity) return {joined(rate, nuRate), joined(own, relative)};
  // Of a momentum f is b = p' + ad*_xi p, the part that the motion of the point does not account for.
  const Tuple dp = add(g_, carried(s, delta, fiber), nu);
  const Tuple b = sub(g_, a, carried(s, xi, fiber));
  const Tuple db = sub(g_, da, add(g_, carried(s, dxi, fiber), carried(s, xi, dp)));
  return {joined(rate, nuRate), joined(own, sub(g_, db, carried(s, delta, b)))};
}

Tuple TangentCoordinates::horizontal(const Tuple& y, const Tuple& z) {
  Tuple r;
  for (const PhaseSlot& s : phase_.slots()) append(r, horizontalOf(s, ofPoint(s, y), ofAlgebra(s, z)));
  return r;
}

Tuple TangentCoordinates::change(const Tuple& y, const Tuple& z) {
  Tuple r;
  for (const PhaseSlot& s : phase_.slots()) append(r, changeOf(s, ofPoint(s, y), ofAlgebra(s, z)));
  return r;
}

Tuple TangentCoordinates::coordinates(const Tuple& y, const Tuple& change) {
  Tuple r;
  for (const PhaseSlot& s : phase_.slots()) append(r, coordinatesOf(s, ofPoint(s, y), ofPoint(s, change)));
  return r;
}

Tuple TangentCoordinates::moved(const Tuple& y, const Tuple& z) {
  Tuple r;
  for (const PhaseSlot& s : phase_.slots()) append(r, movedOf(s, ofPoint(s, y), ofAlgebra(s, z)));
  return r;
}

Tuple TangentCoordinates::changeTransposed(const Tuple& y, const Tuple& covector) {
  Tuple r;
  for (const PhaseSlot& s : phase_.slots()) {
    const auto x = dummies(g_, s.algebraParts, "z");
    const Tuple own = ofPoint(s, y);
    const Tuple value = changeOf(s, own, horizontalOf(s, own, loads(g_, x, {})));
    append(r, transposedLinear(p_, value, x, ofPoint(s, covector)));
  }
  return r;
}

Tuple TangentCoordinates::coordinatesTransposed(const Tuple& y, const Tuple& covector) {
  Tuple r;
  for (const PhaseSlot& s : phase_.slots()) {
    const auto x = dummies(g_, s.pointParts, "d");
    const Tuple value = coordinatesOf(s, ofPoint(s, y), loads(g_, x, {}));
    append(r, transposedLinear(p_, value, x, ofAlgebra(s, covector)));
  }
  return r;
}

Tuple TangentCoordinates::field() {
  const Model& m = *system_.model;
  Tuple r;
  std::size_t slot = 0;
  for (const PhaseVariable& v : m.order) {
    const PhaseSlot& s = phase_.slots()[slot++];
    if (v.isFactor) {
      const Factor& f = m.factors[v.index];
      append(r, loads(g_, f.fiber == Fiber::Momentum ? f.rate : f.velocity, s.index));
      append(r, loads(g_, system_.factors[v.index].acceleration, s.index));
    } else if (s.kind == PhaseKind::State) {
      append(r, loads(g_, m.states[v.index].flow, s.index));
    } else {
      for (const DualEquations& e : system_.duals)
        if (e.state == v.index) append(r, loads(g_, e.derivative, s.index));
    }
  }
  return r;
}

Tuple TangentCoordinates::fieldCoordinates(const Tuple& y, const Tuple& field) {
  Tuple r;
  for (const PhaseSlot& s : phase_.slots()) {
    const auto [point, fiber] = pointHalves(s, ofPoint(s, y));
    const auto [xi, a] = algebraHalves(s, ofAlgebra(s, field));
    if (s.kind == PhaseKind::Dual || s.manifold->isGroup()) {
      append(r, joined(xi, a));
      continue;
    }
    const Tuple u = project(s, point, xi);
    append(r, u);
    if (carries(s)) append(r, projectFiber(s, point, sub(g_, a, carried(s, u, fiber))));
  }
  return r;
}

TangentCoordinates::Variation TangentCoordinates::variation(const Tuple& y, const Tuple& field, const Tuple& z,
                                                            const Tuple& df) {
  Variation r;
  for (const PhaseSlot& s : phase_.slots()) {
    const Variation own = variationOf(s, ofPoint(s, y), ofAlgebra(s, field), ofAlgebra(s, z), ofAlgebra(s, df));
    append(r.rate, own.rate);
    append(r.change, own.change);
  }
  return r;
}

TangentCoordinates::VariationCovector TangentCoordinates::variationTransposed(const Tuple& y, const Tuple& field,
                                                                              const Tuple& rate, const Tuple& change) {
  VariationCovector r;
  for (const PhaseSlot& s : phase_.slots()) {
    const auto z = dummies(g_, s.algebraParts, "z");
    const auto df = dummies(g_, s.algebraParts, "df");
    ArrayTuple both = z;
    both.insert(both.end(), df.begin(), df.end());
    const Variation own = variationOf(s, ofPoint(s, y), ofAlgebra(s, field), loads(g_, z, {}), loads(g_, df, {}));
    const Tuple d =
        transposedLinear(p_, joined(own.rate, own.change), both, joined(ofAlgebra(s, rate), ofAlgebra(s, change)));
    append(r.z, slice(d, 0, z.size()));
    append(r.df, slice(d, z.size(), df.size()));
  }
  return r;
}

} // namespace lmc
