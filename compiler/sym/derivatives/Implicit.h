// What forward and reverse derivatives of implicit equations share: the solution of an iteration in the form of its
// iterate, copies of expressions at the solution, the inverse of the Jacobian there.
#pragma once

#include "sym/derivatives/Derivative.h"

namespace lmc::sym {

/// True if the numbers of an iterate are an array of the same form as the iterate.
[[nodiscard]] bool sameForm(const NewtonIteration& newton, const Array* numbers);
/// An element of the k-th part of an iterate, of whose n numbers `number` gives the one at a position or, if they have
/// the same form (`same`), at an index.
[[nodiscard]] Expr elementOf(Graph& g, const NewtonIteration& newton, std::size_t k, const std::vector<Expr>& index,
                             bool same, const std::function<Expr(const std::vector<Expr>&)>& number);
/// Copies of arrays with the iterate replaced by the solution; `source` is the equation of the iteration.
[[nodiscard]] std::vector<const Array*> copiesAt(Program& p, const Equation& source,
                                                 const std::vector<const Array*>& roots);
/// The inverse of the Jacobian at the solution, as one matrix. Of an iteration with a Jacobian.
[[nodiscard]] const Array* inverseJacobian(Program& p, const Equation& source);

/// A linear system is solved with the blocks of an iteration, whose numbers at its solution are `values`.
void useSparse(NewtonIteration& system, const NewtonIteration& of, const Array* values, bool transposed);

/// A contribution to the adjoint of an array: adjoint[index] += value over loops where guard.
struct Contribution {
  std::vector<Loop> loops;
  Expr guard;
  std::vector<Expr> index;
  Expr value;
};
using ArrayContribution = std::pair<const Array*, Contribution>;

/// What the adjoint of the solution of M x = r contributes to those of r and M.
[[nodiscard]] std::vector<ArrayContribution> adjointOfLinearSolve(Program& p, const Equation& source,
                                                                  const Array* adjoint, const std::string& name);
/// What the adjoint of the solution of an iteration r(x, p) = 0 contributes to that of the residual: -lambda with
/// J^T lambda = adjoint. What follows of it holds at the iterate; it must be copied to the solution (copiesAt).
[[nodiscard]] ArrayContribution adjointOfNewton(Program& p, const Equation& source, const Array* adjoint,
                                                const std::string& name);

} // namespace lmc::sym
