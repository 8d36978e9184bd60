// Tangents of what is defined implicitly: linear solves over families and Newton iterations.
#include "sym/Inline.h"
#include "sym/derivatives/Implicit.h"

namespace lmc::sym {

std::vector<Expr> Tangent::indexOf(const std::vector<Expr>& own) const {
  std::vector<Expr> index = indicesOf(prefix_);
  index.insert(index.end(), own.begin(), own.end());
  return index;
}

/// A new array with the prefix's extents before its own.
const Array* Tangent::prefixed(const std::string& name, const std::vector<std::int64_t>& own, const Shape& shape,
                               Role role) {
  std::vector<std::int64_t> extents;
  for (const Loop& l : prefix_) extents.push_back(constantInt(l.hi));
  extents.insert(extents.end(), own.begin(), own.end());
  return p_.graph().newArray(name, extents, shape, role);
}

/// array[prefix…, own…] = value over the prefix and `own`.
void Tangent::define(const Array* array, const std::vector<Loop>& own, const std::vector<Expr>& index, Expr value) {
  Equation e;
  e.array = array;
  e.loops = prefix_;
  e.loops.insert(e.loops.end(), own.begin(), own.end());
  e.index = indexOf(index);
  e.value = value;
  p_.append(std::move(e));
}

/// M x = r: M x' = r' - M' x, with the same matrix.
void Tangent::linearSolve(const Equation& source, const Array* tangent) {
  Graph& g = p_.graph();
  const std::int64_t n = source.matrix->extents[0];
  const Array* rhs = g.newArray(source.rhs->name + "'", tangent->extents, tangent->shape, Role::Temp);
  const Loop i = fullLoop(g, "i", n);
  const Loop j = fullLoop(g, "j", n);
  const auto accumulate = [&](std::vector<Loop> loops, Expr value) {
    if (value->isZero()) return;
    Equation e;
    e.kind = EquationKind::Accumulate;
    e.array = rhs;
    e.loops = prefix_;
    e.loops.insert(e.loops.end(), loops.begin(), loops.end());
    e.index = indexOf({i.index});
    e.value = value;
    p_.append(std::move(e));
  };
  accumulate({i}, of(g.load(source.rhs, {i.index})));
  const Expr change = of(g.load(source.matrix, {i.index, j.index}));
  accumulate({i, j}, g.neg(g.mul(change, g.load(source.array, {j.index}))));
  Equation solve = source;
  solve.array = tangent;
  solve.rhs = rhs;
  p_.append(std::move(solve));
}

/// r(x, p) = 0: J x' = -r', where r' is the derivative with the iterate held fixed. False if the tangent vanishes.
bool Tangent::newton(const Equation& source, const Array* tangent) {
  Graph& g = p_.graph();
  const Array* residual = source.newton->residual;
  const std::vector<Loop> loops = memberLoops(g, residual->extents);
  const Expr value = of(g.load(residual, indicesOf(loops)));
  if (value->isZero()) return false;
  const Array* change = prefixed(residual->name + "'", residual->extents, Shape::scalar(), Role::Temp);
  define(change, loops, indicesOf(loops), value);
  if (source.newton->jacobian != nullptr)
    solveDense(source, change, tangent);
  else
    solveByProducts(source, change, tangent);
  return true;
}

void Tangent::solveDense(const Equation& source, const Array* change, const Array* tangent) {
  Graph& g = p_.graph();
  const int n = static_cast<int>(source.array->size());
  const Array* at = copiesAt(p_, source, {change})[0];
  std::vector<Expr> list;
  for (int k = 1; k <= n; ++k) list.push_back(g.neg(g.load(at, indexOf({g.integer(k)}))));
  const Array* all = prefixed(source.array->name + "'", {}, Shape::vec(n), Role::Temp);
  define(all, {}, {}, g.matmul(g.load(inverseJacobian(p_, source)), g.vector(list)));
  for (int k = 0; k < n; ++k) define(tangent, {}, {g.integer(k + 1)}, g.entry(g.load(all, indexOf({})), k));
}

/// A linear system in x' for an iteration of its own, with the same products with the Jacobian.
void Tangent::solveByProducts(const Equation& source, const Array* change, const Array* tangent) {
  Graph& g = p_.graph();
  const NewtonIteration& newton = *source.newton;
  const Array* residual = newton.residual;
  const Array* iterate = g.newArray("?" + tangent->name, tangent->extents, Shape::scalar(), Role::Unknown);
  const Array* direction = g.newArray("!" + tangent->name, tangent->extents, Shape::scalar(), Role::Unknown);
  const bool same = sameForm(newton, source.array);
  Tangent along(p_, prefix_);
  for (std::size_t k = 0; k < newton.iterate.size(); ++k) {
    along.seed(newton.iterate[k], [&, k](const std::vector<Expr>& index) {
      return elementOf(g, newton, k, index, same,
                       [&](const std::vector<Expr>& at) { return g.load(iterate, indexOf(at)); });
    });
  }
  const std::vector<Loop> loops = memberLoops(g, residual->extents);
  const std::vector<Expr> index = indicesOf(loops);
  const Array* product = prefixed(residual->name + ".J", residual->extents, Shape::scalar(), Role::Temp);
  define(product, loops, index, along.of(g.load(residual, index)));
  std::vector<const Array*> roots = {product, change};
  if (newton.sparse) roots.push_back(newton.sparse->values);
  const std::vector<const Array*> at = copiesAt(p_, source, roots);
  const Array* linear = prefixed(residual->name + "'", residual->extents, Shape::scalar(), Role::Temp);
  define(linear, loops, index, g.add(g.load(at[0], indexOf(index)), g.load(at[1], indexOf(index))));

  Replacement replacement;
  replacement.arrays[iterate] = direction;
  auto system = std::make_shared<NewtonIteration>();
  system->iterate = {iterate};
  system->start = g.newArray("start", tangent->extents, Shape::scalar(), Role::Temp); // zero
  system->residual = linear;
  system->limit = newton.limit;
  if (newton.sparse) useSparse(*system, newton, at[2], false);
  if (newton.product != nullptr || !newton.sparse) {
    system->linear = false;
    system->direction = {direction};
    system->product = inlineCopy(p_, {at[0]}, replacement, "!")[0];
  }
  Equation solve;
  solve.kind = EquationKind::Newton;
  solve.array = tangent;
  solve.newton = std::move(system);
  p_.append(std::move(solve));
}

} // namespace lmc::sym
