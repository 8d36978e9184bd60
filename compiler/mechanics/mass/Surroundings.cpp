#include "mechanics/mass/Surroundings.h"

#include "sema/manifolds/Generator.h"
#include "sym/Fingerprint.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace lmc::mechanics {

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
      if (sym::Fingerprint::product(value, sym::Fingerprint::of(b)) == sym::Fingerprint::of(a))
        return g.number(sym::Number::ratio(a, b));
    }
  }
  return {};
}

/// s where T T^T x = s x for every change x = T xi of points on the manifold: found where s is a fraction times the
/// left side of an equation of `holds` with a number on its right. Compared as polynomials, so nothing is multiplied
/// out.
Expr numberOfChanges(Layer& s, const sema::Factor& f) {
  using sym::Fingerprint;
  sym::Program& p = s.program();
  Graph& g = p.graph();
  const sema::Manifold& manifold = *f.manifold;
  const sema::Tuple q = sema::loads(g, sema::dummies(g, manifold.point(), "q"), {});
  const sema::Tuple x =
      sema::generator(p, manifold, f.frame, q, sema::loads(g, sema::dummies(g, manifold.algebra(), "v"), {}));
  const sema::Tuple y = sema::generator(p, manifold, f.frame, q, generatorTransposed(p, manifold, false, q, x));
  sym::Fingerprint field{Expr(), 0};
  std::optional<sym::Fingerprint::Value> ratio;
  for (std::size_t part = 0; part < x.size(); ++part) {
    const std::vector<sym::Fingerprint::Value>&from = field.of(x[part]), &to = field.of(y[part]);
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (!ratio && from[k] != 0) ratio = sym::Fingerprint::product(to[k], sym::Fingerprint::inverse(from[k]));
      if (!ratio ? to[k] != 0 : sym::Fingerprint::product(*ratio, from[k]) != to[k]) return {};
    }
  }
  if (!ratio) return {};
  if (const Expr number = smallFraction(g, *ratio)) return number;
  for (const sema::HeldEquation& e : manifold.holds(q)) {
    if (e.left->shape.rank != 0 || !e.right->isConst() || e.right->isZero()) continue;
    const sym::Fingerprint::Value left = field.of(e.left)[0];
    if (const Expr number = smallFraction(g, sym::Fingerprint::product(*ratio, sym::Fingerprint::inverse(left))))
      return g.mul(number, e.right);
  }
  return {};
}

/// The horizontal xi that fits T xi = change best. Where T^T T is a number s on horizontal elements, T^T change/s;
/// where a projection is declared and T T^T is one on changes, that projected.
sema::Tuple horizontalVelocity(Layer& s, std::size_t k, const std::vector<Expr>& index, const sema::Tuple& change) {
  sym::Program& p = s.program();
  Graph& g = p.graph();
  const sema::Factor& f = s.model.factors[k];
  const sema::Tuple point = sema::loads(g, f.point, index);
  const sema::Tuple v = sema::loads(g, s.system.direction[k], index);
  const sema::Tuple square = s.simplified(
      generatorTransposed(p, *f.manifold, false, point, sema::generator(p, *f.manifold, f.frame, point, v)));
  const Expr number = square.size() == 1 ? multipleOf(g, square[0], v[0]) : Expr();
  if (const Expr ofChanges = number || !f.manifold->gives("project") ? Expr() : numberOfChanges(s, f)) {
    const sema::Tuple xi = generatorTransposed(p, *f.manifold, false, point, change);
    return s.simplified(
        sema::scale(g, g.div(g.number(1), ofChanges), sema::horizontalProjection(p, *f.manifold, point, xi, true)));
  }
  if (!number) return s.simplified(velocityOf(p, *f.manifold, false, point, change));
  const sema::Tuple xi = s.simplified(generatorTransposed(p, *f.manifold, false, point, change));
  return sema::scale(g, g.div(g.number(1), number), xi);
}

} // namespace

