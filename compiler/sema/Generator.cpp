#include "sema/Generator.h"

#include "sym/Derivative.h"

namespace lmc {

using sym::Expr;

namespace {

/// A tuple of loads of fresh arrays.
struct Dummies {
  ArrayTuple arrays;
  Tuple loads;
};

Dummies dummies(sym::Graph& g, const std::vector<Part>& parts) {
  Dummies d;
  for (const Part& p : parts) {
    d.arrays.push_back(g.newArray("theta", {}, p.shape, sym::Role::Temp));
    d.loads.push_back(g.load(d.arrays.back()));
  }
  return d;
}

/// The expression with the dummies replaced by a tuple.
Expr replace(sym::Graph& g, Expr e, const Dummies& d, const Tuple& by) {
  sym::Substitution substitution(g, [&](const sym::Node& n, const std::vector<Expr>&) {
    for (std::size_t k = 0; k < d.arrays.size(); ++k) {
      if (n.op == sym::Op::Load && n.array == d.arrays[k]) return by[k];
    }
    return Expr();
  });
  return substitution(e);
}

Tuple zeros(sym::Graph& g, const std::vector<Part>& parts) {
  Tuple t;
  for (const Part& p : parts) t.push_back(g.zero(p.shape));
  return t;
}

} // namespace

Tuple generator(sym::Program& program, const Manifold& manifold, Frame frame, const Tuple& point, const Tuple& xi) {
  sym::Graph& g = program.graph();
  const Dummies w = dummies(g, manifold.algebra());
  const Dummies q = dummies(g, manifold.point());
  const auto step = manifold.group().apply("exp", {w.loads});
  if (!step) return zeros(g, manifold.point());
  const auto moved = !manifold.isGroup()    ? manifold.apply("action", {*step, q.loads})
                     : frame == Frame::Body ? manifold.apply("product", {q.loads, *step})
                                            : manifold.apply("product", {*step, q.loads});
  if (!moved) return zeros(g, manifold.point());
  sym::Tangent tangent(program);
  for (std::size_t k = 0; k < xi.size(); ++k) {
    tangent.seed(w.arrays[k], [e = xi[k]](const std::vector<Expr>&) { return e; });
  }
  const Tuple origin = zeros(g, manifold.algebra());
  Tuple result;
  for (const Expr& part : *moved) {
    const Expr d = replace(g, tangent.of(part), w, origin);
    result.push_back(replace(g, d, q, point));
  }
  return result;
}

Tuple horizontalProjection(sym::Program& program, const Manifold& manifold, const Tuple& point, const Tuple& xi) {
  sym::Graph& g = program.graph();
  const Dummies w = dummies(g, manifold.algebra());
  const auto held = manifold.apply("horizontal", {point, w.loads});
  if (!held) return xi;
  // One row per scalar condition: its value at xi and its gradient n.
  std::vector<Expr> values;
  std::vector<Tuple> rows;
  const auto isDummy = [&](const sym::Node& n) {
    for (const sym::Array* a : w.arrays) {
      if (n.op == sym::Op::Load && n.array == a) return true;
    }
    return false;
  };
  const Tuple origin = zeros(g, manifold.algebra());
  for (const Expr& tensor : *held) {
    for (int k = 0; k < tensor->shape.size(); ++k) {
      const Expr c = g.entry(tensor, k / tensor->shape.cols, k % tensor->shape.cols);
      values.push_back(replace(g, c, w, xi));
      Tuple row = origin;
      for (const auto& [load, adjoint] : sym::pullback(g, c, g.number(1), isDummy)) {
        for (std::size_t p = 0; p < w.arrays.size(); ++p) {
          if (load->array == w.arrays[p]) row[p] = g.add(row[p], replace(g, adjoint, w, origin));
        }
      }
      rows.push_back(std::move(row));
    }
  }
  const auto inner = [&](const Tuple& a, const Tuple& b) {
    Expr total = g.number(0);
    for (std::size_t p = 0; p < a.size(); ++p) total = g.add(total, g.inner(a[p], b[p]));
    return total;
  };
  std::vector<Expr> multipliers;
  if (rows.size() == 1) {
    multipliers.push_back(g.div(values[0], inner(rows[0], rows[0])));
  } else {
    std::vector<Expr> entries;
    for (const Tuple& a : rows) {
      for (const Tuple& b : rows) entries.push_back(inner(a, b));
    }
    const int n = static_cast<int>(rows.size());
    const Expr solution = g.solve(g.matrix(n, n, entries), g.vector(values), true);
    for (int k = 0; k < n; ++k) multipliers.push_back(g.entry(solution, k));
  }
  Tuple result = xi;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t p = 0; p < result.size(); ++p) result[p] = g.sub(result[p], g.mul(multipliers[r], rows[r][p]));
  }
  return result;
}

} // namespace lmc
