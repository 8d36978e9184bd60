#include "methods/phase/PhaseGroup.h"

#include "sema/manifolds/Generator.h"

namespace lmc {

namespace {

/// The first n parts, and the others.
std::pair<Tuple, Tuple> split(const Tuple& t, std::size_t n) {
  const auto middle = t.begin() + static_cast<std::ptrdiff_t>(n);
  return {{t.begin(), middle}, {middle, t.end()}};
}

Tuple joined(Tuple a, const Tuple& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

} // namespace

Tuple PhaseGroup::moved(const Tuple& element, const Tuple& point) const {
  return m_.isGroup() ? calculus_.product(element, point) : required(m_, "action", {element, point});
}

/// Ad*_{A^-1} mu: a left action of A on the dual.
Tuple PhaseGroup::coact(const Tuple& element, const Tuple& mu) const {
  return calculus_.Adstar(calculus_.inverse(element), mu);
}

Tuple PhaseGroup::act(const Tuple& k, const Tuple& y, const std::string& retraction) const {
  if (kind_ == PhaseKind::Dual) return coact(calculus_.retract(retraction, k), y);
  const auto [u, a] = split(k, m_.algebra().size());
  const auto [point, fiber] = split(y, m_.point().size());
  const Tuple element = calculus_.retract(retraction, u);
  const Tuple next = moved(element, point);
  if (kind_ == PhaseKind::State) return next;
  if (kind_ == PhaseKind::Velocity && m_.isGroup()) return joined(next, add(g_, fiber, a));
  const Tuple carried = kind_ == PhaseKind::Velocity ? calculus_.Ad(element, fiber) : coact(element, fiber);
  // What is carried along is horizontal (vanishes along the isotropy) already: with it the projection costs one product
  // less, and round-off of its own goes too.
  const Tuple whole = add(g_, carried, second(retraction, u, a));
  return joined(next, kind_ == PhaseKind::Velocity ? horizontalProjection(p_, m_, next, whole, true)
                                                   : momentumProjection(p_, m_, next, whole, true));
}

/// The second part of the element that (u, a) is taken to: dF_u a in G ⋉ 𝔤, dF*_{-u} a in G ⋉ 𝔤*.
Tuple PhaseGroup::second(const std::string& retraction, const Tuple& u, const Tuple& a) const {
  if (kind_ == PhaseKind::Velocity) return calculus_.dretract(retraction, u, a);
  return calculus_.dretractT(retraction, scale(g_, sym::Number(-1), u), a);
}

Tuple PhaseGroup::bracket(const Tuple& k, const Tuple& l) const {
  const std::size_t n = m_.algebra().size();
  const auto [u, a] = split(k, n);
  const auto [v, b] = split(l, n);
  const Tuple first = calculus_.bracket(u, v);
  switch (kind_) {
  case PhaseKind::Velocity:
    if (m_.isGroup()) return joined(first, zero(g_, m_.algebra()));
    return joined(first, add(g_, calculus_.bracket(u, b), calculus_.bracket(a, v)));
  case PhaseKind::Momentum:
    return joined(first, sub(g_, calculus_.adstar(v, a), calculus_.adstar(u, b)));
  default:
    return first;
  }
}

Tuple PhaseGroup::dexpinv(const Tuple& k, const Tuple& l, const DexpinvCut& cut) const {
  const std::size_t n = m_.algebra().size();
  const auto [u, a] = split(k, n);
  const auto [v, b] = split(l, n);
  switch (kind_) {
  case PhaseKind::Velocity: {
    const Tuple first = calculus_.dexpinv(u, v, cut);
    if (m_.isGroup()) return joined(first, b);
    // G ⋉ 𝔤 is the group over the dual numbers: dexpinv_{u + eps a}(v + eps b).
    const auto w = dummies(g_, m_.algebra(), "u");
    const Tuple slope = directional(p_, calculus_.dexpinv(loads(g_, w, {}), v, cut), w, a, u);
    return joined(first, add(g_, slope, calculus_.dexpinv(u, b, cut)));
  }
  case PhaseKind::Momentum:
    if (cut.exact && calculus_.exactDexpinv()) return cotangentDexpinv(u, a, v, b, cut);
    return dexpinvSeries(g_, l, cut, [&](const Tuple& x) { return bracket(k, x); });
  default:
    return calculus_.dexpinv(u, v, cut);
  }
}

Tuple PhaseGroup::dretract(const std::string& retraction, const Tuple& k, const Tuple& l) const {
  const std::size_t n = m_.algebra().size();
  const auto [u, a] = split(k, n);
  const auto [v, b] = split(l, n);
  const Tuple first = calculus_.dretract(retraction, u, v);
  if (kind_ == PhaseKind::State || kind_ == PhaseKind::Dual) return first;
  if (kind_ == PhaseKind::Velocity && m_.isGroup()) return joined(first, b);
  const auto x = dummies(g_, m_.algebra(), "u");
  if (kind_ == PhaseKind::Velocity) { // the group over the dual numbers
    const Tuple slope = directional(p_, calculus_.dretract(retraction, loads(g_, x, {}), v), x, a, u);
    return joined(first, add(g_, slope, calculus_.dretract(retraction, u, b)));
  }
  // as below, with F for exp
  const Tuple slope = directional(p_, second(retraction, loads(g_, x, {}), a), x, v, u);
  const Tuple sum = add(g_, slope, second(retraction, u, b));
  return joined(first, add(g_, sum, calculus_.adstar(first, second(retraction, u, a))));
}

Tuple PhaseGroup::dretractinv(const std::string& retraction, const Tuple& k, const Tuple& l) const {
  const std::size_t n = m_.algebra().size();
  const auto [u, a] = split(k, n);
  const auto [v, b] = split(l, n);
  const Tuple first = calculus_.dretractinv(retraction, u, v);
  if (kind_ == PhaseKind::State || kind_ == PhaseKind::Dual) return first;
  if (kind_ == PhaseKind::Velocity && m_.isGroup()) return joined(first, b);
  // What (first, 0) gives in the second part is taken off before the second part is solved for.
  const Tuple given = split(dretract(retraction, k, joined(first, zero(g_, m_.algebra()))), n).second;
  const Tuple rest = sub(g_, b, given);
  if (kind_ == PhaseKind::Velocity) return joined(first, calculus_.dretractinv(retraction, u, rest));
  return joined(first, calculus_.dretractinvT(retraction, scale(g_, sym::Number(-1), u), rest));
}

Tuple PhaseGroup::Ad(const std::string& retraction, const Tuple& k, const Tuple& l) const {
  const std::size_t n = m_.algebra().size();
  const auto [u, a] = split(k, n);
  const auto [v, b] = split(l, n);
  const Tuple element = calculus_.retract(retraction, u);
  const Tuple first = calculus_.Ad(element, v);
  if (kind_ == PhaseKind::State || kind_ == PhaseKind::Dual) return first;
  if (kind_ == PhaseKind::Velocity && m_.isGroup()) return joined(first, b);
  const Tuple m = second(retraction, u, a);
  if (kind_ == PhaseKind::Velocity)
    return joined(first, add(g_, calculus_.Ad(element, b), calculus_.bracket(m, first)));
  return joined(first, add(g_, coact(element, b), calculus_.adstar(first, m)));
}

/// With m = dexp*_{-u} a, so that exp(u, a) = (exp u, m), the derivative of exp is
///
///   dexp_{(u,a)}(w, c) = (v, D_u(dexp*_{-u} a)[w] + dexp*_{-u} c + ad*_v m),   v = dexp_u w,
///
/// since (exp u, m)^-1 = (exp(-u), -Ad*_{exp u} m). Solved for (w, c), using dexpinv*_{-u} dexp*_{-u} = 1 under the
/// derivative, dexpinv_{(u,a)}(v, b) = (w, dexpinv*_{-u}(b - ad*_v m) + D_u(dexpinv*_{-u} m)[w]) with m held fixed.
Tuple PhaseGroup::cotangentDexpinv(const Tuple& u, const Tuple& a, const Tuple& v, const Tuple& b,
                                   const DexpinvCut& cut) const {
  const sym::Number minus(-1);
  const Tuple back = scale(g_, minus, u);
  const Tuple w = calculus_.dexpinv(u, v, cut);
  const Tuple m = calculus_.dexpT(back, a);
  const auto x = dummies(g_, m_.algebra(), "u");
  const Tuple slope = directional(p_, calculus_.dexpinvT(scale(g_, minus, loads(g_, x, {})), m, cut), x, w, u);
  return joined(w, add(g_, slope, calculus_.dexpinvT(back, sub(g_, b, calculus_.adstar(v, m)), cut)));
}

} // namespace lmc
