// Lie–Butcher series: formal sums over ordered forests, cut after the highest order of the basis.
//
// A point Y = s*y of the manifold, s in the group, is a series with value 1 on the empty forest; an algebra element has
// only terms of its Lie algebra. Every series is a function of the state y at the start of the step, so that f at
// another point is a grafting, f(s*y) = B_+(s), and no substitution is needed.
// Source: H. Munthe-Kaas, W. Wright, "On the Hopf algebraic structure of Lie group integrators", Foundations of
// Computational Mathematics 8 (2008) 227-257.
#pragma once

#include "checks/orders/Coefficient.h"
#include "checks/orders/Forests.h"

#include <optional>

namespace lmc::orders {

using Series = std::vector<Coefficient>; ///< by the numbers of the forests

class SeriesAlgebra {
public:
  explicit SeriesAlgebra(const Forests& basis);

  [[nodiscard]] const Forests& basis() const { return basis_; }
  [[nodiscard]] Series zero() const { return Series(basis_.size()); }
  /// The point y itself.
  [[nodiscard]] Series start() const;

  void add(Series& sum, const Coefficient& c, const Series& a) const;
  [[nodiscard]] Series product(const Series& a, const Series& b) const;
  [[nodiscard]] Series bracket(const Series& a, const Series& b) const;
  /// exp(k)*Y
  [[nodiscard]] Series act(const Series& k, const Series& y) const;
  /// sum B_k/k! ad_u^k v; after ad^highest if it is given.
  [[nodiscard]] Series dexpinv(const Series& u, const Series& v, std::optional<int> highest) const;
  /// h f(t + c h, Y)
  [[nodiscard]] Series field(const Series& y, const Coefficient& c) const;
  /// The exact solution after one step: S' = f(t, S*y)*S, that is n S_n = sum_k F_(k-1) S_(n-k).
  [[nodiscard]] Series exact() const;
  /// The nodes by which a point is ahead in time: its value on the tree with one node.
  [[nodiscard]] Coefficient time(const Series& y) const { return y[static_cast<std::size_t>(basis_.node())]; }

private:
  [[nodiscard]] Series part(const Series& a, int order) const;

  const Forests& basis_;
  std::vector<Coefficient> bernoulli_; ///< B_k/k!
};

} // namespace lmc::orders
