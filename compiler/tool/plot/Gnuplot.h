// Figures as scripts of gnuplot.
#pragma once

#include "tool/plot/Figure.h"

namespace lmc::tool {

enum class PlotKind : std::uint8_t { Svg, Pdf, Png, Terminal };

/// Where a figure is drawn.
struct Canvas {
  PlotKind kind = PlotKind::Svg;
  int columns = 79, lines = 24; ///< of a terminal
  bool colors = false;          ///< of a terminal
};

/// A script that draws the figure on standard output. Names and titles are texts alone, whatever is in them.
[[nodiscard]] std::string gnuplotScript(const Figure& figure, const Canvas& canvas);

} // namespace lmc::tool
