// Taylor series of the solution of x' = f(t, x), by a transformation of the equations of f.
//
// With x = sum x_n s^n along the solution through a point, s = t - t0, every expression of f has a series c_n, whose
// numbers follow from those of what it is made of. For a product c = a b,
//
//   c_n = a_0 b_n + a_n b_0 + S_n(a, b),   S_n(a, b) = sum of a_k b_{n-k} over k = 1 … n - 1.
//
// S_n needs orders below n alone. So all S_n of the equations are one loop without dependences, whose operands are rows
// of one array (`SeriesRecursion::history`), and the rest of an order is the first derivative of f with S_n added: the
// program of an order has about three times the length of f, for any number of orders, which are a loop around it.
//
//   quotient c = a/b        c_n = (a_n - c_0 b_n - S_n(c, b))/b_0
//   root c = sqrt(a)        c_n = (a_n - S_n(c, c))/(2 c_0)
//   logarithm c = log(a)    c_n = (a_n - S_n(k c, a)/n)/a_0
//   function c = F(a)       c_n = g_0 a_n + S_n(k a, g)/n, with the series of g = F'(a); k a has the coefficients k a_k
//   c = atan2(y, x)         c_n = (x_0 y_n - y_0 x_n + (S_n(k y, x) - S_n(k x, y) - S_n(k c, r))/n)/r_0, r = x^2 + y^2
//   linear system A c = b   A_0 c_n = b_n - A_n c_0 - S_n(A, c)
//
// a^m with a whole m is a product of products, a^r has g = r a^r/a. Stumpff functions become circular or hyperbolic
// ones of sqrt(|s|), and where |s| is small polynomials that are exact to rounding. A condition takes the branch of
// order 0. Loops and recursions over families stay what they are, as in `Tangent`.
//
// Source: R. E. Moore, "Interval Analysis", 1966, chapter 11; A. Griewank, A. Walther, "Evaluating Derivatives", 2nd
// ed., SIAM 2008, chapter 13; A. Jorba, M. Zou, "A software package for the numerical integration of ODEs by means of
// high-order Taylor methods", Experimental Mathematics 14 (2005) 99-117.
#pragma once

#include "sym/Program.h"

#include <optional>
#include <string>

namespace lmc::sym {

/// Some numbers of x and how fast they change.
struct SeriesVariable {
  const Array* array = nullptr; ///< an array of which f reads; of its elements the numbers stand in `coefficients`
  std::vector<Expr> index;      ///< of an element: a loop index for each extent
  Expr rate;                    ///< of that element, of its shape
};

struct TaylorSeries {
  const Array* coefficients =
      nullptr; ///< [P][d or more]: x_1 … x_P; numbers of the variables one after the other, elements by rows
  std::int64_t products = 0; ///< sums S_n of one order
  std::string refusal;       ///< why there is no series, for a person; then nothing else is set
};

/// Appends the equations of the series of degree P = `orders` >= 1 of x(t + s), where `time` is the array of t, or
/// null. The equations of the rates must be defined by arrays of the variables, the time, and what does not change with
/// it.
[[nodiscard]] TaylorSeries taylorSeries(Program& program, const std::vector<SeriesVariable>& variables,
                                        const Array* time, std::int64_t orders);

/// Why the solution of equations with these rates has no series here; empty where it has. Appends nothing.
[[nodiscard]] std::string lacksSeries(const Program& program, const std::vector<const Array*>& variables,
                                      const std::vector<const Array*>& rates);

/// Whether the equations of these rates change from one formula to another where the variables decide: by a condition,
/// a minimum or maximum, a whole part. A series goes on with the formula that holds where it begins, and none of its
/// terms knows of another one.
[[nodiscard]] bool hasBranches(const Program& program, const std::vector<const Array*>& variables,
                               const std::vector<const Array*>& rates);

/// A scalar, vector or matrix of its entries, by rows.
[[nodiscard]] Expr tensorOf(Graph& graph, const Shape& shape, std::vector<Expr> entries);

/// The number that stands for c_k(s) in a series: elementary functions with the same values.
[[nodiscard]] Expr elementaryStumpff(Graph& graph, int k, Expr s);

} // namespace lmc::sym
