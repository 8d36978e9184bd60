// What derivation and methods need of a manifold beyond its declaration: brackets of duals, Ad, velocities of changes.
#pragma once

#include "sema/manifolds/Generator.h"
#include "sema/values/Tuples.h"

#include <functional>

namespace lmc::mechanics {

/// [u, v] of the Lie algebra.
[[nodiscard]] sema::Tuple bracket(const sema::Manifold& m, const sema::Tuple& u, const sema::Tuple& v);
/// ad*_u mu, with <ad*_u mu, v> = <mu, [u, v]>.
[[nodiscard]] sema::Tuple adstar(sym::Program& p, const sema::Manifold& m, const sema::Tuple& u, const sema::Tuple& mu);
/// T(g)^T d: the pairing of d with the generator of the action, as a dual element (<T^T d, xi> = <d, T(g) xi>).
[[nodiscard]] sema::Tuple generatorTransposed(sym::Program& p, const sema::Manifold& m, bool body,
                                              const sema::Tuple& point, const sema::Tuple& d);
/// The algebra element xi with T(g) xi = change for a change of the point's storage, T the generator of the action; by
/// least squares, and horizontal on a homogeneous manifold.
[[nodiscard]] sema::Tuple velocityOf(sym::Program& p, const sema::Manifold& m, bool body, const sema::Tuple& point,
                                     const sema::Tuple& change);
/// Ad_A v.
[[nodiscard]] sema::Tuple adjoint(const sema::Manifold& m, const sema::Tuple& element, const sema::Tuple& v);
/// dexp_u v, right trivialized.
[[nodiscard]] sema::Tuple dexp(const sema::Manifold& m, const sema::Tuple& u, const sema::Tuple& v);
/// The same for any map F from the algebra to the group: d/ds F(u + s v) = (dF_u v) F(u) at s = 0.
[[nodiscard]] sema::Tuple rightTrivialized(sym::Program& p, const sema::Manifold& m,
                                           const std::function<sema::Tuple(const sema::Tuple&)>& map,
                                           const sema::Tuple& u, const sema::Tuple& v);
/// The algebra element of a tangent vector at the identity (given as a change of storage).
[[nodiscard]] sema::Tuple veeAtIdentity(const sema::Manifold& m, const sema::Tuple& change);

/// The value of an operation that the checker has made sure of; throws std::logic_error if the declaration lacks it.
[[nodiscard]] sema::Tuple required(const sema::Manifold& m, std::string_view operation,
                                   const std::vector<sema::Tuple>& args);
} // namespace lmc::mechanics
