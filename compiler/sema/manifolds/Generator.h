// What the motion of a manifold needs of its declaration: the generator of its action, and projections along the
// isotropy.
#pragma once

#include "sema/values/Manifold.h"
#include "sym/Program.h"

namespace lmc::sema {

/// The velocity of a point in its storage, q' = T(q) xi, by parts of the point: the derivative of
/// product(q, exp(s xi)) [group, body], product(exp(s xi), q) [group, space], action(exp(s xi), q) [manifold] at
/// s = 0. `point` and `xi` are any expressions of the storage's shapes.
[[nodiscard]] Tuple generator(sym::Program& program, const Manifold& manifold, Frame frame, const Tuple& point,
                              const Tuple& xi);

/// The conormals n_k of the horizontal condition at a point: <n_k, xi> = 0 for horizontal xi. Empty for a group.
[[nodiscard]] std::vector<Tuple> conormals(sym::Program& program, const Manifold& manifold, const Tuple& point);
/// y with (T^T T + s sum n_k n_k^T) y = d, where T is the generator at the point and n_k are the conormals. s is 1
/// where they span the isotropy, else the size of T^T T, for the sake of round-off. For d = T^T v y is the horizontal
/// algebra element that fits v best; for a d that vanishes along the isotropy T y is a covector of the storage with T^T
/// (T y) = d. The matrix is regular wherever horizontal velocities are a complement of the isotropy.
[[nodiscard]] Tuple metricInverse(sym::Program& program, const Manifold& manifold, Frame frame, const Tuple& point,
                                  const Tuple& d);

/// Whether the conormals span the isotropy, seen in the coordinates of the algebra (T n_k = 0, as on the sphere with
/// its usual coordinates): then the projection along the isotropy is the orthogonal one. Decided on expressions; false
/// where it is not seen, and for `project`.
[[nodiscard]] bool isotropyIsNormal(sym::Program& program, const Manifold& manifold);

/// P xi: the horizontal velocity that moves `point` as xi does, by a projection along the isotropy. With the generator
/// T and the rows n of the horizontal condition c(q, w) = n w
///
///   P xi = xi - (T^T T + s n^T n)^-1 s n^T c(q, xi)     for any s > 0,
///
/// since xi = u + z with n u = 0, T z = 0 gives s n^T c(q, xi) = (T^T T + s n^T n) z. Where the isotropy is normal to
/// the horizontal space this is xi - n^T (n n^T)^-1 c. Returns xi where the manifold declares no `horizontal`. With
/// `onManifold` the point is taken to satisfy `holds`: where that makes n n^T a number, nothing is divided. Such a
/// result may be differentiated along the manifold only.
[[nodiscard]] Tuple horizontalProjection(sym::Program& program, const Manifold& manifold, const Tuple& point,
                                         const Tuple& xi, bool onManifold = false);

/// P^T mu: the dual element that pairs with horizontal velocities as mu does and vanishes along the isotropy, as the
/// momenta and forces of the manifold do. `onManifold` as above.
[[nodiscard]] Tuple momentumProjection(sym::Program& program, const Manifold& manifold, const Tuple& point,
                                       const Tuple& mu, bool onManifold = false);

/// P xi and P^T mu for what a step hands on to the next one, so that it is projected again and again: a velocity that
/// is horizontal stays what it is, though the point is off its manifold by what rounding has left there, some delta. A
/// `project` that is one on the manifold alone makes 1 + O(delta) of it, and since delta grows with the steps, their
/// product is off by the square of their number. 2 P - P^2 is off by delta^2.
[[nodiscard]] Tuple steadyProjection(sym::Program& program, const Manifold& manifold, const Tuple& point,
                                     const Tuple& xi, bool onManifold = false);
[[nodiscard]] Tuple steadyMomentumProjection(sym::Program& program, const Manifold& manifold, const Tuple& point,
                                             const Tuple& mu, bool onManifold = false);

/// Numbers that vanish exactly where mu vanishes along the isotropy; none where the manifold declares no `horizontal`.
[[nodiscard]] Tuple momentumConditions(sym::Program& program, const Manifold& manifold, const Tuple& point,
                                       const Tuple& mu);

/// What velocities shall satisfy (`horizontal`, `project`) is not linear in them, as far as that is seen at a point
/// that is nothing special.
[[nodiscard]] bool bendsVelocities(sym::Graph& g, const Manifold& manifold);

} // namespace lmc::sema
