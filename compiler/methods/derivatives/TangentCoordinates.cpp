#include "methods/derivatives/TangentCoordinates.h"

#include "sema/manifolds/Generator.h"

namespace lmc::methods {

/// Of a point: point and fiber; of an algebra element: what moves the point and what moves the fiber. One is empty
/// where a variable has no such part.
struct TangentCoordinates::Halves {
  sema::Tuple first, second;
};

namespace {

sema::Tuple joined(sema::Tuple a, const sema::Tuple& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void append(sema::Tuple& a, const sema::Tuple& b) {
  a.insert(a.end(), b.begin(), b.end());
}

sema::Tuple ofPoint(const PhaseSlot& s, const sema::Tuple& y) {
  return sema::part(y, s.pointOffset, s.pointParts.size());
}

sema::Tuple ofAlgebra(const PhaseSlot& s, const sema::Tuple& z) {
  return sema::part(z, s.algebraOffset, s.algebraParts.size());
}

/// Velocity and momentum are carried along when a point of a homogeneous manifold moves.
bool carries(const PhaseSlot& s) {
  return !s.manifold->isGroup() && (s.kind == PhaseKind::Velocity || s.kind == PhaseKind::Momentum);
}

bool hasPoint(const PhaseSlot& s) {
  return s.kind != PhaseKind::Dual;
}

} // namespace

TangentCoordinates::TangentCoordinates(mechanics::Layer& layer)
    : system_(layer.system), p_(layer.program()), g_(p_.graph()), phase_(layer) {}

TangentCoordinates::Halves TangentCoordinates::pointHalves(const PhaseSlot& s, const sema::Tuple& y) const {
  return {sema::part(y, 0, s.pointCount), sema::part(y, s.pointCount, y.size() - s.pointCount)};
}

TangentCoordinates::Halves TangentCoordinates::algebraHalves(const PhaseSlot& s, const sema::Tuple& z) const {
  const std::size_t n = hasPoint(s) ? s.manifold->algebra().size() : 0;
  return {sema::part(z, 0, n), sema::part(z, n, z.size() - n)};
}

sema::Tuple TangentCoordinates::project(const PhaseSlot& s, const sema::Tuple& point, const sema::Tuple& u) {
  return s.manifold->isGroup() ? u : sema::horizontalProjection(p_, *s.manifold, point, u);
}

sema::Tuple TangentCoordinates::projectFiber(const PhaseSlot& s, const sema::Tuple& point, const sema::Tuple& nu) {
  if (s.manifold->isGroup() || s.kind != PhaseKind::Momentum) return project(s, point, nu);
  return sema::momentumProjection(p_, *s.manifold, point, nu);
}

sema::Tuple TangentCoordinates::carried(const PhaseSlot& s, const sema::Tuple& u, const sema::Tuple& v) {
  const GroupCalculus calculus(p_, *s.manifold, s.handed);
  if (s.kind == PhaseKind::Momentum) return sema::scale(g_, sym::Number(-1), calculus.adstar(u, v));
  return calculus.bracket(u, v);
}

/// On a group exact for a change that is tangent: the change of g^-1 y, or of y g^-1 in space, at y = g.
sema::Tuple TangentCoordinates::pointCoordinates(const PhaseSlot& s, const sema::Tuple& point,
                                                 const sema::Tuple& change) {
  const sema::Manifold& m = *s.manifold;
  const bool body = s.handed == Handed::Opposite;
  if (!m.isGroup()) return mechanics::velocityOf(p_, m, body, point, change);
  const auto x = sema::dummies(g_, m.point(), "x");
  const sema::Tuple back = mechanics::required(m, "inverse", {point});
  const sema::Tuple moved = body ? mechanics::required(m, "product", {back, sema::loads(g_, x, {})})
                                 : mechanics::required(m, "product", {sema::loads(g_, x, {}), back});
  return mechanics::veeAtIdentity(m, sema::directional(p_, moved, x, change, point));
}

sema::Tuple TangentCoordinates::horizontalOf(const PhaseSlot& s, const sema::Tuple& y, const sema::Tuple& z) {
  if (s.manifold->isGroup()) return z;
  const sema::Tuple point = pointHalves(s, y).first;
  const Halves h = algebraHalves(s, z);
  return joined(project(s, point, h.first), h.second.empty() ? sema::Tuple{} : projectFiber(s, point, h.second));
}

sema::Tuple TangentCoordinates::changeOf(const PhaseSlot& s, const sema::Tuple& y, const sema::Tuple& z) {
  if (!hasPoint(s)) return z;
  const auto [point, fiber] = pointHalves(s, y);
  const auto [delta, nu] = algebraHalves(s, z);
  const sema::Frame frame = s.handed == Handed::Opposite ? sema::Frame::Body : sema::Frame::Space;
  const sema::Tuple moved = sema::generator(p_, *s.manifold, frame, point, delta);
  return joined(moved, carries(s) ? sema::add(g_, carried(s, delta, fiber), nu) : nu);
}

sema::Tuple TangentCoordinates::coordinatesOf(const PhaseSlot& s, const sema::Tuple& y, const sema::Tuple& change) {
  if (!hasPoint(s)) return change;
  const auto [point, fiber] = pointHalves(s, y);
  const auto [movedPoint, movedFiber] = pointHalves(s, change);
  const sema::Tuple delta = pointCoordinates(s, point, movedPoint);
  if (!carries(s)) return joined(delta, movedFiber);
  return joined(delta, projectFiber(s, point, sema::sub(g_, movedFiber, carried(s, delta, fiber))));
}

sema::Tuple TangentCoordinates::movedOf(const PhaseSlot& s, const sema::Tuple& y, const sema::Tuple& z) {
  if (!hasPoint(s)) return sema::add(g_, y, z);
  if (carries(s)) return PhaseGroup(p_, *s.manifold, s.kind, s.handed).act(z, y);
  const auto [point, fiber] = pointHalves(s, y);
  const auto [delta, nu] = algebraHalves(s, z);
  const sema::Tuple moved = PhaseGroup(p_, *s.manifold, PhaseKind::State, s.handed).act(delta, point);
  return joined(moved, sema::add(g_, fiber, nu));
}

TangentCoordinates::Variation TangentCoordinates::variationOf(const PhaseSlot& s, const sema::Tuple& y,
                                                              const sema::Tuple& field, const sema::Tuple& z,
                                                              const sema::Tuple& df) {
  if (!hasPoint(s)) return {df, df};
  const auto [point, fiber] = pointHalves(s, y);
  const auto [xi, a] = algebraHalves(s, field);
  const auto [delta, nu] = algebraHalves(s, z);
  const auto [dxi, da] = algebraHalves(s, df);
  const GroupCalculus calculus(p_, *s.manifold, s.handed);
  const sema::Tuple turn = calculus.bracket(xi, delta);
  const sema::Tuple rate = sema::add(g_, project(s, point, dxi), turn);
  if (s.manifold->isGroup()) return {joined(rate, da), joined(dxi, da)};
  const sema::Tuple own = project(s, point, sema::add(g_, dxi, turn));
  if (!carries(s)) return {rate, own};
  const sema::Tuple relative = sema::sub(g_, da, carried(s, delta, a));
  const sema::Tuple nuRate = sema::sub(g_, relative, carried(s, rate, fiber));
  if (s.kind == PhaseKind::Velocity) return {joined(rate, nuRate), joined(own, relative)};
  // Of a momentum f is b = p' + ad*_xi p, the part that the motion of the point does not account for.
  const sema::Tuple dp = sema::add(g_, carried(s, delta, fiber), nu);
  const sema::Tuple b = sema::sub(g_, a, carried(s, xi, fiber));
  const sema::Tuple db = sema::sub(g_, da, sema::add(g_, carried(s, dxi, fiber), carried(s, xi, dp)));
  return {joined(rate, nuRate), joined(own, sema::sub(g_, db, carried(s, delta, b)))};
}

sema::Tuple TangentCoordinates::horizontal(const sema::Tuple& y, const sema::Tuple& z) {
  sema::Tuple r;
  for (const PhaseSlot& s : phase_.slots()) append(r, horizontalOf(s, ofPoint(s, y), ofAlgebra(s, z)));
  return r;
}

sema::Tuple TangentCoordinates::change(const sema::Tuple& y, const sema::Tuple& z) {
  sema::Tuple r;
  for (const PhaseSlot& s : phase_.slots()) append(r, changeOf(s, ofPoint(s, y), ofAlgebra(s, z)));
  return r;
}

sema::Tuple TangentCoordinates::coordinates(const sema::Tuple& y, const sema::Tuple& change) {
  sema::Tuple r;
  for (const PhaseSlot& s : phase_.slots()) append(r, coordinatesOf(s, ofPoint(s, y), ofPoint(s, change)));
  return r;
}

sema::Tuple TangentCoordinates::moved(const sema::Tuple& y, const sema::Tuple& z) {
  sema::Tuple r;
  for (const PhaseSlot& s : phase_.slots()) append(r, movedOf(s, ofPoint(s, y), ofAlgebra(s, z)));
  return r;
}

sema::Tuple TangentCoordinates::changeTransposed(const sema::Tuple& y, const sema::Tuple& covector) {
  sema::Tuple r;
  for (const PhaseSlot& s : phase_.slots()) {
    const auto x = sema::dummies(g_, s.algebraParts, "z");
    const sema::Tuple own = ofPoint(s, y);
    const sema::Tuple value = changeOf(s, own, horizontalOf(s, own, sema::loads(g_, x, {})));
    append(r, sema::transposedLinear(p_, value, x, ofPoint(s, covector)));
  }
  return r;
}

sema::Tuple TangentCoordinates::coordinatesTransposed(const sema::Tuple& y, const sema::Tuple& covector) {
  sema::Tuple r;
  for (const PhaseSlot& s : phase_.slots()) {
    const auto x = sema::dummies(g_, s.pointParts, "d");
    const sema::Tuple value = coordinatesOf(s, ofPoint(s, y), sema::loads(g_, x, {}));
    append(r, sema::transposedLinear(p_, value, x, ofAlgebra(s, covector)));
  }
  return r;
}

sema::Tuple TangentCoordinates::field() {
  const sema::Model& m = *system_.model;
  sema::Tuple r;
  std::size_t slot = 0;
  for (const sema::PhaseVariable& v : m.order) {
    const PhaseSlot& s = phase_.slots()[slot++];
    if (v.isFactor) {
      const sema::Factor& f = m.factors[v.index];
      append(r, sema::loads(g_, f.fiber == sema::Fiber::Momentum ? f.rate : f.velocity, s.index));
      append(r, sema::loads(g_, system_.factors[v.index].acceleration, s.index));
    } else if (s.kind == PhaseKind::State) {
      append(r, sema::loads(g_, m.states[v.index].flow, s.index));
    } else {
      for (const mechanics::DualEquations& e : system_.duals)
        if (e.state == v.index) append(r, sema::loads(g_, e.derivative, s.index));
    }
  }
  return r;
}

sema::Tuple TangentCoordinates::fieldCoordinates(const sema::Tuple& y, const sema::Tuple& field) {
  sema::Tuple r;
  for (const PhaseSlot& s : phase_.slots()) {
    const auto [point, fiber] = pointHalves(s, ofPoint(s, y));
    const auto [xi, a] = algebraHalves(s, ofAlgebra(s, field));
    if (s.kind == PhaseKind::Dual || s.manifold->isGroup()) {
      append(r, joined(xi, a));
      continue;
    }
    const sema::Tuple u = project(s, point, xi);
    append(r, u);
    if (carries(s)) append(r, projectFiber(s, point, sema::sub(g_, a, carried(s, u, fiber))));
  }
  return r;
}

TangentCoordinates::Variation TangentCoordinates::variation(const sema::Tuple& y, const sema::Tuple& field,
                                                            const sema::Tuple& z, const sema::Tuple& df) {
  Variation r;
  for (const PhaseSlot& s : phase_.slots()) {
    const Variation own = variationOf(s, ofPoint(s, y), ofAlgebra(s, field), ofAlgebra(s, z), ofAlgebra(s, df));
    append(r.rate, own.rate);
    append(r.change, own.change);
  }
  return r;
}

TangentCoordinates::VariationCovector TangentCoordinates::variationTransposed(const sema::Tuple& y,
                                                                              const sema::Tuple& field,
                                                                              const sema::Tuple& rate,
                                                                              const sema::Tuple& change) {
  VariationCovector r;
  for (const PhaseSlot& s : phase_.slots()) {
    const auto z = sema::dummies(g_, s.algebraParts, "z");
    const auto df = sema::dummies(g_, s.algebraParts, "df");
    sema::ArrayTuple both = z;
    both.insert(both.end(), df.begin(), df.end());
    const Variation own =
        variationOf(s, ofPoint(s, y), ofAlgebra(s, field), sema::loads(g_, z, {}), sema::loads(g_, df, {}));
    const sema::Tuple d = sema::transposedLinear(p_, joined(own.rate, own.change), both,
                                                 joined(ofAlgebra(s, rate), ofAlgebra(s, change)));
    append(r.z, sema::part(d, 0, z.size()));
    append(r.df, sema::part(d, z.size(), df.size()));
  }
  return r;
}

} // namespace lmc::methods
