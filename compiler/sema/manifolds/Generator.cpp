#include "sema/manifolds/Generator.h"

#include "sema/values/Tuples.h"
#include "sym/Constant.h"
#include "sym/Rewrite.h"

#include <cmath>

namespace lmc::sema {

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

/// The conditions on velocities at a point: their values at xi and their gradients n.
struct Conditions {
  std::vector<Expr> values;
  std::vector<Tuple> rows;
};

/// The gradient of a condition.
Tuple conormalOf(sym::Program& program, Expr condition, const std::vector<const sym::Array*>& w) {
  return transposed(program, {condition}, w, {program.graph().number(1)});
}

/// For each condition a power of two by which its gradient at the base has a length near 1; empty where there is no
/// base. A condition says the same at any scale, but iterations that meet it together with others do not.
std::vector<sym::Number> scalesOf(sym::Program& program, const Manifold& manifold) {
  sym::Graph& g = program.graph();
  const auto base = manifold.gives("project") ? std::nullopt : manifold.apply("base", {});
  if (!base) return {};
  const auto w = dummies(g, manifold.algebra(), "w");
  const auto held = manifold.apply("horizontal", {*base, loads(g, w, {})});
  if (!held) return {};
  constexpr int usual = 4; // such lengths are left alone
  std::vector<sym::Number> scales;
  for (const Expr& c : entries(g, *held)) {
    double square = 0;
    for (const Expr& part : conormalOf(program, c, w)) {
      const auto numbers = sym::constantEntries(part);
      if (!numbers) return {};
      for (const sym::Number& x : *numbers) square += x.value() * x.value();
    }
    const double length = std::sqrt(square);
    const int exponent = std::isnormal(length) ? std::ilogb(length) : 0;
    scales.push_back(std::abs(exponent) <= usual ? sym::Number(1) : sym::Number::real(std::ldexp(1, -exponent)));
  }
  return scales;
}

Conditions conditionsAt(sym::Program& program, const Manifold& manifold, const Tuple& point, const Tuple* xi) {
  sym::Graph& g = program.graph();
  Conditions result;
  const auto w = dummies(g, manifold.algebra(), "w");
  const auto held = manifold.apply("horizontal", {point, loads(g, w, {})});
  if (!held) return result;
  const std::vector<Expr> list = entries(g, *held);
  const std::vector<sym::Number> scales = scalesOf(program, manifold);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Expr c = k < scales.size() ? g.scale(scales[k], list[k]) : list[k];
    if (xi != nullptr) result.values.push_back(replaceArrays(g, {c}, w, *xi)[0]);
    result.rows.push_back(conormalOf(program, c, w));
  }
  return result;
}

/// Simplifies by what `holds` at the point q.
Expr simplifiedAt(sym::Graph& g, const Manifold& manifold, const std::vector<const sym::Array*>& q, Expr e) {
  const auto keep = [](sym::Rewriter&, const sym::Node&, const std::vector<Expr>&) { return Expr(); };
  sym::Rewriter known(g, keep, [&](const sym::Array*, const std::vector<Expr>&) {
    std::vector<std::pair<Expr, Expr>> equations;
    for (const HeldEquation& h : manifold.holds(loads(g, q, {}))) equations.emplace_back(h.left, h.right);
    return equations;
  });
  return known(e);
}

/// n n^T for the one condition that velocities satisfy, where the manifold's equations make it a number; else empty.
Expr knownSquare(sym::Program& program, const Manifold& manifold) {
  sym::Graph& g = program.graph();
  const auto q = dummies(g, manifold.point(), "q");
  const Tuple n = conormals(program, manifold, loads(g, q, {}))[0];
  const Expr square = simplifiedAt(g, manifold, q, pairing(g, n, n));
  return square->isConst() && !square->isZero() ? square : Expr();
}

