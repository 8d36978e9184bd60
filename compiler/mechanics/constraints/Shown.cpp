#include "mechanics/constraints/Shown.h"

#include "sema/manifolds/Generator.h"

#include <algorithm>

namespace lmc::mechanics {

using sym::Expr;

namespace {

const sema::ArrayTuple& rateOf(const sema::Factor& f) {
  return f.fiber == sema::Fiber::Momentum ? f.rate : f.velocity;
}

void seedMotion(sym::Tangent& t, sym::Program& p, const sema::Model& m, const ConstraintView& view) {
  sym::Graph& g = p.graph();
  for (const sema::Factor& f : m.factors) {
    for (std::size_t part = 0; part < f.point.size(); ++part) {
      t.seed(f.point[part], [&p, &g, &f, part](const std::vector<Expr>& index) {
        return sema::generator(p, *f.manifold, f.frame, sema::loads(g, f.point, index),
                               sema::loads(g, rateOf(f), index))[part];
      });
    }
  }
  for (const auto& [parameter, rate] : view.rates)
    t.seed(parameter, [&g, of = rate](const std::vector<Expr>& index) { return g.load(of, index); });
  t.seed(m.time, [&g](const std::vector<Expr>&) { return g.number(1); });
}

/// All values of the indices of a family but the last one, in order; one without any where there is one index or none.
std::vector<std::vector<std::int64_t>> leadingIndices(const std::vector<std::int64_t>& extents) {
  std::vector<std::vector<std::int64_t>> all{{}};
  for (std::size_t k = 0; k + 1 < extents.size(); ++k) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const std::vector<std::int64_t>& before : all)
      for (std::int64_t n = 1; n <= extents[k]; ++n) {
        longer.push_back(before);
        longer.back().push_back(n);
      }
    all = std::move(longer);
  }
  return all;
}

} // namespace

ShownConstraints shownConstraints(Layer& layer, const ConstraintView& view) {
  const LeadingIndices how = view.leading;
  const sema::Model& m = layer.model;
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  ShownConstraints shown;
  sym::Tangent flow(p), bias(p);
  seedMotion(flow, p, m, view);
  seedMotion(bias, p, m, view);
  std::vector<sym::SeededTerm> terms;
  for (std::size_t k = 0; k < m.constraints.size(); ++k) {
    if (view.left.contains(k)) continue;
    const sema::Constraint& c = m.constraints[k];
    const auto rateOf = [&](const Expr& value) { return c.velocities ? value : flow.of(value); };
    const std::size_t symbols =
        how == LeadingIndices::Symbols ? c.array->extents.size() : std::min<std::size_t>(1, c.array->extents.size());
    std::vector<std::vector<std::int64_t>> numbers{{}};
    if (how == LeadingIndices::Numbers) numbers = leadingIndices(c.array->extents);
    for (std::vector<std::int64_t>& leading : numbers) {
      ShownConstraint s;
      s.constraint = k;
      for (std::size_t n = c.array->extents.size() - symbols; n < c.array->extents.size(); ++n)
        s.index.push_back(sym::fullLoop(g, "i", c.array->extents[n]).index);
      std::vector<Expr> at;
      at.reserve(leading.size());
      for (const std::int64_t n : leading) at.push_back(g.integer(n));
      at.insert(at.end(), s.index.begin(), s.index.end());
      const Expr value = g.load(c.array, at);
      s.value = layer.simplify(value);
      s.rate = layer.simplify(rateOf(value));
      s.bias = layer.simplify(bias.of(rateOf(value)));
      s.leading = std::move(leading);
      shown.list.push_back(std::move(s));
    }
    std::vector<sym::Loop> loops;
    for (const std::int64_t n : c.array->extents) loops.push_back(sym::fullLoop(g, "i", n));
    const std::vector<Expr> all = sym::indicesOf(loops);
    const sym::Array* lambda = g.newArray("lambda." + c.name, c.array->extents, c.array->shape, sym::Role::Temp);
    terms.push_back({loops, Expr(), rateOf(g.load(c.array, all)), g.load(lambda, all)}); // without its equations
  }
  if (terms.empty()) {
    for (const sema::Factor& f : m.factors) {
      sema::Tuple none;
      for (const sym::Array* a : rateOf(f)) none.push_back(g.zero(a->shape));
      shown.forces.push_back(std::move(none));
    }
    return shown;
  }
  std::vector<const sym::Array*> velocities;
  for (const sema::Factor& f : m.factors) velocities.insert(velocities.end(), rateOf(f).begin(), rateOf(f).end());
  const sym::Gradient forces = sym::gradient(p, terms, velocities, "B^T lambda");
  for (std::size_t k = 0; k < m.factors.size(); ++k) {
    sema::Tuple own;
    for (const sym::Array* a : rateOf(m.factors[k]))
      own.push_back(layer.simplify(forces.of(a, layer.system.factors[k].index)));
    shown.forces.push_back(std::move(own));
  }
  return shown;
}

} // namespace lmc::mechanics
