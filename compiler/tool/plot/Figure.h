// A figure as numbers and words: what a drawing program is asked to draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lmc::tool {

enum class Mark : std::uint8_t {
  Line,
  Points,
  Both,  ///< points with lines between them
  Guide, ///< a thin line that is no result: a slope, a bound
};

/// One set of points. What is not finite is a gap, as is what is not positive on a logarithmic axis.
struct Curve {
  std::string name; ///< in the legend; empty: not there
  std::vector<double> x, y;
  Mark mark = Mark::Line;
  int style = -1; ///< colour, dashes and sign by number; -1: that of its place among the curves of the panel
};

/// What lies between two curves, drawn pale below them.
struct Band {
  std::string name;
  std::vector<double> x, low, high;
  int style = 0;
};

/// Heights over a grid. What is not finite is a hole.
struct Surface {
  std::string name;         ///< of the heights
  std::vector<double> x, y; ///< of the grid, growing
  std::vector<double> z;    ///< x.size() × y.size(), those of the first x first
};

struct Axis {
  std::string label;
  bool logarithmic = false;
};

/// One pair of axes. A panel with a surface, seen from above with its contours, has nothing else.
struct Panel {
  std::string title;
  Axis x, y;
  std::vector<Curve> curves;
  std::vector<Band> bands;
  std::optional<Surface> surface = {};
};

/// Panels one above the other.
struct Figure {
  std::string title;
  std::vector<Panel> panels;
  [[nodiscard]] bool empty() const; ///< there is no point in it
};

/// Takes the points of a curve over growing x, any number of them, and keeps at most 2800: first, least, largest and
/// last of each of up to 700 equal parts, so that nothing that stands out is lost.
class Thinner {
public:
  void add(double x, double y);
  /// Appends the points that are kept.
  void give(Curve& curve) const;

private:
  struct Point {
    double x, y;
  };
  struct Part {
    Point first, least, most, last;
    bool gap = false; ///< something in it is no number
  };
  void join(Part& a, const Part& b) const;
  std::vector<Part> parts_;
  std::size_t perPart_ = 1, inLast_ = 0;
};

/// The same of a curve that is known; one whose x does not grow loses points evenly.
void thin(Curve& curve);

} // namespace lmc::tool
