#include "sym/derivatives/Implicit.h"

#include "sym/Inline.h"

namespace lmc::sym {

/// The numbers of an iterate are an array of the same form.
bool sameForm(const NewtonIteration& newton, const Array* numbers) {
  const Array* only = newton.iterate[0];
  return newton.iterate.size() == 1 && only->shape.rank == 0 && only->extents == numbers->extents;
}

/// An element of the k-th part of an iterate, of whose n numbers `number` gives the one at a position or, if they have
/// the same form, at an index.
Expr elementOf(Graph& g, const NewtonIteration& newton, std::size_t k, const std::vector<Expr>& index, bool same,
               const std::function<Expr(const std::vector<Expr>&)>& number) {
  if (same) return number(index);
  std::int64_t first = 0;
  for (std::size_t j = 0; j < k; ++j) first += newton.iterate[j]->size();
  const Array& part = *newton.iterate[k];
  Expr member = g.integer(0);
  for (std::size_t d = 0; d < index.size(); ++d)
    member = g.add(g.mul(g.integer(part.extents[d]), member), g.sub(index[d], g.integer(1)));
  const Expr base = g.mul(g.integer(part.shape.size()), member);
  std::vector<Expr> list;
  list.reserve(part.shape.size());
  for (int e = 0; e < part.shape.size(); ++e) list.push_back(number({g.add(g.integer(first + e + 1), base)}));
  if (part.shape.rank == 0) return list[0];
  return part.shape.rank == 1 ? g.vector(list) : g.matrix(part.shape.rows, part.shape.cols, list);
}

/// Copies of arrays with the iterate replaced by the solution.
std::vector<const Array*> copiesAt(Program& p, const Equation& source, const std::vector<const Array*>& roots) {
  Graph& g = p.graph();
  const NewtonIteration& newton = *source.newton;
  const Array* solution = source.array;
  Replacement replacement;
  if (sameForm(newton, solution)) {
    replacement.arrays[newton.iterate[0]] = solution;
    return inlineCopy(p, roots, replacement, "*");
  }
  for (std::size_t k = 0; k < newton.iterate.size(); ++k) {
    const Array* part = newton.iterate[k];
    Equation e;
    e.array = g.newArray(part->name + "*", part->extents, part->shape, Role::Temp);
    e.loops = memberLoops(g, part->extents);
    e.index = indicesOf(e.loops);
    e.value =
        elementOf(g, newton, k, e.index, false, [&](const std::vector<Expr>& at) { return g.load(solution, at); });
    replacement.arrays[part] = e.array;
    p.append(std::move(e));
  }
  return inlineCopy(p, roots, replacement, "*");
}

void useSparse(NewtonIteration& system, const NewtonIteration& of, const Array* values, bool transposed) {
  auto sparse = std::make_shared<SparseJacobian>(*of.sparse);
  sparse->values = values;
  sparse->transposed = sparse->transposed != transposed;
  system.sparse = std::move(sparse);
  system.linear = true;
}

/// The inverse of the Jacobian at the solution, as one matrix.
const Array* inverseJacobian(Program& p, const Equation& source) {
  if (const Array* inverse = p.inverseJacobian(source.array)) return inverse;
  Graph& g = p.graph();
  const int n = static_cast<int>(source.array->size());
  const Array* jacobian = copiesAt(p, source, {source.newton->jacobian})[0];
  std::vector<Expr> list;
  for (int i = 1; i <= n; ++i) {
    for (int j = 1; j <= n; ++j) list.push_back(g.load(jacobian, {g.integer(i), g.integer(j)}));
  }
  Equation e;
  e.array = g.newArray(source.array->name + ".inverse", {}, Shape::mat(n, n), Role::Temp);
  e.value = g.inverse(g.matrix(n, n, list));
  const Array* inverse = e.array;
  p.setInverseJacobian(source.array, inverse);
  p.append(std::move(e));
  return inverse;
}

} // namespace lmc::sym
