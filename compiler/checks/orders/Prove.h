// The order of a method, proved: its Lie–Butcher series against that of the exact solution, condition by condition.
//
// The result holds for every Lie group and every action, for equations that depend on time, with the signs of brackets,
// the order of the factors and the truncation of dexpinv as the method has them. With fractions as coefficients the
// arithmetic is exact. Rounded coefficients fulfil a condition when they miss it by less than `residualLimit`; the
// proof is then called numerical.
#pragma once

#include "methods/checked/CheckMethod.h"

#include <optional>
#include <string>

namespace lmc::orders {

inline constexpr double residualLimit = 1e-14;
/// Coefficients that are printed with six digits or more miss conditions by less than this; wrong ones by far more.
inline constexpr double coarseResidual = 1e-6;

/// The first condition that fails.
struct FailedCondition {
  std::string tree;             ///< as a derivative: f''(f, f'(f)); a product of trees with `·`
  std::string value, condition; ///< what the method has, and what the solution has
  double missed = 0;            ///< their difference
  /// So little that it is the rounding of decimal coefficients: nothing is proved, either way.
  [[nodiscard]] bool isRounding() const { return missed < coarseResidual; }
};

struct ProvedOrder {
  int order = 0;
  bool numerical = false;                 ///< some condition is met up to rounded coefficients
  double residual = 0;                    ///< the largest up to that order
  std::optional<FailedCondition> failure; ///< of the next order; nothing when all conditions that were tried hold
};

struct OrderProof {
  std::string reason;                  ///< why nothing was proved; empty if it was
  ProvedOrder next;                    ///< of the step
  std::optional<ProvedOrder> embedded; ///< of the second approximation
  [[nodiscard]] bool proved() const { return reason.empty(); }
};

/// Conditions up to order `highest`.
[[nodiscard]] OrderProof proveOrder(sym::Graph& graph, const methods::CheckedMethod& method, int highest);
/// The same of a declaration, with the defaults of its parameters; its errors are reported.
[[nodiscard]] OrderProof proveOrder(sema::Compilation& compilation, const sema::Found& method, int highest);

/// The conditions that are worth trying for a method that declares this order: one order more, at most `provedLimit`.
inline constexpr int provedLimit = 9;

} // namespace lmc::orders
