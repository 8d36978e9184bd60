// What the motion of a manifold needs of its declaration: the generator of its action, the horizontal projection.
#pragma once

#include "sema/Model.h"

namespace lmc {

/// The velocity of a point in its storage, q' = T(q) xi, by parts of the point: the derivative of
/// product(q, exp(s xi)) [group, body], product(exp(s xi), q) [group, space], action(exp(s xi), q) [manifold] at
/// s = 0. `point` and `xi` are any expressions of the storage's shapes.
[[nodiscard]] Tuple generator(sym::Program& program, const Manifold& manifold, Frame frame, const Tuple& point,
                              const Tuple& xi);

/// xi without its component along the isotropy of `point`: xi - n^T (n n^T)^-1 c with c = horizontal(q, xi) and
/// n = dc/dxi. Returns xi where the manifold declares no `horizontal`. With `onManifold` the point is taken to satisfy
/// `holds`: where that makes n n^T a number, nothing is divided. Such a result may be differentiated along the manifold
/// only.
[[nodiscard]] Tuple horizontalProjection(sym::Program& program, const Manifold& manifold, const Tuple& point,
                                         const Tuple& xi, bool onManifold = false);

} // namespace lmc
