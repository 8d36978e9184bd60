#include "mechanics/Geometry.h"

#include "sema/Generator.h"

#include <stdexcept>

namespace lmc {

using sym::Expr;
using sym::Graph;

Tuple add(Graph& g, const Tuple& a, const Tuple& b) {
  Tuple r;
  for (std::size_t k = 0; k < a.size(); ++k) r.push_back(g.add(a[k], b[k]));
  return r;
}

Tuple sub(Graph& g, const Tuple& a, const Tuple& b) {
  Tuple r;
  for (std::size_t k = 0; k < a.size(); ++k) r.push_back(g.sub(a[k], b[k]));
  return r;
}

Tuple scale(Graph& g, Expr c, const Tuple& a) {
  Tuple r;
  for (const Expr& e : a) r.push_back(g.mul(c, e));
  return r;
}

Tuple scale(Graph& g, const sym::Number& c, const Tuple& a) {
  return scale(g, g.number(c), a);
}

Tuple zero(Graph& g, const std::vector<Part>& parts) {
  Tuple r;
  for (const Part& p : parts) r.push_back(g.zero(p.shape));
  return r;
}

Expr pairing(Graph& g, const Tuple& a, const Tuple& b) {
  Expr r = g.number(0);
  for (std::size_t k = 0; k < a.size(); ++k) r = g.add(r, g.inner(a[k], b[k]));
  return r;
}

bool isZero(const Tuple& a) {
  for (const Expr& e : a) {
    if (!e->isZero()) return false;
  }
  return true;
}

std::vector<Expr> entries(Graph& g, const Tuple& a) {
  std::vector<Expr> r;
  for (const Expr& e : a) {
    for (int i = 0; i < e->shape.rows; ++i) {
      for (int j = 0; j < e->shape.cols; ++j) r.push_back(g.entry(e, i, j));
    }
  }
  return r;
}

Tuple fromEntries(Graph& g, const std::vector<Part>& parts, const std::vector<Expr>& list) {
  Tuple r;
  auto next = list.begin();
  for (const Part& p : parts) {
    const std::vector<Expr> own(next, next + p.shape.size());
    next += p.shape.size();
    if (p.shape.rank == 0) {
      r.push_back(own[0]);
    } else if (p.shape.rank == 1) {
      r.push_back(g.vector(own));
    } else {
      r.push_back(g.matrix(p.shape.rows, p.shape.cols, own));
    }
  }
  return r;
}

Tuple unit(Graph& g, const std::vector<Part>& parts, int k) {
  Tuple r;
  for (const Part& p : parts) {
    const bool here = k >= 0 && k < p.shape.size();
    if (!here) {
      r.push_back(g.zero(p.shape));
    } else if (p.shape.rank == 0) {
      r.push_back(g.number(1));
    } else if (p.shape.rank == 1) {
      r.push_back(g.basis(p.shape.rows, g.integer(k + 1)));
    } else {
      r.push_back(g.outer(g.basis(p.shape.rows, g.integer(k / p.shape.cols + 1)),
                          g.basis(p.shape.cols, g.integer(k % p.shape.cols + 1))));
    }
    k -= p.shape.size();
  }
  return r;
}

Tuple loads(Graph& g, const std::vector<const sym::Array*>& arrays, const std::vector<Expr>& index) {
  Tuple r;
  for (const sym::Array* a : arrays) r.push_back(g.load(a, index));
  return r;
}

std::vector<const sym::Array*> dummies(Graph& g, const std::vector<Part>& parts, const std::string& name) {
  std::vector<const sym::Array*> r;
  for (const Part& p : parts) r.push_back(g.newArray(name + "." + p.name, {}, p.shape, sym::Role::Temp));
  return r;
}

Tuple required(const Manifold& m, std::string_view operation, const std::vector<Tuple>& args) {
  auto r = m.apply(operation, args);
  if (!r) throw std::logic_error("the manifold does not declare an operation that was checked");
  return *r;
}

Tuple replaceArrays(Graph& g, const Tuple& value, const std::vector<const sym::Array*>& variables, const Tuple& at) {
  sym::Substitution s(g, [&](const sym::Node& n, const std::vector<Expr>&) {
    for (std::size_t k = 0; k < variables.size(); ++k) {
      if (n.array == variables[k]) return at[k];
    }
    return Expr();
  });
  Tuple r;
  for (const Expr& e : value) r.push_back(s(e));
  return r;
}

Tuple transposed(sym::Program& p, const Tuple& value, const std::vector<const sym::Array*>& variables,
                 const Tuple& seeds) {
  Graph& g = p.graph();
  Tuple r;
  for (const sym::Array* v : variables) r.push_back(g.zero(v->shape));
  const auto wanted = [&](const sym::Node& n) {
    for (const sym::Array* v : variables) {
      if (n.array == v) return true;
    }
    return false;
  };
  for (std::size_t k = 0; k < value.size(); ++k) {
    for (const auto& [load, w] : sym::pullback(g, value[k], seeds[k], wanted)) {
      for (std::size_t j = 0; j < variables.size(); ++j) {
        if (load->array == variables[j]) r[j] = g.add(r[j], w);
      }
    }
  }
  return r;
}

Tuple directional(sym::Program& p, const Tuple& value, const std::vector<const sym::Array*>& variables,
                  const Tuple& direction, const Tuple& at) {
  sym::Tangent t(p);
  for (std::size_t k = 0; k < variables.size(); ++k) {
    t.seed(variables[k], [d = direction[k]](const std::vector<Expr>&) { return d; });
  }
  Tuple r;
  for (const Expr& e : value) r.push_back(t.of(e));
  return replaceArrays(p.graph(), r, variables, at);
}

Tuple bracket(const Manifold& m, const Tuple& u, const Tuple& v) {
  return required(m.group(), "bracket", {u, v});
}

Tuple adstar(sym::Program& p, const Manifold& m, const Tuple& u, const Tuple& mu) {
  Graph& g = p.graph();
  const auto eta = dummies(g, m.algebra(), "eta");
  return transposed(p, bracket(m, u, loads(g, eta, {})), eta, mu);
}

Tuple generatorTransposed(sym::Program& p, const Manifold& m, bool body, const Tuple& point, const Tuple& d) {
  Graph& g = p.graph();
  const auto eta = dummies(g, m.algebra(), "eta");
  const Tuple change = generator(p, m, body ? Frame::Body : Frame::Space, point, loads(g, eta, {}));
  return transposed(p, change, eta, d);
}

Tuple velocityOf(sym::Program& p, const Manifold& m, bool body, const Tuple& point, const Tuple& change) {
  return metricInverse(p, m, body, point, generatorTransposed(p, m, body, point, change));
}

Tuple veeAtIdentity(sym::Program& p, const Manifold& m, const Tuple& change) {
  Graph& g = p.graph();
  const Manifold& group = m.group();
  const Tuple identity = required(group, "identity", {});
  // The generator at the identity is a constant injective map B; its pseudo-inverse is (B^T B)^-1 B^T.
  const int n = group.algebraSize();
  std::vector<std::vector<Expr>> columns;
  for (int k = 0; k < n; ++k) {
    columns.push_back(entries(g, generator(p, group, Frame::Space, identity, unit(g, group.algebra(), k))));
  }
  const std::vector<Expr> y = entries(g, change);
  std::vector<Expr> normal;
  std::vector<Expr> rhs;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      Expr s = g.number(0);
      for (std::size_t k = 0; k < y.size(); ++k) s = g.add(s, g.mul(columns[i][k], columns[j][k]));
      normal.push_back(s);
    }
    Expr s = g.number(0);
    for (std::size_t k = 0; k < y.size(); ++k) s = g.add(s, g.mul(columns[i][k], y[k]));
    rhs.push_back(s);
  }
  bool diagonal = true;
  for (int i = 0; i < n * n; ++i) diagonal = diagonal && (i % (n + 1) == 0 || normal[i]->isZero());
  std::vector<Expr> x;
  const Expr solved = diagonal ? Expr() : g.solve(g.matrix(n, n, normal), g.vector(rhs), true);
  for (int i = 0; i < n; ++i) x.push_back(diagonal ? g.div(rhs[i], normal[i * n + i]) : g.entry(solved, i));
  return fromEntries(g, group.algebra(), x);
}

