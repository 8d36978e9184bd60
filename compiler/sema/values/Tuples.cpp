#include "sema/values/Tuples.h"

#include <algorithm>

namespace lmc::sema {

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

Tuple part(const Tuple& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
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
  r.reserve(parts.size());
  for (const Part& p : parts) r.push_back(g.newArray(name + "." + p.name, {}, p.shape, sym::Role::Temp));
  return r;
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

Tuple transposedLinear(sym::Program& p, const Tuple& value, const std::vector<const sym::Array*>& variables,
                       const Tuple& seeds) {
  Graph& g = p.graph();
  const auto isVariable = [&](const sym::Node& n) {
    return std::find(variables.begin(), variables.end(), n.array) != variables.end();
  };
  Tuple origin;
  for (const sym::Array* v : variables) origin.push_back(g.zero(v->shape));
  Tuple r = transposed(p, value, variables, seeds);
  for (Expr& e : r) {
    if (sym::contains(e, isVariable)) e = replaceArrays(g, {e}, variables, origin)[0];
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

} // namespace lmc::sema
