// Polynomials for the Stumpff functions near zero.
#pragma once

#include <vector>

namespace lmc::codegen {

/// The polynomials hold for |s| up to here; beyond, the library routine is called. A step of a well-resolved motion
/// (less than one radian per step) stays below.
inline constexpr double stumpffRange = 1.0;

/// Coefficients, lowest first, of a polynomial in s that equals c_k(s) on |s| <= stumpffRange with a relative error
/// below 2^-56 before rounding: the Taylor series with its high terms replaced by their best approximations of lower
/// degree (Chebyshev economisation), which spares two terms.
[[nodiscard]] std::vector<double> stumpffPolynomial(int k);

} // namespace lmc::codegen
