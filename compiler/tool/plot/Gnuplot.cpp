#include "tool/plot/Gnuplot.h"

#include "tool/plot/Scales.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace lmc::tool {

namespace {

/// Colours that differ for colour-blind readers (Okabe and Ito), neighbours in the order as greys too; dashes and signs
/// differ without any colour.
struct LineStyle {
  const char *color, *dashes;
  int sign;
};
constexpr std::array<LineStyle, 8> styles = {{
    {"#0072B2", "solid", 7},
    {"#E69F00", "(16,8)", 5},
    {"#007A5A", "(4,6)", 9},
    {"#CC79A7", "(20,6,4,6)", 13},
    {"#56B4E9", "(10,4)", 11},
    {"#A8431A", "(2,8)", 6},
    {"#B9A900", "(24,8)", 4},
    {"#5B4E8C", "(12,4,2,4,2,4)", 8},
}};
const LineStyle& styleOf(int number) {
  return styles.at(static_cast<std::size_t>(number) % styles.size());
}

constexpr int width = 720, singleHeight = 432, panelHeight = 216, singleMapHeight = 560, mapHeight = 400,
              head = 40; // pixels of 1/96 inch

/// A text in single quotes, in which gnuplot replaces nothing.
std::string inQuotes(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) continue;
    safe += c;
    if (c == '\'') safe += c;
  }
  return safe + "'";
}

/// A number of a panel, for an axis that may be logarithmic.
std::string number(double x, bool logarithmic) {
  if (!std::isfinite(x) || (logarithmic && !(x > 0))) return "NaN";
  return fmt::format("{}", x);
}

/// Whether some of a curve can be seen; gnuplot stops at curves of nothing.
bool visible(const Curve& c, const Panel& p) {
  for (std::size_t k = 0; k < c.x.size(); ++k)
    if (visible(c.x[k], c.y[k], p)) return true;
  return false;
}

/// The range of an axis on which everything is one number, or round-off of one: gnuplot chooses none that is good.
std::string rangeOf(const char* axis, const Extent& e, bool logarithmic) {
  const double size = e.size();
  if (logarithmic) {
    if (e.most > e.least * 1.0001) return fmt::format("set autoscale {}\n", axis);
    return fmt::format("set {}range [{:.9g}:{:.9g}]\n", axis, e.least / 10, e.most * 10);
  }
  if (e.spread()) return fmt::format("set autoscale {}\n", axis);
  const double around = size > 0 ? 1e-3 * size : 1;
  return fmt::format("set {}range [{:.17g}:{:.17g}]\n", axis, e.least - around, e.most + around);
}

class Script {
public:
  Script(Figure figure, const Canvas& canvas) : figure_(std::move(figure)), canvas_(canvas) {}

  std::string text() {
    terminal();
    general();
    for (const Panel& p : figure_.panels) data(p);
    const bool several = figure_.panels.size() > 1 && !plain();
    if (several) {
      const std::string title = figure_.title.empty() ? "" : " title " + inQuotes(figure_.title) + " noenhanced";
      out_ += fmt::format("set multiplot layout {},1{}\n", figure_.panels.size(), title);
    }
    for (std::size_t k = 0; k < figure_.panels.size(); ++k) panel(k, several);
    if (several) out_ += "unset multiplot\n";
    return out_;
  }

private:
  [[nodiscard]] bool plain() const { return canvas_.kind == PlotKind::Terminal; }

  void terminal() {
    const auto panels = static_cast<int>(figure_.panels.size());
    const bool maps =
        std::any_of(figure_.panels.begin(), figure_.panels.end(), [](const Panel& p) { return p.surface.has_value(); });
    const int height = panels > 1 ? head + panels * (maps ? mapHeight : panelHeight)
                       : maps     ? singleMapHeight
                                  : singleHeight;
    switch (canvas_.kind) {
    case PlotKind::Svg:
      out_ += fmt::format("set terminal svg size {},{} dynamic background rgb 'white' font 'DejaVu Sans,12' "
                          "name 'lmc'\n",
                          width, height);
      break;
    case PlotKind::Pdf:
      out_ += fmt::format("set terminal pdfcairo size {:.3f}in,{:.3f}in font 'DejaVu Sans,9' linewidth 0.8\n",
                          width / 96.0, height / 96.0);
      break;
    case PlotKind::Png:
      out_ += fmt::format("set terminal pngcairo size {},{} font 'DejaVu Sans,9' fontscale 2 linewidth 2\n", 2 * width,
                          2 * height);
      break;
    case PlotKind::Terminal: {
      const int lines = panels > 1 ? std::max(12, std::min(canvas_.lines, 48) / panels) : canvas_.lines - 1;
      out_ +=
          fmt::format("set terminal dumb size {},{} {}\n", canvas_.columns, lines, canvas_.colors ? "ansi" : "mono");
      break;
    }
    }
  }

