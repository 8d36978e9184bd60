#include "sema/manifolds/groups/DerivedOperations.h"

#include "sym/Constant.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace lmc::sema {

using sym::Expr;

Tuple DerivedOperations::group(std::string_view operation, const std::vector<Tuple>& args) const {
  auto r = m_.apply(operation, args);
  if (!r) throw std::logic_error("a group without an operation that was checked");
  return *r;
}

bool DerivedOperations::gives(std::string_view operation) const {
  static constexpr std::array<std::string_view, 8> always = {"identity", "hat",    "vee",    "Ad",
                                                             "ad",       "adstar", "Adstar", "dexp"};
  if (std::find(always.begin(), always.end(), operation) != always.end()) return true;
  const auto symbols = [&](const std::vector<Part>& parts) { return loads(g_, dummies(g_, parts, "x"), {}); };
  if (operation == "inverse") return inverse(symbols(m_.point())).has_value();
  if (operation == "bracket") return bracket(zero(g_, m_.algebra()), zero(g_, m_.algebra())).has_value();
  if (operation == "dexpinv") return dexpinv(zero(g_, m_.algebra()), zero(g_, m_.algebra())).has_value();
  return false;
}

std::optional<Tuple> DerivedOperations::apply(std::string_view operation, const std::vector<Tuple>& args) const {
  if (operation == "identity") return group("exp", {zero(g_, m_.algebra())});
  if (operation == "inverse") return inverse(args[0]);
  if (operation == "hat") return hat(args[0]);
  if (operation == "vee") return vee(args[0]);
  if (operation == "Ad") return Ad(args[0], args[1]);
  if (operation == "bracket") return bracket(args[0], args[1]);
  if (operation == "ad") return group("bracket", args);
  if (operation == "adstar") return transpose(args[1], [&](const Tuple& v) { return group("bracket", {args[0], v}); });
  if (operation == "Adstar") return transpose(args[1], [&](const Tuple& v) { return group("Ad", {args[0], v}); });
  if (operation == "dexp") return dexp(args[0], args[1]);
  if (operation == "dexpinv") return dexpinv(args[0], args[1]);
  return std::nullopt;
}

template <class Map> Tuple DerivedOperations::transpose(const Tuple& mu, const Map& map) const {
  sym::Program none(g_);
  const auto v = dummies(g_, m_.algebra(), "eta");
  return transposedLinear(none, map(loads(g_, v, {})), v, mu);
}

Tuple DerivedOperations::hat(const Tuple& w) const {
  sym::Program none(g_);
  const auto u = dummies(g_, m_.algebra(), "u");
  return directional(none, group("exp", {loads(g_, u, {})}), u, w, zero(g_, m_.algebra()));
}

/// hat is a constant injective map B: its pseudo-inverse is (B^T B)^-1 B^T.
Tuple DerivedOperations::vee(const Tuple& change) const {
  const int n = m_.algebraSize();
  std::vector<std::vector<Expr>> columns;
  for (int k = 0; k < n; ++k) columns.push_back(entries(g_, group("hat", {unit(g_, m_.algebra(), k)})));
  const std::vector<Expr> y = entries(g_, change);
  const auto inner = [&](const std::vector<Expr>& a, const std::vector<Expr>& b) {
    std::vector<Expr> terms;
    for (std::size_t k = 0; k < a.size(); ++k) terms.push_back(g_.mul(a[k], b[k]));
    return g_.sum(terms, sym::Shape::scalar());
  };
  std::vector<Expr> normal;
  std::vector<Expr> rhs;
  bool diagonal = true;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      normal.push_back(inner(columns[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]));
      diagonal = diagonal && (i == j || normal.back()->isZero());
    }
    rhs.push_back(inner(columns[static_cast<std::size_t>(i)], y));
  }
  std::vector<Expr> x;
  const Expr solved = diagonal ? Expr() : g_.solve(g_.matrix(n, n, normal), g_.vector(rhs), true);
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    x.push_back(diagonal ? g_.div(rhs[k], normal[k * static_cast<std::size_t>(n + 1)]) : g_.entry(solved, i));
  }
  return fromEntries(g_, m_.algebra(), x);
}

