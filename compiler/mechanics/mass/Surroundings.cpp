#include "mechanics/mass/Surroundings.h"

#include "sema/manifolds/Generator.h"
#include "sym/Fingerprint.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace lmc {

using sym::Expr;
using sym::Graph;

namespace {

/// Without a constant in front, which the multiplier takes up.
Expr primitive(Expr normal) {
  return normal->op == sym::Op::Mul && normal->args[0]->isConst() ? normal->args[1] : normal;
}

/// The fraction a/b of small numbers that has this value in the field; empty if there is none.
Expr smallFraction(Graph& g, sym::Fingerprint::Value value) {
  using sym::Fingerprint;
  constexpr std::int64_t largest = 16;
  for (std::int64_t b = 1; b <= largest; ++b) {
    for (std::int64_t a = 1; a <= largest; ++a) {
      if (Fingerprint::product(value, Fingerprint::of(b)) == Fingerprint::of(a))
        return g.number(sym::Number::ratio(a, b));
    }
  }
  return {};
}

/// s where T T^T x = s x for every change x = T xi of points on the manifold: found where s is a fraction times the
/// left side of an equation of `holds` with a number on its right. Compared as polynomials, so nothing is multiplied
/// out.
Expr numberOfChanges(Layer& s, const Factor& f) {
  using sym::Fingerprint;
  sym::Program& p = s.program();
  Graph& g = p.graph();
  const Manifold& manifold = *f.manifold;
  const Tuple q = loads(g, dummies(g, manifold.point(), "q"), {});
  const Tuple x = generator(p, manifold, f.frame, q, loads(g, dummies(g, manifold.algebra(), "v"), {}));
  const Tuple y = generator(p, manifold, f.frame, q, generatorTransposed(p, manifold, false, q, x));
  Fingerprint field{Expr(), 0};
  std::optional<Fingerprint::Value> ratio;
  for (std::size_t part = 0; part < x.size(); ++part) {
    const std::vector<Fingerprint::Value>&from = field.of(x[part]), &to = field.of(y[part]);
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (!ratio && from[k] != 0) ratio = Fingerprint::product(to[k], Fingerprint::inverse(from[k]));
      if (!ratio ? to[k] != 0 : Fingerprint::product(*ratio, from[k]) != to[k]) return {};
    }
  }
  if (!ratio) return {};
  if (const Expr number = smallFraction(g, *ratio)) return number;
  for (const HeldEquation& e : manifold.holds(q)) {
    if (e.left->shape.rank != 0 || !e.right->isConst() || e.right->isZero()) continue;
    const Fingerprint::Value left = field.of(e.left)[0];
    if (const Expr number = smallFraction(g, Fingerprint::product(*ratio, Fingerprint::inverse(left))))
      return g.mul(number, e.right);
  }
  return {};
}

/// The horizontal xi that fits T xi = change best. Where T^T T is a number s on horizontal elements, T^T change/s;
/// where a projection is declared and T T^T is one on changes, that projected.
Tuple horizontalVelocity(Layer& s, std::size_t k, const std::vector<Expr>& index, const Tuple& change) {
  sym::Program& p = s.program();
  Graph& g = p.graph();
  const Factor& f = s.model.factors[k];
  const Tuple point = loads(g, f.point, index);
  const Tuple v = loads(g, s.system.direction[k], index);
  const Tuple square =
      s.simplified(generatorTransposed(p, *f.manifold, false, point, generator(p, *f.manifold, f.frame, point, v)));
  const Expr number = square.size() == 1 ? multipleOf(g, square[0], v[0]) : Expr();
  if (const Expr ofChanges = number || !f.manifold->gives("project") ? Expr() : numberOfChanges(s, f)) {
    const Tuple xi = generatorTransposed(p, *f.manifold, false, point, change);
    return s.simplified(scale(g, g.div(g.number(1), ofChanges), horizontalProjection(p, *f.manifold, point, xi, true)));
  }
  if (!number) return s.simplified(velocityOf(p, *f.manifold, false, point, change));
  const Tuple xi = s.simplified(generatorTransposed(p, *f.manifold, false, point, change));
  return scale(g, g.div(g.number(1), number), xi);
}

} // namespace

