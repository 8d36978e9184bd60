// The constraints that hold a manifold in its storage coordinates: what multipliers belong to.
#pragma once

#include "mechanics/system/Geometry.h"

#include <string>
#include <vector>

namespace lmc::methods {

/// Independent equations c(q) = 0 out of a manifold's `holds`: as many as storage has more numbers than the manifold
/// dimensions. Of equations that say the same (those of R^T R = I beside the diagonal, det R = 1 with them) the first
/// in the order of declaration are taken.
class Constraints {
public:
  /// Chooses the equations. The independence is tested at one point of the manifold, which is found by Newton's method.
  Constraints(sym::Program& program, const sema::Manifold& manifold);

  /// Why there are no such equations, for a person; empty if there are.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  [[nodiscard]] int count() const { return static_cast<int>(chosen_.size()); }
  /// The shape of values and multipliers: a number, or a vector of `count()`.
  [[nodiscard]] sym::Shape shape() const;

  /// (H H^T)^-1 by rows, H = dc/dq, where it is the same at all points of the manifold; else empty.
  [[nodiscard]] const std::vector<sym::Number>& inverseOnManifold() const { return inverse_; }
  /// c(q), of `shape()`.
  [[nodiscard]] sym::Expr value(const sema::Tuple& point) const;
  /// (dc/dq) v
  [[nodiscard]] sym::Expr rate(const sema::Tuple& point, const sema::Tuple& velocity) const;
  /// (dc/dq)^T lam, by parts of the point.
  [[nodiscard]] sema::Tuple transposed(const sema::Tuple& point, sym::Expr multiplier) const;

private:
  [[nodiscard]] sym::Expr stacked(const std::vector<sym::Expr>& values) const;
  /// Gradients of all equations at the symbolic point, by parts.
  [[nodiscard]] std::vector<sema::Tuple> gradients() const;
  void choose(int wanted);

  sym::Program& p_;
  sym::Graph& g_;
  const sema::Manifold& m_;
  std::vector<const sym::Array*> point_; ///< stands for the point
  std::vector<sym::Expr> equations_;     ///< all of `holds`, entry by entry, at that point
  std::vector<std::size_t> chosen_;
  std::vector<sym::Number> inverse_;
  std::string refusal_;
};

} // namespace lmc::methods