Tuple adjoint(sym::Program& p, const Manifold& m, const Tuple& element, const Tuple& v) {
  const Manifold& group = m.group();
  if (auto r = group.apply("Ad", {element, v})) return *r;
  Graph& g = p.graph();
  const auto w = dummies(g, group.algebra(), "w");
  const Tuple one = required(group, "exp", {loads(g, w, {})});
  const Tuple conjugate =
      required(group, "product", {required(group, "product", {element, one}), required(group, "inverse", {element})});
  return veeAtIdentity(p, m, directional(p, conjugate, w, v, zero(g, group.algebra())));
}

Tuple rightTrivialized(sym::Program& p, const Manifold& m, const std::function<Tuple(const Tuple&)>& map,
                       const Tuple& u, const Tuple& v) {
  const Manifold& group = m.group();
  Graph& g = p.graph();
  const auto w = dummies(g, group.algebra(), "w");
  // F(u + s v) F(u)^-1 = exp(s dF_u v + …)
  const Tuple curve = required(group, "product", {map(loads(g, w, {})), required(group, "inverse", {map(u)})});
  return veeAtIdentity(p, m, directional(p, curve, w, v, u));
}

Tuple dexp(sym::Program& p, const Manifold& m, const Tuple& u, const Tuple& v) {
  const Manifold& group = m.group();
  if (auto r = group.apply("dexp", {u, v})) return *r;
  return rightTrivialized(
      p, m, [&](const Tuple& w) { return required(group, "exp", {w}); }, u, v);
}

