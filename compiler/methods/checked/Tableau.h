// Runge–Kutta tableaux with exact coefficients.
#pragma once

#include "sema/Compilation.h"
#include "sym/Number.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc::methods {

struct Tableau {
  std::string name;
  Range range;                             ///< of its declaration
  Range orderRange;                        ///< of the statement `order p;`, or of the name
  std::vector<std::vector<sym::Number>> a; ///< s rows of s entries
  std::vector<sym::Number> b, c, bhat;     ///< bhat is empty when the tableau has none
  /// Weights of an order below that of bhat, for an estimate of both (LocalError.h); empty when it has none.
  std::vector<sym::Number> bhat2;
  /// Of stages that are turns of an iteration (`iterated`) the weights b on the turn before the last one: what the last
  /// one changes is a part of the error, too. Empty of others, and when there is no bhat.
  std::vector<sym::Number> before;
  /// Of the same: weights of what the stages' rates are at both ends of the step, where no stage need stand, each times
  /// the part of the step by which an estimate counts what f is off there (edgeParts). Empty where `before` is, and
  /// where nodes coincide.
  std::vector<sym::Number> edges;
  /// At the begin and at the end: about the distance of the first stage. Not the same, so that equal jumps at both do
  /// not cancel each other.
  static constexpr double edgeParts[] = {0.015, 0.02};
  int order = 0;
  int embeddedOrder = 0; ///< of bhat: q of `order p(q)`; 0 when not given
  [[nodiscard]] std::size_t stages() const { return b.size(); }
  [[nodiscard]] bool isExplicit() const;
  /// Whether no stage needs later ones, so that each is explicit, or an equation of its own.
  [[nodiscard]] bool isTriangular() const;
  /// Of a triangular tableau: the stages that are equations.
  [[nodiscard]] std::size_t equations() const;
  /// An explicit pair whose last stage is f at the end of the step, and serves the estimate alone: the last row of `a`
  /// is b ("first same as last").
  [[nodiscard]] bool endsWithNext() const;
};

/// Reads a tableau's declaration; reports shapes that do not fit, nodes that are not the row sums of `a`, weights that
/// do not add up to 1.
[[nodiscard]] std::optional<Tableau> readTableau(sema::Compilation& compilation, sema::Evaluator& evaluator,
                                                 const sema::Found& found);
/// The same outside of a method.
[[nodiscard]] std::optional<Tableau> readTableau(sema::Compilation& compilation, const sema::Found& found);

} // namespace lmc::methods
