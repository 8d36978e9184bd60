// What derivation and methods need of a manifold beyond its declaration: brackets of duals, Ad, the horizontal
// projection, and tuples of tensors as vectors of scalars.
#pragma once

#include "sema/Manifold.h"
#include "sym/Derivative.h"

#include <functional>

namespace lmc {

/// Componentwise a + b, c a, zero of the given parts; the pairing <a, b> = sum of products of entries.
[[nodiscard]] Tuple add(sym::Graph& g, const Tuple& a, const Tuple& b);
[[nodiscard]] Tuple sub(sym::Graph& g, const Tuple& a, const Tuple& b);
[[nodiscard]] Tuple scale(sym::Graph& g, sym::Expr c, const Tuple& a);
[[nodiscard]] Tuple scale(sym::Graph& g, const sym::Number& c, const Tuple& a);
[[nodiscard]] Tuple zero(sym::Graph& g, const std::vector<Part>& parts);
[[nodiscard]] sym::Expr pairing(sym::Graph& g, const Tuple& a, const Tuple& b);
[[nodiscard]] bool isZero(const Tuple& a);

/// All entries of a tuple, part by part, matrices by rows; and back.
[[nodiscard]] std::vector<sym::Expr> entries(sym::Graph& g, const Tuple& a);
[[nodiscard]] Tuple fromEntries(sym::Graph& g, const std::vector<Part>& parts, const std::vector<sym::Expr>& entries);
/// The k-th unit element (k counted from 0 over all entries).
[[nodiscard]] Tuple unit(sym::Graph& g, const std::vector<Part>& parts, int k);
/// Loads of the arrays of a tuple at one index.
[[nodiscard]] Tuple loads(sym::Graph& g, const std::vector<const sym::Array*>& arrays,
                          const std::vector<sym::Expr>& index);

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
/// Ad_A v: as declared, else the derivative of conjugation, read off at the identity.
[[nodiscard]] Tuple adjoint(sym::Program& p, const Manifold& m, const Tuple& element, const Tuple& v);
/// dexp_u v (right trivialized): as declared, else the derivative of exp, read off at the identity.
[[nodiscard]] Tuple dexp(sym::Program& p, const Manifold& m, const Tuple& u, const Tuple& v);
/// The same for any map F from the algebra to the group: d/ds F(u + s v) = (dF_u v) F(u) at s = 0.
[[nodiscard]] Tuple rightTrivialized(sym::Program& p, const Manifold& m, const std::function<Tuple(const Tuple&)>& map,
                                     const Tuple& u, const Tuple& v);
/// The algebra element of a tangent vector at the identity (given as a change of storage).
[[nodiscard]] Tuple veeAtIdentity(sym::Program& p, const Manifold& m, const Tuple& change);

/// The conormals n_k of the horizontal condition at a point: <n_k, xi> = 0 for horizontal xi. Empty for a group.
[[nodiscard]] std::vector<Tuple> conormals(sym::Program& p, const Manifold& m, const Tuple& point);
/// y with (T^T T + sum n_k n_k^T) y = d, where T is the generator at the point and n_k are the conormals: T y is the
/// covector of the storage whose T^T is a horizontal d, and y for d = T^T v the algebra element that fits v best.
[[nodiscard]] Tuple metricInverse(sym::Program& p, const Manifold& m, bool body, const Tuple& point, const Tuple& d);
/// The transpose of a linear map, given as `value` of arrays `variables`: for dual elements `seeds` of the value, the
/// dual element d by parts of the variables, with <d, x> = <seeds, value(x)>.
[[nodiscard]] Tuple transposed(sym::Program& p, const Tuple& value, const std::vector<const sym::Array*>& variables,
                               const Tuple& seeds);
/// Derivative of `value` with respect to arrays of `variables` along `direction`, then `variables` replaced by `at`.
[[nodiscard]] Tuple directional(sym::Program& p, const Tuple& value, const std::vector<const sym::Array*>& variables,
                                const Tuple& direction, const Tuple& at);
/// The expressions of `value` with loads of `variables` replaced by `at`.
[[nodiscard]] Tuple replaceArrays(sym::Graph& g, const Tuple& value, const std::vector<const sym::Array*>& variables,
                                  const Tuple& at);
/// The value of an operation that the checker has made sure of; throws std::logic_error if the declaration lacks it.
[[nodiscard]] Tuple required(const Manifold& m, std::string_view operation, const std::vector<Tuple>& args);
/// Fresh arrays without equations, to be differentiated by.
[[nodiscard]] std::vector<const sym::Array*> dummies(sym::Graph& g, const std::vector<Part>& parts,
                                                     const std::string& name);

} // namespace lmc
