// A group of matrices that is given by a basis of its algebra: all its operations follow.
#pragma once

#include "sema/manifolds/groups/ClosedEquations.h"
#include "sema/manifolds/groups/MatrixFunction.h"
#include "sema/values/Tuples.h"

#include <optional>
#include <string_view>

namespace lmc::sema {

/// Elements are square matrices in one part, an algebra element w is the matrix A(w) = sum_k w_k E_k.
class BasisGroup {
public:
  /// The family must be independent and closed under commutators; `algebra` has as many numbers as it has matrices.
  BasisGroup(sym::Graph& graph, LinearFamily family, std::vector<Part> algebra);

  [[nodiscard]] const LinearFamily& family() const { return family_; }

  /// identity, product, inverse (the transpose where all A are skew), bracket, exp, hat, vee, Ad, and dexp where A(w)
  /// is much smaller than ad_w; nothing for others. exp is a polynomial of A(w) where the matrices satisfy an equation
  /// that allows it (MatrixFunction.h), else the exponential of a general matrix.
  [[nodiscard]] std::optional<Tuple> apply(std::string_view operation, const std::vector<Tuple>& args) const;
  [[nodiscard]] static bool gives(std::string_view operation);

  /// What products of exponentials satisfy: R^T R = 1 where all A are skew, det R = 1 where their traces vanish, and
  /// where these are not enough, affine equations, invariant forms and equations of second degree (ClosedEquations.h).
  [[nodiscard]] std::vector<HeldEquation> holds(const Tuple& point) const;
  [[nodiscard]] const ClosedEquations& equations() const;
  /// ad_w in the coordinates.
  [[nodiscard]] const LinearFamily& adjoint() const { return ad_; }

private:
  /// Products of matrices A(w) are shorter than those with ad_w, and there is no closed form.
  [[nodiscard]] bool prefersMatrices() const { return !annihilator_ && family_.dimension() > 2 * family_.rows(); }
  [[nodiscard]] Tuple dexp(const Tuple& u, const Tuple& v) const;
  [[nodiscard]] sym::Expr matrix(const Tuple& w) const;
  [[nodiscard]] sym::Expr exponential(const Tuple& w) const;
  [[nodiscard]] sym::Expr inverse(sym::Expr a) const;
  [[nodiscard]] Tuple coordinates(sym::Expr m) const;
  [[nodiscard]] sym::Expr constant(const ConstantMatrix& m) const;

  sym::Graph& g_;
  LinearFamily family_;
  LinearFamily ad_;
  std::vector<Part> algebra_;
  std::optional<Annihilator> annihilator_;
  bool skew_;
  mutable std::optional<ClosedEquations> equations_; ///< once they were asked for
};

} // namespace lmc::sema