std::optional<Tuple> DerivedOperations::inverse(const Tuple& a) const {
  sym::Program none(g_);
  const auto x = dummies(g_, m_.point(), "X");
  const Tuple unknown = loads(g_, x, {});
  const Tuple product = group("product", {a, unknown});
  const Tuple identity = group("identity", {});
  const bool matrix = product.size() == 1 && product[0]->op == sym::Op::MatMul && product[0]->args[1] == unknown[0] &&
                      product[0]->args[0]->shape == unknown[0]->shape && identity[0]->op == sym::Op::Identity;
  if (matrix) return Tuple{g_.inverse(product[0]->args[0])};
  // product(A, X) = P X + p
  const auto isUnknown = [&](const sym::Node& n) {
    return n.op == sym::Op::Load && std::find(x.begin(), x.end(), n.array) != x.end();
  };
  const Tuple origin = zero(g_, m_.point());
  const std::vector<Expr> rhs = entries(g_, sub(g_, identity, replaceArrays(g_, product, x, origin)));
  const auto n = static_cast<int>(rhs.size());
  std::vector<std::vector<Expr>> columns;
  for (int k = 0; k < n; ++k) {
    sym::Tangent tangent(none);
    const Tuple direction = unit(g_, m_.point(), k);
    for (std::size_t p = 0; p < x.size(); ++p) {
      tangent.seed(x[p], [d = direction[p]](const std::vector<Expr>&) { return d; });
    }
    Tuple slope;
    for (const Expr& e : product) {
      slope.push_back(tangent.of(e));
      if (sym::contains(slope.back(), isUnknown)) return std::nullopt;
    }
    columns.push_back(entries(g_, slope));
  }
  std::vector<Expr> matrixOf;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) matrixOf.push_back(columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]);
  }
  const Expr solved = g_.solve(g_.matrix(n, n, matrixOf), g_.vector(rhs), false);
  std::vector<Expr> list;
  for (int k = 0; k < n; ++k) list.push_back(g_.entry(solved, k));
  return fromEntries(g_, m_.point(), list);
}

Tuple DerivedOperations::Ad(const Tuple& element, const Tuple& v) const {
  sym::Program none(g_);
  // conjugation at X = identity along hat(v)
  const auto x = dummies(g_, m_.point(), "X");
  const Tuple conjugate =
      group("product", {group("product", {element, loads(g_, x, {})}), group("inverse", {element})});
  return group("vee", {directional(none, conjugate, x, group("hat", {v}), group("identity", {}))});
}

std::optional<Tuple> DerivedOperations::bracket(const Tuple& u, const Tuple& v) const {
  if (!bracketKnown_) {
    bracketKnown_ = true;
    bracket_ = structure(false);
  }
  if (!bracket_) return std::nullopt;
  const Expr product = g_.matmul(bracket_->at(g_, entries(g_, u)), g_.vector(entries(g_, v)));
  return fromEntries(g_, m_.algebra(), entries(g_, {product}));
}

std::optional<LinearFamily> DerivedOperations::structure(bool declared) const {
  if (ad_ != nullptr) return *ad_;
  const int n = m_.algebraSize();
  sym::Program none(g_);
  std::vector<SparseMatrix> ad(static_cast<std::size_t>(n));
  const auto u = dummies(g_, m_.algebra(), "u");
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      const Tuple a = unit(g_, m_.algebra(), i);
      const Tuple b = unit(g_, m_.algebra(), j);
      const Tuple value = declared ? group("bracket", {a, b})
                                   : directional(none, group("Ad", {group("exp", {loads(g_, u, {})}), b}), u, a,
                                                 zero(g_, m_.algebra()));
      ConstantMatrix column;
      for (const Expr& part : value) {
        const auto numbers = sym::constantEntries(part);
        if (!numbers) return std::nullopt;
        column.insert(column.end(), numbers->begin(), numbers->end());
      }
      for (int k = 0; k < n; ++k) {
        const sym::Number& c = column[static_cast<std::size_t>(k)];
        if (c.isZero()) continue;
        ad[static_cast<std::size_t>(i)].push_back({k * n + j, c});
        ad[static_cast<std::size_t>(j)].push_back({k * n + i, -c});
      }
    }
  }
  for (SparseMatrix& m : ad)
    std::sort(m.begin(), m.end(), [](const SparseEntry& x, const SparseEntry& y) { return x.place < y.place; });
  return LinearFamily(n, std::move(ad));
}

const std::optional<DerivedOperations::Algebra>& DerivedOperations::algebra() const {
  if (known_) return algebra_;
  known_ = true;
  if (auto ad = structure(true)) {
    algebra_ = Algebra{*ad, std::nullopt};
    algebra_->annihilator = algebra_->ad.annihilator();
  }
  return algebra_;
}

Tuple DerivedOperations::dexp(const Tuple& u, const Tuple& v) const {
  const auto& a = algebra();
  if (!a) { // the derivative of exp, carried to the identity
    sym::Program none(g_);
    const auto w = dummies(g_, m_.algebra(), "w");
    const Tuple back = group("inverse", {group("exp", {u})});
    const Tuple curve = group("product", {group("exp", {loads(g_, w, {})}), back});
    return group("vee", {directional(none, curve, w, v, u)});
  }
  return integratedExponential(g_, a->ad, a->annihilator, entries(g_, u), m_.algebra(), v, [&](const Tuple& x) {
    return group("bracket", {u, x});
  });
}

std::optional<Tuple> DerivedOperations::dexpinv(const Tuple& u, const Tuple& v) const {
  const auto& a = algebra();
  if (!a || !a->annihilator) return std::nullopt;
  const Expr s = squaredAngle(g_, *a->annihilator, entries(g_, u));
  const std::vector<Expr> c = inverseCoefficients(g_, *a->annihilator, s);
  if (c.empty()) return std::nullopt;
  return polynomial(g_, c, v, [&](const Tuple& x) { return group("bracket", {u, x}); });
}

} // namespace lmc::sema
