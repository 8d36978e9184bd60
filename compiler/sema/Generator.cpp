#include "sema/Generator.h"

#include "sema/Tuples.h"
#include "sym/Rewrite.h"

namespace lmc {

using sym::Expr;

Tuple generator(sym::Program& program, const Manifold& manifold, Frame frame, const Tuple& point, const Tuple& xi) {
  sym::Graph& g = program.graph();
  const Manifold& group = manifold.group();
  const auto element = dummies(g, group.point(), "X");
  const auto q = dummies(g, manifold.point(), "q");
  const Tuple x = loads(g, element, {});
  const Tuple y = loads(g, q, {});
  const auto moved = !manifold.isGroup()    ? manifold.apply("action", {x, y})
                     : frame == Frame::Body ? manifold.apply("product", {y, x})
                                            : manifold.apply("product", {x, y});
  const auto change = group.apply("hat", {xi});
  const auto identity = group.apply("identity", {});
  if (!moved || !change || !identity) return zero(g, manifold.point());
  return replaceArrays(g, directional(program, *moved, element, *change, *identity), q, point);
}

namespace {
/// n n^T for the one condition that velocities satisfy, where the manifold's equations make it a number; else empty.
Expr knownSquare(sym::Program& program, const Manifold& manifold, const std::vector<const sym::Array*>& w) {
  sym::Graph& g = program.graph();
  const auto q = dummies(g, manifold.point(), "q");
  const auto held = manifold.apply("horizontal", {loads(g, q, {}), loads(g, w, {})});
  const Tuple n = transposed(program, {entries(g, *held)[0]}, w, {g.number(1)});
  const auto keep = [](const sym::Node&, const std::vector<Expr>&) { return Expr(); };
  sym::Rewriter known(g, keep, [&](const sym::Array*, const std::vector<Expr>&) {
    std::vector<std::pair<Expr, Expr>> equations;
    for (const HeldEquation& h : manifold.holds(loads(g, q, {}))) equations.emplace_back(h.left, h.right);
    return equations;
  });
  const Expr square = known(pairing(g, n, n));
  return square->isConst() && !square->isZero() ? square : Expr();
}
} // namespace

Tuple horizontalProjection(sym::Program& program, const Manifold& manifold, const Tuple& point, const Tuple& xi,
                           bool onManifold) {
  sym::Graph& g = program.graph();
  if (const auto projected = manifold.apply("project", {point, xi})) return *projected;
  const auto w = dummies(g, manifold.algebra(), "w");
  const auto held = manifold.apply("horizontal", {point, loads(g, w, {})});
  if (!held) return xi;
  // One row per scalar condition: its value at xi and its gradient n.
  std::vector<Expr> values;
  std::vector<Tuple> rows;
  for (const Expr& c : entries(g, *held)) {
    values.push_back(replaceArrays(g, {c}, w, xi)[0]);
    rows.push_back(transposed(program, {c}, w, {g.number(1)}));
  }
  std::vector<Expr> multipliers;
  if (rows.size() == 1) {
    const Expr known = onManifold ? knownSquare(program, manifold, w) : Expr();
    multipliers.push_back(g.div(values[0], known ? known : pairing(g, rows[0], rows[0])));
  } else {
    std::vector<Expr> products;
    for (const Tuple& a : rows) {
      for (const Tuple& b : rows) products.push_back(pairing(g, a, b));
    }
    const int n = static_cast<int>(rows.size());
    const Expr solution = g.solve(g.matrix(n, n, products), g.vector(values), true);
    for (int k = 0; k < n; ++k) multipliers.push_back(g.entry(solution, k));
  }
  Tuple result = xi;
  for (std::size_t r = 0; r < rows.size(); ++r) result = sub(g, result, scale(g, multipliers[r], rows[r]));
  return result;
}

} // namespace lmc
