// The methods that tableaux construct: Munthe-Kaas and Crouch–Grossman, explicit, diagonally implicit and implicit.
#pragma once

#include "methods/checked/Tableau.h"
#include "methods/kinds/ManifoldKind.h"

namespace lmc::methods {

class StepCalls;

/// One step with a tableau from time `time` with step size `h`.
class TableauStep {
public:
  TableauStep(ManifoldKind& kind, const KindContext& context, const Tableau& tableau, sym::Expr h, sym::Expr time)
      : kind_(kind), context_(context), tableau_(tableau), h_(h), time_(time) {}

  struct Results {
    sema::Tuple next;
    sema::Tuple embedded, embedded2;    ///< with the weights bhat and bhat2; empty when the tableau has none
    std::optional<LastStage> last = {}; ///< of a Munthe-Kaas method whose tableau ends with its result
  };
  /// u_i = sum a_ij K_j, k_i = h f(t + c_i h, exp(u_i) y), K_i = dexpinv_{u_i} k_i, next y = exp(sum b_j K_j) y
  /// (spec, section 1.2).
  [[nodiscard]] Results muntheKaas(const sema::Tuple& y, const DexpinvCut& cut) const;
  /// The same where all stages call one function of u (SharedStages). Of an explicit tableau.
  [[nodiscard]] Results muntheKaasShared(const sema::Tuple& y, const DexpinvCut& cut) const;
  /// The same by calls, for models whose constraints f puts velocities on (MethodKind::projectsByRates), and where
  /// stages are equations, which stand in the code once for each number on the diagonal. Of a triangular tableau.
  [[nodiscard]] Results muntheKaasCalls(const sema::Tuple& y, const DexpinvCut& cut) const;
  /// Crouch–Grossman by calls of f, of actions and of equations. Of a triangular tableau.
  [[nodiscard]] Results crouchGrossmanCalls(const sema::Tuple& y) const;
  /// Y_i = exp(a_is k_s)*…*exp(a_i1 k_1)*y, k_i = h f(t + c_i h, Y_i): the first stage acts first (spec, section 1.3).
  [[nodiscard]] Results crouchGrossman(const sema::Tuple& y) const;

private:
  /// Both results, where result(weights) is that of some weights.
  template <typename Result> Results both(Result result) const;
  /// The element of the algebra that takes exp(v)*y to the second result is dexp_v(vhat - v) to first order, where the
  /// last stage adds its weight times h f at the end, since dexp_v dexpinv_v is the identity. Without it, `difference`
  /// is O(h), and parallel to v up to O(h^2): the series of dexp_v after ad^(q - 1) leaves O(h^(q + 2)) for an order q.
  /// (Of orders 2 and 1 this would be large; ad^2 costs little.)
  [[nodiscard]] LastStage handed(const sema::Tuple& v, const sema::Tuple& difference, const sema::Tuple& f) const;
  /// K = dexpinv_u h f(time, exp(u)*y); with an empty u h f(time, y). `f`: where that of f is left, unless it is null.
  [[nodiscard]] sema::Tuple stage(const sema::Tuple& u, const sema::Tuple& y, const sym::Expr& time,
                                  const DexpinvCut& cut, sema::Tuple* f = nullptr) const;
  /// h f as a call.
  [[nodiscard]] sema::Value scaledRate(StepCalls& calls, const sym::Expr& time, const sema::Value& state) const;
  /// The solution k of k = value(given, k) as a call, where `part` is the number on the diagonal: by a routine of its
  /// own for each. Of the arguments, which `value` is given, the first is what the iteration starts from.
  template <typename Value>
  [[nodiscard]] sema::Value solution(StepCalls& calls, const sym::Number& part, const std::vector<sema::Value>& args,
                                     Value value) const;
  [[nodiscard]] sema::Tuple endOf(StepCalls& calls, const sema::Value& state, bool own) const;
  /// f as a call.
  [[nodiscard]] sema::Value rate(StepCalls& calls, const sym::Expr& time, const sema::Value& state) const;
  [[nodiscard]] sym::Expr stageTime(std::size_t i) const;
  [[nodiscard]] sema::Tuple start(const sema::Tuple& y) const;

  ManifoldKind& kind_;
  const KindContext& context_;
  const Tableau& tableau_;
  sym::Expr h_, time_;
};

} // namespace lmc::methods