/// xi - n^T (n n^T)^-1 c.
Tuple orthogonalProjection(sym::Program& program, const Manifold& manifold, const Conditions& c, const Tuple& xi,
                           bool onManifold) {
  sym::Graph& g = program.graph();
  const std::vector<Tuple>& rows = c.rows;
  std::vector<Expr> multipliers;
  if (rows.size() == 1) {
    const Expr known = onManifold ? knownSquare(program, manifold) : Expr();
    multipliers.push_back(g.div(c.values[0], known ? known : pairing(g, rows[0], rows[0])));
  } else {
    std::vector<Expr> products;
    for (const Tuple& a : rows) {
      for (const Tuple& b : rows) products.push_back(pairing(g, a, b));
    }
    const int n = static_cast<int>(rows.size());
    const Expr solution = g.solve(g.matrix(n, n, products), g.vector(c.values), true);
    for (int k = 0; k < n; ++k) multipliers.push_back(g.entry(solution, k));
  }
  Tuple result = xi;
  for (std::size_t r = 0; r < rows.size(); ++r) result = sub(g, result, scale(g, multipliers[r], rows[r]));
  return result;
}

} // namespace

bool isotropyIsNormal(sym::Program& program, const Manifold& manifold) {
  if (manifold.gives("project") || !manifold.gives("horizontal")) return false;
  sym::Graph& g = program.graph();
  const auto q = dummies(g, manifold.point(), "q");
  for (const Tuple& n : conormals(program, manifold, loads(g, q, {}))) {
    for (const Expr& e : generator(program, manifold, Frame::Space, loads(g, q, {}), n)) {
      if (!simplifiedAt(g, manifold, q, e)->isZero()) return false;
    }
  }
  return true;
}

std::vector<Tuple> conormals(sym::Program& program, const Manifold& manifold, const Tuple& point) {
  if (!manifold.gives("horizontal")) return {};
  return conditionsAt(program, manifold, point, nullptr).rows;
}

namespace {

/// T^T T + s n^T n.
class Metric {
public:
  Metric(sym::Program& program, const Manifold& manifold, Frame frame, const Tuple& point)
      : g_(program.graph()), algebra_(manifold.algebra()), normals_(conormals(program, manifold, point)) {
    for (int k = 0; k < manifold.algebraSize(); ++k)
      columns_.push_back(generator(program, manifold, frame, point, unit(g_, algebra_, k)));
    const bool given = normals_.empty() || manifold.gives("project");
    if (!given && !isotropyIsNormal(program, manifold)) weight_ = g_.div(trace(columns_), trace(normals_));
  }

  /// s n^T numbers.
  [[nodiscard]] Tuple normal(const std::vector<Expr>& numbers) const {
    Tuple sum = zero(g_, algebra_);
    for (std::size_t k = 0; k < normals_.size(); ++k) sum = add(g_, sum, scale(g_, numbers[k], normals_[k]));
    return weight_ ? scale(g_, weight_, sum) : sum;
  }

  /// n xi.
  [[nodiscard]] std::vector<Expr> conditions(const Tuple& xi) const {
    std::vector<Expr> r;
    for (const Tuple& n : normals_) r.push_back(pairing(g_, n, xi));
    return r;
  }

  [[nodiscard]] Tuple solve(const Tuple& d) const {
    const std::vector<Expr> m = matrix(), rhs = entries(g_, d);
    if (m.size() == 1) return fromEntries(g_, algebra_, {g_.div(rhs[0], m[0])});
    const int n = static_cast<int>(columns_.size());
    const Expr x = g_.solve(g_.matrix(n, n, m), g_.vector(rhs), true);
    std::vector<Expr> list;
    for (int k = 0; k < n; ++k) list.push_back(g_.entry(x, k));
    return fromEntries(g_, algebra_, list);
  }

private:
  [[nodiscard]] Expr trace(const std::vector<Tuple>& factors) const {
    Expr sum = g_.number(0);
    for (const Tuple& t : factors) sum = g_.add(sum, pairing(g_, t, t));
    return sum;
  }

