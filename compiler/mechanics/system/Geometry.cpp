#include "mechanics/system/Geometry.h"

#include "sema/manifolds/Generator.h"

#include <stdexcept>

namespace lmc {

using sym::Expr;
using sym::Graph;

Tuple required(const Manifold& m, std::string_view operation, const std::vector<Tuple>& args) {
  auto r = m.apply(operation, args);
  if (!r) throw std::logic_error("the manifold does not declare an operation that was checked");
  return *r;
}

Tuple bracket(const Manifold& m, const Tuple& u, const Tuple& v) {
  return required(m.group(), "bracket", {u, v});
}

Tuple adstar(sym::Program& p, const Manifold& m, const Tuple& u, const Tuple& mu) {
  Graph& g = p.graph();
  const auto eta = dummies(g, m.algebra(), "eta");
  return transposedLinear(p, bracket(m, u, loads(g, eta, {})), eta, mu);
}

Tuple generatorTransposed(sym::Program& p, const Manifold& m, bool body, const Tuple& point, const Tuple& d) {
  Graph& g = p.graph();
  const auto eta = dummies(g, m.algebra(), "eta");
  const Tuple change = generator(p, m, body ? Frame::Body : Frame::Space, point, loads(g, eta, {}));
  return transposedLinear(p, change, eta, d);
}

Tuple velocityOf(sym::Program& p, const Manifold& m, bool body, const Tuple& point, const Tuple& change) {
  const Frame frame = body ? Frame::Body : Frame::Space;
  return metricInverse(p, m, frame, point, generatorTransposed(p, m, body, point, change));
}

Tuple veeAtIdentity(const Manifold& m, const Tuple& change) {
  return required(m.group(), "vee", {change});
}

Tuple adjoint(const Manifold& m, const Tuple& element, const Tuple& v) {
  return required(m.group(), "Ad", {element, v});
}

Tuple rightTrivialized(sym::Program& p, const Manifold& m, const std::function<Tuple(const Tuple&)>& map,
                       const Tuple& u, const Tuple& v) {
  const Manifold& group = m.group();
  Graph& g = p.graph();
  const auto w = dummies(g, group.algebra(), "w");
  // F(u + s v) F(u)^-1 = exp(s dF_u v + …)
  const Tuple curve = required(group, "product", {map(loads(g, w, {})), required(group, "inverse", {map(u)})});
  return veeAtIdentity(m, directional(p, curve, w, v, u));
}

Tuple dexp(const Manifold& m, const Tuple& u, const Tuple& v) {
  return required(m.group(), "dexp", {u, v});
}

} // namespace lmc
