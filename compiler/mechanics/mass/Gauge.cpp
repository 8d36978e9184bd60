#include "mechanics/mass/Gauge.h"

#include "sema/manifolds/Generator.h"

#include <fmt/format.h>

namespace lmc::mechanics {

using sym::Expr;

namespace {
/// Of two entries of a conormal each, in one mass matrix.
constexpr std::int64_t mostProducts = 500'000;
} // namespace

std::vector<Gauge> gaugesOf(Layer& layer, std::size_t k, const std::vector<Expr>& index, MassUnknown unknown) {
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  const sema::Factor& f = layer.model.factors[k];
  if (f.manifold->isGroup()) return {};
  const sema::Tuple point = sema::loads(g, f.point, index);
  const sema::Tuple velocity = sema::loads(g, f.velocity, index);
  const auto q = sema::dummies(g, f.manifold->point(), "q");
  const sema::Tuple change = sema::generator(p, *f.manifold, f.frame, point, velocity);
  const std::vector<sema::Tuple> symbolic = sema::conormals(p, *f.manifold, sema::loads(g, q, {}));
  std::vector<Gauge> list;
  for (const sema::Tuple& normal : symbolic) {
    // c(g, xi) = <n(g), xi> is linear in xi, so dc/dg T xi = <dn/dg T xi, xi>.
    const Expr rate = unknown == MassUnknown::Acceleration
                          ? layer.simplify(sema::pairing(g, sema::directional(p, normal, q, change, point), velocity))
                          : g.number(0);
    // A condition says the same at any scale. (Of those that `project` leaves some vanish here and there.)
    const Expr square = f.manifold->gives("project")
                            ? g.number(1)
                            : sema::replaceArrays(g, {layer.simplify(sema::pairing(g, normal, normal))}, q, point)[0];
    list.push_back({sema::entries(g, sema::replaceArrays(g, normal, q, point)), layer.simplify(square), rate});
  }
  return list;
}

bool hasTooManyConormals(const sema::Model& model, std::size_t k, Diagnostics* diagnostics) {
  const sema::Factor& f = model.factors[k];
  if (f.manifold->isGroup()) return false;
  const std::int64_t size = f.manifold->algebraSize();
  // A projection gives a condition for each number of the algebra.
  const std::int64_t conditions = f.manifold->gives("project") ? size : size - f.manifold->dimension().value_or(0);
  if (conditions * size * size <= mostProducts) return false;
  if (diagnostics != nullptr) {
    diagnostics
        ->error(
            Code::LIE0024, f.range,
            fmt::format("`{}` is too large for a kinetic energy that depends on its position: its mass matrix has {} "
                        "unknowns, and {} conditions along the isotropy",
                        f.name, size, conditions))
        .note(fmt::format("velocities of {} are elements of the algebra of its group, which has {} numbers; where the "
                          "matrix of the kinetic energy in q' is constant, constraint forces are solved for instead",
                          f.manifold->name(), size))
        .suggest("fewer dimensions, or a kinetic energy that is quadratic in the point's own velocity with constant "
                 "coefficients, as 0.5*m*dot(q', q')");
  }
  return true;
}

void addGauges(sym::Program& p, const std::vector<Gauge>& gauges, Expr s, const std::vector<sym::Loop>& member,
               Expr before, const sym::Array* mass, const sym::Array* rhs) {
  sym::Graph& g = p.graph();
  const auto count = static_cast<std::int64_t>(gauges.size());
  const auto dim = static_cast<std::int64_t>(gauges.front().normal.size());
  std::vector<Expr> outer; // the member's index
  std::vector<std::int64_t> extents;
  for (const sym::Loop& l : member) {
    outer.push_back(l.index);
    extents.push_back(l.hi->number.num());
  }
  const auto at = [&](std::initializer_list<Expr> inner) {
    std::vector<Expr> index = outer;
    index.insert(index.end(), inner);
    return index;
  };
  const auto append = [&](const sym::Array* array, std::initializer_list<sym::Loop> inner, std::vector<Expr> index,
                          Expr value, sym::EquationKind kind) {
    sym::Equation e;
    e.kind = kind;
    e.array = array;
    e.loops = member;
    e.loops.insert(e.loops.end(), inner);
    e.index = std::move(index);
    e.value = value;
    p.append(std::move(e));
  };
  extents.push_back(count);
  const sym::Array* rates = g.newArray("conormals.rates", extents, sym::Shape::scalar(), sym::Role::Temp);
  const sym::Array* weights = g.newArray("conormals.weights", extents, sym::Shape::scalar(), sym::Role::Temp);
  extents.push_back(dim);
  const sym::Array* normals = g.newArray("conormals", extents, sym::Shape::scalar(), sym::Role::Temp);
  for (std::int64_t l = 0; l < count; ++l) {
    const Gauge& gauge = gauges[static_cast<std::size_t>(l)];
    for (std::int64_t a = 0; a < dim; ++a)
      append(normals, {}, at({g.integer(l + 1), g.integer(a + 1)}), gauge.normal[static_cast<std::size_t>(a)],
             sym::EquationKind::Set);
    append(weights, {}, at({g.integer(l + 1)}), g.div(s, gauge.square), sym::EquationKind::Set);
    if (rhs != nullptr) append(rates, {}, at({g.integer(l + 1)}), gauge.rate, sym::EquationKind::Set);
  }
  const sym::Loop i = sym::fullLoop(g, "i", dim);
  const sym::Loop j = sym::fullLoop(g, "j", dim);
  const sym::Loop l = sym::fullLoop(g, "l", count);
  const Expr left = g.load(normals, at({l.index, i.index}));
  append(mass, {i, j, l}, {g.add(before, i.index), g.add(before, j.index)},
         g.mul(g.load(weights, at({l.index})), g.mul(left, g.load(normals, at({l.index, j.index})))),
         sym::EquationKind::Accumulate);
  if (rhs != nullptr)
    append(rhs, {i, l}, {g.add(before, i.index)},
           g.neg(g.mul(g.mul(g.load(weights, at({l.index})), g.load(rates, at({l.index}))), left)),
           sym::EquationKind::Accumulate);
}

} // namespace lmc::mechanics