std::optional<HeldPoint> heldPoint(Layer& s, const Factor& f) {
  sym::Program& p = s.program();
  Graph& g = p.graph();
  const Manifold& manifold = *f.manifold;
  if (f.fiber != Fiber::Velocity || manifold.point().size() != 1 || manifold.point()[0].shape.rank > 1) return {};
  HeldPoint h;
  h.point = dummies(g, manifold.point(), f.name)[0];
  h.rate = dummies(g, manifold.point(), f.name + "'")[0];
  const Tuple q{g.load(h.point)};
  if (manifold.isGroup()) {
    if (manifold.algebra().size() != 1 || manifold.algebra()[0].shape != h.point->shape) return {};
    const Tuple xi = loads(g, dummies(g, manifold.algebra(), "xi"), {});
    if (s.simplified(generator(p, manifold, f.frame, q, xi)) != xi) return {};
    return h;
  }
  const auto dimension = manifold.dimension();
  if (!dimension) return {};
  for (const HeldEquation& e : manifold.holds(q)) {
    for (const Expr& c : entries(g, {g.sub(e.left, e.right)})) {
      h.normals.push_back(primitive(transposed(p, {c}, {h.point}, {g.number(1)})[0]));
      const Expr along = pairing(g, {h.normals.back()}, {g.load(h.rate)});
      h.curvatures.push_back(directional(p, {along}, {h.point}, {g.load(h.rate)}, q)[0]);
    }
  }
  if (static_cast<int>(h.normals.size()) != h.point->shape.size() - *dimension) return {};
  return h;
}

Tuple rateOf(Layer& s, std::size_t k, const std::vector<Expr>& index) {
  sym::Program& p = s.program();
  const Factor& f = s.model.factors[k];
  return s.simplified(
      generator(p, *f.manifold, f.frame, loads(p.graph(), f.point, index), loads(p.graph(), f.velocity, index)));
}

Tuple accelerationOf(Layer& s, std::size_t k, const std::vector<Expr>& index, const Tuple& change) {
  sym::Program& p = s.program();
  Graph& g = p.graph();
  const Factor& f = s.model.factors[k];
  if (f.manifold->isGroup()) return change;
  const auto q = dummies(g, f.manifold->point(), "q");
  const Tuple moving = generator(p, *f.manifold, f.frame, loads(g, q, {}), loads(g, f.velocity, index));
  const Tuple turned = directional(p, moving, q, rateOf(s, k, index), loads(g, f.point, index));
  return sub(g, horizontalVelocity(s, k, index, change), horizontalVelocity(s, k, index, turned));
}

std::int64_t numbersAround(const Model& model, const std::vector<std::size_t>& group) {
  std::int64_t numbers = 0, unknowns = 0;
  for (const std::size_t k : group) {
    const Factor& f = model.factors[k];
    const std::int64_t members = std::max<std::int64_t>(f.extent, 1);
    for (const Part& part : f.manifold->point()) numbers += members * part.shape.size();
    unknowns += members * f.manifold->algebraSize();
  }
  return 2 * numbers <= unknowns ? numbers : std::numeric_limits<std::int64_t>::max();
}

Expr surroundingForce(Layer& s, const ExternalForces& external, std::size_t k) {
  sym::Program& p = s.program();
  const Factor& f = s.model.factors[k];
  Tuple total = external.slope(k);
  const Tuple direct = external.direct(k);
  if (!isZero(direct)) {
    const FactorEquations& e = s.system.factors[k];
    const Tuple xi = f.manifold->isGroup() ? direct : metricInverse(p, *f.manifold, Frame::Space, e.point, direct);
    total = add(p.graph(), total, generator(p, *f.manifold, f.frame, e.point, xi));
  }
  return s.simplified(total)[0];
}

void seedMotion(Layer& s, sym::Tangent& tangent, const std::vector<std::size_t>& held) {
  sym::Program& p = s.program();
  Graph& g = p.graph();
  for (std::size_t k = 0; k < s.model.factors.size(); ++k) {
    if (std::find(held.begin(), held.end(), k) != held.end()) continue;
    const Factor& f = s.model.factors[k];
    for (std::size_t part = 0; part < f.point.size(); ++part) {
      tangent.seed(f.point[part], [&p, &g, &f, part](const std::vector<Expr>& index) {
        return generator(p, *f.manifold, f.frame, loads(g, f.point, index), loads(g, f.velocity, index))[part];
      });
    }
  }
  tangent.seed(s.model.time, [&g](const std::vector<Expr>&) { return g.number(1); });
}

Expr multipleOf(Graph& g, Expr e, Expr v) {
  if (e == v) return g.number(1);
  const auto readsArray = [v](const sym::Node& n) { return n.array == v->array; };
  const bool multiple = e->op == sym::Op::Mul && e->args[1] == v && !sym::contains(e->args[0], readsArray);
  return multiple ? e->args[0] : Expr();
}

Expr coordinate(Graph& g, Expr e, int c) {
  if (e->shape.rank == 0) return e;
  if (e->op == sym::Op::Add) {
    Expr sum = g.number(0);
    for (const Expr& term : e->args) sum = g.add(sum, coordinate(g, term, c));
    return sum;
  }
  if (e->op == sym::Op::Mul) return g.mul(e->args[0], coordinate(g, e->args[1], c));
  return g.entry(e, c);
}

} // namespace lmc
