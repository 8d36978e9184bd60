#include "sema/manifolds/groups/BasisGroup.h"

#include <algorithm>
#include <array>

namespace lmc::sema {

using sym::Expr;

BasisGroup::BasisGroup(sym::Graph& graph, LinearFamily family, std::vector<Part> algebra)
    : g_(graph), family_(std::move(family)), ad_(family_.adjoint()), algebra_(std::move(algebra)),
      annihilator_(family_.annihilator()), skew_(family_.skew()) {}

bool BasisGroup::gives(std::string_view operation) {
  static constexpr std::array<std::string_view, 8> names = {"identity", "product", "inverse", "bracket",
                                                            "exp",      "hat",     "vee",     "Ad"};
  return std::find(names.begin(), names.end(), operation) != names.end();
}

Expr BasisGroup::matrix(const Tuple& w) const {
  return family_.at(g_, entries(g_, w));
}

Tuple BasisGroup::coordinates(Expr m) const {
  return fromEntries(g_, algebra_, family_.coordinates(g_, m));
}

Expr BasisGroup::inverse(Expr a) const {
  return skew_ ? g_.transpose(a) : g_.inverse(a);
}

Expr BasisGroup::exponential(const Tuple& w) const {
  const Expr a = matrix(w);
  if (!annihilator_) return g_.exponential(a);
  const Expr s = squaredAngle(g_, *annihilator_, entries(g_, w));
  const std::vector<Expr> c = exponentialCoefficients(g_, *annihilator_, s, 0);
  Expr power = g_.identity(family_.rows());
  std::vector<Expr> terms;
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (k > 0) power = k == 1 ? a : g_.matmul(power, a);
    terms.push_back(g_.mul(c[k], power));
  }
  return g_.sum(terms, sym::Shape::mat(family_.rows(), family_.rows()));
}

std::optional<Tuple> BasisGroup::apply(std::string_view operation, const std::vector<Tuple>& args) const {
  if (operation == "identity") return Tuple{g_.identity(family_.rows())};
  if (operation == "product") return Tuple{g_.matmul(args[0][0], args[1][0])};
  if (operation == "inverse") return Tuple{inverse(args[0][0])};
  if (operation == "hat") return Tuple{matrix(args[0])};
  if (operation == "vee") return coordinates(args[0][0]);
  if (operation == "exp") return Tuple{exponential(args[0])};
  if (operation == "dexp" && prefersMatrices()) return dexp(args[0], args[1]);
  if (operation == "bracket" && prefersMatrices()) {
    const Expr a = matrix(args[0]), b = matrix(args[1]);
    return coordinates(g_.sub(g_.matmul(a, b), g_.matmul(b, a)));
  }
  if (operation == "bracket") {
    const Expr ad = ad_.at(g_, entries(g_, args[0]));
    return fromEntries(g_, algebra_, entries(g_, {g_.matmul(ad, g_.vector(entries(g_, args[1])))}));
  }
  if (operation == "Ad") {
    const Expr a = args[0][0];
    return coordinates(g_.matmul(g_.matmul(a, matrix(args[1])), inverse(a)));
  }
  return std::nullopt;
}

/// A(dexp_u v) = (D exp(A(u))[A(v)]) exp(-A(u)).
Tuple BasisGroup::dexp(const Tuple& u, const Tuple& v) const {
  sym::Program none(g_);
  const auto x = dummies(g_, {{"A", sym::Shape::mat(family_.rows(), family_.rows())}}, "A");
  const Tuple slope = directional(none, {g_.exponential(g_.load(x[0]))}, x, {matrix(v)}, {matrix(u)});
  return coordinates(g_.matmul(slope[0], inverse(exponential(u))));
}

const ClosedEquations& BasisGroup::equations() const {
  if (!equations_) equations_ = closedEquations(family_);
  return *equations_;
}

Expr BasisGroup::constant(const ConstantMatrix& m) const {
  std::vector<Expr> list;
  list.reserve(m.size());
  for (const sym::Number& x : m) list.push_back(g_.number(x));
  return g_.matrix(family_.rows(), family_.rows(), list);
}

std::vector<HeldEquation> BasisGroup::holds(const Tuple& point) const {
  const int n = family_.rows();
  const Expr a = point[0];
  const ClosedEquations& all = equations();
  std::vector<HeldEquation> list;
  if (all.orthogonal) list.push_back({g_.matmul(g_.transpose(a), a), g_.identity(n)});
  if (all.unimodular) list.push_back({g_.det(a), g_.number(1)});
  for (const ConstantMatrix& b : all.inside) {
    const Expr form = constant(b);
    list.push_back({g_.matmul(g_.matmul(g_.transpose(a), form), a), form});
  }
  for (const ConstantMatrix& b : all.outside) {
    const Expr form = constant(b);
    list.push_back({g_.matmul(g_.matmul(a, form), g_.transpose(a)), form});
  }
  const auto entry = [&](int e) { return e < 0 ? g_.number(1) : g_.entry(a, e / n, e % n); };
  for (const auto& polynomial : all.polynomials) {
    std::vector<Expr> left, right; // what does not depend on the element stands on the right
    for (const ClosedEquations::Term& t : polynomial) {
      const bool constant = t.first < 0 && t.second < 0;
      const sym::Number c = constant ? -t.coefficient : t.coefficient;
      (constant ? right : left).push_back(g_.scale(c, g_.mul(entry(t.first), entry(t.second))));
    }
    list.push_back({g_.sum(left, sym::Shape::scalar()), g_.sum(right, sym::Shape::scalar())});
  }
  return list;
}

} // namespace lmc::sema
