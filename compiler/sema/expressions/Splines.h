// Cubic splines through data, as equations of a program.
#pragma once

#include "sym/Program.h"

#include <functional>
#include <string>

namespace lmc::sema {

/// Values at nodes x_1 < … < x_n, of one shape.
struct CurveData {
  std::function<sym::Expr(sym::Expr)> node, value; ///< of an index from 1 to n
  sym::Shape shape;
  std::int64_t n = 0;
  std::string name; ///< of the values, for names of arrays
};

/// y'' at the nodes of the C2 spline through the data, as an array with an element for each: zero at the ends (natural,
/// n >= 3), or, where the last value is the first one, such that y' and y'' go on from the end to the begin (periodic,
/// n >= 4). Continuity of y' at node i reads
///   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (slope_i - slope_{i-1})
/// (C. de Boor, "A Practical Guide to Splines", chapter IV), which elimination without exchanges solves stably, since
/// the diagonal dominates: recursions along the rows, in a time proportional to n.
[[nodiscard]] const sym::Array* splineBends(sym::Program& program, const CurveData& data, bool periodic);

} // namespace lmc::sema
