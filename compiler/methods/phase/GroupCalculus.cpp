#include "methods/phase/GroupCalculus.h"

namespace lmc {

Tuple GroupCalculus::handed(const Tuple& u) const {
  return opposite_ ? scale(g_, sym::Number(-1), u) : u;
}

template <class Map> Tuple GroupCalculus::transpose(const Tuple& mu, const Map& map) const {
  const auto v = dummies(g_, m_.algebra(), "eta");
  return transposedLinear(p_, map(loads(g_, v, {})), v, mu);
}

Tuple GroupCalculus::exp(const Tuple& u) const {
  return required(m_, "exp", {u});
}

Tuple GroupCalculus::product(const Tuple& a, const Tuple& b) const {
  return opposite_ ? required(m_, "product", {b, a}) : required(m_, "product", {a, b});
}

Tuple GroupCalculus::inverse(const Tuple& a) const {
  return required(m_, "inverse", {a});
}

Tuple GroupCalculus::bracket(const Tuple& u, const Tuple& v) const {
  return handed(lmc::bracket(m_, u, v));
}

Tuple GroupCalculus::adstar(const Tuple& u, const Tuple& mu) const {
  return handed(lmc::adstar(p_, m_, u, mu));
}

Tuple GroupCalculus::Ad(const Tuple& element, const Tuple& v) const {
  return adjoint(m_, opposite_ ? inverse(element) : element, v);
}

Tuple GroupCalculus::Adstar(const Tuple& element, const Tuple& mu) const {
  return transpose(mu, [&](const Tuple& v) { return Ad(element, v); });
}

Tuple GroupCalculus::dexp(const Tuple& u, const Tuple& v) const {
  return lmc::dexp(m_, handed(u), v);
}

Tuple GroupCalculus::dexpT(const Tuple& u, const Tuple& mu) const {
  return transpose(mu, [&](const Tuple& v) { return dexp(u, v); });
}

Tuple GroupCalculus::dexpinv(const Tuple& u, const Tuple& v, const DexpinvCut& cut) const {
  if (cut.exact) {
    if (auto r = declared("dexpinv", u, v)) return *r;
  }
  return dexpinvSeries(g_, v, cut, [&](const Tuple& x) { return bracket(u, x); });
}

Tuple GroupCalculus::dexpinvT(const Tuple& u, const Tuple& mu, const DexpinvCut& cut) const {
  return transpose(mu, [&](const Tuple& v) { return dexpinv(u, v, cut); });
}

std::optional<Tuple> GroupCalculus::declared(const char* operation, const Tuple& u, const Tuple& v) const {
  return m_.apply(operation, {handed(u), v});
}

bool GroupCalculus::offers(const std::string& retraction) const {
  return m_.retraction(retraction, {zero(g_, m_.algebra())}).has_value();
}

Tuple GroupCalculus::retract(const std::string& retraction, const Tuple& u) const {
  return m_.retraction(retraction, {u}).value();
}

Tuple GroupCalculus::derivative(const std::string& retraction, const Tuple& u, const Tuple& v) const {
  if (auto r = m_.retraction("d" + retraction, {u, v})) return *r;
  return rightTrivialized(
      p_, m_, [&](const Tuple& w) { return retract(retraction, w); }, u, v);
}

Tuple GroupCalculus::inverseDerivative(const std::string& retraction, const Tuple& u, const Tuple& v) const {
  if (auto r = m_.retraction("d" + retraction + "inv", {u, v})) return *r;
  const int n = m_.algebraSize();
  std::vector<std::vector<sym::Expr>> columns;
  for (int k = 0; k < n; ++k) columns.push_back(entries(g_, derivative(retraction, u, unit(g_, m_.algebra(), k))));
  std::vector<sym::Expr> matrix;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) matrix.push_back(columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]);
  }
  const sym::Expr x = g_.solve(g_.matrix(n, n, matrix), g_.vector(entries(g_, v)), false);
  std::vector<sym::Expr> list;
  for (int k = 0; k < n; ++k) list.push_back(g_.entry(x, k));
  return fromEntries(g_, m_.algebra(), list);
}

namespace {
/// F(-u) = F(u)^-1. It is not known of the functions of a declaration.
bool isSymmetric(const std::string& retraction) {
  return retraction == "exp" || retraction == "cay";
}
} // namespace

// In the opposite group the right-trivialized derivative is the left-trivialized one of the group,
// Ad_{F(u)^-1} dF_u = dF_{-u}; the second form needs F(-u) = F(u)^-1.
Tuple GroupCalculus::dretract(const std::string& retraction, const Tuple& u, const Tuple& v) const {
  if (!opposite_ || isSymmetric(retraction)) return derivative(retraction, handed(u), v);
  return adjoint(m_, inverse(retract(retraction, u)), derivative(retraction, u, v));
}

Tuple GroupCalculus::dretractinv(const std::string& retraction, const Tuple& u, const Tuple& v) const {
  if (!opposite_ || isSymmetric(retraction)) return inverseDerivative(retraction, handed(u), v);
  return inverseDerivative(retraction, u, adjoint(m_, retract(retraction, u), v));
}

Tuple GroupCalculus::dretractT(const std::string& retraction, const Tuple& u, const Tuple& mu) const {
  return transpose(mu, [&](const Tuple& v) { return dretract(retraction, u, v); });
}

Tuple GroupCalculus::dretractinvT(const std::string& retraction, const Tuple& u, const Tuple& mu) const {
  return transpose(mu, [&](const Tuple& v) { return dretractinv(retraction, u, v); });
}

sym::Expr GroupCalculus::squaredAngle(const Tuple& u) const {
  std::vector<sym::Expr> terms;
  for (int k = 0; k < m_.algebraSize(); ++k) {
    const Tuple e = unit(g_, m_.algebra(), k);
    terms.push_back(pairing(g_, e, bracket(u, bracket(u, e))));
  }
  return g_.mul(g_.number(sym::Number::ratio(-1, 2)), g_.sum(terms, sym::Shape::scalar()));
}

} // namespace lmc