  [[nodiscard]] std::vector<Expr> matrix() const {
    std::vector<std::vector<Expr>> normals;
    normals.reserve(normals_.size());
    for (const Tuple& n : normals_) normals.push_back(entries(g_, n));
    std::vector<Expr> list;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        Expr entry = pairing(g_, columns_[i], columns_[j]);
        for (const std::vector<Expr>& n : normals) {
          const Expr product = g_.mul(n[i], n[j]);
          entry = g_.add(entry, weight_ ? g_.mul(weight_, product) : product);
        }
        list.push_back(entry);
      }
    }
    return list;
  }

  sym::Graph& g_;
  const std::vector<Part>& algebra_;
  std::vector<Tuple> columns_; ///< T by columns
  std::vector<Tuple> normals_;
  Expr weight_; ///< s; empty: 1
};

} // namespace

Tuple metricInverse(sym::Program& program, const Manifold& manifold, Frame frame, const Tuple& point, const Tuple& d) {
  return Metric(program, manifold, frame, point).solve(d);
}

Tuple horizontalProjection(sym::Program& program, const Manifold& manifold, const Tuple& point, const Tuple& xi,
                           bool onManifold) {
  if (const auto projected = manifold.apply("project", {point, xi})) return *projected;
  if (!manifold.gives("horizontal")) return xi;
  const Conditions c = conditionsAt(program, manifold, point, &xi);
  if (isotropyIsNormal(program, manifold)) return orthogonalProjection(program, manifold, c, xi, onManifold);
  const Metric metric(program, manifold, Frame::Space, point);
  return sub(program.graph(), xi, metric.solve(metric.normal(c.values)));
}

Tuple momentumProjection(sym::Program& program, const Manifold& manifold, const Tuple& point, const Tuple& mu,
                         bool onManifold) {
  sym::Graph& g = program.graph();
  const auto w = dummies(g, manifold.algebra(), "w");
  if (const auto projected = manifold.apply("project", {point, loads(g, w, {})}))
    return transposedLinear(program, *projected, w, mu);
  if (!manifold.gives("horizontal")) return mu;
  if (isotropyIsNormal(program, manifold))
    return orthogonalProjection(program, manifold, conditionsAt(program, manifold, point, &mu), mu, onManifold);
  const Metric metric(program, manifold, Frame::Space, point);
  return sub(g, mu, metric.normal(metric.conditions(metric.solve(mu))));
}

Tuple steadyProjection(sym::Program& program, const Manifold& manifold, const Tuple& point, const Tuple& xi,
                       bool onManifold) {
  const Tuple once = horizontalProjection(program, manifold, point, xi, onManifold);
  if (!manifold.gives("project")) return once; // it is one beside the manifold, too
  const Tuple rest = sub(program.graph(), xi, once);
  return add(program.graph(), once, horizontalProjection(program, manifold, point, rest, onManifold));
}

Tuple steadyMomentumProjection(sym::Program& program, const Manifold& manifold, const Tuple& point, const Tuple& mu,
                               bool onManifold) {
  const Tuple once = momentumProjection(program, manifold, point, mu, onManifold);
  if (!manifold.gives("project")) return once;
  const Tuple rest = sub(program.graph(), mu, once);
  return add(program.graph(), once, momentumProjection(program, manifold, point, rest, onManifold));
}

Tuple momentumConditions(sym::Program& program, const Manifold& manifold, const Tuple& point, const Tuple& mu) {
  if (!manifold.gives("horizontal")) return {};
  if (isotropyIsNormal(program, manifold)) return *manifold.apply("horizontal", {point, mu});
  return sub(program.graph(), mu, momentumProjection(program, manifold, point, mu));
}

bool bendsVelocities(sym::Graph& g, const Manifold& manifold) {
  sym::Program program(g);
  const auto q = dummies(g, manifold.point(), "q");
  int size = 0;
  for (const Part& p : manifold.point()) size += p.shape.size();
  Tuple point = zero(g, manifold.point());
  for (int k = 0; k < size; ++k)
    point = add(g, point, scale(g, sym::Number::real(0.3 + 0.1 * k), unit(g, manifold.point(), k)));
  for (const Tuple& row : conormals(program, manifold, loads(g, q, {})))
    for (const Expr& e : replaceArrays(g, row, q, point))
      if (e->reads && program.size() == 0) return true; // else it may be a value that is computed before
  return false;
}

} // namespace lmc::sema
