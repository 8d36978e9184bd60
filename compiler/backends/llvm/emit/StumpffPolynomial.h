// Polynomials for the Stumpff functions near zero.
#pragma once

#include <vector>

namespace lmc::backends {

/// The polynomials hold for |s| up to here; beyond, the library routine is called. A step of a well-resolved motion
/// (less than one radian per step) stays below.
inline constexpr double stumpffRange = 1.0;

/// An interval of s.
struct StumpffInterval {
  double low = -stumpffRange;
  double high = stumpffRange;
};

/// Where one trajectory's code has a branch anyway, it takes shorter polynomials, up to a quarter of a radian per step:
/// of five terms for squares of angles, of six where s may be negative, instead of nine. The long ones are in the
/// routine that is called beyond.
inline constexpr StumpffInterval stumpffNearSquares{0, 0.0625};
inline constexpr StumpffInterval stumpffAroundZero{-0.0625, 0.0625};

/// Coefficients, lowest first, of a polynomial in s that equals c_k(s) on an interval with a relative error below 2^-54
/// before rounding, 2^-56 on the whole range: the Taylor series with its high terms replaced by their best
/// approximations of lower degree (Chebyshev economisation), which spares two terms.
[[nodiscard]] std::vector<double> stumpffPolynomial(int k, const StumpffInterval& interval = {});

} // namespace lmc::backends