std::vector<Tuple> conormals(sym::Program& p, const Manifold& m, const Tuple& point) {
  if (!m.gives("horizontal")) return {};
  Graph& g = p.graph();
  const auto w = dummies(g, m.algebra(), "w");
  const Tuple condition = required(m, "horizontal", {point, loads(g, w, {})});
  std::vector<Tuple> rows;
  for (const Expr& c : entries(g, condition)) rows.push_back(transposed(p, {c}, w, {g.number(1)}));
  return rows;
}

Tuple metricInverse(sym::Program& p, const Manifold& m, bool body, const Tuple& point, const Tuple& d) {
  Graph& g = p.graph();
  const int n = m.algebraSize();
  std::vector<Tuple> columns;
  for (int k = 0; k < n; ++k)
    columns.push_back(generator(p, m, body ? Frame::Body : Frame::Space, point, unit(g, m.algebra(), k)));
  const std::vector<Tuple> normals = conormals(p, m, point);
  std::vector<Expr> matrix;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      Expr entry = pairing(g, columns[i], columns[j]);
      for (const Tuple& normal : normals) {
        const std::vector<Expr> list = entries(g, normal);
        entry = g.add(entry, g.mul(list[i], list[j]));
      }
      matrix.push_back(entry);
    }
  }
  const std::vector<Expr> rhs = entries(g, d);
  if (n == 1) return fromEntries(g, m.algebra(), {g.div(rhs[0], matrix[0])});
  const Expr x = g.solve(g.matrix(n, n, matrix), g.vector(rhs), true);
  std::vector<Expr> list;
  for (int k = 0; k < n; ++k) list.push_back(g.entry(x, k));
  return fromEntries(g, m.algebra(), list);
}

} // namespace lmc
