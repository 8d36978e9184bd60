// Axes whose numbers can be drawn and told apart.
#pragma once

#include "tool/plot/Figure.h"

#include <limits>

namespace lmc::tool {

/// Least and largest of numbers.
struct Extent {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  void add(double x);
  [[nodiscard]] bool empty() const { return !(least <= most); }
  [[nodiscard]] double size() const; ///< the larger absolute value of both
  /// More than 1e-12 of the numbers: less is one number, or rounding of one.
  [[nodiscard]] bool spread() const;
};

/// Of what is seen on the axes of a panel without a surface.
struct Extents {
  Extent x, y;
};
[[nodiscard]] Extents extentsOf(const Panel& panel);

/// Whether a point can be seen.
[[nodiscard]] bool visible(double x, double y, const Panel& panel);

/// The same figure in numbers that can be drawn and read. On linear axes numbers that agree in their first four digits
/// are differences from one of them, since the labels of an axis have six digits; numbers at the ends of what doubles
/// can be, with which drawing programs cannot calculate, are in units of a power of ten. The label of the axis, or the
/// name of a surface, says so: `a − 12345.7`, `a (in 1e+308)`.
[[nodiscard]] Figure readable(Figure figure);

} // namespace lmc::tool
