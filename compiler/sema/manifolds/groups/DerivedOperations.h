// What follows from the product, the exponential and the bracket of any group, by differentiation and linear algebra.
//
//   identity      exp(0)
//   inverse(A)    X with product(A, X) = identity; the product must be affine in its second factor
//   hat(w)        d/ds exp(s w) at s = 0, a change of the storage
//   vee(x)        w with hat(w) = x, by least squares
//   bracket(u, v) d/ds Ad_{exp(s u)} v at s = 0
//   Ad(A, v)      vee of the derivative of conjugation
//   ad, adstar, Adstar    of bracket and Ad, by transposition
//   dexp(u, v)    sum ad_u^k v/(k + 1)!: in closed form where ad satisfies an equation that allows it
//   (MatrixFunction.h), else
//                 by the exponential of ad_u
//   dexpinv(u, v) in closed form only; elsewhere methods take the series of the bracket
//
// Right trivialized: d/dt exp(u) = (dexp_u u') exp(u).
#pragma once

#include "sema/manifolds/groups/MatrixFunction.h"
#include "sema/values/Tuples.h"

#include <optional>
#include <string_view>

namespace lmc::sema {

class DerivedOperations {
public:
  /// `group` gives at least product and exp. `ad`: the matrices of its bracket where they are known; kept.
  DerivedOperations(sym::Graph& graph, const Manifold& group, const LinearFamily* ad = nullptr)
      : g_(graph), m_(group), ad_(ad) {}

  /// The operation, if it can be derived; nothing otherwise.
  [[nodiscard]] std::optional<Tuple> apply(std::string_view operation, const std::vector<Tuple>& args) const;
  /// Whether `apply` has a value.
  [[nodiscard]] bool gives(std::string_view operation) const;

private:
  [[nodiscard]] Tuple group(std::string_view operation, const std::vector<Tuple>& args) const;
  [[nodiscard]] std::optional<Tuple> inverse(const Tuple& a) const;
  [[nodiscard]] Tuple hat(const Tuple& w) const;
  [[nodiscard]] Tuple vee(const Tuple& change) const;
  [[nodiscard]] Tuple Ad(const Tuple& element, const Tuple& v) const;
  [[nodiscard]] std::optional<Tuple> bracket(const Tuple& u, const Tuple& v) const;
  [[nodiscard]] Tuple dexp(const Tuple& u, const Tuple& v) const;
  [[nodiscard]] std::optional<Tuple> dexpinv(const Tuple& u, const Tuple& v) const;
  template <class Map> [[nodiscard]] Tuple transpose(const Tuple& mu, const Map& map) const;

  /// ad_w from the brackets of the unit elements; nothing if they are no constants.
  struct Algebra {
    LinearFamily ad;
    std::optional<Annihilator> annihilator;
  };
  [[nodiscard]] const std::optional<Algebra>& algebra() const;
  [[nodiscard]] std::optional<LinearFamily> structure(bool declared) const;

  sym::Graph& g_;
  const Manifold& m_;
  const LinearFamily* ad_;
  mutable bool known_ = false;
  mutable std::optional<Algebra> algebra_;
  mutable bool bracketKnown_ = false;
  mutable std::optional<LinearFamily> bracket_; ///< where the bracket is derived
};

} // namespace lmc::sema
