#include "mechanics/Gauge.h"

#include "sema/Generator.h"

namespace lmc {

using sym::Expr;

std::vector<Gauge> gaugesOf(System& system, std::size_t k, const std::vector<Expr>& index, MassUnknown unknown) {
  sym::Program& p = system.model->program;
  sym::Graph& g = p.graph();
  const Factor& f = system.model->factors[k];
  if (f.manifold->isGroup()) return {};
  const Tuple point = loads(g, f.point, index);
  const Tuple velocity = loads(g, f.velocity, index);
  const auto q = dummies(g, f.manifold->point(), "q");
  const Tuple change = generator(p, *f.manifold, f.frame, point, velocity);
  const std::vector<Tuple> symbolic = conormals(p, *f.manifold, loads(g, q, {}));
  std::vector<Gauge> list;
  for (const Tuple& normal : symbolic) {
    // c(g, xi) = <n(g), xi> is linear in xi, so dc/dg T xi = <dn/dg T xi, xi>.
    const Expr rate = unknown == MassUnknown::Acceleration
                          ? (*system.simplify)(pairing(g, directional(p, normal, q, change, point), velocity))
                          : g.number(0);
    list.push_back({entries(g, replaceArrays(g, normal, q, point)), rate});
  }
  return list;
}

} // namespace lmc