std::optional<HeldPoint> heldPoint(Layer& s, const sema::Factor& f) {
  sym::Program& p = s.program();
  Graph& g = p.graph();
  const sema::Manifold& manifold = *f.manifold;
  if (f.fiber != sema::Fiber::Velocity || manifold.point().size() != 1 || manifold.point()[0].shape.rank > 1) return {};
  HeldPoint h;
  h.point = sema::dummies(g, manifold.point(), f.name)[0];
  h.rate = sema::dummies(g, manifold.point(), f.name + "'")[0];
  const sema::Tuple q{g.load(h.point)};
  if (manifold.isGroup()) {
    if (manifold.algebra().size() != 1 || manifold.algebra()[0].shape != h.point->shape) return {};
    const sema::Tuple xi = sema::loads(g, sema::dummies(g, manifold.algebra(), "xi"), {});
    if (s.simplified(sema::generator(p, manifold, f.frame, q, xi)) != xi) return {};
    return h;
  }
  const auto dimension = manifold.dimension();
  if (!dimension) return {};
  for (const sema::HeldEquation& e : manifold.holds(q)) {
    for (const Expr& c : sema::entries(g, {g.sub(e.left, e.right)})) {
      h.normals.push_back(primitive(sema::transposed(p, {c}, {h.point}, {g.number(1)})[0]));
      const Expr along = sema::pairing(g, {h.normals.back()}, {g.load(h.rate)});
      h.curvatures.push_back(sema::directional(p, {along}, {h.point}, {g.load(h.rate)}, q)[0]);
    }
  }
  if (static_cast<int>(h.normals.size()) != h.point->shape.size() - *dimension) return {};
  return h;
}

sema::Tuple rateOf(Layer& s, std::size_t k, const std::vector<Expr>& index) {
  sym::Program& p = s.program();
  const sema::Factor& f = s.model.factors[k];
  return s.simplified(sema::generator(p, *f.manifold, f.frame, sema::loads(p.graph(), f.point, index),
                                      sema::loads(p.graph(), f.velocity, index)));
}

sema::Tuple accelerationOf(Layer& s, std::size_t k, const std::vector<Expr>& index, const sema::Tuple& change) {
  sym::Program& p = s.program();
  Graph& g = p.graph();
  const sema::Factor& f = s.model.factors[k];
  if (f.manifold->isGroup()) return change;
  const auto q = sema::dummies(g, f.manifold->point(), "q");
  const sema::Tuple moving =
      sema::generator(p, *f.manifold, f.frame, sema::loads(g, q, {}), sema::loads(g, f.velocity, index));
  const sema::Tuple turned = sema::directional(p, moving, q, rateOf(s, k, index), sema::loads(g, f.point, index));
  return sema::sub(g, horizontalVelocity(s, k, index, change), horizontalVelocity(s, k, index, turned));
}

std::int64_t numbersAround(const sema::Model& model, const std::vector<std::size_t>& group) {
  std::int64_t numbers = 0, unknowns = 0;
  for (const std::size_t k : group) {
    const sema::Factor& f = model.factors[k];
    const std::int64_t members = std::max<std::int64_t>(f.extent, 1);
    for (const sema::Part& part : f.manifold->point()) numbers += members * part.shape.size();
    unknowns += members * f.manifold->algebraSize();
  }
  return 2 * numbers <= unknowns ? numbers : std::numeric_limits<std::int64_t>::max();
}

Expr surroundingForce(Layer& s, const ExternalForces& external, std::size_t k) {
  sym::Program& p = s.program();
  const sema::Factor& f = s.model.factors[k];
  sema::Tuple total = external.slope(k);
  const sema::Tuple direct = external.direct(k);
  if (!sema::isZero(direct)) {
    const FactorEquations& e = s.system.factors[k];
    const sema::Tuple xi =
        f.manifold->isGroup() ? direct : sema::metricInverse(p, *f.manifold, sema::Frame::Space, e.point, direct);
    total = sema::add(p.graph(), total, sema::generator(p, *f.manifold, f.frame, e.point, xi));
  }
  return s.simplified(total)[0];
}

void seedMotion(Layer& s, sym::Tangent& tangent, const std::vector<std::size_t>& held) {
  sym::Program& p = s.program();
  Graph& g = p.graph();
  for (std::size_t k = 0; k < s.model.factors.size(); ++k) {
    if (std::find(held.begin(), held.end(), k) != held.end()) continue;
    const sema::Factor& f = s.model.factors[k];
    for (std::size_t part = 0; part < f.point.size(); ++part) {
      tangent.seed(f.point[part], [&p, &g, &f, part](const std::vector<Expr>& index) {
        return sema::generator(p, *f.manifold, f.frame, sema::loads(g, f.point, index),
                               sema::loads(g, f.velocity, index))[part];
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

} // namespace lmc::mechanics