  void general() {
    out_ += "set encoding utf8\nset samples 2\n";
    if (plain()) {
      out_ += "set key outside center bottom horizontal noenhanced\nset format '%.4g'\n";
      return;
    }
    out_ += "set border 3 linecolor rgb '#606060'\nset tics nomirror out textcolor rgb '#303030'\n"
            "set grid linecolor rgb '#cccccc' linewidth 0.7 dashtype solid\n"
            "set key outside right top vertical Left reverse samplen 2.5 width 1 noenhanced\n";
    out_ += fmt::format("set title font ',{}' offset 0,-0.4\n", figure_.panels.size() > 1 ? 9 : 12);
    if (figure_.panels.size() > 1) { // one below the other, with one time
      std::size_t longest = 0;
      for (const Panel& p : figure_.panels) {
        for (const Curve& c : p.curves) longest = std::max(longest, c.name.size());
        for (const Band& b : p.bands) longest = std::max(longest, b.name.size());
      }
      out_ +=
          fmt::format("set lmargin 14\nset rmargin {}\n", longest == 0 ? 4 : 8 + std::min<std::size_t>(longest, 40));
    }
  }

  /// Rows of a grid with an empty line behind each x.
  void data(const Surface& s) {
    out_ += fmt::format("$d{} << EOD\n", blocks_++);
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      for (std::size_t k = 0; k < s.y.size(); ++k)
        out_ +=
            number(s.x[i], false) + " " + number(s.y[k], false) + " " + number(s.z[i * s.y.size() + k], false) + "\n";
      out_ += "\n";
    }
    out_ += "EOD\n";
  }

  void data(const Panel& p) {
    if (p.surface) return data(*p.surface);
    for (const Band& b : p.bands) {
      out_ += fmt::format("$d{} << EOD\n", blocks_++);
      for (std::size_t k = 0; k < b.x.size(); ++k)
        out_ += number(b.x[k], p.x.logarithmic) + " " + number(b.low[k], p.y.logarithmic) + " " +
                number(b.high[k], p.y.logarithmic) + "\n";
      out_ += "EOD\n";
    }
    for (const Curve& c : p.curves) {
      out_ += fmt::format("$d{} << EOD\n", blocks_++);
      for (std::size_t k = 0; k < c.x.size(); ++k)
        out_ += number(c.x[k], p.x.logarithmic) + " " + number(c.y[k], p.y.logarithmic) + "\n";
      out_ += "EOD\n";
    }
  }

  void axis(const char* name, const Axis& a) {
    out_ += fmt::format("{} logscale {}\n", a.logarithmic ? "set" : "unset", name);
    out_ += fmt::format("set {}label {} noenhanced\n", name, inQuotes(a.label));
    if (!plain()) out_ += fmt::format("set format {} '{}'\n", name, a.logarithmic ? "10^{%T}" : "%h");
  }

  /// From above: shades from dark to light, which stay in order as greys and for colour-blind readers, and contours.
  void surface(const Panel& p, bool several) {
    const Surface& s = *p.surface;
    Extent e;
    for (const double z : s.z)
      if (std::isfinite(z)) e.add(z);
    axis("x", p.x);
    axis("y", p.y);
    const std::size_t block = drawn_++;
    out_ += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", s.x.front(), s.x.back(), s.y.front(), s.y.back());
    const std::string over = several || figure_.title.empty() ? s.name : figure_.title + ": " + s.name;
    out_ += "set title " + inQuotes(over) + " noenhanced\n";
    if (e.empty()) {
      out_ += "set label 1 'no numbers' at graph 0.5,0.5 center; plot -1e300 notitle; unset label 1\n";
      return;
    }
    out_ += plain() ? "set tics scale 0\n" : "set lmargin 14\nset ylabel offset -2,0\n";
    out_ += rangeOf("z", e, false) + rangeOf("cb", e, false);
    out_ += "set view map\nset contour base\nset cntrparam cubicspline levels auto 10\nset cntrlabel onecolor\n";
    if (plain())
      out_ += fmt::format("unset surface\nsplot $d{} using 1:2:3 with lines notitle\nset surface\n", block);
    else
      out_ += fmt::format("set palette defined (0 '#3b78b0', 0.5 '#9cc4e0', 1 '#f7fbff')\n"
                          "set colorbox\nunset key\nunset grid\n"
                          "splot $d{0} using 1:2:3 with pm3d nocontour, $d{0} using 1:2:3 with lines nosurface "
                          "linecolor rgb '#202020' linewidth 0.7\n",
                          block);
    out_ += "unset contour\nunset view\n";
  }

  void panel(std::size_t number, bool several) {
    const Panel& p = figure_.panels[number];
    if (p.surface) return surface(p, several);
    const Extents e = extentsOf(p);
    axis("x", p.x);
    axis("y", p.y);
    if (!e.x.empty()) out_ += rangeOf("x", e.x, p.x.logarithmic) + rangeOf("y", e.y, p.y.logarithmic);
    std::string title = p.title;
    if (!several && title.empty()) title = figure_.title;
    out_ += "set title " + inQuotes(title) + " noenhanced\n";
    std::string parts;
    const auto add = [&](const std::string& part) { parts += (parts.empty() ? "plot " : ", \\\n  ") + part; };
    for (const Band& b : p.bands) add(band(b));
    int place = 0;
    for (const Curve& c : p.curves) {
      const int style = c.style >= 0 ? c.style : place;
      if (visible(c, p))
        add(curve(c, style));
      else
        ++drawn_;
      ++place;
    }
    if (parts.empty()) // a frame that says so; gnuplot has no logarithm of nothing
      parts = fmt::format("unset logscale x; unset logscale y; set format xy ''; set xrange [0:1]; set yrange [0:1]\n"
                          "set label 1 '{}' at graph 0.5,0.5 center; plot -1 notitle; unset label 1",
                          p.x.logarithmic || p.y.logarithmic ? "nothing above 0" : "no numbers");
    out_ += parts + "\n";
  }

  std::string band(const Band& b) {
    const std::string name = b.name.empty() ? "notitle" : "title " + inQuotes(b.name);
    const std::size_t block = drawn_++;
    if (plain()) return fmt::format("$d{0} using 1:2 with dots {1}, $d{0} using 1:3 with dots notitle", block, name);
    return fmt::format("$d{} using 1:2:3 with filledcurves fillcolor rgb '{}' fillstyle transparent solid 0.2 "
                       "noborder {}",
                       block, styleOf(b.style).color, name);
  }

  std::string curve(const Curve& c, int number) {
    const LineStyle& s = styleOf(number);
    const std::string name = c.name.empty() ? "notitle" : "title " + inQuotes(c.name);
    const std::size_t block = drawn_++;
    if (plain()) // signs of letters, one a curve
      return fmt::format("$d{} using 1:2 with {} linecolor {} {}", block,
                         c.mark == Mark::Points || c.mark == Mark::Both ? "points" : "lines", number + 1, name);
    const char* const with = c.mark == Mark::Points ? "points" : c.mark == Mark::Both ? "linespoints" : "lines";
    const bool guide = c.mark == Mark::Guide;
    std::string text =
        fmt::format("$d{} using 1:2 with {} linecolor rgb '{}'", block, with, guide ? "#909090" : s.color);
    if (c.mark != Mark::Points)
      text += fmt::format(" linewidth {} dashtype {}", guide ? 0.8 : 1.6, guide ? "(4,4)" : s.dashes);
    if (c.mark == Mark::Points || c.mark == Mark::Both) text += fmt::format(" pointtype {} pointsize 0.6", s.sign);
    return text + " " + name;
  }

  const Figure figure_;
  const Canvas& canvas_;
  std::string out_;
  std::size_t blocks_ = 0, drawn_ = 0;
};

} // namespace

std::string gnuplotScript(const Figure& figure, const Canvas& canvas) {
  return Script(readable(figure), canvas).text();
}

} // namespace lmc::tool
