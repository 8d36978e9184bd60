// What derivation and methods need of a manifold beyond its declaration: brackets of duals, Ad, velocities of changes.
#pragma once

#include "sema/manifolds/Generator.h"
#include "sema/values/Tuples.h"

#include <functional>

namespace lmc {

/// [u, v] of the Lie algebra.
[[nodiscard]] Tuple bracket(const Manifold& m, const Tuple& u, const Tuple& v);
/// ad*_u mu, with <ad*_u mu, v> = <mu, [u, v]>.
[[nodiscard]] Tuple adstar(sym::Program& p, const Manifold& m, const Tuple& u, const Tuple& mu);
/// T(g)^T d: the pairing of d with the generator of the action, as a dual element (<T^T d, xi> = <d, T(g) xi>).
[[nodiscard]] Tuple generatorTransposed(sym::Program& p, const Manifold& m, bool body, const Tuple& point,
                                        const Tuple& d);
/// The algebra element xi with T(g) xi = change for a change of the point's storage, T the generator of the action; by
/// least squares, and horizontal on a homogeneous manifold.
[[nodiscard]] Tuple velocityOf(sym::Program& p, const Manifold& m, bool body, const Tuple& point, const Tuple& change);
/// Ad_A v.
[[nodiscard]] Tuple adjoint(const Manifold& m, const Tuple& element, const Tuple& v);
/// dexp_u v, right trivialized.
[[nodiscard]] Tuple dexp(const Manifold& m, const Tuple& u, const Tuple& v);
/// The same for any map F from the algebra to the group: d/ds F(u + s v) = (dF_u v) F(u) at s = 0.
[[nodiscard]] Tuple rightTrivialized(sym::Program& p, const Manifold& m, const std::function<Tuple(const Tuple&)>& map,
                                     const Tuple& u, const Tuple& v);
/// The algebra element of a tangent vector at the identity (given as a change of storage).
[[nodiscard]] Tuple veeAtIdentity(const Manifold& m, const Tuple& change);

/// The value of an operation that the checker has made sure of; throws std::logic_error if the declaration lacks it.
[[nodiscard]] Tuple required(const Manifold& m, std::string_view operation, const std::vector<Tuple>& args);
} // namespace lmc
