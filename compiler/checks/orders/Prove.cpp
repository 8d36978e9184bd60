#include "checks/orders/Prove.h"

#include "checks/orders/MethodSeries.h"
#include "checks/orders/TableauOrder.h"

#include <algorithm>
#include <cmath>

namespace lmc::orders {

namespace {

using Id = Forests::Id;

ProvedOrder compare(const Series& method, const Series& exact, const Forests& basis) {
  ProvedOrder result;
  result.order = basis.highest();
  double residual = 0;
  int reached = 0;
  for (std::size_t k = 0; k < method.size(); ++k) { // by order
    const Id w = static_cast<Id>(k);
    if (basis.order(w) > reached) {
      result.residual = residual;
      reached = basis.order(w);
    }
    const Coefficient difference = method[k] - exact[k];
    const double size = std::abs(static_cast<double>(difference.value()));
    if (size < residualLimit) {
      result.numerical = result.numerical || !(difference.exact() && difference.isZero());
      residual = std::max(residual, size);
      continue;
    }
    result.order = basis.order(w) - 1;
    result.failure = {basis.text(w), method[k].text(), exact[k].text(), size};
    return result;
  }
  result.residual = residual;
  return result;
}

} // namespace

OrderProof proveOrder(sym::Graph& graph, const methods::CheckedMethod& method, int highest) {
  OrderProof proof;
  if (method.tableau && method.tableau->kind == methods::MethodClass::Projected) {
    // In storage coordinates it is a classical method, and `onto` moves its result by no more than the local error.
    const methods::Tableau& t = method.tableau->tableau;
    proof.next = orderOf(t, t.b, highest);
    if (!t.bhat.empty()) proof.embedded = orderOf(t, t.bhat, highest);
    return proof;
  }
  try {
    // Where f is evaluated at the times that its points have, time is one more component of y, with t' = 1.
    for (const bool withTime : {false, true}) {
      const Forests basis(highest, withTime);
      const SeriesAlgebra algebra(basis);
      const MethodSeries series = methodSeries(graph, method, algebra);
      if (!series.timesFit && !withTime) continue;
      const Series exact = algebra.exact();
      proof.next = compare(series.next, exact, basis);
      if (series.embedded) proof.embedded = compare(*series.embedded, exact, basis);
      break;
    }
  } catch (const NotProved& reason) {
    proof.reason = reason.what();
  }
  return proof;
}

OrderProof proveOrder(sema::Compilation& compilation, const sema::Found& method, int highest) {
  const auto checked = methods::checkMethod(compilation, method);
  if (!checked) return {"it has errors", {}, {}};
  return proveOrder(compilation.graph(), *checked, highest);
}

} // namespace lmc::orders
