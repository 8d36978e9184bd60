// Functions of A(w) in closed form: exp, (exp - 1)/x and its inverse, as polynomials of A whose coefficients are
// analytic functions of w.
//
// With A^j (A^2 + s)^m = 0 every power series f(A) = sum f_n A^n is a polynomial of degree below j + 2m. Its
// coefficients are divided differences of the even and of the odd part of f at 0 and -s, which Stumpff functions of s
// express without a division by s: for f = sum A^n/(n + k)!, sum_i (-s)^i/(2i + n)! = c_n(s). (N. J. Higham, "Functions
// of Matrices", SIAM 2008, section 1.2.2, for the Hermite interpolation.)
#pragma once

#include "sema/manifolds/groups/LinearFamily.h"
#include "sema/values/Tuples.h"

#include <functional>

namespace lmc::sema {

/// s(w) of an annihilator.
[[nodiscard]] sym::Expr squaredAngle(sym::Graph& g, const Annihilator& a, const std::vector<sym::Expr>& w);

/// The coefficients c_i(s), i below the degree, with sum_n A^n/(n + k)! = sum_i c_i A^i. k = 0: exp; k = 1: (exp -
/// 1)/x, that is dexp where A = ad.
[[nodiscard]] std::vector<sym::Expr> exponentialCoefficients(sym::Graph& g, const Annihilator& a, sym::Expr s, int k);

/// (exp(A(w)) - 1)/A(w) applied to v, that is dexp where A = ad: by these coefficients and `apply`, x -> A(w) x, where
/// there is an annihilator; else as the upper right of exp([[A(w), v], [0, 0]]). `space` are the parts of v.
[[nodiscard]] Tuple integratedExponential(sym::Graph& g, const LinearFamily& family,
                                          const std::optional<Annihilator>& annihilator,
                                          const std::vector<sym::Expr>& w, const std::vector<Part>& space,
                                          const Tuple& v, const std::function<Tuple(const Tuple&)>& apply);
/// sum_i c_i A^i v, with `apply` for A; `c` is not empty.
[[nodiscard]] Tuple polynomial(sym::Graph& g, const std::vector<sym::Expr>& c, const Tuple& v,
                               const std::function<Tuple(const Tuple&)>& apply);

/// The same coefficients for x/(exp - 1), that is dexpinv where A = ad. Nothing where no closed form is known (a power
/// of A above the second in the annihilator together with a pair).
[[nodiscard]] std::vector<sym::Expr> inverseCoefficients(sym::Graph& g, const Annihilator& a, sym::Expr s);

} // namespace lmc::sema
