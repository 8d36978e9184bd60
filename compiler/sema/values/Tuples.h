// Tuples of tensors: points, algebra elements and dual elements by parts, as vectors of scalars, and their derivatives.
#pragma once

#include "sema/values/Manifold.h"
#include "sym/derivatives/Derivative.h"

namespace lmc::sema {

/// Componentwise a + b, c a, zero of the given parts; the pairing <a, b> = sum of products of entries.
[[nodiscard]] Tuple add(sym::Graph& g, const Tuple& a, const Tuple& b);
[[nodiscard]] Tuple sub(sym::Graph& g, const Tuple& a, const Tuple& b);
[[nodiscard]] Tuple scale(sym::Graph& g, sym::Expr c, const Tuple& a);
[[nodiscard]] Tuple scale(sym::Graph& g, const sym::Number& c, const Tuple& a);
[[nodiscard]] Tuple zero(sym::Graph& g, const std::vector<Part>& parts);
[[nodiscard]] sym::Expr pairing(sym::Graph& g, const Tuple& a, const Tuple& b);
[[nodiscard]] bool isZero(const Tuple& a);
/// `count` of the parts of a tuple, from `first` on.
[[nodiscard]] Tuple part(const Tuple& all, std::size_t first, std::size_t count);

/// All entries of a tuple, part by part, matrices by rows; and back.
[[nodiscard]] std::vector<sym::Expr> entries(sym::Graph& g, const Tuple& a);
[[nodiscard]] Tuple fromEntries(sym::Graph& g, const std::vector<Part>& parts, const std::vector<sym::Expr>& entries);
/// The k-th unit element (k counted from 0 over all entries).
[[nodiscard]] Tuple unit(sym::Graph& g, const std::vector<Part>& parts, int k);
/// Loads of the arrays of a tuple at one index.
[[nodiscard]] Tuple loads(sym::Graph& g, const std::vector<const sym::Array*>& arrays,
                          const std::vector<sym::Expr>& index);

/// Fresh arrays without equations, to be differentiated by.
[[nodiscard]] std::vector<const sym::Array*> dummies(sym::Graph& g, const std::vector<Part>& parts,
                                                     const std::string& name);
/// The transpose of a linear map, given as `value` of arrays `variables`: for dual elements `seeds` of the value, the
/// dual element d by parts of the variables, with <d, x> = <seeds, value(x)>.
[[nodiscard]] Tuple transposed(sym::Program& p, const Tuple& value, const std::vector<const sym::Array*>& variables,
                               const Tuple& seeds);
/// The same for a map that is linear though it may be written otherwise, as a part of the exponential of a matrix: its
/// slope is the one at zero.
[[nodiscard]] Tuple transposedLinear(sym::Program& p, const Tuple& value,
                                     const std::vector<const sym::Array*>& variables, const Tuple& seeds);
/// Derivative of `value` with respect to arrays of `variables` along `direction`, then `variables` replaced by `at`.
[[nodiscard]] Tuple directional(sym::Program& p, const Tuple& value, const std::vector<const sym::Array*>& variables,
                                const Tuple& direction, const Tuple& at);
/// The expressions of `value` with loads of `variables` replaced by `at`.
[[nodiscard]] Tuple replaceArrays(sym::Graph& g, const Tuple& value, const std::vector<const sym::Array*>& variables,
                                  const Tuple& at);

} // namespace lmc::sema
