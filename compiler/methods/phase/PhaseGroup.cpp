#include "methods/phase/PhaseGroup.h"

#include "sema/manifolds/Generator.h"

namespace lmc::methods {

namespace {

/// The first n parts, and the others.
std::pair<sema::Tuple, sema::Tuple> split(const sema::Tuple& t, std::size_t n) {
  const auto middle = t.begin() + static_cast<std::ptrdiff_t>(n);
  return {{t.begin(), middle}, {middle, t.end()}};
}

sema::Tuple joined(sema::Tuple a, const sema::Tuple& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

} // namespace

sema::Tuple PhaseGroup::moved(const sema::Tuple& element, const sema::Tuple& point) const {
  return m_.isGroup() ? calculus_.product(element, point) : mechanics::required(m_, "action", {element, point});
}

/// Ad*_{A^-1} mu: a left action of A on the dual.
sema::Tuple PhaseGroup::coact(const sema::Tuple& element, const sema::Tuple& mu) const {
  return calculus_.Adstar(calculus_.inverse(element), mu);
}

sema::Tuple PhaseGroup::act(const sema::Tuple& k, const sema::Tuple& y, const std::string& retraction) const {
  if (kind_ == PhaseKind::Dual) return coact(calculus_.retract(retraction, k), y);
  const auto [u, a] = split(k, m_.algebra().size());
  const auto [point, fiber] = split(y, m_.point().size());
  const sema::Tuple element = calculus_.retract(retraction, u);
  sema::Tuple next = moved(element, point);
  if (kind_ == PhaseKind::State) return next;
  if (kind_ == PhaseKind::Velocity && m_.isGroup()) return joined(next, sema::add(g_, fiber, a));
  const sema::Tuple carried = kind_ == PhaseKind::Velocity ? calculus_.Ad(element, fiber) : coact(element, fiber);
  // What is carried along is horizontal (vanishes along the isotropy) already: with it the projection costs one product
  // less, and round-off of its own goes too.
  const sema::Tuple whole = sema::add(g_, carried, second(retraction, u, a));
  return joined(next, kind_ == PhaseKind::Velocity ? sema::steadyProjection(p_, m_, next, whole, true)
                                                   : sema::steadyMomentumProjection(p_, m_, next, whole, true));
}

/// The second part of the element that (u, a) is taken to: dF_u a in G ⋉ 𝔤, dF*_{-u} a in G ⋉ 𝔤*.
sema::Tuple PhaseGroup::second(const std::string& retraction, const sema::Tuple& u, const sema::Tuple& a) const {
  if (kind_ == PhaseKind::Velocity) return calculus_.dretract(retraction, u, a);
  return calculus_.dretractT(retraction, sema::scale(g_, sym::Number(-1), u), a);
}

sema::Tuple PhaseGroup::bracket(const sema::Tuple& k, const sema::Tuple& l) const {
  const std::size_t n = m_.algebra().size();
  const auto [u, a] = split(k, n);
  const auto [v, b] = split(l, n);
  sema::Tuple first = calculus_.bracket(u, v);
  switch (kind_) {
  case PhaseKind::Velocity:
    if (m_.isGroup()) return joined(first, sema::zero(g_, m_.algebra()));
    return joined(first, sema::add(g_, calculus_.bracket(u, b), calculus_.bracket(a, v)));
  case PhaseKind::Momentum:
    return joined(first, sema::sub(g_, calculus_.adstar(v, a), calculus_.adstar(u, b)));
  default:
    return first;
  }
}

sema::Tuple PhaseGroup::dexpinv(const sema::Tuple& k, const sema::Tuple& l, const DexpinvCut& cut) const {
  const std::size_t n = m_.algebra().size();
  const auto [u, a] = split(k, n);
  const auto [v, b] = split(l, n);
  switch (kind_) {
  case PhaseKind::Velocity: {
    const sema::Tuple first = calculus_.dexpinv(u, v, cut);
    if (m_.isGroup()) return joined(first, b);
    // G ⋉ 𝔤 is the group over the dual numbers: dexpinv_{u + eps a}(v + eps b).
    const auto w = sema::dummies(g_, m_.algebra(), "u");
    const sema::Tuple slope = sema::directional(p_, calculus_.dexpinv(sema::loads(g_, w, {}), v, cut), w, a, u);
    return joined(first, sema::add(g_, slope, calculus_.dexpinv(u, b, cut)));
  }
  case PhaseKind::Momentum:
    if (cut.exact && calculus_.exactDexpinv()) return cotangentDexpinv(u, a, v, b, cut);
    return dexpinvSeries(g_, l, cut, [&](const sema::Tuple& x) { return bracket(k, x); });
  default:
    return calculus_.dexpinv(u, v, cut);
  }
}

sema::Tuple PhaseGroup::dretract(const std::string& retraction, const sema::Tuple& k, const sema::Tuple& l) const {
  const std::size_t n = m_.algebra().size();
  const auto [u, a] = split(k, n);
  const auto [v, b] = split(l, n);
  sema::Tuple first = calculus_.dretract(retraction, u, v);
  if (kind_ == PhaseKind::State || kind_ == PhaseKind::Dual) return first;
  if (kind_ == PhaseKind::Velocity && m_.isGroup()) return joined(first, b);
  const auto x = sema::dummies(g_, m_.algebra(), "u");
  if (kind_ == PhaseKind::Velocity) { // the group over the dual numbers
    const sema::Tuple slope = sema::directional(p_, calculus_.dretract(retraction, sema::loads(g_, x, {}), v), x, a, u);
    return joined(first, sema::add(g_, slope, calculus_.dretract(retraction, u, b)));
  }
  // as below, with F for exp
  const sema::Tuple slope = sema::directional(p_, second(retraction, sema::loads(g_, x, {}), a), x, v, u);
  const sema::Tuple sum = sema::add(g_, slope, second(retraction, u, b));
  return joined(first, sema::add(g_, sum, calculus_.adstar(first, second(retraction, u, a))));
}

sema::Tuple PhaseGroup::dretractinv(const std::string& retraction, const sema::Tuple& k, const sema::Tuple& l) const {
  const std::size_t n = m_.algebra().size();
  const auto [u, a] = split(k, n);
  const auto [v, b] = split(l, n);
  sema::Tuple first = calculus_.dretractinv(retraction, u, v);
  if (kind_ == PhaseKind::State || kind_ == PhaseKind::Dual) return first;
  if (kind_ == PhaseKind::Velocity && m_.isGroup()) return joined(first, b);
  // What (first, 0) gives in the second part is taken off before the second part is solved for.
  const sema::Tuple given = split(dretract(retraction, k, joined(first, sema::zero(g_, m_.algebra()))), n).second;
  const sema::Tuple rest = sema::sub(g_, b, given);
  if (kind_ == PhaseKind::Velocity) return joined(first, calculus_.dretractinv(retraction, u, rest));
  return joined(first, calculus_.dretractinvT(retraction, sema::scale(g_, sym::Number(-1), u), rest));
}

sema::Tuple PhaseGroup::Ad(const std::string& retraction, const sema::Tuple& k, const sema::Tuple& l) const {
  const std::size_t n = m_.algebra().size();
  const auto [u, a] = split(k, n);
  const auto [v, b] = split(l, n);
  const sema::Tuple element = calculus_.retract(retraction, u);
  sema::Tuple first = calculus_.Ad(element, v);
  if (kind_ == PhaseKind::State || kind_ == PhaseKind::Dual) return first;
  if (kind_ == PhaseKind::Velocity && m_.isGroup()) return joined(first, b);
  const sema::Tuple m = second(retraction, u, a);
  if (kind_ == PhaseKind::Velocity)
    return joined(first, sema::add(g_, calculus_.Ad(element, b), calculus_.bracket(m, first)));
  return joined(first, sema::add(g_, coact(element, b), calculus_.adstar(first, m)));
}

/// With m = dexp*_{-u} a, so that exp(u, a) = (exp u, m), the derivative of exp is
///
///   dexp_{(u,a)}(w, c) = (v, D_u(dexp*_{-u} a)[w] + dexp*_{-u} c + ad*_v m),   v = dexp_u w,
///
/// since (exp u, m)^-1 = (exp(-u), -Ad*_{exp u} m). Solved for (w, c), using dexpinv*_{-u} dexp*_{-u} = 1 under the
/// derivative, dexpinv_{(u,a)}(v, b) = (w, dexpinv*_{-u}(b - ad*_v m) + D_u(dexpinv*_{-u} m)[w]) with m held fixed.
sema::Tuple PhaseGroup::cotangentDexpinv(const sema::Tuple& u, const sema::Tuple& a, const sema::Tuple& v,
                                         const sema::Tuple& b, const DexpinvCut& cut) const {
  const sym::Number minus(-1);
  const sema::Tuple back = sema::scale(g_, minus, u);
  const sema::Tuple w = calculus_.dexpinv(u, v, cut);
  const sema::Tuple m = calculus_.dexpT(back, a);
  const auto x = sema::dummies(g_, m_.algebra(), "u");
  const sema::Tuple slope =
      sema::directional(p_, calculus_.dexpinvT(sema::scale(g_, minus, sema::loads(g_, x, {})), m, cut), x, w, u);
  return joined(w, sema::add(g_, slope, calculus_.dexpinvT(back, sema::sub(g_, b, calculus_.adstar(v, m)), cut)));
}

} // namespace lmc::methods
