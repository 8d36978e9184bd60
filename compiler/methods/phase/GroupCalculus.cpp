#include "methods/phase/GroupCalculus.h"

namespace lmc::methods {

sema::Tuple GroupCalculus::handed(const sema::Tuple& u) const {
  return opposite_ ? sema::scale(g_, sym::Number(-1), u) : u;
}

template <class Map> sema::Tuple GroupCalculus::transpose(const sema::Tuple& mu, const Map& map) const {
  const auto v = sema::dummies(g_, m_.algebra(), "eta");
  return sema::transposedLinear(p_, map(sema::loads(g_, v, {})), v, mu);
}

sema::Tuple GroupCalculus::exp(const sema::Tuple& u) const {
  return mechanics::required(m_, "exp", {u});
}

sema::Tuple GroupCalculus::product(const sema::Tuple& a, const sema::Tuple& b) const {
  return opposite_ ? mechanics::required(m_, "product", {b, a}) : mechanics::required(m_, "product", {a, b});
}

sema::Tuple GroupCalculus::inverse(const sema::Tuple& a) const {
  return mechanics::required(m_, "inverse", {a});
}

sema::Tuple GroupCalculus::bracket(const sema::Tuple& u, const sema::Tuple& v) const {
  return handed(lmc::mechanics::bracket(m_, u, v));
}

sema::Tuple GroupCalculus::adstar(const sema::Tuple& u, const sema::Tuple& mu) const {
  return handed(lmc::mechanics::adstar(p_, m_, u, mu));
}

sema::Tuple GroupCalculus::Ad(const sema::Tuple& element, const sema::Tuple& v) const {
  return mechanics::adjoint(m_, opposite_ ? inverse(element) : element, v);
}

sema::Tuple GroupCalculus::Adstar(const sema::Tuple& element, const sema::Tuple& mu) const {
  return transpose(mu, [&](const sema::Tuple& v) { return Ad(element, v); });
}

sema::Tuple GroupCalculus::dexp(const sema::Tuple& u, const sema::Tuple& v) const {
  return lmc::mechanics::dexp(m_, handed(u), v);
}

sema::Tuple GroupCalculus::dexpT(const sema::Tuple& u, const sema::Tuple& mu) const {
  return transpose(mu, [&](const sema::Tuple& v) { return dexp(u, v); });
}

sema::Tuple GroupCalculus::dexpinv(const sema::Tuple& u, const sema::Tuple& v, const DexpinvCut& cut) const {
  if (cut.exact) {
    if (auto r = declared("dexpinv", u, v)) return *r;
  }
  return dexpinvSeries(g_, v, cut, [&](const sema::Tuple& x) { return bracket(u, x); });
}

sema::Tuple GroupCalculus::dexpinvT(const sema::Tuple& u, const sema::Tuple& mu, const DexpinvCut& cut) const {
  return transpose(mu, [&](const sema::Tuple& v) { return dexpinv(u, v, cut); });
}

std::optional<sema::Tuple> GroupCalculus::declared(const char* operation, const sema::Tuple& u,
                                                   const sema::Tuple& v) const {
  return m_.apply(operation, {handed(u), v});
}

bool GroupCalculus::offers(const std::string& retraction) const {
  return m_.retraction(retraction, {sema::zero(g_, m_.algebra())}).has_value();
}

sema::Tuple GroupCalculus::retract(const std::string& retraction, const sema::Tuple& u) const {
  return m_.retraction(retraction, {u}).value();
}

sema::Tuple GroupCalculus::derivative(const std::string& retraction, const sema::Tuple& u, const sema::Tuple& v) const {
  if (auto r = m_.retraction("d" + retraction, {u, v})) return *r;
  return mechanics::rightTrivialized(
      p_, m_, [&](const sema::Tuple& w) { return retract(retraction, w); }, u, v);
}

sema::Tuple GroupCalculus::inverseDerivative(const std::string& retraction, const sema::Tuple& u,
                                             const sema::Tuple& v) const {
  if (auto r = m_.retraction("d" + retraction + "inv", {u, v})) return *r;
  const int n = m_.algebraSize();
  std::vector<std::vector<sym::Expr>> columns;
  columns.reserve(n);
  for (int k = 0; k < n; ++k)
    columns.push_back(sema::entries(g_, derivative(retraction, u, sema::unit(g_, m_.algebra(), k))));
  std::vector<sym::Expr> matrix;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) matrix.push_back(columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]);
  }
  const sym::Expr x = g_.solve(g_.matrix(n, n, matrix), g_.vector(sema::entries(g_, v)), false);
  std::vector<sym::Expr> list;
  list.reserve(n);
  for (int k = 0; k < n; ++k) list.push_back(g_.entry(x, k));
  return sema::fromEntries(g_, m_.algebra(), list);
}

namespace {
/// F(-u) = F(u)^-1. It is not known of the functions of a declaration.
bool isSymmetric(const std::string& retraction) {
  return retraction == "exp" || retraction == "cay";
}
} // namespace

// In the opposite group the right-trivialized derivative is the left-trivialized one of the group,
// Ad_{F(u)^-1} dF_u = dF_{-u}; the second form needs F(-u) = F(u)^-1.
sema::Tuple GroupCalculus::dretract(const std::string& retraction, const sema::Tuple& u, const sema::Tuple& v) const {
  if (!opposite_ || isSymmetric(retraction)) return derivative(retraction, handed(u), v);
  return mechanics::adjoint(m_, inverse(retract(retraction, u)), derivative(retraction, u, v));
}

sema::Tuple GroupCalculus::dretractinv(const std::string& retraction, const sema::Tuple& u,
                                       const sema::Tuple& v) const {
  if (!opposite_ || isSymmetric(retraction)) return inverseDerivative(retraction, handed(u), v);
  return inverseDerivative(retraction, u, mechanics::adjoint(m_, retract(retraction, u), v));
}

sema::Tuple GroupCalculus::dretractT(const std::string& retraction, const sema::Tuple& u, const sema::Tuple& mu) const {
  return transpose(mu, [&](const sema::Tuple& v) { return dretract(retraction, u, v); });
}

sema::Tuple GroupCalculus::dretractinvT(const std::string& retraction, const sema::Tuple& u,
                                        const sema::Tuple& mu) const {
  return transpose(mu, [&](const sema::Tuple& v) { return dretractinv(retraction, u, v); });
}

sym::Expr GroupCalculus::squaredAngle(const sema::Tuple& u) const {
  std::vector<sym::Expr> terms;
  for (int k = 0; k < m_.algebraSize(); ++k) {
    const sema::Tuple e = sema::unit(g_, m_.algebra(), k);
    terms.push_back(sema::pairing(g_, e, bracket(u, bracket(u, e))));
  }
  return g_.mul(g_.number(sym::Number::ratio(-1, 2)), g_.sum(terms, sym::Shape::scalar()));
}

} // namespace lmc::methods
