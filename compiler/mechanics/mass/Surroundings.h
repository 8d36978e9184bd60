// Factors of a model in the space around their manifolds: points and forces as vectors of that space.
#pragma once

#include "mechanics/system/Forces.h"

#include <optional>

namespace lmc::mechanics {

/// Most coordinates of the space around points whose constraint forces are found by straight-line code where the groups
/// that act are larger than these spaces.
inline constexpr std::int64_t largestSurroundings = 40;

/// A point q of the space around a manifold, its rate q', and the equations c(q) = 0 that hold it there, in terms of
/// placeholders for both.
struct HeldPoint {
  const sym::Array* point = nullptr;
  const sym::Array* rate = nullptr;
  std::vector<sym::Expr> normals;    ///< dc/dq of each equation, up to a constant factor; none for a flat space
  std::vector<sym::Expr> curvatures; ///< q'.(d²c/dq²) q', with the same factor
};

/// Nothing unless points are a number or a vector, and the manifold is a flat space with q' = xi, or a homogeneous one
/// whose `holds` has as many equations as storage has more numbers than the manifold dimensions.
[[nodiscard]] std::optional<HeldPoint> heldPoint(Layer& layer, const sema::Factor& factor);

/// q' = T(q) xi of the member at `index`.
[[nodiscard]] sema::Tuple rateOf(Layer& layer, std::size_t k, const std::vector<sym::Expr>& index);

/// xi' of the member at `index` for q'' of its point: the horizontal solution of T xi' = q'' - (dT/dt) xi, the one that
/// fits best; a part of q'' along normals has no influence.
[[nodiscard]] sema::Tuple accelerationOf(Layer& layer, std::size_t k, const std::vector<sym::Expr>& index,
                                         const sema::Tuple& change);

/// Forces and dissipation of the model on factor k, as a vector F of the space around with T^T F the force on its
/// velocity, in terms of the factor's own index.
[[nodiscard]] sym::Expr surroundingForce(Layer& layer, const ExternalForces& external, std::size_t k);

/// Numbers of the points of a group of factors, where they are at most half as many as those of the algebras (spheres
/// of many dimensions); else more than any limit.
[[nodiscard]] std::int64_t numbersAround(const sema::Model& model, const std::vector<std::size_t>& group);

/// Seeds the change of all factors but `held` along the motion, and that of the time.
void seedMotion(Layer& layer, sym::Tangent& tangent, const std::vector<std::size_t>& held);

/// s where an expression is s v for a load v and a number s that does not read v's array; else empty.
[[nodiscard]] sym::Expr multipleOf(sym::Graph& g, sym::Expr e, sym::Expr v);

/// A coordinate of a vector, of each term of a sum on its own: so that equal numbers are seen to be equal.
[[nodiscard]] sym::Expr coordinate(sym::Graph& g, sym::Expr e, int c);

} // namespace lmc::mechanics
