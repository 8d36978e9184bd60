// Methods that are constructed from a tableau: `rkmk(T)`, `rkmk(T, truncate = 2)`, `crouch_grossman(T)`,
// `projected(T)`, `projected(T, turns = 13)`.
#pragma once

#include "methods/checked/Tableau.h"

#include <cstdint>
#include <optional>

namespace lmc::methods {

enum class MethodClass : std::uint8_t { MuntheKaas, CrouchGrossman, Projected };

struct Constructed {
  MethodClass kind = MethodClass::MuntheKaas;
  Tableau tableau;
  Range where; ///< of the constructor
  /// dexpinv is the series of the bracket, cut after ad^truncate; without it exact where the group gives it.
  std::optional<int> truncate;
  /// The stages are those of an implicit tableau after so many turns, and `tableau` is the explicit one that has all of
  /// them (`iterated`).
  std::optional<int> turns;
};

/// The highest power of ad that `truncate` may name.
inline constexpr int highestTruncation = 10;
/// The most turns.
inline constexpr int mostTurns = 30;

/// The explicit tableau of an implicit one whose stages are found by fixed-point iteration, from f at the begin on:
/// K^0_i = f(t, y), K^n_i = f(t + c_i h, y + h sum_j a_ij K^(n-1)_j), with the weights b on the last turn. Each turn
/// raises the order by one, up to that of the tableau. All weights stand on the last turn, but for `before`.
/// Source: P. J. van der Houwen, B. P. Sommeijer, "Parallel iteration of high-order Runge-Kutta methods with stepsize
/// control", J. Comput. Appl. Math. 29 (1990), 111-127.
[[nodiscard]] Tableau iterated(const Tableau& tableau, int turns);

/// Reads the constructor of a method; reports unknown constructors, tableaux and arguments.
[[nodiscard]] std::optional<Constructed> readConstructor(sema::Compilation& compilation, sema::Evaluator& evaluator,
                                                         const syntax::Expr& constructor);

} // namespace lmc::methods
