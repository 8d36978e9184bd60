#include "mechanics/system/Geometry.h"

#include "sema/manifolds/Generator.h"

#include <stdexcept>

namespace lmc::mechanics {

using sym::Expr;
using sym::Graph;

sema::Tuple required(const sema::Manifold& m, std::string_view operation, const std::vector<sema::Tuple>& args) {
  auto r = m.apply(operation, args);
  if (!r) throw std::logic_error("the manifold does not declare an operation that was checked");
  return *r;
}

sema::Tuple bracket(const sema::Manifold& m, const sema::Tuple& u, const sema::Tuple& v) {
  return required(m.group(), "bracket", {u, v});
}

sema::Tuple adstar(sym::Program& p, const sema::Manifold& m, const sema::Tuple& u, const sema::Tuple& mu) {
  Graph& g = p.graph();
  const auto eta = sema::dummies(g, m.algebra(), "eta");
  return sema::transposedLinear(p, bracket(m, u, sema::loads(g, eta, {})), eta, mu);
}

sema::Tuple generatorTransposed(sym::Program& p, const sema::Manifold& m, bool body, const sema::Tuple& point,
                                const sema::Tuple& d) {
  Graph& g = p.graph();
  const auto eta = sema::dummies(g, m.algebra(), "eta");
  const sema::Tuple change =
      sema::generator(p, m, body ? sema::Frame::Body : sema::Frame::Space, point, sema::loads(g, eta, {}));
  return sema::transposedLinear(p, change, eta, d);
}

sema::Tuple velocityOf(sym::Program& p, const sema::Manifold& m, bool body, const sema::Tuple& point,
                       const sema::Tuple& change) {
  const sema::Frame frame = body ? sema::Frame::Body : sema::Frame::Space;
  return sema::metricInverse(p, m, frame, point, generatorTransposed(p, m, body, point, change));
}

sema::Tuple veeAtIdentity(const sema::Manifold& m, const sema::Tuple& change) {
  return required(m.group(), "vee", {change});
}

sema::Tuple adjoint(const sema::Manifold& m, const sema::Tuple& element, const sema::Tuple& v) {
  return required(m.group(), "Ad", {element, v});
}

sema::Tuple rightTrivialized(sym::Program& p, const sema::Manifold& m,
                             const std::function<sema::Tuple(const sema::Tuple&)>& map, const sema::Tuple& u,
                             const sema::Tuple& v) {
  const sema::Manifold& group = m.group();
  Graph& g = p.graph();
  const auto w = sema::dummies(g, group.algebra(), "w");
  // F(u + s v) F(u)^-1 = exp(s dF_u v + …)
  const sema::Tuple curve =
      required(group, "product", {map(sema::loads(g, w, {})), required(group, "inverse", {map(u)})});
  return veeAtIdentity(m, sema::directional(p, curve, w, v, u));
}

sema::Tuple dexp(const sema::Manifold& m, const sema::Tuple& u, const sema::Tuple& v) {
  return required(m.group(), "dexp", {u, v});
}

} // namespace lmc::mechanics
