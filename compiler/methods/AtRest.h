// The terms of a method to first order in the unknowns of its equations, where velocities, forces and steps are small:
// multiples of the matrices of constrained motion. Iterations on large systems begin with them.
#pragma once

#include "mechanics/constraints/StepBlocks.h"
#include "methods/checked/CheckedMethod.h"

#include <functional>

namespace lmc::methods {

class AtRest {
public:
  using What = mechanics::StepBlocks::What;
  /// A part of a value: a factor times one of the matrices, times an unknown. Factors for rows of constraints on
  /// positions and for those on velocities; of values without rows both are the same.
  struct Part {
    std::size_t unknown = 0;
    What what = What::Identity;
    sym::Expr positions, velocities;
  };
  using Form = std::vector<Part>;

  /// `number`: a number of the method in the step.
  AtRest(sym::Graph& graph, const CheckedMethod& method, std::function<sym::Expr(sym::Expr)> number)
      : g_(graph), method_(method), number_(std::move(number)), known_(method.terms.size()) {}

  /// A term is the k-th unknown.
  void unknown(TermId term, std::size_t k);
  /// Nothing where a term contains a product of two of the matrices, or a word that has no such form.
  [[nodiscard]] std::optional<Form> of(TermId term);
  /// The word for which there was none.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] Form scaled(Form form, sym::Expr factor) const;

private:
  std::optional<Form> made(const Term& t);
  std::optional<Form> word(const Term& t);
  std::optional<Form> through(const Term& t, TermId argument, What what, sym::Expr positions, sym::Expr velocities);
  std::optional<Form> sum(TermId a, TermId b, sym::Expr factor);
  [[nodiscard]] static Form added(Form a, const Form& b, sym::Graph& g);

  sym::Graph& g_;
  const CheckedMethod& method_;
  std::function<sym::Expr(sym::Expr)> number_;
  std::vector<std::optional<std::optional<Form>>> known_;
  std::string failure_;
};

} // namespace lmc::methods
