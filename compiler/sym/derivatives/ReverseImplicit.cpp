// Adjoints of what is defined implicitly: linear solves over families and Newton iterations.
#include "sym/Inline.h"
#include "sym/derivatives/Implicit.h"

namespace lmc::sym {

namespace {

void set(Program& p, const Array* a, std::vector<Loop> loops, std::vector<Expr> index, Expr value) {
  Equation e;
  e.array = a;
  e.loops = std::move(loops);
  e.index = std::move(index);
  e.value = value;
  p.append(std::move(e));
}

/// J^T v at the solution, for v an array of the solution's form.
const Array* transposedProduct(Program& p, const Equation& source, const Array* v, const std::string& name) {
  Graph& g = p.graph();
  const NewtonIteration& newton = *source.newton;
  const std::vector<Loop> loops = memberLoops(g, newton.residual->extents);
  const std::vector<Expr> index = indicesOf(loops);
  const Gradient gradient =
      sym::gradient(p, {{loops, Expr(), g.load(newton.residual, index), g.load(v, index)}}, newton.iterate, name);
  const Array* product = g.newArray(name + ".JT", source.array->extents, Shape::scalar(), Role::Temp);
  std::int64_t first = 0;
  for (const Array* part : newton.iterate) {
    const std::vector<Loop> members = memberLoops(g, part->extents);
    const Expr element = gradient.of(part, indicesOf(members));
    if (sameForm(newton, source.array)) {
      set(p, product, members, indicesOf(members), element);
      continue;
    }
    Expr member = g.integer(0);
    for (std::size_t d = 0; d < members.size(); ++d)
      member = g.add(g.mul(g.integer(part->extents[d]), member), g.sub(members[d].index, g.integer(1)));
    for (int e = 0; e < part->shape.size(); ++e) {
      const Expr position = g.add(g.integer(first + e + 1), g.mul(g.integer(part->shape.size()), member));
      set(p, product, members, {position}, g.entry(element, e / part->shape.cols, e % part->shape.cols));
    }
    first += part->size();
  }
  return copiesAt(p, source, {product})[0];
}

/// J^T lambda = adjoint by the inverse of J.
void solveTransposedDense(Program& p, const Equation& source, const Array* adjoint, const Array* lambda) {
  Graph& g = p.graph();
  const int n = static_cast<int>(source.array->size());
  std::vector<Expr> list;
  for (int k = 1; k <= n; ++k) list.push_back(g.load(adjoint, {g.integer(k)}));
  const Array* all = g.newArray(lambda->name + ".all", {}, Shape::vec(n), Role::Temp);
  set(p, all, {}, {}, g.matmul(g.transpose(g.load(inverseJacobian(p, source))), g.vector(list)));
  for (int k = 0; k < n; ++k) set(p, lambda, {}, {g.integer(k + 1)}, g.entry(g.load(all), k));
}

/// The same for an iteration by products: an iteration of its own.
void solveTransposedByProducts(Program& p, const Equation& source, const Array* adjoint, const Array* lambda) {
  Graph& g = p.graph();
  const auto& extents = source.array->extents;
  auto system = std::make_shared<NewtonIteration>();
  const Array* iterate = g.newArray("?" + lambda->name, extents, Shape::scalar(), Role::Unknown);
  const Array* direction = g.newArray("!" + lambda->name, extents, Shape::scalar(), Role::Unknown);
  const Array* product = transposedProduct(p, source, iterate, lambda->name);
  const Array* residual = g.newArray(lambda->name + ".residual", extents, Shape::scalar(), Role::Temp);
  const std::vector<Loop> loops = memberLoops(g, extents);
  const std::vector<Expr> index = indicesOf(loops);
  set(p, residual, loops, index, g.sub(g.load(product, index), g.load(adjoint, index)));
  Replacement replacement;
  replacement.arrays[iterate] = direction;
  system->iterate = {iterate};
  system->start = g.newArray("start", extents, Shape::scalar(), Role::Temp); // zero
  system->residual = residual;
  const NewtonIteration& newton = *source.newton;
  if (newton.sparse) useSparse(*system, newton, copiesAt(p, source, {newton.sparse->values})[0], true);
  if (newton.product != nullptr || !newton.sparse) {
    system->linear = false;
    system->direction = {direction};
    system->product = inlineCopy(p, {product}, replacement, "!")[0];
  }
  system->limit = source.newton->limit;
  Equation solve;
  solve.kind = EquationKind::Newton;
  solve.array = lambda;
  solve.newton = std::move(system);
  p.append(std::move(solve));
}

} // namespace

std::vector<ArrayContribution> adjointOfLinearSolve(Program& p, const Equation& source, const Array* adjoint,
                                                    const std::string& name) {
  Graph& g = p.graph();
  const Array* lambda =
      g.newArray(name + "/l" + source.array->name, source.array->extents, Shape::scalar(), Role::Temp);
  Equation solve = source; // M is symmetric
  solve.array = lambda;
  solve.rhs = adjoint;
  p.append(std::move(solve));
  const std::vector<Loop> loops = memberLoops(g, source.array->extents);
  const std::vector<Expr> index = indicesOf(loops);
  const Loop column = fullLoop(g, "j", source.matrix->extents[1]);
  std::vector<Loop> pairs = loops;
  pairs.push_back(column);
  std::vector<Expr> other = index;
  other.back() = column.index;
  const Expr outer = g.mul(g.load(lambda, index), g.load(source.array, other));
  return {{source.rhs, {loops, Expr(), index, g.load(lambda, index)}},
          {source.matrix, {pairs, Expr(), {index.back(), column.index}, g.neg(outer)}}};
}

ArrayContribution adjointOfNewton(Program& p, const Equation& source, const Array* adjoint, const std::string& name) {
  Graph& g = p.graph();
  const Array* lambda =
      g.newArray(name + "/l" + source.array->name, source.array->extents, Shape::scalar(), Role::Temp);
  if (source.newton->jacobian != nullptr)
    solveTransposedDense(p, source, adjoint, lambda);
  else
    solveTransposedByProducts(p, source, adjoint, lambda);
  const Array* residual = source.newton->residual; // of the form of the solution
  const std::vector<Loop> loops = memberLoops(g, residual->extents);
  const std::vector<Expr> index = indicesOf(loops);
  return {residual, {loops, Expr(), index, g.neg(g.load(lambda, index))}};
}

} // namespace lmc::sym
